package paylink_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a merchant who sells by links, and a trader who takes the payments.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	payments *payment.Service
	settings *inforce.Keeper
	links    *paylink.Service
	tokens   *auth.Links
	merchant dbtest.Merchant
	trader   dbtest.Trader
	owner    caller.Caller
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	b.SetRate(t, "RUB", "100", true)
	b.merchant = b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"sbp", "card"}})
	b.trader = b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 3})
	b.settings = testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	addresses := outbound.NewAddresses(false)
	b.payments = testenv.Must(payment.New(b.Pools(), b.clock, addresses, b.settings, payment.Config{
		Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true,
	}))(t)
	b.tokens = testenv.Must(auth.NewLinks([]byte(strings.Repeat("k", 32))))(t)
	b.links = paylink.New(b.Pools(), b.clock, b.settings, addresses, b.payments, b.tokens)
	b.owner = caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 1, MerchantID: b.merchant.ID}
	return b
}

func (b *bundle) make(t *testing.T, d paylink.Draft) paylink.Link {
	t.Helper()
	d.CashboxID, d.Title = b.merchant.CashboxID, "A vase"
	made := testenv.Must(b.links.Create(t.Context(), b.owner, d))(t)
	return made
}

func (b *bundle) open(t *testing.T, l paylink.Link) paylink.Open {
	t.Helper()
	opened := testenv.Must(b.links.Open(t.Context(), auth.LinkToken(l.UUID, l.Proof)))(t)
	return opened
}

func (b *bundle) pay(l paylink.Open, amount, attempt string) (paylink.Made, error) {
	return b.links.Pay(context.Background(), l, paylink.Order{Amount: amount, Method: "sbp", Attempt: attempt})
}

// A link's address stays whatever the link keys are, and nothing else leads to
// it. That of a link that was made before this was so is kept at a start.
func TestAddressStays(t *testing.T) {
	b := setup(t)
	made := b.make(t, paylink.Draft{})
	b.Exec(t, "update payment_link set proof = null")
	testenv.NoError(t, b.links.Prove(t.Context()))
	testenv.NoError(t, b.links.Prove(t.Context()))
	kept := testenv.Must(b.links.Get(t.Context(), b.owner, made.ID))(t)
	published := b.tokens.Token(made.UUID)

	rotated := testenv.Must(auth.NewLinks([]byte(strings.Repeat("n", 32))))(t)
	later := paylink.New(b.Pools(), b.clock, b.settings, outbound.NewAddresses(false), b.payments, rotated)
	opened := testenv.Must(later.Open(t.Context(), published))(t)
	testenv.Check(t, opened.ID == made.ID && kept.URL("", rotated) == "/l/"+published, "it moved to %s", kept.URL("", rotated))
	other := testenv.Must(auth.NewLinks([]byte(strings.Repeat("x", 32))))(t)
	for _, token := range []string{
		"", published[1:], published + "A", other.Token(made.UUID), auth.LinkToken(made.UUID, nil), auth.LinkToken(uuid.New(), kept.Proof),
	} {
		testenv.WantError(t, testenv.ErrOf(later.Open(t.Context(), token)), fault.ErrNotFound, "%q", token)
	}
	testenv.Want(t, b.Text(t, "select (coalesce(string_agg(after::text, ''), '') like '%proof%')::text from setting_change"), "false", "the log has it")
}

// A payer's payment is made once for each form, with what the link says of it,
// and its events are in the feed alone.
func TestPay(t *testing.T) {
	b := setup(t)
	opened := b.open(t, b.make(t, paylink.Draft{Least: "100", Most: "1500.50", ReturnURL: "https://me.example/thanks"}))
	testenv.Want(t, fmt.Sprint(opened.Ways, " ", opened.Currency), "[sbp card] RUB", "the link offers")
	first := testenv.Must(b.pay(opened, "1500.50", "one"))(t)
	testenv.Check(t, *first.Description == "A vase" && *first.ReturnURL == "https://me.example/thanks" && first.OrderID == "link-1-7692c3ad3540bb803c020b3aee66cd88",
		"made %+v", first)
	testenv.Want(t, b.Text(t, "select actor from payment_history"), "link:1", "it was made by")
	again, err := b.pay(opened, "1500.50", "one")
	testenv.Check(t, err == nil && again.ID == first.ID, "the same form again: %d, %v", again.ID, err)
	other, err := b.pay(opened, "100", "one")
	testenv.Check(t, err == nil && other.ID != first.ID, "the form with another amount: %d, %v", other.ID, err)
	for _, amount := range []string{"99.99", "1500.51", "1e3", "-5", "", "10.001"} {
		_, err := b.pay(opened, amount, "two")
		testenv.Check(t, fault.As(err) != nil && fault.As(err).Fields.Wrong("amount"), "%q: %v", amount, err)
	}
	_, err = b.links.Pay(t.Context(), opened, paylink.Order{Amount: "100", Method: "sim"})
	testenv.Check(t, fault.As(err) != nil && fault.As(err).Fields.Wrong("method"), "a method that it has not: %v", err)
	byCard := b.open(t, b.make(t, paylink.Draft{Methods: []string{"card"}}))
	testenv.Want(t, fmt.Sprint(byCard.Ways), "[card]", "a link of one method offers")
	dbtest.WantFields(t, testenv.ErrOf(b.pay(byCard, "100", "one")), "method")

	testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, first.ID))(t)
	testenv.NoError(t, webhook.NewRelay(b.Pool, b.clock, prometheus.NewRegistry()).Run(t.Context()))
	testenv.Want(t, b.Text(t, "select status || url || (number is not null)::text from webhook_event"), "deliveredtrue", "the event is")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_delivery"), 0, "deliveries")

	l := testenv.Must(b.links.Get(t.Context(), b.owner, opened.ID))(t)
	testenv.Want(t, fmt.Sprint(l.Payments, l.Completed, l.Came), "2 1 1500.5", "what came of it")
	paid, err := b.links.Payments(t.Context(), b.owner, l)
	testenv.Check(t, err == nil && len(paid) == 2 && paid[1].ID == first.ID, "its payments: %+v, %v", paid, err)
	b.Audit(t)
}

// A form that is sent again when its payment has ended, or with another amount,
// makes one more, also when it is sent twice at once.
func TestSentTwiceAgain(t *testing.T) {
	b := setup(t)
	opened := b.open(t, b.make(t, paylink.Draft{Least: "100", Most: "2000"}))
	for round, amount := range []string{"500", "500", "600", "600"} {
		testenv.NoError(t, testenv.AtOnce(2, func(int) error { return testenv.ErrOf(b.pay(opened, amount, "one")) })...)
		testenv.Want(t, b.Count(t, "select count(*) from payment"), round+1, "payments after %s", amount)
		open := testenv.Must(b.pay(opened, amount, "one"))(t)
		testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, open.ID))(t)
	}
}

// A payment keeps its place of the link, and is listed with it, when its form
// is sent again and refused: later, as while its merchant is switched off, or
// at the same time.
func TestRefusedFormKeepsItsPlace(t *testing.T) {
	for name, dropped := range map[string]func(t *testing.T, b *bundle, l paylink.Link){
		"later": func(t *testing.T, b *bundle, l paylink.Link) {
			t.Helper()
			testenv.Must(b.pay(b.open(t, l), "500", "one"))(t)
			b.Exec(t, "update merchant set api_enabled = false")
			_, err := b.pay(b.open(t, l), "500", "one")
			dbtest.WantCode(t, err, "merchant_api_disabled")
			b.Exec(t, "update merchant set api_enabled = true")
		},
		"at the same time": func(t *testing.T, b *bundle, l paylink.Link) {
			t.Helper()
			b.Exec(t, `create function twin() returns trigger language plpgsql as $$ begin delete from link_payment; return null; end $$`)
			b.Exec(t, `create trigger twin after insert on payment for each row execute function twin()`)
			testenv.Must(b.pay(b.open(t, l), "500", "one"))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			l := b.make(t, paylink.Draft{MaxPayments: 1})
			dropped(t, b, l)
			_, err := b.pay(b.open(t, l), "600", "two")
			testenv.Check(t, errors.Is(err, paylink.ErrUsedUp), "another payer got %v", err)
			l = testenv.Must(b.links.Get(t.Context(), b.owner, l.ID))(t)
			testenv.Want(t, l.Payments, 1, "payments of the link")
		})
	}
}

// An order id is in many lists and on receipts. Whoever knows it, or the
// payment's uuid, is not led to the payer's page by it.
func TestOrderIDLeadsNobodyToThePayer(t *testing.T) {
	b := setup(t)
	opened := b.open(t, b.make(t, paylink.Draft{Amount: "500"}))
	first := testenv.Must(b.pay(opened, "", "one"))(t)
	testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, first.ID))(t)
	second := testenv.Must(b.pay(opened, "", "one"))(t)
	testenv.Check(t, second.ID != first.ID, "the form made no other payment")
	_, last, _ := strings.Cut(strings.TrimPrefix(second.OrderID, "link-"), "-")
	after := sha256.Sum256(fmt.Appendf(nil, "%s 500 sbp", first.UUID))
	for _, guess := range []string{last, second.OrderID, hex.EncodeToString(after[:16])} {
		_, err := b.links.Held(t.Context(), opened, guess)
		testenv.WantError(t, err, fault.ErrNotFound, "what %q leads to", guess)
		made, err := b.pay(opened, "", guess)
		testenv.Check(t, err != nil || made.ID != second.ID, "%q leads to the payer's payment", guess)
	}
}

// The last place goes to one of those who want it at the same time, and is free
// again when their payment fails.
func TestPlaces(t *testing.T) {
	b := setup(t)
	opened := b.open(t, b.make(t, paylink.Draft{Amount: "500", MaxPayments: 2}))
	errs := testenv.AtOnce(8, func(n int) error { return testenv.ErrOf(b.pay(opened, "", fmt.Sprint("form", n))) })
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		testenv.WantError(t, err, paylink.ErrUsedUp, "one too many")
	}
	testenv.Want(t, made, 2, "payments made")
	testenv.Want(t, b.Count(t, "select count(*) from link_payment"), 2, "places taken")
	id := int64(b.Count(t, "select min(id) from payment"))
	testenv.Must(b.payments.Cancel(t.Context(), b.trader.Caller, id, nil))(t)
	testenv.Must(b.pay(opened, "", "later"))(t)

	// A refused payment leaves its place, and so does, after a minute, a
	// call that was cut off.
	one := b.open(t, b.make(t, paylink.Draft{Amount: "99999999", MaxPayments: 1}))
	_, err := b.pay(one, "", "big")
	testenv.Check(t, fault.As(err) != nil && fault.As(err).Code == "collect_requisites_not_available", "nobody takes it: %v", err)
	testenv.Want(t, b.Count(t, "select count(*) from link_payment where link_id = $1", one.ID), 0, "places kept by a refusal")
	testenv.NoError(t, b.Queries().LinkPaymentBegin(t.Context(), db.LinkPaymentBeginParams{
		MerchantID: one.MerchantID, LinkID: one.ID, OrderID: "cut off", Method: "sbp", CreatedAt: b.clock.Now(),
	}))
	testenv.WantError(t, testenv.ErrOf(b.pay(one, "", "big")), paylink.ErrUsedUp, "while somebody is at it")
	b.clock.Advance(time.Minute)
	_, err = b.pay(one, "", "big")
	testenv.Check(t, !errors.Is(err, paylink.ErrUsedUp), "after a minute: %v", err)
	b.Audit(t)
}

// However many come at once, of one link at most a hundred payments wait for
// money; what was paid or failed leaves its place.
func TestOpenAtATime(t *testing.T) {
	b := setup(t)
	opened := b.open(t, b.make(t, paylink.Draft{Least: "100"}))
	first := testenv.Must(b.pay(opened, "500", "form"))(t)
	b.Exec(t, `insert into link_payment (merchant_id, link_id, order_id, method, created_at)
		select merchant_id, link_id, 'made-' || n, method, created_at from link_payment, generate_series(1, 97) n`)
	crowded, made := 0, 0
	for _, err := range testenv.AtOnce(8, func(n int) error { return testenv.ErrOf(b.pay(opened, "600", fmt.Sprint("form", n))) }) {
		switch {
		case errors.Is(err, paylink.ErrCrowded):
			crowded++
		case err == nil:
			made++
		}
	}
	testenv.Want(t, fmt.Sprint(made, crowded), "2 6", "made beside 98, and refused")
	again, err := b.pay(opened, "500", "form")
	testenv.Check(t, err == nil && again.ID == first.ID, "the form of one of them again: %d, %v", again.ID, err)
	testenv.Must(b.pay(b.open(t, b.make(t, paylink.Draft{Amount: "700"})), "", "form"))(t)
	testenv.Must(b.payments.Cancel(t.Context(), b.trader.Caller, first.ID, nil))(t)
	testenv.Must(b.pay(opened, "800", "later"))(t)
	testenv.WantError(t, testenv.ErrOf(b.pay(opened, "900", "latest")), paylink.ErrCrowded, "one more")
	b.Audit(t)
}

// Whose address is blocked begins no payment by a link either, for IPv6 from
// nowhere in their network.
func TestBlockedAddress(t *testing.T) {
	b := setup(t)
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	for _, address := range []string{"192.0.2.7", "2001:db8:1:2::7"} {
		testenv.Must(settings.BlockPayer(t.Context(), admin, directory.NewBlock{Kind: block.Address, Value: address, Reason: "fraud"}))(t)
	}
	opened := b.open(t, b.make(t, paylink.Draft{Amount: "500"}))
	for address, refused := range map[string]bool{
		"192.0.2.7": true, "2001:db8:1:2::/64": true, "192.0.2.8": false, "2001:db8:1:3::/64": false,
	} {
		_, err := b.links.Pay(t.Context(), opened, paylink.Order{Method: "sbp", Attempt: "from " + address, Address: address})
		if !refused {
			testenv.NoError(t, err)
			continue
		}
		dbtest.WantCode(t, err, "merchant_collect_payer_blocked")
	}
	// It is blocked by one of their payments, too. A merchant's own address
	// is not its payers', whatever it calls the order.
	order := paylink.Order{Method: "sbp", Attempt: "more", Address: "198.51.100.1"}
	paid := testenv.Must(b.links.Pay(t.Context(), opened, order))(t)
	blocking := directory.NewBlock{Kind: block.Address, PaymentID: paid.ID, Reason: "fraud"}
	testenv.Want(t, testenv.Must(settings.BlockPayer(t.Context(), admin, blocking))(t).Shown, order.Address, "blocked is")
	order.Attempt = "again"
	dbtest.WantCode(t, testenv.ErrOf(b.links.Pay(t.Context(), opened, order)), "merchant_collect_payer_blocked")
	shop := b.merchant.Caller
	shop.Address = "203.0.113.5"
	made := testenv.Must(b.payments.Create(t.Context(), shop, payment.Request{
		OrderID: fmt.Sprintf("link-%d-own", opened.ID), Amount: "501", Currency: "RUB", Method: new("sbp"), CallbackURI: "https://shop.example/hook",
	}))(t)
	blocking.PaymentID = made.Payment.ID
	dbtest.WantFields(t, testenv.ErrOf(settings.BlockPayer(t.Context(), admin, blocking)), "kind")
}

// A payer who goes back and chooses something else is led to the payment by
// which they have the last place; nobody else is.
func TestHeldPlace(t *testing.T) {
	b := setup(t)
	made := b.make(t, paylink.Draft{Least: "100", MaxPayments: 1})
	opened := b.open(t, made)
	testenv.Check(t, !opened.UsedUp, "a new link is used up")
	first := testenv.Must(b.pay(opened, "500", "form"))(t)
	for amount, order := range map[string]paylink.Order{
		"another amount, the same form": {Attempt: "form"}, "another form": {Attempt: "anew", Held: "form"},
	} {
		order.Amount, order.Method = "600", "sbp"
		again, err := b.links.Pay(t.Context(), opened, order)
		testenv.Check(t, err == nil && again.ID == first.ID, "%s: %+v, %v", amount, again.ID, err)
	}
	testenv.WantError(t, testenv.ErrOf(b.pay(opened, "500", "stranger")), paylink.ErrUsedUp, "another payer")
	testenv.Check(t, b.open(t, made).UsedUp, "it is not said that the link is used up")
	state := func() string {
		l := testenv.Must(b.links.Get(t.Context(), b.owner, made.ID))(t)
		list, _, err := b.links.List(t.Context(), b.owner, paylink.Page{States: []string{"used_up"}})
		testenv.NoError(t, err)
		return fmt.Sprint(l.State, len(list))
	}
	testenv.Want(t, state(), "used_up1", "used up")
	testenv.Must(b.payments.Cancel(t.Context(), b.trader.Caller, first.ID, nil))(t)
	testenv.Want(t, state(), "open0", "when it was cancelled")
}

// Used up links are found among many that are not, page by page, by an operator
// over several merchants as well.
func TestUsedUpAmongMany(t *testing.T) {
	b := setup(t)
	once := b.make(t, paylink.Draft{Amount: "500", MaxPayments: 1})
	testenv.Must(b.pay(b.open(t, once), "", "form"))(t)
	other := b.make(t, paylink.Draft{Amount: "500", MaxPayments: 1})
	b.Exec(t, `insert into payment_link (uuid, merchant_id, cashbox_id, title, amount, methods, max_payments, callback_uri, created_at, created_by)
		select gen_random_uuid(), merchant_id, cashbox_id, title, amount, methods, 1, callback_uri, created_at, created_by
		from payment_link, generate_series(1, 600) where id = $1`, once.ID)
	last := b.make(t, paylink.Draft{Amount: "500", MaxPayments: 1})
	testenv.Must(b.pay(b.open(t, last), "", "form"))(t)
	auditor := caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 3}
	page := paylink.Page{Page: db.Page{Limit: new(int32(1))}, States: []string{"used_up"}}
	for _, want := range []int64{last.ID, once.ID} {
		for _, who := range []caller.Caller{b.owner, auditor} {
			list, next, err := b.links.List(t.Context(), who, page)
			testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == want && (next == nil) == (want == once.ID),
				"want %d, have %+v, next %v, %v", want, list, next, err)
			if who.Kind == caller.Operator {
				page.Cursor = next
			}
		}
	}
	page.States, page.Cursor = []string{"open"}, new(fmt.Sprint(other.ID+1))
	list, next, err := b.links.List(t.Context(), b.owner, page)
	testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == other.ID && next == nil, "open: %+v, %v, %v", list, next, err)
}

// A link that is over makes no payment, whatever page is still open; strangers
// see none of it.
func TestEnds(t *testing.T) {
	b := setup(t)
	ends := b.clock.Now().Add(time.Hour)
	timed, closed := b.make(t, paylink.Draft{Amount: "500", EndsAt: &ends}), b.make(t, paylink.Draft{Amount: "500"})
	page, other := b.open(t, timed), b.open(t, closed)
	b.clock.Advance(time.Hour)
	testenv.WantError(t, testenv.ErrOf(b.pay(page, "", "late")), paylink.ErrEnded, "after its time")
	testenv.Check(t, b.open(t, timed).Ended, "it is not said that the link is over")
	for range 2 {
		l, err := b.links.Close(t.Context(), b.owner, closed.ID)
		testenv.Check(t, err == nil && l.State == paylink.Closed, "closed: %+v, %v", l, err)
	}
	testenv.WantError(t, testenv.ErrOf(b.pay(other, "", "late")), paylink.ErrEnded, "after it was closed")
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where subject = 'payment_link'"), 3, "changes in the log")

	stranger := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 2, MerchantID: b.NewMerchant(t, dbtest.MerchantOpts{}).ID}
	testenv.WantError(t, testenv.ErrOf(b.links.Get(t.Context(), stranger, timed.ID)), fault.ErrNotFound, "a stranger reads it")
	testenv.WantError(t, testenv.ErrOf(b.links.Close(t.Context(), stranger, timed.ID)), fault.ErrNotFound, "a stranger closes it")
	list, _, err := b.links.List(t.Context(), stranger, paylink.Page{})
	testenv.Check(t, err == nil && len(list) == 0, "a stranger lists %+v, %v", list, err)
	list, _, err = b.links.List(t.Context(), b.owner, paylink.Page{States: []string{"open", "over"}})
	testenv.Check(t, err == nil && len(list) == 1 && list[0].ID == timed.ID, "not closed: %+v, %v", list, err)
	testenv.WantError(t, testenv.ErrOf(b.links.Payments(t.Context(), stranger, list[0])), fault.ErrNotFound, "a stranger lists its payments")
	list, _, err = b.links.List(t.Context(), stranger, paylink.Page{MerchantID: b.merchant.ID})
	testenv.Check(t, err == nil && len(list) == 0, "a stranger names another merchant: %+v, %v", list, err)
	auditor := caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 3}
	list, _, err = b.links.List(t.Context(), auditor, paylink.Page{States: []string{"closed"}, Search: "VASE", MerchantID: b.merchant.ID})
	testenv.Check(t, err == nil && len(list) > 0 && list[0].State == paylink.Closed, "closed, for an operator: %+v, %v", list, err)
	testenv.WantError(t, testenv.ErrOf(b.links.Open(t.Context(), b.tokens.Token(uuid.New()))), fault.ErrNotFound, "a link that is none")
}

// What is wrong with a new link is said of its fields.
func TestDrafts(t *testing.T) {
	b := setup(t)
	past := b.clock.Now()
	box := b.merchant.CashboxID
	for field, d := range map[string]paylink.Draft{
		"title":       {CashboxID: box},
		"amount":      {CashboxID: box, Title: "A", Amount: "5", Least: "1"},
		"minAmount":   {CashboxID: box, Title: "A", Least: "0.5"},
		"maxAmount":   {CashboxID: box, Title: "A", Least: "10", Most: "9"},
		"maxPayments": {CashboxID: box, Title: "A", MaxPayments: 10_001},
		"endsAt":      {CashboxID: box, Title: "A", EndsAt: &past},
		"returnUrl":   {CashboxID: box, Title: "A", ReturnURL: "ftp://me.example"},
		"callbackUri": {CashboxID: box, Title: "A", Callback: "http://127.0.0.1/"},
		"methods":     {CashboxID: box, Title: "A", Methods: []string{"iban"}},
	} {
		_, err := b.links.Create(t.Context(), b.owner, d)
		testenv.Check(t, fault.As(err) != nil && len(fault.As(err).Fields) == 1 && fault.As(err).Fields.Wrong(field), "%s: %v", field, err)
	}
	_, err := b.links.Create(t.Context(), b.owner, paylink.Draft{CashboxID: 99, Title: "A"})
	testenv.WantError(t, err, fault.ErrCashboxAccessDenied, "another's cashbox")
	reader := b.owner
	reader.Role = caller.Developer
	_, err = b.links.Create(t.Context(), reader, paylink.Draft{CashboxID: box, Title: "A"})
	testenv.Check(t, fault.As(err) != nil && fault.As(err).Kind == fault.Forbidden, "a developer: %v", err)
}

package payment_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// told has the merchant of a cashbox told what payers say.
func (b *bundle) told(t *testing.T, cashboxID int64) {
	t.Helper()
	b.Exec(t, "update cashbox set payer_events = true where id = $1", cashboxID)
}

// stands is what must not change without a reason.
func (b *bundle) stands(t *testing.T, p payment.Payment) string {
	t.Helper()
	return b.Text(t, "select to_jsonb(p)::text from payment p where id = $1", p.ID)
}

// The first claim is kept, gives the transfer fifteen minutes to arrive, and is told to a merchant
// who asked for it. A repeat changes nothing, also after the payment has ended.
func TestClaim(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.told(t, merchant.CashboxID)
	p := b.create(t, merchant.Caller, request("order-1"))
	testenv.Check(t, p.ClaimedAt == nil, "claimed at %s before anybody said so", p.ClaimedAt)
	b.clock.Advance(5*time.Minute + 123*time.Millisecond)
	now := b.clock.Now()
	claimed, err := b.payments.Claim(t.Context(), p.UUID)
	testenv.Need(t, err == nil && claimed.Status == payment.Pending && claimed.ClaimedAt != nil && claimed.ClaimedAt.Equal(now) &&
		claimed.ExpiresAt.Equal(now.Add(15*time.Minute)) && claimed.EventSequence == 1 &&
		claimed.StatusAt.Equal(p.StatusAt), "%+v, %v", claimed, err)
	b.wantEvent(t, p, "event_claimed.json")
	read, err := b.payments.Get(t.Context(), merchant.Caller, p.UUID.String())
	testenv.Check(t, err == nil && read.ClaimedAt.Equal(now) && read.ExpiresAt.Equal(claimed.ExpiresAt),
		"read %v, %s, %v", read.ClaimedAt, read.ExpiresAt, err)
	before := b.stands(t, p)
	b.clock.Advance(time.Minute)
	again, err := b.payments.Claim(t.Context(), p.UUID)
	testenv.Check(t, err == nil && again.ClaimedAt.Equal(now) && b.stands(t, p) == before,
		"a repeat: %v, %v", again.ClaimedAt, err)
	// It expires when it says it does, not when it was to at first.
	b.clock.Advance(13 * time.Minute)
	b.wantExpired(t, 0)
	testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, p.ID))(t)
	if again, err = b.payments.Claim(t.Context(), p.UUID); err != nil || again.Status != payment.Completed {
		t.Errorf("a repeat after the end: %s, %v", again.Status, err)
	}
	// The claim and the change that follows it are numbered without a gap.
	right := b.Count(t, `select count(*) from webhook_event e join (values
			(1, 'payment.payer.claimed', 'PENDING'), (2, 'payment.status.updated', 'COMPLETED')) as w (sequence, type, status)
			on e.sequence = w.sequence and e.type = w.type and convert_from(e.body, 'UTF8')::json #>> '{data,status}' = w.status
		where e.subject_id = $1`, p.ID)
	n := b.Count(t, "select count(*) from webhook_event")
	testenv.Check(t, n == 2 && right == 2, "%d events, %d of them right, want 2", n, right)
	b.Audit(t)
}

// The setting moves the expiry only ahead: one that is later anyway stays.
func TestClaimNeverShortens(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	for name, c := range map[string]struct {
		seconds int
		after   time.Duration
		want    time.Duration // of the creation
	}{
		"short":               {1, 5 * time.Minute, 15 * time.Minute},
		"just as long":        {600, 5 * time.Minute, 15 * time.Minute},
		"a second longer":     {601, 5 * time.Minute, 15*time.Minute + time.Second},
		"longest":             {86_400, 0, 24 * time.Hour},
		"short, near the end": {1, 14*time.Minute + 59500*time.Millisecond, 15*time.Minute + 500*time.Millisecond},
	} {
		b.Exec(t, "update cashbox_method set claim_seconds = $1", c.seconds)
		p := b.create(t, merchant.Caller, request(name))
		b.clock.Advance(c.after)
		claimed, err := b.payments.Claim(t.Context(), p.UUID)
		testenv.Check(t, err == nil && claimed.ExpiresAt.Equal(p.CreatedAt.Add(c.want)),
			"%s: expires %s after its creation, want %s, %v", name, claimed.ExpiresAt.Sub(p.CreatedAt), c.want, err)
	}
	// Nobody asked to be told.
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 0, "events")
}

// Payers who press twice at once have said so once.
func TestParallelClaims(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.told(t, merchant.CashboxID)
	p := b.create(t, merchant.Caller, request("order-1"))
	noError(t, testenv.AtOnce(10, func(int) error { return testenv.ErrOf(b.payments.Claim(context.Background(), p.UUID)) })...)
	told := "select count(*) from webhook_event where type = 'payment.payer.claimed' and sequence = 1"
	testenv.Want(t, b.Count(t, told), 1, "claims that are told of")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 1, "events")
	testenv.Want(t, b.row(t, p).EventSequence, 1, "number of the last event")
}

// against has the trader confirm a payment at the same moment as its payer does something about it.
func (b *bundle) against(
	trader dbtest.Trader, p payment.Payment, payer func(context.Context, uuid.UUID) (payment.Payment, error),
) []error {
	return testenv.AtOnce(2, func(i int) error {
		if i == 0 {
			return testenv.ErrOf(payer(context.Background(), p.UUID))
		}
		return testenv.ErrOf(b.payments.Confirm(context.Background(), trader.Caller, p.ID))
	})
}

// A payer claims while the trader confirms: the payment is completed either way, and its events
// follow each other without a gap.
func TestClaimAgainstTrader(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	b.told(t, merchant.CashboxID)
	for i := range 20 {
		p := b.create(t, merchant.Caller, request(string(rune('a'+i))))
		errs := b.against(trader, p, b.payments.Claim)
		claimed, confirmed := errs[0], errs[1]
		want := 2
		if claimed != nil {
			wantCode(t, claimed, "payment_not_pending")
			want = 1
		}
		now, err := b.payments.ByUUID(t.Context(), p.UUID)
		testenv.Check(t, err == nil && confirmed == nil && now.Status == payment.Completed &&
			(now.ClaimedAt != nil) == (claimed == nil), "%s, claimed at %v: %v, %v", now.Status, now.ClaimedAt,
			confirmed, err)
		numbered := "select count(*) from webhook_event where subject_id = $1 and sequence <= $2"
		testenv.Want(t, b.Count(t, numbered, p.ID, want), want, "events")
	}
	b.Audit(t)
}

// A payer's steps come too late once the time is over, before the sweep too, and once the payment is not pending. A card
// payment has no claim, and neither has a link that is none.
func TestPayersStepsRefused(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 10})
	b.told(t, merchant.CashboxID)
	refused := func(p payment.Payment, code string, steps ...func(context.Context, uuid.UUID) (payment.Payment, error)) {
		t.Helper()
		before := b.stands(t, p)
		for _, step := range steps {
			wantCode(t, testenv.ErrOf(step(t.Context(), p.UUID)), code)
		}
		testenv.Want(t, b.stands(t, p), before, "%s: what the refused step leaves", p.OrderID)
	}
	for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
		p := b.made(t, merchant, status, status)
		refused(p, "payment_not_pending", b.payments.Claim, b.payments.CancelByPayer)
	}
	p := b.create(t, merchant.Caller, request("cancelled by the payer"))
	testenv.Must(b.payments.CancelByPayer(t.Context(), p.UUID))(t)
	refused(p, "payment_not_pending", b.payments.Claim)
	p = b.create(t, merchant.Caller, request("late"))
	b.clock.Advance(15 * time.Minute)
	refused(p, "payment_not_pending", b.payments.Claim, b.payments.CancelByPayer)
	b.wantExpired(t, 1)
	testenv.Want(t, testenv.Must(b.payments.ByUUID(t.Context(), p.UUID))(t).Expired(), true, "expired")
	wantCode(t, testenv.ErrOf(b.payments.Claim(t.Context(), uuid.New())), "not_found")
	wantCode(t, testenv.ErrOf(b.payments.CancelByPayer(t.Context(), uuid.New())), "not_found")

	b.SetRate(t, "AZN", "2", true)
	cards := b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{"quasi_ecom"}})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, Currency: "AZN", Method: "quasi_ecom"})
	r := request("card")
	r.Currency, r.Method = "AZN", new("quasi_ecom")
	refused(b.create(t, cards.Caller, r), "not_found", b.payments.Claim)
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where type = 'payment.payer.claimed'"), 0, "claims told of")
}

// Where the cashbox names hosts, payers go back to those alone, whatever their case and port.
func TestReturnHosts(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	allow := func(hosts ...string) {
		t.Helper()
		testenv.Must(settings.UpdateCashbox(t.Context(), caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1},
			directory.CashboxUpdate{ID: merchant.CashboxID, ReturnHosts: &hosts}))(t)
	}
	create := func(order, address string) (payment.Created, error) {
		r := request(order)
		r.ReturnURL = &address
		return b.payments.Create(t.Context(), merchant.Caller, r)
	}
	first := testenv.Must(create("first", "https://elsewhere.example/"))(t) // any host, as long as the cashbox names none
	read := testenv.Must(b.payments.Get(t.Context(), merchant.Caller, first.Payment.UUID.String()))(t)
	testenv.Want(t, *read.ReturnURL, "https://elsewhere.example/", "it returns to")
	allow("shop.example", "Pay.Shop.example", "Магазин.рф")
	for _, address := range []string{
		"https://shop.example/thanks", "https://SHOP.example:8443/", "https://pay.shop.example/",
		"https://магазин.рф/", "https://xn--80aairftm.xn--p1ai/thanks",
	} {
		testenv.Must(create(address, address))(t)
	}
	for _, address := range []string{
		"https://elsewhere.example/", "https://shop.example.evil.example/", "https://evilshop.example/",
		"https://www.shop.example/", "https://evil.example/?shop.example", "https://evil.example/#shop.example",
	} {
		wantFields(t, testenv.ErrOf(create("refused", address)), "returnUrl")
	}
	// A payment without a return address needs no host, and a repeat is judged by nothing but its
	// order id: it is the payment as it was made.
	b.create(t, merchant.Caller, request("none"))
	for _, address := range []string{"https://shop.example/", "https://refused.example/"} {
		again, err := create("first", address)
		testenv.Check(t, err == nil && again.Replay && len(again.Mismatch) == 0 &&
			*again.Payment.ReturnURL == *first.Payment.ReturnURL, "a repeat that returns to %s: %+v, %v", address,
			again, err)
	}
	allow()
	testenv.Must(create("refused", "https://elsewhere.example/"))(t)
}

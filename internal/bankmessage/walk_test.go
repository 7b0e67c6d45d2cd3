package bankmessage_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/signature"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a merchant whose payments go to the one requisite of a trader,
// whose phone forwards messages.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	payments *payment.Service
	messages *bankmessage.Service
	shop     dbtest.Merchant
	trader   dbtest.Trader
	device   bankmessage.NewDevice
	orders   int
}

// setup has the test run beside others. Messages confirm payments up to 5000.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	b.SetRate(t, "RUB", "100", true)
	b.shop = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopePayments}, Validity: 15 * time.Minute})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	b.payments = testenv.Must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true}))(t)
	b.messages = bankmessage.New(b.Pools(), b.clock, dbtest.Vault(), b.payments)
	b.trader, b.device = b.pair(t, 1)
	return b
}

// pair makes a trader with requisites and a phone, whose messages confirm for
// the first of them.
func (b *bundle) pair(t *testing.T, requisites int) (dbtest.Trader, bankmessage.NewDevice) {
	t.Helper()
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: requisites})
	device := testenv.Must(b.messages.CreateDevice(t.Context(), trader.Caller, "Phone"))(t)
	b.rule(t, trader, device, bankmessage.On)
	return trader, device
}

func (b *bundle) rule(t *testing.T, trader dbtest.Trader, device bankmessage.NewDevice, mode bankmessage.Mode) {
	t.Helper()
	testenv.NoError(t, b.messages.SetRule(t.Context(), trader.Caller, bankmessage.NewRule{
		RequisiteID: trader.Requisites[0], DeviceID: device.ID, Bank: "sber", Mode: mode, Most: "5000",
	}))
}

// create makes a payment, and lets a second pass.
func (b *bundle) create(t *testing.T, amount string) payment.Payment {
	t.Helper()
	b.orders++
	created := testenv.Must(b.payments.Create(t.Context(), b.shop.Caller, payment.Request{
		OrderID: fmt.Sprint("order-", b.orders), Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook",
		Method: new("sbp"),
	}))(t)
	b.clock.Advance(time.Second)
	return created.Payment
}

func (b *bundle) status(t *testing.T, p payment.Payment) payment.Status {
	t.Helper()
	found := testenv.Must(b.payments.Get(t.Context(), b.shop.Caller, fmt.Sprint(p.ID)))(t)
	return found.Status
}

// came is what Sberbank writes of a transfer; without a balance as its app
// does.
func came(id, amount, balance string) bankmessage.Forwarded {
	m := bankmessage.Forwarded{ID: id, Kind: "sms", Sender: "900"}
	m.Text = fmt.Sprintf("СЧЁТ1234 14:05 Перевод %sр от Сидор С. Баланс: %sр", amount, balance)
	if balance == "" {
		m.Kind, m.Sender, m.Text = "push", "ru.sberbankmobile", fmt.Sprintf("Перевод по СБП от Сидор С. + %s ₽", amount)
	}
	return m
}

func phone(d bankmessage.NewDevice, trader dbtest.Trader) caller.Caller {
	return caller.Caller{Kind: caller.Device, ID: d.ID, TraderID: trader.ID}
}

// send has the bundle's phone forward a message now.
func (b *bundle) send(t *testing.T, m bankmessage.Forwarded) bankmessage.State {
	t.Helper()
	b.clock.Advance(time.Second)
	if m.ReceivedAt == nil {
		m.ReceivedAt = new(b.clock.Now())
	}
	state := testenv.Must(b.messages.Receive(t.Context(), phone(b.device, b.trader), m))(t)
	return state
}

// list are a trader's messages.
func (b *bundle) list(t *testing.T, page bankmessage.Page) []bankmessage.Message {
	t.Helper()
	list, _ := testenv.Must2(b.messages.List(t.Context(), b.trader.Caller, page))(t)
	return list
}

func (b *bundle) id(t *testing.T, messageID string) (id int64) {
	t.Helper()
	b.Get(t, &id, "select id from bank_message where message_id = $1", messageID)
	return id
}

// base has the phone tell of money of no payment, which its trader keeps: from
// its balance on messages are followed.
func (b *bundle) base(t *testing.T, balance string) {
	t.Helper()
	testenv.Want(t, b.send(t, came("base", "1", balance)), bankmessage.Waiting, "the first message is")
	testenv.Must(b.messages.Keep(t.Context(), b.trader.Caller, bankmessage.Keeping{
		MessageID: b.id(t, "base"), RequisiteID: b.trader.Requisites[0],
	}))(t)
}

// signed are the headers of a call of a device.
func signed(d bankmessage.NewDevice, body any) (http.Header, func() ([]byte, error)) {
	content, err := json.Marshal(body)
	header := http.Header{}
	header.Set(bankmessage.KeyHeader, d.Key)
	header.Set(bankmessage.SignatureHeader, signature.Sign([]byte(d.Secret), content))
	return header, func() ([]byte, error) { return content, err }
}

// account is the bank's own book of a trader's account, and the trader's phone.
type account struct {
	trader  dbtest.Trader
	device  bankmessage.NewDevice
	balance decimal.Decimal
}

// told is what the walk knows of a message: which transfer it is about, none if
// it was forged.
type told struct {
	account  *account
	message  bankmessage.Forwarded
	transfer int
	amount   string
}

// walk is a random walk: payers pay, banks write, phones forward late, in
// another order, twice or not at all, others forge.
type walk struct {
	*bundle
	*rand.Rand
	accounts  []*account
	open      []payment.Payment
	outbox    []told
	known     map[string]told
	transfers int
	counts    map[string]int
}

// Whatever happens to messages on their way, none confirms twice, another
// amount, or another trader's payment, and a forged one confirms nothing.
func TestWalk(t *testing.T) {
	for seed := range uint64(testenv.Pick(t, 2, 8)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			b := setup(t)
			w := &walk{bundle: b, Rand: rand.New(rand.NewPCG(seed, 34)), known: map[string]told{}, counts: map[string]int{}}
			w.accounts = []*account{{trader: b.trader, device: b.device, balance: decimal.NewFromInt(1000)}}
			trader, device := b.pair(t, 1)
			w.accounts = append(w.accounts, &account{trader: trader, device: device, balance: decimal.NewFromInt(2000)})
			for _, a := range w.accounts { // the first message of an account has nothing to be compared with: a person vouches for it
				w.transfer(a, "1")
				w.deliver(t, len(w.outbox))
				id := w.Count(t, "select id from bank_message where device_id = $1 and balance is not null", a.device.ID)
				testenv.Must(w.messages.Keep(t.Context(), a.trader.Caller, bankmessage.Keeping{
					MessageID: int64(id), RequisiteID: a.trader.Requisites[0],
				}))(t)
			}
			for range testenv.Pick(t, 150, 600) {
				w.step(t)
			}
			w.deliver(t, len(w.outbox))
			w.check(t)
			t.Logf("%v", w.counts)
		})
	}
}

var amounts = []string{"100", "100.50", "250", "1000"}

func (w *walk) step(t *testing.T) {
	t.Helper()
	w.clock.Advance(time.Duration(1+w.IntN(20)) * time.Second)
	a := w.accounts[w.IntN(len(w.accounts))]
	switch w.IntN(10) {
	case 0, 1, 2:
		created, err := w.payments.Create(t.Context(), w.shop.Caller, payment.Request{
			OrderID: fmt.Sprint("walk-", w.orders), Amount: amounts[w.IntN(len(amounts))], Currency: "RUB",
			CallbackURI: "https://shop.example/hook", Method: new("sbp"),
		})
		if w.orders++; err == nil { // else every requisite has this amount open
			w.open = append(w.open, created.Payment)
			w.counts["payments"]++
		}
	case 3, 4, 5: // a payer pays, sometimes twice or after the end
		if len(w.open) > 0 {
			p := w.open[w.IntN(len(w.open))]
			w.transfer(w.of(p), p.Amount.String())
		}
	case 6: // somebody who does not know the balance writes what a bank would
		amount := amounts[w.IntN(len(amounts))]
		m := came(fmt.Sprint("forged-", len(w.known)), amount, a.balance.Add(decimal.RequireFromString("77.37")).StringFixed(2))
		switch w.IntN(3) {
		case 0: // of an account that nothing is known of
			m.Text = strings.Replace(m.Text, "1234", "9999", 1)
		case 1: // of no balance
			m.Text = came("", amount, "").Text
		}
		w.counts["forged"]++
		w.send(told{account: a, message: m, transfer: -1, amount: amount})
	case 7:
		w.byHand(t)
	case 8: // somebody has looked
		testenv.NoError(t, w.messages.Looked(t.Context(), a.trader.Caller, a.trader.Requisites[0]))
	case 9:
		testenv.Must(w.payments.Expire(t.Context()))(t)
	}
	if w.IntN(3) > 0 {
		w.deliver(t, 1+w.IntN(4))
	}
}

func (w *walk) of(p payment.Payment) *account {
	return w.accounts[slices.IndexFunc(w.accounts, func(a *account) bool { return a.trader.ID == p.TraderID })]
}

// transfer books a transfer. The bank writes of it, sometimes by its app as
// well.
func (w *walk) transfer(a *account, amount string) {
	a.balance = a.balance.Add(decimal.RequireFromString(amount))
	w.transfers++
	w.counts["transfers"]++
	w.send(told{a, came(fmt.Sprint("t", w.transfers), amount, a.balance.StringFixed(2)), w.transfers, amount})
	if w.IntN(3) == 0 {
		w.counts["told twice"]++
		w.send(told{a, came(fmt.Sprint("t", w.transfers, "-app"), amount, ""), w.transfers, amount})
	}
}

// send hands a message to the phone, which loses some.
func (w *walk) send(m told) {
	m.message.ReceivedAt = new(w.clock.Now())
	w.clock.Advance(time.Second)
	if w.IntN(12) == 0 && w.transfers > len(w.accounts) {
		w.counts["lost"]++
		return
	}
	w.known[fmt.Sprint(m.account.device.ID, m.message.ID)] = m
	w.outbox = append(w.outbox, m)
}

// deliver forwards some messages at once, in any order; some again, and some by
// the other trader's phone as well.
func (w *walk) deliver(t *testing.T, most int) {
	t.Helper()
	w.Shuffle(len(w.outbox), func(i, j int) { w.outbox[i], w.outbox[j] = w.outbox[j], w.outbox[i] })
	now := w.outbox[:min(most, len(w.outbox))]
	w.outbox = w.outbox[len(now):]
	var calls []told
	for _, m := range now {
		for range 1 + w.IntN(3) {
			calls = append(calls, m)
		}
		if w.IntN(4) == 0 {
			w.outbox = append(w.outbox, m) // it comes again later
		}
	}
	testenv.NoError(t, testenv.AtOnce(len(calls), func(i int) error {
		who := phone(calls[i].account.device, calls[i].account.trader)
		return testenv.ErrOf(w.messages.Receive(t.Context(), who, calls[i].message))
	})...)
	w.counts["deliveries"] += len(calls)
}

// byHand has a trader confirm a payment, or end it.
func (w *walk) byHand(t *testing.T) {
	t.Helper()
	if len(w.open) == 0 {
		return
	}
	p := w.open[w.IntN(len(w.open))]
	var err error
	if w.IntN(2) == 0 {
		_, err = w.payments.Confirm(t.Context(), w.of(p).trader.Caller, p.ID)
	} else {
		_, err = w.payments.Cancel(t.Context(), w.of(p).trader.Caller, p.ID, nil)
	}
	if err == nil {
		w.counts["by hand"]++
	}
}

// check holds what was confirmed against what was paid.
func (w *walk) check(t *testing.T) {
	t.Helper()
	rows := testenv.Must(w.Pool.Query(t.Context(), `select m.device_id, m.message_id, m.amount, p.amount, m.trader_id, p.trader_id, p.id,
			(select count(*) from payment_history h where h.payment_id = p.id and h.actor = 'message' and h.to_status = 'completed')
		from bank_message m join payment p on p.id = m.payment_id where m.state = 'confirmed'`))(t)
	defer rows.Close()
	transfers, payments := map[int]bool{}, map[int64]bool{}
	for rows.Next() {
		var device, trader, owner, id, completions int64
		var name string
		var said, asked decimal.Decimal
		testenv.NoError(t, rows.Scan(&device, &name, &said, &asked, &trader, &owner, &id, &completions))
		m := w.known[fmt.Sprint(device, name)]
		testenv.Check(t, m.transfer > 0, "%s was forged and confirmed payment %d", name, id)
		testenv.Check(t, !transfers[m.transfer] && !payments[id] && completions == 1, "transfer %d or payment %d counts twice (%d)",
			m.transfer, id, completions)
		testenv.Check(t, said.Equal(asked) && said.Equal(decimal.RequireFromString(m.amount)), "%s of %s confirmed %s", name, said, asked)
		testenv.Check(t, trader == owner && trader == m.account.trader.ID, "%s of trader %d confirmed for %d", name, trader, owner)
		transfers[m.transfer], payments[id] = true, true
		w.counts["confirmed"]++
	}
	testenv.NoError(t, rows.Err())
	byMessage := w.Count(t, "select count(*) from payment_history where actor = 'message'")
	testenv.Check(t, byMessage == len(payments) && byMessage > 0, "%d completions by %d messages", byMessage, len(payments))
	w.counts["waiting"] = w.Count(t, "select count(*) from bank_message where state = 'waiting'")
	w.Audit(t)
}

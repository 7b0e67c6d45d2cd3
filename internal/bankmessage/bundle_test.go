package bankmessage_test

import (
	"encoding/json"
	"fmt"
	"net/http"
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

// bundle is a merchant whose payments go to the one requisite of a trader, whose phone forwards messages.
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

// pair makes a trader with requisites and a phone, whose messages confirm for the first of them.
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

// came is what Sberbank writes of a transfer; without a balance as its app does.
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

// base has the phone tell of money of no payment, which its trader keeps: from its balance on messages are followed.
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

package portaltest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

// Create makes a payment of an amount in roubles.
func (b *Bundle) Create(t testing.TB, amount string) payment.Payment {
	t.Helper()
	method := "sbp"
	created, err := b.Payments.Create(context.Background(), b.Merchant.Caller, payment.Request{
		OrderID: fmt.Sprintf("<b>%d", b.orders.Add(1)), Amount: amount, Currency: "RUB", Method: &method,
		CallbackURI: "https://shop.example/hook",
	})
	noError(t, err)
	return created.Payment
}

// Status is the status of a payment.
func (b *Bundle) Status(t testing.TB, p payment.Payment) string {
	t.Helper()
	now, err := b.Payments.ByUUID(context.Background(), p.UUID)
	noError(t, err)
	return string(now.Status)
}

// TakenPayouts makes payouts that a trader has taken, and returns their uuids.
func (b *Bundle) TakenPayouts(t testing.TB, count int) []string {
	t.Helper()
	ids := b.PayOut(t, count)
	for i := range ids {
		ids[i] = strings.TrimPrefix(ids[i], "/trader/payouts/")
		_, err := b.Payouts.Take(t.Context(), b.AsTrader(), ids[i])
		noError(t, err)
	}
	return ids
}

// Objected makes a payment that a bank's message confirmed, to which the trader
// objects, and returns it with the message's id.
func (b *Bundle) Objected(t testing.TB, amount, reason string) (payment.Payment, int64) {
	t.Helper()
	phone, err := b.Services.Messages.CreateDevice(t.Context(), b.AsTrader(), "Pixel")
	testenv.NoError(t, err)
	p := b.Create(t, amount)
	testenv.NoError(t, b.Services.Messages.SetRule(t.Context(), b.AsTrader(), bankmessage.NewRule{
		RequisiteID: *p.RequisiteID, DeviceID: phone.ID, Bank: "sber", Mode: bankmessage.On, Most: "5000",
	}))
	b.Clock.Advance(time.Second)
	who := caller.Caller{Kind: caller.Device, ID: phone.ID, TraderID: b.Traders[0].ID}
	_, err = b.Services.Messages.Receive(t.Context(), who, bankmessage.Forwarded{
		ID: "objected", Kind: "push", Sender: "ru.sberbankmobile", Text: "Перевод по СБП от Сидор С. + " + amount + " ₽",
		ReceivedAt: new(b.Clock.Now()),
	})
	testenv.NoError(t, err)
	var id int64
	b.Get(t, &id, "select id from bank_message where message_id = 'objected'")
	testenv.NoError(t, b.Services.Messages.Object(t.Context(), b.AsTrader(), id, reason))
	return p, id
}

// Conflicting makes a card conflict of a payment.
func (b *Bundle) Conflicting(t testing.TB, paymentID int64) int64 {
	t.Helper()
	var id int64
	b.Get(t, &id, `
		insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at)
		values ($1, $2, gen_random_uuid(), 'completed', '<b>declined', $3) returning id`,
		b.Merchant.ID, paymentID, b.Clock.Now())
	return id
}

// LetIn makes an operator invite a user, who accepts the invitation.
func (b *Bundle) LetIn(t testing.TB, n session.NewUser) *Person {
	t.Helper()
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin}
	operator.ID = b.User(t, "root", caller.Operator, caller.Admin, 0)
	_, link, err := b.Sessions.Create(context.Background(), operator, n)
	noError(t, err)
	_, token, _ := strings.Cut(link, "/invitation/")
	p := b.Nobody()
	a := p.Post(t, "/invitation/"+token, "password", Password, "again", Password)
	Want(t, "taken up", a.Code, http.StatusSeeOther)
	return p
}

// AskedMerchant is an owner of the first merchant who has to answer about
// another user.
func (b *Bundle) AskedMerchant(t testing.TB) *Person {
	t.Helper()
	b.User(t, "anna", caller.MerchantPortal, caller.Owner, b.Merchant.ID)
	b.LetIn(t, session.NewUser{Kind: caller.MerchantPortal, Login: "puppet@example.com", MerchantID: &b.Merchant.ID})
	return b.SignIn(t, "anna")
}

// AskedTrader is an owner of the first trader who has to answer about another
// user.
func (b *Bundle) AskedTrader(t testing.TB) *Person {
	t.Helper()
	b.User(t, "anna", caller.Trader, caller.Owner, b.Traders[0].ID)
	b.LetIn(t, session.NewUser{Kind: caller.Trader, Login: "puppet@example.com", TraderID: &b.Traders[0].ID})
	return b.SignIn(t, "anna")
}

// DeadURL is the address to which Tell sends its events.
const DeadURL = "https://shop.example/hook?a=1&b=<i>2"

// Tell stores a numbered event of the merchant. Its body contains its name.
func (b *Bundle) Tell(t testing.TB, merchant dbtest.Merchant, number int64, status string) string {
	t.Helper()
	id := uuid.New()
	event := webhook.Event{
		ID: id, MerchantID: merchant.ID, CashboxID: merchant.CashboxID, Type: "payment.status.updated",
		Subject: "payment", SubjectID: 900 + number, Sequence: 1, URL: DeadURL,
		Body: []byte(`{"order":"<script>alert(1)</script>"}`), At: b.Clock.Now(),
	}
	b.Write(t, event.Insert()...)
	b.Exec(t, `with relayed as (delete from webhook_outbox where event_id = $1),
		told as (update webhook_relay set last_number = greatest(last_number, $2))
		update webhook_event set number = $2, status = $3 where id = $1`, id, number, status)
	return id.String()
}

// Attempt stores an attempt to deliver an event.
func (b *Bundle) Attempt(t testing.TB, id string, code int, took int, answer string) {
	t.Helper()
	b.Exec(t, `insert into webhook_attempt
		(merchant_id, event_id, at, duration_ms, status_code, answer)
		values ($1, $2, $3, $4, $5, $6)`, b.Merchant.ID, id, b.Clock.Now(), took, code, []byte(answer))
}

// BoxPath is the path of a page of the first merchant's cashbox.
func (b *Bundle) BoxPath(page string) string {
	return fmt.Sprintf("/merchant/developers/cashboxes/%d/%s", b.Merchant.CashboxID, page)
}

// Failed makes a payment that failed just now, with a receipt of its payer's.
func (b *Bundle) Failed(t testing.TB, amount string) payment.Payment {
	t.Helper()
	p := b.Create(t, amount)
	_, err := b.Payments.Claim(t.Context(), p.UUID)
	noError(t, err)
	noError(t, b.Payments.AddReceipt(t.Context(), p.UUID, "proof <b>.pdf", Section(PDF)))
	b.Clock.Advance(2 * time.Hour)
	_, err = b.Payments.Expire(t.Context())
	noError(t, err)
	if status := b.Status(t, p); status != "failed" {
		t.Fatalf("the payment is %s", status)
	}
	return p
}

// Section is a text as an uploaded file.
func Section(content string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(content), 0, int64(len(content)))
}

// PDF is the shortest content that is recognized as a PDF.
const PDF = "%PDF-1.4\n%proof\n"

// Confirm makes the first trader confirm a payment.
func (b *Bundle) Confirm(t testing.TB, p payment.Payment) {
	t.Helper()
	_, err := b.Payments.Confirm(t.Context(), b.AsTrader(), p.ID)
	noError(t, err)
}

// PayOut makes payouts of 1000 RUB, which are 10 USDT at spot and cost the
// merchant 10.2. The traders get 10 for each, since they have no share of that
// markup.
func (b *Bundle) PayOut(t testing.TB, count int) []string {
	t.Helper()
	b.Fund(t, ledger.Available(ledger.Cashbox, b.Merchant.CashboxID), "1000")
	b.Exec(t, `insert into cashbox_payout_method (cashbox_id, method, markup_percent) values ($1, 'sbp', 2)
		on conflict do nothing`, b.Merchant.CashboxID)
	b.Exec(t, `insert into trader_payout_method (trader_id, currency, method) select id, 'RUB', 'sbp' from trader
		on conflict do nothing`)
	who := b.Merchant.Caller
	who.Scopes = append(slices.Clone(who.Scopes), caller.ScopePayouts)
	var ids []string
	for i := range count {
		created, err := b.Payouts.Create(t.Context(), who, payout.Request{
			OrderID: fmt.Sprint("payout-", i), Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook",
			Method: "sbp", Address: "+79001234567", Recipient: "Ivan <i>Petrov</i>",
		})
		noError(t, err)
		ids = append(ids, "/trader/payouts/"+created.Payout.UUID.String())
	}
	return ids
}

// PayoutFile sends a file with one payout, whose order id is given, and makes
// nothing of it.
func (b *Bundle) PayoutFile(t testing.TB, orderID string) payout.File {
	t.Helper()
	b.PayOut(t, 0)
	b.Exec(t, "update api_key set scopes = '{payments,payouts}' where id = $1", b.Merchant.Caller.ID)
	who := caller.Caller{Kind: caller.MerchantPortal, ID: 1, MerchantID: b.Merchant.ID, Role: caller.Owner}
	file, err := b.Payouts.SendFile(t.Context(), who, payout.NewFile{
		KeyID: b.Merchant.Caller.ID, Name: orderID + ".csv",
		Content: []byte("orderId,amount,method,address,recipient\n" + orderID + ",1000,sbp,+79001234567,Ivan Petrov\n"),
	})
	noError(t, err)
	return file
}

// Deposited requests a deposit of an amount of USDT.
func (b *Bundle) Deposited(t testing.TB, amount, reference string) deposit.Deposit {
	t.Helper()
	n := b.orders.Add(1)
	made, err := b.Services.Deposits.Create(t.Context(), b.AsMerchant(), deposit.Request{
		CashboxID: &b.Merchant.CashboxID, Amount: amount, Network: "TRC20", Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		ExternalReference: &reference, IdempotencyKey: fmt.Sprintf("%08d-0000-4000-8000-000000000000", n),
	})
	noError(t, err)
	return made.Deposit
}

// OpenedAppeal makes a payment, fails it as the application, and appeals it.
func (b *Bundle) OpenedAppeal(t testing.TB, reason string) (payment.Payment, int64) {
	t.Helper()
	p := b.Create(t, fmt.Sprint(1500+b.orders.Load()))
	application := caller.Caller{Kind: caller.Application}
	_, _, err := b.Payments.UpdateStatus(t.Context(), application, p.ID, payment.Update{Status: "failed"})
	noError(t, err)
	name := "proof.png"
	opened, err := b.Payments.OpenAppeal(t.Context(), b.AsMerchant(), p.ID, payment.AppealRequest{
		Reason: &reason, FileName: &name, File: Section(testenv.PNG),
	})
	noError(t, err)
	return p, opened.ID
}

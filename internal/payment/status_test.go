package payment_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// What the parties have at each status of a payment of 1000 RUB at 100 RUB per
// USDT, a markup of 5% and a trader's share of 2%, the trader having brought
// 100. Spot is 1000/100 = 10. The merchant gets 1000/105 = 9.52380952; of the
// spread of 0.47619048 the trader keeps 10 × 2% = 0.2 and the platform gets
// 0.27619048. The trader puts up 10 − 0.2 = 9.8, which is what merchant and
// platform get.
var positions = map[string]money{
	"pending":   {trader: "90.2", reserved: "9.8", cashbox: "0", platform: "0"},
	"appeal":    {trader: "90.2", reserved: "9.8", cashbox: "0", platform: "0"},
	"completed": {trader: "90.2", reserved: "0", cashbox: "9.52380952", platform: "0.27619048"},
	"failed":    {trader: "100", reserved: "0", cashbox: "0", platform: "0"},
	"cancelled": {trader: "100", reserved: "0", cashbox: "0", platform: "0"},
}

// open is the reservation of a payment that may still be paid: it has no end.
const open = "infinity"

// slots are of the whole table of moves, from the status of a row to that of a
// column. The payment is created at 12:00, set to the first status at 12:01
// (unless that is pending) and to the second at 12:03. A cell is when the
// reservation is over: at once with completion, and then for good unless the
// payment becomes pending again; 15 minutes after a failure or cancellation;
// where it was for an appeal, which takes nothing that has been given up.
var slots = map[string][]string{
	"to":        {"pending", "completed", "failed", "cancelled", "appeal"},
	"pending":   {open, "12:03", "12:18", "12:18", open},
	"completed": {open, "12:01", "12:01", "12:01", "12:01"},
	"failed":    {open, "12:03", "12:16", "12:18", "12:16"},
	"cancelled": {open, "12:03", "12:18", "12:16", "12:16"},
	"appeal":    {open, "12:03", "12:18", "12:18", open},
}

func TestAnyStatusMayFollowAnyOther(t *testing.T) {
	t.Parallel()
	for from := range positions {
		t.Run("from "+from, func(t *testing.T) {
			b := setup(t)
			for i, to := range slots["to"] {
				t.Run("to "+to, func(t *testing.T) {
					clock := &dbtest.Clock{} // of its own, set to 12:00
					own := &bundle{DB: b.DB, clock: clock}
					own.payments = own.replica(t, 0)
					own.testMove(t, from, to, slots[from][i])
				})
			}
		})
	}
}

func (b *bundle) testMove(t *testing.T, from, to, slot string) {
	t.Helper()
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	testenv.Need(t, p.TraderID == trader.ID, "the payment went to trader %d", p.TraderID)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["pending"])
	// The platform's account is everybody's: leave nothing on it.
	defer b.set(t, p.ID, "cancelled")

	events := 0
	b.clock.Advance(time.Minute)
	if from != "pending" {
		p, events = b.set(t, p.ID, from), 1
	}
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions[from])
	b.clock.Advance(2 * time.Minute)
	stored := b.row(t, p)
	after, queued, err := b.payments.UpdateStatus(context.Background(), application, p.ID,
		payment.Update{Status: to, Reason: new("because")})
	testenv.Need(t, err == nil && queued == (from != to) && string(after.Status) == to,
		"status %s, queued %v, %v", after.Status, queued, err)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions[to])
	if queued {
		events++
		b.wantMoved(t, p, after)
	} else {
		wantSame(t, p, after)
		wantSame(t, stored, b.row(t, after))
	}
	b.wantEvents(t, after, events)
	b.wantSlot(t, after, slot)
	b.Audit(t)
}

// wantSame compares payments as the wire would show them: a decimal just
// calculated and the same one read are not the same in memory.
func wantSame(t *testing.T, before, after any) {
	t.Helper()
	want := testenv.Must(json.Marshal(before))(t)
	got := testenv.Must(json.Marshal(after))(t)
	testenv.Check(t, bytes.Equal(got, want), "the payment was %s and is %s", want, got)
}

// wantMoved wants everything that goes with a move at 12:03.
func (b *bundle) wantMoved(t *testing.T, from, to payment.Payment) {
	t.Helper()
	expires := at(15)
	if to.Status == "pending" {
		expires = at(3 + 15)
	}
	testenv.Check(t, to.StatusAt.Equal(at(3)) && to.ExpiresAt.Equal(expires) && to.StatusReason != nil &&
		*to.StatusReason == "because", "moved at %s for %v, expires %s", to.StatusAt, to.StatusReason, to.ExpiresAt)
	history := b.History(t, to.MerchantID, to.ID)
	last := history[len(history)-1]
	testenv.Check(t, last.FromStatus != nil && *last.FromStatus == string(from.Status) &&
		last.ToStatus == string(to.Status) && last.Actor == "application" && last.At.Equal(at(3)) &&
		last.Reason != nil && *last.Reason == "because", "history ends with %+v", last)
}

// wantEvents wants as many events, numbered from 1, with a delivery each, and
// as many rows of history after creation's.
func (b *bundle) wantEvents(t *testing.T, p payment.Payment, want int) {
	t.Helper()
	b.relay(t)
	events := b.Count(t, "select count(*) from webhook_event where subject = 'payment' and subject_id = $1", p.ID)
	last := b.Count(t,
		"select coalesce(max(sequence), 0) from webhook_event where subject = 'payment' and subject_id = $1", p.ID)
	queued := b.Count(t,
		"select count(*) from webhook_delivery where event_id in (select id from webhook_event where subject_id = $1)",
		p.ID)
	testenv.Check(t, events == want && last == want && queued == want,
		"%d events up to %d with %d deliveries, want %d", events, last, queued, want)
	history := b.History(t, p.MerchantID, p.ID)
	testenv.Check(t, len(history) == 1+want && history[0].FromStatus == nil && history[0].ToStatus == "pending" &&
		strings.HasPrefix(history[0].Actor, "key:"), "history %+v, want creation and %d moves", history, want)
}

func (b *bundle) wantSlot(t *testing.T, p payment.Payment, want string) {
	t.Helper()
	got := b.Texts(t, `select case when free_at = 'infinity' then 'infinity' else to_char(free_at, 'HH24:MI') end
		from requisite_slot where requisite_id = $1 and amount = $2 and payment_id = $3`, p.RequisiteID, p.Amount, p.ID)
	testenv.WantAll(t, got, []string{want}, "its slot is free at")
}

// A payment that comes back to pending takes its reservation again only if
// nobody else has it by then.
func TestReservationGoneToAnother(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	first := b.made(t, merchant, "order-1", "completed")
	second := b.create(t, merchant.Caller, request("order-2"))
	first = b.set(t, first.ID, "pending")
	b.wantSlot(t, second, open)
	// Nor does its failure end the other's reservation.
	b.set(t, first.ID, "failed")
	b.wantSlot(t, second, open)
	b.Audit(t)
}

// A completed payment is reversed after the merchant has spent it: they owe,
// and what comes in next repays.
func TestReversalOfSpentMoney(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 2})
	first := b.made(t, merchant, "order-1", "completed")
	b.spend(t, ledger.Available(ledger.Cashbox, merchant.CashboxID), "9.52380952")
	b.set(t, first.ID, "failed")
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"100", "0", "-9.52380952", "0"})
	b.made(t, merchant, "order-2", "completed")
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"90.2", "0", "0", "0.27619048"})
}

// A payment fails, the trader takes their USDT out, and then the payment
// completes late: they owe, and get no payments until they have enough again.
func TestLateCompletionOfAnEmptyTrader(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 2})
	available := ledger.Available(ledger.Trader, trader.ID)
	p := b.made(t, merchant, "order-1", "failed")
	b.spend(t, available, "100")
	b.set(t, p.ID, "completed")
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"-9.8", "0", "9.52380952", "0.27619048"})
	// 9.8 to repay and 9.8 to hold: one unit less is too little.
	b.Fund(t, available, "19.59999999")
	_, err := b.payments.Create(context.Background(), merchant.Caller, request("order-2"))
	dbtest.WantCode(t, err, "collect_requisites_not_available")
	b.Fund(t, available, "0.00000001")
	b.create(t, merchant.Caller, request("order-2"))
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{"0", "9.8", "9.52380952", "0.27619048"})
}

// spend takes USDT out into the world.
func (b *bundle) spend(t *testing.T, from ledger.Account, amount string) {
	t.Helper()
	b.Fund(t, from, "-"+amount)
}

// The provider's id is kept, a later move without one included; a reason
// belongs to its move alone.
func TestUpdateStatusKeepsTheProvidersID(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	longest := strings.Repeat("я", 255)
	p, _, err := b.payments.UpdateStatus(t.Context(), application, p.ID,
		payment.Update{Status: "failed", Reason: &longest, ProviderPaymentID: new("prov-1")})
	testenv.Need(t, err == nil && *p.StatusReason == longest && *b.row(t, p).ProviderPaymentID == "prov-1", "%+v, %v", p, err)
	p = b.set(t, p.ID, "completed")
	provider := b.row(t, p).ProviderPaymentID
	testenv.Need(t, p.StatusReason == nil && *provider == "prov-1", "reason %v, provider's id %v", p.StatusReason, provider)
}

// What the bank calls a payment is kept also where a trader was quicker, and
// its word is no change. It has no event.
func TestProviderPaymentIDInAnyOrder(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	p := b.create(t, merchant.Caller, request("first"))
	testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, p.ID))(t)
	for _, said := range []*string{new("bank-1"), nil, new("bank-1")} {
		_, queued, err := b.payments.UpdateStatus(t.Context(), application, p.ID,
			payment.Update{Status: "completed", ProviderPaymentID: said})
		testenv.Check(t, err == nil && !queued, "the callback: %v, queued %t", err, queued)
	}
	row := b.row(t, p)
	testenv.Check(t, row.ProviderPaymentID != nil && *row.ProviderPaymentID == "bank-1" && row.Version == 2 &&
		row.EventSequence == 1, "stored as %v, version %d, %d events", row.ProviderPaymentID, row.Version,
		row.EventSequence)
}

package report_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is the reports over a database of their own, with a rate of 100 RUB per USDT. Two merchants
// take sbp and sim: payments by sbp go to one trader, by sim to the other.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	payments *payment.Service
	payouts  *payout.Service
	reports  *report.Service
	metrics  *prometheus.Registry
	hours    *report.Hours

	shop, other dbtest.Merchant
	sbp, sim    dbtest.Trader
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}, metrics: prometheus.NewRegistry()}
	b.hours = report.NewHours(b.Pool, b.metrics)
	b.SetRate(t, "RUB", "100", true)
	scopes := []string{caller.ScopePayments, caller.ScopePayouts}
	b.shop = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: scopes})
	b.other = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: scopes})
	b.sbp = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1})
	b.sim = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1, Method: "sim"})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	addresses := outbound.NewAddresses(false)
	b.payments = testenv.Must(payment.New(b.Pools(), b.clock, addresses, settings,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true}))(t)
	b.payouts = payout.New(b.Pools(), b.clock, dbtest.Vault(), addresses, foureyes.Rules{})
	b.reports = report.New(b.Pools(), b.clock, b.payments, nil)
	return b
}

// Callers, as users of the portals.
func traderUser(of dbtest.Trader, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.Trader, ID: 30 + of.ID, TraderID: of.ID, Role: role}
}

func merchantUser(of dbtest.Merchant, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, ID: 50 + of.ID, MerchantID: of.ID, Role: role}
}

var operator = caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Auditor}

// create makes a payment of 1000 RUB by sbp.
func (b *bundle) create(t *testing.T, m dbtest.Merchant, orderID string) payment.Payment {
	t.Helper()
	return b.createOf(t, m, "sbp", orderID, "1000")
}

func (b *bundle) createOf(t *testing.T, m dbtest.Merchant, method, orderID, amount string) payment.Payment {
	t.Helper()
	who := m.Caller
	who.RequestID, who.Address = "request-"+orderID, "203.0.113.9"
	created := testenv.Must(b.payments.Create(t.Context(), who, payment.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	}))(t)
	return created.Payment
}

// confirm completes a payment on its trader's word.
func (b *bundle) confirm(t *testing.T, of dbtest.Trader, id int64) {
	t.Helper()
	testenv.Must(b.payments.Confirm(t.Context(), traderUser(of, caller.Desk), id))(t)
}

// copies makes payments like the given one, in the database alone, with the ids from first to last,
// each a second younger than the one before.
func (b *bundle) copies(t *testing.T, of payment.Payment, first, last int) {
	t.Helper()
	b.Exec(t, `insert into payment select made.* from payment p, generate_series($2::int, $3::int) n,
			jsonb_populate_record(p, jsonb_build_object('id', n, 'uuid', gen_random_uuid(), 'order_id', 'copy-' || n,
				'created_at', p.created_at + make_interval(secs => n - $2))) made
			where p.id = $1`, of.ID, first, last)
	// The server would do this by itself, a minute later. Until then plans are made for a table of one row.
	b.Exec(t, "analyze payment")
}

// relay queues the deliveries of all events so far, as the program does all the time.
func (b *bundle) relay(t *testing.T) {
	t.Helper()
	noError(t, webhook.NewRelay(b.Pool, b.clock, prometheus.NewRegistry()).Run(t.Context()))
}

// attempt notes an attempt to deliver a subject's last event, answered with 500.
func (b *bundle) attempt(t *testing.T, merchantID, subjectID int64) {
	t.Helper()
	b.Exec(t, `insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer)
		select merchant_id, id, $3, 250, 500, 'out of order' from webhook_event
		where merchant_id = $1 and subject_id = $2 order by sequence desc limit 1`,
		merchantID, subjectID, b.clock.Now())
}

// work sums up, as the program does every hour.
func (b *bundle) work(t *testing.T) {
	t.Helper()
	noError(t, report.Work(context.Background(), b.Pool, b.clock))
}

// mayPayOut lets a merchant pay out of 100 USDT by sbp, at a markup of 2%, and traders pay.
func (b *bundle) mayPayOut(t *testing.T, m dbtest.Merchant, traders ...dbtest.Trader) {
	t.Helper()
	b.Fund(t, ledger.Available(ledger.Cashbox, m.CashboxID), "100")
	noError(t, b.Queries().CashboxPayoutMethodSet(t.Context(), db.CashboxPayoutMethodSetParams{
		CashboxID: m.CashboxID, Method: "sbp", Enabled: true,
		MarkupPercent: decimal.NewFromInt(2), ValiditySeconds: 86400,
	}))
	for _, trader := range traders {
		noError(t, b.Queries().TraderPayoutMethodSet(t.Context(), db.TraderPayoutMethodSetParams{
			TraderID: trader.ID, Currency: "RUB", Method: "sbp", Enabled: true,
		}))
	}
}

func (b *bundle) payOut(t *testing.T, m dbtest.Merchant, orderID string) payout.Payin {
	t.Helper()
	who := m.Caller
	who.RequestID, who.Address = "request-"+orderID, "203.0.113.9"
	created := testenv.Must(b.payouts.Create(t.Context(), who, payout.Request{
		OrderID: orderID, Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: "+79001234567", Recipient: "Ivan Petrov",
	}))(t)
	return created.Payin
}

// told is a line in short: minutes since the beginning, kind, actor, what, and what belongs to it.
func told(line report.Line) string {
	parts := []string{
		fmt.Sprintf("%d", int(line.At.Sub(dbtest.Start).Minutes())), string(line.Kind), line.Actor, line.What,
	}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if line.From != "" || line.To != "" {
		add("%s>%s %s", line.From, line.To, line.Reason)
	}
	if r := line.Request; r != nil {
		add("%s %s %s order=%s callback=%s id=%s from=%s", r.Amount, r.Currency, r.Method, r.OrderID, r.CallbackURI,
			r.RequestID, r.Address)
	}
	if c := line.Choice; c != nil {
		add("trader=%d requisite=%d %s %s", c.TraderID, c.RequisiteID, c.Type, c.Holder)
		if c.Pool != nil {
			add("pool=%d looked=%d", *c.Pool, *c.Looked)
		}
	}
	if r := line.Rate; r != nil {
		for _, n := range []struct {
			name  string
			value *decimal.Decimal
		}{
			{"base", r.Base}, {"markup", r.Markup}, {"spot", r.Spot}, {"amount", r.Amount}, {"profit", r.Profit},
			{"share", r.SharePercent}, {"trader", r.Trader}, {"platform", r.Platform}, {"hold", r.Hold},
		} {
			if n.value != nil {
				add("%s=%s", n.name, n.value)
			}
		}
		add("source=%s/%s", r.Source, r.MarkupSource)
	}
	if m := line.Transfer; m != nil {
		add("%s %s %s", m.Kind, side(m.Account), map[bool]string{true: "+", false: "-"}[m.Credit]+m.Amount.String())
		if m.Other != nil {
			add("to %s", side(*m.Other))
		}
	}
	if line.File != nil {
		add("file %d %s %d", line.File.Number, line.File.Type, line.File.Size)
	}
	if line.Page != "" {
		add("%s %s", line.Page, line.Agent)
	}
	if line.Last4 != "" {
		add("%s %s", line.Brand, line.Last4)
	}
	if line.By != "" {
		add("by %s", line.By)
	}
	if w := line.Webhook; w != nil {
		add("%s #%d %s%s", w.Type, w.Sequence, w.Status, w.URL)
		if w.StatusCode != nil {
			add("%d %s %s", *w.StatusCode, w.Took, w.Answer)
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// side is an account in short.
func side(a report.Account) string {
	name := fmt.Sprintf("%s:%d", a.Owner, a.OwnerID)
	if a.Reserved {
		name += ":reserved"
	}
	return name
}

// wantLines compares a timeline with what was written by hand.
func wantLines(t *testing.T, name string, lines []report.Line, want []string) {
	t.Helper()
	for i := range max(len(lines), len(want)) {
		got, wanted := "nothing", "nothing"
		if i < len(lines) {
			got = told(lines[i])
		}
		if i < len(want) {
			wanted = strings.Join(strings.Fields(want[i]), " ")
		}
		testenv.Check(t, got == wanted, "%s, line %d:\n got %s\nwant %s", name, i+1, got, wanted)
	}
}

const minute = time.Minute

var noError = testenv.NoError

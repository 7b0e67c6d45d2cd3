package timeline_test

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/timeline"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the timelines.
type bundle struct {
	*reporttest.Bundle
	timelines *timeline.Service
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := reporttest.New(t)
	return &bundle{b, timeline.New(b.Pools(), b.Clock, b.Payments)}
}

// told is a line in short: minutes since the beginning, kind, actor, what, and
// what belongs to it.
func told(line timeline.Line) string {
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
func side(a timeline.Account) string {
	name := fmt.Sprintf("%s:%d", a.Owner, a.OwnerID)
	if a.Reserved {
		name += ":reserved"
	}
	return name
}

// wantTold compares what somebody is told with what a table says that they are,
// in this order.
func (b *bundle) wantTold(t *testing.T, file, name string, lines []timeline.Line) {
	t.Helper()
	places := strings.NewReplacer("{key}", fmt.Sprint(b.Shop.Caller.ID), "{box}", fmt.Sprint(b.Shop.CashboxID), "{trader}", fmt.Sprint(b.SBP.ID),
		"{user}", fmt.Sprint(30+b.SBP.ID), "{requisite}", fmt.Sprint(b.SBP.Requisites[0]))
	var got, want []string
	for _, line := range lines {
		got = append(got, told(line))
	}
	for _, row := range testenv.Rows(t, file) {
		if slices.Contains(strings.Fields(row[0]), name) {
			want = append(want, places.Replace(row[1]))
		}
	}
	testenv.Want(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "%s is told", name)
}

const minute = time.Minute

var traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

// png is the signature every PNG begins with.
const png = testenv.PNG

// paid makes a payment that is opened, claimed, proved, confirmed and told of,
// a minute between each. 1000 RUB at 100 are 10 USDT at spot. With a markup of
// 5% the merchant gets 1000 / 105, the trader keeps 2% of spot, and puts up the
// rest of it: 9.8.
func (b *bundle) paid(t *testing.T) payment.Payment {
	t.Helper()
	ctx := t.Context()
	p := b.Create(t, b.Shop, "order-1")
	b.Clock.Advance(minute)
	testenv.Until(t, "the visit is kept", func() bool { // it waits for that a moment only
		b.Payments.Visited(ctx, p, "requisite", "Safari")
		return b.Count(t, "select count(*) from payment_step where payment_id = $1 and what = 'page_opened'", p.ID) > 0
	})
	b.Clock.Advance(minute)
	testenv.Must(b.Payments.Claim(ctx, p.UUID))(t)
	b.Clock.Advance(minute)
	testenv.NoError(t,
		b.Payments.AddReceipt(ctx, p.UUID, "a.png", io.NewSectionReader(strings.NewReader(png), 0, int64(len(png)))))
	b.Clock.Advance(minute)
	b.Confirm(t, b.SBP, p.ID)
	b.Relay(t)
	b.Clock.Advance(minute)
	b.Attempt(t, b.Shop.ID, p.ID)
	return p
}

// Each kind of caller is told what is theirs, in the order of time, and what
// happened at once in the order of its causes.
func TestTimelineBySight(t *testing.T) {
	b := setup(t)
	p := b.paid(t)
	colleague := traderUser(b.SBP, caller.Owner)
	colleague.ID = 99
	for name, who := range map[string]caller.Caller{
		"desk": traderUser(b.SBP, caller.Desk), "owner": colleague, "developer": merchantUser(b.Shop, caller.Developer),
		"support": merchantUser(b.Shop, caller.Support), "operator": operator,
	} {
		for _, id := range []string{fmt.Sprint(p.ID), p.UUID.String()} {
			b.wantTold(t, "payment.txt", name, testenv.Must(b.timelines.Payment(t.Context(), who, id))(t))
		}
	}
}

// Nobody sees what is not theirs.
func TestTimelineOfOthers(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.MayPayOut(t, b.Shop, b.SBP, b.SIM)
	out := b.PayOut(t, b.Shop, "payout-1")
	taken := b.PayOut(t, b.Shop, "payout-2")
	testenv.Must(b.Payouts.Take(t.Context(), traderUser(b.SBP, caller.Desk), taken.UUID.String()))(t)
	nobody := traderUser(b.SBP, "")
	for name, test := range map[string]struct {
		who              caller.Caller
		payment, waiting string
		processing       string
	}{
		"another trader":   {traderUser(b.SIM, caller.Owner), "not_found", "not_found", "not_found"},
		"the trader":       {traderUser(b.SBP, caller.Owner), "", "not_found", ""},
		"another merchant": {merchantUser(b.Other, caller.Owner), "cashbox_access_denied", "cashbox_access_denied", "cashbox_access_denied"},
		"the merchant":     {merchantUser(b.Shop, caller.Support), "", "", ""},
		"an operator":      {operator, "", "", ""},
		"without a role":   {nobody, "role_not_allowed", "role_not_allowed", "role_not_allowed"},
		"a key":            {b.Shop.Caller, "token_kind_not_allowed", "token_kind_not_allowed", "token_kind_not_allowed"},
		"anyone":           {caller.Caller{Kind: caller.Anyone}, "token_kind_not_allowed", "token_kind_not_allowed", "token_kind_not_allowed"},
	} {
		for id, want := range map[string]string{fmt.Sprint(p.ID): test.payment, "0": cmp.Or(test.payment, "not_found"), "x": cmp.Or(test.payment, "not_found")} {
			if id != fmt.Sprint(p.ID) && strings.HasPrefix(want, "cashbox") {
				want = "not_found" // there is no such payment to be anybody's
			}
			_, err := b.timelines.Payment(t.Context(), test.who, id)
			testenv.Check(t, dbtest.CodeOf(err) == want, "%s, payment %s: %v; want %q", name, id, err, want)
		}
		for id, want := range map[string]string{out.UUID.String(): test.waiting, taken.UUID.String(): test.processing} {
			_, err := b.timelines.Payout(t.Context(), test.who, id)
			testenv.Check(t, dbtest.CodeOf(err) == want, "%s, payout %s: %v; want %q", name, id, err, want)
		}
	}
}

// 1000 RUB at 100 are 10 USDT at spot; with a markup of 2% the merchant pays
// 10.2. The trader keeps 2% of spot, which is all of the markup.
func TestPayoutTimeline(t *testing.T) {
	b := setup(t)
	b.MayPayOut(t, b.Shop, b.SBP)
	p := b.PayOut(t, b.Shop, "payout-1")
	desk := traderUser(b.SBP, caller.Desk)
	b.Clock.Advance(minute)
	testenv.Must(b.Payouts.Take(t.Context(), desk, p.UUID.String()))(t)
	b.Clock.Advance(minute)
	testenv.Must(b.Payouts.Complete(t.Context(), desk, p.UUID.String(), new("reference 1")))(t)
	b.Relay(t)
	b.Attempt(t, b.Shop.ID, p.ID)
	for name, who := range map[string]caller.Caller{"desk": desk, "merchant": merchantUser(b.Shop, caller.Owner)} {
		b.wantTold(t, "payout.txt", name, testenv.Must(b.timelines.Payout(t.Context(), who, p.UUID.String()))(t))
	}
}

// Why a payout was given back is said to operators: not to its merchant, nor to
// who takes it next.
func TestWhyPayoutWasGivenBack(t *testing.T) {
	b := setup(t)
	b.MayPayOut(t, b.Shop, b.SBP)
	p := b.PayOut(t, b.Shop, "payout-1")
	id, why := p.UUID.String(), "my other bank is blocked"
	first, next := traderUser(b.SBP, caller.Desk), b.NewTrader(t, dbtest.TraderOpts{})
	b.PaysBy(t, next.ID, "sbp")
	testenv.Must(b.Payouts.Take(t.Context(), first, id))(t)
	testenv.Must(b.Payouts.GiveBack(t.Context(), first, id, &why))(t)
	testenv.Want(t, testenv.Must(b.Payouts.Get(t.Context(), b.Shop.Caller, id))(t).StatusReason, nil, "the merchant reads")
	testenv.Want(t, testenv.Must(b.Payouts.GetOffer(t.Context(), next.Caller, id))(t).StatusReason, nil, "another trader reads")
	testenv.Must(b.Payouts.Take(t.Context(), next.Caller, id))(t)
	for name, who := range map[string]caller.Caller{"merchant": merchantUser(b.Shop, caller.Owner), "trader": next.Caller, "operator": operator} {
		told := false
		for _, line := range testenv.Must(b.timelines.Payout(t.Context(), who, id))(t) {
			told = told || line.Reason == why
		}
		testenv.Want(t, told, name == "operator", "%s is told why", name)
	}
}

// Of a payment's pages, the first fifty openings are kept. One that cannot be
// kept disturbs nobody.
func TestVisitsAreBounded(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	for range 60 {
		b.Payments.Visited(t.Context(), p, "requisite", "Chrome")
	}
	b.Exec(t, "alter table payment_step rename to gone")
	b.Payments.Visited(t.Context(), p, "requisite", "Chrome")
	b.Exec(t, "alter table gone rename to payment_step")
	lines := testenv.Must(b.timelines.Payment(t.Context(), operator, fmt.Sprint(p.ID)))(t)
	visits := 0
	for _, line := range lines {
		if line.Kind == "visit" {
			visits++
		}
	}
	testenv.Want(t, visits, 50, "visits")
}

// A payment that was completed without a fresh rate is settled when there is
// one: its sum is told then, and until then only the hold.
func TestTimelineOfALateRate(t *testing.T) {
	b := setup(t)
	b.SetRate(t, "RUB", "100", false)
	p := b.Create(t, b.Shop, "order-1")
	b.Clock.Advance(minute)
	b.Confirm(t, b.SBP, p.ID)
	rate := func() string {
		t.Helper()
		lines := testenv.Must(b.timelines.Payment(t.Context(), operator, fmt.Sprint(p.ID)))(t)
		for _, line := range lines {
			if line.Kind == "rate" {
				return told(line)
			}
		}
		return ""
	}
	testenv.Want(t, rate(), "0 rate rate_held markup=5 share=2 hold=9.8 source=test/configuration", "before")
	b.Clock.Advance(time.Hour)
	b.SetRate(t, "RUB", "125", true)
	testenv.Must(b.Payments.Settle(t.Context()))(t)
	// 1000 / 125 = 8 at spot, and 1000 / 131.25 for the merchant; 2% of 8
	// for the trader.
	want := "61 rate rate_settled base=125 markup=5 spot=8 amount=7.61904761 profit=0.38095239 share=2 trader=0.16 " +
		"platform=0.22095239 hold=9.8 source=test/configuration"
	got := rate()
	testenv.Check(t, got == want, "after:\n got %s\nwant %s", got, want)
}

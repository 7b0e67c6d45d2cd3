package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the reports.
type bundle struct {
	*reporttest.Bundle
	reports *report.Service
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := reporttest.New(t)
	return &bundle{b, report.New(b.Pools(), b.Clock, b.Payments, nil)}
}

// work notes first ids, as the program does every hour.
func (b *bundle) work(t *testing.T) {
	t.Helper()
	testenv.NoError(t, report.NoteFirstIDs(t.Context(), b.Pool, b.Clock))
}

var (
	traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

	want = reporttest.Want
)

func ids(page report.Page[report.PaymentItem]) []int64 {
	var list []int64
	for _, item := range page.Items {
		list = append(list, item.ID)
	}
	return list
}

// Whoever lists sees their own, and operators everybody's; filters keep to what
// they name.
func TestPaymentsOfEach(t *testing.T) {
	b := setup(t)
	first := b.CreateOf(t, b.Shop, "sbp", "order-1", "1000")
	second := b.CreateOf(t, b.Shop, "sim", "order-2", "2000.50")
	third := b.CreateOf(t, b.Other, "sbp", "order-1", "3000")
	b.Confirm(t, b.SBP, first.ID)
	b.Exec(t, "update payment set payer_user_id = case id when $1 then 'user-7' else '15000' end where id in ($1, $2)",
		second.ID, third.ID)
	phone := *first.RequisiteValue
	who := map[string]caller.Caller{
		"trader": traderUser(b.SBP, caller.Desk), "other owner": traderUser(b.SIM, caller.Owner), "other desk": traderUser(b.SIM, caller.Desk),
		"merchant": merchantUser(b.Shop, caller.Support), "operator": operator,
	}
	places := strings.NewReplacer("{second}", fmt.Sprint(second.ID), "{third.uuid}", third.UUID.String(), "{phone}", phone, "{digits}", phone[2:],
		"{other}", fmt.Sprint(b.Other.ID), "{SIM}", fmt.Sprint(b.SIM.ID), "{box}", fmt.Sprint(b.Shop.CashboxID))
	wantListed(t, "payments.txt", places, []int64{first.ID, second.ID, third.ID}, func(lists string, f report.Filter) []int64 {
		return ids(testenv.Must(b.reports.Payments(t.Context(), who[lists], f))(t))
	})
}

// wantListed reads who is to see which of what was made, by which filter.
func wantListed(t *testing.T, file string, places *strings.Replacer, made []int64, list func(who string, f report.Filter) []int64) {
	t.Helper()
	for _, row := range testenv.Rows(t, file) {
		var f report.Filter
		testenv.NoError(t, json.Unmarshal([]byte(places.Replace(row[2])), &f))
		var seen []int64
		for _, n := range strings.Fields(row[1]) {
			seen = append(seen, made[n[0]-'1'])
		}
		testenv.WantAll(t, list(row[0], f), seen, "%s by %s", row[0], row[2])
	}
}

// What begins like an order id is found however old it is, by an index, and
// what has a text in its order id among the newest, which an index gives as
// well.
func TestOrdersAreFoundByIndex(t *testing.T) {
	b := setup(t)
	first := b.Create(t, b.Shop, "Old-1")
	b.Exec(t, `insert into payment_key select merchant_id, channel, 'copy-' || n, 1000000 + n
		from payment_key, generate_series(1, 5000) n where payment_id = $1`, first.ID)
	b.Copies(t, first, 1_000_001, 1_005_000)
	b.Clock.Advance(40 * 24 * time.Hour)
	b.CreateOf(t, b.Shop, "sbp", "new-old-2", "2000")
	b.Exec(t, "vacuum analyze payment_key, payment")
	search := func(text string) string {
		page := testenv.Must(b.reports.Payments(t.Context(), merchantUser(b.Shop, caller.Owner), report.Filter{Search: text}))(t)
		var orders []string
		for _, p := range page.Items {
			orders = append(orders, p.OrderID)
		}
		return strings.Join(orders, " ")
	}
	want(t, "begins with it, and has it in it", search("old-"), "Old-1 new-old-2")
	want(t, "has it in it", search("ew-ol"), "new-old-2")
	begins, beyond := db.Begins("OLD")
	plan := b.Plan(t, func(q *db.Queries) error {
		_, err := q.ReportPaymentsBegun(t.Context(), db.ReportPaymentsBegunParams{
			Merchants: []int64{b.Shop.ID, b.Other.ID}, Begins: begins, Beyond: beyond, Page: 20,
		})
		return err
	})
	plan += b.Plan(t, func(q *db.Queries) error {
		_, err := q.ReportPayments(t.Context(), db.ReportPaymentsParams{
			MerchantID: &b.Shop.ID, Below: math.MaxInt64, CreatedTo: b.Clock.Now(), Sought: true, Part: new("old"),
			Page: 50, Scan: 1000,
		})
		return err
	})
	testenv.Check(t, strings.Contains(plan, "on payment_key_begins_idx") &&
		!strings.Contains(plan, "Seq Scan on payment"), "%v", plan)
}

// Who lists sees of a payment what is for them.
func TestPaymentsBySight(t *testing.T) {
	b := setup(t)
	b.Create(t, b.Shop, "order-1")
	see := func(who caller.Caller) string {
		page := testenv.Must(b.reports.Payments(t.Context(), who, report.Filter{}))(t)
		p := page.Items[0]
		say := func(d *decimal.Decimal) string {
			if d == nil {
				return "-"
			}
			return d.String()
		}
		return fmt.Sprintf("order %q, trader %t, base %s, amount %s, profit %s %s, base %s", p.OrderID, p.TraderID != 0,
			say(p.Sums.BaseRate), say(p.Sums.Amount), say(p.Sums.Profit), p.ProfitUSDT, p.BaseRate)
	}
	for who, want := range map[*caller.Caller]string{
		new(traderUser(b.SBP, caller.Desk)):     `order "", trader true, base -, amount 9.52380952, profit - 0, base 0`,
		new(merchantUser(b.Shop, caller.Owner)): `order "order-1", trader false, base 100, amount 9.52380952, profit - 0, base 100`,
		&operator:                               `order "order-1", trader true, base 100, amount 9.52380952, profit 0.47619048 0.47619048, base 100`,
	} {
		got := see(*who)
		testenv.Check(t, got == want, "%s:\n got %s\nwant %s", who.Kind, got, want)
	}
}

func TestListsRefuse(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	for name, who := range map[string]caller.Caller{
		"role_not_allowed":       traderUser(b.SBP, ""),
		"token_kind_not_allowed": b.Shop.Caller,
	} {
		_, payments := b.reports.Payments(ctx, who, report.Filter{})
		_, payouts := b.reports.Payouts(ctx, who, report.Filter{})
		for _, err := range []error{payments, payouts} {
			testenv.Check(t, dbtest.CodeOf(err) == name, "%v; want %s", err, name)
		}
	}
	for name, f := range map[string]report.Filter{
		"limit":  {Paging: report.Paging{Limit: 101}},
		"cursor": {Paging: report.Paging{Cursor: "x"}},
		"status": {Status: []string{"waiting"}},
		"to":     {From: dbtest.Start, To: dbtest.Start.Add(-1)},
		"search": {Search: strings.Repeat("x", 201)},
	} {
		_, err := b.reports.Payments(ctx, operator, f)
		testenv.Check(t, dbtest.CodeOf(err) == "validation_failed" && strings.Contains(fmt.Sprint(fields(err)), name), "%s: %v", name, err)
	}
}

// Going on and back by cursors meets every payment once, whatever comes in
// meanwhile.
func TestCursorsBothWays(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1001, 1010)
	b.Exec(t, "update payment set status = 'completed' where id % 2 = 0 and id > 1000")
	b.Clock.Advance(time.Hour)
	who := traderUser(b.SBP, caller.Desk)
	for name, f := range map[string]report.Filter{
		"all":              {},
		"branches":         {Status: []string{"pending", "completed"}},
		"within their day": {From: dbtest.Start.AddDate(0, 0, -2), To: dbtest.Start.AddDate(0, 0, 1)},
	} {
		f.Limit = 4
		read := func(cursor *string, backward bool) report.Page[report.PaymentItem] {
			return b.read(t, who, f, cursor, backward)
		}
		one := read(nil, false)
		wantIDs(t, name+", first", one, 1010, 1009, 1008, 1007)
		b.Copies(t, p, 1011, 1012)
		two := read(one.Next, false)
		wantIDs(t, name+", second", two, 1006, 1005, 1004, 1003)
		three := read(two.Next, false)
		wantIDs(t, name+", last", three, 1002, 1001, p.ID)
		testenv.Check(t, one.Previous == nil && three.Next == nil, "%s: the list goes on beyond its ends", name)
		wantIDs(t, name+", back to the second", read(three.Previous, true), 1006, 1005, 1004, 1003)
		back := read(two.Previous, true)
		wantIDs(t, name+", back to the first", back, 1010, 1009, 1008, 1007)
		newest := read(back.Previous, true)
		wantIDs(t, name+", what came in", newest, 1012, 1011)
		wantIDs(t, name+", and on again", read(newest.Next, false), 1010, 1009, 1008, 1007)
		testenv.Check(t, newest.Previous == nil, "%s: there is more before the newest", name)
		wantIDs(t, name+", beyond the end", read(new("1"), false))
		b.Exec(t, "delete from payment where id in (1011, 1012)")
	}
}

// What a search names exactly begins the first page, also when somebody comes
// back to that from the second one.
func TestNamedIsThereOnTheWayBack(t *testing.T) {
	b := setup(t)
	named := b.CreateOf(t, b.Shop, "sbp", "1000", "500")
	b.Clock.Advance(40 * 24 * time.Hour)
	first := b.Create(t, b.Shop, "first")
	b.Copies(t, first, 1001, 1005)
	b.Clock.Advance(time.Hour)
	who := merchantUser(b.Shop, caller.Owner)
	for name, c := range map[string]struct {
		sort report.Sort
		ids  []int64
		more []int64
	}{
		"newest": {"", []int64{named.ID, 1005, 1004, 1003}, []int64{1002, 1001, first.ID}},
		"oldest": {report.Oldest, []int64{named.ID, first.ID, 1001, 1002}, []int64{1003, 1004, 1005}},
		"least":  {report.Least, []int64{named.ID, first.ID, 1001, 1002}, []int64{1003, 1004, 1005}},
	} {
		f := report.Filter{Search: "1000", Paging: report.Paging{Limit: 3, Sort: c.sort}}
		one := b.read(t, who, f, nil, false)
		wantIDs(t, name, one, c.ids...)
		two := b.read(t, who, f, one.Next, false)
		wantIDs(t, name+", on", two, c.more...)
		if two.Previous != nil {
			wantIDs(t, name+", and back", b.read(t, who, f, two.Previous, true), c.ids...)
		}
	}
}

// read is a page from a cursor on, if there is one.
func (b *bundle) read(
	t *testing.T, who caller.Caller, f report.Filter, cursor *string, backward bool,
) report.Page[report.PaymentItem] {
	t.Helper()
	if f.Backward = backward; cursor != nil {
		f.Cursor = *cursor
	}
	return testenv.Must(b.reports.Payments(t.Context(), who, f))(t)
}

func wantIDs(t *testing.T, name string, page report.Page[report.PaymentItem], want ...int64) {
	t.Helper()
	testenv.WantAll(t, ids(page), want, "%s", name)
}

// A search that finds little stops after 20,000 rows, says how far back it
// looked, and goes on from there: forward and backward.
func TestSearchStops(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	// A payment a second, and the oldest has an amount of its own.
	b.Copies(t, p, 100_001, 145_000)
	b.Exec(t, "update payment set amount = 77 where id in (100001, 145000)")
	b.Exec(t, "analyze payment")
	b.Clock.Advance(24 * time.Hour)
	for name, who := range map[string]caller.Caller{
		"operator": operator, "merchant": merchantUser(b.Shop, caller.Owner), "trader": traderUser(b.SBP, caller.Desk),
	} {
		f := report.Filter{MaxAmount: decimal.NewFromInt(100), MinAmount: decimal.NewFromInt(50)}
		read := func(cursor *string, backward bool) report.Page[report.PaymentItem] {
			return b.read(t, who, f, cursor, backward)
		}
		one := read(nil, false)
		wantIDs(t, name+", newest", one, 145_000)
		// The last of 20,000 is number 125,001, which is 25,000 seconds
		// younger than the first.
		want := dbtest.Start.Add(25_000 * time.Second)
		testenv.Check(t, one.SearchedBackTo != nil &&
			one.SearchedBackTo.Equal(want), "%s: searched back to %v; want %s", name, one.SearchedBackTo, want)
		two := read(one.Next, false)
		wantIDs(t, name+", next", two)
		three := read(two.Next, false)
		wantIDs(t, name+", oldest", three, 100_001)
		testenv.Check(t, two.SearchedBackTo != nil && three.SearchedBackTo == nil && three.Next == nil,
			"%s: searched back to %v and then %v", name, two.SearchedBackTo, three.SearchedBackTo)
		back := read(three.Previous, true)
		wantIDs(t, name+", back", back)
		wantIDs(t, name+", further back", read(read(back.Previous, true).Previous, true), 145_000)
	}
}

// Payouts are listed by the same rules. A trader sees those they took.
func TestPayoutsOfEach(t *testing.T) {
	b := setup(t)
	b.MayPayOut(t, b.Shop, b.SBP)
	b.MayPayOut(t, b.Other)
	first, second := b.PayOut(t, b.Shop, "payout-1"), b.PayOut(t, b.Shop, "payout-2")
	third := b.PayOut(t, b.Other, "payout-1")
	testenv.Must(b.Payouts.Take(t.Context(), traderUser(b.SBP, caller.Desk), first.UUID.String()))(t)
	trader := traderUser(b.SBP, caller.Desk)
	who := map[string]caller.Caller{
		"trader": trader, "other owner": traderUser(b.SIM, caller.Owner), "merchant": merchantUser(b.Shop, caller.Support), "operator": operator,
	}
	places := strings.NewReplacer("{first.uuid}", first.UUID.String(), "{second.uuid}", second.UUID.String())
	wantListed(t, "payouts.txt", places, []int64{first.ID, second.ID, third.ID}, func(lists string, f report.Filter) (got []int64) {
		for _, item := range testenv.Must(b.reports.Payouts(t.Context(), who[lists], f))(t).Items {
			got = append(got, item.ID)
		}
		return got
	})
	page := testenv.Must(b.reports.Payouts(t.Context(), trader, report.Filter{}))(t)
	p := page.Items[0]
	testenv.Check(t, p.OrderID == "" && p.FrozenUSDT.IsZero() && p.RewardUSDT != nil &&
		p.RewardUSDT.String() == "10.2", "the trader sees %+v", p)
}

// The first ids of days bound what a list reads: an empty month reads nothing.
// A day has its id only when nothing of the day before can come any more.
func TestDayFirstIDs(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1001, 1003)
	b.Exec(t, "update payment set created_at = $1 where id = 1002", dbtest.Start.AddDate(0, 0, 1))
	b.Exec(t, "update payment set created_at = $1 where id = 1003", dbtest.Start.AddDate(0, 0, 3))
	days := func() string {
		t.Helper()
		return strings.Join(b.Texts(t, "select day::text || ' ' || first_id from day_first_id where subject = 'payment' order by day"), ", ")
	}
	b.work(t)
	want(t, "on the first day", days(), fmt.Sprintf("2026-11-20 %d", p.ID))
	b.Clock.Advance(4 * 24 * time.Hour)
	b.work(t)
	b.work(t)
	want(t, "four days later", days(),
		fmt.Sprintf("2026-11-20 %d, 2026-11-21 1002, 2026-11-22 1003, 2026-11-23 1003", p.ID))
	for from, want := range map[int][]int64{0: {1003, 1002, 1001, p.ID}, 1: {1003, 1002}, 2: {1003}, 4: nil} {
		day := dbtest.Start.Truncate(24*time.Hour).AddDate(0, 0, from)
		page := testenv.Must(b.reports.Payments(t.Context(), operator, report.Filter{From: day}))(t)
		wantIDs(t, fmt.Sprint("from day ", from), page, want...)
	}
	// Nothing below the first id of its day is read, so a row that is there
	// against all rules is not found.
	b.Exec(t, "update payment set created_at = $1 where id = 1001", dbtest.Start.AddDate(0, 0, 3))
	page := testenv.Must(b.reports.Payments(t.Context(), operator,
		report.Filter{From: dbtest.Start.AddDate(0, 0, 2)}))(t)
	wantIDs(t, "below the first id", page, 1003)
}

func fields(err error) any {
	if refusal := fault.As(err); refusal != nil {
		return refusal.Fields
	}
	return nil
}

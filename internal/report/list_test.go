package report_test

import (
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
	"gateway.example/internal/testenv"
)

func ids(page report.Page[report.PaymentItem]) []int64 {
	var list []int64
	for _, item := range page.Items {
		list = append(list, item.ID)
	}
	return list
}

// Whoever lists sees their own, and operators everybody's; filters keep to what they name.
func TestPaymentsOfEach(t *testing.T) {
	b := setup(t)
	first := b.CreateOf(t, b.Shop, "sbp", "order-1", "1000")
	second := b.CreateOf(t, b.Shop, "sim", "order-2", "2000.50")
	third := b.CreateOf(t, b.Other, "sbp", "order-1", "3000")
	b.Confirm(t, b.SBP, first.ID)
	b.Exec(t, "update payment set payer_user_id = case id when $1 then 'user-7' else '15000' end where id in ($1, $2)",
		second.ID, third.ID)
	phone := *first.RequisiteValue
	trader, merchant := traderUser(b.SBP, caller.Desk), merchantUser(b.Shop, caller.Support)
	date := func(days int) time.Time { return dbtest.Start.AddDate(0, 0, days) }
	for name, test := range map[string]struct {
		who    caller.Caller
		filter report.PaymentFilter
		want   []int64
	}{
		"trader":                   {trader, report.PaymentFilter{}, []int64{third.ID, first.ID}},
		"the other trader":         {traderUser(b.SIM, caller.Owner), report.PaymentFilter{}, []int64{second.ID}},
		"merchant":                 {merchant, report.PaymentFilter{}, []int64{second.ID, first.ID}},
		"operator":                 {operator, report.PaymentFilter{}, []int64{third.ID, second.ID, first.ID}},
		"operator, of a merchant":  {operator, report.PaymentFilter{MerchantID: b.Other.ID}, []int64{third.ID}},
		"operator, of a trader":    {operator, report.PaymentFilter{TraderID: b.SIM.ID}, []int64{second.ID}},
		"operator, of a cashbox":   {operator, report.PaymentFilter{CashboxID: b.Shop.CashboxID}, []int64{second.ID, first.ID}},
		"a merchant of another":    {merchant, report.PaymentFilter{MerchantID: b.Other.ID, TraderID: b.SIM.ID}, []int64{second.ID, first.ID}},
		"a trader of another":      {trader, report.PaymentFilter{TraderID: b.SIM.ID, MerchantID: b.Other.ID}, []int64{third.ID, first.ID}},
		"pending":                  {operator, report.PaymentFilter{Status: []string{"pending"}}, []int64{third.ID, second.ID}},
		"trader's pending":         {trader, report.PaymentFilter{Status: []string{"pending"}}, []int64{third.ID}},
		"two statuses by index":    {trader, report.PaymentFilter{Status: []string{"pending", "completed"}}, []int64{third.ID, first.ID}},
		"two statuses, no index":   {merchant, report.PaymentFilter{Status: []string{"pending", "completed"}}, []int64{second.ID, first.ID}},
		"failed":                   {operator, report.PaymentFilter{Status: []string{"failed"}}, nil},
		"method":                   {operator, report.PaymentFilter{Method: "sim"}, []int64{second.ID}},
		"currency":                 {operator, report.PaymentFilter{Currency: "AZN"}, nil},
		"from an amount":           {operator, report.PaymentFilter{MinAmount: decimal.RequireFromString("2000.50")}, []int64{third.ID, second.ID}},
		"to an amount":             {operator, report.PaymentFilter{MaxAmount: decimal.RequireFromString("2000.49")}, []int64{first.ID}},
		"from their creation":      {operator, report.PaymentFilter{From: dbtest.Start}, []int64{third.ID, second.ID, first.ID}},
		"from after":               {operator, report.PaymentFilter{From: dbtest.Start.Add(1000)}, nil},
		"until their creation":     {operator, report.PaymentFilter{From: date(-1), To: dbtest.Start}, nil},
		"until after":              {operator, report.PaymentFilter{From: date(-1), To: dbtest.Start.Add(1000)}, []int64{third.ID, second.ID, first.ID}},
		"by id":                    {operator, report.PaymentFilter{Search: fmt.Sprint(second.ID)}, []int64{second.ID}},
		"by uuid":                  {trader, report.PaymentFilter{Search: third.UUID.String()}, []int64{third.ID}},
		"by id of long ago":        {operator, report.PaymentFilter{Search: fmt.Sprint(second.ID), From: date(5)}, []int64{second.ID}},
		"another's id":             {trader, report.PaymentFilter{Search: fmt.Sprint(second.ID)}, nil},
		"another's uuid":           {merchant, report.PaymentFilter{Search: third.UUID.String()}, nil},
		"by order":                 {merchant, report.PaymentFilter{Search: "order-1"}, []int64{first.ID}},
		"a merchant's order":       {operator, report.PaymentFilter{Search: "order-1", MerchantID: b.Other.ID}, []int64{third.ID}},
		"an order of anybody":      {operator, report.PaymentFilter{Search: "order-1"}, []int64{third.ID, first.ID}},
		"a payer of anybody":       {operator, report.PaymentFilter{Search: "user-7"}, []int64{second.ID}},
		"another's payer":          {merchant, report.PaymentFilter{Search: "15000"}, nil},
		"a payer like an amount":   {operator, report.PaymentFilter{Search: "15000"}, []int64{third.ID}},
		"a payer, for the trader":  {traderUser(b.SIM, caller.Desk), report.PaymentFilter{Search: "user-7"}, nil},
		"four digits of an amount": {operator, report.PaymentFilter{Search: "2000"}, []int64{second.ID}},
		"an amount":                {merchant, report.PaymentFilter{Search: "2000,5"}, []int64{second.ID}},
		"an amount as written":     {trader, report.PaymentFilter{Search: "1 000"}, []int64{first.ID}},
		"another fraction":         {merchant, report.PaymentFilter{Search: "2000.51"}, nil},
		"an order, for the trader": {trader, report.PaymentFilter{Search: "order-1"}, nil},
		"the begin of an order":    {merchant, report.PaymentFilter{Search: "ORD"}, []int64{second.ID, first.ID}},
		"part of an order":         {operator, report.PaymentFilter{Search: "der-1"}, []int64{third.ID, first.ID}},
		"part, of a status":        {operator, report.PaymentFilter{Search: "der", Status: []string{"completed"}}, []int64{first.ID}},
		"begin, of a status":       {operator, report.PaymentFilter{Search: "ord", Status: []string{"completed"}}, []int64{first.ID}},
		"too little of an order":   {operator, report.PaymentFilter{Search: "or"}, nil},
		"part, for the trader":     {trader, report.PaymentFilter{Search: "order"}, nil},
		"a sign of patterns":       {operator, report.PaymentFilter{Search: "or_er"}, nil},
		"by a whole requisite":     {operator, report.PaymentFilter{Search: phone}, []int64{third.ID, first.ID}},
		"by a requisite of theirs": {trader, report.PaymentFilter{Search: "+7 " + phone[2:]}, []int64{third.ID, first.ID}},
		"by another's requisite":   {traderUser(b.SIM, caller.Owner), report.PaymentFilter{Search: phone}, nil},
		"by part of a requisite":   {operator, report.PaymentFilter{Search: phone[2:]}, nil},
		"by digits":                {trader, report.PaymentFilter{Search: "0000"}, []int64{third.ID, first.ID}},
		"other digits":             {trader, report.PaymentFilter{Search: "0001"}, nil},
		"limit":                    {operator, report.PaymentFilter{Paging: report.Paging{Limit: 2}}, []int64{third.ID, second.ID}},
	} {
		wantIDs(t, name, testenv.Must(b.reports.Payments(t.Context(), test.who, test.filter))(t), test.want...)
	}
}

// What begins like an order id is found however old it is, by an index, and what has a text in its order id among the
// newest, which an index gives as well.
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
		page := testenv.Must(b.reports.Payments(t.Context(), merchantUser(b.Shop, caller.Owner), report.PaymentFilter{Search: text}))(t)
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
		_, err := q.ReportPaymentsBelow(t.Context(), db.ReportPaymentsBelowParams{
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
		page := testenv.Must(b.reports.Payments(t.Context(), who, report.PaymentFilter{}))(t)
		p := page.Items[0]
		say := func(d *decimal.Decimal) string {
			if d == nil {
				return "-"
			}
			return d.String()
		}
		return fmt.Sprintf("order %q, trader %t, base %s, amount %s, profit %s %s, base %s", p.OrderID, p.TraderID != 0,
			say(p.Sight.BaseRate), say(p.Sight.Amount), say(p.Sight.Profit), p.ProfitUSDT, p.BaseRate)
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
		_, payments := b.reports.Payments(ctx, who, report.PaymentFilter{})
		_, payouts := b.reports.Payouts(ctx, who, report.PayoutFilter{})
		for _, err := range []error{payments, payouts} {
			testenv.Check(t, dbtest.CodeOf(err) == name, "%v; want %s", err, name)
		}
	}
	for name, f := range map[string]report.PaymentFilter{
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

// Going on and back by cursors meets every payment once, whatever comes in meanwhile.
func TestCursorsBothWays(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1001, 1010)
	b.Exec(t, "update payment set status = 'completed' where id % 2 = 0 and id > 1000")
	b.Clock.Advance(time.Hour)
	who := traderUser(b.SBP, caller.Desk)
	for name, f := range map[string]report.PaymentFilter{
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

// read is a page from a cursor on, if there is one.
func (b *bundle) read(
	t *testing.T, who caller.Caller, f report.PaymentFilter, cursor *string, backward bool,
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

// A search that finds little stops after 20,000 rows, says how far back it looked, and goes on from
// there: forward and backward.
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
		f := report.PaymentFilter{MaxAmount: decimal.NewFromInt(100), MinAmount: decimal.NewFromInt(50)}
		read := func(cursor *string, backward bool) report.Page[report.PaymentItem] {
			return b.read(t, who, f, cursor, backward)
		}
		one := read(nil, false)
		wantIDs(t, name+", newest", one, 145_000)
		// The last of 20,000 is number 125,001, which is 25,000 seconds younger than the first.
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
	trader, merchant := traderUser(b.SBP, caller.Desk), merchantUser(b.Shop, caller.Support)
	for name, test := range map[string]struct {
		who    caller.Caller
		filter report.PayoutFilter
		want   []int64
	}{
		"trader":            {trader, report.PayoutFilter{}, []int64{first.ID}},
		"who took none":     {traderUser(b.SIM, caller.Owner), report.PayoutFilter{}, nil},
		"merchant":          {merchant, report.PayoutFilter{}, []int64{second.ID, first.ID}},
		"operator":          {operator, report.PayoutFilter{}, []int64{third.ID, second.ID, first.ID}},
		"waiting":           {operator, report.PayoutFilter{Status: []string{"waiting"}}, []int64{third.ID, second.ID}},
		"two statuses":      {merchant, report.PayoutFilter{Status: []string{"waiting", "processing"}}, []int64{second.ID, first.ID}},
		"by order":          {merchant, report.PayoutFilter{Search: "payout-1"}, []int64{first.ID}},
		"by uuid":           {trader, report.PayoutFilter{Search: first.UUID.String()}, []int64{first.ID}},
		"another's":         {trader, report.PayoutFilter{Search: second.UUID.String()}, nil},
		"by digits":         {operator, report.PayoutFilter{Search: "4567"}, []int64{third.ID, second.ID, first.ID}},
		"other digits":      {operator, report.PayoutFilter{Search: "4568"}, nil},
		"an amount":         {trader, report.PayoutFilter{Search: "1000.00"}, []int64{first.ID}},
		"of anybody":        {operator, report.PayoutFilter{Search: "payout-1"}, []int64{third.ID, first.ID}},
		"begin of an order": {merchant, report.PayoutFilter{Search: "PAY"}, []int64{second.ID, first.ID}},
		"part of an order":  {merchant, report.PayoutFilter{Search: "out-1"}, []int64{first.ID}},
		"something unknown": {merchant, report.PayoutFilter{Search: "payout-3"}, nil},
	} {
		page := testenv.Must(b.reports.Payouts(t.Context(), test.who, test.filter))(t)
		var got []int64
		for _, item := range page.Items {
			got = append(got, item.ID)
		}
		testenv.WantAll(t, got, test.want, "%s", name)
	}
	page := testenv.Must(b.reports.Payouts(t.Context(), trader, report.PayoutFilter{}))(t)
	p := page.Items[0]
	testenv.Check(t, p.OrderID == "" && p.FrozenUSDT.IsZero() && p.RewardUSDT != nil &&
		p.RewardUSDT.String() == "10.2", "the trader sees %+v", p)
}

// The first ids of days bound what a list reads: an empty month reads nothing. A day has its id only
// when nothing of the day before can come any more.
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
		page := testenv.Must(b.reports.Payments(t.Context(), operator, report.PaymentFilter{From: day}))(t)
		wantIDs(t, fmt.Sprint("from day ", from), page, want...)
	}
	// Nothing below the first id of its day is read, so a row that is there against all rules is not
	// found.
	b.Exec(t, "update payment set created_at = $1 where id = 1001", dbtest.Start.AddDate(0, 0, 3))
	page := testenv.Must(b.reports.Payments(t.Context(), operator,
		report.PaymentFilter{From: dbtest.Start.AddDate(0, 0, 2)}))(t)
	wantIDs(t, "below the first id", page, 1003)
}

func fields(err error) any {
	if refusal := fault.As(err); refusal != nil {
		return refusal.Fields
	}
	return nil
}

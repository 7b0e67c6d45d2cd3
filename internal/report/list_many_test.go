package report_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

// Lists go by their indexes, which give the rows in their order. Of so few rows the database would
// rather sort some, so it is told not to.
func TestListsUseTheirIndexes(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1_001, 9_000)
	b.Exec(t, `update payment set trader_id = id % 300, merchant_id = id % 100,
		status = case when id % 97 = 0 then 'appeal' when id % 7 = 1 then 'pending' else 'completed' end`)
	b.Exec(t, "analyze payment")
	for index, where := range map[string]string{
		"payment_trader_idx":          "trader_id = 3",
		"payment_trader_status_idx":   "trader_id = 3 and status = 'pending'",
		"payment_open_idx":            "merchant_id = 2 and status = 'pending'",
		"payment_merchant_seldom_idx": "merchant_id = 2 and status = 'appeal'",
		"payment_seldom_idx":          "status = 'appeal'",
		"payment_id_idx":              "true",
		"payment_pkey":                "merchant_id = 2",
	} {
		plan := b.Explain(t,
			"select * from payment where id > 500 and id < 9223372036854775807 and "+where+" order by id desc limit 51")
		testenv.Check(t, strings.Contains(plan, " "+index+" "), "%s:\n%s", where, plan)
	}
}

// manyEnv asks for the measurement of lists over so many payments.
const manyEnv = "GATEWAY_TEST_MANY"

// TestListsOverMany tells how long lists take over many payments of 100 traders and 50 merchants, who
// have made one every 2.6 seconds: a million in the last 30 days.
func TestListsOverMany(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv(manyEnv))
	if err != nil || many < 10_000 {
		t.Skip(manyEnv + " is no number of payments")
	}
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Exec(t, `insert into payment select made.* from payment p, generate_series(1, $2::integer) n,
			jsonb_populate_record(p, jsonb_build_object('id', 1000 + n, 'uuid', gen_random_uuid(), 'order_id', 'copy-' || n,
				'merchant_id', n % 50 + 1, 'trader_id', n % 100 + 1, 'amount', 1000 + n % 5000,
				'status', case when n > $2 - 1000 then 'pending' when n % 400 = 7 then 'appeal' when n % 3 = 0 then 'failed'
					else 'completed' end,
				'created_at', p.created_at - ($2 - n) * interval '2.592 seconds')) made
			where p.id = $1`, p.ID, many)
	b.Exec(t, "vacuum analyze payment")
	b.work(t)
	trader, merchant := traderUser(b.SBP, caller.Desk), merchantUser(b.Shop, caller.Owner)
	day := dbtest.Start.AddDate(0, 0, -15)
	for name, list := range map[string]struct {
		who caller.Caller
		f   report.PaymentFilter
	}{
		"trader":                      {trader, report.PaymentFilter{}},
		"trader, pending":             {trader, report.PaymentFilter{Status: []string{"pending"}}},
		"trader, appeal":              {trader, report.PaymentFilter{Status: []string{"appeal"}}},
		"trader, a day":               {trader, report.PaymentFilter{From: day, To: day.AddDate(0, 0, 1)}},
		"trader, digits not found":    {trader, report.PaymentFilter{Search: "9999"}},
		"merchant":                    {merchant, report.PaymentFilter{}},
		"merchant, pending":           {merchant, report.PaymentFilter{Status: []string{"pending"}}},
		"merchant, two statuses":      {merchant, report.PaymentFilter{Status: []string{"failed", "appeal"}}},
		"merchant, an amount":         {merchant, report.PaymentFilter{MinAmount: decimal.NewFromInt(5990)}},
		"operator":                    {operator, report.PaymentFilter{}},
		"operator, pending":           {operator, report.PaymentFilter{Status: []string{"pending"}}},
		"operator, appeal":            {operator, report.PaymentFilter{Status: []string{"appeal"}}},
		"operator, a day":             {operator, report.PaymentFilter{From: day, To: day.AddDate(0, 0, 1)}},
		"operator, an empty window":   {operator, report.PaymentFilter{From: day.AddDate(-1, 0, 0), To: day.AddDate(-1, 0, 9)}},
		"operator, an amount no more": {operator, report.PaymentFilter{MinAmount: decimal.NewFromInt(9000)}},
		"operator, digits not found":  {operator, report.PaymentFilter{Search: "9999"}},
		"operator, an order":          {operator, report.PaymentFilter{Search: "order-1"}},
		"operator, a payer not found": {operator, report.PaymentFilter{Search: "nobody"}},
		"operator, an amount":         {operator, report.PaymentFilter{Search: "1234.56"}},
	} {
		var took []time.Duration
		for range 40 {
			began := time.Now()
			testenv.Must(b.reports.Payments(t.Context(), list.who, list.f))(t)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%-28s p50 %6.1f ms, p95 %6.1f ms", name, took[20].Seconds()*1000, took[38].Seconds()*1000)
		most := 100 * time.Millisecond
		if list.f.Search != "" || !list.f.MinAmount.IsZero() {
			most = time.Second // it looks at 20,000 rows, which lie on as many pages
		}
		testenv.Check(t, took[38] <= most, "%s takes %s at p95", name, took[38])
	}
}

// Payments are listed from the oldest on, and by amount, each once whatever the size of the pages; the list from the oldest
// on leads back as well.
func TestPaymentsSorted(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1001, 1010)
	b.Exec(t, "delete from payment where id = $1", p.ID)
	// 1001 to 1010 have 300, 400, 100, 200 and so on: some have the same amount.
	b.Exec(t, "update payment set amount = 100 * ((id + 1) % 4 + 1), status = case when id % 2 = 0 then 'pending' else 'failed' end")
	merchant := merchantUser(b.Shop, caller.Owner)
	read := func(f report.PaymentFilter) (all []int64) {
		f.Limit = 3
		for {
			page := testenv.Must(b.reports.Payments(t.Context(), merchant, f))(t)
			all = append(all, ids(page)...)
			if page.Next == nil {
				return all
			}
			f.Cursor = *page.Next
		}
	}
	ordered := func(key func(id int64) int64) []int64 {
		var list []int64
		for id := int64(1001); id <= 1010; id++ {
			list = append(list, id)
		}
		slices.SortStableFunc(list, func(a, b int64) int { return int(key(a) - key(b)) })
		return list
	}
	amount := func(id int64) int64 { return (id + 1) % 4 }
	for sort, wanted := range map[report.Sort][]int64{
		report.Oldest: ordered(func(id int64) int64 { return id }), "": ordered(func(id int64) int64 { return -id }),
		report.Least: ordered(amount), report.Greatest: ordered(func(id int64) int64 { return -amount(id) }),
	} {
		want(t, string(sort), fmt.Sprint(read(report.PaymentFilter{Paging: report.Paging{Sort: sort}})), fmt.Sprint(wanted))
		wanted = slices.DeleteFunc(wanted, func(id int64) bool { return id%2 == 0 })
		want(t, string(sort)+", of a status", fmt.Sprint(read(report.PaymentFilter{
			Paging: report.Paging{Sort: sort}, Status: []string{"failed"},
		})), fmt.Sprint(wanted))
	}
	first := testenv.Must(b.reports.Payments(t.Context(), merchant, report.PaymentFilter{Paging: report.Paging{Sort: report.Oldest, Limit: 3}}))(t)
	second := testenv.Must(b.reports.Payments(t.Context(), merchant, report.PaymentFilter{
		Paging: report.Paging{Sort: report.Oldest, Limit: 3, Cursor: *first.Next},
	}))(t)
	back := testenv.Must(b.reports.Payments(t.Context(), merchant, report.PaymentFilter{
		Paging: report.Paging{Sort: report.Oldest, Limit: 3, Cursor: *second.Previous, Backward: true},
	}))(t)
	want(t, "back", fmt.Sprint(ids(back)), "[1001 1002 1003]")
	other := merchantUser(b.Other, caller.Owner)
	_, err := b.reports.Payments(t.Context(), other, report.PaymentFilter{Paging: report.Paging{Sort: report.Least, Cursor: "1005"}})
	testenv.Check(t, err != nil && strings.Contains(fmt.Sprint(err), "invalid"), "a cursor of another merchant's: %v", err)
}

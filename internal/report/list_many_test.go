package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

// Lists go by their indexes, which give the rows in their order. Of so few rows
// the database would rather sort some, so it is told not to.
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

// A list that one query reads either way has its rows from an index in their
// order both ways.
func TestListsGoByIndexesBothWays(t *testing.T) {
	b := setup(t)
	b.Exec(t, `do $$ begin
		execute format('alter database %I set enable_sort = off', current_database());
		execute format('alter database %I set enable_seqscan = off', current_database());
	end $$`)
	b.Pool.Reset()
	ctx, until := t.Context(), b.Clock.Now()
	for name, list := range map[string]func(q *db.Queries, backward bool) error{
		"payments": func(q *db.Queries, backward bool) error {
			params := db.ReportPaymentsParams{Below: 1000, CreatedTo: until, Scan: 100, Page: 10, Backward: backward}
			return testenv.ErrOf(q.ReportPayments(ctx, params))
		},
		"statement": func(q *db.Queries, backward bool) error {
			params := db.StatementParams{AccountID: 2, At: until, UntilAt: until, Page: 10, Backward: backward}
			return testenv.ErrOf(q.Statement(ctx, params))
		},
		"settings": func(q *db.Queries, backward bool) error {
			return testenv.ErrOf(q.AuditSettings(ctx, db.AuditSettingsParams{At: until, ToAt: until, Page: 10, Backward: backward}))
		},
		"deposits": func(q *db.Queries, backward bool) error {
			return testenv.ErrOf(q.DepositListOwn(ctx, db.DepositListOwnParams{MerchantID: 1, BeyondID: 10, Page: 10, Backward: backward}))
		},
	} {
		for _, backward := range []bool{false, true} {
			plan := b.Plan(t, func(q *db.Queries) error { return list(q, backward) })
			testenv.Check(t, strings.Contains(plan, "Index") && !strings.Contains(plan, "Sort\n"), "%s, backward %t:\n%s", name, backward, plan)
		}
	}
}

// TestListsOverMany tells how long lists take over many payments of 100 traders
// and 50 merchants, who have made one every 2.6 seconds: a million in the last
// 30 days.
func TestListsOverMany(t *testing.T) {
	many := reporttest.Many(t, "GATEWAY_TEST_MANY")
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
		f   report.Filter
	}{
		"trader":                      {trader, report.Filter{}},
		"trader, pending":             {trader, report.Filter{Status: []string{"pending"}}},
		"trader, appeal":              {trader, report.Filter{Status: []string{"appeal"}}},
		"trader, a day":               {trader, report.Filter{From: day, To: day.AddDate(0, 0, 1)}},
		"trader, digits not found":    {trader, report.Filter{Search: "9999"}},
		"merchant":                    {merchant, report.Filter{}},
		"merchant, pending":           {merchant, report.Filter{Status: []string{"pending"}}},
		"merchant, two statuses":      {merchant, report.Filter{Status: []string{"failed", "appeal"}}},
		"merchant, an amount":         {merchant, report.Filter{MinAmount: decimal.NewFromInt(5990)}},
		"operator":                    {operator, report.Filter{}},
		"operator, pending":           {operator, report.Filter{Status: []string{"pending"}}},
		"operator, appeal":            {operator, report.Filter{Status: []string{"appeal"}}},
		"operator, a day":             {operator, report.Filter{From: day, To: day.AddDate(0, 0, 1)}},
		"operator, an empty window":   {operator, report.Filter{From: day.AddDate(-1, 0, 0), To: day.AddDate(-1, 0, 9)}},
		"operator, an amount no more": {operator, report.Filter{MinAmount: decimal.NewFromInt(9000)}},
		"operator, digits not found":  {operator, report.Filter{Search: "9999"}},
		"operator, an order":          {operator, report.Filter{Search: "order-1"}},
		"operator, a payer not found": {operator, report.Filter{Search: "nobody"}},
		"operator, an amount":         {operator, report.Filter{Search: "1234.56"}},
	} {
		most := 100 * time.Millisecond
		if list.f.Search != "" || !list.f.MinAmount.IsZero() {
			most = time.Second // it looks at 20,000 rows, which lie on as many pages
		}
		reporttest.Within(t, most, name, func() error { return testenv.ErrOf(b.reports.Payments(t.Context(), list.who, list.f)) })
	}
}

// Payments are listed from the oldest on, and by amount, each once whatever the
// size of the pages; the list from the oldest on leads back as well.
func TestPaymentsSorted(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1001, 1010)
	b.Exec(t, "delete from payment where id = $1", p.ID)
	// 1001 to 1010 have 300, 400, 100, 200 and so on: some have the same
	// amount.
	b.Exec(t, "update payment set amount = 100 * ((id + 1) % 4 + 1), status = case when id % 2 = 0 then 'pending' else 'failed' end")
	merchant := merchantUser(b.Shop, caller.Owner)
	read := func(f report.Filter) (all []int64) {
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
		want(t, string(sort), fmt.Sprint(read(report.Filter{Paging: report.Paging{Sort: sort}})), fmt.Sprint(wanted))
		wanted = slices.DeleteFunc(wanted, func(id int64) bool { return id%2 == 0 })
		want(t, string(sort)+", of a status", fmt.Sprint(read(report.Filter{
			Paging: report.Paging{Sort: sort}, Status: []string{"failed"},
		})), fmt.Sprint(wanted))
	}
	first := testenv.Must(b.reports.Payments(t.Context(), merchant, report.Filter{Paging: report.Paging{Sort: report.Oldest, Limit: 3}}))(t)
	second := testenv.Must(b.reports.Payments(t.Context(), merchant, report.Filter{
		Paging: report.Paging{Sort: report.Oldest, Limit: 3, Cursor: *first.Next},
	}))(t)
	back := testenv.Must(b.reports.Payments(t.Context(), merchant, report.Filter{
		Paging: report.Paging{Sort: report.Oldest, Limit: 3, Cursor: *second.Previous, Backward: true},
	}))(t)
	want(t, "back", fmt.Sprint(ids(back)), "[1001 1002 1003]")
	other := merchantUser(b.Other, caller.Owner)
	_, err := b.reports.Payments(t.Context(), other, report.Filter{Paging: report.Paging{Sort: report.Least, Cursor: "1005"}})
	testenv.Check(t, err != nil && strings.Contains(fmt.Sprint(err), "invalid"), "a cursor of another merchant's: %v", err)
}

// Exports go over as many pages as there are, prefix what a spreadsheet would
// carry out, and end with the number of rows.
func TestExports(t *testing.T) {
	b := setup(t)
	baku := testenv.Must(time.LoadLocation("Asia/Baku"))(t)
	p := b.Create(t, b.Shop, "=1+2")
	b.Exec(t, `update payment set metadata = '{"region": "north"}' where id = $1`, p.ID)
	var out bytes.Buffer
	testenv.NoError(t,
		b.reports.ExportPayments(t.Context(), merchantUser(b.Shop, caller.Owner), report.Filter{}, &out, baku))
	want := fmt.Sprintf(
		`created_at,id,uuid,order_id,method,currency,amount,status,status_reason,status_at,cashbox_id,trader_id,requisite,card_last4,amount_usdt,received_amount,metadata
2026-11-20T16:00:00+04:00,%d,%s,'=1+2,sbp,RUB,1000.00,pending,,2026-11-20T16:00:00+04:00,%d,,'%s,,,,"{""region"":""north""}"
rows,1
`, p.ID, p.UUID, b.Shop.CashboxID, *p.RequisiteValue)
	testenv.Want(t, out.String(), want, "the file")
	b.Copies(t, p, 1_001, 6_000)
	out.Reset()
	b.Clock.Advance(24 * time.Hour)
	b.Exec(t, "update merchant set name = '=Shop' where id = $1", b.Shop.ID)
	b.Exec(t, "update trader set name = 'Ann' where id = $1", b.SBP.ID)
	testenv.NoError(t, b.reports.ExportPayments(t.Context(), operator, report.Filter{}, &out, nil))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	owners := fmt.Sprintf(",%d,'=Shop,Ann,,", b.Shop.ID)
	testenv.Check(t, strings.HasSuffix(lines[0], ",merchant_id,merchant,trader,received_amount,metadata,difference_usdt") &&
		strings.Contains(lines[1], owners), "an operator's line has no names: %s\n%s", lines[0], lines[1])
	unique := map[string]bool{}
	for _, line := range lines[1 : len(lines)-1] {
		unique[strings.Split(line, ",")[1]] = true
	}
	testenv.Want(t, len(unique), 5_001, "payments in the file")
	testenv.Want(t, lines[len(lines)-1], "rows,5001", "the last line")
	// What a search names stands once, whatever else it finds on however
	// many pages.
	b.Exec(t, "update payment set order_id = '1000' where id = $1", p.ID)
	b.Exec(t, "update payment_key set order_id = '1000' where payment_id = $1", p.ID)
	out.Reset()
	testenv.NoError(t, b.reports.ExportPayments(t.Context(), operator, report.Filter{Search: "1000"}, &out, nil))
	if got := strings.TrimSpace(out.String()); !strings.HasSuffix(got, "\nrows,5001") || strings.Count(got, ",1000,sbp,") != 1 {
		t.Errorf("a search's file ends with %q and has order 1000 %d times", got[len(got)-20:], strings.Count(got, ",1000,sbp,"))
	}
	busy := b.Beside(t)
	testenv.Must(busy.Exec(t.Context(), "lock table payment"))(t)
	exported := make(chan error, 1)
	go func() {
		exported <- b.reports.ExportPayments(t.Context(), operator, report.Filter{}, io.Discard, nil)
	}()
	b.AwaitTries(t, 2)
	testenv.NoError(t, busy.Rollback(t.Context()), <-exported)
	err := b.reports.ExportPayments(t.Context(), operator, report.Filter{}, failing{}, nil)
	testenv.WantError(t, err, errFull, "to a full disk")
	for who, want := range map[caller.Role]string{caller.Desk: "role_not_allowed", caller.Owner: ""} {
		err := b.reports.ExportPayments(t.Context(), traderUser(b.SBP, who), report.Filter{Search: "0000"}, &out,
			nil)
		testenv.Check(t, dbtest.CodeOf(err) == want, "a trader's %s: %v", who, err)
	}
}

// An operator's file has all that was moved to the platform: of 1000 RUB at 100
// its part of the spread, 0.27619048 USDT, less the 50 RUB that it bears.
func TestExportOfDifference(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Platform, 0), "10")
	b.Exec(t, "update cashbox_method set amount_policy = 'tolerance', tolerance_amount = 100, difference_to = 'platform'")
	p := b.Create(t, b.Shop, "order-1")
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), traderUser(b.SBP, caller.Owner), p.ID, new("950")))(t)
	b.WantHas(t, map[ledger.Account]string{ledger.Available(ledger.Platform, 0): "9.77619048"})
	for who, want := range map[*caller.Caller]bool{new(operator): true, new(traderUser(b.SBP, caller.Owner)): false} {
		var out bytes.Buffer
		testenv.NoError(t, b.reports.ExportPayments(t.Context(), *who, report.Filter{}, &out, nil))
		testenv.Check(t, strings.Contains(out.String(), ",-0.50000000\n") == want && strings.Contains(out.String(), ",0.27619048,") == want,
			"the file of %s: %s", who.Kind, out.String())
	}
}

func TestExportOfPayouts(t *testing.T) {
	b := setup(t)
	b.MayPayOut(t, b.Shop, b.SBP)
	p := b.PayOut(t, b.Shop, "payout-1")
	who := traderUser(b.SBP, caller.Owner)
	testenv.Must(b.Payouts.Take(t.Context(), who, p.UUID.String()))(t)
	var out bytes.Buffer
	testenv.NoError(t, b.reports.ExportPayouts(t.Context(), who, report.Filter{}, &out, nil))
	want := fmt.Sprintf(
		`created_at,id,uuid,order_id,method,currency,amount,status,status_reason,status_at,cashbox_id,trader_id,address,recipient,proof_reference,frozen_usdt,reward_usdt
2026-11-20T12:00:00Z,%d,%s,,sbp,RUB,1000.00,processing,,2026-11-20T12:00:00Z,%d,%d,•••• 4567,Ivan Petrov,,,10.20000000
rows,1
`, p.ID, p.UUID, b.Shop.CashboxID, b.SBP.ID)
	testenv.Want(t, out.String(), want, "the file")
	// Nothing stays moved for one that failed, so sums over the file are
	// what the ledger has.
	testenv.Must(b.Payouts.Fail(t.Context(), who, p.UUID.String(), new("no such number")))(t)
	for _, reader := range []caller.Caller{who, operator, merchantUser(b.Shop, caller.Owner)} {
		out.Reset()
		testenv.NoError(t, b.reports.ExportPayouts(t.Context(), reader, report.Filter{}, &out, nil))
		testenv.Check(t, strings.Contains(out.String(), ",failed,no such number,") && !strings.Contains(out.String(), "10.2"),
			"the file of a failed one: %s", out.String())
	}
}

// Nobody earns by returning what came. One that failed moved its worth from the
// trader to the cashbox: its files say so, as what they did not get and did not
// pay.
func TestExportOfReturn(t *testing.T) {
	b := setup(t)
	who := traderUser(b.SBP, caller.Owner)
	p := b.Create(t, b.Shop, "order-1")
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), who, p.ID, new("950")))(t)
	admin := caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Admin}
	testenv.Must(b.Payments.DecideCase(t.Context(), admin, payment.CaseDecision{
		PaymentID: p.ID, Decision: payment.ReturnIt, To: &payout.Recipient{Method: "sbp", Address: "+79001234567", Recipient: "Ivan"},
	}))(t)
	id := b.Text(t, "select uuid::text from payin where return_of = $1", p.ID)
	sums := func(who caller.Caller) string {
		var out bytes.Buffer
		testenv.NoError(t, b.reports.ExportPayouts(t.Context(), who, report.Filter{}, &out, nil))
		rows := testenv.Must(csv.NewReader(strings.NewReader(strings.Split(out.String(), "rows,")[0])).ReadAll())(t)
		at := slices.Index(rows[0], "frozen_usdt")
		return strings.Join(rows[1][at:at+2], " ")
	}
	readers := []caller.Caller{who, merchantUser(b.Shop, caller.Owner), operator}
	wantSums := func(when string, want ...string) {
		t.Helper()
		for i, reader := range readers {
			testenv.Want(t, sums(reader), want[i], "%s, for the %s", when, reader.Kind)
		}
	}
	testenv.Want(t, testenv.Must(b.Payouts.GetOffer(t.Context(), who, id))(t).RewardUSDT.String(), "0", "the trader is promised")
	wantSums("under way", " 0.00000000", "0.00000000 ", "0.00000000 0.00000000")
	testenv.Must(b.Payouts.Complete(t.Context(), who, id, new("transfer 1")))(t)
	wantSums("completed", " 0.00000000", "0.00000000 ", "0.00000000 0.00000000")
	testenv.Must(b.Payouts.Reverse(t.Context(), admin, id, new("it came back")))(t)
	b.WantHas(t, map[ledger.Account]string{ledger.Available(ledger.Cashbox, b.Shop.CashboxID): "9.5"})
	wantSums("failed", " -9.50000000", "-9.50000000 ", "-9.50000000 -9.50000000")
}

type failing struct{}

var errFull = errors.New("the disk is full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

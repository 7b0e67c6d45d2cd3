package books_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the books.
type bundle struct {
	*reporttest.Bundle
	books *books.Service
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := reporttest.New(t)
	return &bundle{b, books.New(b.Pools(), b.Clock, nil)}
}

// close closes days, as the program does every hour.
func (b *bundle) close(t *testing.T) {
	t.Helper()
	testenv.NoError(t, books.Close(t.Context(), b.Pool, b.Clock))
}

// statementLines are a statement's lines in short: kind, what moved, and the
// balance after it.
func statementLines(s books.Statement) []string {
	var list []string
	for _, line := range s.Items {
		amount := "+" + line.Credit.String()
		if !line.Debit.IsZero() {
			amount = "-" + line.Debit.String()
		}
		list = append(list, fmt.Sprintf("%s %s = %s", line.Kind, amount, line.Balance))
	}
	return list
}

func (b *bundle) statement(t *testing.T, who caller.Caller, f books.StatementFilter) books.Statement {
	t.Helper()
	return testenv.Must(b.books.Statement(t.Context(), who, f))(t)
}

func wantStatement(t *testing.T, name string, got books.Statement, want ...string) {
	t.Helper()
	testenv.WantAll(t, statementLines(got), want, "%s", name)
}

// Where nothing was moved yet no day can be closed, and nothing is wrong.
func TestCloseOfNothing(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	testenv.NoError(t, books.Close(t.Context(), d.Pool, &dbtest.Clock{}))
	testenv.Want(t, d.Count(t, "select count(*) from account_day_closed"), 0, "days closed")
}

// A trader begins with 1000 and holds 9.8 for a payment, which is then
// confirmed, and 9.8 for another. On completion 9.52380952 go to the merchant
// and 0.27619048 to the platform.
func TestStatementByHand(t *testing.T) {
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
	b.Clock.Advance(minute)
	b.Confirm(t, b.SBP, p.ID)
	b.Clock.Advance(24 * time.Hour)
	b.Create(t, b.Shop, "order-2")
	owner := traderUser(b.SBP, caller.Owner)
	available := []string{
		"hold -9.8 = 980.4", "pending-completed +9.8 = 990.2", "pending-completed -0.27619048 = 980.4",
		"pending-completed -9.52380952 = 980.67619048", "hold -9.8 = 990.2", "funding +1000 = 1000",
	}
	all := b.statement(t, owner, books.StatementFilter{})
	wantStatement(t, "available", all, available...)
	testenv.Check(t, all.Opening.IsZero() && all.Closing.String() == "980.4" &&
		all.Items[0].SubjectUUID != all.Items[1].SubjectUUID && all.Items[1].SubjectUUID == p.UUID && all.Items[1].SubjectID == p.ID,
		"from %s to %s, %+v", all.Opening, all.Closing, all.Items[1])
	reserved := books.StatementFilter{Account: ledger.Account{Reserved: true}}
	wantStatement(t, "reserved", b.statement(t, owner, reserved),
		"hold +9.8 = 9.8", "pending-completed -9.8 = 0", "hold +9.8 = 9.8")
	shop := books.StatementFilter{Account: ledger.Available(ledger.Cashbox, b.Shop.CashboxID)}
	wantStatement(t, "cashbox", b.statement(t, merchantUser(b.Shop, caller.Finance), shop),
		"pending-completed +9.52380952 = 9.52380952")
	wantStatement(t, "platform",
		b.statement(t, operator, books.StatementFilter{Account: ledger.Available(ledger.Platform, 0)}),
		"pending-completed +0.27619048 = 0.27619048")
	// Of the first day alone, the oldest first.
	second := dbtest.Start.Truncate(24*time.Hour).AddDate(0, 0, 1)
	day := books.StatementFilter{To: second, OldestFirst: true}
	first := b.statement(t, owner, day)
	oldest := slices.Clone(available[1:])
	slices.Reverse(oldest)
	wantStatement(t, "the first day", first, oldest...)
	rest := b.statement(t, owner, books.StatementFilter{From: second})
	wantStatement(t, "the second day", rest, available[0])
	testenv.Check(t, first.Closing.String() == "990.2" && rest.Opening.String() == "990.2" && rest.Closing.String() == "980.4",
		"the first day ends with %s, the second goes from %s to %s", first.Closing, rest.Opening, rest.Closing)
}

// Balances follow from what was kept at the end of the day before, which is
// kept once nothing of the day can come any more, and which the audit proves.
func TestCheckpoints(t *testing.T) {
	b := setup(t)
	b.Create(t, b.Shop, "order-1")
	owner := traderUser(b.SBP, caller.Owner)
	account := ledger.Available(ledger.Trader, b.SBP.ID).ID()
	count := func() int { return b.Count(t, "select count(*) from account_day where account_id = $1", account) }
	b.Clock.Advance(12*time.Hour + 59*minute) // it is noon at the beginning
	b.close(t)
	testenv.Want(t, count(), 0, "days are closed within an hour")
	b.Clock.Advance(minute)
	b.close(t)
	b.close(t)
	testenv.Want(t, count(), 1, "days are closed")
	b.Clock.Advance(3 * 24 * time.Hour)
	b.CreateOf(t, b.Shop, "sbp", "order-2", "2000")
	b.Clock.Advance(24 * time.Hour)
	b.close(t)
	testenv.Want(t, count(), 2, "days are closed on which something was moved")
	b.Audit(t)
	wantStatement(t, "before", b.statement(t, owner, books.StatementFilter{}),
		"hold -19.6 = 970.6", "hold -9.8 = 990.2", "funding +1000 = 1000")
	// One that is wrong shows, in what follows from it and in the audit.
	b.Exec(t, "update account_day set balance = balance + 5 where account_id = $1 and day = '2026-11-20'", account)
	wantStatement(t, "after", b.statement(t, owner, books.StatementFilter{}),
		"hold -19.6 = 975.6", "hold -9.8 = 995.2", "funding +1000 = 1005")
	found := testenv.Must(audit.Everything(t.Context(), b.Pool))(t)
	testenv.Check(t, len(found) == 2 && strings.Contains(found[0].Detail, fmt.Sprintf("account %d", account)),
		"the audit finds %v", found)
}

// Going on and back by cursors meets every line once, whatever is moved
// meanwhile.
func TestStatementCursors(t *testing.T) {
	b := setup(t)
	for i := range 4 {
		b.Clock.Advance(minute)
		b.CreateOf(t, b.Shop, "sbp", fmt.Sprintf("order-%d", i), fmt.Sprint(1000+i))
	}
	owner := traderUser(b.SBP, caller.Owner)
	for _, oldestFirst := range []bool{false, true} {
		f := books.StatementFilter{OldestFirst: oldestFirst}
		var want []int64
		for _, line := range b.statement(t, owner, f).Items {
			want = append(want, line.TransferID)
		}
		f.Limit = 2
		read := func(cursor *string, backward bool) books.Statement {
			t.Helper()
			if f.Cursor, f.Backward = "", backward; cursor != nil {
				f.Cursor = *cursor
			}
			return b.statement(t, owner, f)
		}
		one := read(nil, false)
		two := read(one.Next, false)
		three := read(two.Next, false)
		var got []int64
		for _, page := range []books.Statement{one, two, three} {
			for _, line := range page.Items {
				got = append(got, line.TransferID)
			}
		}
		testenv.Check(t, len(got) == 5 && slices.Equal(got, want) && one.Previous == nil && three.Next == nil,
			"oldest first %t: %v; want %v", oldestFirst, got, want)
		back := read(three.Previous, true)
		wantStatement(t, "back to the second", back, statementLines(two)...)
		wantStatement(t, "back to the first", read(back.Previous, true), statementLines(one)...)
	}
}

func TestStatementRefuses(t *testing.T) {
	b := setup(t)
	box := books.StatementFilter{Account: ledger.Available(ledger.Cashbox, b.Shop.CashboxID)}
	for name, test := range map[string]struct {
		who  caller.Caller
		f    books.StatementFilter
		want string
	}{
		"a desk":                 {traderUser(b.SBP, caller.Desk), books.StatementFilter{}, "role_not_allowed"},
		"support":                {merchantUser(b.Shop, caller.Support), box, "role_not_allowed"},
		"another's cashbox":      {merchantUser(b.Other, caller.Owner), box, "cashbox_access_denied"},
		"no cashbox":             {merchantUser(b.Shop, caller.Owner), books.StatementFilter{}, "cashbox_access_denied"},
		"a trader, as a cashbox": {merchantUser(b.Shop, caller.Owner), books.StatementFilter{Account: ledger.Available(ledger.Trader, b.Shop.CashboxID)}, "cashbox_access_denied"},
		"a key":                  {b.Shop.Caller, box, "token_kind_not_allowed"},
		"a cursor of a list":     {operator, books.StatementFilter{Paging: report.Paging{Cursor: "12"}}, "validation_failed"},
		"too many":               {operator, books.StatementFilter{Paging: report.Paging{Limit: 101}}, "validation_failed"},
		"an operator":            {operator, box, ""},
	} {
		_, err := b.books.Statement(t.Context(), test.who, test.f)
		testenv.Check(t, dbtest.CodeOf(err) == test.want, "%s: %v; want %q", name, err, test.want)
	}
	// A trader who names somebody else's account sees their own.
	theirs := b.statement(t, traderUser(b.SBP, caller.Owner),
		books.StatementFilter{Account: ledger.Available(ledger.Trader, b.SIM.ID)})
	testenv.Want(t, theirs.Account.OwnerID, b.SBP.ID, "a trader sees account %+v", theirs.Account)
}

// A file of a statement has all of it, the oldest first, and says how many
// lines there are.
func TestExportOfStatement(t *testing.T) {
	b := setup(t)
	var out bytes.Buffer
	testenv.NoError(t, b.books.ExportStatement(t.Context(), traderUser(b.SBP, caller.Owner), books.StatementFilter{}, &out, nil))
	testenv.Want(t, out.String(), `at,transfer_id,kind,subject,subject_id,subject_uuid,debit_usdt,credit_usdt,balance_usdt
2026-11-20T12:00:00Z,1,funding,sandbox,,,,1000.00000000,1000.00000000
rows,1
`, "the file")
}

const minute = time.Minute

var traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

// Income is told beside what it was earned on, also where the platform bears a
// difference. Of 1000 RUB at 100, 10 USDT less the trader's 0.2 are worth
// something to merchant and platform, and 0.27619048 are the platform's. At 950
// RUB it bears 0.5, so a completion takes 0.22380952 from it. Where what came
// is settled, 950 RUB are worth 9.5 less 0.19, and 9.5 − 9.04761904 − 0.19 are
// the platform's.
func TestIncomeOfDifferences(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Platform, 0), "10")
	for i, test := range []struct{ policy, came, completed, reversed string }{
		{"exact", "1000", "0.27619048 0 9.8", "0.27619048 0.27619048 0"},
		{"tolerance", "950", "0 0.22380952 9.8", "0.22380952 0.22380952 0"},
		{"received", "950", "0.26238096 0 9.31", "0.26238096 0.26238096 0"},
	} {
		b.Exec(t, "update cashbox_method set amount_policy = $1, tolerance_amount = 100, difference_to = 'platform'", test.policy)
		b.Clock.Advance(24 * time.Hour)
		p := b.Create(t, b.Shop, fmt.Sprint("order-", i))
		testenv.Must(b.Payments.ConfirmReceived(t.Context(), reporttest.TraderUser(b.SBP, caller.Desk), p.ID, &test.came))(t)
		today := func() string {
			rows := testenv.Must(b.books.Income(t.Context(), reporttest.Operator, books.IncomeFilter{From: b.Clock.Now()}))(t)
			return fmt.Sprint(rows[0].Earned, " ", rows[0].Reversed, " ", rows[0].Volume.Decimal)
		}
		testenv.Want(t, today(), test.completed, "%s, completed", test.policy)
		testenv.Must2(b.Payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, p.ID, payment.Update{Status: "failed"}))(t)
		testenv.Want(t, today(), test.reversed, "%s, reversed", test.policy)
	}
	b.Audit(t)
}

// A reversal deducts what was given, whenever the day of the completion is
// closed: as above 9.8 of what was asked, also where the platform bore a
// difference, and 9.31 of 950 RUB that were settled. Of 800 RUB that are
// settled then, 8 less 0.16 count.
func TestIncomeReversedLater(t *testing.T) {
	for _, test := range []struct{ policy, completed, reversed, again string }{
		{"tolerance", "20: 0 0.22380952 9.8", "22: 0.22380952 0 -9.8", "22: 0.22380952 0.22380952 0"},
		{"received", "20: 0.26238096 0 9.31", "22: 0 0.26238096 -9.31", "22: 0.22095239 0.26238096 -1.47"},
	} {
		for _, closes := range []bool{true, false} {
			t.Run(fmt.Sprint(test.policy, closes), func(t *testing.T) {
				b := setup(t)
				b.Fund(t, ledger.Available(ledger.Platform, 0), "10")
				b.Exec(t, "update cashbox_method set amount_policy = $1, tolerance_amount = 100, difference_to = 'platform'", test.policy)
				desk := reporttest.TraderUser(b.SBP, caller.Desk)
				want := func(when string, lines ...string) {
					t.Helper()
					if closes {
						b.close(t)
					}
					var got []string
					for _, row := range testenv.Must(b.books.Income(t.Context(), operator, books.IncomeFilter{}))(t) {
						got = append(got, row.Day.Format("02: ")+fmt.Sprint(row.Earned, " ", row.Reversed, " ", row.Volume.Decimal))
					}
					testenv.WantAll(t, got, lines, "%s", when)
				}
				p := b.Create(t, b.Shop, "order")
				testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, p.ID, new("950")))(t)
				want("completed", test.completed)
				b.Clock.Advance(48 * time.Hour)
				want("two days later", test.completed)
				b.Set(t, p.ID, "failed")
				want("reversed", test.reversed, test.completed)
				b.Set(t, p.ID, "pending")
				came := map[string]string{"tolerance": "950", "received": "800"}[test.policy]
				testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, p.ID, &came))(t)
				want("again", test.again, test.completed)
				b.Clock.Advance(48 * time.Hour)
				want("in the end", test.again, test.completed)
				b.Audit(t)
			})
		}
	}
}

// What waits for a rate counts on the day on which it is settled, at the rate
// of that day: 950 RUB at 50 are 19 less 0.38. It is deducted like any other.
func TestIncomeSettledLater(t *testing.T) {
	b := setup(t)
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	b.SetRate(t, "RUB", "100", false)
	p := b.Create(t, b.Shop, "order")
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), reporttest.TraderUser(b.SBP, caller.Desk), p.ID, new("950")))(t)
	b.Clock.Advance(24 * time.Hour)
	b.SetRate(t, "RUB", "50", true)
	testenv.Want(t, testenv.Must(b.Payments.Settle(t.Context()))(t), 1, "settled")
	b.Clock.Advance(24 * time.Hour)
	b.Set(t, p.ID, "failed")
	b.Clock.Advance(24 * time.Hour)
	b.close(t)
	var got []string
	for _, row := range testenv.Must(b.books.Income(t.Context(), operator, books.IncomeFilter{}))(t) {
		got = append(got, row.Day.Format("02: ")+row.Volume.Decimal.String())
	}
	testenv.WantAll(t, got, []string{"22: -18.62", "21: 18.62"}, "income")
	b.Audit(t)
}

// What was settled with a difference is deducted as it was counted, also where
// the payment is then settled for what came: 9.8, and of 800 RUB 7.84 count.
func TestIncomeSettledOtherwise(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Platform, 0), "10")
	desk := reporttest.TraderUser(b.SBP, caller.Desk)
	b.Exec(t, "update cashbox_method set amount_policy = 'tolerance', tolerance_amount = 100, difference_to = 'platform'")
	p := b.Create(t, b.Shop, "order")
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, p.ID, new("950")))(t)
	b.Clock.Advance(24 * time.Hour)
	b.Set(t, p.ID, "failed")
	b.Set(t, p.ID, "pending")
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, p.ID, new("800")))(t)
	b.Clock.Advance(24 * time.Hour)
	b.close(t)
	var got []string
	for _, row := range testenv.Must(b.books.Income(t.Context(), operator, books.IncomeFilter{}))(t) {
		got = append(got, row.Day.Format("02: ")+row.Volume.Decimal.String())
	}
	testenv.WantAll(t, got, []string{"21: -1.96", "20: 9.8"}, "income")
	b.Audit(t)
}

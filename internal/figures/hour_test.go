package figures_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/figures"
	"gateway.example/internal/testenv"
)

const (
	ruleHours = "what is counted of an hour's payments follows from their history"
	ruleSums  = "what is counted of a day's payments is the sum of its hours"
)

// countHours counts, as the program does every two seconds.
func (b *bundle) countHours(t *testing.T) {
	t.Helper()
	testenv.NoError(t, b.hours.Count(context.Background()))
}

// wantHours compares what is counted with what was counted by hand: hour,
// method, status, span of the time to pay, payments, amount, seconds. The audit
// has to agree.
func (b *bundle) wantHours(t *testing.T, when string, want ...string) {
	t.Helper()
	got := b.Texts(t, `select concat_ws(' ', to_char(hour at time zone 'UTC', 'DD/HH24'), method, status, span, payments, amount, seconds)
		from payment_hour where payments <> 0 or amount <> 0 or seconds <> 0 order by hour, method, status, span`)
	testenv.WantAll(t, got, want, "%s", when)
	found := append(b.broken(t, ruleHours), b.broken(t, ruleSums)...)
	testenv.Check(t, len(found) == 0, "%s, the audit: %v", when, found)
}

// broken is what the full audit and that of what was booked lately say by a
// rule.
func (b *bundle) broken(t *testing.T, rule string) []audit.Violation {
	t.Helper()
	var found []audit.Violation
	for _, list := range [][]audit.Violation{
		testenv.Must(audit.Everything(t.Context(), b.Pool))(t),
		testenv.Must(audit.Since(t.Context(), b.Pool, dbtest.Start))(t),
	} {
		for _, v := range list {
			if v.Rule == rule {
				found = append(found, v)
			}
		}
	}
	return found
}

// A payment counts in the hour of its creation, whatever becomes of it and
// however late.
func TestHoursFollowTheHistory(t *testing.T) {
	b := setup(t)
	b.countHours(t)
	b.wantHours(t, "without payments")
	first := b.Create(t, b.Shop, "first")
	second := b.CreateOf(t, b.Shop, "sim", "second", "250.50")
	b.countHours(t)
	b.wantHours(t, "two wait", "20/12 sbp pending -1 1 1000.00 0", "20/12 sim pending -1 1 250.50 0")

	b.Clock.Advance(4 * time.Minute) // 240 s begin the tenth span
	b.Confirm(t, b.SBP, first.ID)
	b.countHours(t)
	b.wantHours(t, "one is paid", "20/12 sbp completed 9 1 1000.00 240", "20/12 sim pending -1 1 250.50 0")

	b.Clock.Advance(2 * time.Hour)
	third := b.Create(t, b.Shop, "third")
	b.Set(t, second.ID, "failed")
	b.countHours(t)
	b.wantHours(t, "another hour", "20/12 sbp completed 9 1 1000.00 240", "20/12 sim failed -1 1 250.50 0",
		"20/14 sbp pending -1 1 1000.00 0")

	b.Clock.Advance(72 * time.Hour)
	b.Set(t, first.ID, "appeal")
	b.Set(t, second.ID, "completed") // 74 h 4 min after its creation
	b.countHours(t)
	b.wantHours(t, "days later", "20/12 sbp appeal -1 1 1000.00 0", "20/12 sim completed 25 1 250.50 266640",
		"20/14 sbp pending -1 1 1000.00 0")

	// The appeal is decided: the payer took as long as they did, however
	// long that took.
	b.Set(t, first.ID, "completed")
	b.Set(t, second.ID, "pending")
	b.Set(t, third.ID, "completed")
	b.countHours(t)
	b.wantHours(t, "decided and set back", "20/12 sbp completed 9 1 1000.00 240", "20/12 sim pending -1 1 250.50 0",
		"20/14 sbp completed 25 1 1000.00 259200")
	b.countHours(t)
	b.Exec(t, "update payment_hour_progress set last_id = last_id")
	b.countHours(t)
	b.wantHours(t, "again", "20/12 sbp completed 9 1 1000.00 240", "20/12 sim pending -1 1 250.50 0",
		"20/14 sbp completed 25 1 1000.00 259200")
	// Of sbp two were created, and completed, one of them twice; of sim one
	// was set back.
	b.wantCame(t, "RUB sbp appeal 1", "RUB sbp completed 3", "RUB sbp pending 2",
		"RUB sim completed 1", "RUB sim failed 1", "RUB sim pending 2")
}

// wantCame compares what the metric says.
func (b *bundle) wantCame(t *testing.T, want ...string) {
	t.Helper()
	families := testenv.Must(b.metrics.Gather())(t)
	var got []string
	for _, family := range families {
		for _, series := range family.GetMetric() {
			var words []string
			for _, label := range series.GetLabel() {
				words = append(words, label.GetValue())
			}
			got = append(got, fmt.Sprintf("%s %g", strings.Join(words, " "), series.GetCounter().GetValue()))
		}
	}
	slices.Sort(got)
	testenv.WantAll(t, got, want, "came to a status")
}

// A completed payment counts with what it was settled for, and everywhere else
// with what was asked: of 1000 RUB came 950.50, then an application says that
// all is well, which settles what was asked.
func TestHoursCountWhatWasSettled(t *testing.T) {
	b := setup(t)
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	desk, owner := traderUser(b.SBP, caller.Desk), merchantUser(b.Shop, caller.Owner)
	first := b.Create(t, b.Shop, "first")
	b.Clock.Advance(40 * time.Second)
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, first.ID, new("950.50")))(t)
	b.countHours(t)
	b.wantHours(t, "settled", "20/12 sbp completed 2 1 950.50 40")
	o := testenv.Must(b.figures.Overview(t.Context(), owner, time.UTC))(t)
	want(t, "today", short(o.Today[0].Now)+", "+short(o.Methods[0].Figures), "1 1 1 100 950.5 38s, 1 1 1 100 950.5 38s")
	for _, who := range []caller.Caller{owner, operator} {
		trend := testenv.Must(b.figures.Trend(t.Context(), who, figures.TrendFilter{Days: 7, Zone: time.UTC}))(t)
		want(t, string(who.Kind), fmt.Sprint(trend.Volumes), "[{RUB 950.5}]")
	}
	b.Exec(t, "update payment_hour set amount = 1000 where status = 'completed'")
	found := b.broken(t, ruleHours)
	testenv.Check(t, len(found) == 2 && strings.HasSuffix(found[0].Detail, "has 1 payments of 1000.00 in 40 s, should have 1 of 950.50 in 40 s"),
		"%v", found)
	b.Exec(t, "update payment_hour set amount = 950.50 where status = 'completed'")

	b.Set(t, first.ID, "appeal")
	b.countHours(t)
	b.wantHours(t, "set back", "20/12 sbp appeal -1 1 1000.00 0")
	b.Set(t, first.ID, "completed")
	b.countHours(t)
	b.wantHours(t, "settled for what was asked", "20/12 sbp completed 2 1 1000.00 40")

	// All at once, and to and fro: 300.25 of 500 came, and then 499 of
	// them.
	second := b.CreateOf(t, b.Shop, "sbp", "second", "500")
	b.Clock.Advance(40 * time.Second)
	for _, came := range []string{"300.25", "499"} {
		testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, second.ID, &came))(t)
		b.Set(t, second.ID, "failed")
		b.Set(t, second.ID, "pending")
	}
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), desk, second.ID, new("400")))(t)
	b.countHours(t)
	b.wantHours(t, "to and fro", "20/12 sbp completed 2 2 1400.00 80")
	b.Audit(t)
}

// A row of the history that is committed after later ones is counted when it
// comes, and one that never comes is not waited for for ever.
func TestHoursMissNoLateCommit(t *testing.T) {
	b := setup(t)
	first := b.Create(t, b.Shop, "first")
	late := b.Beside(t)
	const move = `insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status)
		values ($1, $2, $3, 'system', 'pending', 'failed')`
	testenv.Must(late.Exec(t.Context(), move, b.Shop.ID, first.ID, b.Clock.Now()))(t)
	gone := b.Beside(t)
	var lost int64
	testenv.NoError(t, gone.QueryRow(t.Context(), move+" returning id", b.Shop.ID, first.ID, b.Clock.Now()).Scan(&lost))
	testenv.NoError(t, gone.Rollback(t.Context()))
	b.CreateOf(t, b.Shop, "sbp", "second", "500")
	b.countHours(t)
	b.wantHours(t, "while one is open", "20/12 sbp pending -1 2 1500.00 0")
	testenv.NoError(t, late.Commit(t.Context()))
	b.wantHours(t, "committed and not counted", "20/12 sbp pending -1 2 1500.00 0")
	b.countHours(t)
	b.wantHours(t, "counted", "20/12 sbp failed -1 1 1000.00 0", "20/12 sbp pending -1 1 500.00 0")
	b.countHours(t)
	b.wantHours(t, "once", "20/12 sbp failed -1 1 1000.00 0", "20/12 sbp pending -1 1 500.00 0")

	const gaps = "select count(*) from payment_history_gap where id = $1"
	testenv.Want(t, b.Count(t, gaps, lost), 1, "the id that was rolled back is looked for")
	for _, c := range []struct{ minutes, want int }{{59, 1}, {61, 0}} {
		b.Exec(t, "update payment_history_gap set since = now() - make_interval(mins => $1)", c.minutes)
		b.countHours(t)
		testenv.Want(t, b.Count(t, gaps, lost), c.want, "it is looked for after %d minutes", c.minutes)
	}
}

// However many processes count at once, and wherever one of them dies, each row
// counts once.
func TestHoursCountOnce(t *testing.T) {
	b := setup(t)
	for _, amount := range []string{"100", "101", "102", "103", "104", "105"} {
		b.CreateOf(t, b.Shop, "sbp", "order-"+amount, amount)
	}
	dies := b.Beside(t)
	testenv.Must(dies.Exec(t.Context(), "select from payment_hour_progress for update"))(t)
	b.countHours(t)
	b.wantHours(t, "while another is at it")
	testenv.Must(dies.Exec(t.Context(), "update payment_hour_progress set last_id = 1000"))(t)
	testenv.NoError(t, dies.Rollback(t.Context()))
	testenv.NoError(t, testenv.AtOnce(8, func(int) error { return b.hours.Count(context.Background()) })...)
	// 100 + 101 + 102 + 103 + 104 + 105
	b.wantHours(t, "eight at once", "20/12 sbp pending -1 6 615.00 0")
	b.wantCame(t, "RUB sbp pending 6")
}

// The audit names the row that is wrong, and finds it by what was booked
// lately, too.
func TestAuditOfHours(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "hours.txt") {
		t.Run(row[0], func(t *testing.T) {
			b := setup(t)
			b.Create(t, b.Shop, "first")
			b.countHours(t)
			b.wantHours(t, "as it is", "20/12 sbp pending -1 1 1000.00 0")
			b.Exec(t, row[0])
			found := b.broken(t, ruleHours)
			testenv.Check(t, len(found)%2 == 0 && len(found) != 0 && strings.HasSuffix(found[0].Detail, " sbp RUB, "+row[1]) &&
				strings.HasPrefix(found[0].Detail, "2026-11-20 12:00, merchant "), "%v", found)
		})
	}
}

// A row of an hour without payments is found by the full audit.
func TestAuditOfHoursWithoutPayments(t *testing.T) {
	b := setup(t)
	b.Exec(t, `insert into payment_hour (merchant_id, hour, cashbox_id, method, currency, status, span, payments, amount, seconds)
		values (1, '2026-11-19 03:00Z', 1, 'sbp', 'RUB', 'failed', -1, 1, 10, 0)`)
	found := b.broken(t, ruleHours)
	testenv.Check(t, len(found) == 1 && strings.HasPrefix(found[0].Detail, "2026-11-19 03:00, "), "%v", found)
}

// The sums of hours follow them, whatever happens to payments and whoever
// counts, and the audit finds one that does not.
func TestSumsFollowTheHours(t *testing.T) {
	for _, row := range testenv.Rows(t, "sums.txt") {
		t.Run(row[0], func(t *testing.T) {
			b := setup(t)
			p := b.Create(t, b.Shop, "first")
			b.Clock.Advance(40 * time.Second)
			b.Confirm(t, b.SBP, p.ID)
			b.countHours(t)
			b.wantHours(t, "as it is", "20/12 sbp completed 2 1 1000.00 40")
			b.Exec(t, row[0])
			found := b.broken(t, ruleSums)
			want := strings.ReplaceAll(row[1], "{merchant}", fmt.Sprint(b.Shop.ID))
			testenv.Check(t, len(found) > 0 && len(found)%2 == 0 && found[0].Detail == want, "%v, want %s", found, want)
		})
	}
}

package audit_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/audit"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// One process at a time makes an audit that is due; what it proved is not read again, and one that
// began and never ended is begun anew.
func TestAuditRuns(t *testing.T) {
	b := auditable(t)
	now := dbtest.Start.Add(90 * time.Second)
	b.Exec(t, "update audit_run set proven_at = $1", dbtest.Start.Add(-time.Hour))
	does := func(at time.Time, want bool) []audit.Violation {
		t.Helper()
		found, due, err := audit.Recent.Do(t.Context(), b.Pool, always(at))
		check(t, err)
		testenv.Want(t, due, want, "at %s it was made", at.Format(time.TimeOnly))
		return found
	}
	b.smash(t, breakagesOf(t, "payments.txt")["settled for another amount"].sql)
	if found := does(now, true); len(found) != 2 {
		t.Errorf("%v", found)
	}
	does(now.Add(time.Minute-time.Second), false)
	testenv.Want(t, b.Count(t, "select violations from audit_run where scope = 'recent'"), 2, "violations are kept")
	// What was booked two minutes before is proven, for good or ill.
	testenv.Want(t, len(does(now.Add(3*time.Minute), true)), 0, "again")
	begun := now.Add(10 * time.Minute)
	b.Exec(t, "update audit_run set began_at = $1, seen_at = $1 where scope = 'recent'", begun)
	does(begun.Add(audit.Recent.Patience-time.Second), false)
	does(begun.Add(audit.Recent.Patience), true)

	found, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now.Add(24*time.Hour)))
	if err != nil || !due || len(found) != 2 {
		t.Errorf("in full: %v, %t, %v", found, due, err)
	}
	if _, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now.Add(47*time.Hour))); err != nil || due {
		t.Errorf("in full, a second time within the day: %t, %v", due, err)
	}
}

func always(at time.Time) func() time.Time { return func() time.Time { return at } }

// A full audit that was left in the middle is gone on with where it was, by one process only, with
// what it had found. A day later it begins anew.
func TestFullAuditGoesOn(t *testing.T) {
	b := auditable(t)
	// The first breaks a rule for two accounts.
	breakages := breakagesOf(t, "payments.txt")
	short := breakages["short without a mark"]
	b.smash(t, breakages["settled for another amount"].sql+";"+short.sql)
	now := dbtest.Start.Add(48 * time.Hour)
	left := func(began time.Time) {
		b.Exec(
			t,
			`update audit_run set began_at = $1, seen_at = $2, proven_at = 'epoch', rule = $3, past = 7, found = 2 where scope = 'full'`,
			began,
			now.Add(-audit.Complete.Patience),
			short.rule,
		)
	}
	kept := func() int { return b.Count(t, "select violations from audit_run where scope = 'full'") }
	left(now.Add(-time.Hour))
	if _, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now.Add(-time.Second))); due || err != nil {
		t.Errorf("somebody is still at it: %t, %v", due, err)
	}
	found, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now))
	if err != nil || !due || len(found) != 1 || found[0].Rule != short.rule || kept() != 3 {
		t.Errorf("%v, %t, %v; %d are kept", found, due, err, kept())
	}
	left(now.Add(-24 * time.Hour))
	found, due, err = audit.Complete.Do(t.Context(), b.Pool, always(now))
	if err != nil || !due || len(found) != 3 || kept() != 3 {
		t.Errorf("anew: %v, %t, %v; %d are kept", found, due, err, kept())
	}
	left(now.Add(-time.Hour))
	asked := 0
	_, due, err = audit.Complete.Do(t.Context(), b.Pool, func() time.Time {
		if asked++; asked > 1 {
			b.Exec(t, "update audit_run set seen_at = $1", now.Add(time.Second))
		}
		return now
	})
	if !due || err == nil {
		t.Errorf("taken over by another: %t, %v", due, err)
	}
}

// Every rule can be asked on a distributed database, about all and about what is new.
func TestRulesDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	for _, wrong := range audit.AskEach(t.Context(), d.Pool) {
		t.Error(wrong)
	}
}

// What is broken on a distributed database is found once it has been asked again, and nobody who writes is held up for it.
func TestBrokenDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	d.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	found, err := audit.Everything(t.Context(), d.Pool)
	if err != nil || len(found) > 0 {
		t.Fatalf("%v, %v", found, err)
	}
	d.Exec(t, "update account_balance set balance = balance + 1 where account_id % 8 = 6")
	writer := testenv.Must(d.Pool.Begin(t.Context()))(t)
	defer func() { testenv.NoError(t, writer.Rollback(t.Context())) }()
	testenv.Must(writer.Exec(t.Context(), "lock table payment in row exclusive mode"))(t)
	found, err = audit.Everything(t.Context(), d.Pool)
	if err != nil || len(found) != 1 ||
		found[0].Rule != "an account's balance is what was moved to it less what was moved from it" {
		t.Errorf("%v, %v", found, err)
	}
}

// What cannot be proven while writers are held up for a moment is undecided, and they go on.
func TestUndecidedDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	proofs := 0
	found, err := audit.ProveAgain(
		t.Context(),
		d.Pool,
		[]string{"0"},
		func(ctx context.Context, _ *pgxpool.Pool) ([]string, error) {
			if proofs++; proofs > 2 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []string{strconv.Itoa(proofs)}, nil
		},
	)
	if err == nil || proofs != 3 {
		t.Errorf("%v, %v after %d proofs", found, err, proofs)
	}
	d.Exec(t, "update account_balance set balance = balance")
}

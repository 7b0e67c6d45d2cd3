package seal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
)

func wantPages(t *testing.T, b *bundle, want ...string) {
	t.Helper()
	got := b.pages(t)
	testenv.Check(t, slices.Equal(got, want), "pages %v, want %v", got, want)
	b.Audit(t)
}

// A day is sealed once it is over, each of several that were missed by itself, and one without
// transfers as a page without leaves.
func TestDays(t *testing.T) {
	b := setup(t)
	b.seal(t)
	wantPages(t, b) // nothing was ever moved
	b.posts(t, 3, dbtest.Start)
	b.sealAt(t, seal.Grace-time.Second)
	wantPages(t, b)
	b.sealAt(t, seal.Grace)
	b.seal(t)
	wantPages(t, b, "20: 3")
	b.posts(t, 1, b.clock.Now())
	b.until(2*day + time.Hour)
	b.posts(t, 5, b.clock.Now())
	b.sealAt(t, 3*day+time.Hour)
	wantPages(t, b, "20: 3", "21: 1", "22: 0", "23: 5")
}

// What is committed late, or made by a clock that went back, is on the next page, and on no other.
func TestLate(t *testing.T) {
	b := setup(t)
	b.posts(t, 2, dbtest.Start)
	b.sealAt(t, seal.Grace)
	b.posts(t, 1, dbtest.Start.Add(time.Hour))
	b.posts(t, 1, dbtest.Start.Add(-time.Hour*48))
	b.posts(t, 1, dbtest.Start.Add(5*day)) // of a clock that is ahead
	wantPages(t, b, "20: 2")
	b.sealAt(t, day+seal.Grace)
	wantPages(t, b, "20: 2", "21: 2")
	b.clock.Advance(-2 * day)
	b.seal(t)
	b.posts(t, 1, b.clock.Now())
	b.sealAt(t, 6*day+seal.Grace)
	wantPages(t, b, "20: 2", "21: 2", "22: 1", "23: 0", "24: 0", "25: 1", "26: 0")
}

// A transaction that is open across midnight has taken ids: no page is decided until it has ended,
// and then its transfers are on it.
func TestOpenAcrossMidnight(t *testing.T) {
	b := setup(t)
	b.posts(t, 1, dbtest.Start)
	tx := b.Beside(t)
	post(t, db.New(tx), b.shop, dbtest.Start.Add(time.Hour))
	b.posts(t, 1, dbtest.Start.Add(2*time.Hour)) // its id is higher, and it is there before
	b.until(seal.Grace)
	b.sealer.WaitForWriters(50 * time.Millisecond)
	err := b.sealer.Run(t.Context())
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "open for too long"), "while a transaction is open: %v", err)
	testenv.Want(t, len(b.pages(t)), 0, "while a transaction is open")
	b.sealer.WaitForWriters(time.Minute)
	sealed := make(chan error, 1)
	go func() { sealed <- b.sealer.Run(t.Context()) }()
	time.Sleep(100 * time.Millisecond)
	testenv.NoError(t, tx.Commit(t.Context()))
	testenv.NoError(t, <-sealed)
	wantPages(t, b, "20: 3")
}

// Several processes at once come to one page of each day, with turns and without.
func TestManySealers(t *testing.T) {
	b := setup(t)
	for i := range 4 {
		b.posts(t, 300, dbtest.Start.Add(time.Duration(i)*day))
	}
	b.until(3*day + seal.Grace)
	all := func(run func(*seal.Sealer) error) {
		testenv.NoError(t, testenv.AtOnce(4, func(int) error { return run(seal.NewSealer(b.Pool, b.clock, b.signer)) })...)
	}
	all(func(s *seal.Sealer) error { return s.SealAll(t.Context()) })
	wantPages(t, b, "20: 300", "21: 300", "22: 300", "23: 300")
	b.posts(t, 10, b.clock.Now())
	b.until(4*day + seal.Grace)
	b.Exec(t, "update ledger_sealer set until = now() + interval '1 minute'")
	all(func(s *seal.Sealer) error { return s.Run(t.Context()) })
	testenv.Want(t, len(b.pages(t)), 4, "out of turn")
	b.Exec(t, "update ledger_sealer set until = now() - interval '1 second'")
	all(func(s *seal.Sealer) error { return s.Run(t.Context()) })
	wantPages(t, b, "20: 300", "21: 300", "22: 300", "23: 300", "24: 10")
}

// A process that dies between two steps leaves what another goes on with: the page is what it was
// decided to be, whatever was moved since.
func TestCrash(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"before the parts": "create trigger broken before insert on ledger_part execute function append_only()",
		"before the page":  "create trigger broken before insert on ledger_page execute function append_only()",
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.posts(t, 2000, dbtest.Start)
			b.until(seal.Grace)
			b.Exec(t, sql)
			testenv.Need(t, b.sealer.Run(t.Context()) != nil, "it did not break")
			b.posts(t, 7, dbtest.Start.Add(time.Hour))
			b.Exec(t, "drop trigger broken on "+strings.Fields(strings.Split(sql, " on ")[1])[0])
			b.seal(t)
			wantPages(t, b, "20: 2000")
			b.sealAt(t, day+seal.Grace)
			wantPages(t, b, "20: 2000", "21: 7")
		})
	}
}

// Whoever changes the books or the pages behind the gateway's back is found out, also where only the
// last day is read again.
func TestChangesAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range testenv.Rows(t, "changes.txt") {
		t.Run(c[0], func(t *testing.T) {
			b := setup(t)
			b.posts(t, 2, dbtest.Start)
			b.posts(t, 3, dbtest.Start.Add(day))
			b.sealAt(t, day+seal.Grace)
			wantPages(t, b, "20: 2", "21: 3")
			b.smash(t, c[1])
			recent := testenv.Must(audit.Since(t.Context(), b.Pool, b.clock.Now()))(t)
			full := testenv.Must(audit.Everything(t.Context(), b.Pool))(t)
			testenv.Check(t, found(full, c[2]) && found(recent, c[2]) == (len(c) == 3),
				"in full %v, at once %v", full, recent)
		})
	}
}

func found(list []audit.Violation, detail string) bool {
	return slices.ContainsFunc(list, func(v audit.Violation) bool {
		return v.Rule == "a sealed day has the transfers that it was sealed with" && strings.Contains(v.Detail, detail)
	})
}

// The pages and what they are made of are never changed, and stand in one chain.
func TestPagesAreAppendOnly(t *testing.T) {
	b := setup(t)
	b.posts(t, 2, dbtest.Start)
	b.sealAt(t, seal.Grace)
	for _, sql := range []string{
		"update ledger_page set transfers = 3", "delete from ledger_page", "truncate ledger_page",
		"update ledger_seal set last_id = 3", "delete from ledger_seal", "update ledger_part set last_id = 1",
		"insert into ledger_seal select day + 1, last_id, salt from ledger_seal; " +
			"insert into ledger_page select day + 1, last_id, transfers, root, totals, totals_hash, null, previous_hash, sealed_at, " +
			"hash, kid, signature from ledger_page",
		"insert into ledger_seal select day + 1, last_id, salt from ledger_seal; " +
			"insert into ledger_page select day + 1, last_id, transfers, root, totals, totals_hash, day, previous_hash, sealed_at, " +
			"hash, kid, signature from ledger_page",
	} {
		_, err := b.Pool.Exec(t.Context(), sql)
		testenv.Check(t, err != nil, "%s: it was done", sql)
	}
}

// An id is taken when it is used, and not kept for later: the sealer goes by that.
func TestIDsAreNotKept(t *testing.T) {
	b := setup(t)
	kept := b.Count(t, "select seqcache from pg_sequence where seqrelid = 'transfer_id_seq'::regclass")
	testenv.Want(t, kept, 1, "ids are kept")
}

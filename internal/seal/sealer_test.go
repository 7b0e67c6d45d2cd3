package seal_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const day = 24 * time.Hour

// bundle is the ledger of two merchants and a trader, with a rate of 100 RUB
// per USDT, and its sealer.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	signer   *attest.Signer
	sealer   *seal.Sealer
	proofs   *seal.Service
	payments *payment.Service
	deposits *deposit.Service
	services seal.Services

	shop, other dbtest.Merchant
	trader      dbtest.Trader
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	testenv.Must(b.Queries().TestClockSeed(t.Context(), "test"))(t) // so that post may make money
	b.SetRate(t, "RUB", "100", true)
	scopes := []string{caller.ScopePayments, caller.ScopePayouts, caller.ScopeDeposits}
	b.shop = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: scopes})
	b.other = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: scopes})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	addresses := outbound.NewAddresses(false)
	b.payments = testenv.Must(payment.New(b.Pools(), b.clock, addresses, settings,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true}))(t)
	b.deposits = deposit.New(b.Pools(), b.clock, foureyes.Rules{})
	b.signer = testenv.Must(attest.New(b.Pool, bytes.Repeat([]byte{7}, 32)))(t)
	testenv.NoError(t, b.signer.Note(t.Context(), dbtest.Start))
	b.services = seal.Services{
		Payments: b.payments, Payouts: payout.New(b.Pools(), b.clock, dbtest.Vault(), addresses, foureyes.Rules{}), Deposits: b.deposits,
		Withdrawals: withdrawal.New(b.Pools(), b.clock, addresses, b.signer, foureyes.Rules{}), Signer: b.signer,
	}
	b.sealer, b.proofs = seal.NewSealer(b.Pool, b.clock, b.signer), seal.New(b.Pools(), b.services)
	return b
}

var operator = caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Auditor}

// until moves the clock to so long after the midnight that ends the first day.
func (b *bundle) until(after time.Duration) {
	midnight := dbtest.Start.Truncate(day).Add(day)
	b.clock.Advance(midnight.Add(after).Sub(b.clock.Now()))
}

func (b *bundle) seal(t *testing.T) {
	t.Helper()
	testenv.NoError(t, b.sealer.Run(t.Context()))
}

// sealAt seals so long after the midnight that ends the first day.
func (b *bundle) sealAt(t *testing.T, after time.Duration) {
	t.Helper()
	b.until(after)
	b.seal(t)
}

// post moves 1 USDT into the first shop, made at that time, in a transaction.
func post(t *testing.T, q *db.Queries, m dbtest.Merchant, at time.Time) {
	t.Helper()
	testenv.NoError(t, ledger.Post(t.Context(), q, ledger.Cause{Kind: "funding", Subject: "sandbox", SubjectID: 1, At: at},
		ledger.Transfer{
			Debit: ledger.Available(ledger.External, 0), Credit: ledger.Available(ledger.Cashbox, m.CashboxID),
			Amount: decimal.NewFromInt(1),
		}))
}

func (b *bundle) posts(t *testing.T, n int, at time.Time) {
	t.Helper()
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		for range n {
			post(t, q, b.shop, at)
		}
		return nil
	}))
}

// smash changes what cannot be changed, as somebody does who owns the database.
func (b *bundle) smash(t *testing.T, sql string, args ...any) {
	t.Helper()
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		if _, err := tx.Exec(t.Context(), "set local session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), sql, args...)
		return err
	}))
}

// pages are the days that are sealed, each with its number of transfers.
func (b *bundle) pages(t *testing.T) (list []string) {
	t.Helper()
	return b.Texts(t, "select to_char(day, 'DD') || ': ' || transfers from ledger_page order by day")
}

// paid makes a payment of 1000 RUB to a merchant and completes it.
func (b *bundle) paid(t *testing.T, m dbtest.Merchant) payment.Payment {
	t.Helper()
	if b.trader.ID == 0 {
		b.trader = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1})
	}
	method := "sbp"
	created := testenv.Must(b.payments.Create(t.Context(), m.Caller, payment.Request{
		OrderID: "one", Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	}))(t)
	b.clock.Advance(time.Minute)
	return testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, created.Payment.ID))(t)
}

func wantPages(t *testing.T, b *bundle, want ...string) {
	t.Helper()
	got := b.pages(t)
	testenv.Check(t, slices.Equal(got, want), "pages %v, want %v", got, want)
	b.Audit(t)
}

// A day is sealed once it is over, each of several that were missed by itself,
// and one without transfers as a page without leaves.
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

// What is committed late, or made by a clock that went back, is on the next
// page, and on no other.
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

// A transaction that is open across midnight has taken ids: no page is decided
// until it has ended, and then its transfers are on it.
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

// Several processes at once come to one page of each day, with turns and
// without.
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

// A process that dies between two steps leaves what another goes on with: the
// page is what it was decided to be, whatever was moved since.
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

// Whoever changes the books or the pages behind the gateway's back is found
// out, also where only the last day is read again.
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

// The pages and what they are made of are never changed, and stand in one
// chain.
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

// An id is taken when it is used, and not kept for later: the sealer goes by
// that.
func TestIDsAreNotKept(t *testing.T) {
	b := setup(t)
	kept := b.Count(t, "select seqcache from pg_sequence where seqrelid = 'transfer_id_seq'::regclass")
	testenv.Want(t, kept, 1, "ids are kept")
}

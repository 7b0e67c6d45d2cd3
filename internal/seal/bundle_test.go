package seal_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
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

// bundle is the ledger of two merchants and a trader, with a rate of 100 RUB per USDT, and its sealer.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	signer   *attest.Signer
	sealer   *seal.Sealer
	proofs   *seal.Service
	payments *payment.Service
	deposits *deposit.Service
	rooms    seal.Rooms

	shop, other dbtest.Merchant
	trader      dbtest.Trader
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}}
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
	b.rooms = seal.Rooms{
		Payments: b.payments, Payouts: payout.New(b.Pools(), b.clock, dbtest.Vault(), addresses, foureyes.Rules{}), Deposits: b.deposits,
		Withdrawals: withdrawal.New(b.Pools(), b.clock, addresses, b.signer, foureyes.Rules{}), Signer: b.signer,
	}
	b.sealer, b.proofs = seal.NewSealer(b.Pool, b.clock, b.signer), seal.New(b.Pools(), b.clock, b.rooms)
	return b
}

func merchantUser(of dbtest.Merchant) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, ID: 50 + of.ID, MerchantID: of.ID, Role: caller.Owner}
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
	testenv.NoError(t, ledger.Post(t.Context(), q, ledger.Cause{Kind: "funding", Subject: "test", SubjectID: 1, At: at},
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
	rows := testenv.Must(b.Pool.Query(t.Context(),
		"select to_char(day, 'DD') || ': ' || transfers from ledger_page order by day"))(t)
	return testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
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

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/requisite"
	"gateway.example/internal/setting"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// ErrOtherKey says that the database belongs to another sandbox.
var ErrOtherKey = errors.New("the database was seeded by a sandbox with another data directory")

// Seed fills the database once, also if several processes start at the same
// time.
func Seed(ctx context.Context, pool db.Pool, key Key, v *vault.Vault, safe *requisite.Safe) error {
	return db.InTx(ctx, pool, func(tx pgx.Tx, q *db.Queries) error {
		// The first process to insert the row seeds; the others wait
		// here until it commits.
		first, err := q.TestClockSeed(ctx, key.fingerprint())
		if err != nil {
			return fmt.Errorf("claim the database: %w", err)
		}
		if first == 0 {
			return checkKey(ctx, q, key)
		}
		s := seeder{tx: tx, q: q, key: key, vault: v, safe: safe, now: time.Now().UTC().Truncate(time.Millisecond)}
		return s.all(ctx)
	})
}

func checkKey(ctx context.Context, q *db.Queries, key Key) error {
	row, err := q.TestClockGet(ctx)
	if err != nil {
		return fmt.Errorf("read the test clock: %w", err)
	}
	if row.SeedFingerprint != key.fingerprint() {
		return ErrOtherKey
	}
	return nil
}

type seeder struct {
	tx    pgx.Tx
	q     *db.Queries
	key   Key
	vault *vault.Vault
	safe  *requisite.Safe
	now   time.Time
}

// priorityLast comes after the operator's rate and every feed's.
const priorityLast = 1001

// widerLimits is the factor by which the call limits of a sandbox are higher.
const widerLimits = 10

// rates are fiat per USDT. They never become stale.
var rates = map[string]string{"RUB": "92.50", "AZN": "1.70", "TRY": "41.25", "MNT": "3580.00"}

// requisites are a set of requisites of one trader.
type requisites struct {
	trader           int
	currency, method string
	count            int
}

// Enough for 1,000 open RUB payments by one method, even with equal amounts:
// each needs its own requisite.
var pools = []requisites{
	{0, "RUB", "sbp", 500}, {1, "RUB", "sbp", 500},
	{0, "RUB", "sim", 500}, {1, "RUB", "sim", 500},
	{0, "RUB", "card", 500}, {1, "RUB", "card", 500},
	{2, "AZN", "c2c", 100}, {2, "TRY", "c2c", 100}, {2, "MNT", "c2c", 100}, {2, "MNT", "iban", 100},
	// Requisites of card checkout. Each takes any number of payments; with
	// several, creations do not wait for one another.
	{0, "RUB", "mtstpay", 8}, {1, "RUB", "mtstpay", 8}, {2, "AZN", "quasi_ecom", 8}, {2, "TRY", "quasi_ecom", 8},
}

const (
	traders    = 3
	traderUSDT = "10000000"
	// The part of the spread that traders keep, as a percent of spot.
	traderShare = "1.5"
	// The markup of every cashbox method.
	margin      = "4.5"
	cashboxUSDT = "100000"
	limitMin    = "1"
	limitMax    = "5000000"
)

// box is a cashbox with a key and all methods of its currency. Cashboxes of one
// merchant have the same number.
type box struct {
	keyID    string
	merchant int
	name     string
	currency string
	scopes   []string
	// trader is the number of the trader that it is bridged to; -1 is none.
	trader int
}

// usualScopes are the scopes of a key. A merchant has to add that for
// withdrawals.
var usualScopes = []string{caller.ScopePayments, caller.ScopeDeposits, caller.ScopePayouts}

var boxes = []box{
	{"sandbox-rub", 0, "Shop RUB", "RUB", usualScopes, 0},
	{"sandbox-azn", 0, "Shop AZN", "AZN", usualScopes, 2},
	{"sandbox-try", 0, "Shop TRY", "TRY", usualScopes, 2},
	{"sandbox-mnt", 0, "Shop MNT", "MNT", usualScopes, 2},
	{"sandbox-second-rub", 1, "Second shop RUB", "RUB", usualScopes, 1},
	{"sandbox-payments-only", 0, "Shop RUB, payments only", "RUB", []string{caller.ScopePayments}, 0},
	{"sandbox-without-bridge", 0, "Shop RUB without a bridge", "RUB", usualScopes, -1},
}

// all makes all sample data, each kind after those that it refers to, in the
// transaction of Seed.
func (s *seeder) all(ctx context.Context) error {
	if err := s.q.RateLimitScale(ctx, widerLimits); err != nil {
		return fmt.Errorf("widen rate limits: %w", err)
	}
	if err := s.rates(ctx); err != nil {
		return err
	}
	traderIDs, err := s.traders(ctx)
	if err != nil {
		return err
	}
	if err := s.requisites(ctx, traderIDs); err != nil {
		return err
	}
	merchantIDs, err := s.merchants(ctx)
	if err != nil {
		return err
	}
	for _, b := range boxes {
		if err := s.cashbox(ctx, b, merchantIDs, traderIDs); err != nil {
			return fmt.Errorf("seed %s: %w", b.keyID, err)
		}
	}
	if err := s.traderPayouts(ctx, traderIDs); err != nil {
		return err
	}
	if err := s.banks(ctx); err != nil {
		return err
	}
	if err := s.receiving(ctx); err != nil {
		return err
	}
	if err := s.withdrawals(ctx, merchantIDs, traderIDs); err != nil {
		return err
	}
	legacyID, err := s.legacy(ctx, traderIDs)
	if err != nil {
		return err
	}
	return s.users(ctx, append(merchantIDs, legacyID), traderIDs)
}

// rates sets a rate and the platform's limits for each currency. Any other rate
// that is fresh comes before these.
func (s *seeder) rates(ctx context.Context) error {
	for currency, fiat := range rates {
		err := s.q.RateSet(ctx, db.RateSetParams{
			Currency: currency, FiatPerUSDT: decimal.RequireFromString(fiat), Source: "sandbox", ObservedAt: s.now,
			Priority: priorityLast,
		})
		if err != nil {
			return fmt.Errorf("seed rate: %w", err)
		}
		err = s.q.PlatformLimitSet(ctx, db.PlatformLimitSetParams{
			Currency:  currency,
			MinAmount: decimal.RequireFromString(limitMin),
			MaxAmount: decimal.RequireFromString(limitMax),
		})
		if err != nil {
			return fmt.Errorf("seed limit: %w", err)
		}
	}
	return nil
}

// traders makes the traders, with USDT. Their ids are in the order in which the
// samples number them.
func (s *seeder) traders(ctx context.Context) ([]int64, error) {
	var ids []int64
	for i := range traders {
		id, err := directory.InsertTrader(ctx, s.q, db.TraderInsertParams{
			Name: fmt.Sprintf("Trader %d", i+1), SharePercent: decimal.RequireFromString(traderShare), CreatedAt: s.now,
		})
		if err != nil {
			return nil, fmt.Errorf("seed trader: %w", err)
		}
		if err := s.fund(ctx, ledger.Trader, id, traderUSDT); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// fund credits USDT from outside.
func (s *seeder) fund(ctx context.Context, owner ledger.Owner, id int64, amount string) error {
	return ledger.Post(
		ctx,
		s.q,
		ledger.Cause{Kind: "funding", Subject: "sandbox", SubjectID: id, At: s.now},
		ledger.Transfer{
			Debit:  ledger.Available(ledger.External, 0),
			Credit: ledger.Available(owner, id),
			Amount: decimal.RequireFromString(amount),
		},
	)
}

func (s *seeder) merchants(ctx context.Context) ([]int64, error) {
	var ids []int64
	for _, name := range []string{"Sample Shop", "Second Shop"} {
		id, err := s.q.MerchantInsert(ctx, db.MerchantInsertParams{Name: name, CreatedAt: s.now})
		if err != nil {
			return nil, fmt.Errorf("seed merchant: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// cashbox makes a cashbox with USDT, all methods of its currency and a key that
// is bound to it. The ids are those that the numbers in b index.
func (s *seeder) cashbox(ctx context.Context, b box, merchantIDs, traderIDs []int64) error {
	var bridge *int64
	if b.trader >= 0 {
		bridge = &traderIDs[b.trader]
	}
	merchantID := merchantIDs[b.merchant]
	id, err := directory.InsertCashbox(ctx, s.q, s.vault, s.key.webhookSecret(b.keyID), db.CashboxInsertParams{
		MerchantID: merchantID, Name: b.name, Currency: b.currency, TraderCashboxID: bridge, CreatedAt: s.now,
	})
	if err != nil {
		return err
	}
	if err := s.fund(ctx, ledger.Cashbox, id, cashboxUSDT); err != nil {
		return err
	}
	if err := s.methods(ctx, id, b.currency); err != nil {
		return err
	}
	if err := s.payouts(ctx, id, b.currency); err != nil {
		return err
	}
	return s.apiKey(ctx, db.KeyInsertParams{
		KeyID: b.keyID, Name: b.name, MerchantID: &merchantID, CashboxID: &id, Scopes: b.scopes,
	})
}

func (s *seeder) apiKey(ctx context.Context, params db.KeyInsertParams) error {
	params.CreatedAt = s.now
	_, err := auth.InsertKey(ctx, s.q, s.key.merchantSecret(params.KeyID), params)
	return err
}

// methods switches on every payment method of the currency, with its usual
// validity and the same margin for all.
func (s *seeder) methods(ctx context.Context, cashboxID int64, currency string) error {
	for _, m := range catalogue.Payments(currency) {
		err := s.q.Put(ctx, setting.Method.Name, map[string]any{"cashbox_id": cashboxID, "method": m.Name}, map[string]any{
			"enabled": true, "validity_seconds": int32(m.Validity / time.Second),
			"margin_percent": decimal.RequireFromString(margin),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (k Key) merchantSecret(keyID string) string { return k.Secret("merchant secret " + keyID) }

func (k Key) webhookSecret(keyID string) string {
	return signing.FormatSecret(k.Bytes("webhook secret " + keyID))
}

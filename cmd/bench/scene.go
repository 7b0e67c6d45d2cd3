package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/ledger"
	"gateway/internal/sandbox"
	"gateway/internal/vault"
	"gateway/internal/webhook"
)

const (
	currency = "RUB"
	// The methods whose pools of requisites are the larger and the smaller one.
	manyMethod = "sbp"
	fewMethod  = "sim"
	// funds is more USDT than any run can hold, so that no trader runs short.
	funds    = "1000000000"
	validity = 24 * time.Hour
	// creatingKeys is how many keys creations come from: one key may call 10,000 times a second in a sandbox.
	creatingKeys = 4
)

// box is a cashbox of the bench's merchant and a key to it.
type box struct {
	id            int64
	keyID, secret string
}

// scene is who takes part: one merchant with many cashboxes, and traders with the requisites of two pools.
type scene struct {
	merchantID int64
	boxes      []box
	traderIDs  []int64
	// tokens sign the traders in, by their id.
	tokens map[int64]string
	// next numbers the orders.
	next *counter
}

// stage sets up a scene in one transaction.
type stage struct {
	tx    pgx.Tx
	q     *db.Queries
	vault *vault.Vault
	now   time.Time
	*scene
}

// setTheStage adds the bench's own merchant and traders to the sandbox, and leaves them alone in their two pools: the
// sandbox's few traders would each be a lock that thousands of payments wait for.
func (b *bench) setTheStage(ctx context.Context) error {
	key, err := sandbox.LoadKey(filepath.Join(b.dir, "gateway"))
	if err != nil {
		return err
	}
	v, err := vault.New(key.Bytes("vault"))
	if err != nil {
		return err
	}
	b.scene = scene{tokens: map[int64]string{}, next: new(counter)}
	err = db.InTx(ctx, b.pool, func(tx pgx.Tx, q *db.Queries) error {
		s := stage{tx: tx, q: q, vault: v, now: time.Now().UTC(), scene: &b.scene}
		return s.set(ctx, b.options, key)
	})
	if err != nil {
		return fmt.Errorf("set the stage: %w", err)
	}
	_, err = b.pool.Exec(ctx, "vacuum analyze")
	return err
}

func (s *stage) set(ctx context.Context, o options, key sandbox.Key) error {
	var err error
	if s.merchantID, err = s.q.MerchantInsert(ctx, db.MerchantInsertParams{Name: "Bench", CreatedAt: s.now}); err != nil {
		return err
	}
	for n := range max(o.cashboxes, creatingKeys) {
		if err := s.addBox(ctx, n, key); err != nil {
			return err
		}
	}
	for n := range o.traders {
		if err := s.addTrader(ctx, n, key); err != nil {
			return err
		}
	}
	const others = "update requisite set enabled = false, active = false where currency = $1 and method = any($2::text[])"
	if _, err := s.tx.Exec(ctx, others, currency, []string{manyMethod, fewMethod}); err != nil {
		return err
	}
	if err := s.addRequisites(ctx, manyMethod, o.requisites); err != nil {
		return err
	}
	return s.addRequisites(ctx, fewMethod, o.few)
}

func (s *stage) addBox(ctx context.Context, n int, key sandbox.Key) error {
	name := fmt.Sprintf("bench-%d", n)
	c := box{keyID: name, secret: key.Secret("bench secret " + name)}
	var err error
	c.id, err = s.q.CashboxInsert(ctx, db.CashboxInsertParams{
		MerchantID: s.merchantID, Name: name, Currency: currency, WebhookSecret: []byte{}, CreatedAt: s.now,
	})
	if err != nil {
		return err
	}
	sealed, err := s.vault.Seal([]byte(webhook.FormatSecret(key.Bytes("bench webhook "+name))), webhook.SecretPlace(c.id))
	if err != nil {
		return err
	}
	if err := s.q.CashboxSetWebhookSecret(ctx, db.CashboxSetWebhookSecretParams{ID: c.id, WebhookSecret: sealed}); err != nil {
		return err
	}
	if err := ledger.Open(ctx, s.q, ledger.Cashbox, c.id); err != nil {
		return err
	}
	for _, method := range []string{manyMethod, fewMethod, cardMethod} {
		err := s.q.CashboxMethodSet(ctx, db.CashboxMethodSetParams{
			CashboxID: c.id, Method: method, Enabled: true, ValiditySeconds: int32(validity / time.Second),
			MarginPercent: decimal.NewNullDecimal(decimal.RequireFromString("4.5")),
		})
		if err != nil {
			return err
		}
	}
	_, err = s.q.KeyInsert(ctx, db.KeyInsertParams{
		KeyID: c.keyID, SecretHash: auth.HashSecret(c.secret), Name: name, MerchantID: &s.merchantID, CashboxID: &c.id,
		Scopes: []string{auth.ScopePayments}, CreatedAt: s.now,
	})
	s.boxes = append(s.boxes, c)
	return err
}

func (s *stage) addTrader(ctx context.Context, n int, key sandbox.Key) error {
	name := fmt.Sprintf("bench-trader-%d", n)
	id, err := s.q.TraderInsert(ctx, db.TraderInsertParams{Name: name, SharePercent: decimal.RequireFromString("1.5"), CreatedAt: s.now})
	if err != nil {
		return err
	}
	if err := ledger.Open(ctx, s.q, ledger.Trader, id); err != nil {
		return err
	}
	err = ledger.Post(ctx, s.q, ledger.Cause{Kind: "funding", Subject: "bench", SubjectID: id, At: s.now}, ledger.Transfer{
		Debit: ledger.Available(ledger.External, 0), Credit: ledger.Available(ledger.Trader, id), Amount: decimal.RequireFromString(funds),
	})
	if err != nil {
		return err
	}
	// Nobody signs in by password here.
	user, err := s.q.UserInsert(ctx, db.UserInsertParams{
		Kind: string(auth.Trader), Login: name, PasswordHash: "none", TraderID: &id, CreatedAt: s.now,
	})
	if err != nil {
		return err
	}
	s.traderIDs, s.tokens[id] = append(s.traderIDs, id), key.Secret("bench token "+name)
	return s.q.TokenInsert(ctx, db.TokenInsertParams{
		Hash: auth.HashSecret(s.tokens[id]), UserID: user, CreatedAt: s.now, ExpiresAt: s.now.Add(validity),
	})
}

// insertRequisites deals a pool's requisites out to the traders in turn.
const insertRequisites = `
insert into requisite (currency, method, trader_id, value, holder, bank, trader_share_percent, min_amount, max_amount, created_at)
select $1, $2, ($3::bigint[])[1 + n % cardinality($3::bigint[])], '+7911' || lpad(n::text, 7, '0'), 'Ivan P.', 'Sample Bank',
    1.5, 1, 5000000, $4
from generate_series(0, $5::integer - 1) n`

func (s *stage) addRequisites(ctx context.Context, method string, count int) error {
	_, err := s.tx.Exec(ctx, insertRequisites, currency, method, s.traderIDs, s.now, count)
	return err
}

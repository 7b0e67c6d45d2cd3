package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/requisite"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/session"
	"gateway.example/internal/setting"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

const (
	currency = "RUB"
	// The methods of the larger and of the smaller pool of requisites.
	manyMethod = "sbp"
	fewMethod  = "sim"
	// funds is more USDT than a run can use up.
	funds    = "1000000000"
	validity = 12 * time.Hour
	// mostOpen is the highest limit of open payments that a merchant can
	// have.
	mostOpen = 50_000
	// operators is so high because an operator of a sandbox may make 200
	// calls a second.
	operators = 40
)

type box struct {
	id            int64
	keyID, secret string
}

// scene has the users of a place: merchants with cashboxes, and traders with
// the requisites of two pools.
type scene struct {
	// merchantID is the merchant of boxes, which are credited.
	merchantID int64
	boxes      []box
	// creating has a cashbox each of many merchants, so that no merchant
	// reaches the limit of open payments. recording belongs to another
	// one: its creations are replayed without regard to that limit.
	creating  []box
	recording box
	traderIDs []int64
	// tokens are the traders' bearer tokens by trader id, operators those
	// of operators.
	tokens    map[int64]string
	operators []string
	// next is the number of the last order.
	next *atomic.Int64
}

// stage writes settings directly into the database, instead of by thousands of
// calls of operators. Gateways read them at their start, or notice them like
// changes by other replicas.
type stage struct {
	*bench
	ctx   context.Context
	tx    pgx.Tx
	q     *db.Queries
	vault *vault.Vault
	safe  *requisite.Safe
	now   time.Time
}

// onStage calls write in one transaction.
func (b *bench) onStage(ctx context.Context, write func(*stage)) {
	v, safe := b.safes(ctx)
	check(db.InTx(ctx, b.pool, func(tx pgx.Tx, q *db.Queries) error {
		return caught(func() {
			write(&stage{bench: b, ctx: ctx, tx: tx, q: q, vault: v, safe: safe, now: time.Now().UTC()})
		})
	}), "set the stage")
}

// safes seals values like the gateway.
func (b *bench) safes(ctx context.Context) (*vault.Vault, *requisite.Safe) {
	key := must(sandbox.LoadKey(b.gateway.dir))
	v := must(vault.New(key.Bytes("vault")))
	return v, requisite.NewSafe(v, must(card.HashKey(ctx, db.New(b.pool), v, key.Bytes("unused"))))
}

// setTheStage adds the bench's own merchants and traders to the sandbox. Only
// they use the two pools: the sandbox has few traders, and thousands of
// payments would wait for the locks of those.
func (b *bench) setTheStage(ctx context.Context) {
	b.scene = scene{tokens: map[int64]string{}, next: new(atomic.Int64)}
	b.onStage(ctx, func(s *stage) {
		for n := range operators {
			operator := session.NewUser{Kind: caller.Operator, Login: fmt.Sprintf("bench-operator-%d", n)}
			s.scene.operators = append(s.scene.operators, s.addUser(operator))
		}
		s.addMerchants()
		s.addTraders()
		s.addRequisites()
	})
	b.vacuum(ctx)
}

// addUser adds a user without a valid password and returns a token for them.
// Hashing a hundred passwords would take longer than everything else.
func (s *stage) addUser(user session.NewUser) string {
	token := rand.Text()
	id := must(session.InsertUser(s.ctx, s.q, user, "none", s.now))
	check(session.InsertToken(s.ctx, s.q, token, id, s.now, validity))
	return token
}

func (s *stage) addMerchant(name string) int64 {
	return must(s.q.MerchantInsert(s.ctx, db.MerchantInsertParams{Name: name, CreatedAt: s.now}))
}

// addMerchants adds the merchant with many cashboxes, and many merchants with
// one.
func (s *stage) addMerchants() {
	var boxes []box
	for n := range 1 + s.merchants + 1 {
		id, count := s.addMerchant(fmt.Sprintf("Bench %d", n)), 1
		if n == 0 {
			s.scene.merchantID, count = id, s.cashboxes
		}
		for range count {
			boxes = append(boxes, s.addBox(id, fmt.Sprintf("bench-%d", len(boxes))))
		}
	}
	s.scene.boxes, s.scene.creating = boxes[:s.cashboxes], boxes[s.cashboxes:len(boxes)-1]
	s.scene.recording = boxes[len(boxes)-1]
	check(s.q.Set(s.ctx, setting.Merchant.Name, s.scene.merchantID, map[string]any{"max_open_payments": mostOpen}))
}

// addBox adds a cashbox with its methods and a key.
func (s *stage) addBox(merchantID int64, keyID string) box {
	made := box{id: s.addCashbox(merchantID, keyID), keyID: keyID, secret: rand.Text()}
	for _, method := range []string{manyMethod, fewMethod, cardMethod} {
		check(s.q.Put(s.ctx, setting.Method.Name, map[string]any{"cashbox_id": made.id, "method": method}, map[string]any{
			"validity_seconds": int32(validity / time.Second), "margin_percent": decimal.RequireFromString("4.5"),
		}))
	}
	must(auth.InsertKey(s.ctx, s.q, made.secret, db.KeyInsertParams{
		KeyID: keyID, Name: "bench", MerchantID: &merchantID, CashboxID: &made.id,
		Scopes: []string{caller.ScopePayments}, CreatedAt: s.now,
	}))
	return made
}

func (s *stage) addCashbox(merchantID int64, name string) int64 {
	return must(directory.InsertCashbox(s.ctx, s.q, s.vault, signing.NewSecret(), db.CashboxInsertParams{
		MerchantID: merchantID, Name: name, Currency: currency, CreatedAt: s.now,
	}))
}

// addTraders adds traders with enough USDT, and tokens for them.
func (s *stage) addTraders() {
	for n := range s.traders {
		id := s.addTrader(fmt.Sprintf("Bench trader %d", n))
		name := fmt.Sprintf("bench-trader-%d", id)
		must(directory.InsertFunding(s.ctx, s.q, db.TraderFundingInsertParams{
			TraderID: id, Amount: decimal.RequireFromString(funds), Reference: name, CreatedAt: s.now,
		}))
		s.scene.traderIDs = append(s.scene.traderIDs, id)
		s.scene.tokens[id] = s.addUser(session.NewUser{Kind: caller.Trader, Login: name, TraderID: &id})
	}
}

func (s *stage) addTrader(name string) int64 {
	return must(directory.InsertTrader(s.ctx, s.q, db.TraderInsertParams{
		Name: name, SharePercent: decimal.RequireFromString("1.5"), CreatedAt: s.now,
	}))
}

// addRequisites disables the existing requisites of the two pools and adds new
// ones, shared evenly among the traders.
func (s *stage) addRequisites() {
	must(s.tx.Exec(s.ctx, "update requisite set enabled = false where currency = $1 and method = any($2)",
		currency, []string{manyMethod, fewMethod}))
	holder, bank := "Ivan P.", "Sample Bank"
	for n := range s.requisites + s.few {
		// No phone is in both pools, because its slot would be shared.
		method, place := manyMethod, n
		if n >= s.requisites {
			method, place = fewMethod, n-s.requisites
		}
		must(directory.InsertRequisite(s.ctx, s.q, s.safe, fmt.Sprintf("+7911%07d", n), db.RequisiteInsertParams{
			TraderID: s.scene.traderIDs[place%s.traders], Currency: currency, Method: method,
			Holder: &holder, Bank: &bank,
			MinAmount: decimal.NewFromInt(1), MaxAmount: decimal.NewFromInt(5_000_000), Now: s.now,
		}))
	}
}

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
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
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

const (
	currency = "RUB"
	// The methods whose pools of requisites are the larger and the smaller one.
	manyMethod = "sbp"
	fewMethod  = "sim"
	// funds is more USDT than any run can hold, so that no trader runs short.
	funds    = "1000000000"
	validity = 24 * time.Hour
	// mostOpen is the largest number of payments that an operator may let a merchant have open.
	mostOpen = 50_000
	// operators are so many, since one may call 200 times a second in a sandbox.
	operators = 40
	// settingsTime is how long new settings may take until the gateway goes by them.
	settingsTime = 10 * time.Second
)

// box is a cashbox and a key to it.
type box struct {
	id            int64
	keyID, secret string
}

// scene is who takes part: merchants with their cashboxes, and traders with the requisites of two
// pools.
type scene struct {
	// merchantID is the merchant of boxes, which credits go to.
	merchantID int64
	boxes      []box
	// creating are cashboxes of a merchant each, so that none comes near the number of payments a
	// merchant may have open. recording is one more: what is recorded with it is replayed without
	// regard to that number.
	creating  []box
	recording box
	traderIDs []int64
	// tokens sign the traders in, by their id, and operators the operators.
	tokens    map[int64]string
	operators []string
	// next numbers the orders.
	next *counter
}

// stage writes into a scene's database what operators would set there by as many calls: the gateway
// notices it, as it notices what other replicas set.
type stage struct {
	*bench
	tx    pgx.Tx
	q     *db.Queries
	vault *vault.Vault
	safe  *requisite.Safe
	now   time.Time
}

// onStage writes all of something, or nothing.
func (b *bench) onStage(ctx context.Context, write func(context.Context, *stage) error) error {
	v, safe, err := b.safes(ctx)
	if err != nil {
		return err
	}
	err = db.InTx(ctx, b.pool, func(tx pgx.Tx, q *db.Queries) error {
		return write(ctx, &stage{bench: b, tx: tx, q: q, vault: v, safe: safe, now: time.Now().UTC()})
	})
	if err != nil {
		return fmt.Errorf("set the stage: %w", err)
	}
	return nil
}

// safes seal as the gateway does.
func (b *bench) safes(ctx context.Context) (*vault.Vault, *requisite.Safe, error) {
	key, err := sandbox.LoadKey(b.gateway.dir)
	if err != nil {
		return nil, nil, err
	}
	v, err := vault.New(key.Bytes("vault"))
	if err != nil {
		return nil, nil, err
	}
	hashKey, err := card.HashKey(ctx, db.New(b.pool), v, key.Bytes("unused"))
	return v, requisite.NewSafe(v, hashKey), err
}

// setTheStage adds the bench's own merchants and traders to the sandbox, and leaves them alone in
// their two pools: the sandbox's few traders would each be a lock that thousands of payments wait
// for. Then it waits until the gateway chooses among their requisites.
func (b *bench) setTheStage(ctx context.Context) error {
	b.scene = scene{tokens: map[int64]string{}, next: new(counter)}
	for _, add := range []func(context.Context, *stage) error{addOperators, addMerchants, addTraders, addRequisites} {
		if err := b.onStage(ctx, add); err != nil {
			return err
		}
	}
	office, hangUp, err := b.openOffice(ctx)
	if err != nil {
		return err
	}
	defer hangUp()
	for method, count := range b.pools() {
		if err := b.await(ctx, office, method, count); err != nil {
			return err
		}
	}
	return b.vacuum(ctx)
}

// pools are the sizes of the two pools.
func (b *bench) pools() map[string]int {
	return map[string]int{manyMethod: b.requisites, fewMethod: b.few}
}

func addOperators(ctx context.Context, s *stage) error {
	for n := range operators {
		token, err := s.addUser(ctx, session.NewUser{Kind: caller.Operator, Login: fmt.Sprintf("bench-operator-%d", n)})
		if err != nil {
			return err
		}
		s.scene.operators = append(s.scene.operators, token)
	}
	return nil
}

// addUser makes a user, whom nobody signs in by password, and answers the token that signs them in.
// A hundred passwords to hash would take longer than everything else.
func (s *stage) addUser(ctx context.Context, user session.NewUser) (string, error) {
	id, err := session.InsertUser(ctx, s.q, user, "none", s.now)
	if err != nil {
		return "", fmt.Errorf("make a user: %w", err)
	}
	token := rand.Text()
	return token, session.InsertToken(ctx, s.q, token, id, s.now, validity)
}

// addMerchants makes the merchant with many cashboxes and the many with one.
func addMerchants(ctx context.Context, s *stage) error {
	var boxes []box
	for n := range 1 + s.merchants + 1 {
		name := fmt.Sprintf("Bench %d", n)
		id, err := s.q.MerchantInsert(ctx, db.MerchantInsertParams{Name: name, CreatedAt: s.now})
		if err != nil {
			return fmt.Errorf("make a merchant: %w", err)
		}
		count := 1
		if n == 0 {
			s.scene.merchantID, count = id, s.cashboxes
		}
		for range count {
			made, err := s.addBox(ctx, id, fmt.Sprintf("bench-%d", len(boxes)))
			if err != nil {
				return err
			}
			boxes = append(boxes, made)
		}
	}
	s.scene.boxes, s.scene.creating = boxes[:s.cashboxes], boxes[s.cashboxes:len(boxes)-1]
	s.scene.recording = boxes[len(boxes)-1]
	most := int32(mostOpen)
	return s.q.MerchantUpdate(ctx, db.MerchantUpdateParams{ID: s.scene.merchantID, MaxOpenPayments: &most})
}

// addBox makes a merchant's cashbox, with its methods and a key.
func (s *stage) addBox(ctx context.Context, merchantID int64, keyID string) (box, error) {
	made := box{keyID: keyID, secret: rand.Text()}
	var err error
	if made.id, err = s.addCashbox(ctx, merchantID, keyID); err != nil {
		return made, err
	}
	for _, method := range []string{manyMethod, fewMethod, cardMethod} {
		err := s.q.CashboxMethodSet(ctx, db.CashboxMethodSetParams{
			CashboxID: made.id, Method: method, Enabled: true, ValiditySeconds: int32(validity / time.Second),
			MarginPercent: decimal.NewNullDecimal(decimal.RequireFromString("4.5")),
		})
		if err != nil {
			return made, fmt.Errorf("enable a method: %w", err)
		}
	}
	_, err = auth.InsertKey(ctx, s.q, made.secret, db.KeyInsertParams{
		KeyID: keyID, Name: "bench", MerchantID: &merchantID, CashboxID: &made.id,
		Scopes: []string{caller.ScopePayments}, CreatedAt: s.now,
	})
	if err != nil {
		return made, fmt.Errorf("make a key: %w", err)
	}
	return made, nil
}

func (s *stage) addCashbox(ctx context.Context, merchantID int64, name string) (int64, error) {
	return directory.InsertCashbox(ctx, s.q, s.vault, signing.NewSecret(), db.CashboxInsertParams{
		MerchantID: merchantID, Name: name, Currency: currency, CreatedAt: s.now,
	})
}

// addTraders makes traders who never run short, and signs them in.
func addTraders(ctx context.Context, s *stage) error {
	for n := range s.traders {
		id, err := s.addTrader(ctx, fmt.Sprintf("Bench trader %d", n))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("bench-trader-%d", id)
		_, err = directory.InsertFunding(ctx, s.q, db.TraderFundingInsertParams{
			TraderID: id, Amount: decimal.RequireFromString(funds), Reference: name, CreatedAt: s.now,
		})
		if err != nil {
			return err
		}
		s.scene.traderIDs = append(s.scene.traderIDs, id)
		s.scene.tokens[id], err = s.addUser(ctx, session.NewUser{Kind: caller.Trader, Login: name, TraderID: &id})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) addTrader(ctx context.Context, name string) (int64, error) {
	return directory.InsertTrader(ctx, s.q, db.TraderInsertParams{
		Name: name, SharePercent: decimal.RequireFromString("1.5"), CreatedAt: s.now,
	})
}

// valuesOf are where the phones of each pool begin, so that none is in both: it would have one slot.
var valuesOf = map[string]int{manyMethod: 0, fewMethod: 5_000_000}

// addRequisites switches off the requisites that are in the two pools already, and deals new ones
// out to the traders in turn.
func addRequisites(ctx context.Context, s *stage) error {
	holder, bank := "Ivan P.", "Sample Bank"
	for method, count := range s.pools() {
		const closeOthers = "update requisite set enabled = false where currency = $1 and method = $2"
		if _, err := s.tx.Exec(ctx, closeOthers, currency, method); err != nil {
			return fmt.Errorf("close the others' requisites: %w", err)
		}
		for n := range count {
			value := fmt.Sprintf("+7911%07d", n+valuesOf[method])
			_, err := directory.InsertRequisite(ctx, s.q, s.safe, value, db.RequisiteInsertParams{
				TraderID: s.scene.traderIDs[n%s.traders], Currency: currency, Method: method,
				Holder: &holder, Bank: &bank,
				MinAmount: decimal.NewFromInt(1), MaxAmount: decimal.NewFromInt(5_000_000), Now: s.now,
			})
			if err != nil {
				return fmt.Errorf("make a requisite: %w", err)
			}
		}
	}
	return nil
}

// await waits until a pool has so many requisites to choose from.
func (b *bench) await(ctx context.Context, office *office, method string, count int) error {
	for until := time.Now().Add(settingsTime); ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		pool, err := office.explain(method, b.scene.creating[0].id)
		if err != nil {
			return err
		}
		pool = slices.DeleteFunc(pool, func(c candidate) bool { return c.DroppedBy != "" })
		if len(pool) == count {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("%d of %d requisites of %s are to be had", len(pool), count, method)
		}
	}
	return ctx.Err()
}

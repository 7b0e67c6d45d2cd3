package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
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

// stage sets up a scene: what operators set by their own calls, so that the gateway knows of it;
// users and keys by the queries that keep them, since a hundred passwords to hash and compare would
// take longer than everything else.
type stage struct {
	*bench
	*office
	q   *db.Queries
	now time.Time
}

// setTheStage adds the bench's own merchants and traders to the sandbox, and leaves them alone in
// their two pools: the sandbox's few traders would each be a lock that thousands of payments wait
// for.
func (b *bench) setTheStage(ctx context.Context) error {
	b.scene = scene{tokens: map[int64]string{}, next: new(counter)}
	s := &stage{bench: b, q: db.New(b.pool), now: time.Now().UTC()}
	for n := range operators {
		token, err := s.addUser(ctx, caller.Operator, fmt.Sprintf("bench-operator-%d", n), nil)
		if err != nil {
			return fmt.Errorf("set the stage: %w", err)
		}
		b.scene.operators = append(b.scene.operators, token)
	}
	var hangUp func()
	var err error
	if s.office, hangUp, err = b.openOffice(ctx); err != nil {
		return err
	}
	defer hangUp()
	for _, add := range []func(context.Context) error{s.addMerchants, s.addTraders, s.closeOthers, s.addRequisites} {
		if err := add(ctx); err != nil {
			return fmt.Errorf("set the stage: %w", err)
		}
	}
	return b.vacuum(ctx)
}

// addMerchants makes the merchant with many cashboxes and the many with one.
func (s *stage) addMerchants(ctx context.Context) error {
	var merchants []setting
	for n := range 1 + s.merchants + 1 {
		merchants = append(merchants, setting{"CreateMerchant", map[string]any{"name": fmt.Sprintf("Bench %d", n)}})
	}
	ids, err := s.create(ctx, merchants)
	if err != nil {
		return err
	}
	s.scene.merchantID = ids[0]
	more := setting{"UpdateMerchant", map[string]any{"merchantId": ids[0], "maxOpenPayments": mostOpen}}
	if err := s.set(ctx, []setting{more}); err != nil {
		return err
	}
	owners := slices.Concat(slices.Repeat(ids[:1], s.cashboxes), ids[1:])
	boxes, err := s.addBoxes(ctx, owners)
	if err != nil {
		return err
	}
	s.scene.boxes, s.scene.creating = boxes[:s.cashboxes], boxes[s.cashboxes:len(boxes)-1]
	s.scene.recording = boxes[len(boxes)-1]
	return nil
}

// addBoxes makes a cashbox for each of the owners, with its methods and a key.
func (s *stage) addBoxes(ctx context.Context, owners []int64) ([]box, error) {
	var cashboxes, methods []setting
	for n, owner := range owners {
		cashboxes = append(cashboxes, setting{"CreateCashbox", map[string]any{
			"merchantId": owner, "name": fmt.Sprintf("Bench %d", n), "currency": currency,
		}})
	}
	ids, err := s.create(ctx, cashboxes)
	if err != nil {
		return nil, err
	}
	boxes := make([]box, len(owners))
	for n, id := range ids {
		for _, method := range []string{manyMethod, fewMethod, cardMethod} {
			methods = append(methods, setting{"SetCashboxMethod", map[string]any{
				"merchantCashboxId": id, "method": method, "enabled": true, "marginPercent": "4.5",
				"validitySeconds": int(validity / time.Second),
			}})
		}
		boxes[n] = box{id: id, keyID: fmt.Sprintf("bench-%d", n), secret: rand.Text()}
		_, err := s.q.KeyInsert(ctx, db.KeyInsertParams{
			KeyID:      boxes[n].keyID,
			SecretHash: auth.HashSecret(boxes[n].secret),
			Name:       "bench",
			MerchantID: &owners[n],
			CashboxID:  &id,
			Scopes:     []string{caller.ScopePayments},
			CreatedAt:  s.now,
		})
		if err != nil {
			return nil, fmt.Errorf("make a key: %w", err)
		}
	}
	return boxes, s.set(ctx, methods)
}

// addTraders makes traders who never run short, and signs them in.
func (s *stage) addTraders(ctx context.Context) error {
	var made, funded []setting
	for n := range s.traders {
		made = append(made, newTrader(fmt.Sprintf("Bench trader %d", n)))
	}
	ids, err := s.create(ctx, made)
	if err != nil {
		return err
	}
	s.scene.traderIDs = ids
	for _, id := range ids {
		name := fmt.Sprintf("bench-trader-%d", id)
		funded = append(
			funded,
			setting{"FundTrader", map[string]any{"traderId": id, "amount": funds, "reference": name}},
		)
		if s.scene.tokens[id], err = s.addUser(ctx, caller.Trader, name, &id); err != nil {
			return err
		}
	}
	return s.set(ctx, funded)
}

func newTrader(name string) setting {
	return setting{"CreateTrader", map[string]any{"name": name, "sharePercent": "1.5"}}
}

// addUser makes a user, whom nobody signs in by password, and answers the token that signs them in.
func (s *stage) addUser(ctx context.Context, kind caller.Kind, login string, traderID *int64) (string, error) {
	id, err := s.q.UserInsert(ctx, db.UserInsertParams{
		Kind: string(kind), Login: login, PasswordHash: "none", TraderID: traderID, CreatedAt: s.now,
	})
	if err != nil {
		return "", fmt.Errorf("make a user: %w", err)
	}
	token := rand.Text()
	return token, s.q.TokenInsert(ctx, db.TokenInsertParams{
		Hash: auth.HashSecret(token), UserID: id, CreatedAt: s.now, ExpiresAt: s.now.Add(validity),
	})
}

// closeOthers switches off the requisites that are in the two pools already.
func (s *stage) closeOthers(ctx context.Context) error {
	var closed []setting
	for _, method := range []string{manyMethod, fewMethod} {
		pool, err := s.explain(method, s.scene.boxes[0].id)
		if err != nil {
			return err
		}
		for _, other := range pool {
			closed = append(
				closed,
				setting{"UpdateRequisite", map[string]any{"requisiteId": other.RequisiteID, "enabled": false}},
			)
		}
	}
	return s.set(ctx, closed)
}

// addRequisites deals the pools' requisites out to the traders in turn, and waits until the gateway
// chooses among them.
func (s *stage) addRequisites(ctx context.Context) error {
	pools := map[string]int{manyMethod: s.requisites, fewMethod: s.few}
	var added []setting
	for method, count := range pools {
		for n := range count {
			added = append(added, setting{"CreateRequisite", map[string]any{
				"traderId": s.scene.traderIDs[n%s.traders], "currency": currency, "method": method,
				"value": fmt.Sprintf("+7911%07d", n), "holder": "Ivan P.", "bank": "Sample Bank",
				"limits": map[string]any{"minAmount": "1", "maxAmount": "5000000"},
			}})
		}
	}
	if _, err := s.create(ctx, added); err != nil {
		return err
	}
	for method, count := range pools {
		if err := s.await(ctx, method, count); err != nil {
			return err
		}
	}
	return nil
}

// await waits until a pool has so many requisites to choose from.
func (s *stage) await(ctx context.Context, method string, count int) error {
	for until := time.Now().Add(settingsTime); ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		pool, err := s.explain(method, s.scene.creating[0].id)
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

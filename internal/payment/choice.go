package payment

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/routing"
)

// passedBy encodes which candidates a choice passed over, for the payment. It is empty if the choice
// took the first, as it nearly always does.
func passedBy(passed []routing.Passed) []byte {
	if len(passed) == 0 {
		return nil
	}
	text := make([]byte, 0, 32*len(passed))
	for i, p := range passed {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = strconv.AppendQuote(text, string(p.Rule))
		text = append(text, ',')
		text = append(strconv.AppendInt(text, p.ID, 10), ']')
	}
	return append(append([]byte{'['}, text...), ']')
}

// PassedBy decodes which candidates a choice passed over.
func PassedBy(kept []byte) ([]routing.Passed, error) {
	if kept == nil {
		return nil, nil
	}
	var pairs [][2]any
	if err := json.Unmarshal(kept, &pairs); err != nil {
		return nil, fmt.Errorf("read a choice: %w", err)
	}
	list := make([]routing.Passed, 0, len(pairs))
	for _, pair := range pairs {
		rule, _ := pair[0].(string)
		id, _ := pair[1].(float64)
		list = append(list, routing.Passed{Rule: routing.Rule(rule), ID: int64(id)})
	}
	return list, nil
}

// Replay is the choice of a payment's requisite as it was made, and as it would be made now.
type Replay struct {
	PaymentID, RequisiteID, TraderID int64
	// Question is what the payment asked for.
	Question RoutingQuestion
	// Passed are the candidates that were passed over, in order, at most 100. Pool and Looked belong
	// to the candidate that was taken; nil if not known.
	Passed       []routing.Passed
	Pool, Looked *int32
	// Now is the choice for the same payment by today's rules.
	Now RoutingAnswer
}

// ReplayRouting tells how a payment got its requisite, and repeats the choice by today's rules.
func (s *Service) ReplayRouting(ctx context.Context, who caller.Caller, id int64) (Replay, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Replay{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Replay{}, err
	}
	p, err := s.q.PaymentFind(ctx, id)
	if db.NoRows(err) {
		return Replay{}, fault.ErrNotFound
	}
	if err != nil {
		return Replay{}, fmt.Errorf("find payment: %w", err)
	}
	r := Replay{PaymentID: p.ID, TraderID: p.TraderID, Pool: p.ChoicePool, Looked: p.ChoiceLooked}
	if p.RequisiteID != nil {
		r.RequisiteID = *p.RequisiteID
	}
	if r.Passed, err = PassedBy(p.ChoicePassed); err != nil {
		return Replay{}, err
	}
	r.Question = RoutingQuestion{
		Amount: p.Amount.String(), Currency: p.Currency, Method: p.Method, CashboxID: p.CashboxID,
	}
	r.Now, err = s.ExplainRouting(ctx, who, r.Question)
	return r, err
}

// refusalKey is what refusals are counted by.
type refusalKey struct {
	hour             time.Time
	merchantID       int64
	currency, method string
	cause            routing.Rule
}

// refusalCounts are refusals that are not stored yet. A creation only counts in memory.
type refusalCounts struct {
	mu     sync.Mutex
	counts map[refusalKey]int64
}

func (c *refusalCounts) add(key refusalKey, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[refusalKey]int64{}
	}
	c.counts[key] += n
}

func (c *refusalCounts) take() map[refusalKey]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.counts
	c.counts = nil
	return taken
}

// refusalsKept is how long counts of refusals are kept.
const refusalsKept = 7 * 24 * time.Hour

// KeepRefusals stores the refusals that this process has counted, and deletes old ones. If storing
// fails, they are counted again later.
func (s *Service) KeepRefusals(ctx context.Context, pool *pgxpool.Pool) error {
	taken := s.refused.take()
	if len(taken) == 0 {
		return nil
	}
	var params db.RefusalHourAddParams
	for key, n := range taken {
		params.Hours, params.Merchants = append(params.Hours, key.hour), append(params.Merchants, key.merchantID)
		params.Currencies, params.Methods = append(params.Currencies, key.currency), append(params.Methods, key.method)
		params.Causes, params.Refusals = append(params.Causes, string(key.cause)), append(params.Refusals, n)
	}
	q := db.New(pool)
	if err := q.RefusalHourAdd(ctx, params); err != nil {
		for key, n := range taken {
			s.refused.add(key, n)
		}
		return fmt.Errorf("keep refusals: %w", err)
	}
	return q.RefusalHourPrune(ctx, s.clock.Now().Add(-refusalsKept))
}

// RefusalHour is how many payments of a merchant found no requisite in an hour, by the rule that
// dropped the last candidate.
type RefusalHour struct {
	Hour             time.Time
	MerchantID       int64
	Merchant         string
	Currency, Method string
	Cause            string
	Refusals         int64
}

// refusalRows is how many rows are listed.
const refusalRows = 500

// Refusals lists the refusals of the last 24 hours, the newest hour first.
func (s *Service) Refusals(ctx context.Context, who caller.Caller) ([]RefusalHour, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := s.q.RefusalHourList(ctx, db.RefusalHourListParams{
		Since: s.clock.Now().Add(-24 * time.Hour).Truncate(time.Hour), Page: refusalRows,
	})
	if err != nil {
		return nil, fmt.Errorf("list refusals: %w", err)
	}
	list := make([]RefusalHour, 0, len(rows))
	for _, row := range rows {
		list = append(list, RefusalHour(row))
	}
	return list, nil
}

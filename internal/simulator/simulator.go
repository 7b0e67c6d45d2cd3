// Package simulator answers payments in a sandbox as traders would, so that
// people who try an integration see payments end in every way.
package simulator

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

const (
	// MaxDelay limits how long a simulated trader takes.
	MaxDelay = 24 * time.Hour
	// pageSize is how many payments are read together.
	pageSize = 500
)

// Play is how the payments of a method are answered.
type Play struct {
	Method string
	// Confirmed, WrongAmount and Cancelled are percentages. The rest is
	// never answered, and expires.
	Confirmed, WrongAmount, Cancelled int32
	// The answer comes between From and To seconds after the payment was
	// created.
	From, To int32
}

// State is whether and how traders are simulated, and what they have answered
// since the last start.
type State struct {
	Running bool
	// Since is the last start, or nil.
	Since                             *time.Time
	Plays                             []Play
	Confirmed, WrongAmount, Cancelled int64
}

type Service struct {
	pool     db.Pool
	q        *db.Queries
	clock    clock.Clock
	payments *payment.Service
	// Phones forward what the traders' banks write; nil has traders confirm
	// by hand.
	Phones Phones
}

// Phones are the phones of traders.
type Phones interface {
	// Paid forwards that a payment was paid, and tells whether that
	// confirmed it.
	Paid(ctx context.Context, p db.SandboxTransferRow) (bool, error)
}

func New(pool db.Pool, clock clock.Clock, payments *payment.Service) *Service {
	return &Service{pool: pool, q: db.New(pool), clock: clock, payments: payments}
}

// Defaults are the plays unless somebody sets others: most payments are
// confirmed within a minute. Card checkout is not among them: the sandbox's
// processor answers it.
func Defaults() []Play {
	var plays []Play
	for _, method := range catalogue.Methods {
		if method.RequisiteType != "" {
			plays = append(plays, Play{Method: method.Name, Confirmed: 85, WrongAmount: 3, Cancelled: 4, From: 5, To: 45})
		}
	}
	return plays
}

// Get reads the state of the simulation. Before the first start its plays are
// the defaults.
func (s *Service) Get(ctx context.Context) (State, error) {
	row, err := s.q.SimulationGet(ctx)
	if err != nil {
		return State{}, fmt.Errorf("read simulation: %w", err)
	}
	state := State{
		Running: row.Running, Since: row.Since,
		Confirmed: row.Confirmed, WrongAmount: row.WrongAmount, Cancelled: row.Cancelled,
	}
	rows, err := s.q.SimulationPlays(ctx)
	if err != nil {
		return State{}, fmt.Errorf("read simulation: %w", err)
	}
	for _, r := range rows {
		state.Plays = append(state.Plays, Play{
			Method:      r.Method,
			Confirmed:   int32(r.Confirmed),
			WrongAmount: int32(r.WrongAmount),
			Cancelled:   int32(r.Cancelled),
			From:        r.DelayFrom,
			To:          r.DelayTo,
		})
	}
	if len(rows) == 0 {
		state.Plays = Defaults()
	}
	return state, nil
}

// Start starts answering by the plays, open payments too. A running simulation
// continues with the new plays and counts from zero.
func (s *Service) Start(ctx context.Context, plays []Play) (State, error) {
	if err := validate(ctx, plays); err != nil {
		return State{}, err
	}
	var methods []string
	for _, p := range plays {
		methods = append(methods, p.Method)
	}
	queries := []db.Query{
		db.Do((*db.Queries).SimulationStart, s.clock.Now()), db.Do((*db.Queries).SimulationPlayKeep, methods),
	}
	for _, p := range plays {
		queries = append(queries, db.Do((*db.Queries).SimulationPlayPut, db.SimulationPlayPutParams{
			Method:      p.Method,
			Confirmed:   int16(p.Confirmed),
			WrongAmount: int16(p.WrongAmount),
			Cancelled:   int16(p.Cancelled),
			DelayFrom:   p.From,
			DelayTo:     p.To,
		}))
	}
	if err := db.Write(ctx, s.pool, queries...); err != nil {
		return State{}, fmt.Errorf("start simulation: %w", err)
	}
	return s.Get(ctx)
}

// Stop stops answering. Answered payments stay as they are.
func (s *Service) Stop(ctx context.Context) (State, error) {
	if err := s.q.SimulationStop(ctx); err != nil {
		return State{}, fmt.Errorf("stop simulation: %w", err)
	}
	return s.Get(ctx)
}

// validate checks how traders are to answer: each method at most once, shares
// of at most 100 percent in all, and delays in order up to MaxDelay.
func validate(ctx context.Context, plays []Play) error {
	f := fault.Decoded(ctx)
	f.Check(len(plays) > 0, "plays", "is required: those of GetSimulation are a beginning")
	seen := map[string]bool{}
	for i, p := range plays {
		at := func(field string) string { return fmt.Sprintf("plays[%d].%s", i, field) }
		method, known := catalogue.Find(catalogue.Methods, p.Method)
		f.Check(known && method.RequisiteType != "", at("method"), "must be a method that traders answer for")
		f.Check(!seen[p.Method], at("method"), "stands here twice")
		seen[p.Method] = true
		shares := map[string]int32{
			"confirmedPercent": p.Confirmed, "wrongAmountPercent": p.WrongAmount, "cancelledPercent": p.Cancelled,
		}
		for field, share := range shares {
			f.Check(share >= 0 && share <= 100, at(field), "must be between 0 and 100")
		}
		f.Check(p.Confirmed+p.WrongAmount+p.Cancelled <= 100, at("confirmedPercent"), "must be at most 100 with the others")
		most := int32(MaxDelay / time.Second)
		f.Check(p.From >= 0 && p.From <= most, at("delayFromSeconds"), "must be between 0 and %d", most)
		f.Check(p.To >= p.From && p.To <= most, at("delayToSeconds"), "must be between the first and %d", most)
	}
	return f.Err()
}

// Step answers the due payments. Several processes may call it: a payment is
// answered once.
func (s *Service) Step(ctx context.Context) error {
	state, err := s.Get(ctx)
	if err != nil || !state.Running {
		return err
	}
	plays, methods := map[string]Play{}, []string(nil)
	for _, p := range state.Plays {
		plays[p.Method], methods = p, append(methods, p.Method)
	}
	var counted db.SimulationCountParams
	page := db.SimulationOpenParams{Methods: methods, Most: pageSize}
	for {
		open, err := s.q.SimulationOpen(ctx, page)
		if err != nil {
			return fmt.Errorf("read open payments: %w", err)
		}
		for _, p := range open {
			err = errors.Join(err, s.answer(ctx, p, plays[p.Method], &counted))
		}
		if err != nil || len(open) < pageSize {
			return errors.Join(err, s.count(ctx, counted))
		}
		last := open[len(open)-1]
		page.AfterExpiry, page.AfterID = last.ExpiresAt, last.ID
	}
}

func (s *Service) count(ctx context.Context, counted db.SimulationCountParams) error {
	if counted == (db.SimulationCountParams{}) {
		return nil
	}
	if err := s.q.SimulationCount(ctx, counted); err != nil {
		return fmt.Errorf("count answers: %w", err)
	}
	return nil
}

// answer answers a payment by its draw, if it is time. It leaves a payment that
// somebody else has answered.
func (s *Service) answer(
	ctx context.Context, p db.SimulationOpenRow, play Play, counted *db.SimulationCountParams,
) error {
	share, delay := draw(p.UUID, play)
	if s.clock.Now().Before(p.CreatedAt.Add(delay)) {
		return nil
	}
	var count *int64
	var reason string
	switch share -= play.Confirmed; {
	case share < 0:
		count = &counted.Confirmed
	case share < play.WrongAmount:
		count, reason = &counted.WrongAmount, "The payer sent another amount."
	case share < play.WrongAmount+play.Cancelled:
		count, reason = &counted.Cancelled, "No transfer has come."
	default:
		return nil
	}
	err := s.act(ctx, p, reason)
	if err == nil {
		*count++
	}
	if refused := fault.As(err); refused != nil {
		err = nil
	}
	return err
}

// act has a payment paid, which its bank's message confirms or else its trader,
// or cancels it for a reason.
func (s *Service) act(ctx context.Context, p db.SimulationOpenRow, reason string) error {
	trader := caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: p.TraderID}
	var err error
	if reason == "" && s.Phones != nil {
		told, err := s.Phones.Paid(ctx, db.SandboxTransferRow{
			ID: p.ID, UUID: p.UUID, TraderID: p.TraderID, Currency: p.Currency, Amount: p.Amount, RequisiteLast4: p.RequisiteLast4,
		})
		if err != nil { // the trader has their hands
			slog.WarnContext(ctx, "a simulated trader's phone forwards nothing", "payment", p.ID, "error", err)
		}
		if told {
			return nil
		}
	}
	if reason == "" {
		_, err = s.payments.Confirm(ctx, trader, p.ID)
	} else {
		_, err = s.payments.Cancel(ctx, trader, p.ID, &reason)
	}
	return err
}

// draw derives a number below a hundred and a delay from the payment's uuid
// alone, so that every process, also after a restart, answers in the same way.
func draw(id uuid.UUID, play Play) (share int32, delay time.Duration) {
	sum := sha256.Sum256(id[:])
	share = int32(binary.BigEndian.Uint32(sum[:4]) % 100)
	seconds := play.From + int32(binary.BigEndian.Uint32(sum[4:8])%uint32(play.To-play.From+1))
	return share, time.Duration(seconds) * time.Second
}

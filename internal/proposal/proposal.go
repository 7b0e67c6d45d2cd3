// Package proposal has two operators do together what takes both: one proposes an action, and another
// one approves it, which does exactly what was proposed, once, in the transaction of the approval.
package proposal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
)

// Lasts is how long a proposal can be decided.
const Lasts = 24 * time.Hour

const maxReason = 500

// State is how a proposal stands.
type State string

// The states.
const (
	Open     State = "open"
	Approved State = "approved"
	Refused  State = "refused"
	Expired  State = "expired"
)

// Proposal is an action that waits for a second operator, or that did.
type Proposal struct {
	ID     int64
	Action Action
	Payload
	// Subject is what it is about, such as trader, and SubjectKey which.
	Subject, SubjectKey string
	// Why is the reason that was given for proposing it.
	Why string
	// ProposedBy is a user's id, and Proposer their login.
	ProposedBy           int64
	Proposer             string
	CreatedAt, ExpiresAt time.Time
	State                State
	// Decider, DecidedAt and DecisionReason are of a decision; Decider is "" without one.
	Decider        string
	DecidedAt      *time.Time
	DecisionReason string
}

// Service keeps proposals and has them decided.
type Service struct {
	pool, reads *pgxpool.Pool
	q           *db.Queries
	clock       clock.Clock
	rooms       Rooms
}

// New makes the service. The rooms have the rules by which an action takes a second operator.
func New(pools db.Pools, c clock.Clock, rooms Rooms) *Service {
	return &Service{pool: pools.Calls, reads: pools.Reads, q: db.New(pools.Reads), clock: c, rooms: rooms}
}

// Do does an action. Where it takes a second operator it is kept as a proposal instead, which the
// answer has; the same again by the same operator answers with that one, as long as it is open.
func (s *Service) Do(ctx context.Context, who caller.Caller, a Action, p Payload, why string) (Done, error) {
	act := acts[a]
	if err := who.Need(act.needs); err != nil {
		return Done{}, err
	}
	f := fault.Decoded(ctx)
	why = strings.TrimSpace(why)
	f.MaxLength("reason", why, maxReason)
	if a == Correct {
		f.Check(p.From != nil || f.Wrong("from"), "from", "is required")
		f.Check(p.To != nil || f.Wrong("to"), "to", "is required")
	}
	if len(f) > 0 { // the room says what else is wrong
		ctx = fault.WithDecoded(ctx, f)
	}
	p = act.fields(p)
	done, err := act.do(ctx, who, s.rooms, p)
	if !errors.Is(err, foureyes.ErrSecondOperator) {
		return done, err
	}
	made, err := s.propose(ctx, who, a, p, why)
	return Done{Proposal: &made}, err
}

// propose keeps an action for a second operator.
func (s *Service) propose(
	ctx context.Context, who caller.Caller, a Action, p Payload, why string,
) (Proposal, error) {
	payload, err := json.Marshal(p)
	if err != nil {
		return Proposal{}, fmt.Errorf("write proposal: %w", err)
	}
	now := s.clock.Now()
	params := db.ProposalInsertParams{
		Action: string(a), Payload: payload, Reason: why, ProposedBy: who.ID, CreatedAt: now, ExpiresAt: now.Add(Lasts),
	}
	params.Subject, params.SubjectKey = acts[a].about(p)
	var row db.ProposalGetRow
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		id, err := insert(ctx, q, params)
		if err != nil {
			return err
		}
		row, err = q.ProposalGet(ctx, id)
		return err
	})
	if err != nil {
		return Proposal{}, fmt.Errorf("propose: %w", err)
	}
	return fromRow(row.Proposal, row.Proposer, row.Decider, now)
}

// insert writes a proposal, or finds the one that is the same.
func insert(ctx context.Context, q *db.Queries, params db.ProposalInsertParams) (int64, error) {
	if err := q.ProposalTurn(ctx, params.Action+" "+string(params.Payload)); err != nil {
		return 0, err
	}
	id, err := q.ProposalSame(ctx, db.ProposalSameParams{
		Now: params.CreatedAt, Action: params.Action, Payload: params.Payload, ProposedBy: params.ProposedBy,
	})
	if err == nil || !db.NoRows(err) {
		return id, err
	}
	return q.ProposalInsert(ctx, params)
}

// fromRow reads a proposal. A payload that has more than is known here is refused: it would not be
// done as it was proposed.
func fromRow(row db.Proposal, proposer string, decider *string, now time.Time) (Proposal, error) {
	p := Proposal{
		ID: row.ID, Action: Action(row.Action), Subject: row.Subject, SubjectKey: row.SubjectKey, Why: row.Reason,
		ProposedBy: row.ProposedBy, Proposer: proposer, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt,
		State: stateOf(row, now), DecidedAt: row.DecidedAt, DecisionReason: row.DecisionReason,
	}
	if decider != nil {
		p.Decider = *decider
	}
	decoder := json.NewDecoder(bytes.NewReader(row.Payload))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p.Payload); err != nil {
		return p, fmt.Errorf("read proposal %d: %w", row.ID, err)
	}
	return p, nil
}

func stateOf(row db.Proposal, now time.Time) State {
	switch {
	case row.Decision != nil:
		return State(*row.Decision)
	case !now.Before(row.ExpiresAt):
		return Expired
	}
	return Open
}

// Page asks for part of the list of proposals, newest first.
type Page struct {
	db.Page
	// All lists those that are decided or expired, too.
	All bool
}

// List lists proposals to operators. The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Proposal, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	limit, before := page.Bounds(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	now := s.clock.Now()
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.ProposalListRow, error) {
		return q.ProposalList(ctx, db.ProposalListParams{BeforeID: before, Open: !page.All, Now: now, Page: limit + 1})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list proposals: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(r db.ProposalListRow) int64 { return r.Proposal.ID })
	list := make([]Proposal, 0, len(rows))
	for _, row := range rows {
		p, err := fromRow(row.Proposal, row.Proposer, row.Decider, now)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, p)
	}
	return list, cursor, nil
}

// Get reads a proposal.
func (s *Service) Get(ctx context.Context, who caller.Caller, id int64) (Proposal, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Proposal{}, err
	}
	row, err := s.q.ProposalGet(ctx, id)
	if db.NoRows(err) {
		return Proposal{}, fault.ErrNotFound
	}
	if err != nil {
		return Proposal{}, fmt.Errorf("read proposal: %w", err)
	}
	return fromRow(row.Proposal, row.Proposer, row.Decider, s.clock.Now())
}

// Others counts the operators beside the caller who could approve what they propose. While there are
// none, proposals wait until a second operator with the role admin or treasury has signed up.
func (s *Service) Others(ctx context.Context, who caller.Caller) (int64, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return 0, err
	}
	var roles []string
	for _, role := range caller.Roles(caller.Operator) {
		if (caller.Caller{Kind: caller.Operator, Role: role}).May(caller.OperatorMoney) {
			roles = append(roles, string(role))
		}
	}
	count, err := s.q.ProposalOthers(ctx, db.ProposalOthersParams{Roles: roles, ID: who.ID})
	if err != nil {
		return 0, fmt.Errorf("count operators: %w", err)
	}
	return count, nil
}

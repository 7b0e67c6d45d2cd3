// Package proposal stores actions that require two operators: one proposes an
// action and another approves it. The approval does exactly what was proposed,
// once, in the transaction of the decision.
package proposal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/optional"
	"gateway.example/internal/session"
	"gateway.example/internal/vault"
)

// Lasts is how long a proposal can be decided after it was made.
const Lasts = 24 * time.Hour

const maxReason = 500

// State is the state of a proposal.
type State string

const (
	Open     State = "open"
	Approved State = "approved"
	Refused  State = "refused"
	Expired  State = "expired"
)

// Proposal is an action that waits for a second operator, or that waited.
type Proposal struct {
	ID     int64
	Action Action
	// Payload is for actions with money and rates.
	Payload
	// Params are the action's parameters without secrets. They are nil if
	// another version of the program made the proposal and this one cannot
	// read it; it can only be refused.
	Params any
	// Subject is the kind of thing that it is about, such as trader, and
	// SubjectKey its id.
	Subject, SubjectKey string
	// Why is the reason given for the proposal.
	Why string
	// ProposedBy is the user's id, and Proposer their login.
	ProposedBy           int64
	Proposer             string
	CreatedAt, ExpiresAt time.Time
	State                State
	// The last three are about the decision; Decider is "" without one.
	Decider        string
	DecidedAt      *time.Time
	DecisionReason string
	// Invited is the user whom the approval invited, while the invitation
	// is open, and AnotherCode tells that its code is the reader's, who may
	// have another one. ByTrader tells whether a trader's user made the
	// proposal. Only Get has them.
	Invited               *int64
	AnotherCode, ByTrader bool
}

// Service stores proposals and carries out the approved ones.
type Service struct {
	pool, reads db.Pool
	q           *db.Queries
	clock       clock.Clock
	vault       *vault.Vault
	services    Services
}

// New makes the service. The given services decide which actions require a
// second operator.
func New(pools db.Pools, c clock.Clock, v *vault.Vault, services Services) *Service {
	return &Service{pool: pools.Calls, reads: pools.Reads, q: db.New(pools.Reads), clock: c, vault: v, services: services}
}

// Do executes an action. If that requires a second operator, it stores a
// proposal instead and returns it. If the same operator proposes the same
// again, they get the open proposal.
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
	if len(f) > 0 { // the service says what else is wrong
		ctx = fault.WithDecoded(ctx, f)
	}
	p = reads[a](p)
	done, err := act.do(ctx, who, s.services, p)
	if !errors.Is(err, foureyes.ErrSecondOperator) {
		return done, err
	}
	if p, err = s.asSeen(ctx, who, a, p); err != nil {
		return Done{}, err
	}
	made, err := s.propose(ctx, who, a, p, why)
	return Done{Proposal: &made}, err
}

// asSeen adds to a proposal the state that it was made for. If that has
// changed, an approval is refused.
func (s *Service) asSeen(ctx context.Context, who caller.Caller, a Action, p Payload) (Payload, error) {
	switch a {
	case ConfirmDeposit:
		d, err := s.services.Deposits.Get(ctx, who, p.DepositID)
		if err == nil && d.Transfer != nil {
			p.TransferID = d.Transfer.ID
		}
		return p, err
	case SetInsurance:
		box, err := s.services.Settings.Cashbox(ctx, who, p.CashboxID)
		p.Seen = box.InsuranceUSDT.String()
		return p, err
	case SetRate:
		var err error
		p.Seen, err = s.services.Rates.Version(ctx, p.Currency)
		return p, err
	default:
		return p, nil
	}
}

// Propose makes a proposal from a foureyes.SecondOperatorError. It returns
// other errors unchanged.
func (s *Service) Propose(ctx context.Context, who caller.Caller, err error) (Proposal, error) {
	wanted := new(foureyes.SecondOperatorError)
	if !errors.As(err, &wanted) {
		return Proposal{}, err
	}
	return s.propose(ctx, who, wanted.Action, wanted.Params, "")
}

// propose stores an action that a second operator has to approve.
func (s *Service) propose(ctx context.Context, who caller.Caller, a Action, params any, why string) (Proposal, error) {
	open, secret := acts[a].hide(params)
	payload, err := json.Marshal(open)
	if err != nil {
		return Proposal{}, fmt.Errorf("write proposal: %w", err)
	}
	now, lasts := s.clock.Now(), Lasts
	if who.Kind == caller.Trader {
		lasts = RequisiteLasts
	}
	insert := db.ProposalInsertParams{
		Action: string(a), Payload: payload, Reason: why, ProposedBy: who.ID, CreatedAt: now, ExpiresAt: now.Add(lasts),
	}
	insert.Subject, insert.SubjectKey = acts[a].about(open)
	var row db.ProposalGetRow
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		id, err := s.insert(ctx, q, insert, secret)
		if err != nil {
			return err
		}
		row, err = q.ProposalGet(ctx, db.ProposalGetParams{ID: id, Now: now})
		return err
	})
	if err != nil {
		return Proposal{}, fmt.Errorf("propose: %w", err)
	}
	return fromRow(row.Proposal, row.Proposer, row.Decider, now), nil
}

// insert stores a proposal, or returns an equal one that is open.
func (s *Service) insert(
	ctx context.Context, q *db.Queries, params db.ProposalInsertParams, secret string,
) (int64, error) {
	if err := q.ProposalTurn(ctx, params.Action+" "+string(params.Payload)); err != nil {
		return 0, err
	}
	same, err := q.ProposalSame(ctx, db.ProposalSameParams{
		Now: params.CreatedAt, Action: params.Action, Payload: params.Payload, ProposedBy: params.ProposedBy,
	})
	if db.IgnoreNoRows(err) != nil {
		return 0, err
	}
	if err == nil {
		if hidden, err := s.secrets(same); err != nil || hidden == secret {
			return same.ID, err
		}
	}
	id, err := q.ProposalInsert(ctx, params)
	if err != nil || secret == "" {
		return id, err
	}
	return id, q.ProposalHide(ctx, db.ProposalHideParams{ID: id, Secrets: s.vault.Seal([]byte(secret), place(id))})
}

func place(id int64) vault.Place { return vault.Place{Table: "proposal", Column: "secrets", Row: id} }

// secrets decrypts the secrets of a proposal.
func (s *Service) secrets(row db.Proposal) (string, error) {
	if row.Secrets == nil {
		return "", nil
	}
	secret, err := s.vault.Open(row.Secrets, place(row.ID))
	if err != nil {
		return "", fmt.Errorf("open the secret of proposal %d: %w", row.ID, err)
	}
	return string(secret), nil
}

// fromRow reads a proposal.
func fromRow(row db.Proposal, proposer string, decider *string, now time.Time) Proposal {
	p := Proposal{
		ID: row.ID, Action: Action(row.Action), Subject: row.Subject, SubjectKey: row.SubjectKey, Why: row.Reason,
		ProposedBy: row.ProposedBy, Proposer: proposer, CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt,
		State: stateOf(row, now), DecidedAt: row.DecidedAt, DecisionReason: row.DecisionReason,
	}
	if decider != nil {
		p.Decider = *decider
	}
	if act, known := acts[p.Action]; known {
		if params, err := act.read(row.Payload); err == nil {
			p.Params = params
		}
	}
	p.Payload, _ = p.Params.(Payload)
	return p
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

// Page asks for a page of proposals, newest first.
type Page struct {
	db.Page
	// All includes decided and expired ones.
	All bool
}

// List lists proposals to operators. The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Proposal, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	now := s.clock.Now()
	rows, cursor, err := db.ListPage(ctx, s.reads, fault.Decoded(ctx), page.Page, "list proposals",
		func(q *db.Queries, before int64, rows int32) ([]db.ProposalListRow, error) {
			return q.ProposalList(ctx, db.ProposalListParams{BeforeID: before, Open: !page.All, Now: now, Page: rows})
		},
		func(row db.ProposalListRow) int64 { return row.Proposal.ID })
	return db.Each(rows, func(row db.ProposalListRow) Proposal {
		return fromRow(row.Proposal, row.Proposer, row.Decider, now)
	}), cursor, err
}

// Get reads a proposal.
func (s *Service) Get(ctx context.Context, who caller.Caller, id int64) (Proposal, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Proposal{}, err
	}
	now := s.clock.Now()
	row, err := s.q.ProposalGet(ctx, db.ProposalGetParams{ID: id, Now: now})
	if db.NoRows(err) {
		return Proposal{}, fault.ErrNotFound
	}
	if err != nil {
		return Proposal{}, fmt.Errorf("read proposal: %w", err)
	}
	p := fromRow(row.Proposal, row.Proposer, row.Decider, now)
	p.Invited, p.AnotherCode = row.Invited, row.Coded && optional.Value(row.Proposal.DecidedBy) == who.ID
	p.ByTrader, _, err = byTrader(ctx, s.q, p)
	return p, fault.Doing("read who proposed", err)
}

// Others counts the other operators who could approve what the caller
// proposes. If there are none, proposals wait until another operator is
// created.
func (s *Service) Others(ctx context.Context, who caller.Caller) (int64, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return 0, err
	}
	return s.deciders(ctx, s.q, who.ID, nil)
}

// TwoDecide reports whether some operator could decide what another one
// proposes. It is also true if one operator decides alone.
func (s *Service) TwoDecide(ctx context.Context) (bool, error) {
	if !s.services.Settings.FourEyes.On {
		return true, nil
	}
	they, err := s.q.OperatorTwoDecide(ctx, db.OperatorTwoDecideParams{
		Roles: session.Deciders(), Before: s.clock.Now().Add(-newFor),
	})
	if err != nil {
		return false, fmt.Errorf("look for two operators who decide: %w", err)
	}
	return they, nil
}

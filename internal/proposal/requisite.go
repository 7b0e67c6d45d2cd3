package proposal

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/sensitive"
)

const (
	// RequisiteLasts is how long operators can decide about a requisite
	// that a trader proposed.
	RequisiteLasts = 7 * 24 * time.Hour
	// MaxRequisites is how many of a trader's newest proposals are listed,
	// and how many may be open.
	MaxRequisites = 50
)

// ProposeRequisite proposes another requisite for the caller's trader. It is
// made as soon as one operator approves: they are the second person, so no
// other operator is required.
func (s *Service) ProposeRequisite(ctx context.Context, who caller.Caller, n directory.NewRequisite) (Proposal, error) {
	n.TraderID, n.Limits = who.TraderID, directory.Limits{}
	if err := s.services.Settings.CheckProposed(ctx, who, n); err != nil {
		return Proposal{}, err
	}
	list, err := s.Requisites(ctx, who)
	if err != nil {
		return Proposal{}, err
	}
	open := 0
	for _, p := range list {
		if p.State == Open {
			open++
		}
	}
	if open >= MaxRequisites {
		return Proposal{}, fault.Fields{"value": {"too many of your proposals wait already"}}.Err()
	}
	return s.propose(ctx, who, foureyes.CreateRequisite, n, "")
}

// Requisites lists the newest requisites that the caller's trader proposed,
// and what became of each. It does not say who decided.
func (s *Service) Requisites(ctx context.Context, who caller.Caller) ([]Proposal, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return nil, err
	}
	rows, err := s.q.ProposalsOfTrader(ctx, db.ProposalsOfTraderParams{Trader: numbered(who.TraderID), Page: MaxRequisites})
	if err != nil {
		return nil, fmt.Errorf("list proposed requisites: %w", err)
	}
	return db.Each(rows, func(row db.Proposal) Proposal { return fromRow(row, who.Login, nil, s.clock.Now()) }), nil
}

// RequisiteValue returns the whole value of a requisite that waits for a
// decision, and records who read it. After the decision the proposal no longer
// has it.
func (s *Service) RequisiteValue(ctx context.Context, who caller.Caller, id int64) (string, error) {
	if err := who.Admit(ctx, caller.OperatorReveal); err != nil {
		return "", err
	}
	now := s.clock.Now()
	row, err := s.q.ProposalGet(ctx, db.ProposalGetParams{ID: id, Now: now})
	if db.IgnoreNoRows(err) != nil {
		return "", fmt.Errorf("read proposal: %w", err)
	}
	if err != nil || Action(row.Proposal.Action) != foureyes.CreateRequisite || stateOf(row.Proposal, now) != Open {
		return "", fault.ErrNotFound
	}
	value, err := s.secrets(row.Proposal)
	if err != nil {
		return "", err
	}
	subject := sensitive.Subject{Kind: "proposal", Key: strconv.FormatInt(id, 10), What: "value"}
	return value, sensitive.Record(ctx, s.q, who, now, subject)
}

// byTrader reports whether a trader's user made the proposal, and whether that
// user may still do so: they are switched on, nobody has invited them anew
// since then, and their role may propose.
func byTrader(ctx context.Context, q *db.Queries, p Proposal) (is, may bool, err error) {
	row, err := q.ProposalTrader(ctx, db.ProposalTraderParams{ID: p.ProposedBy, Since: p.CreatedAt})
	if db.NoRows(err) {
		return false, false, nil
	}
	author := caller.Caller{Kind: caller.Trader, Role: caller.Role(row.Role)}
	return err == nil, row.Still && author.May(caller.TraderPropose), err
}

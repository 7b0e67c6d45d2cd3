package proposal

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
)

const (
	// RequisiteLasts is how long operators can decide about a requisite
	// that a trader proposed.
	RequisiteLasts = 7 * 24 * time.Hour
	// MaxRequisites is how many of a trader's newest proposals are listed,
	// and how many may be open.
	MaxRequisites = 50
)

// ProposeRequisite has operators decide whether the caller's trader gets
// another requisite. It is made if one of them approves: they are the second
// person, so that it takes no other operator.
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

// Requisites are the newest requisites that the caller's trader proposed, with
// what became of each. Who decided is not told.
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

// byTrader tells whether a trader's user made the proposal, and whether they
// are still switched on.
func byTrader(ctx context.Context, q *db.Queries, p Proposal) (is, on bool, err error) {
	on, err = q.ProposalTrader(ctx, p.ProposedBy)
	if db.NoRows(err) {
		return false, false, nil
	}
	return err == nil, on, err
}

package books

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// OnChain compares what the networks say about the platform's addresses with
// what the ledger says has come from outside.
type OnChain struct {
	Networks []NetworkSum
	// Seen is what arrived less what left on all networks. Booked is the
	// balance of the outside world in the ledger.
	Seen, Booked decimal.Decimal
}

// NetworkSum is what arrived at the platform's addresses and left them on one
// network.
type NetworkSum struct {
	Network    string
	Came, Went decimal.Decimal
}

// Difference is Seen less Booked. It is negative if the ledger has more than
// the networks, for example because operators entered amounts by hand.
func (o OnChain) Difference() decimal.Decimal { return o.Seen.Sub(o.Booked) }

// OnChain adds up what was seen on the networks. It takes a fraction of a
// second, or returns fault.ErrBusy.
func (s *Service) OnChain(ctx context.Context, who caller.Caller) (OnChain, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return OnChain{}, err
	}
	var found OnChain
	_, err := db.Glance(ctx, s.reads, func(q *db.Queries) ([]struct{}, error) {
		found = OnChain{}
		rows, err := q.ChainSums(ctx)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found.Networks = append(found.Networks, NetworkSum(row))
			found.Seen = found.Seen.Add(row.Came).Sub(row.Went)
		}
		outside, err := q.AccountBalance(ctx, ledger.Available(ledger.External, 0).ID())
		found.Booked = outside.Neg()
		return nil, db.IgnoreNoRows(err)
	})
	if err != nil {
		return OnChain{}, fmt.Errorf("add up what is on the networks: %w", err)
	}
	return found, nil
}

package payout

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

type DeskCounts struct {
	// Taken counts the payouts that the trader took and has not ended,
	// Waiting those that the trader could take.
	Taken, Waiting int
}

// DeskCounts counts the payouts of the caller's trader. Each of the two counts
// stops at most.
func (s *Service) DeskCounts(ctx context.Context, who caller.Caller, most int32) (DeskCounts, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return DeskCounts{}, err
	}
	givenBack, err := s.givenBack(ctx, s.q, who.TraderID)
	if err != nil {
		return DeskCounts{}, err
	}
	row, err := s.q.PayoutDeskCounts(ctx, db.PayoutDeskCountsParams{
		TraderID: who.TraderID, Most: most, GivenBack: givenBack,
	})
	if err != nil {
		return DeskCounts{}, fmt.Errorf("count payouts: %w", err)
	}
	return DeskCounts{Taken: int(row.Taken), Waiting: int(row.Waiting)}, nil
}

// Desk lists the payouts that a trader took and those that the trader could
// take, the earliest end first.
type Desk struct {
	Taken, Waiting []Offer
	// Banks are the banks that waiting payouts name, whichever of them was
	// asked for.
	Banks []string
}

const (
	// MaxDesk is how many payouts of a kind a desk shows.
	MaxDesk = 20
	// banksOf is how many waiting payouts are read to find the names of
	// their banks.
	banksOf = 1000
)

// Desk reads the desk of the caller's trader. If a bank is given, only waiting
// payouts to that bank are listed.
func (s *Service) Desk(ctx context.Context, who caller.Caller, bank string) (Desk, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return Desk{}, err
	}
	f := fault.Decoded(ctx)
	f.Flaw("bank", fault.TextFlaw(bank))
	if err := f.Err(); err != nil {
		return Desk{}, err
	}
	givenBack, err := s.givenBack(ctx, s.q, who.TraderID)
	if err != nil {
		return Desk{}, err
	}
	taken, err := s.q.PayoutDeskTaken(ctx, db.PayoutDeskTakenParams{TraderID: who.TraderID, Page: MaxDesk})
	if err != nil {
		return Desk{}, fmt.Errorf("list taken payouts: %w", err)
	}
	waits, err := s.q.PayoutDeskWaiting(ctx, db.PayoutDeskWaitingParams{
		TraderID: who.TraderID, GivenBack: givenBack, Bank: bank, Page: MaxDesk,
	})
	if err != nil {
		return Desk{}, fmt.Errorf("list waiting payouts: %w", err)
	}
	var desk Desk
	desk.Banks, err = s.q.PayoutDeskBanks(ctx, db.PayoutDeskBanksParams{
		TraderID: who.TraderID, GivenBack: givenBack, Most: banksOf,
	})
	if err != nil {
		return Desk{}, fmt.Errorf("list the banks of waiting payouts: %w", err)
	}
	if desk.Taken, err = s.offers(ctx, who, taken); err != nil {
		return Desk{}, err
	}
	desk.Waiting, err = s.offers(ctx, who, waits)
	return desk, err
}

// DeskStamps returns a number for each trader that changes with the payouts
// that the trader took or could take. One query reads all of them.
func (s *Service) DeskStamps(ctx context.Context, traderIDs []int64) (map[int64]uint64, error) {
	rows, err := s.q.PayoutDeskStamps(ctx, traderIDs)
	return db.Stamps(rows), fault.Doing("read the stamps of payouts", err)
}

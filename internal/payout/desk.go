package payout

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// DeskCounts is how many payouts a trader has to do with.
type DeskCounts struct {
	// Taken are those they took and have not ended, Waiting those they could take.
	Taken, Waiting int
}

// DeskCounts counts the payouts of the caller's trader, each kind at most to most.
func (s *Service) DeskCounts(ctx context.Context, who caller.Caller, most int32) (DeskCounts, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return DeskCounts{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return DeskCounts{}, err
	}
	givenBack, err := s.givenBack(ctx, s.q, who.TraderID)
	if err != nil {
		return DeskCounts{}, err
	}
	row, err := s.q.PayinDeskCounts(ctx, db.PayinDeskCountsParams{
		TraderID: who.TraderID, Most: most, GivenBack: givenBack,
	})
	if err != nil {
		return DeskCounts{}, fmt.Errorf("count payouts: %w", err)
	}
	return DeskCounts{Taken: int(row.Taken), Waiting: int(row.Waiting)}, nil
}

// DeskStamps are numbers, by trader, that change with the payouts that they took or could take. One
// query reads all of them.
func (s *Service) DeskStamps(ctx context.Context, traderIDs []int64) (map[int64]uint64, error) {
	rows, err := s.q.PayinDeskStamps(ctx, traderIDs)
	if err != nil {
		return nil, fmt.Errorf("read the stamps of payouts: %w", err)
	}
	stamps := make(map[int64]uint64, len(rows))
	for _, row := range rows {
		stamps[row.ID] = uint64(row.Stamp)
	}
	return stamps, nil
}

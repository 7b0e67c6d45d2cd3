package report

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// Names are the names of merchants and traders, by their ids.
type Names struct{ Merchants, Traders map[int64]string }

// Owned is something that belongs to a merchant, and possibly also to a trader.
type Owned interface {
	// Owners returns the ids; the trader's is 0 if there is none.
	Owners() (merchantID, traderID int64)
}

// NamesOf reads, in one query, the names of the owners of everything in a list,
// for an operator.
func NamesOf[O Owned](ctx context.Context, s *Service, who caller.Caller, list []O) (Names, error) {
	names := Names{Merchants: map[int64]string{}, Traders: map[int64]string{}}
	if len(list) == 0 || who.Kind != caller.Operator {
		return names, nil
	}
	var asked db.ReportOwnerNamesParams
	for _, owned := range list {
		merchant, trader := owned.Owners()
		asked.Merchants, asked.Traders = append(asked.Merchants, merchant), append(asked.Traders, trader)
	}
	rows, err := s.q.ReportOwnerNames(ctx, asked)
	if err != nil {
		return names, fmt.Errorf("read names: %w", err)
	}
	for _, row := range rows {
		of := names.Merchants
		if row.Kind == "trader" {
			of = names.Traders
		}
		of[row.ID] = row.Name
	}
	return names, nil
}

func (p PaymentItem) Owners() (merchantID, traderID int64) { return p.MerchantID, p.TraderID }

func (p PayoutItem) Owners() (merchantID, traderID int64) {
	return p.MerchantID, optional.Value(p.TraderID)
}

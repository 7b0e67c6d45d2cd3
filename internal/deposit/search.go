package deposit

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// referenceLeast is the least number of characters by which references are
// searched.
const referenceLeast = 3

// Search finds at most most deposits by their number, or by the beginning of
// their reference, such as the hash of a transaction. Merchants find their own,
// and operators all.
func (s *Service) Search(ctx context.Context, who caller.Caller, text string, most int) ([]Deposit, error) {
	params := db.DepositsBegunParams{Page: int32(most)}
	if who.Kind != caller.Operator {
		if err := needMerchant(who, caller.MerchantMoney); err != nil {
			return nil, err
		}
		params.MerchantID = &who.MerchantID
	} else if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	text = strings.TrimSpace(text)
	var found []Deposit
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		d, err := s.Get(ctx, who, id)
		if fault.As(err) == nil && err != nil {
			return nil, err
		}
		if err == nil {
			found = append(found, d)
		}
	}
	if utf8.RuneCountInString(text) < referenceLeast {
		return found, nil
	}
	params.Begins, params.Beyond = db.Begins(text)
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.Deposit, error) { return q.DepositsBegun(ctx, params) })
	if err != nil {
		return nil, fmt.Errorf("search deposits: %w", err)
	}
	for _, row := range rows {
		if len(found) == 0 || found[0].ID != row.ID {
			found = append(found, fromRow(row))
		}
	}
	return found, nil
}

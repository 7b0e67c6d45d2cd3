package report

import (
	"context"
	"fmt"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// paired returns the ids of what has the filter's metadata, beginning where the
// window begins and at most scanMost; nil if the filter has no metadata. An
// index has them by merchant.
func (s *Service) paired(ctx context.Context, subject string, c scope, w window) ([]int64, error) {
	if c.Metadata == nil {
		return nil, nil
	}
	if c.MerchantID == 0 {
		return nil, fault.Fields{"metadata": {"is looked for with a merchant"}}.Err()
	}
	params := db.MetadataIDsParams{
		MerchantID: c.MerchantID, Subject: subject, Pair: c.Metadata.ID(), Above: w.above, Below: w.below, Most: scanMost,
		Backward: w.backward,
	}
	ids, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]int64, error) {
		return q.MetadataIDs(ctx, params)
	})
	if err != nil {
		return nil, fmt.Errorf("look for metadata: %w", err)
	}
	if ids == nil {
		ids = []int64{}
	}
	return ids, nil
}

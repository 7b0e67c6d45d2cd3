package report

import (
	"context"
	"maps"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) GetPatterns(
	ctx context.Context, _ *portalv1.GetPatternsRequest,
) (*portalv1.GetPatternsResponse, error) {
	p, err := s.Reports.Patterns(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetPatternsResponse{
		Count: int32(p.Count), Failing: rpc.Views(p.Failing, pattern), NearLimit: rpc.Views(p.Near, pattern), Fast: rpc.Views(p.Fast, pattern),
	}
	if p.Count > 0 {
		out.From, out.To = rpc.Timestamp(p.From), rpc.Timestamp(p.To)
	}
	return out, nil
}

func pattern(p report.Pattern) *portalv1.Pattern {
	out := &portalv1.Pattern{Count: int32(p.Count), LastPaymentId: p.LastID, LastAt: rpc.Timestamp(p.LastAt)}
	if p.TraderID != 0 {
		out.TraderId = &p.TraderID
		return out
	}
	out.MerchantId, out.UserId = &p.MerchantID, &p.User
	return out
}

func (s *service) GetProcessors(
	ctx context.Context, req *portalv1.GetProcessorsRequest,
) (*portalv1.GetProcessorsResponse, error) {
	health, err := s.Figures.Processors(ctx, caller.From(ctx), req.GetTraderId())
	out := &portalv1.GetProcessorsResponse{}
	for _, id := range slices.Sorted(maps.Keys(health)) {
		h := health[id]
		out.Data = append(out.Data, &portalv1.ProcessorHealth{
			AcquirerId: id, Attempts: int32(h.Attempts), Approved: int32(h.Approved), Declined: int32(h.Declined),
			Failed: int32(h.Failed), MedianMs: milliseconds(h.Median), P95Ms: milliseconds(h.P95),
		})
	}
	return out, err
}

// milliseconds is a time that was taken, or nil where there is none.
func milliseconds(d time.Duration) *int32 {
	if d < 0 {
		return nil
	}
	return new(int32(d.Milliseconds()))
}

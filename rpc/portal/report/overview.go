package report

import (
	"context"
	"time"

	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/figures"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) GetOverview(
	ctx context.Context, req *portalv1.GetOverviewRequest,
) (*portalv1.GetOverviewResponse, error) {
	found := fault.Decoded(ctx)
	zone, err := time.LoadLocation(req.GetZone())
	if err != nil || req.GetZone() == "Local" {
		found.Check(found.Wrong("zone"), "zone", "must be the name of a time zone, such as Europe/Berlin")
		zone = time.UTC
	}
	o, err := s.Figures.Overview(fault.WithDecoded(ctx, found), caller.From(ctx), zone)
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetOverviewResponse{At: timestamppb.New(o.At), TodayFrom: timestamppb.New(o.From)}
	for _, d := range o.Today {
		out.Today = append(out.Today, &portalv1.OverviewDay{
			Currency: d.Currency, Today: overviewFigures(d.Now), LastWeek: overviewFigures(d.LastWeek),
		})
	}
	for _, m := range o.Methods {
		out.Methods = append(out.Methods, &portalv1.OverviewMethod{
			Method: m.Method, Currency: m.Currency, Figures: overviewFigures(m.Figures),
		})
	}
	for _, h := range o.Hours {
		out.Hours = append(out.Hours,
			&portalv1.OverviewHour{At: timestamppb.New(h.At), Figures: overviewFigures(h.Figures)})
	}
	overviewState(out, o)
	return out, nil
}

// overviewState fills in what waits, what fails and what exists.
func overviewState(out *portalv1.GetOverviewResponse, o figures.Overview) {
	for _, e := range o.Endpoints {
		out.Endpoints = append(out.Endpoints, &portalv1.OverviewEndpoint{
			Host: e.Host, Attempts: e.Attempts, Failures: e.Failures,
			LastFailureAt: timestamppb.New(e.LastAt), LastStatusCode: optional.Of(int32(e.LastStatus)),
		})
	}
	for _, q := range o.Queues {
		out.Queues = append(out.Queues,
			&portalv1.OverviewQueue{Queue: string(q.Queue), Count: int32(q.Count), More: q.More})
	}
	for _, b := range o.Balances {
		out.Balances = append(out.Balances, &portalv1.OverviewBalance{
			MerchantCashboxId: b.CashboxID, Name: b.Name, Total: money.USDT(b.Total),
			Available: money.USDT(b.Available), Reserved: money.USDT(b.Reserved), Insurance: money.USDT(b.Insurance),
		})
	}
}

func overviewFigures(f figures.Figures) *portalv1.OverviewFigures {
	out := &portalv1.OverviewFigures{
		Payments: f.Payments, Completed: f.Completed, Ended: f.Ended, Amount: rpc.Number(f.Amount, money.Fiat),
		SuccessPercent: rpc.Number(f.Success(), func(d decimal.Decimal) string { return d.StringFixed(1) }),
	}
	if f.Completed > 0 {
		out.MedianSeconds = new(int64(f.Median() / time.Second))
	}
	return out
}

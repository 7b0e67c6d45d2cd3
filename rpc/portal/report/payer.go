package report

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) GetPayer(ctx context.Context, req *portalv1.GetPayerRequest) (*portalv1.GetPayerResponse, error) {
	p, err := s.Reports.Payer(ctx, caller.From(ctx), req.GetMerchantId(), req.GetUserId())
	return &portalv1.GetPayerResponse{
		Count: int32(p.Count), More: p.More, FirstAt: rpc.Timestamp(p.FirstAt), LastAt: rpc.Timestamp(p.LastAt),
		Sums: rpc.Views(p.Sums, payerSum), Cards: rpc.Views(p.Cards, payerCard),
		Failures: rpc.Views(p.Failures, payerPayment), Latest: rpc.Views(p.Latest, payerPayment),
	}, err
}

func payerSum(s report.PayerSum) *portalv1.PayerSum {
	return &portalv1.PayerSum{
		Currency: s.Currency, Count: int32(s.Count), Paid: int32(s.Paid), Open: int32(s.Open),
		PaidAmount: money.Fiat(s.PaidAmount), MaxAmount: money.Fiat(s.MaxAmount),
	}
}

func payerCard(c report.PayerCard) *portalv1.PayerCard {
	return &portalv1.PayerCard{
		Brand: c.Brand, Last4: c.Last4, Count: int32(c.Count), Paid: int32(c.Paid), LastAt: rpc.Timestamp(c.LastAt),
	}
}

func payerPayment(p report.PayerPayment) *portalv1.PayerPayment {
	return &portalv1.PayerPayment{
		PaymentId: p.ID, OrderId: p.OrderID, Status: string(p.Status), Reason: p.Reason, Currency: p.Currency,
		Amount: money.Fiat(p.Amount), CreatedAt: rpc.Timestamp(p.CreatedAt),
	}
}

package report

import (
	"context"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListAccounts(
	ctx context.Context, req *portalv1.ListAccountsRequest,
) (*portalv1.ListAccountsResponse, error) {
	list, next, err := s.Books.Accounts(ctx, caller.From(ctx), books.AccountFilter{
		Owner: req.GetOwner(), Limit: int(req.GetLimit()), After: req.Cursor,
	})
	out := &portalv1.ListAccountsResponse{NextCursor: next}
	for _, h := range list {
		out.Data = append(out.Data, &portalv1.Holding{
			Owner: h.Account.Owner.String(), OwnerId: h.Account.OwnerID, Name: h.Name, Merchant: h.Merchant,
			Available: money.USDT(h.Available), Reserved: money.USDT(h.Reserved),
		})
	}
	return out, err
}

func (s *service) GetIncome(ctx context.Context, req *portalv1.GetIncomeRequest) (*portalv1.GetIncomeResponse, error) {
	list, err := s.Books.Income(ctx, caller.From(ctx), books.IncomeFilter{
		From: rpc.Moment(req.GetFrom()), To: rpc.Moment(req.GetTo()), MerchantID: req.GetMerchantId(),
	})
	out := &portalv1.GetIncomeResponse{}
	for _, i := range list {
		out.Data = append(out.Data, &portalv1.Income{
			Day: rpc.Timestamp(i.Day), MerchantId: i.MerchantID, Merchant: i.Merchant, Subject: i.Subject,
			Method: i.Method, Currency: i.Currency, Earned: money.USDT(i.Earned), Reversed: money.USDT(i.Reversed),
			Net: money.USDT(i.Net()), Volume: rpc.OptionalNumber(i.Volume, money.USDT),
		})
	}
	return out, err
}

package report

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListAccounts implements the service.
func (s *Service) ListAccounts(
	ctx context.Context, req *connect.Request[portalv1.ListAccountsRequest],
) (*connect.Response[portalv1.ListAccountsResponse], error) {
	list, next, err := s.Books.Accounts(ctx, caller.From(ctx), books.AccountFilter{
		Owner: req.Msg.GetOwner(), Limit: int(req.Msg.GetLimit()), After: req.Msg.Cursor,
	})
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListAccountsResponse{NextCursor: next}
	for _, h := range list {
		out.Data = append(out.Data, &portalv1.Holding{
			Owner: h.Account.Owner.String(), OwnerId: h.Account.OwnerID, Name: h.Name, Merchant: h.Merchant,
			Available: money.USDT(h.Available), Reserved: money.USDT(h.Reserved),
		})
	}
	return connect.NewResponse(out), nil
}

// GetIncome implements the service.
func (s *Service) GetIncome(
	ctx context.Context, req *connect.Request[portalv1.GetIncomeRequest],
) (*connect.Response[portalv1.GetIncomeResponse], error) {
	found := fault.Decoded(ctx)
	filter := books.IncomeFilter{
		From: rpc.Moment(found, "from", req.Msg.GetFrom()), To: rpc.Moment(found, "to", req.Msg.GetTo()),
		MerchantID: req.Msg.GetMerchantId(),
	}
	list, err := s.Books.Income(fault.WithDecoded(ctx, found), caller.From(ctx), filter)
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetIncomeResponse{}
	for _, i := range list {
		income := &portalv1.Income{
			Day: rpc.Timestamp(i.Day), MerchantId: i.MerchantID, Merchant: i.Merchant, Subject: i.Subject,
			Method: i.Method, Currency: i.Currency, Earned: money.USDT(i.Earned), Reversed: money.USDT(i.Reversed),
			Net: money.USDT(i.Net()),
		}
		if i.Volume.Valid {
			income.Volume = proto.String(money.USDT(i.Volume.Decimal))
		}
		out.Data = append(out.Data, income)
	}
	return connect.NewResponse(out), nil
}

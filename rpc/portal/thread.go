package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// Threads are the methods by which operators and traders write to each other about an appeal.
type Threads struct{ Of *payment.Service }

// ListAppealMessages implements the service.
func (t Threads) ListAppealMessages(
	ctx context.Context, req *connect.Request[portalv1.ListAppealMessagesRequest],
) (*connect.Response[portalv1.ListAppealMessagesResponse], error) {
	thread, err := t.Of.ReadThread(ctx, caller.From(ctx), req.Msg.GetAppealId())
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListAppealMessagesResponse{Open: thread.Open}
	for _, m := range thread.Messages {
		shown := &portalv1.AppealMessage{
			Number: m.Number, FromTrader: m.FromTrader, Text: m.Text, CreatedAt: rpc.Timestamp(m.At),
		}
		if m.Login != "" {
			shown.Login = &m.Login
		}
		out.Data = append(out.Data, shown)
	}
	return connect.NewResponse(out), nil
}

// SendAppealMessage implements the service.
func (t Threads) SendAppealMessage(
	ctx context.Context, req *connect.Request[portalv1.SendAppealMessageRequest],
) (*connect.Response[portalv1.SendAppealMessageResponse], error) {
	if err := t.Of.WriteThread(ctx, caller.From(ctx), req.Msg.GetAppealId(), req.Msg.GetText()); err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SendAppealMessageResponse{}), nil
}

// ListAppeals implements the service.
func (s *TraderService) ListAppeals(
	ctx context.Context, req *connect.Request[portalv1.TraderServiceListAppealsRequest],
) (*connect.Response[portalv1.TraderServiceListAppealsResponse], error) {
	var page payment.Page
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.payments.ListThreads(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.TraderServiceListAppealsResponse{
		Data: rpc.Views(list, traderAppealView), NextCursor: cursor,
	}), nil
}

func traderAppealView(t payment.ThreadSummary) *portalv1.TraderAppeal {
	return &portalv1.TraderAppeal{
		Id: t.Appeal.ID, Status: t.Appeal.Status, PaymentId: t.Appeal.Payment.ID, Amount: money.Fiat(t.Appeal.Payment.Amount),
		Currency: t.Appeal.Payment.Currency, Messages: t.Messages, Unread: t.Unread, LastAt: rpc.Timestamp(t.LastAt),
	}
}

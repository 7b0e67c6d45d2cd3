package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// Threads are the methods by which operators and traders write to each other
// about an appeal.
type Threads struct{ Of *payment.Service }

func (t Threads) ListAppealMessages(
	ctx context.Context, req *portalv1.ListAppealMessagesRequest,
) (*portalv1.ListAppealMessagesResponse, error) {
	thread, err := t.Of.ReadThread(ctx, caller.From(ctx), req.GetAppealId())
	out := &portalv1.ListAppealMessagesResponse{Open: thread.Open}
	for _, m := range thread.Messages {
		out.Data = append(out.Data, &portalv1.AppealMessage{
			Number: m.Number, FromTrader: m.FromTrader, Text: m.Text, CreatedAt: rpc.Timestamp(m.At),
			Login: optional.Of(m.Login),
		})
	}
	return out, err
}

func (t Threads) SendAppealMessage(
	ctx context.Context, req *portalv1.SendAppealMessageRequest,
) (*portalv1.SendAppealMessageResponse, error) {
	return &portalv1.SendAppealMessageResponse{}, t.Of.WriteThread(ctx, caller.From(ctx), req.GetAppealId(), req.GetText())
}

func (s *TraderService) ListAppeals(
	ctx context.Context, req *portalv1.TraderServiceListAppealsRequest,
) (*portalv1.TraderServiceListAppealsResponse, error) {
	var page payment.Page
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Payments.ListThreads(ctx, caller.From(ctx), page)
	return &portalv1.TraderServiceListAppealsResponse{Data: rpc.Views(list, traderAppealView), NextCursor: cursor}, err
}

func traderAppealView(t payment.ThreadSummary) *portalv1.TraderAppeal {
	return &portalv1.TraderAppeal{
		Id: t.Appeal.ID, Status: t.Appeal.Status, PaymentId: t.Appeal.Payment.ID, Amount: money.Fiat(t.Appeal.Payment.Amount),
		Currency: t.Appeal.Payment.Currency, Messages: t.Messages, Unread: t.Unread, LastAt: rpc.Timestamp(t.LastAt),
	}
}

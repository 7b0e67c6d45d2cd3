package operator

import (
	"context"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) ListUnknownMessages(
	ctx context.Context, _ *portalv1.ListUnknownMessagesRequest,
) (*portalv1.ListUnknownMessagesResponse, error) {
	unknown, err := s.Messages.Unknown(ctx, caller.From(ctx))
	return &portalv1.ListUnknownMessagesResponse{
		Of: int64(unknown.Of), Data: rpc.Views(unknown.List, messageGroup),
	}, err
}

func messageGroup(g bankmessage.Group) *portalv1.MessageGroup {
	return &portalv1.MessageGroup{Count: int64(g.Count), Newest: portal.MessageView(g.Newest)}
}

func (s *service) ListObjectedMessages(
	ctx context.Context, req *portalv1.ListObjectedMessagesRequest,
) (*portalv1.ListObjectedMessagesResponse, error) {
	var page bankmessage.Page
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Messages.Objected(ctx, caller.From(ctx), page)
	return &portalv1.ListObjectedMessagesResponse{Data: rpc.Views(list, portal.MessageView), NextCursor: cursor}, err
}

func (s *service) ResolveObjection(
	ctx context.Context, req *portalv1.ResolveObjectionRequest,
) (*portalv1.ResolveObjectionResponse, error) {
	m, err := s.Messages.ResolveObjection(ctx, caller.From(ctx), req.GetMessageId(), bankmessage.Resolution{
		Outcome: bankmessage.Outcome(req.GetOutcome()), Reason: req.GetReason(),
	})
	return &portalv1.ResolveObjectionResponse{Data: portal.MessageView(m)}, err
}

func (s *service) TryMessagePattern(
	ctx context.Context, req *portalv1.TryMessagePatternRequest,
) (*portalv1.TryMessagePatternResponse, error) {
	tried, err := s.Messages.TryPattern(ctx, caller.From(ctx), bankmessage.NewPattern{
		Currency: req.GetCurrency(), Kind: bankmessage.Kind(req.GetSays()), Expr: req.GetPattern(),
	})
	return &portalv1.TryMessagePatternResponse{
		Of: int64(tried.Of), Known: int64(tried.Known), Cut: tried.Cut, Data: rpc.Views(tried.Messages, portal.MessageView),
	}, err
}

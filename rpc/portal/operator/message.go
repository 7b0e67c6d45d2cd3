package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

// ListUnknownMessages implements the service.
func (s *Service) ListUnknownMessages(
	ctx context.Context, _ *connect.Request[portalv1.ListUnknownMessagesRequest],
) (*connect.Response[portalv1.ListUnknownMessagesResponse], error) {
	unknown, err := s.Messages.Unknown(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListUnknownMessagesResponse{
		Of: int64(unknown.Of), Data: rpc.Views(unknown.List, messageGroup),
	}), nil
}

func messageGroup(g bankmessage.Group) *portalv1.MessageGroup {
	return &portalv1.MessageGroup{Count: int64(g.Count), Newest: portal.MessageView(g.Newest)}
}

// ListObjectedMessages implements the service.
func (s *Service) ListObjectedMessages(
	ctx context.Context, req *connect.Request[portalv1.ListObjectedMessagesRequest],
) (*connect.Response[portalv1.ListObjectedMessagesResponse], error) {
	var page bankmessage.Page
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Messages.Objected(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListObjectedMessagesResponse{Data: rpc.Views(list, portal.MessageView), NextCursor: cursor}), nil
}

// ResolveObjection implements the service.
func (s *Service) ResolveObjection(
	ctx context.Context, req *connect.Request[portalv1.ResolveObjectionRequest],
) (*connect.Response[portalv1.ResolveObjectionResponse], error) {
	m, err := s.Messages.ResolveObjection(ctx, caller.From(ctx), req.Msg.GetMessageId(), bankmessage.Resolution{
		Outcome: bankmessage.Outcome(req.Msg.GetOutcome()), Reason: req.Msg.GetReason(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ResolveObjectionResponse{Data: portal.MessageView(m)}), nil
}

// TryMessagePattern implements the service.
func (s *Service) TryMessagePattern(
	ctx context.Context, req *connect.Request[portalv1.TryMessagePatternRequest],
) (*connect.Response[portalv1.TryMessagePatternResponse], error) {
	tried, err := s.Messages.TryPattern(ctx, caller.From(ctx), bankmessage.NewPattern{
		Currency: req.Msg.GetCurrency(), Kind: bankmessage.Kind(req.Msg.GetSays()), Expr: req.Msg.GetPattern(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.TryMessagePatternResponse{
		Of: int64(tried.Of), Known: int64(tried.Known), Cut: tried.Cut, Data: rpc.Views(tried.Messages, portal.MessageView),
	}), nil
}

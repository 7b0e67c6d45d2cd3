package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// SetTraderAcquirer implements the service.
func (s *Service) SetTraderAcquirer(
	ctx context.Context, req *connect.Request[portalv1.SetTraderAcquirerRequest],
) (*connect.Response[portalv1.SetTraderAcquirerResponse], error) {
	c, elsewhere, err := s.Acquirers.Set(ctx, caller.From(ctx), acquirer.Setting{
		TraderID: req.Msg.GetTraderId(), URL: req.Msg.GetUrl(), KeyID: req.Msg.GetKeyId(), Secret: req.Msg.GetSecret(),
		Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, func(
		change *portalv1.SettingChange, p acquirer.Processor,
	) *portalv1.SetTraderAcquirerResponse {
		return &portalv1.SetTraderAcquirerResponse{Change: change, OpenElsewhere: elsewhere, Data: processorView(p)}
	})
}

// RemoveTraderAcquirer implements the service.
func (s *Service) RemoveTraderAcquirer(
	ctx context.Context, req *connect.Request[portalv1.RemoveTraderAcquirerRequest],
) (*connect.Response[portalv1.RemoveTraderAcquirerResponse], error) {
	c, err := s.Acquirers.Remove(ctx, caller.From(ctx), req.Msg.GetTraderId())
	return settled(c, err, func(
		change *portalv1.SettingChange, p acquirer.Processor,
	) *portalv1.RemoveTraderAcquirerResponse {
		return &portalv1.RemoveTraderAcquirerResponse{Change: change, Data: processorView(p)}
	})
}

// ListCardConflicts implements the service.
func (s *Service) ListCardConflicts(
	ctx context.Context, req *connect.Request[portalv1.ListCardConflictsRequest],
) (*connect.Response[portalv1.ListCardConflictsResponse], error) {
	list, cursor, err := s.Checkouts.ListConflicts(ctx, caller.From(ctx), req.Msg.Limit, req.Msg.Cursor)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListCardConflictsResponse{NextCursor: cursor}
	for _, c := range list {
		out.Data = append(out.Data, conflictView(c))
	}
	return connect.NewResponse(out), nil
}

// CloseCardConflict implements the service.
func (s *Service) CloseCardConflict(
	ctx context.Context, req *connect.Request[portalv1.CloseCardConflictRequest],
) (*connect.Response[portalv1.CloseCardConflictResponse], error) {
	c, err := s.Checkouts.CloseConflict(ctx, caller.From(ctx), req.Msg.GetConflictId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CloseCardConflictResponse{Data: conflictView(c)}), nil
}

func conflictView(c checkout.Conflict) *portalv1.CardConflict {
	return &portalv1.CardConflict{
		Id: c.ID, PaymentId: c.PaymentID, AttemptId: c.AttemptID.String(), PaymentStatus: string(c.PaymentStatus),
		AttemptState: c.AttemptState, CreatedAt: rpc.Timestamp(c.CreatedAt), ClosedAt: rpc.OptionalTime(c.ClosedAt),
	}
}

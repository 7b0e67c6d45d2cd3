package operator

import (
	"context"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) SetTraderAcquirer(
	ctx context.Context, req *portalv1.SetTraderAcquirerRequest,
) (*portalv1.SetTraderAcquirerResponse, error) {
	c, elsewhere, err := s.Acquirers.Set(ctx, caller.From(ctx), acquirer.Setting{
		TraderID: req.GetTraderId(), URL: req.GetUrl(), KeyID: req.GetKeyId(), Secret: req.GetSecret(),
		Seen: req.GetVersion(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.SetTraderAcquirerResponse{Change: change, OpenElsewhere: elsewhere, Data: processorView(c.Now)}, err
}

func (s *service) RemoveTraderAcquirer(
	ctx context.Context, req *portalv1.RemoveTraderAcquirerRequest,
) (*portalv1.RemoveTraderAcquirerResponse, error) {
	c, err := s.Acquirers.Remove(ctx, caller.From(ctx), req.GetTraderId())
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.RemoveTraderAcquirerResponse{Change: change, Data: processorView(c.Now)}, err
}

func (s *service) ListCardConflicts(
	ctx context.Context, req *portalv1.ListCardConflictsRequest,
) (*portalv1.ListCardConflictsResponse, error) {
	list, cursor, err := s.Checkouts.ListConflicts(ctx, caller.From(ctx), req.Limit, req.Cursor)
	return &portalv1.ListCardConflictsResponse{Data: rpc.Views(list, conflictView), NextCursor: cursor}, err
}

func (s *service) CloseCardConflict(
	ctx context.Context, req *portalv1.CloseCardConflictRequest,
) (*portalv1.CloseCardConflictResponse, error) {
	c, err := s.Checkouts.CloseConflict(ctx, caller.From(ctx), req.GetConflictId())
	return &portalv1.CloseCardConflictResponse{Data: conflictView(c)}, err
}

func conflictView(c checkout.Conflict) *portalv1.CardConflict {
	return &portalv1.CardConflict{
		Id: c.ID, PaymentId: c.PaymentID, AttemptId: c.AttemptID.String(), PaymentStatus: string(c.PaymentStatus),
		AttemptState: c.AttemptState, CreatedAt: rpc.Timestamp(c.CreatedAt), ClosedAt: rpc.OptionalTime(c.ClosedAt),
	}
}

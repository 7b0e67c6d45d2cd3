package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

// ListDeadEvents implements the service.
func (s *Service) ListDeadEvents(
	ctx context.Context, req *connect.Request[portalv1.ListDeadEventsRequest],
) (*connect.Response[portalv1.ListEventsResponse], error) {
	list, cursor, err := s.Events.ListDead(ctx, caller.From(ctx), webhook.DeadPage{
		MerchantID: req.Msg.MerchantId, Limit: req.Msg.Limit, Cursor: req.Msg.Cursor,
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListEventsResponse{Data: rpc.Views(list, portal.EventView), NextCursor: cursor}), nil
}

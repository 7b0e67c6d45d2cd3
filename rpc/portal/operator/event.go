package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) ListDeadEvents(
	ctx context.Context, req *portalv1.ListDeadEventsRequest,
) (*portalv1.ListEventsResponse, error) {
	list, cursor, err := s.Events.ListDead(ctx, caller.From(ctx), webhook.DeadPage{
		MerchantID: req.MerchantId, Paging: webhook.Paging{Limit: req.Limit, Cursor: req.Cursor},
	})
	return &portalv1.ListEventsResponse{Data: rpc.Views(list, portal.EventView), NextCursor: cursor}, err
}

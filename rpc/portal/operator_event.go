package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListDeadEvents implements the service.
func (s *OperatorService) ListDeadEvents(
	ctx context.Context, req *connect.Request[portalv1.ListDeadEventsRequest],
) (*connect.Response[portalv1.ListEventsResponse], error) {
	list, cursor, err := s.Events.ListDead(ctx, caller.From(ctx), webhook.DeadPage{
		MerchantID: req.Msg.MerchantId, Limit: req.Msg.Limit, Cursor: req.Msg.Cursor,
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(eventList(list, cursor)), nil
}

// ReplayEvents implements the service.
func (s *OperatorService) ReplayEvents(
	ctx context.Context, req *connect.Request[portalv1.ReplayEventsRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayEvents(ctx, s.Events, req.Msg)
}

// GetReplay implements the service.
func (s *OperatorService) GetReplay(
	ctx context.Context, req *connect.Request[portalv1.GetReplayRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayed(s.Events.ReplayProgress(ctx, caller.From(ctx), req.Msg.GetReplayId()))
}

// StopReplay implements the service.
func (s *OperatorService) StopReplay(
	ctx context.Context, req *connect.Request[portalv1.StopReplayRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayed(s.Events.StopReplay(ctx, caller.From(ctx), req.Msg.GetReplayId()))
}

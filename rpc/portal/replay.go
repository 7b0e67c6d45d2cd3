package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// Replays are the methods by which merchants and operators have events sent again.
type Replays struct{ Of *webhook.Events }

// ReplayEvents implements the service.
func (r Replays) ReplayEvents(
	ctx context.Context, req *connect.Request[portalv1.ReplayEventsRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	ask := webhook.Replay{
		EventID: m.EventId, URL: m.Url, MerchantID: m.MerchantId,
		From: rpc.Instant(found, "from", m.GetFrom()), Until: rpc.Instant(found, "until", m.GetUntil()),
	}
	return replayed(r.Of.Replay(fault.WithDecoded(ctx, found), caller.From(ctx), ask))
}

// GetReplay implements the service.
func (r Replays) GetReplay(
	ctx context.Context, req *connect.Request[portalv1.GetReplayRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayed(r.Of.ReplayProgress(ctx, caller.From(ctx), req.Msg.GetReplayId()))
}

// StopReplay implements the service.
func (r Replays) StopReplay(
	ctx context.Context, req *connect.Request[portalv1.StopReplayRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayed(r.Of.StopReplay(ctx, caller.From(ctx), req.Msg.GetReplayId()))
}

func replayed(p webhook.Progress, err error) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(
		&portalv1.ReplayEventsResponse{Replayed: p.Replayed, ReplayId: p.ID, Done: p.Done, Stopped: p.Stopped},
	), nil
}

package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// Replays are the methods by which merchants and operators have events sent
// again.
type Replays struct{ Of *webhook.Events }

func (r Replays) ReplayEvents(
	ctx context.Context, m *portalv1.ReplayEventsRequest,
) (*portalv1.ReplayEventsResponse, error) {
	return replayed(r.Of.Replay(ctx, caller.From(ctx), webhook.Replay{
		EventID: m.EventId, URL: m.Url, MerchantID: m.MerchantId,
		From: rpc.Instant(m.GetFrom()), Until: rpc.Instant(m.GetUntil()),
	}))
}

func (r Replays) GetReplay(
	ctx context.Context, req *portalv1.GetReplayRequest,
) (*portalv1.ReplayEventsResponse, error) {
	return replayed(r.Of.ReplayProgress(ctx, caller.From(ctx), req.GetReplayId()))
}

func (r Replays) StopReplay(
	ctx context.Context, req *portalv1.StopReplayRequest,
) (*portalv1.ReplayEventsResponse, error) {
	return replayed(r.Of.StopReplay(ctx, caller.From(ctx), req.GetReplayId()))
}

func replayed(p webhook.Progress, err error) (*portalv1.ReplayEventsResponse, error) {
	return &portalv1.ReplayEventsResponse{Replayed: p.Replayed, ReplayId: p.ID, Done: p.Done, Stopped: p.Stopped}, err
}

package portal

import (
	"context"
	"strings"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// MerchantRooms are the services behind the merchants' portal.
type MerchantRooms struct {
	Events   *webhook.Events
	Payouts  *payout.Service
	Deposits *deposit.Service
	Payments *payment.Service
	Settings *directory.Settings
	Reports  *report.Service
}

// MerchantService serves portal.v1.MerchantService.
type MerchantService struct{ MerchantRooms }

var _ portalv1connect.MerchantServiceHandler = (*MerchantService)(nil)

// NewMerchantService makes the handler.
func NewMerchantService(rooms MerchantRooms) *MerchantService { return &MerchantService{rooms} }

// ListEvents implements the service.
func (s *MerchantService) ListEvents(
	ctx context.Context, req *connect.Request[portalv1.ListEventsRequest],
) (*connect.Response[portalv1.ListEventsResponse], error) {
	list, cursor, err := s.Events.List(ctx, caller.From(ctx), webhook.FeedPage{
		Status: req.Msg.Status, Limit: req.Msg.Limit, Cursor: req.Msg.Cursor,
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(eventList(list, cursor)), nil
}

// ReplayEvents implements the service.
func (s *MerchantService) ReplayEvents(
	ctx context.Context, req *connect.Request[portalv1.ReplayEventsRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayEvents(ctx, s.Events, req.Msg)
}

// GetReplay implements the service.
func (s *MerchantService) GetReplay(
	ctx context.Context, req *connect.Request[portalv1.GetReplayRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayed(s.Events.ReplayProgress(ctx, caller.From(ctx), req.Msg.GetReplayId()))
}

// StopReplay implements the service.
func (s *MerchantService) StopReplay(
	ctx context.Context, req *connect.Request[portalv1.StopReplayRequest],
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	return replayed(s.Events.StopReplay(ctx, caller.From(ctx), req.Msg.GetReplayId()))
}

// RotateWebhookSecret implements the service.
func (s *MerchantService) RotateWebhookSecret(
	ctx context.Context, req *connect.Request[portalv1.RotateWebhookSecretRequest],
) (*connect.Response[portalv1.RotateWebhookSecretResponse], error) {
	secret, until, err := s.Events.RotateSecret(ctx, caller.From(ctx), req.Msg.GetMerchantCashboxId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(
		&portalv1.RotateWebhookSecretResponse{WebhookSecret: secret, PreviousUntil: rpc.Timestamp(until)},
	), nil
}

func replayEvents(
	ctx context.Context, events *webhook.Events, m *portalv1.ReplayEventsRequest,
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	found := fault.Decoded(ctx)
	ask := webhook.Replay{
		EventID: m.EventId, URL: m.Url, MerchantID: m.MerchantId,
		From: rpc.Instant(found, "from", m.GetFrom()), Until: rpc.Instant(found, "until", m.GetUntil()),
	}
	return replayed(events.Replay(fault.WithDecoded(ctx, found), caller.From(ctx), ask))
}

func replayed(p webhook.Progress, err error) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(
		&portalv1.ReplayEventsResponse{Replayed: p.Replayed, ReplayId: p.ID, Done: p.Done, Stopped: p.Stopped},
	), nil
}

func eventList(list []webhook.Record, cursor *string) *portalv1.ListEventsResponse {
	out := &portalv1.ListEventsResponse{Data: make([]*portalv1.Event, 0, len(list)), NextCursor: cursor}
	for _, record := range list {
		out.Data = append(out.Data, eventView(record))
	}
	return out
}

func eventView(record webhook.Record) *portalv1.Event {
	event := &portalv1.Event{
		EventId: record.ID.String(), MerchantId: record.MerchantID, Type: record.Type, Url: record.URL,
		Body: string(record.Body), CreatedAt: rpc.Timestamp(record.CreatedAt), Status: record.Status,
	}
	for _, attempt := range record.Attempts {
		event.Attempts = append(event.Attempts, attemptView(attempt))
	}
	return event
}

func attemptView(a webhook.Attempt) *portalv1.DeliveryAttempt {
	out := &portalv1.DeliveryAttempt{
		At: rpc.Timestamp(a.At), DurationMs: a.DurationMs, StatusCode: a.StatusCode, Error: a.Error,
	}
	if a.StatusCode != nil {
		// An answer may be any bytes, but a message only holds text.
		out.Answer = ptr(strings.ToValidUTF8(string(a.Answer), "\uFFFD"))
	}
	return out
}

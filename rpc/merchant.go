package rpc

import (
	"context"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/webhook"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// MerchantRooms are what a merchant's desk stands on.
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
		&portalv1.RotateWebhookSecretResponse{WebhookSecret: secret, PreviousUntil: timestamp(until)},
	), nil
}

func replayEvents(
	ctx context.Context, events *webhook.Events, m *portalv1.ReplayEventsRequest,
) (*connect.Response[portalv1.ReplayEventsResponse], error) {
	found := fault.Decoded(ctx)
	ask := webhook.Replay{
		EventID: m.EventId, URL: m.Url, MerchantID: m.MerchantId,
		From: instant(found, "from", m.GetFrom()), Until: instant(found, "until", m.GetUntil()),
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

// instant reads a time that may be left out. A field can hold more than a date has.
func instant(found fault.Fields, field string, at *timestamppb.Timestamp) *time.Time {
	if at == nil {
		return nil
	}
	found.Check(at.IsValid(), field, "must be a time in the years 1 to 9999")
	return ptr(at.AsTime())
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
		Body: string(record.Body), CreatedAt: timestamp(record.CreatedAt), Status: record.Status,
	}
	for _, attempt := range record.Attempts {
		event.Attempts = append(event.Attempts, attemptView(attempt))
	}
	return event
}

func attemptView(a webhook.Attempt) *portalv1.DeliveryAttempt {
	out := &portalv1.DeliveryAttempt{
		At: timestamp(a.At), DurationMs: a.DurationMs, StatusCode: a.StatusCode, Error: a.Error,
	}
	if a.StatusCode != nil {
		// An answer is any bytes, cut anywhere; a message holds only text.
		out.Answer = ptr(strings.ToValidUTF8(string(a.Answer), "\uFFFD"))
	}
	return out
}

package portal

import (
	"context"
	"strings"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
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
type MerchantService struct {
	MerchantRooms
	Replays
}

var _ portalv1connect.MerchantServiceHandler = (*MerchantService)(nil)

// NewMerchantService makes the handler.
func NewMerchantService(rooms MerchantRooms) *MerchantService {
	return &MerchantService{rooms, Replays{rooms.Events}}
}

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
	return connect.NewResponse(&portalv1.ListEventsResponse{Data: rpc.Views(list, EventView), NextCursor: cursor}), nil
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

// EventView is an event with its attempts.
func EventView(record webhook.Record) *portalv1.Event {
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
		out.Answer = new(strings.ToValidUTF8(string(a.Answer), "\uFFFD"))
	}
	return out
}

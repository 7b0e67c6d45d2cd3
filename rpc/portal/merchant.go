package portal

import (
	"context"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type MerchantService struct {
	Events   *webhook.Events
	Payouts  *payout.Service
	Deposits *deposit.Service
	Payments *payment.Service
	Settings *directory.Settings
	Reports  *report.Service
	Replays
	AppealFiles
}

func (s *MerchantService) ListEvents(
	ctx context.Context, req *portalv1.ListEventsRequest,
) (*portalv1.ListEventsResponse, error) {
	list, cursor, err := s.Events.List(ctx, caller.From(ctx), webhook.FeedPage{
		Status: req.Status, Paging: webhook.Paging{Limit: req.Limit, Cursor: req.Cursor},
	})
	return &portalv1.ListEventsResponse{Data: rpc.Views(list, EventView), NextCursor: cursor}, err
}

func (s *MerchantService) RotateWebhookSecret(
	ctx context.Context, req *portalv1.RotateWebhookSecretRequest,
) (*portalv1.RotateWebhookSecretResponse, error) {
	secret, until, err := s.Events.RotateSecret(ctx, caller.From(ctx), req.GetMerchantCashboxId())
	return &portalv1.RotateWebhookSecretResponse{WebhookSecret: secret, PreviousUntil: rpc.Timestamp(until)}, err
}

func EventView(record webhook.Record) *portalv1.Event {
	return &portalv1.Event{
		EventId: record.ID.String(), MerchantId: record.MerchantID, Type: record.Type, Url: record.URL,
		Body: string(record.Body), CreatedAt: rpc.Timestamp(record.CreatedAt), Status: record.Status,
		Attempts: rpc.Views(record.Attempts, attemptView),
	}
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

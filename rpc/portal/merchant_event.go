package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *MerchantService) GetEvent(
	ctx context.Context, req *portalv1.GetEventRequest,
) (*portalv1.GetEventResponse, error) {
	who, id := caller.From(ctx), req.GetEventId()
	if req.EventId == nil && req.MerchantCashboxId != nil {
		latest, err := s.Events.Latest(ctx, who, req.GetMerchantCashboxId())
		if err != nil {
			return nil, err
		}
		id = latest.String()
	}
	told, err := s.Events.Get(ctx, who, id)
	return &portalv1.GetEventResponse{
		Data: EventView(told.Record), MerchantCashboxId: told.CashboxID, Number: told.Number, Subject: told.Subject,
		SubjectId: told.SubjectID, Sequence: told.Sequence,
	}, err
}

func (s *MerchantService) GetEndpointHealth(
	ctx context.Context, _ *portalv1.GetEndpointHealthRequest,
) (*portalv1.GetEndpointHealthResponse, error) {
	health, err := s.Reports.Health(ctx, caller.From(ctx))
	out := &portalv1.GetEndpointHealthResponse{}
	for _, box := range health.Cashboxes {
		out.Cashboxes = append(out.Cashboxes, &portalv1.CashboxHealth{
			MerchantCashboxId: box.CashboxID, Attempts: box.Attempts, Taken: box.Taken,
			MedianMs: box.Median.Milliseconds(),
		})
	}
	for _, failure := range health.Failures {
		out.Failures = append(out.Failures, &portalv1.FailedAttempt{
			EventId: failure.EventID.String(), Type: failure.Type, MerchantCashboxId: failure.CashboxID,
			Attempt: failedAttempt(failure),
		})
	}
	return out, err
}

func failedAttempt(f report.Failure) *portalv1.DeliveryAttempt {
	return attemptView(webhook.Attempt{
		At: f.At, DurationMs: int32(f.Duration.Milliseconds()), StatusCode: f.StatusCode, Answer: f.Answer,
		Error: f.Error,
	})
}

func (s *MerchantService) ListDeadEndpoints(
	ctx context.Context, req *portalv1.ListDeadEndpointsRequest,
) (*portalv1.ListDeadEndpointsResponse, error) {
	list, err := s.Reports.DeadEndpoints(ctx, caller.From(ctx), rpc.Moment(req.GetFrom()), rpc.Moment(req.GetTo()))
	out := &portalv1.ListDeadEndpointsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.DeadEndpoint{Url: one.URL, Events: int64(one.Events)})
	}
	return out, err
}

func (s *MerchantService) ListOldWebhookSecrets(
	ctx context.Context, req *portalv1.ListOldWebhookSecretsRequest,
) (*portalv1.ListOldWebhookSecretsResponse, error) {
	ends, err := s.Events.OldSecrets(ctx, caller.From(ctx), req.GetMerchantCashboxId())
	return &portalv1.ListOldWebhookSecretsResponse{Until: rpc.Views(ends, rpc.Timestamp)}, err
}

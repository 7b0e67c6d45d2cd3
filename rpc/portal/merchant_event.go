package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/webhook"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// GetEvent implements the service.
func (s *MerchantService) GetEvent(
	ctx context.Context, req *connect.Request[portalv1.GetEventRequest],
) (*connect.Response[portalv1.GetEventResponse], error) {
	who, id := caller.From(ctx), req.Msg.GetEventId()
	if req.Msg.EventId == nil && req.Msg.MerchantCashboxId != nil {
		latest, err := s.Events.Latest(ctx, who, req.Msg.GetMerchantCashboxId())
		if err != nil {
			return nil, err
		}
		id = latest.String()
	}
	told, err := s.Events.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetEventResponse{
		Data: EventView(told.Record), MerchantCashboxId: told.CashboxID, Number: told.Number, Subject: told.Subject,
		SubjectId: told.SubjectID, Sequence: told.Sequence,
	}), nil
}

// GetEndpointHealth implements the service.
func (s *MerchantService) GetEndpointHealth(
	ctx context.Context, _ *connect.Request[portalv1.GetEndpointHealthRequest],
) (*connect.Response[portalv1.GetEndpointHealthResponse], error) {
	health, err := s.Reports.Health(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
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
	return connect.NewResponse(out), nil
}

func failedAttempt(f report.Failure) *portalv1.DeliveryAttempt {
	return attemptView(webhook.Attempt{
		At: f.At, DurationMs: int32(f.Duration.Milliseconds()), StatusCode: f.StatusCode, Answer: f.Answer,
		Error: f.Error,
	})
}

// ListDeadEndpoints implements the service.
func (s *MerchantService) ListDeadEndpoints(
	ctx context.Context, req *connect.Request[portalv1.ListDeadEndpointsRequest],
) (*connect.Response[portalv1.ListDeadEndpointsResponse], error) {
	found := fault.Decoded(ctx)
	from, to := rpc.Moment(found, "from", req.Msg.GetFrom()), rpc.Moment(found, "to", req.Msg.GetTo())
	list, err := s.Reports.DeadEndpoints(fault.WithDecoded(ctx, found), caller.From(ctx), from, to)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListDeadEndpointsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.DeadEndpoint{Url: one.URL, Events: int64(one.Events)})
	}
	return connect.NewResponse(out), nil
}

// ListOldWebhookSecrets implements the service.
func (s *MerchantService) ListOldWebhookSecrets(
	ctx context.Context, req *connect.Request[portalv1.ListOldWebhookSecretsRequest],
) (*connect.Response[portalv1.ListOldWebhookSecretsResponse], error) {
	ends, err := s.Events.OldSecrets(ctx, caller.From(ctx), req.Msg.GetMerchantCashboxId())
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListOldWebhookSecretsResponse{}
	for _, end := range ends {
		out.Until = append(out.Until, rpc.Timestamp(end))
	}
	return connect.NewResponse(out), nil
}

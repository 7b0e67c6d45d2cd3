package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// EventService serves gateway.v1.EventService.
type EventService struct{ events *webhook.Events }

var _ gatewayv1connect.EventServiceHandler = (*EventService)(nil)

// NewEventService makes the handler.
func NewEventService(events *webhook.Events) *EventService { return &EventService{events: events} }

// ListEvents implements the service.
func (s *EventService) ListEvents(
	ctx context.Context, req *connect.Request[gatewayv1.ListEventsRequest],
) (*connect.Response[gatewayv1.ListEventsResponse], error) {
	page := webhook.FeedPage{Limit: req.Msg.Limit, Cursor: req.Msg.Cursor}
	list, cursor, err := s.events.Feed(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &gatewayv1.ListEventsResponse{NextCursor: cursor}
	for _, event := range list {
		out.Data = append(out.Data, &gatewayv1.Event{
			Id: event.ID.String(), Type: event.Type, Payload: string(event.Body),
			CreatedAt: Timestamp(event.CreatedAt), Status: event.Status,
		})
	}
	return connect.NewResponse(out), nil
}

package rpc

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/webhook"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type EventService struct{ Events *webhook.Events }

func (s *EventService) ListEvents(
	ctx context.Context, req *gatewayv1.ListEventsRequest,
) (*gatewayv1.ListEventsResponse, error) {
	page := webhook.FeedPage{Paging: webhook.Paging{Limit: req.Limit, Cursor: req.Cursor}}
	list, cursor, err := s.Events.Feed(ctx, caller.From(ctx), page)
	return &gatewayv1.ListEventsResponse{Data: Views(list, eventView), NextCursor: cursor}, err
}

func eventView(event webhook.Record) *gatewayv1.Event {
	return &gatewayv1.Event{
		Id: event.ID.String(), Type: event.Type, Payload: string(event.Body),
		CreatedAt: Timestamp(event.CreatedAt), Status: event.Status,
	}
}

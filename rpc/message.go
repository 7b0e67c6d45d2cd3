package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// MessageService serves gateway.v1.MessageService.
type MessageService struct{ messages *bankmessage.Service }

var _ gatewayv1connect.MessageServiceHandler = (*MessageService)(nil)

// NewMessageService makes the handler.
func NewMessageService(messages *bankmessage.Service) *MessageService {
	return &MessageService{messages: messages}
}

// ForwardMessage implements the service.
func (s *MessageService) ForwardMessage(
	ctx context.Context, req *connect.Request[gatewayv1.ForwardMessageRequest],
) (*connect.Response[gatewayv1.ForwardMessageResponse], error) {
	m := req.Msg
	forwarded := bankmessage.Forwarded{ID: m.GetMessageId(), Kind: m.GetKind(), Sender: m.GetSender(), Text: m.GetText()}
	if m.GetReceivedAt() != nil {
		forwarded.ReceivedAt = new(m.GetReceivedAt().AsTime())
	}
	state, err := s.messages.Receive(ctx, caller.From(ctx), forwarded)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.ForwardMessageResponse{Data: &gatewayv1.ForwardedMessage{
		MessageId: m.GetMessageId(), State: string(state),
	}}), nil
}

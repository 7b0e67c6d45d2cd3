package rpc

import (
	"context"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// messageService serves gateway.v1.MessageService.
type messageService struct{ messages *bankmessage.Service }

// NewMessageService makes the handler.
func NewMessageService(messages *bankmessage.Service) gatewayv1connect.MessageServiceHandler {
	return &messageService{messages: messages}
}

func (s *messageService) ForwardMessage(
	ctx context.Context, m *gatewayv1.ForwardMessageRequest,
) (*gatewayv1.ForwardMessageResponse, error) {
	state, err := s.messages.Receive(ctx, caller.From(ctx), bankmessage.Forwarded{
		ID: m.GetMessageId(), Kind: m.GetKind(), Sender: m.GetSender(), Text: m.GetText(),
		ReceivedAt: Instant(m.GetReceivedAt()),
	})
	return &gatewayv1.ForwardMessageResponse{Data: &gatewayv1.ForwardedMessage{
		MessageId: m.GetMessageId(), State: string(state),
	}}, err
}

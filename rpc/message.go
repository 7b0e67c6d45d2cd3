package rpc

import (
	"context"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type MessageService struct{ Messages *bankmessage.Service }

func (s *MessageService) ForwardMessage(
	ctx context.Context, m *gatewayv1.ForwardMessageRequest,
) (*gatewayv1.ForwardMessageResponse, error) {
	state, err := s.Messages.Receive(ctx, caller.From(ctx), bankmessage.Forwarded{
		ID: m.GetMessageId(), Kind: m.GetKind(), Sender: m.GetSender(), Text: m.GetText(),
		ReceivedAt: Instant(m.GetReceivedAt()),
	})
	return &gatewayv1.ForwardMessageResponse{Data: &gatewayv1.ForwardedMessage{
		MessageId: m.GetMessageId(), State: string(state),
	}}, err
}

package acceptance

import (
	"context"

	"connectrpc.com/connect"

	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

func (g *instance) sandboxClient() sandboxv1connect.SandboxServiceClient {
	return sandboxv1connect.NewSandboxServiceClient(client, g.BaseURL)
}

// trigger has an event happen.
func (g *instance) trigger(event, id string) (*sandboxv1.TriggerResponse, error) {
	request := &sandboxv1.TriggerRequest{Event: event}
	if id != "" {
		request.Id = &id
	}
	answered, err := g.sandboxClient().Trigger(context.Background(), connect.NewRequest(request))
	if err != nil {
		return nil, err
	}
	return answered.Msg, nil
}

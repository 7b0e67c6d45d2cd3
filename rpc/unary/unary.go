// Package unary makes Connect's handlers of typed methods.
// connect.NewUnaryHandlerSimple is compiled once for each pair of messages it
// is used with: for all procedures a twentieth of what `go run ./cmd/gateway`
// compiles, and 5 MB of the program. Here it is compiled once, for a message
// that holds the procedure's own.
package unary

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
)

// message is taken for the message it holds by codecs and interceptors alike.
type message struct{ proto.Message }

// NewHandler is connect.NewUnaryHandlerSimple for pointers to messages.
func NewHandler[Req, Res proto.Message](
	procedure string, method func(context.Context, Req) (Res, error), options ...connect.HandlerOption,
) *connect.Handler {
	var none Req
	request := none.ProtoReflect().Type()
	return connect.NewUnaryHandlerSimple(procedure, func(ctx context.Context, m *message) (*message, error) {
		res, err := method(ctx, m.Message.(Req)) //nolint:forcetypeassert // made below
		if err != nil {
			return nil, err
		}
		return &message{res}, nil
	}, connect.WithHandlerOptions(options...), connect.WithRequestInitializer(func(_ connect.Spec, made any) error {
		made.(*message).Message = request.New().Interface() //nolint:forcetypeassert // this handler's own
		return nil
	}))
}

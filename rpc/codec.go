package rpc

import (
	"errors"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// jsonCodec reads and writes Connect's JSON as the library's own codec does, but says nothing of what it cannot read: the
// library's errors quote it, and it may be a card.
type jsonCodec struct{ name string }

var _ connect.Codec = jsonCodec{}

var (
	errNotMessage = errors.New("not a protobuf message")
	errNotJSON    = errors.New("the body must be valid JSON of the request's type")
)

// jsonCodecs takes the place of the library's two.
func jsonCodecs() connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCodec(jsonCodec{"json"}), connect.WithCodec(jsonCodec{"json; charset=utf-8"}),
	)
}

// Name implements connect.Codec.
func (c jsonCodec) Name() string { return c.name }

// Marshal implements connect.Codec.
func (c jsonCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend lets the library use its own buffers.
func (jsonCodec) MarshalAppend(to []byte, message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, errNotMessage
	}
	return protojson.MarshalOptions{}.MarshalAppend(to, m)
}

// Unmarshal implements connect.Codec. Unknown fields are ignored, as everywhere.
func (jsonCodec) Unmarshal(content []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return errNotMessage
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(content, m); err != nil {
		return errNotJSON
	}
	return nil
}

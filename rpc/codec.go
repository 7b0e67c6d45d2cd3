package rpc

import (
	"errors"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// codec is one of Connect's with errors that quote nothing: the library's
// errors quote the body, which may be a card.
type codec struct {
	name  string
	write func(to []byte, m proto.Message) ([]byte, error)
	read  func(content []byte, m proto.Message) error
	// unreadable is the error of a body that is none.
	unreadable error
}

var (
	errNotMessage = errors.New("not a protobuf message")
	errNotJSON    = errors.New("the body must be valid JSON of the request's type")
	errNotProto   = errors.New("the body must be a protobuf message of the request's type")
)

// codecs replace the library's.
func codecs() connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCodec(jsonCodec("json")),
		connect.WithCodec(jsonCodec("json; charset=utf-8")),
		connect.WithCodec(codec{"proto", proto.MarshalOptions{}.MarshalAppend, proto.Unmarshal, errNotProto}),
	)
}

// jsonCodec ignores unknown fields; see checkBody.
func jsonCodec(name string) codec {
	read := protojson.UnmarshalOptions{DiscardUnknown: true}
	return codec{name, protojson.MarshalOptions{}.MarshalAppend, read.Unmarshal, errNotJSON}
}

func (c codec) Name() string { return c.name }

func (c codec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend lets the library use its own buffers. Text stored long ago may
// not be valid UTF-8, which a message cannot hold: then it is repaired and
// encoded again, so that one such row does not make a list unreadable.
func (c codec) MarshalAppend(to []byte, message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, errNotMessage
	}
	content, err := c.write(to, m)
	if err != nil {
		repairText(m.ProtoReflect())
		content, err = c.write(to, m)
	}
	return content, err
}

func (c codec) Unmarshal(content []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return errNotMessage
	}
	if c.read(content, m) != nil {
		return c.unreadable
	}
	return nil
}

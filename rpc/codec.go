package rpc

import (
	"errors"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// jsonCodec is Connect's JSON codec with errors that quote nothing: the library's errors quote the
// body, which may be a card.
type jsonCodec struct{ name string }

var _ connect.Codec = jsonCodec{}

var (
	errNotMessage = errors.New("not a protobuf message")
	errNotJSON    = errors.New("the body must be valid JSON of the request's type")
)

// codecs replace the library's.
func codecs() connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCodec(jsonCodec{"json"}),
		connect.WithCodec(jsonCodec{"json; charset=utf-8"}),
		connect.WithCodec(protoCodec{}),
	)
}

func (c jsonCodec) Name() string { return c.name }

func (c jsonCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend lets the library use its own buffers.
func (jsonCodec) MarshalAppend(to []byte, message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, errNotMessage
	}
	return marshalText(m, func() ([]byte, error) { return protojson.MarshalOptions{}.MarshalAppend(to, m) })
}

// Unmarshal implements connect.Codec. It ignores unknown fields; see checkBody.
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

// protoCodec is the binary codec with errors that quote nothing.
type protoCodec struct{}

var _ connect.Codec = protoCodec{}

var errNotProto = errors.New("the body must be a protobuf message of the request's type")

func (protoCodec) Name() string { return "proto" }

func (c protoCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend lets the library use its own buffers.
func (protoCodec) MarshalAppend(to []byte, message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, errNotMessage
	}
	return marshalText(m, func() ([]byte, error) { return proto.MarshalOptions{}.MarshalAppend(to, m) })
}

func (protoCodec) Unmarshal(content []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return errNotMessage
	}
	if err := proto.Unmarshal(content, m); err != nil {
		return errNotProto
	}
	return nil
}

// marshalText encodes a message. Text stored long ago may not be valid UTF-8, which a message cannot
// hold: then it is repaired and encoded again, so that one such row does not make a list unreadable.
func marshalText(m proto.Message, write func() ([]byte, error)) ([]byte, error) {
	content, err := write()
	if err == nil {
		return content, nil
	}
	repairText(m.ProtoReflect())
	return write()
}

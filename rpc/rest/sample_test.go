package rest

import (
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"gateway.example/internal/testenv"
)

// sampleProto is a message of every shape the codec carries, beyond those the API has today.
const sampleProto = `
name: "sample.proto" package: "sample" syntax: "proto3"
dependency: ["gateway/v1/wire.proto", "google/protobuf/struct.proto", "google/protobuf/timestamp.proto"]
enum_type { name: "Colour" value { name: "RED" number: 0 } value { name: "GREEN" number: 1 } }
message_type {
  name: "Sample"
  field { name: "small" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
  field { name: "tiny" number: 2 label: LABEL_OPTIONAL type: TYPE_UINT32 }
  field { name: "big" number: 3 label: LABEL_OPTIONAL type: TYPE_UINT64 }
  field { name: "flag" number: 4 label: LABEL_OPTIONAL type: TYPE_BOOL }
  field { name: "colour" number: 5 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".sample.Colour" }
  field { name: "raw_bytes" number: 6 label: LABEL_OPTIONAL type: TYPE_BYTES }
  field { name: "tags" number: 7 label: LABEL_REPEATED type: TYPE_STRING }
  field { name: "items" number: 9 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".sample.Sample" }
  field { name: "extra" number: 8 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".sample.Sample.ExtraEntry" }
  field { name: "at" number: 10 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" }
  field { name: "anything" number: 11 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Value" }
  field { name: "created_at" json_name: "created_at" number: 12 label: LABEL_OPTIONAL type: TYPE_STRING }
  field { name: "secret" number: 13 label: LABEL_OPTIONAL type: TYPE_STRING options { [gateway.v1.wire] { internal: true } } }
  field { name: "ratio" number: 14 label: LABEL_OPTIONAL type: TYPE_STRING proto3_optional: true oneof_index: 0
          options { [gateway.v1.wire] { literal: LITERAL_NUMBER omit_unset: true omit_if: "flag" } } }
  oneof_decl { name: "_ratio" }
  nested_type {
    name: "ExtraEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_INT64 }
  }
}
message_type { name: "Float" field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_DOUBLE } }
message_type { name: "Keys" field { name: "x" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".sample.Keys.XEntry" }
  nested_type {
    name: "XEntry" options { map_entry: true }
    field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
    field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_INT64 }
  }
}
message_type { name: "Struct" field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Struct" } }
message_type { name: "Hidden" field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING
  options { [gateway.v1.wire] { omit_if: "nowhere" } } } }
`

func sampleDescriptor(t testing.TB, name protoreflect.Name) protoreflect.MessageDescriptor {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{}
	testenv.NoError(t, prototext.Unmarshal([]byte(sampleProto), file))
	desc, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	testenv.NoError(t, err)
	return desc.Messages().ByName(name)
}

func newSample(t testing.TB) protoreflect.Message {
	t.Helper()
	return dynamicpb.NewMessage(sampleDescriptor(t, "Sample"))
}

func TestSchemaRefusesWhatTheCodecCannotCarry(t *testing.T) {
	t.Parallel()
	for _, name := range []protoreflect.Name{"Float", "Keys", "Struct", "Hidden"} {
		desc := sampleDescriptor(t, name)
		testenv.Check(t, panics(func() { newSchema(desc) }), "%s was accepted", name)
	}
	sample := newSchema(sampleDescriptor(t, "Sample"))
	for _, name := range []string{"nowhere", "flag", "small"} {
		testenv.Check(t, panics(func() { sample.bindToPath(name) }), "%s was bound to a path", name)
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

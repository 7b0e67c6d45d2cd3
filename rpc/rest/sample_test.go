package rest

import (
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"gateway.example/internal/testenv"
)

// sampleDescriptor is a message of testdata/sample.textproto, which says what is in it.
func sampleDescriptor(t testing.TB, name protoreflect.Name) protoreflect.MessageDescriptor {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{}
	testenv.NoError(t, prototext.Unmarshal(testenv.Must(os.ReadFile("testdata/sample.textproto"))(t), file))
	return testenv.Must(protodesc.NewFile(file, protoregistry.GlobalFiles))(t).Messages().ByName(name)
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

package rest

import (
	"bytes"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// said is what was found wrong, as decode.txt has it.
func said(found fault.Fields) string {
	var all []string
	for field, messages := range found {
		all = append(all, field+": "+strings.Join(messages, ", "))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// The cases are those of testdata/decode.txt.
func TestDecode(t *testing.T) {
	t.Parallel()
	odd := strings.NewReplacer("<nothing>", "", "<nul>", "\x00", "<ff>", "\xff", "<bom>", "\ufeff", "<cr>", "\r", "<lf>", "\n", "<tab>", "\t")
	for _, row := range testenv.Rows(t, "decode.txt") {
		kind, sent := row[0], odd.Replace(row[3])
		want := newSample(t)
		switch kind {
		case "payment":
			want = (&gatewayv1.CreatePaymentRequest{}).ProtoReflect()
		case "list":
			want = (&gatewayv1.ListPaymentsRequest{}).ProtoReflect()
		}
		got, s := want.New(), newSchema(want.Descriptor())
		var found fault.Fields
		switch kind {
		case "query", "list":
			asked := &url.URL{RawQuery: sent}
			var ignored []string
			found, ignored = decodeQuery(asked, s, got)
			if kind == "list" {
				refuseUnknown(found, asked, s, ignored)
			}
		default:
			found, _ = decodeBody([]byte(sent), s, got)
		}
		testenv.Want(t, said(found), odd.Replace(row[1]), "what is wrong with %s %s", kind, sent)
		if row[2] == "?" {
			continue
		}
		testenv.NoError(t, prototext.Unmarshal([]byte(row[2]), want.Interface()))
		testenv.Check(t, proto.Equal(got.Interface(), want.Interface()), "%s %s: got %v, want %v", kind, sent, got.Interface(), want.Interface())
	}
}

func TestDecodeBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 10_000)
	body := `{"` + long + `":{"a":1,"a":2},"tags":[` + strings.Repeat("1,", 10_000) + `1]}`
	found, _ := decodeBody([]byte(body), newSchema(sampleDescriptor(t, "Sample")), newSample(t))
	testenv.Want(t, len(found), maxFindings, "findings")
	testenv.Check(t, found.Wrong(strings.Repeat("é", 32)+"….a"), "no finding for the shortened name in %q", found)
}

// FuzzDecode checks that no body panics, and that what was understood is
// written and understood the same again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"orderId":"A-1","amount":100.10,"rubCollect":{"method":null},"payer":{"payments":{"expired":1}},"merchantName":[{"a":1,"a":2}]}`,
		`{"id":1,"expiresAt":"2026-11-20T22:14:03.123456Z","ledger":{"restricted":true,"sellerRateMarkupPercent":2.5},"requisite":{}}`,
		`{"small":-1,"tags":["\ud83d\ude00"],"items":[{"items":[]}],"extra":{"b":1,"a":2},"ratio":1e5,"colour":"GREEN","rawBytes":"AAE="}`,
		"{\"orderId\":\"\\u0000\xff\\ud800\"}", `[]`, ``, `{"a":1,}`,
	} {
		f.Add([]byte(seed))
	}
	samples := []protoreflect.Message{
		(&gatewayv1.CreatePaymentRequest{}).ProtoReflect(), (&gatewayv1.Payment{}).ProtoReflect(), newSample(f),
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, sample := range samples {
			checkStable(t, newSchema(sample.Descriptor()), sample, body)
		}
	})
}

func checkStable(t *testing.T, s *schema, sample protoreflect.Message, body []byte) {
	t.Helper()
	first, second := sample.New(), sample.New()
	decodeBody(body, s, first)
	written, err := encode(s, first)
	testenv.Need(t, err == nil, "encode %v: %v", first, err)
	if found, _ := decodeBody(written, s, second); len(found) > 0 {
		t.Fatalf("own JSON %s refused: %v", written, found)
	}
	if again, err := encode(s, second); err != nil || !bytes.Equal(again, written) {
		t.Fatalf("unstable, %v:\n%s\n%s", err, written, again)
	}
}

func TestDecodeBodyWithoutFields(t *testing.T) {
	t.Parallel()
	s := &schema{byName: map[string]*field{}}
	found, _ := decodeBody([]byte(" "), s, newSample(t))
	testenv.Check(t, len(found) == 0, "empty: %v", found)
	found, _ = decodeBody([]byte("[]"), s, newSample(t))
	testenv.Check(t, found.Wrong(fault.Body), "a list was taken")
}

// sampleDescriptor is a message of testdata/sample.textproto, which says what
// is in it.
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

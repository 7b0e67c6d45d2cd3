package rest

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/structpb"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// sbpPayment is that of testdata/payment.textproto.
func sbpPayment() *gatewayv1.Payment {
	content, err := os.ReadFile("testdata/payment.textproto")
	p := &gatewayv1.Payment{}
	if err = errors.Join(err, prototext.Unmarshal(content, p)); err != nil {
		panic(err)
	}
	return p
}

// sbpJSON is that payment as it is written.
func sbpJSON(t *testing.T) string {
	t.Helper()
	return strings.TrimSuffix(string(testenv.Must(os.ReadFile("testdata/payment.json"))(t)), "\n")
}

// The cases are those of testdata/encode.txt.
func TestEncode(t *testing.T) {
	t.Parallel()
	check := func(msg protoreflect.Message, want string) {
		t.Helper()
		got, err := encode(newSchema(msg.Descriptor()), msg)
		testenv.Check(t, err == nil && string(got) == want, "%v: %v\n got %s\nwant %s", msg.Interface(), err, got, want)
		testenv.Check(t, json.Valid(got), "%s is no JSON", got)
	}
	check(sbpPayment().ProtoReflect(), sbpJSON(t))
	for _, row := range testenv.Rows(t, "encode.txt") {
		msg := newSample(t)
		if row[0] != "Sample" {
			msg = testenv.Must(protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("gateway.v1." + row[0])))(t).New()
		}
		testenv.NoError(t, prototext.Unmarshal([]byte(row[1]), msg.Interface()))
		check(msg, strings.ReplaceAll(row[2], "<ls>", "\u2028"))
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	for name, msg := range map[string]proto.Message{
		"no number":      &gatewayv1.Ledger{SellerRateMarkupPercent: proto.String("2,5")},
		"empty number":   &gatewayv1.Ledger{SellerRateMarkupPercent: proto.String("")},
		"empty value":    &gatewayv1.CreatePaymentRequest{MerchantName: &structpb.Value{}},
		"word as number": &gatewayv1.Ledger{SellerRateMarkupPercent: proto.String("null")},
	} {
		got, err := encode(newSchema(msg.ProtoReflect().Descriptor()), msg.ProtoReflect())
		testenv.Check(t, err != nil, "%s: written as %s", name, got)
	}
}

package rest

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
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

const sbpJSON = `{"id":42,"uuid":"0198f2c1-7d30-7a51-9c6e-3f1f6a1b2c3d","orderId":"A-1","description":null,"status":"pending",` +
	`"amount":"1500.00","currency":"RUB","method":"sbp","expiresAt":"2026-11-20T22:14:03.123Z",` +
	`"requisite":{"type":"sbp","method":"sbp","value":"+79990001122","holder":"Иван <И.>","bank":null},` +
	`"paymentPageUrl":"https://pay.example/r/abc?x=1&y=2",` +
	`"extra":{"fiatPerUsdt":"90.00","marginPercent":"2.50","rate":"16.26016260","cryptoCurrency":"USDT"},` +
	`"ledger":{"requisitePhone":null,"requisiteFullName":null,"bank":null,"transferMethod":"sbp","sms":null,"amountUsdt":"16.26016260",` +
	`"profitUsdt":"0.40650406","spreadTraderUsdt":"0.16666666","spreadPlatformUsdt":"0.23983740","baseRateRubPerUsdt":"90.00",` +
	`"sellerRateMarkupPercent":2.50,"rateUnavailable":false},` +
	`"createdAt":"2026-11-20T21:59:03.000Z","statusUpdatedAt":"2026-11-20T21:59:03.500Z","statusReason":null,"returnUrl":null,"payerClaimedAt":null,"receivedAmount":null}`

func TestEncode(t *testing.T) {
	t.Parallel()
	checkout := &gatewayv1.Payment{Id: 9223372036854775807, Description: proto.String("a/b \"c\" \u2028\x01")}
	for name, test := range map[string]struct {
		msg  proto.Message
		want string
	}{
		"payment with a requisite": {sbpPayment(), sbpJSON},
		"nulls, and no URL of another method": {checkout,
			`{"id":9223372036854775807,"uuid":"","orderId":"","description":"a/b \"c\" ` + "\u2028" + `\u0001","status":"","amount":"",` +
				`"currency":"","method":"","expiresAt":null,"requisite":null,"extra":null,"ledger":null,"createdAt":null,` +
				`"statusUpdatedAt":null,"statusReason":null,"returnUrl":null,"payerClaimedAt":null,"receivedAmount":null}`},
		"restricted ledger": {&gatewayv1.Ledger{
			ProfitUsdt: proto.String("1"), SpreadTraderUsdt: proto.String("2"), SpreadPlatformUsdt: proto.String("3"),
			BaseRateRubPerUsdt: proto.String("4"), SellerRateMarkupPercent: proto.String("5"), Restricted: true,
		}, `{"requisitePhone":null,"requisiteFullName":null,"bank":null,"transferMethod":null,"sms":null,"amountUsdt":null,` +
			`"spreadTraderUsdt":"2","rateUnavailable":false}`},
		"markup unset": {&gatewayv1.Ledger{RateUnavailable: true},
			`{"requisitePhone":null,"requisiteFullName":null,"bank":null,"transferMethod":null,"sms":null,"amountUsdt":null,"profitUsdt":null,` +
				`"spreadTraderUsdt":null,"spreadPlatformUsdt":null,"baseRateRubPerUsdt":null,"sellerRateMarkupPercent":null,"rateUnavailable":true}`},
		"status updated": {&gatewayv1.UpdatePaymentStatusResponse{Message: "Payment status updated",
			Data: &gatewayv1.PaymentStatus{Id: 7, Uuid: "u", OrderId: "A-1", Status: "completed", CallbackQueued: true}},
			`{"message":"Payment status updated","data":{"id":7,"uuid":"u","orderId":"A-1","status":"completed","callbackQueued":true}}`},
		"map of messages": {&gatewayv1.ErrorDetail{Errors: map[string]*gatewayv1.FieldErrors{"b": {Messages: []string{"x", "y"}}, "a": {}}},
			`{"code":"","errors":{"a":{"messages":[]},"b":{"messages":["x","y"]}},"requestId":"","nextAllowedAt":null,"details":null,"proposalId":null}`},
		"no value": {&gatewayv1.RubCollect{}, `{"method":null}`},
	} {
		got, err := encode(newSchema(test.msg.ProtoReflect().Descriptor()), test.msg.ProtoReflect())
		testenv.Check(t, err == nil && string(got) == test.want, "%s: %v\n got %s\nwant %s", name, err, got, test.want)
		testenv.Check(t, json.Valid(got), "%s: not JSON", name)
	}
}

func TestEncodeSample(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: `{"small":0,"tiny":0,"big":0,"flag":false,"colour":"RED","rawBytes":"","tags":[],"extra":{},"items":[],"at":null,"created_at":""}`,
		`small:-1 tiny:2 big:18446744073709551615 colour:GREEN raw_bytes:"\000\001" tags:"<a>" tags:"b" extra:{key:"z/" value:1}
		 extra:{key:"a" value:2} at:{seconds:-1 nanos:1000000} anything:{null_value:NULL_VALUE} created_at:"x" secret:"s" ratio:"1.50"`: `{"small":-1,"tiny":2,"big":18446744073709551615,"flag":false,` +
			`"colour":"GREEN","rawBytes":"AAE=","tags":["<a>","b"],"extra":{"a":2,"z/":1},"items":[],"at":"1969-12-31T23:59:59.001Z",` +
			`"anything":null,"created_at":"x","ratio":1.50}`,
		`flag:true ratio:"hidden" colour:9 anything:{struct_value:{fields:{key:"a" value:{string_value:"<"}}}}`: `{"small":0,"tiny":0,"big":0,"flag":true,` +
			`"colour":9,"rawBytes":"","tags":[],"extra":{},"items":[],"at":null,"anything":{"a":"<"},"created_at":""}`,
	} {
		msg := newSample(t)
		testenv.NoError(t, prototext.Unmarshal([]byte(text), msg.Interface()))
		got, err := encode(newSchema(msg.Descriptor()), msg)
		testenv.Check(t, err == nil && string(got) == want, "%s: %v\n got %s\nwant %s", text, err, got, want)
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

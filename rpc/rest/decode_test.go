package rest

import (
	"bytes"
	"net/url"
	"os"
	"reflect"
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

// decodeNew decodes body into a new message of msg's type.
func decodeNew(msg protoreflect.Message, body string) (protoreflect.Message, fault.Fields) {
	out := msg.New()
	found, _ := decodeBody([]byte(body), newSchema(msg.Descriptor()), out)
	return out, found
}

func TestDecodeCreatePayment(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"everything": {`{"orderId":"A-1","amount":100.10,"currency":"RUB","callbackUri":"https:\/\/shop.example\/cb","method":"sbp",
			"rubCollect":{"method":"card"},"description":"caf\u00e9 \ud83d\ude00","ratePercent":2.50,
			"payer":{"userId":"u1","userIp":"10.0.0.1","fullName":"N","type":"t","payments":{"successful":3,"expired":-0}},
			"merchantName":"M"}`,
			`order_id:"A-1" amount:"100.10" currency:"RUB" callback_uri:"https://shop.example/cb" method:"sbp"
			rub_collect:{method:"card"} description:"café 😀" rate_percent:"2.50"
			payer:{user_id:"u1" user_ip:"10.0.0.1" full_name:"N" type:"t" payments:{successful:3}} merchant_name:{null_value:0}`},
		"empty object":            {`{}`, ``},
		"amount as a string":      {`{"amount":"1500.00"}`, `amount:"1500.00"`},
		"amount digit for digit":  {`{"amount":0.30000000000000004440892098500626}`, `amount:"0.30000000000000004440892098500626"`},
		"amount with an exponent": {`{"amount":1E+3}`, `amount:"1E+3"`},
		"nulls are unset":         {`{"method":null,"rubCollect":null,"description":null,"ratePercent":null,"payer":null}`, ``},
		"null in payer":           {`{"payer":{"userId":null,"payments":null}}`, `payer:{}`},
		"merchantName null":       {`{"merchantName":null}`, `merchant_name:{null_value:0}`},
		"merchantName object":     {`{"merchantName":{"a":[1]}}`, `merchant_name:{null_value:0}`},
		"unknown ignored":         {`{"x":{"y":[1,"z",null]},"orderId":"1"}`, `order_id:"1"`},
		"proto names are unknown": {`{"order_id":"1","OrderId":"2"}`, ``},
		"escaped name":            {`{"order\u0049d":"1"}`, `order_id:"1"`},
		"a name is not a path":    {`{"payer.userId":"1"}`, ``},
	} {
		want := &gatewayv1.CreatePaymentRequest{}
		if err := prototext.Unmarshal([]byte(test.want), want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, found := decodeNew(want.ProtoReflect(), test.body)
		testenv.Check(t, len(found) == 0 && proto.Equal(got.Interface(), want),
			"%s: got %v, errors %v; want %v", name, got.Interface(), found, want)
	}
}

func TestDecodeFindsEverything(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want fault.Fields
	}{
		"all at once": {
			`{"orderId":1,"amount":true,"currency":null,"callbackUri":[],"method":{},"rubCollect":"card","ratePercent":"2",
			"payer":{"userIp":5,"fullName":null,"payments":{"successful":"3","expired":1.0}}}`,
			fault.Fields{
				"orderId":                   {"must be a string"},
				"amount":                    {"must be a number or a string"},
				"currency":                  {"must be a string"},
				"callbackUri":               {"must be a string"},
				"method":                    {"must be a string"},
				"rubCollect":                {"must be an object"},
				"ratePercent":               {"must be a number"},
				"payer.userIp":              {"must be a string"},
				"payer.fullName":            {"must be a string"},
				"payer.payments.successful": {"must be an integer"},
				"payer.payments.expired":    {"must be an integer"},
			},
		},
		"integers": {
			`{"payer":{"payments":{"successful":9223372036854775808,"expired":1e3}}}`,
			fault.Fields{"payer.payments.successful": {"is out of range"}, "payer.payments.expired": {"must be an integer"}},
		},
		"null amount": {`{"amount":null}`, fault.Fields{"amount": {"must be a number or a string"}}},
		"text": {
			`{"orderId":"a\u0000","currency":"\ud800","method":"` + "\xff" + `","x":["\u0000"],"merchantName":"\udc00","amount":"\u0000"}`,
			fault.Fields{
				"orderId":      {`must not contain \u0000`},
				"amount":       {`must not contain \u0000`},
				"currency":     {"must not contain a lone surrogate"},
				"method":       {"must be valid UTF-8"},
				"x[0]":         {`must not contain \u0000`},
				"merchantName": {"must not contain a lone surrogate"},
			},
		},
		"names": {
			`{"a\u0000":1,"b\ud800":{"c":1,"c":2}}`,
			fault.Fields{
				"a\x00":     {`must not contain \u0000`},
				"b\uFFFD":   {"must not contain a lone surrogate"},
				"b\uFFFD.c": {"must not be given more than once"},
			},
		},
		"duplicates": {
			`{"orderId":"1","order\u0049d":2,"orderId":"3","x":[{"y":1,"y":1}],"payer":{"userId":"1","userId":null},"merchantName":{"z":1,"z":2}}`,
			fault.Fields{
				"orderId":        {"must not be given more than once"},
				"x[0].y":         {"must not be given more than once"},
				"payer.userId":   {"must not be given more than once"},
				"merchantName.z": {"must not be given more than once"},
			},
		},
		"inside a value of the wrong type": {
			`{"orderId":{"a":1,"a":2}}`,
			fault.Fields{"orderId": {"must be a string"}, "orderId.a": {"must not be given more than once"}},
		},
		"empty body":     {``, fault.Fields{"body": {"must not be empty"}}},
		"white space":    {" \r\n\t", fault.Fields{"body": {"must not be empty"}}},
		"null":           {`null`, fault.Fields{"body": {"must be a JSON object"}}},
		"array":          {`[{}]`, fault.Fields{"body": {"must be a JSON object"}}},
		"string":         {`"{}"`, fault.Fields{"body": {"must be a JSON object"}}},
		"malformed":      {`{"pan":4111,}`, fault.Fields{"body": {"must be valid JSON: syntax error at byte 12"}}},
		"cut off":        {`{"orderId":"1"`, fault.Fields{"body": {"must be valid JSON: syntax error at byte 14"}}},
		"trailing data":  {`{}{}`, fault.Fields{"body": {"must be valid JSON: syntax error at byte 2"}}},
		"trailing comma": {`{"x":[1,]}`, fault.Fields{"body": {"must be valid JSON: syntax error at byte 8"}}},
		"leading zeros":  {`{"amount":0100}`, fault.Fields{"body": {"must be valid JSON: syntax error at byte 11"}}},
		"not a number":   {`{"amount":NaN}`, fault.Fields{"body": {"must be valid JSON: syntax error at byte 10"}}},
		"byte order":     {"\ufeff{}", fault.Fields{"body": {"must not begin with a byte order mark"}}},
		"too deep": {
			`{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
			fault.Fields{"body": {"must not be nested deeper than 32 levels"}},
		},
	} {
		_, found := decodeNew((&gatewayv1.CreatePaymentRequest{}).ProtoReflect(), test.body)
		testenv.Check(t, reflect.DeepEqual(found, test.want), "%s:\n got %q\nwant %q", name, found, test.want)
	}
}

func TestDecodeKeepsWhatIsRight(t *testing.T) {
	t.Parallel()
	got, _ := decodeNew((&gatewayv1.CreatePaymentRequest{}).ProtoReflect(), `{"orderId":"1","currency":2,"payer":{"userIp":3,"type":"t"}}`)
	want := &gatewayv1.CreatePaymentRequest{OrderId: "1", Payer: &gatewayv1.Payer{Type: "t"}}
	testenv.Check(t, proto.Equal(got.Interface(), want), "got %v; want %v", got.Interface(), want)
}

func TestDecodeSample(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"everything": {
			`{"small":-2147483648,"tiny":4294967295,"big":18446744073709551615,"flag":true,"colour":"GREEN","rawBytes":"AAE=",
			"tags":["a",""],"items":[{"small":1},{}],"extra":{"b":1,"a":9223372036854775807},"at":"2026-11-20T23:14:03.123+01:00",
			"anything":0,"created_at":"x","secret":"ignored","ratio":1.50}`,
			`small:-2147483648 tiny:4294967295 big:18446744073709551615 flag:true colour:GREEN raw_bytes:"\000\001"
			tags:"a" tags:"" items:{small:1} items:{} extra:{key:"a" value:9223372036854775807} extra:{key:"b" value:1}
			at:{seconds:1795212843 nanos:123000000} anything:{null_value:NULL_VALUE} created_at:"x" ratio:"1.50"`,
		},
		"empty lists": {`{"tags":[],"items":[],"extra":{}}`, ``},
	} {
		want := newSample(t)
		testenv.NoError(t, prototext.Unmarshal([]byte(test.want), want.Interface()))
		got, found := decodeNew(want, test.body)
		testenv.Check(t, len(found) == 0 && proto.Equal(got.Interface(), want.Interface()),
			"%s: got %v, errors %v; want %v", name, got.Interface(), found, want.Interface())
	}
}

func TestDecodeSampleErrors(t *testing.T) {
	t.Parallel()
	_, found := decodeNew(newSample(t),
		`{"small":2147483648,"tiny":-1,"big":18446744073709551616,"flag":"true","colour":"BLUE","rawBytes":"?",
		"tags":["a",null,1],"items":[{},{"items":[{"small":"1"}]},null],"extra":{"a":"1","b":1,"b":1},"at":"yesterday","ratio":"1"}`)
	want := fault.Fields{
		"small":                   {"is out of range"},
		"tiny":                    {"is out of range"},
		"big":                     {"is out of range"},
		"flag":                    {"must be true or false"},
		"colour":                  {"must be one of RED, GREEN"},
		"rawBytes":                {"must be a base64 string"},
		"tags[1]":                 {"must be a string"},
		"tags[2]":                 {"must be a string"},
		"items[1].items[0].small": {"must be an integer"},
		"items[2]":                {"must be an object"},
		"extra.a":                 {"must be an integer"},
		"extra.b":                 {"must not be given more than once"},
		"at":                      {"must be an ISO 8601 date-time"},
		"ratio":                   {"must be a number"},
	}
	testenv.Check(t, reflect.DeepEqual(found, want), "got %q\nwant %q", found, want)
	_, found = decodeNew(newSample(t), `{"tags":null,"items":{},"extra":[],"at":1,"colour":1,"flag":null,"rawBytes":null,"small":null}`)
	want = fault.Fields{
		"tags":     {"must be a list"},
		"items":    {"must be a list"},
		"extra":    {"must be an object"},
		"at":       {"must be an ISO 8601 date-time"},
		"colour":   {"must be one of RED, GREEN"},
		"flag":     {"must be true or false"},
		"rawBytes": {"must be a base64 string"},
		"small":    {"must be an integer"},
	}
	testenv.Check(t, reflect.DeepEqual(found, want), "got %q\nwant %q", found, want)
}

func TestDecodeBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 10_000)
	_, found := decodeNew(newSample(t), `{"`+long+`":{"a":1,"a":2},"tags":[`+strings.Repeat("1,", 10_000)+`1]}`)
	testenv.Want(t, len(found), maxFindings, "findings")
	testenv.Check(t, found.Wrong(strings.Repeat("é", 32)+"….a"), "no finding for the shortened name in %q", found)
}

// FuzzDecode checks that no body panics, and that what was understood is written and understood the same again.
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

func TestDecodeQuery(t *testing.T) {
	t.Parallel()
	for query, test := range map[string]struct {
		want  string
		found fault.Fields
	}{
		"":                       {``, fault.Fields{}},
		"small=5&created_at=x+y": {`small:5 created_at:"x y"`, fault.Fields{}},
		"flag=true&colour=GREEN": {`flag:true colour:GREEN`, fault.Fields{}},
		"created_at=123&ratio=1.50&at=2026-11-20T22:14:03Z": {
			`created_at:"123" ratio:"1.50" at:{seconds:1795212843}`, fault.Fields{}},
		"small=1&small=1&flag=true":       {`flag:true`, fault.Fields{"small": {"must not be given more than once"}}},
		"unknown=%zz&small=1&createdAt=1": {`small:1`, fault.Fields{}},
		"secret=s&tags=a&items=1&extra=1": {``, fault.Fields{}},
		"anything=1":                      {``, fault.Fields{}},
		"created_at=":                     {``, fault.Fields{}},
		"created_at=null":                 {`created_at:"null"`, fault.Fields{}},
		"small=&flag=1&ratio=x&at=%221%22&colour=true&tiny=null": {``, fault.Fields{
			"small": {"must be an integer"}, "flag": {"must be true or false"}, "ratio": {"must be a number"},
			"at": {"must be an ISO 8601 date-time"}, "colour": {"must be one of RED, GREEN"}, "tiny": {"must be an integer"},
		}},
		"small=1.0&tiny=99999999999&created_at=%00": {``, fault.Fields{
			"small": {"must be an integer"}, "tiny": {"is out of range"}, "created_at": {`must not contain \u0000`},
		}},
		"created_at=%ff": {``, fault.Fields{"created_at": {"must be valid UTF-8"}}},
	} {
		want := newSample(t)
		got := want.New()
		testenv.NoError(t, prototext.Unmarshal([]byte(test.want), want.Interface()))
		found, _ := decodeQuery(&url.URL{RawQuery: query}, newSchema(got.Descriptor()), got)
		testenv.Check(t, reflect.DeepEqual(found, test.found) && proto.Equal(got.Interface(), want.Interface()),
			"%s: got %v, errors %v; want %v, errors %v", query, got.Interface(), found, want.Interface(), test.found)
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

// A list is asked by the names of its own answers, too, and nobody takes all for what they looked for.
func TestListParameters(t *testing.T) {
	t.Parallel()
	s := newSchema((&gatewayv1.ListPaymentsRequest{}).ProtoReflect().Descriptor())
	for query, want := range map[string]struct {
		orderID string
		found   fault.Fields
	}{
		"orderId=a":            {"a", fault.Fields{}},
		"order_id=a":           {"a", fault.Fields{}},
		"orderId=a&order_id=b": {"a", fault.Fields{"order_id": {"must not be given more than once"}}},
		"orderid=a": {"", fault.Fields{"orderid": {"is not a parameter of this list: must be one of status, from, to, " +
			"limit, cursor, orderId, method, metadata[key]; did you mean orderId?"}}},
	} {
		got := &gatewayv1.ListPaymentsRequest{}
		found, ignored := decodeQuery(&url.URL{RawQuery: query}, s, got.ProtoReflect())
		refuseUnknown(found, s, ignored)
		testenv.Want(t, got.GetOrderId(), want.orderID, "%s", query)
		testenv.Check(t, reflect.DeepEqual(found, want.found), "%s: %v, want %v", query, found, want.found)
	}
}

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

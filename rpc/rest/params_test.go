package rest

import (
	"net/url"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

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

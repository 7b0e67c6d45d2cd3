package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
)

// eachProcedure calls fn with every procedure of every service of ours.
func eachProcedure(fn func(procedure string, request protoreflect.MessageDescriptor)) {
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		options, _ := file.Options().(*descriptorpb.FileOptions)
		if !strings.HasPrefix(options.GetGoPackage(), "gateway.example/") {
			return true // of a library
		}
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				method := service.Methods().Get(j)
				fn(fmt.Sprintf("/%s/%s", service.FullName(), method.Name()), method.Input())
			}
		}
		return true
	})
}

// textFields are the paths of a message's texts, each with a body that sets nothing but it.
func textFields(m protoreflect.MessageDescriptor, text string) map[string]object {
	bodies := map[string]object{}
	for i := range m.Fields().Len() {
		field := m.Fields().Get(i)
		name, element := field.JSONName(), ""
		wrap := func(inside any) object { return object{name: inside} }
		if field.IsList() {
			element = "[0]"
			wrap = func(inside any) object { return object{name: []any{inside}} }
		}
		switch {
		case field.Kind() == protoreflect.StringKind:
			bodies[name+element] = wrap(text)
		case field.Message() != nil && field.Message().FullName().Parent() != "google.protobuf":
			for path, body := range textFields(field.Message(), text) {
				bodies[name+element+"."+path] = wrap(body)
			}
		default:
		}
	}
	return bodies
}

// named are records that a body may name beside the text it is tried with.
func (g *instance) named(t *testing.T) (records object, trader string) {
	t.Helper()
	payment := g.create(t, g.first(), nil)
	checkout := g.create(t, g.first(), object{"method": "mtstpay"})
	id := payment.text("data.id")
	return object{
		"paymentId":         id,
		"merchantCashboxId": g.first().MerchantCashboxID,
		"traderId":          1,
		"token":             path.Base(checkout.text("data.checkoutUrl")),
	}, g.traderOf(t, id).Token
}

// callerOf are the headers of a caller whom a procedure lets in.
func (g *instance) callerOf(t *testing.T, procedure, body, trader string) header {
	t.Helper()
	switch rpc.Access(procedure)[0] {
	case caller.MerchantKey:
		box := g.first()
		if strings.Contains(procedure, "WithdrawalService") {
			box = g.withdrawing(t, g.Cashboxes[1])
		}
		return signed(box, body)
	case caller.Application:
		return g.application(body)
	case caller.Cabinet:
		return bearer(g.user(t, "payer").Token)
	case caller.MerchantPortal:
		return bearer(g.user(t, "merchant").Token)
	case caller.Trader:
		return bearer(trader)
	case caller.Operator:
		return bearer(g.user(t, "operator").Token)
	case caller.Device:
		paired := send(t, http.MethodPost, g.BaseURL+"/portal.v1.TraderService/CreateDevice", `{"name":"phone"}`, bearer(trader))
		return header{"X-Device-Key": paired.text("device.key"), "Signature": signature(paired.text("secret"), body)}
	case caller.Anyone, caller.Link:
	}
	return nil
}

// unnamed reports whether a request is about a record of which the test has none, or names it by
// the very text: that there is none such is said first.
func unnamed(request protoreflect.MessageDescriptor, path string) bool {
	for _, name := range []protoreflect.Name{"payin_id", "deposit_id", "appeal_id", "message_id", "link_id"} {
		if request.Fields().ByName(name) != nil {
			return true
		}
	}
	if request.Name() == "ListFilePayoutsRequest" {
		return true
	}
	return path == "paymentId" || path == "paymentUuid" || path == "token"
}

// No procedure takes a text with control characters, in any of its fields: each is refused for
// exactly that field.
func TestTextEverywhere(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	tried := 0
	records, trader := g.named(t)
	eachProcedure(func(procedure string, request protoreflect.MessageDescriptor) {
		for path, fields := range textFields(request, "a\ab") {
			for name, id := range records {
				if fields[name] == nil && request.Fields().ByJSONName(name) != nil {
					fields[name] = id
				}
			}
			body := testenv.Must(json.Marshal(fields))(t)
			got := fetched(t, http.MethodPost, g.BaseURL+procedure, string(body),
				g.callerOf(t, procedure, string(body), trader))
			refused := got.status == 400 &&
				strings.Contains(got.raw, `"`+path+`":{"messages":["must not contain control characters"`)
			testenv.Check(t, refused || got.status == 404 && unnamed(request, path), "%s %s: %s", procedure, path, got)
			tried++
		}
	})
	testenv.Check(t, tried >= 60, "only %d fields were tried", tried)
}

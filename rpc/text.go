package rpc

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/fault"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// maxFindings limits what a caller can make an error say.
const maxFindings = 100

// checkText reports every text of a request that cannot be stored, also in lists and maps. For REST
// the codec does this.
func checkText(found fault.Fields, m protoreflect.Message) {
	eachText(m, "", func(path string, field protoreflect.FieldDescriptor, text string) string {
		if flaw := textFlaw(field, text); flaw != "" && len(found) < maxFindings {
			found.Add(path, "%s", flaw)
		}
		return text
	})
}

// textFlaw says why a field cannot have a text, or "".
func textFlaw(field protoreflect.FieldDescriptor, text string) string {
	wire, _ := proto.GetExtension(field.Options(), gatewayv1.E_Wire).(*gatewayv1.Wire)
	return WireFlaw(string(field.Name()), wire, text)
}

// WireFlaw is textFlaw for a field's name and wire option, which may be nil.
func WireFlaw(name string, wire *gatewayv1.Wire, text string) string {
	if wire.GetTrimmed() {
		text = strings.TrimSpace(text)
	}
	if wire.GetLines() {
		return fault.TextLinesFlaw(text)
	}
	if fault.IsName(name) {
		return fault.NameFlaw(text)
	}
	return fault.TextFlaw(text)
}

// repairText makes every text of a message valid UTF-8.
func repairText(m protoreflect.Message) {
	eachText(m, "", func(_ string, _ protoreflect.FieldDescriptor, text string) string {
		return strings.ToValidUTF8(text, "\uFFFD")
	})
}

// textVisitor gets a text with its path and field, and returns its replacement.
type textVisitor = func(path string, field protoreflect.FieldDescriptor, text string) string

// eachText visits every text of a message, at any depth.
func eachText(m protoreflect.Message, prefix string, visit textVisitor) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		path := prefix + field.JSONName()
		switch {
		case field.IsList():
			list := value.List()
			for i := range list.Len() {
				one(field, fmt.Sprintf("%s[%d]", path, i), list.Get(i), visit, func(v protoreflect.Value) { list.Set(i, v) })
			}
		case field.IsMap():
			eachEntry(field, path, value.Map(), visit)
		default:
			one(field, path, value, visit, func(v protoreflect.Value) { m.Set(field, v) })
		}
		return true
	})
}

func eachEntry(field protoreflect.FieldDescriptor, path string, entries protoreflect.Map, visit textVisitor) {
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		name := key
		if field.MapKey().Kind() == protoreflect.StringKind {
			visited := visit(path, field.MapKey(), key.String())
			name = protoreflect.ValueOfString(visited).MapKey()
		}
		if name.String() != key.String() {
			entries.Clear(key)
			entries.Set(name, value)
		}
		one(field.MapValue(), path+"."+name.String(), value, visit, func(v protoreflect.Value) { entries.Set(name, v) })
		return true
	})
}

// one visits a single value: a text, or the texts inside a message.
func one(
	field protoreflect.FieldDescriptor,
	path string,
	value protoreflect.Value,
	visit textVisitor,
	set func(protoreflect.Value),
) {
	switch field.Kind() {
	case protoreflect.MessageKind:
		eachText(value.Message(), path+".", visit)
	case protoreflect.StringKind:
		if visited := visit(path, field, value.String()); visited != value.String() {
			set(protoreflect.ValueOfString(visited))
		}
	default: // the other kinds hold no text
	}
}

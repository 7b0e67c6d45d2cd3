package rpc

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/fault"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// maxFindings limits what a caller can make an error say.
const maxFindings = 100

// checkText reports every text and time of a request that cannot be stored,
// also in lists and maps. For REST the codec does this.
func checkText(found fault.Fields, m protoreflect.Message) {
	flaw := func(path, flaw string) {
		if flaw != "" && len(found) < maxFindings {
			found.Add(path, "%s", flaw)
		}
	}
	visitor{
		text: func(path string, field protoreflect.FieldDescriptor, text string) string {
			flaw(path, textFlaw(field, text))
			return text
		},
		time: func(path string, at *timestamppb.Timestamp) {
			if !at.IsValid() {
				flaw(path, "must be a time in the years 1 to 9999")
			}
		},
	}.message(m, "")
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
	visitor{
		text: func(_ string, _ protoreflect.FieldDescriptor, text string) string {
			return strings.ToValidUTF8(text, "\uFFFD")
		},
		time: func(string, *timestamppb.Timestamp) {},
	}.message(m, "")
}

// visitor visits every text and time of a message, at any depth. It gets a text
// with its path and field, and returns its replacement.
type visitor struct {
	text func(path string, field protoreflect.FieldDescriptor, text string) string
	time func(path string, at *timestamppb.Timestamp)
}

// message visits the fields that are set, in no fixed order. A path is as JSON
// has it, with the index of an item in a list.
func (visit visitor) message(m protoreflect.Message, prefix string) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		path := prefix + field.JSONName()
		switch {
		case field.IsList():
			list := value.List()
			for i := range list.Len() {
				visit.one(field, fmt.Sprintf("%s[%d]", path, i), list.Get(i), func(v protoreflect.Value) { list.Set(i, v) })
			}
		case field.IsMap():
			visit.entries(field, path, value.Map())
		default:
			visit.one(field, path, value, func(v protoreflect.Value) { m.Set(field, v) })
		}
		return true
	})
}

// entries visits the keys and values of a map. If a key is replaced, its value
// moves to the new key.
func (visit visitor) entries(field protoreflect.FieldDescriptor, path string, entries protoreflect.Map) {
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		name := key
		if field.MapKey().Kind() == protoreflect.StringKind {
			visited := visit.text(path, field.MapKey(), key.String())
			name = protoreflect.ValueOfString(visited).MapKey()
		}
		if name.String() != key.String() {
			entries.Clear(key)
			entries.Set(name, value)
		}
		visit.one(field.MapValue(), path+"."+name.String(), value, func(v protoreflect.Value) { entries.Set(name, v) })
		return true
	})
}

// one visits a single value: a text, a time, or what is inside a message.
func (visit visitor) one(
	field protoreflect.FieldDescriptor, path string, value protoreflect.Value, set func(protoreflect.Value),
) {
	switch field.Kind() {
	case protoreflect.MessageKind:
		if at, ok := value.Message().Interface().(*timestamppb.Timestamp); ok {
			visit.time(path, at)
			return
		}
		visit.message(value.Message(), path+".")
	case protoreflect.StringKind:
		if visited := visit.text(path, field, value.String()); visited != value.String() {
			set(protoreflect.ValueOfString(visited))
		}
	default: // the other kinds hold no text
	}
}

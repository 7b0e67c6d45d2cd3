package rest

import (
	"encoding/json"

	"google.golang.org/protobuf/reflect/protoreflect"

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// sampleTime is the time for fields without an example.
const sampleTime = "2026-11-20T22:14:03.123Z"

// example makes a message from the examples of its fields. A request has the
// fields that are required or have an example, an answer all that are always
// there.
func example(s *schema, request bool) members {
	made := members{}
	for _, f := range s.fields {
		if f.wire.GetInternal() || s.byName[f.name] == nil || f.known == anyValue {
			continue
		}
		shown := f.wire.GetExample() != "" || f.wire.GetRequired() || !request && !f.wire.GetOmitUnset()
		if shown {
			made = append(made, member{f.name, f.example(request)})
		}
	}
	return made
}

func (f *field) example(request bool) any {
	switch {
	case f.mapped:
		return object{}
	case f.list:
		return []any{f.one(request)}
	case f.wire.GetExample() == "" && f.mayBeNull(request):
		return nil
	}
	return f.one(request)
}

// one is the example of one value: what the proto file gives, else the first
// allowed value, else the simplest one of its type.
func (f *field) one(request bool) any {
	wire := f.wire
	switch {
	case f.child != nil:
		return example(f.child, request).with(wire.GetExample())
	case wire.GetExample() != "":
		return f.parse(wire.GetExample())
	case len(wire.GetValues()) > 0:
		return wire.GetValues()[0]
	case f.known == timestamp:
		return sampleTime
	}
	switch f.kind {
	case protoreflect.BoolKind:
		return false
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind:
		return ""
	default:
		return wire.GetMinimum()
	}
}

// with replaces values by those that the example of a field of the message has,
// if that is more than that it is shown.
func (m members) with(text string) members {
	var other map[string]json.RawMessage
	if text != "" {
		if err := json.Unmarshal([]byte(text), &other); err != nil {
			panic("example " + text + ": " + err.Error()) // the program's own data
		}
	}
	for i, one := range m {
		if value, ok := other[one.name]; ok {
			m[i].value = value
		}
	}
	return m
}

// parse parses an example from an option as the field's value in JSON.
func (f *field) parse(text string) any {
	number := f.wire.GetLiteral() == gatewayv1.Literal_LITERAL_NUMBER
	switch f.kind {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind, protoreflect.MessageKind:
		if !number {
			return text
		}
	default: // a number, true or false stands in JSON as it is
	}
	return json.RawMessage(text)
}

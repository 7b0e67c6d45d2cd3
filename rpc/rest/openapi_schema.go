package rest

import (
	"regexp"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// message describes a message once, and returns a reference.
func (d *description) message(s *schema, request bool) object {
	name := schemaName(s.desc)
	if _, known := d.schemas[name]; known {
		return schemaReference(name)
	}
	described := object{"type": "object"}
	d.schemas[name] = described
	if text := d.comment(s.desc.FullName()); text != "" {
		described["description"] = text
	}
	var properties members
	var required []string
	for _, f := range s.fields {
		if f.wire.GetInternal() || request && s.byName[f.name] == nil {
			continue
		}
		properties = append(properties, member{f.name, d.field(f, request)})
		if f.wire.GetRequired() || !request && !f.wire.GetOmitUnset() && f.omitIf == nil {
			required = append(required, f.name)
		}
	}
	described["properties"] = properties
	if len(required) > 0 {
		described["required"] = required
	}
	return schemaReference(name)
}

// schemaName is the name of a message's schema: the message's own, unless
// generators use it for something else, such as the type of the field status of
// Payment.
func schemaName(message protoreflect.MessageDescriptor) string {
	if message.Name() == "PaymentStatus" {
		return "UpdatedPayment"
	}
	return string(message.Name())
}

// field describes a field of a request or of an answer, which may be null in
// one and not in the other. A field that must not be sent has, in a request, a
// schema that nothing matches.
func (d *description) field(f *field, request bool) any {
	if f.known == anyValue && request {
		return object{"not": object{}, "description": d.about(f)}
	}
	value := d.value(f, request)
	switch {
	case f.mapped:
		value = f.mapOf(value, request)
	case f.list:
		value = object{"type": "array", "items": value}
	case f.mayBeNull(request):
		value = nullable(value)
	}
	if text := d.about(f); text != "" {
		value["description"] = text
	}
	return value
}

func (f *field) mapOf(value object, request bool) object {
	described := object{"type": "object", "additionalProperties": value}
	if most := f.wire.GetMaxEntries(); most > 0 {
		described["maxProperties"] = most
	}
	if request {
		return nullable(described)
	}
	return described
}

// mayBeNull reports whether the field may be null: in a request if it may be
// left out, in an answer if it is written although it is unset.
func (f *field) mayBeNull(request bool) bool {
	switch {
	case !f.presence || f.wire.GetNeverNull():
		return false
	case request:
		return !f.wire.GetRequired()
	}
	return !f.wire.GetOmitUnset()
}

// value describes one value of a field: its type and its options.
func (d *description) value(f *field, request bool) object {
	if f.child != nil {
		return d.message(f.child, request)
	}
	value := f.typed(request)
	wire := f.wire
	if len(wire.GetValues()) > 0 {
		value["enum"] = wire.GetValues()
	}
	if wire.GetPattern() != "" {
		textual(value)["pattern"] = wire.GetPattern()
	}
	if wire.GetFormat() != "" {
		value["format"] = wire.GetFormat()
	}
	for name, bound := range map[string]int32{"minLength": wire.GetMinLength(), "maxLength": wire.GetMaxLength()} {
		if bound > 0 {
			value[name] = bound
		}
	}
	if wire.Minimum != nil {
		value["minimum"] = wire.GetMinimum()
	}
	if wire.Maximum != nil {
		value["maximum"] = wire.GetMaximum()
	}
	if options, ok := f.desc.Options().(*descriptorpb.FieldOptions); ok && options.GetDebugRedact() {
		value["writeOnly"] = true
	}
	if wire.GetExample() != "" {
		value["examples"] = []any{f.parse(wire.GetExample())}
	}
	return value
}

// typed is the JSON type of one value, without its bounds. A decimal that may
// be sent as a number or as text is always text in an answer.
func (f *field) typed(request bool) object {
	switch {
	case f.known == timestamp:
		return object{"type": "string", "format": "date-time"}
	case f.wire.GetLiteral() == gatewayv1.Literal_LITERAL_NUMBER:
		return object{"type": "number"}
	case f.wire.GetLiteral() == gatewayv1.Literal_LITERAL_NUMBER_OR_STRING && request:
		// Generators have no type for a list of types.
		return object{"oneOf": []object{{"type": "string"}, {"type": "number"}}}
	}
	switch f.kind {
	case protoreflect.BoolKind:
		return object{"type": "boolean"}
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind:
		return object{"type": "string"}
	default:
		return object{"type": "integer"}
	}
}

// textual is the part of a value's schema about texts.
func textual(value object) object {
	if forms, ok := value["oneOf"].([]object); ok {
		return forms[0]
	}
	return value
}

// nullable also allows null.
func nullable(value object) object {
	kind, ok := value["type"].(string)
	if !ok {
		return object{"anyOf": []any{value, object{"type": "null"}}}
	}
	value["type"] = []string{kind, "null"}
	if values, ok := value["enum"].([]string); ok {
		with := make([]any, 0, len(values)+1)
		for _, one := range values {
			with = append(with, one)
		}
		value["enum"] = append(with, nil)
	}
	return value
}

// about is the proto file's comment on a field. If it names all allowed values
// they are marked as code.
func (d *description) about(f *field) string {
	text := d.comment(f.desc.FullName())
	marked := text
	for _, value := range f.wire.GetValues() {
		word := regexp.MustCompile(`(^|[^\w` + "`" + `])(` + regexp.QuoteMeta(value) + `)($|[^\w` + "`" + `])`)
		if !word.MatchString(marked) {
			return text
		}
		marked = word.ReplaceAllString(marked, "${1}`${2}`${3}")
	}
	return marked
}

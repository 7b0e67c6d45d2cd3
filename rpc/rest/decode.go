package rest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway/internal/fault"
	"gateway/internal/strictjson"
	"gateway/rpc"
	gatewayv1 "gateway/rpc/gen/gateway/v1"
)

// decodeBody fills msg from a JSON object and returns everything that is wrong with it, and the fields that nobody
// knows. Fields that are wrong stay unset. A message without fields for a body takes an empty one.
func decodeBody(body []byte, s *schema, msg protoreflect.Message) (found fault.Fields, unknown []string) {
	d := decoder{found: fault.Fields{}}
	root := (*path)(nil).field(fault.Body)
	if len(bytes.Trim(body, " \t\r\n")) == 0 {
		if len(s.byName) > 0 {
			d.report(root, "must not be empty")
		}
		return d.found, nil
	}
	switch v, err := strictjson.Parse(body); {
	case errors.Is(err, strictjson.ErrTooDeep):
		d.report(root, "must not be nested deeper than "+strconv.Itoa(strictjson.MaxDepth)+" levels")
	case err != nil:
		d.report(root, "must be valid JSON: "+err.Error())
	case v.Kind != strictjson.Object:
		d.report(root, "must be a JSON object")
	default:
		d.message(nil, s, msg, v)
	}
	return d.found, d.unknown
}

type decoder struct {
	found   fault.Fields
	unknown []string
}

func (d *decoder) report(at *path, complaint string) {
	if len(d.found) < maxFindings {
		d.found.Add(at.String(), "%s", complaint)
	}
}

// message fills msg from an object.
func (d *decoder) message(at *path, s *schema, msg protoreflect.Message, object strictjson.Value) {
	d.members(at, object, func(here *path, name string, v strictjson.Value) bool {
		f, known := s.byName[name]
		switch {
		case known:
			d.field(here, f, msg, v)
		case len(d.unknown) < maxFindings:
			d.unknown = append(d.unknown, here.String())
		}
		return known
	})
}

const givenTwice = "must not be given more than once"

// members hands every member with a good and new name to use; those it does not know are still checked.
func (d *decoder) members(at *path, object strictjson.Value, use func(*path, string, strictjson.Value) bool) {
	const once, twice = 1, 2
	seen := make(map[string]int, len(object.Members))
	for _, m := range object.Members {
		name := m.Name.Text
		here := at.field(name)
		seen[name]++
		if seen[name] == twice {
			d.report(here, givenTwice)
		}
		sound := d.sound(here, m.Name)
		if seen[name] != once || !sound || !use(here, name, m.Value) {
			d.ignored(here, m.Value)
		}
	}
}

// ignored checks a value that goes nowhere.
func (d *decoder) ignored(at *path, v strictjson.Value) {
	switch v.Kind {
	case strictjson.String:
		d.sound(at, v)
	case strictjson.Array:
		for i, item := range v.Items {
			d.ignored(at.item(i), item)
		}
	case strictjson.Object:
		d.members(at, v, func(*path, string, strictjson.Value) bool { return false })
	default: // the other kinds cannot be wrong
	}
}

// sound reports whether a string that goes nowhere, or is a name, is text at all.
func (d *decoder) sound(at *path, v strictjson.Value) bool {
	switch {
	case v.Flaw != "":
		d.report(at, v.Flaw)
	case strings.IndexByte(v.Text, 0) >= 0:
		d.report(at, `must not contain \u0000`)
	default:
		return true
	}
	return false
}

// text reports whether a string is one that its field can take.
func (d *decoder) text(at *path, f *field, v strictjson.Value) bool {
	flaw := v.Flaw
	if flaw == "" {
		flaw = rpc.WireFlaw(f.wire, v.Text)
	}
	if flaw != "" {
		d.report(at, flaw)
	}
	return flaw == ""
}

// field sets the field of msg, unless the value is the null that means unset.
func (d *decoder) field(at *path, f *field, msg protoreflect.Message, v strictjson.Value) {
	switch {
	case f.isAnyValue():
		d.ignored(at, v)
		msg.Set(f.desc, nullValue(msg.NewField(f.desc)))
	case v.Kind == strictjson.Null && f.desc.HasPresence():
	case f.desc.IsList():
		d.list(at, f, msg, v)
	case f.desc.IsMap():
		d.mapping(at, f, msg, v)
	default:
		if value, ok := d.value(at, f, msg.NewField(f.desc), v); ok {
			msg.Set(f.desc, value)
		}
	}
}

// nullValue makes a google.protobuf.Value hold its null.
func nullValue(value protoreflect.Value) protoreflect.Value {
	m := value.Message()
	m.Set(m.Descriptor().Fields().ByName("null_value"), protoreflect.ValueOfEnum(0))
	return value
}

func (d *decoder) list(at *path, f *field, msg protoreflect.Message, v strictjson.Value) {
	if v.Kind != strictjson.Array {
		d.mismatch(at, "must be a list", v)
		return
	}
	list := msg.Mutable(f.desc).List()
	for i, item := range v.Items {
		if value, ok := d.value(at.item(i), f, list.NewElement(), item); ok {
			list.Append(value)
		}
	}
}

func (d *decoder) mapping(at *path, f *field, msg protoreflect.Message, v strictjson.Value) {
	if v.Kind != strictjson.Object {
		d.mismatch(at, "must be an object", v)
		return
	}
	entries := msg.Mutable(f.desc).Map()
	d.members(at, v, func(here *path, name string, v strictjson.Value) bool {
		if value, ok := d.value(here, f, entries.NewValue(), v); ok {
			entries.Set(protoreflect.ValueOfString(name).MapKey(), value)
		}
		return true
	})
}

// mismatch reports a value of the wrong kind, and whatever is wrong inside it.
func (d *decoder) mismatch(at *path, complaint string, v strictjson.Value) {
	d.report(at, complaint)
	if v.Kind != strictjson.String {
		d.ignored(at, v)
	}
}

// value reads one value of the field; empty is a value of its type to fill. It reports false after reporting what is
// wrong.
func (d *decoder) value(at *path, f *field, empty protoreflect.Value, v strictjson.Value) (protoreflect.Value, bool) {
	if v.Kind == strictjson.String && !d.text(at, f, v) {
		return empty, false
	}
	switch {
	case f.known == anyValue:
		d.ignored(at, v)
		return nullValue(empty), true
	case f.known == "" && f.child != nil && v.Kind == strictjson.Object:
		d.message(at, f.child, empty.Message(), v)
		return empty, true
	}
	value, complaint := f.scalar(empty, v)
	if complaint != "" {
		d.mismatch(at, complaint, v)
	}
	return value, complaint == ""
}

// scalar reads a value that is not an object, or says what it must be.
func (f *field) scalar(empty protoreflect.Value, v strictjson.Value) (value protoreflect.Value, complaint string) {
	switch desc := f.element(); desc.Kind() {
	case protoreflect.StringKind:
		return f.text(v)
	case protoreflect.BoolKind:
		if v.Kind != strictjson.Bool {
			return empty, "must be true or false"
		}
		return protoreflect.ValueOfBool(v.Text == "true"), ""
	case protoreflect.EnumKind:
		return enumNumber(desc.Enum(), v)
	case protoreflect.BytesKind:
		raw, err := base64.StdEncoding.DecodeString(v.Text)
		if v.Kind != strictjson.String || err != nil {
			return empty, "must be a base64 string"
		}
		return protoreflect.ValueOfBytes(raw), ""
	case protoreflect.MessageKind:
		if f.known == timestamp {
			return moment(empty, v)
		}
		return empty, "must be an object"
	default:
		return integer(desc.Kind(), v)
	}
}

// text reads a string, or a number's literal digit for digit where the field carries decimals.
func (f *field) text(v strictjson.Value) (value protoreflect.Value, complaint string) {
	number, str := v.Kind == strictjson.Number, v.Kind == strictjson.String
	switch f.wire.GetLiteral() {
	case gatewayv1.Literal_LITERAL_NUMBER:
		if !number {
			return value, "must be a number"
		}
	case gatewayv1.Literal_LITERAL_NUMBER_OR_STRING:
		if !number && !str {
			return value, "must be a number or a string"
		}
	default:
		if !str {
			return value, "must be a string"
		}
	}
	return protoreflect.ValueOfString(v.Text), ""
}

func enumNumber(desc protoreflect.EnumDescriptor, v strictjson.Value) (value protoreflect.Value, complaint string) {
	if v.Kind == strictjson.String {
		if named := desc.Values().ByName(protoreflect.Name(v.Text)); named != nil {
			return protoreflect.ValueOfEnum(named.Number()), ""
		}
	}
	names := make([]string, desc.Values().Len())
	for i := range names {
		names[i] = string(desc.Values().Get(i).Name())
	}
	return value, "must be one of " + strings.Join(names, ", ")
}

func moment(empty protoreflect.Value, v strictjson.Value) (value protoreflect.Value, complaint string) {
	t, err := time.Parse(time.RFC3339, v.Text)
	if v.Kind != strictjson.String || err != nil || timestamppb.New(t).CheckValid() != nil {
		return empty, "must be an ISO 8601 date-time"
	}
	m, fields := empty.Message(), empty.Message().Descriptor().Fields()
	m.Set(fields.ByName("seconds"), protoreflect.ValueOfInt64(t.Unix()))
	m.Set(fields.ByName("nanos"), protoreflect.ValueOfInt32(int32(t.Nanosecond())))
	return empty, ""
}

// integer reads an integer whose literal is one: 1.0 and 1e3 are not, for a client that writes them does not know it
// is writing an id.
func integer(kind protoreflect.Kind, v strictjson.Value) (value protoreflect.Value, complaint string) {
	if v.Kind != strictjson.Number || strings.ContainsAny(v.Text, ".eE") {
		return value, "must be an integer"
	}
	signed, signedErr := strconv.ParseInt(v.Text, 10, 64)
	unsigned, unsignedErr := strconv.ParseUint(v.Text, 10, 64)
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		if signedErr == nil && signed >= math.MinInt32 && signed <= math.MaxInt32 {
			return protoreflect.ValueOfInt32(int32(signed)), ""
		}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		if unsignedErr == nil && unsigned <= math.MaxUint32 {
			return protoreflect.ValueOfUint32(uint32(unsigned)), ""
		}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		if unsignedErr == nil {
			return protoreflect.ValueOfUint64(unsigned), ""
		}
	default: // the signed 64-bit kinds
		if signedErr == nil {
			return protoreflect.ValueOfInt64(signed), ""
		}
	}
	return value, "is out of range"
}

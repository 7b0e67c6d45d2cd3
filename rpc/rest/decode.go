package rest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/fault"
	"gateway.example/internal/strictjson"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// decodeBody fills msg from a JSON object, and returns everything that is wrong
// with it and its unknown fields. Wrong fields stay unset, and all do if the
// body is no JSON object. A message without fields for a body accepts an empty
// one.
func decodeBody(body []byte, s *schema, msg protoreflect.Message) (found fault.Fields, unknown []string) {
	d := decoder{found: fault.Fields{}}
	if len(bytes.Trim(body, " \t\r\n")) == 0 {
		if len(s.byName) > 0 {
			d.found.Add(fault.Body, "must not be empty")
		}
		return d.found, nil
	}
	if bytes.HasPrefix(body, []byte("\ufeff")) {
		return bodyFault("must not begin with a byte order mark"), nil
	}
	d.in, d.out = strictjson.NewReader(body), make([]byte, 0, len(body))
	v := d.in.Next()
	isObject := v.Kind == strictjson.Object
	if isObject {
		d.message(nil, s)
	} else {
		d.ignored(nil, v)
	}
	switch err := d.in.End(); {
	case errors.Is(err, strictjson.ErrTooDeep):
		return bodyFault("must not be nested deeper than " + strconv.Itoa(strictjson.MaxDepth) + " levels"), nil
	case err != nil:
		return bodyFault("must be valid JSON: " + err.Error()), nil
	case !isObject:
		return bodyFault("must be a JSON object"), nil
	}
	d.fill(msg)
	return d.found, d.unknown
}

func bodyFault(complaint string) fault.Fields { return fault.Fields{fault.Body: {complaint}} }

// decoder reads a document once. It writes protobuf's binary form, which fills
// a message without reflection; and writes nothing if the document is not JSON.
type decoder struct {
	in      *strictjson.Reader
	out     []byte
	found   fault.Fields
	unknown []string
}

// fill adds what was read to msg.
func (d *decoder) fill(msg protoreflect.Message) {
	if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(d.out, msg.Interface()); err != nil {
		panic("rest: the decoder wrote what is no " + string(msg.Descriptor().FullName()))
	}
}

func (d *decoder) report(at *path, complaint string) {
	if len(d.found) < maxFindings {
		d.found.Add(at.String(), "%s", complaint)
	}
}

// message reads the members of an object that has begun.
func (d *decoder) message(at *path, s *schema) {
	d.members(at, func(here *path, name string) bool {
		f, known := s.byName[name]
		switch {
		case known:
			d.field(here, f, d.in.Next())
		case len(d.unknown) < maxFindings:
			d.unknown = append(d.unknown, here.String())
		}
		return known
	})
}

const givenTwice = "must not be given more than once"

// members calls use with each member's name, if it is valid and new. use reads
// the value if it knows the name; other values are still checked.
func (d *decoder) members(at *path, use func(here *path, name string) bool) {
	const once, twice = 1, 2
	seen := map[string]int{}
	here := at.field("") // of one member after the other: it becomes text at once or never
	for name, ok := d.in.Member(); ok; name, ok = d.in.Member() {
		here.name = name.Text
		seen[name.Text]++
		if seen[name.Text] == twice {
			d.report(here, givenTwice)
		}
		sound := d.sound(here, name)
		if seen[name.Text] != once || !sound || !use(here, name.Text) {
			d.ignored(here, d.in.Next())
		}
	}
}

// ignored checks a value that is not used.
func (d *decoder) ignored(at *path, v strictjson.Token) {
	switch v.Kind {
	case strictjson.String:
		d.sound(at, v)
	case strictjson.Array:
		for i := 0; d.in.Item(); i++ {
			d.ignored(at.item(i), d.in.Next())
		}
	case strictjson.Object:
		d.members(at, func(*path, string) bool { return false })
	default: // the other kinds cannot be wrong
	}
}

// sound reports whether a name or unused string is text at all.
func (d *decoder) sound(at *path, v strictjson.Token) bool {
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

// text reports whether a string fits its field.
func (d *decoder) text(at *path, f *field, v strictjson.Token) bool {
	flaw := v.Flaw
	if flaw == "" {
		flaw = rpc.WireFlaw(string(f.desc.Name()), f.wire, v.Text)
	}
	if flaw != "" {
		d.report(at, flaw)
	}
	return flaw == ""
}

// field reads the value of a field, unless it is the null for unset.
func (d *decoder) field(at *path, f *field, v strictjson.Token) {
	switch {
	case f.isAnyValue():
		d.ignored(at, v)
		d.null(f.number)
	case v.Kind == strictjson.Null && (f.presence || f.mapped):
	case f.list:
		d.list(at, f, v)
	case f.mapped:
		d.mapping(at, f, v)
	default:
		d.value(at, f, f.number, v)
	}
}

// null writes a google.protobuf.Value with its null.
func (d *decoder) null(number protowire.Number) {
	const nullValue = 1
	d.nested(number, func() { d.varint(nullValue, 0) })
}

// nested writes a message with its length in front.
func (d *decoder) nested(number protowire.Number, content func()) {
	d.out = protowire.AppendTag(d.out, number, protowire.BytesType)
	start := len(d.out)
	content()
	var length [binary.MaxVarintLen64]byte
	d.out = slices.Insert(d.out, start, protowire.AppendVarint(length[:0], uint64(len(d.out)-start))...)
}

func (d *decoder) varint(number protowire.Number, v uint64) {
	d.out = protowire.AppendVarint(protowire.AppendTag(d.out, number, protowire.VarintType), v)
}

func (d *decoder) string(number protowire.Number, text string) {
	d.out = protowire.AppendString(protowire.AppendTag(d.out, number, protowire.BytesType), text)
}

func (d *decoder) list(at *path, f *field, v strictjson.Token) {
	if v.Kind != strictjson.Array {
		d.mismatch(at, "must be a list", v)
		return
	}
	for i := 0; d.in.Item(); i++ {
		d.value(at.item(i), f, f.number, d.in.Next())
	}
}

func (d *decoder) mapping(at *path, f *field, v strictjson.Token) {
	if v.Kind != strictjson.Object {
		d.mismatch(at, "must be an object", v)
		return
	}
	d.members(at, func(here *path, name string) bool {
		d.put(here, f, name, d.in.Next())
		return true
	})
}

// entry puts what a query gives into a map.
func (d *decoder) entry(here *path, f *field, key, v strictjson.Token) {
	if d.sound(here, key) {
		d.put(here, f, key.Text, v)
	}
}

// put writes an entry of a map, unless its value is wrong.
func (d *decoder) put(here *path, f *field, name string, v strictjson.Token) {
	const key, value = 1, 2
	before, ok := len(d.out), false
	d.nested(f.number, func() {
		d.string(key, name)
		ok = d.value(here, f, value, v)
	})
	if !ok {
		d.out = d.out[:before]
	}
}

// mismatch reports a value of the wrong kind, and everything wrong inside it.
func (d *decoder) mismatch(at *path, complaint string, v strictjson.Token) {
	d.report(at, complaint)
	if v.Kind != strictjson.String {
		d.ignored(at, v)
	}
}

// value reads one value of the field and writes it under the number. If it is
// wrong, it reports that and returns false.
func (d *decoder) value(at *path, f *field, number protowire.Number, v strictjson.Token) bool {
	if v.Kind == strictjson.String && !d.text(at, f, v) {
		return false
	}
	switch {
	case f.known == anyValue:
		d.ignored(at, v)
		d.null(number)
		return true
	case f.child != nil && v.Kind == strictjson.Object:
		d.nested(number, func() { d.message(at, f.child) })
		return true
	}
	complaint := d.scalar(f, number, v)
	if complaint != "" {
		d.mismatch(at, complaint, v)
	}
	return complaint == ""
}

// scalar writes a value that is not an object, or says what it must be.
func (d *decoder) scalar(f *field, number protowire.Number, v strictjson.Token) (complaint string) {
	switch f.kind {
	case protoreflect.StringKind:
		if complaint = f.literalFlaw(v.Kind); complaint == "" {
			d.string(number, v.Text)
		}
		return complaint
	case protoreflect.BoolKind:
		if v.Kind != strictjson.Bool {
			return "must be true or false"
		}
		d.varint(number, protowire.EncodeBool(v.Text == "true"))
	case protoreflect.EnumKind:
		return d.enum(f, number, v)
	case protoreflect.BytesKind:
		raw, err := base64.StdEncoding.DecodeString(v.Text)
		if v.Kind != strictjson.String || err != nil {
			return "must be a base64 string"
		}
		d.string(number, string(raw))
	case protoreflect.MessageKind:
		if f.known == timestamp {
			return d.moment(number, v)
		}
		return "must be an object"
	default:
		bits, complaint := integer(f.kind, v)
		if complaint == "" {
			d.varint(number, bits)
		}
		return complaint
	}
	return ""
}

// literalFlaw says what a text field must be: a string, or, if it holds
// decimals, also a number, which is taken digit for digit.
func (f *field) literalFlaw(kind strictjson.Kind) (complaint string) {
	number, str := kind == strictjson.Number, kind == strictjson.String
	switch f.wire.GetLiteral() {
	case gatewayv1.Literal_LITERAL_NUMBER:
		if !number {
			return "must be a number"
		}
	case gatewayv1.Literal_LITERAL_NUMBER_OR_STRING:
		if !number && !str {
			return "must be a number or a string"
		}
	default:
		if !str {
			return "must be a string"
		}
	}
	return ""
}

// enum takes a value by its name only, and not by its number. The complaint
// lists all names.
func (d *decoder) enum(f *field, number protowire.Number, v strictjson.Token) (complaint string) {
	values := f.element().Enum().Values()
	if v.Kind == strictjson.String {
		if named := values.ByName(protoreflect.Name(v.Text)); named != nil {
			d.varint(number, uint64(named.Number()))
			return ""
		}
	}
	names := make([]string, values.Len())
	for i := range names {
		names[i] = string(values.Get(i).Name())
	}
	return "must be one of " + strings.Join(names, ", ")
}

func (d *decoder) moment(number protowire.Number, v strictjson.Token) (complaint string) {
	t, err := time.Parse(time.RFC3339, v.Text)
	if v.Kind != strictjson.String || err != nil || timestamppb.New(t).CheckValid() != nil {
		return "must be an ISO 8601 date-time such as 2026-11-20T00:00:00Z"
	}
	d.nested(number, func() {
		d.varint(seconds.Number(), uint64(t.Unix()))
		d.varint(nanos.Number(), uint64(t.Nanosecond()))
	})
	return ""
}

// integer reads an integer that is written as one: a client that writes 1.0 or
// 1e3 does not know that it is writing an id. It returns the integer as a
// varint.
func integer(kind protoreflect.Kind, v strictjson.Token) (bits uint64, complaint string) {
	if v.Kind != strictjson.Number || strings.ContainsAny(v.Text, ".eE") {
		return 0, "must be an integer"
	}
	var signed int64
	var err error
	switch kind {
	case protoreflect.Int32Kind:
		signed, err = strconv.ParseInt(v.Text, 10, 32)
	case protoreflect.Uint32Kind:
		bits, err = strconv.ParseUint(v.Text, 10, 32)
	case protoreflect.Uint64Kind:
		bits, err = strconv.ParseUint(v.Text, 10, 64)
	default:
		signed, err = strconv.ParseInt(v.Text, 10, 64)
	}
	if err != nil {
		return 0, "is out of range"
	}
	return bits | uint64(signed), ""
}

package rest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/strictjson"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// encode writes msg as JSON, with its fields by number. It fails on a message
// without such a form, which is a bug in the service.
func encode(s *schema, msg protoreflect.Message) ([]byte, error) {
	e := encoder{buf: make([]byte, 0, 1024)}
	e.message(s, msg)
	return e.buf, e.err
}

// encoder appends to buf. After an error the contents are useless.
type encoder struct {
	buf []byte
	err error
}

// message writes an object with its fields by number, also those that are
// unset, so that a client may rely on their being there. Only what omitted
// names is left out.
func (e *encoder) message(s *schema, msg protoreflect.Message) {
	e.buf = append(e.buf, '{')
	first := true
	for _, f := range s.fields {
		if f.omitted(msg) {
			continue
		}
		e.separate(first)
		first = false
		e.buf = append(e.buf, f.key...)
		e.field(f, msg)
	}
	e.buf = append(e.buf, '}')
}

func (e *encoder) separate(first bool) {
	if !first {
		e.buf = append(e.buf, ',')
	}
}

// omitted reports whether the field is left out. An unset google.protobuf.Value
// is: null would be a value of it.
func (f *field) omitted(msg protoreflect.Message) bool {
	switch {
	case f.wire.GetInternal():
		return true
	case f.omitIf != nil && msg.Get(f.omitIf).Bool():
		return true
	default:
		return (f.wire.GetOmitUnset() || f.isAnyValue()) && !msg.Has(f.desc)
	}
}

// field writes the value of a field after its name. A field that has presence
// and is unset is null; lists and maps never are.
func (e *encoder) field(f *field, msg protoreflect.Message) {
	switch {
	case f.list:
		e.list(f, msg.Get(f.desc).List())
	case f.mapped:
		e.mapping(f, msg.Get(f.desc).Map())
	case f.presence && !msg.Has(f.desc):
		e.buf = append(e.buf, "null"...)
	default:
		e.value(f, msg.Get(f.desc))
	}
}

func (e *encoder) list(f *field, list protoreflect.List) {
	e.buf = append(e.buf, '[')
	for i := range list.Len() {
		e.separate(i == 0)
		e.value(f, list.Get(i))
	}
	e.buf = append(e.buf, ']')
}

// mapping writes a map sorted by key, so that equal messages are equal bytes.
func (e *encoder) mapping(f *field, entries protoreflect.Map) {
	keys := make([]string, 0, entries.Len())
	for key := range entries.Range {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	e.buf = append(e.buf, '{')
	for i, key := range keys {
		e.separate(i == 0)
		e.buf = append(strictjson.AppendString(e.buf, key), ':')
		e.value(f, entries.Get(protoreflect.ValueOfString(key).MapKey()))
	}
	e.buf = append(e.buf, '}')
}

// value writes one value of the field, also in a list or map.
func (e *encoder) value(f *field, v protoreflect.Value) {
	switch f.kind {
	case protoreflect.StringKind:
		e.text(f, v.String())
	case protoreflect.BoolKind:
		e.buf = strconv.AppendBool(e.buf, v.Bool())
	case protoreflect.EnumKind:
		e.enum(f.element().Enum(), v.Enum())
	case protoreflect.BytesKind:
		e.buf = strictjson.AppendString(e.buf, base64.StdEncoding.EncodeToString(v.Bytes()))
	case protoreflect.MessageKind:
		e.nested(f, v.Message())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind:
		e.buf = strconv.AppendUint(e.buf, v.Uint(), 10)
	default: // the signed integers; newSchema refuses all else
		e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
	}
}

func (e *encoder) text(f *field, text string) {
	if f.wire.GetLiteral() != gatewayv1.Literal_LITERAL_NUMBER {
		e.buf = strictjson.AppendString(e.buf, text)
		return
	}
	if v, err := strictjson.Parse([]byte(text)); err != nil || v.Kind != strictjson.Number {
		e.fail(f, "is no JSON number")
	}
	e.buf = append(e.buf, text...)
}

func (e *encoder) enum(desc protoreflect.EnumDescriptor, number protoreflect.EnumNumber) {
	if named := desc.Values().ByNumber(number); named != nil {
		e.buf = strictjson.AppendString(e.buf, string(named.Name()))
		return
	}
	e.buf = strconv.AppendInt(e.buf, int64(number), 10) // as protojson does with a number it has no name for
}

func (e *encoder) nested(f *field, msg protoreflect.Message) {
	switch f.known {
	case timestamp:
		e.moment(msg)
	case anyValue:
		e.any(f, msg)
	default:
		e.message(f.child, msg)
	}
}

var (
	ofTimestamp    = (*timestamppb.Timestamp)(nil).ProtoReflect().Descriptor().Fields()
	seconds, nanos = ofTimestamp.ByName("seconds"), ofTimestamp.ByName("nanos")
)

// moment writes a timestamp in UTC, truncated to milliseconds.
func (e *encoder) moment(msg protoreflect.Message) {
	at := time.Unix(msg.Get(seconds).Int(), msg.Get(nanos).Int())
	e.buf = at.UTC().AppendFormat(append(e.buf, '"'), `2006-01-02T15:04:05.000Z"`)
}

// any writes a google.protobuf.Value without white space, which protojson
// varies on purpose.
func (e *encoder) any(f *field, msg protoreflect.Message) {
	loose, err := protojson.Marshal(msg.Interface())
	if err != nil {
		e.fail(f, err.Error())
		return
	}
	compact := bytes.NewBuffer(e.buf)
	if err := json.Compact(compact, loose); err != nil {
		e.fail(f, err.Error())
	}
	e.buf = compact.Bytes()
}

func (e *encoder) fail(f *field, reason string) {
	if e.err == nil {
		e.err = fmt.Errorf("rest: %s %s", f.desc.FullName(), reason)
	}
}

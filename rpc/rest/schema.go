package rest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/strictjson"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// schema is a message's descriptor, prepared for the codec.
type schema struct {
	desc   protoreflect.MessageDescriptor
	fields []*field          // in the order of their numbers
	byName map[string]*field // by JSON name, those that a body or query may set
}

type field struct {
	desc   protoreflect.FieldDescriptor
	name   string // in JSON
	key    []byte // the name as it is written, with its colon
	wire   *gatewayv1.Wire
	omitIf protoreflect.FieldDescriptor // the boolean beside it that hides it, or nil
	known  protoreflect.FullName        // timestamp or anyValue, the messages with a JSON form of their own, or ""
	child  *schema                      // of other messages: the field's, the list's or the map's
	uuid   *field                       // beside an id in the path: the field that takes a uuid in its place, or nil

	number                 protowire.Number
	kind                   protoreflect.Kind // of one value
	list, mapped, presence bool
}

const (
	timestamp protoreflect.FullName = "google.protobuf.Timestamp"
	anyValue  protoreflect.FullName = "google.protobuf.Value"
)

// newSchema prepares a message and those inside it. It panics on a type that
// the codec does not support.
func newSchema(desc protoreflect.MessageDescriptor) *schema {
	return schemas{}.of(desc)
}

// schemas are those that are begun, so that a message may contain itself.
type schemas map[protoreflect.FullName]*schema

// of prepares a message, once. It is known before its fields are prepared, so
// that they may contain it. An internal field is among the fields, but no body
// or query can set it.
func (all schemas) of(desc protoreflect.MessageDescriptor) *schema {
	if known, ok := all[desc.FullName()]; ok {
		return known
	}
	s := &schema{desc: desc, byName: map[string]*field{}}
	all[desc.FullName()] = s
	for i := range desc.Fields().Len() {
		f := all.field(desc.Fields().Get(i))
		s.fields = append(s.fields, f)
		if !f.wire.GetInternal() {
			s.byName[f.name] = f
		}
	}
	slices.SortFunc(s.fields, func(a, b *field) int { return cmp.Compare(a.desc.Number(), b.desc.Number()) })
	return s
}

// field prepares a field by its type and options. Options that contradict the
// message are a mistake in a proto file, on which it panics.
func (all schemas) field(desc protoreflect.FieldDescriptor) *field {
	wire, ok := proto.GetExtension(desc.Options(), gatewayv1.E_Wire).(*gatewayv1.Wire)
	must(ok, desc, "the wire option is of another type")
	if wire == nil {
		wire = &gatewayv1.Wire{}
	}
	f := &field{
		desc: desc,
		name: desc.JSONName(),
		key:  append(strictjson.AppendString(nil, desc.JSONName()), ':'),
		wire: wire,

		number: desc.Number(), list: desc.IsList(), mapped: desc.IsMap(), presence: desc.HasPresence(),
	}
	if sibling := f.wire.GetOmitIf(); sibling != "" {
		f.omitIf = desc.ContainingMessage().Fields().ByName(protoreflect.Name(sibling))
		must(f.omitIf != nil && f.omitIf.Kind() == protoreflect.BoolKind, desc, "omit_if names no boolean field")
	}
	must(!desc.IsMap() || desc.MapKey().Kind() == protoreflect.StringKind, desc, "a map needs string keys")
	all.value(f)
	return f
}

// value prepares one value of the field, also in a list or map.
func (all schemas) value(f *field) {
	desc := f.element()
	f.kind = desc.Kind()
	switch f.kind {
	case protoreflect.FloatKind,
		protoreflect.DoubleKind,
		protoreflect.GroupKind,
		protoreflect.Sint32Kind,
		protoreflect.Sint64Kind,
		protoreflect.Fixed32Kind,
		protoreflect.Fixed64Kind,
		protoreflect.Sfixed32Kind,
		protoreflect.Sfixed64Kind:
		must(false, desc, "the REST codec does not carry this type")
	case protoreflect.MessageKind:
		switch name := desc.Message().FullName(); name {
		case timestamp, anyValue:
			f.known = name
		default:
			must(name.Parent() != timestamp.Parent(), desc, "this well-known type has no REST form yet")
			f.child = all.of(desc.Message())
		}
	default: // a scalar needs nothing prepared
	}
}

// element is the descriptor of one value: of the map's value, or the field
// itself.
func (f *field) element() protoreflect.FieldDescriptor {
	if f.mapped {
		return f.desc.MapValue()
	}
	return f.desc
}

// isAnyValue reports whether only the presence of the field matters.
func (f *field) isAnyValue() bool {
	return f.known == anyValue && !f.list && !f.mapped
}

// bindToPath removes a field from bodies and queries: only the path sets it.
func (s *schema) bindToPath(name string) *field {
	f := s.named(name)
	if f == nil {
		panic(fmt.Sprintf("rest: no field %s for the path", name))
	}
	kind := f.desc.Kind()
	must(kind == protoreflect.StringKind || kind == protoreflect.Int64Kind, f.desc,
		"a path has only strings and int64 ids")
	delete(s.byName, f.name)
	if base, is := strings.CutSuffix(name, "_id"); is && kind == protoreflect.Int64Kind {
		f.uuid = s.named(base + "_uuid")
	}
	return f
}

// named is the field with a name in the proto file, or nil.
func (s *schema) named(name string) *field {
	i := slices.IndexFunc(s.fields, func(f *field) bool { return string(f.desc.Name()) == name })
	if i < 0 {
		return nil
	}
	return s.fields[i]
}

func must(ok bool, desc protoreflect.Descriptor, complaint string) {
	if !ok {
		panic(fmt.Sprintf("rest: %s: %s", desc.FullName(), complaint))
	}
}

package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/fault"
	"gateway.example/internal/strictjson"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// decodePath sets the fields that stand in the path. Text that cannot be such an id names nothing:
// not found.
func decodePath(parameters []*field, r *http.Request, msg protoreflect.Message) error {
	for _, f := range parameters {
		value, ok := pathValue(f.desc.Kind(), r.PathValue(string(f.desc.Name())))
		if !ok {
			return fault.ErrNotFound
		}
		msg.Set(f.desc, value)
	}
	return nil
}

// pathValue reads text as it is, and an id only in its one spelling: a positive decimal without
// leading zeros.
func pathValue(kind protoreflect.Kind, text string) (protoreflect.Value, bool) {
	if kind == protoreflect.StringKind {
		return protoreflect.ValueOfString(text), fault.TextFlaw(text) == ""
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return protoreflect.ValueOfInt64(id), err == nil && id > 0 && strconv.FormatInt(id, 10) == text
}

// decodeQuery fills msg from query parameters by their JSON names and returns what is wrong with
// them, and the names that nobody knows. A repeated parameter is wrong, as a body's repeated field is;
// lists, maps and messages other than timestamps cannot be given.
func decodeQuery(u *url.URL, s *schema, msg protoreflect.Message) (found fault.Fields, ignored []string) {
	d := decoder{found: fault.Fields{}}
	if u.RawQuery == "" {
		return d.found, nil
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		here, f := (*path)(nil).field(name), s.byName[name]
		switch {
		case f == nil || f.child != nil || f.known == anyValue || f.desc.Cardinality() == protoreflect.Repeated:
			ignored = append(ignored, name)
		case len(query[name]) > 1:
			d.report(here, givenTwice)
		default:
			d.field(here, f, f.fromQuery(query.Get(name)))
		}
	}
	d.fill(msg)
	return d.found, ignored
}

// fromQuery is the JSON value a parameter would be in a body: a number or boolean unless the field
// takes strings.
func (f *field) fromQuery(text string) strictjson.Token {
	if !f.takesString() {
		if v, err := strictjson.Parse(
			[]byte(text),
		); err == nil &&
			(v.Kind == strictjson.Number || v.Kind == strictjson.Bool) {
			return strictjson.Token{Kind: v.Kind, Text: v.Text}
		}
	}
	return textValue(text)
}

func (f *field) takesString() bool {
	switch f.desc.Kind() {
	case protoreflect.StringKind:
		return f.wire.GetLiteral() != gatewayv1.Literal_LITERAL_NUMBER
	case protoreflect.EnumKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return true
	default:
		return false
	}
}

package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/fault"
	"gateway.example/internal/strictjson"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// decodePath sets the fields in the path. A text that cannot be such an id is
// not found.
func decodePath(parameters []*field, r *http.Request, msg protoreflect.Message) error {
	for _, f := range parameters {
		text := r.PathValue(string(f.desc.Name()))
		if f.uuid != nil && uuid.Validate(text) == nil && len(text) == uuidLength {
			msg.Set(f.uuid.desc, protoreflect.ValueOfString(text))
			continue
		}
		value, ok := pathValue(f.desc.Kind(), text)
		if !ok {
			return fault.ErrNotFound
		}
		msg.Set(f.desc, value)
	}
	return nil
}

const uuidLength = len("00000000-0000-0000-0000-000000000000")

// pathValue reads text unchanged, and an id only in its one spelling: a
// positive decimal without leading zeros.
func pathValue(kind protoreflect.Kind, text string) (protoreflect.Value, bool) {
	if kind == protoreflect.StringKind {
		return protoreflect.ValueOfString(text), fault.TextFlaw(text) == ""
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return protoreflect.ValueOfInt64(id), err == nil && id > 0 && strconv.FormatInt(id, 10) == text
}

// decodeQuery fills msg from query parameters by their JSON names, or by the
// spelling in answers (order_id), and returns what is wrong and the unknown
// names. A repeated parameter is wrong, as a repeated field in a body is. An
// entry of a map is given as name[key]=value. Lists and messages other than
// timestamps cannot be given.
func decodeQuery(u *url.URL, s *schema, msg protoreflect.Message) (found fault.Fields, ignored []string) {
	d := decoder{found: fault.Fields{}}
	if u.RawQuery == "" {
		return d.found, nil
	}
	query := u.Query()
	given := map[*field]bool{}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		here, f := (*path)(nil).field(name), s.parameter(name)
		of, key := s.entry(name)
		twice := given[f] || len(query[name]) > 1
		given[f] = f != nil
		switch {
		case f == nil && of == nil:
			ignored = append(ignored, name)
		case twice:
			d.report(here, givenTwice)
		case of != nil:
			d.entry((*path)(nil).field(of.name).field(key), of, textValue(key), textValue(query.Get(name)))
		default:
			d.field(here, f, f.fromQuery(query.Get(name)))
		}
	}
	d.fill(msg)
	return d.found, ignored
}

// entry is the field and the key of a query parameter that gives an entry of a
// map of texts; nil is none.
func (s *schema) entry(name string) (f *field, key string) {
	base, rest, found := strings.Cut(name, "[")
	if f = s.byName[base]; !found || !strings.HasSuffix(rest, "]") || f == nil || !f.mapped || f.kind != protoreflect.StringKind {
		return nil, ""
	}
	return f, strings.TrimSuffix(rest, "]")
}

// parameter is the field for a query parameter, or nil.
func (s *schema) parameter(name string) *field {
	f := s.byName[name]
	if f == nil {
		if f = s.named(name); f == nil || s.byName[f.name] != f {
			return nil
		}
	}
	if f.child != nil || f.known == anyValue || f.desc.Cardinality() == protoreflect.Repeated {
		return nil
	}
	return f
}

// refuseUnknown refuses unknown parameters of a list, and a query that is none,
// so that nobody takes the whole list for their search's result.
func refuseUnknown(found fault.Fields, u *url.URL, s *schema, names []string) {
	if _, err := url.ParseQuery(u.RawQuery); err != nil { // what is left of it would ask for something else
		found.Add("query", "must be pairs of name=value, joined by & and with %%XX for what is not plain")
	}
	var known []string
	for _, f := range s.fields {
		switch {
		case s.parameter(f.name) == f:
			known = append(known, f.name)
		case f.mapped && s.byName[f.name] == f:
			known = append(known, f.name+"[key]")
		}
	}
	for _, name := range names[:min(len(names), maxFindings)] {
		found.Add((*path)(nil).field(name).String(), "is not a parameter of this list: %s", fault.OneOf(name, known))
	}
}

// fromQuery is a parameter as the JSON value of a body: a number or boolean
// unless the field takes strings.
func (f *field) fromQuery(text string) strictjson.Token {
	if !f.takesString() {
		if v, err := strictjson.Parse([]byte(text)); err == nil &&
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

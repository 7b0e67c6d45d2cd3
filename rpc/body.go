package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/strictjson"
)

// input is the type of the message that a Connect procedure takes, as the
// generated code has registered it. A procedure that no proto file has is an
// error, which comes when the handlers are made and not at a call.
func input(procedure string) (protoreflect.MessageType, error) {
	name := strings.ReplaceAll(strings.Trim(procedure, "/"), "/", ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, fmt.Errorf("procedure %s: %w", procedure, err)
	}
	method, ok := found.(protoreflect.MethodDescriptor)
	if !ok {
		return nil, fmt.Errorf("procedure %s is no method", procedure)
	}
	return protoregistry.GlobalTypes.FindMessageByName(method.Input().FullName())
}

// checkBody answers a Connect body that cannot be decoded, with the error
// details of every wrong body. The library's own error has none, and would
// quote the body, which may be a card. In a portal's body it also refuses
// unknown fields: somebody who misspells a setting must not think that it was
// set. The merchants' API ignores unknown fields.
func checkBody(procedure string, next http.Handler) (http.Handler, error) {
	request, err := input(procedure)
	if err != nil {
		return nil, err
	}
	strict := !strings.HasPrefix(procedure, "/gateway.")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		content, err := io.ReadAll(r.Body) // in memory already
		if err != nil {
			failConnect(w, r, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(content))
		found, ignored := readBody(request, media == mediaJSON, content)
		switch {
		case len(found) > 0:
		case strict:
			for _, name := range ignored {
				found.Add(name, "is not a known field")
			}
		default:
			edge.WarnIgnored(r.Context(), w.Header(), ignored)
		}
		if err := found.Err(); err != nil {
			failConnect(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(WithHeader(r.Context(), w.Header())))
	}), nil
}

// The two forms of a Connect body.
const mediaJSON, mediaProto = "application/json", "application/proto"

// readBody returns what is wrong with a body, or else the names of its unknown
// fields.
func readBody(request protoreflect.MessageType, isJSON bool, content []byte) (found fault.Fields, unknown []string) {
	m := request.New()
	if found := decode(m, isJSON, content); len(found) > 0 {
		return found, nil
	}
	if !isJSON {
		return fault.Fields{}, unknownNumbers(nil, "", m)
	}
	// The library may accept what this parser finds too deep; its names are
	// not checked then.
	document, _ := strictjson.Parse(content)
	return fault.Fields{}, unknownNames(nil, "", request.Descriptor(), document)
}

// decode decodes the body into m. If that fails, it returns the strings that
// are not text, or else the fields with values of another type, or else an
// error about the whole body.
func decode(m protoreflect.Message, isJSON bool, content []byte) fault.Fields {
	found, unreadable := fault.Fields{}, errNotProto
	if isJSON {
		if (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(content, m.Interface()) == nil {
			return nil
		}
		unreadable = errNotJSON
		if document, err := strictjson.Parse(content); err == nil {
			flaws(found, "", document)
			if len(found) == 0 {
				misfits(found, m, content)
			}
		}
	} else {
		if proto.Unmarshal(content, m.Interface()) == nil {
			return nil
		}
		badText(found, "", m.Descriptor(), content)
	}
	if len(found) == 0 {
		found.Add(fault.Body, "%s", unreadable.Error())
	}
	return found
}

// flaws reports the strings of a JSON value that are not text.
func flaws(found fault.Fields, path string, v strictjson.Value) {
	if v.Flaw != "" && len(found) < maxFindings {
		found.Add(orBody(path), "%s", v.Flaw)
	}
	for i, item := range v.Items {
		flaws(found, fmt.Sprintf("%s[%d]", path, i), item)
	}
	for _, member := range v.Members {
		here := join(path, member.Name.Text)
		flaws(found, here, member.Name)
		flaws(found, here, member.Value)
	}
}

// misfits reports the fields of a JSON object whose values the message does not
// take, reading each alone.
func misfits(found fault.Fields, m protoreflect.Message, content []byte) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(content, &members) // an array or a number has none
	for name, value := range members {
		alone, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err == nil && len(found) < maxFindings &&
			(protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(alone, m.New().Interface()) != nil {
			found.Add(name, "must have the type that this call takes")
		}
	}
}

// unknownNames appends the paths of a JSON object's members that its message
// does not have.
func unknownNames(names []string, path string, desc protoreflect.MessageDescriptor, v strictjson.Value) []string {
	for _, member := range v.Members {
		here := join(path, member.Name.Text)
		field := desc.Fields().ByJSONName(member.Name.Text)
		if field == nil {
			field = desc.Fields().ByTextName(member.Name.Text)
		}
		switch {
		case field == nil:
			if len(names) < maxFindings {
				names = append(names, here)
			}
		case field.IsMap():
			for _, entry := range member.Value.Members {
				names = unknownInside(names, join(here, entry.Name.Text), field.MapValue(), entry.Value)
			}
		case field.IsList():
			for i, item := range member.Value.Items {
				names = unknownInside(names, fmt.Sprintf("%s[%d]", here, i), field, item)
			}
		default:
			names = unknownInside(names, here, field, member.Value)
		}
	}
	return names
}

// unknownInside checks a single value. The well-known types have JSON forms of
// their own, without fields.
func unknownInside(names []string, path string, field protoreflect.FieldDescriptor, v strictjson.Value) []string {
	if field.Kind() != protoreflect.MessageKind || field.Message().FullName().Parent() == "google.protobuf" {
		return names
	}
	return unknownNames(names, path, field.Message(), v)
}

// unknownNumbers appends the paths of unknown fields in a binary message, by
// number.
func unknownNumbers(names []string, path string, m protoreflect.Message) []string {
	for rest := m.GetUnknown(); len(rest) > 0 && len(names) < maxFindings; {
		number, _, length := protowire.ConsumeField(rest)
		if length < 0 {
			break
		}
		names, rest = append(names, join(path, fmt.Sprintf("field %d", number))), rest[length:]
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		here := join(path, field.JSONName())
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range value.List().Len() {
				names = unknownNumbers(names, fmt.Sprintf("%s[%d]", here, i), value.List().Get(i).Message())
			}
		default:
			names = unknownNumbers(names, here, value.Message())
		}
		return true
	})
	return names
}

// badText reports the string fields of a binary message that are not valid
// UTF-8, for which none of it is read.
func badText(found fault.Fields, path string, desc protoreflect.MessageDescriptor, content []byte) {
	for len(content) > 0 && len(found) < maxFindings {
		number, kind, length := protowire.ConsumeTag(content)
		if length < 0 {
			return
		}
		content = content[length:]
		size := protowire.ConsumeFieldValue(number, kind, content)
		if size < 0 {
			return
		}
		field := desc.Fields().ByNumber(number)
		if field != nil && kind == protowire.BytesType && !field.IsMap() {
			value, _ := protowire.ConsumeBytes(content)
			badValue(found, join(path, field.JSONName()), field, value)
		}
		content = content[size:]
	}
}

func badValue(found fault.Fields, path string, field protoreflect.FieldDescriptor, value []byte) {
	switch field.Kind() {
	case protoreflect.StringKind:
		found.Flaw(path, fault.TextLinesFlaw(string(value)))
	case protoreflect.MessageKind:
		badText(found, path, field.Message(), value)
	default: // the other kinds hold no text
	}
}

// maxName limits a caller's own name inside a path.
const maxName = 64

func join(path, name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func orBody(path string) string {
	if path == "" {
		return fault.Body
	}
	return path
}

package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gateway.example/internal/caller"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// headers are the headers of answers, by reference name.
var headers = object{
	"X-Request-Id": object{
		"description": "The id of this request: the one that was sent, or one of ours. Name it when you report a problem.",
		"schema":      object{"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
	},
	"Retry-After": object{
		"description": "After how many seconds the same call can succeed.",
		"schema":      object{"type": "integer", "minimum": 1},
	},
	"Idempotent-Replay": object{
		"description": "Set on a repeat: the answer is what was created before, as it stands now.",
		"schema":      object{"type": "string", "enum": []string{"true"}},
	},
	"Idempotent-Mismatch": object{
		"description": "The fields of a repeat that differ from the first call, separated by commas.",
		"schema":      object{"type": "string"}, "example": "amount,callbackUri",
	},
}

func headerReferences(names ...string) object {
	list := object{}
	for _, name := range names {
		list[name] = reference("headers", name)
	}
	return list
}

// methodOf is the proto file's description of a route's method.
func (d *description) methodOf(t route) (protoreflect.FullName, *gatewayv1.Operation) {
	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(t.procedure, "/"), "/", "."))
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		d.complain("%s: %v", name, err)
		return name, &gatewayv1.Operation{}
	}
	op, ok := proto.GetExtension(found.Options(), gatewayv1.E_Operation).(*gatewayv1.Operation)
	if !ok || op.GetSummary() == "" {
		d.complain("%s has no summary: give it the option operation", name)
		return name, &gatewayv1.Operation{}
	}
	return name, op
}

// operation describes a route. Its texts are those of the method in the proto
// file, and its security is who may call the procedure.
func (d *description) operation(t route) object {
	name, op := d.methodOf(t)
	described := object{
		"operationId": string(name.Name()),
		"summary":     op.GetSummary(),
		"description": sentence(name.Name(), d.comment(name)),
		"tags":        d.tag(op.GetTag()),
		"security":    security(rpc.Access(t.procedure)),
		"responses":   d.responses(t, op),
	}
	if parameters := d.parameters(t); len(parameters) > 0 {
		described["parameters"] = parameters
	}
	switch {
	case t.form:
		described["requestBody"] = object{
			"required": true,
			"content":  object{"multipart/form-data": object{"schema": d.form(t.request)}},
		}
	case takesJSON(t):
		described["requestBody"] = object{"required": true, "content": d.content(t.request, true)}
	}
	return described
}

// takesJSON reports whether a route has a JSON body with fields.
func takesJSON(t route) bool { return !t.form && hasBody(t.method) && len(t.request.byName) > 0 }

// takesQuery reports whether a route reads its query.
func takesQuery(t route) bool { return !hasBody(t.method) && len(t.request.byName) > 0 }

// responses are the answers of a route by their status. A repeat that has a
// status of its own has the same content; the headers that mark repeats are
// listed only where the proto file calls the method idempotent.
func (d *description) responses(t route, op *gatewayv1.Operation) object {
	names := []string{"X-Request-Id"}
	if op.GetIdempotent() {
		names = append(names, "Idempotent-Replay", "Idempotent-Mismatch")
	}
	content := d.answer(t)
	responses := d.refusals(t, op)
	responses[strconv.Itoa(t.status)] = object{
		"description": http.StatusText(t.status), "content": content, "headers": headerReferences(names...),
	}
	if t.repeated != 0 {
		responses[strconv.Itoa(t.repeated)] = object{
			"description": "A repeat: what was created before.",
			"content":     content,
			"headers":     headerReferences(names...),
		}
	}
	return responses
}

// answer describes the body of a success.
func (d *description) answer(t route) object {
	if !t.file {
		return d.content(t.response, false)
	}
	content := object{}
	for _, media := range []string{"application/pdf", "image/png", "image/jpeg", "image/webp", "video/mp4"} {
		content[media] = object{"schema": object{"type": "string", "format": "binary"}}
	}
	return content
}

// content is a message as JSON, with an example.
func (d *description) content(s *schema, request bool) object {
	return object{"application/json": object{"schema": d.message(s, request), "example": example(s, request)}}
}

// parameters are the fields in the path and in the query. Those in the path
// have the names that the pattern has, the others their JSON names.
func (d *description) parameters(t route) []any {
	var list []any
	for _, f := range t.request.fields {
		inPath := slices.ContainsFunc(t.parts, func(part string) bool { return parameter(part) == string(f.desc.Name()) })
		switch {
		case inPath:
			list = append(list, d.parameter(f, string(f.desc.Name()), "path"))
		case takesQuery(t) && t.request.byName[f.name] != nil:
			list = append(list, d.parameter(f, f.name, "query"))
		}
	}
	return list
}

const idOrUUID = "^([1-9][0-9]{0,18}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"

// parameter describes a field outside a body. An id in whose place a uuid may
// stand is described as text that matches either, and a map as name[key]=value.
func (d *description) parameter(f *field, name, in string) object {
	value := d.value(f, true)
	if f.uuid != nil {
		value = object{"type": "string", "pattern": idOrUUID, "example": "4021"}
	}
	described := object{"name": name, "in": in, "schema": value}
	if f.mapped { // name[key]=value
		described["schema"], described["style"], described["explode"] = f.mapOf(value, false), "deepObject", true
	}
	if in == "path" {
		described["required"] = true
	}
	if text := d.about(f); text != "" {
		described["description"] = text
	}
	return described
}

// form describes the parts of a multipart body.
func (d *description) form(s *schema) object {
	var properties members
	var required []string
	for _, f := range s.fields {
		if s.byName[f.name] == nil || s.fileOf(f) != nil {
			continue
		}
		part := d.value(f, true)
		part["description"] = d.about(f)
		if f.desc.Kind() == protoreflect.BytesKind {
			part["contentMediaType"] = "application/octet-stream"
		}
		properties = append(properties, member{f.name, part})
		if f.wire.GetRequired() {
			required = append(required, f.name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// security says what credentials each kind of caller needs; none is open to
// everybody.
func security(kinds []caller.Kind) []any {
	list := []any{}
	bearer := false
	for _, kind := range kinds {
		switch kind {
		case caller.MerchantKey:
			list = append(list, object{"keyId": []any{}, "secret": []any{}, "signature": []any{}})
		case caller.Application:
			list = append(list, object{"signatureV2": []any{}}, object{"applicationSignature": []any{}})
		case caller.Device:
			list = append(list, object{"deviceKey": []any{}, "deviceSignature": []any{}})
		case caller.Anyone:
		default:
			bearer = true
		}
	}
	if bearer {
		list = append(list, object{"bearer": []any{}})
	}
	return list
}

// sentence is a comment without the name that it begins with.
func sentence(name protoreflect.Name, comment string) string {
	text, found := strings.CutPrefix(comment, string(name)+" ")
	if !found || text == "" {
		return comment
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

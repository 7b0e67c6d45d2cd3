package rest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// descriptors are those of every proto file with their comments, which generated code leaves out.
//
//go:embed descriptors.binpb
var descriptors []byte

// version is the machine-readable description's.
const version = "1.0.0"

// About is what a description says of the place it describes.
type About struct {
	BaseURL string
	Headers auth.Headers
}

type object = map[string]any

// OpenAPI describes the documented paths as OpenAPI 3.1, from the routes table, the message
// descriptors and their comments.
func OpenAPI(services Services, about About) ([]byte, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	d := &description{comments: comments, schemas: object{"Error": errorSchema}}
	paths := object{}
	for _, t := range routes(services) {
		path, ok := paths[t.pattern].(object)
		if !ok {
			path = object{}
			paths[t.pattern] = path
		}
		path[strings.ToLower(t.method)] = d.operation(t)
	}
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info":    object{"title": "Merchant Payment Gateway", "version": version},
		"servers": []any{object{"url": about.BaseURL}},
		"paths":   paths,
		"components": object{
			"schemas": d.schemas, "securitySchemes": securitySchemes(about.Headers),
			"responses": object{"Error": object{
				"description": "A refusal, in the one shape of every error.",
				"content":     jsonContent(reference("Error")),
			}},
		},
	})
}

type description struct {
	comments *protoregistry.Files
	schemas  object
}

func readComments() (*protoregistry.Files, error) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(descriptors, &set); err != nil {
		return nil, fmt.Errorf("read descriptors: %w", err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("read descriptors: %w", err)
	}
	return files, nil
}

// comment is what the proto file says of a descriptor.
func (d *description) comment(name protoreflect.FullName) string {
	found, err := d.comments.FindDescriptorByName(name)
	if err != nil {
		return ""
	}
	text := found.ParentFile().SourceLocations().ByDescriptor(found).LeadingComments
	return strings.Join(strings.Fields(text), " ")
}

func (d *description) operation(t route) object {
	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(t.procedure, "/"), "/", "."))
	success := object{"description": http.StatusText(t.status), "content": d.answer(t)}
	op := object{
		"operationId": string(
			name.Name(),
		),
		"description": d.comment(name),
		"security":    security(rpc.Access(t.procedure)),
		"responses": object{
			strconv.Itoa(t.status): success, "default": object{"$ref": "#/components/responses/Error"},
		},
	}
	if t.repeated != 0 {
		op["responses"].(object)[strconv.Itoa(t.repeated)] = object{ //nolint:forcetypeassert // made above
			"description": "A repeat: what was created before.", "content": success["content"],
		}
	}
	if parameters := d.parameters(t); len(parameters) > 0 {
		op["parameters"] = parameters
	}
	switch {
	case t.form:
		op["requestBody"] = object{
			"required": true,
			"content":  object{"multipart/form-data": object{"schema": d.form(t.request)}},
		}
	case hasBody(t.method) && len(t.request.byName) > 0:
		op["requestBody"] = object{"required": true, "content": jsonContent(d.message(t.request, true))}
	}
	return op
}

// answer describes the body of a success.
func (d *description) answer(t route) object {
	if t.file {
		return object{"*/*": object{}}
	}
	return jsonContent(d.message(t.response, false))
}

// form describes the parts of a multipart body.
func (d *description) form(s *schema) object {
	properties, required := object{}, []string{}
	for _, f := range s.fields {
		if s.byName[f.name] == nil || s.fileOf(f) != nil {
			continue
		}
		part := object{"type": "string", "description": d.comment(f.desc.FullName())}
		if f.desc.Kind() == protoreflect.BytesKind {
			part["contentMediaType"] = "application/octet-stream"
		}
		properties[f.name] = part
		if f.wire.GetRequired() {
			required = append(required, f.name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func (d *description) parameters(t route) []any {
	var list []any
	for _, part := range t.parts {
		name := parameter(part)
		if name == "" {
			continue
		}
		list = append(list, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	if hasBody(t.method) {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(t.request.byName)) {
		f := t.request.byName[name]
		list = append(list, object{"name": name, "in": "query", "schema": d.field(f, true)})
	}
	return list
}

// message describes a message once, and refers to that.
func (d *description) message(s *schema, request bool) object {
	name := string(s.desc.Name())
	if _, known := d.schemas[name]; known {
		return reference(name)
	}
	properties, required := object{}, []string{}
	described := object{"type": "object", "properties": properties}
	d.schemas[name] = described
	if text := d.comment(s.desc.FullName()); text != "" {
		described["description"] = text
	}
	for _, f := range s.fields {
		if f.wire.GetInternal() || request && s.byName[f.name] == nil {
			continue
		}
		properties[f.name] = d.field(f, request)
		if f.wire.GetRequired() || !request && !f.wire.GetOmitUnset() && f.omitIf == nil {
			required = append(required, f.name)
		}
	}
	if len(required) > 0 {
		described["required"] = required
	}
	return reference(name)
}

func (d *description) field(f *field, request bool) any {
	if f.known == anyValue && request {
		return object{"not": object{}, "description": d.comment(f.desc.FullName())}
	}
	value := d.value(f, request)
	switch {
	case f.desc.IsMap():
		value = object{"type": "object", "additionalProperties": value}
	case f.desc.IsList():
		value = object{"type": "array", "items": value}
	case f.desc.HasPresence():
		value = nullable(value)
	}
	if text := d.comment(f.desc.FullName()); text != "" {
		value["description"] = text
	}
	return value
}

func (d *description) value(f *field, request bool) object {
	switch {
	case f.known == timestamp:
		return object{"type": "string", "format": "date-time"}
	case f.child != nil:
		return d.message(f.child, request)
	case f.wire.GetLiteral() == gatewayv1.Literal_LITERAL_NUMBER:
		return object{"type": "number"}
	case f.wire.GetLiteral() == gatewayv1.Literal_LITERAL_NUMBER_OR_STRING && request:
		return object{"type": []string{"number", "string"}}
	}
	switch f.element().Kind() {
	case protoreflect.BoolKind:
		return object{"type": "boolean"}
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind:
		return object{"type": "string"}
	default:
		return object{"type": "integer"}
	}
}

// nullable admits null besides.
func nullable(value object) object {
	if kind, ok := value["type"].(string); ok {
		value["type"] = []string{kind, "null"}
		return value
	}
	return object{"anyOf": []any{value, object{"type": "null"}}}
}

func reference(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func jsonContent(schema any) object {
	return object{"application/json": object{"schema": schema}}
}

// errorSchema is errorBody, described.
var errorSchema = object{
	"type": "object", "required": []string{"message", "code", "requestId"},
	"properties": object{
		"message": object{"type": "string"},
		"code":    object{"type": "string", "description": "Stable, for programs."},
		"errors": object{
			"type": "object", "description": "Every wrong field by its path, only with validation_failed.",
			"additionalProperties": object{"type": "array", "items": object{"type": "string"}},
		},
		"requestId": object{"type": "string"},
	},
}

// security says, for each kind of caller, what proves it.
func security(kinds []caller.Kind) []any {
	var list []any
	bearer := false
	for _, kind := range kinds {
		switch kind {
		case caller.MerchantKey:
			list = append(list, object{"keyId": []any{}, "secret": []any{}, "signature": []any{}})
		case caller.Application:
			list = append(list, object{"signatureV2": []any{}}, object{"signature": []any{}})
		case caller.Anyone:
			list = append(list, object{})
		default:
			bearer = true
		}
	}
	if bearer {
		list = append(list, object{"bearer": []any{}})
	}
	return list
}

func securitySchemes(headers auth.Headers) object {
	header := func(name, text string) object {
		return object{"type": "apiKey", "in": "header", "name": name, "description": text}
	}
	return object{
		"keyId":  header(headers.KeyID, "Public id of the merchant's key."),
		"secret": header(headers.Secret, "Raw secret of that key."),
		"signature": header(
			headers.Signature,
			"Hex HMAC-SHA256 of the body, raw or canonical, under the secret; of the empty string without a body.",
		),
		"signatureV2": header(
			auth.HeaderV2,
			"t=<unix seconds>,v1=<hex HMAC-SHA256 of t.uuid.body under the external payments secret>, good for five minutes.",
		),
		"bearer": object{"type": "http", "scheme": "bearer"},
	}
}

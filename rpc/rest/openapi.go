package rest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/rpc"
)

// descriptors are those of what is documented, with their comments, which
// generated code leaves out.
//
//go:embed descriptors.binpb
var descriptors []byte

// version is the version of the description.
const version = "1.0.0"

// About is what a description says about where the API is served.
type About struct {
	BaseURL string
	Headers auth.Headers
}

type object = map[string]any

// tags are the groups of operations, in reading order.
var tags = []struct{ name, description string }{
	{"Payments", "Payments of payers to a merchant, and appeals about them."},
	{"Card checkout", "The steps of a card payment, for pages of a merchant's own. The link's token is the access."},
	{"Payouts", "Payments to recipients, called payins in paths and fields. They take USDT from a cashbox."},
	{"Deposits", "Requests to bring USDT into a cashbox, and what it holds."},
	{"Withdrawals", "USDT of a cashbox that leave for an address of the merchant's address book."},
	{"Messages", "Messages of banks, which traders' phones forward."},
	{"Keys", "The API keys of a cashbox, for users of the merchant portal."},
	{"Operators", "Files for the operators of the gateway."},
	{"Sandbox", "What only a sandbox has: a clock to move, simulated traders, events on request. No key is needed."},
	{webhookTag, "Events that the gateway posts to the callbackUri of a payment or payout."},
}

const introduction = "Accept payments, pay out, and hear of every change by webhook.\n\n" +
	"A merchant's request is signed: `Signature` is the HMAC-SHA256 of its body in hexadecimal, under the secret of the " +
	"key; of the empty string where there is no body. Sign the bytes that you send.\n\n" +
	"A creation may be repeated safely under the same `orderId` or `idempotencyKey`: the answer is what was created " +
	"before, with the header `Idempotent-Replay: true`.\n\n" +
	"Every error has the same shape. Programs go by its `code`. All wrong fields are named at once."

// OpenAPI describes the documented paths as OpenAPI 3.1, from the routes, the
// messages with their comments and options, and the list of error codes.
func OpenAPI(services rpc.Services, about About) ([]byte, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	d := &description{comments: comments, headers: about.Headers, schemas: object{}, examples: object{}}
	paths := d.paths(routes(services))
	webhooks := d.webhooks()
	d.schemas["Error"] = d.errorSchema()
	document := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Merchant Payment Gateway", "version": version, "description": introduction,
			"license": object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
			"contact": object{"name": "The operator of this gateway", "url": about.BaseURL + "/docs"},
		},
		"servers":  []any{object{"url": about.BaseURL, "description": "This gateway"}},
		"tags":     d.tags(),
		"paths":    paths,
		"webhooks": webhooks,
		"components": object{
			"schemas": d.schemas, "examples": d.examples, "headers": headers,
			"securitySchemes": securitySchemes(about.Headers),
		},
	}
	if d.wrong != nil {
		return nil, d.wrong
	}
	return json.Marshal(document)
}

// description is a document that is being written.
type description struct {
	comments          *protoregistry.Files
	headers           auth.Headers
	schemas, examples object
	// codes are all codes of an operation's errors.
	codes []string
	// wrong is the first contradiction that was found.
	wrong error
}

// paths describes the routes in order.
func (d *description) paths(table []route) members {
	var paths members
	for _, t := range table {
		at := slices.IndexFunc(paths, func(one member) bool { return one.name == t.pattern })
		if at < 0 {
			at = len(paths)
			paths = append(paths, member{t.pattern, members{}})
		}
		methods, _ := paths[at].value.(members)
		paths[at].value = append(methods, member{strings.ToLower(t.method), d.operation(t)})
	}
	return paths
}

// complain keeps the first contradiction. The program does not start with one.
func (d *description) complain(format string, args ...any) {
	if d.wrong == nil {
		d.wrong = fmt.Errorf("description of the API: "+format, args...)
	}
}

func (d *description) tags() []any {
	var list []any
	for _, tag := range tags {
		list = append(list, object{"name": tag.name, "description": tag.description})
	}
	return list
}

// tag checks that a group is among the tags.
func (d *description) tag(name string) []string {
	for _, tag := range tags {
		if tag.name == name {
			return []string{name}
		}
	}
	d.complain("there is no tag %q", name)
	return nil
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

// comment is a descriptor's comment in the proto file.
func (d *description) comment(name protoreflect.FullName) string {
	found, err := d.comments.FindDescriptorByName(name)
	if err != nil {
		d.complain("%s is not among the descriptors: name it in rpc/generate.go", name)
		return ""
	}
	text := found.ParentFile().SourceLocations().ByDescriptor(found).LeadingComments
	return strings.Join(strings.Fields(text), " ")
}

// members are a JSON object whose names keep their order.
type members []member

type member struct {
	name  string
	value any
}

func (m members) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range m {
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(slices.Concat(out, name, []byte{':'}), value...)
	}
	return append(out, '}'), nil
}

func reference(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

func schemaReference(name string) object { return reference("schemas", name) }

// securitySchemes are all ways in which callers prove who they are; security
// names those of each operation. A gateway may have other names for the headers
// of keys, so they come from its settings.
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
		"applicationSignature": header(
			headers.Signature,
			"Hex HMAC-SHA256 of the body, raw or canonical, under the application's external-payments secret.",
		),
		"signatureV2": header(
			auth.HeaderV2,
			"t=<unix seconds>,v1=<hex HMAC-SHA256 of t.uuid.body under the external payments secret>, good for five minutes.",
		),
		"deviceKey":       header(bankmessage.KeyHeader, "Key of a trader's device."),
		"deviceSignature": header(bankmessage.SignatureHeader, "Hex HMAC-SHA256 of the body under that device's secret."),
		"bearer":          object{"type": "http", "scheme": "bearer", "description": "Token of a user's sign-in."},
	}
}

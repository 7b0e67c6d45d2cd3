package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
)

// Call is the content of an operation's page.
type Call struct {
	ID, Method, Path string
	Summary, Text    string
	Tag              string
	// Proof says how the caller is authenticated.
	Proof proof
	// Parameters are those of the path and the query, and Body the fields
	// of the body.
	Parameters []Field
	Body       []Field
	// Media is the body's type, "" without a body, and Example an indented
	// example.
	Media, Example string
	Answers        []Answer
	Codes          []Code
	Samples        []Sample
	places         map[string]string // of the parameters: path, query, pair
	examples       map[string]string // of the parameters
}

// proof is a way to authenticate callers.
type proof int

const (
	proofNone proof = iota
	proofKey
	proofApplication
	proofToken
	proofKeyOrToken
)

// String says it for people.
func (p proof) String() string {
	return [...]string{
		"No signature is needed. A token in the path is the access, where there is one.",
		"Signed with the key of a merchant.",
		"Signed with the application's external-payments secret.",
		"The bearer token of a signed-in user.",
		"Signed with the key of a merchant, or the bearer token of a signed-in user.",
	}[p]
}

// environment describes the environment variables that the samples read.
func (p proof) environment(base string) string {
	const ofKey = ", and `KEY_ID` and `SECRET` of the key"
	return "From the environment they read `BASE_URL`, here `" + base + "`" + [...]string{
		"", ofKey, ", and the application's `SECRET`", ", and `TOKEN`", ofKey,
	}[p] + "."
}

func (p proof) byKey() bool { return p == proofKey || p == proofKeyOrToken }

// Answer is a successful answer.
type Answer struct {
	Status, Text string
	Headers      []string
	Fields       []Field
	Example      string
}

// Code is an error code, with what to do about it.
type Code struct {
	Status                int
	Name, Meaning, Remedy string
}

// Group has the calls of a tag.
type Group struct {
	Name, Text string
	Calls      []*Call
}

// Event is a webhook.
type Event struct {
	Type, Summary, Text string
	Fields              []Field
	Example             string
}

// groups returns the calls by tag, in the order of the document.
func (d *document) groups() []Group {
	byTag := map[string][]*Call{}
	for _, path := range d.Paths {
		for _, one := range path.value {
			call := d.call(strings.ToUpper(one.name), path.name, one.value)
			byTag[call.Tag] = append(byTag[call.Tag], call)
		}
	}
	var list []Group
	for _, tag := range d.Tags {
		if calls := byTag[tag.Name]; len(calls) > 0 {
			list = append(list, Group{Name: tag.Name, Text: tag.Description, Calls: calls})
		}
	}
	return list
}

// call makes the page of an operation. A POST without a body is sent as an
// empty object. The description has one media type for each body.
func (d *document) call(method, path string, op *operation) *Call {
	call := &Call{
		ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Text: op.Description,
		Proof: proofOf(op), places: map[string]string{}, examples: map[string]string{},
	}
	if len(op.Tags) > 0 {
		call.Tag = op.Tags[0]
	}
	for _, p := range op.Parameters {
		field := Field{Name: p.Name, Required: p.Required, Text: p.Description}
		field.describe(p.Schema, false)
		call.Parameters = append(call.Parameters, field)
		call.places[p.Name] = p.In
		if p.Style == "deepObject" {
			call.places[p.Name] = pair
		}
		if len(p.Schema.Examples) > 0 {
			call.examples[p.Name] = shown(p.Schema.Examples[0])
		}
	}
	if op.RequestBody != nil {
		for media, body := range op.RequestBody.Content {
			call.Media, call.Body, call.Example = media, d.fields(body.Schema, ""), indented(body.Example)
		}
	} else if method == http.MethodPost {
		call.Media, call.Example = jsonMedia, "{}"
	}
	for _, answer := range op.Responses {
		d.add(call, answer.name, answer.value)
	}
	call.Samples = samples(call, d.headers())
	return call
}

const jsonMedia = "application/json"

// pair marks a parameter that a query writes as name[key]=value, in the form
// key=value.
const pair = "pair"

func shown(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// add adds an answer to a call; of an error it adds the codes.
func (d *document) add(call *Call, status string, one response) {
	body := one.Content[jsonMedia]
	if body.Schema != nil && len(body.Schema.AllOf) > 0 {
		for _, part := range body.Schema.AllOf {
			for _, property := range part.Properties {
				call.Codes = append(call.Codes, codes(values(property.value))...)
			}
		}
		return
	}
	answer := Answer{Status: status, Text: one.Description, Example: indented(body.Example)}
	for _, header := range one.Headers {
		answer.Headers = append(answer.Headers, header.name)
	}
	if body.Schema != nil {
		answer.Fields = d.fields(body.Schema, "")
	}
	call.Answers = append(call.Answers, answer)
}

// codes returns error codes by name, in the order of the list of codes.
func codes(names []string) []Code {
	var list []Code
	for _, code := range fault.Codes {
		if slices.Contains(names, code.Name) {
			list = append(list, Code{
				Status: edge.HTTPStatus(code.Kind), Name: code.Name, Meaning: code.Meaning, Remedy: code.PlainRemedy(),
			})
		}
	}
	return list
}

// allCodes are the codes that every call can return.
func (d *document) allCodes() []Code {
	for _, property := range d.Components.Schemas["Error"].Properties {
		if property.name == "code" {
			return codes(values(property.value))
		}
	}
	return nil
}

// errorFields are the fields of an error. Codes have a table of their own.
func (d *document) errorFields() []Field {
	list := d.fields(d.Components.Schemas["Error"], "")
	for i := range list {
		list[i].Values = nil
	}
	return list
}

// events returns the webhooks, in the order of the document.
func (d *document) events() []Event {
	var list []Event
	for _, one := range d.Webhooks {
		op := one.value.Post
		body := op.RequestBody.Content[jsonMedia]
		list = append(list, Event{
			Type: one.name, Summary: op.Summary, Text: op.Description, Fields: d.fields(body.Schema, ""),
			Example: indented(body.Example),
		})
	}
	return list
}

// proofOf returns how callers of an operation are authenticated. Calls that
// accept a key or a token are a kind of their own; other signatures, and no
// authentication, are none.
func proofOf(op *operation) proof {
	key, application, token := false, false, false
	for _, way := range op.Security {
		_, hasKey := way["keyId"]
		_, hasApplication := way["applicationSignature"]
		_, hasToken := way["bearer"]
		key, application, token = key || hasKey, application || hasApplication, token || hasToken
	}
	switch {
	case key && token:
		return proofKeyOrToken
	case key:
		return proofKey
	case application:
		return proofApplication
	case token:
		return proofToken
	}
	return proofNone
}

// base is the address of the API.
func (d *document) base() string {
	if len(d.Servers) == 0 {
		return ""
	}
	return d.Servers[0].URL
}

// headers are the names of the headers of a signed request.
func (d *document) headers() signedHeaders {
	name := func(scheme string) string { return d.Components.SecuritySchemes[scheme].Name }
	return signedHeaders{KeyID: name("keyId"), Secret: name("secret"), Signature: name("signature")}
}

// indented indents a JSON text. Other text stays as it is.
func indented(text []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return string(text)
	}
	return out.String()
}

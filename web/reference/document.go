package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// document is the part of the API's description that the pages need. JSON
// names differ from the fields' in their first letter only.
type document struct {
	Info     struct{ Description, Version string }
	Servers  []struct{ URL string }
	Tags     []struct{ Name, Description string }
	Paths    ordered[ordered[*operation]]
	Webhooks ordered[struct{ Post *operation }]

	Components struct {
		Schemas         map[string]*schema
		SecuritySchemes map[string]struct{ Name string }
	}
}

// operation is a call, or a webhook.
type operation struct {
	OperationID, Summary, Description string

	Tags        []string
	Security    []map[string][]string
	Parameters  []parameter
	RequestBody *struct{ Content map[string]content }
	Responses   ordered[response]
}

type parameter struct {
	Name, In, Style, Description string
	Required                     bool
	Schema                       *schema
}

type content struct {
	Schema  *schema
	Example json.RawMessage
}

type response struct {
	Description string
	Content     map[string]content
	Headers     ordered[any]
}

// schema describes a value.
type schema struct {
	Ref                          string `json:"$ref"`
	Type                         oneOrMore
	Format, Pattern, Description string
	Enum, Examples               []any
	Minimum, Maximum             *json.Number
	MinLength, MaxLength         int
	WriteOnly                    bool
	Properties                   ordered[*schema]
	Required                     []string
	Items, Not                   *schema
	AnyOf, OneOf, AllOf          []*schema
}

// oneOrMore are texts; in JSON a single one may stand without a list.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*o = make(oneOrMore, 1)
		return json.Unmarshal(text, &(*o)[0])
	}
	return json.Unmarshal(text, (*[]string)(o))
}

// ordered is a JSON object that keeps the order of its names.
type ordered[T any] []entry[T]

type entry[T any] struct {
	name  string
	value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		one := entry[T]{name: fmt.Sprint(name)}
		if err := decoder.Decode(&one.value); err != nil {
			return err
		}
		*o = append(*o, one)
	}
	return nil
}

func parse(description []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(description, d); err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	return d, nil
}

// resolve follows a reference.
func (d *document) resolve(s *schema) *schema {
	name, referred := strings.CutPrefix(s.Ref, "#/components/schemas/")
	if found := d.Components.Schemas[name]; referred && found != nil {
		return found
	}
	return s
}

package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// document is what the pages need of a description of the API.
type document struct {
	Info struct {
		Description string `json:"description"`
		Version     string `json:"version"`
	} `json:"info"`
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths    ordered[ordered[*operation]] `json:"paths"`
	Webhooks ordered[struct {
		Post *operation `json:"post"`
	}] `json:"webhooks"`
	Components struct {
		Schemas         map[string]*schema `json:"schemas"`
		SecuritySchemes map[string]struct {
			Name string `json:"name"`
		} `json:"securitySchemes"`
	} `json:"components"`
}

// operation is a call, or a webhook.
type operation struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Tags        []string              `json:"tags"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	RequestBody *struct {
		Content map[string]content `json:"content"`
	} `json:"requestBody"`
	Responses ordered[response] `json:"responses"`
}

type parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Required    bool    `json:"required"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

type content struct {
	Schema  *schema         `json:"schema"`
	Example json.RawMessage `json:"example"`
}

type response struct {
	Description string             `json:"description"`
	Content     map[string]content `json:"content"`
	Headers     ordered[any]       `json:"headers"`
}

// schema is what the description says of a value.
type schema struct {
	Ref         string           `json:"$ref"`
	Type        oneOrMore        `json:"type"`
	Format      string           `json:"format"`
	Pattern     string           `json:"pattern"`
	Enum        []any            `json:"enum"`
	Minimum     *json.Number     `json:"minimum"`
	Maximum     *json.Number     `json:"maximum"`
	MinLength   int              `json:"minLength"`
	MaxLength   int              `json:"maxLength"`
	Description string           `json:"description"`
	Examples    []any            `json:"examples"`
	WriteOnly   bool             `json:"writeOnly"`
	Properties  ordered[*schema] `json:"properties"`
	Required    []string         `json:"required"`
	Items       *schema          `json:"items"`
	AnyOf       []*schema        `json:"anyOf"`
	OneOf       []*schema        `json:"oneOf"`
	AllOf       []*schema        `json:"allOf"`
	Not         *schema          `json:"not"`
}

// oneOrMore are texts of which one may stand without a list.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*o = make(oneOrMore, 1)
		return json.Unmarshal(text, &(*o)[0])
	}
	return json.Unmarshal(text, (*[]string)(o))
}

// ordered is a JSON object whose names stay in their order.
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

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// description is what the tables need of docs/openapi.json.
type description struct {
	Webhooks map[string]struct {
		Post struct {
			Description string `json:"description"`
		} `json:"post"`
	} `json:"webhooks"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type schema struct {
	Ref         string     `json:"$ref"`
	AnyOf       []schema   `json:"anyOf"`
	Not         *struct{}  `json:"not"`
	Description string     `json:"description"`
	Required    []string   `json:"required"`
	Properties  properties `json:"properties"`
	Enum        []any      `json:"enum"`
	MinLength   int        `json:"minLength"`
	MaxLength   int        `json:"maxLength"`
	Type        jsonTypes  `json:"type"`
}

// jsonTypes are of no interest here, and are written in two ways.
type jsonTypes = json.RawMessage

// properties are the fields of a message in their order.
type properties []property

type property struct {
	name  string
	value schema
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *properties) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		one := property{name: fmt.Sprint(name)}
		if err := decoder.Decode(&one.value); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

func readDescription(root string) (description, error) {
	var d description
	content, err := os.ReadFile(filepath.Join(root, "docs", "openapi.json"))
	if err == nil {
		err = json.Unmarshal(content, &d)
	}
	if err != nil {
		return d, fmt.Errorf("read the description of the API: %w", err)
	}
	return d, nil
}

// fieldTable lists the fields that a request may have.
func (d description) fieldTable(message string) (string, error) {
	if _, known := d.Components.Schemas[message]; !known {
		return "", fmt.Errorf("docs/openapi.json has no message %s", message)
	}
	return table([]string{"field", "required", "meaning"}, d.fieldRows(message, "")), nil
}

// fieldRows lists a message's fields, and below a field that is a message the
// fields of that. A message that had itself as a field would have no end.
func (d description) fieldRows(message, prefix string) [][]string {
	described := d.Components.Schemas[message]
	var rows [][]string
	for _, field := range described.Properties {
		needed, text := "no", field.value.Description
		if slices.Contains(described.Required, field.name) {
			needed = "yes"
		}
		if field.value.Not != nil {
			needed = "never"
		}
		if inside := field.value.inside(); inside != "" {
			rows = append(rows, []string{code(prefix + field.name), needed, text})
			rows = append(rows, d.fieldRows(inside, prefix+field.name+".")...)
			continue
		}
		rows = append(rows, []string{code(prefix + field.name), needed, strings.TrimSpace(text + " " + field.value.values(text))})
	}
	return rows
}

// inside is the message that a field is, or "".
func (s schema) inside() string {
	ref := s.Ref
	for _, one := range s.AnyOf {
		ref += one.Ref
	}
	return strings.TrimPrefix(ref, "#/components/schemas/")
}

// values says what the text does not: which values there are, and how long a
// text may be.
func (s schema) values(text string) string {
	var list []string
	for _, value := range s.Enum {
		if value != nil {
			list = append(list, code(fmt.Sprint(value)))
		}
	}
	switch {
	case len(list) > 1 && !strings.Contains(text, list[0]):
		return "One of " + strings.Join(list, ", ") + "."
	case s.MaxLength > 0 && !strings.Contains(text, "characters"):
		return fmt.Sprintf("At most %d characters.", s.MaxLength)
	}
	return ""
}

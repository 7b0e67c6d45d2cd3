package reference

import (
	"fmt"
	"slices"
	"strings"
)

// Field is a row of a table of fields.
type Field struct {
	// Name is its path, such as payer.userId or data[].id.
	Name     string
	Type     string
	Required bool
	// Text explains it, and Rules says which values are valid.
	Text, Rules string
	// Values are the allowed values, if the list is closed.
	Values []string
	secret bool
}

// fields lists the fields of a message, followed by those of nested messages.
func (d *document) fields(s *schema, prefix string) []Field {
	s = d.resolve(s)
	var list []Field
	for _, property := range s.Properties {
		if property.value.Not != nil {
			list = append(list, Field{Name: prefix + property.name, Type: "not allowed", Text: property.value.Description})
			continue
		}
		inner, null := d.without(property.value)
		field := Field{
			Name: prefix + property.name, Text: property.value.Description, secret: inner.WriteOnly,
			Required: slices.Contains(s.Required, property.name),
		}
		field.describe(inner, null)
		below := inner
		if inner.Items != nil {
			below, field.Name = d.resolve(inner.Items), field.Name+"[]"
			field.Values = values(below)
		}
		list = append(list, field)
		list = append(list, d.fields(below, field.Name+".")...)
	}
	return list
}

// without returns a schema without null, and whether null was allowed.
func (d *document) without(s *schema) (*schema, bool) {
	if len(s.AnyOf) == 2 && slices.Contains(s.AnyOf[1].Type, "null") {
		return d.resolve(s.AnyOf[0]), true
	}
	return d.resolve(s), slices.Contains(s.Type, "null")
}

// describe sets a field's type and rules. Allowed values are left out if the
// text already names the first of them.
func (f *Field) describe(s *schema, null bool) {
	types := slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == "null" })
	for _, form := range s.OneOf {
		types = append(types, form.Type...)
	}
	f.Type = strings.Join(types, " or ")
	if s.Items != nil {
		f.Type = "list"
	}
	if s.Format != "" {
		f.Type += ", " + s.Format
	}
	if null {
		f.Type += ", or null"
	}
	f.Rules = rules(s)
	if list := values(s); len(list) > 0 && !strings.Contains(f.Text, "`"+list[0]+"`") {
		f.Values = list
	}
}

func values(s *schema) []string {
	var list []string
	for _, value := range s.Enum {
		if value != nil {
			list = append(list, fmt.Sprint(value))
		}
	}
	return list
}

// rules describes the limits of a value.
func rules(s *schema) string {
	var list []string
	switch {
	case s.MinLength > 0 && s.MaxLength > 0:
		list = append(list, fmt.Sprintf("%d to %d characters", s.MinLength, s.MaxLength))
	case s.MaxLength > 0:
		list = append(list, fmt.Sprintf("at most %d characters", s.MaxLength))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		list = append(list, fmt.Sprintf("%s to %s", *s.Minimum, *s.Maximum))
	case s.Minimum != nil:
		list = append(list, fmt.Sprintf("at least %s", *s.Minimum))
	}
	for _, form := range append([]*schema{s}, s.OneOf...) {
		if form.Pattern != "" {
			list = append(list, "`"+form.Pattern+"`")
		}
	}
	return strings.Join(list, "; ")
}

package view

import (
	"maps"
	"strconv"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Field is a field of a form as it is shown.
type Field struct {
	// Heading begins a section of the form at this field; it may be empty.
	Heading say.Phrase
	Name    string
	Label   say.Phrase
	Value   string
	// Hint says what to type, and Wrong is the mistake in what was typed;
	// both may be "".
	Hint, Wrong string
	// Type is the input's type; "" is text. Area makes it a text of several
	// lines.
	Type string
	Area bool
	// Max is the maximum length in characters; 0 is no maximum.
	Max                int
	Optional, Autofill bool
	// Suggest are values that are offered while the user types; others may
	// be typed as well.
	Suggest []string
	// Quiet is for an optional field that does not say so, such as a
	// filter.
	Quiet bool
	// More are further attributes of the input.
	More templ.Attributes
}

// TypeFile is the type of a field that takes a file. Its form is sent as
// multipart/form-data.
const TypeFile = "file"

func (f Field) max() string {
	if f.Max == 0 {
		return "255"
	}
	return strconv.Itoa(f.Max)
}

// attributes are the input's attributes except name and value.
func (f Field) attributes() templ.Attributes {
	all := templ.Attributes{}
	if !f.Area {
		all["type"] = "text"
		if f.Type != "" {
			all["type"] = f.Type
		}
		if f.Type != TypeFile {
			all["maxlength"], all["value"] = f.max(), f.Value
		}
	}
	if !f.Optional && !f.Quiet {
		all["required"] = true
	}
	if len(f.Suggest) > 0 {
		all["list"] = f.Name + "-list"
	}
	described := ""
	if f.Hint != "" {
		described = f.Name + "-hint"
	}
	if f.Wrong != "" {
		all["aria-invalid"] = "true"
		described += " " + f.Name + "-wrong"
	}
	if described != "" {
		all["aria-describedby"] = described
	}
	maps.Copy(all, f.More)
	return all
}

// Choice is a field in which options are offered.
type Choice struct {
	Name    string
	Label   say.Phrase
	Value   string
	Options []Option
	Wrong   string
}

// Option is one of a choice.
type Option struct{ Value, Text string }

// Number formats a number for addresses.
func Number(id int64) string { return strconv.FormatInt(id, 10) }

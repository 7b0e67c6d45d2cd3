package view

import (
	"maps"
	"strconv"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Field is a field of a form as it is shown.
type Field struct {
	// Heading begins a part of the form with this field; it is empty where none begins.
	Heading say.Phrase
	Name    string
	Label   say.Phrase
	Value   string
	// Hint says what to type, Wrong what is wrong with what was typed; both may be "".
	Hint, Wrong string
	// Type is the input's; "" is text. Area makes it several lines.
	Type string
	Area bool
	// Max is how many characters may be typed; 0 leaves it open.
	Max                int
	Optional, Autofill bool
	// Suggest are values that are offered while something is typed; others may be typed as well.
	Suggest []string
	// Quiet is optional and does not say so, as the fields of filters, which all are.
	Quiet bool
	// More are other attributes of the input.
	More templ.Attributes
}

// TypeFile is the type of a field that takes a file. Its form is sent as multipart/form-data.
const TypeFile = "file"

func (f Field) max() string {
	if f.Max == 0 {
		return "255"
	}
	return strconv.Itoa(f.Max)
}

// attributes are those of the input beside its name and value.
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

// Choice is a field of a form that offers options.
type Choice struct {
	Name    string
	Label   say.Phrase
	Value   string
	Options []Option
	Wrong   string
}

// Option is one of a choice.
type Option struct{ Value, Text string }

// Number is a number as addresses have it.
func Number(id int64) string { return strconv.FormatInt(id, 10) }

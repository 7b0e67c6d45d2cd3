package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// clientFiles are the clients whose types have the fields of docs/openapi.json
// between marks of their own:
//
//	# generated: required CreatePayinRequest without currency
//	# end
//
// "required" and "optional" take only those fields that are always there, or
// are not. What stands after "without" is written by hand beside the marks, or
// not at all.
var clientFiles = map[string]func(file, message string, f property, required bool) string{
	"rpc/python/gateway.py": pythonField,
	"rpc/php/gateway.php":   phpField,
}

var clientMark = regexp.MustCompile(`(?ms)^([ ]*)(#|//) generated: (?:(required|optional) )?(\w+)(?: without ([\w ]+))?\n(.*?)^[ ]*(?:#|//) end$`)

// clientTypes are the clients, as they are and as they should be.
func clientTypes(root string, d description, pages map[string]page) error {
	for path, line := range clientFiles {
		path = filepath.Join(root, path)
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a client: %w", err)
		}
		var wrong error
		now := string(content)
		generated := clientMark.ReplaceAllStringFunc(now, func(block string) string {
			mark := clientMark.FindStringSubmatch(block)
			fields, err := d.fieldsOf(mark[4], mark[3], strings.Fields(mark[5]))
			if err != nil {
				wrong = fmt.Errorf("%s: %w", path, err)
			}
			head, _, _ := strings.Cut(block, "\n")
			lines := []string{head}
			for _, f := range fields {
				needed := slices.Contains(d.Components.Schemas[mark[4]].Required, f.name)
				lines = append(lines, mark[1]+line(now, mark[4], f, needed))
			}
			return strings.Join(append(lines, mark[1]+mark[2]+" end"), "\n")
		})
		if wrong != nil {
			return wrong
		}
		pages[path] = page{now: now, generated: generated}
	}
	return nil
}

// fieldsOf are the fields of a message but those named: all of them, those that
// are required, or the others. Those that can be null or left out come last.
func (d description) fieldsOf(message, which string, without []string) ([]property, error) {
	described, known := d.Components.Schemas[message]
	if !known {
		return nil, fmt.Errorf("docs/openapi.json has no message %s", message)
	}
	for _, name := range without {
		if !slices.ContainsFunc(described.Properties, func(f property) bool { return f.name == name }) {
			return nil, fmt.Errorf("%s has no field %s", message, name)
		}
	}
	var always, other []property
	for _, f := range described.Properties {
		required := slices.Contains(described.Required, f.name)
		switch {
		case slices.Contains(without, f.name), which == "required" && !required, which == "optional" && required:
		case required && !f.value.nullable():
			always = append(always, f)
		default:
			other = append(other, f)
		}
	}
	return append(always, other...), nil
}

func (s schema) nullable() bool {
	return strings.Contains(string(s.Type), `"null"`) || len(s.AnyOf) > 0
}

// kind is the JSON type of a value, and "" of a message. A number that may be a
// text is one.
func (s schema) kind() string {
	for _, kind := range []string{"string", "integer", "number", "boolean", "object", "array"} {
		if strings.Contains(string(s.Type), `"`+kind+`"`) {
			return kind
		}
	}
	if s.inside() == "" {
		return "string"
	}
	return ""
}

// pythonField is a field of a TypedDict. A closed list has the name that the
// file gives it.
func pythonField(file, _ string, f property, _ bool) string {
	kinds := map[string]string{
		"string": "str", "integer": "int", "number": "Decimal", "boolean": "bool", "object": "Dict[str, str]", "array": "List[Any]",
	}
	kind := kinds[f.value.kind()]
	if inside := f.value.inside(); inside != "" {
		if kind = "Dict[str, Any]"; strings.Contains(file, "\nclass "+inside+"(") {
			kind = inside
		}
	}
	if list := f.value.literals(); list != "" {
		kind = "Literal[" + list + "]"
		if alias := regexp.MustCompile(`(?m)^(\w+) = ` + regexp.QuoteMeta(kind) + `$`).FindStringSubmatch(file); alias != nil {
			kind = alias[1]
		}
	}
	if f.value.nullable() {
		kind = "Optional[" + kind + "]"
	}
	return f.name + ": " + kind
}

// literals are the values of a closed list.
func (s schema) literals() string {
	var list []string
	for _, value := range s.Enum {
		if value != nil {
			list = append(list, fmt.Sprintf("%q", value))
		}
	}
	return strings.Join(list, ", ")
}

// phpField is an argument of a call, or a property of an answer.
func phpField(file, message string, f property, required bool) string {
	kinds := map[string]string{
		"string": "string", "integer": "int", "number": "string", "boolean": "bool", "object": "array", "array": "array",
	}
	kind, given := kinds[f.value.kind()], ""
	if inside := f.value.inside(); inside != "" {
		if kind = "array"; strings.Contains(file, "\nfinal class "+inside+" extends Record") {
			kind = inside
		}
	}
	if !required || f.value.nullable() {
		kind, given = "?"+kind, " = null"
	}
	if !strings.HasSuffix(message, "Request") {
		kind = "public readonly " + kind
	}
	return kind + " $" + f.name + given + ","
}

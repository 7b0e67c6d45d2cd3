package proposal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Detail is a field of a proposed action.
type Detail struct {
	// Name is the field's name in the log of settings, such as
	// share_percent. A nested field has both names. A Value of "" clears
	// the field.
	Name, Value string
}

// Details lists the fields that are set, in order, without secrets. A field
// that is null stays as it is, and is left out. Fields that only go with the
// change, such as the version that was read, are left out of the JSON if
// empty. All others are shown, because 0 and "" are values that somebody
// approves.
func (p Proposal) Details() []Detail {
	content, err := json.Marshal(p.Params)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var list []Detail
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil // one number: the subject says all
	}
	flatten(decoder, "", &list)
	return list
}

// flatten reads the fields of an object, after its first brace, into a list.
func flatten(decoder *json.Decoder, within string, list *[]Detail) {
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return
		}
		name := strings.TrimPrefix(within+"."+snake(fmt.Sprint(key)), ".")
		value, err := decoder.Token()
		switch {
		case err != nil:
			return
		case value == json.Delim('{'):
			flatten(decoder, name, list)
		case value == json.Delim('['):
			var items []string
			for decoder.More() {
				item, err := decoder.Token()
				if err != nil {
					return
				}
				items = append(items, fmt.Sprint(item))
			}
			_, _ = decoder.Token()
			*list = append(*list, Detail{name, strings.Join(items, ", ")})
		case value == nil:
		default:
			*list = append(*list, Detail{name, fmt.Sprint(value)})
		}
	}
	_, _ = decoder.Token() // the last brace
}

var word = regexp.MustCompile(`API|[A-Z]+(?:[a-z]+|$)|[A-Z][a-z]*|[a-z]+|[0-9]+`)

// snake writes a name of Go with underscores: FiatPerUSDT becomes
// fiat_per_usdt.
func snake(name string) string {
	return strings.ToLower(strings.Join(word.FindAllString(name, -1), "_"))
}

// Package strictjson reads JSON and forgives nothing: numbers stay as written, duplicate names stay
// visible, and strings that encoding/json would quietly repair carry their flaw.
package strictjson

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep arrays and objects may nest; the outermost counts as one.
const MaxDepth = 32

// ErrTooDeep is returned for a document nested deeper than MaxDepth.
var ErrTooDeep = errors.New("nested too deep")

// SyntaxError says where a document stops being JSON. It repeats nothing of the document, which may
// hold secrets.
type SyntaxError struct {
	// Offset is the index of the first byte that cannot be there; the document's length when more
	// was expected.
	Offset int
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("syntax error at byte %d", e.Offset) }

// Kind is what a Value is.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value.
type Value struct {
	Kind Kind
	// Text is a string's unescaped text, or the literal of a number or boolean as it was written.
	Text string
	// Flaw is what makes a String unusable, worded to follow the field's name; Text then has U+FFFD
	// in those places.
	Flaw string
	// Items are an Array's elements.
	Items []Value
	// Members are an Object's members in their own order, duplicates included.
	Members []Member
}

// Member is one name and value of an object. The name is a String and may have a flaw like any
// other.
type Member struct {
	Name  Value
	Value Value
}

// Parse reads exactly one JSON value, in time linear in the document. The error is ErrTooDeep or a
// *SyntaxError.
func Parse(document []byte) (Value, error) {
	r := NewReader(document)
	v := r.whole()
	if err := r.End(); err != nil {
		return Value{}, err
	}
	return v, nil
}

// whole reads the next value with all that is inside it.
func (r *Reader) whole() Value {
	v := r.Next().value()
	switch v.Kind {
	case Object:
		for name, ok := r.Member(); ok; name, ok = r.Member() {
			v.Members = append(v.Members, Member{Name: name.value(), Value: r.whole()})
		}
	case Array:
		for r.Item() {
			v.Items = append(v.Items, r.whole())
		}
	default: // the other kinds have nothing inside
	}
	return v
}

func (t Token) value() Value { return Value{Kind: t.Kind, Text: t.Text, Flaw: t.Flaw} }

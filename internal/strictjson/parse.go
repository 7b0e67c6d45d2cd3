// Package strictjson parses JSON strictly: numbers stay as written, duplicate
// names stay visible, and strings that encoding/json would silently repair are
// marked.
package strictjson

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep arrays and objects may nest, including the outermost.
const MaxDepth = 32

// ErrTooDeep is returned for a document nested deeper than MaxDepth.
var ErrTooDeep = errors.New("nested too deep")

// SyntaxError says where a document stops being JSON. It quotes nothing of the
// document, which may contain secrets.
type SyntaxError struct {
	// Offset is the index of the first wrong byte, or the document's length
	// if it is incomplete.
	Offset int
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("syntax error at byte %d", e.Offset) }

// Kind is the kind of a Value.
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
	// Text is a string's unescaped text, or a number or boolean as written.
	Text string
	// Flaw is why a String is unusable, in words that follow the field's
	// name. Text has U+FFFD in those places.
	Flaw string
	// Items are an Array's elements.
	Items []Value
	// Members are an Object's members in order, with duplicates.
	Members []Member
}

// Member is one name and value of an object. The name is a String and may have
// a flaw like any other.
type Member struct {
	Name  Value
	Value Value
}

// Parse parses exactly one JSON value, in linear time. The error is ErrTooDeep
// or a *SyntaxError.
func Parse(document []byte) (Value, error) {
	r := NewReader(document)
	v := r.whole()
	if err := r.End(); err != nil {
		return Value{}, err
	}
	return v, nil
}

// whole reads the next value with everything inside it.
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

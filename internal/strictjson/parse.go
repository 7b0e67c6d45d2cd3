// Package strictjson parses JSON and forgives nothing: numbers stay as written, duplicate names stay visible, and
// strings that encoding/json would quietly repair carry their flaw.
package strictjson

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep arrays and objects may nest; the outermost counts as one.
const MaxDepth = 32

// ErrTooDeep is returned for a document nested deeper than MaxDepth.
var ErrTooDeep = errors.New("nested too deep")

// SyntaxError says where a document stops being JSON. It repeats nothing of the document, which may hold secrets.
type SyntaxError struct {
	// Offset is the index of the first byte that cannot be there; the document's length when more was expected.
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
	// Flaw is what makes a String unusable, worded to follow the field's name; Text then has U+FFFD in those places.
	Flaw string
	// Items are an Array's elements.
	Items []Value
	// Members are an Object's members in their own order, duplicates included.
	Members []Member
}

// Member is one name and value of an object. The name is a String and may have a flaw like any other.
type Member struct {
	Name  Value
	Value Value
}

// Parse reads exactly one JSON value, in time linear in the document. The error is ErrTooDeep or a *SyntaxError.
func Parse(document []byte) (Value, error) {
	p := parser{data: document}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.pos != len(p.data) {
		return Value{}, p.unexpected()
	}
	return v, nil
}

type parser struct {
	data []byte
	pos  int
}

func (p *parser) unexpected() error { return &SyntaxError{Offset: p.pos} }

// peek returns the next byte, or 0 at the end; a 0 in the document itself fits no rule either.
func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) space() {
	for c := p.peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = p.peek() {
		p.pos++
	}
}

// accept consumes c if it comes next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// token is accept after optional white space.
func (p *parser) token(c byte) bool {
	p.space()
	return p.accept(c)
}

func (p *parser) value(depth int) (Value, error) {
	p.space()
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '"':
		return p.text()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	default:
		return p.word()
	}
}

func (p *parser) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	if depth > MaxDepth {
		return v, ErrTooDeep
	}
	p.pos++
	for closed := p.token('}'); !closed; {
		m, err := p.member(depth)
		if err != nil {
			return v, err
		}
		v.Members = append(v.Members, m)
		if closed = p.token('}'); !closed && !p.accept(',') {
			return v, p.unexpected()
		}
	}
	return v, nil
}

func (p *parser) member(depth int) (m Member, err error) {
	if p.space(); p.peek() != '"' {
		return m, p.unexpected()
	}
	if m.Name, err = p.text(); err != nil {
		return m, err
	}
	if !p.token(':') {
		return m, p.unexpected()
	}
	m.Value, err = p.value(depth)
	return m, err
}

func (p *parser) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	if depth > MaxDepth {
		return v, ErrTooDeep
	}
	p.pos++
	for closed := p.token(']'); !closed; {
		item, err := p.value(depth)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
		if closed = p.token(']'); !closed && !p.accept(',') {
			return v, p.unexpected()
		}
	}
	return v, nil
}

func (p *parser) number() (Value, error) {
	start := p.pos
	p.accept('-')
	if !p.accept('0') && !p.digits() {
		return Value{}, p.unexpected()
	}
	if p.accept('.') && !p.digits() {
		return Value{}, p.unexpected()
	}
	if p.accept('e') || p.accept('E') {
		_ = p.accept('+') || p.accept('-')
		if !p.digits() {
			return Value{}, p.unexpected()
		}
	}
	return Value{Kind: Number, Text: string(p.data[start:p.pos])}, nil
}

func (p *parser) digits() bool {
	start := p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.pos > start
}

func (p *parser) word() (Value, error) {
	for _, v := range [...]Value{{Kind: Null, Text: "null"}, {Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"}} {
		if end := p.pos + len(v.Text); end <= len(p.data) && string(p.data[p.pos:end]) == v.Text {
			p.pos = end
			return v, nil
		}
	}
	return Value{}, p.unexpected()
}

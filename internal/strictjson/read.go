package strictjson

import "strings"

// Token is a name, or a value without what is inside it: for an Object or Array
// it is the beginning.
type Token struct {
	Kind Kind
	// Text and Flaw are those of a Value.
	Text, Flaw string
}

// Reader reads a document once, from beginning to end, and keeps nothing of it.
// After beginning an object or array the caller must read it to its end. After
// an error there is nothing more to read, and End returns it.
type Reader struct {
	// data is the document. Texts without escapes share its memory.
	data       string
	pos, depth int
	// entered says that an object or array has just begun: its first value
	// has no comma before it.
	entered bool
	err     error
}

// NewReader reads a document of exactly one JSON value, in linear time.
func NewReader(document []byte) *Reader { return &Reader{data: string(document)} }

// End returns what is wrong with the document, after reading: nil, ErrTooDeep
// or a *SyntaxError.
func (r *Reader) End() error {
	if r.space(); r.err == nil && r.pos != len(r.data) {
		r.fail()
	}
	return r.err
}

// Next reads the next value; after an error, a null.
func (r *Reader) Next() Token {
	if r.err != nil {
		return Token{}
	}
	r.space()
	switch c := r.peek(); {
	case c == '{':
		return r.enter(Object)
	case c == '[':
		return r.enter(Array)
	case c == '"':
		return r.text()
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	default:
		return r.word()
	}
}

// Member reads the name of the object's next member, whose value comes next, or
// reports the end of the object.
func (r *Reader) Member() (name Token, ok bool) {
	if !r.another('}') {
		return name, false
	}
	if r.space(); r.peek() != '"' {
		return r.fail(), false
	}
	if name = r.text(); r.err == nil && !r.token(':') {
		r.fail()
	}
	return name, r.err == nil
}

// Item reports whether the array has another item, which comes next.
func (r *Reader) Item() bool { return r.another(']') }

func (r *Reader) enter(kind Kind) Token {
	if r.depth++; r.depth > MaxDepth {
		r.err = ErrTooDeep
		return Token{}
	}
	r.pos++
	r.entered = true
	return Token{Kind: kind}
}

// another ends the object or array if it is closed here, or goes to its next
// value.
func (r *Reader) another(closing byte) bool {
	first := r.entered
	r.entered = false
	switch {
	case r.err != nil:
		return false
	case r.token(closing):
		r.depth--
		return false
	case !first && !r.accept(','):
		r.fail()
		return false
	}
	return true
}

// fail notes that the next byte is wrong.
func (r *Reader) fail() Token {
	r.err = &SyntaxError{Offset: r.pos}
	return Token{}
}

// peek returns the next byte, or 0 at the end; a 0 in the document is wrong
// anyway.
func (r *Reader) peek() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

func (r *Reader) space() {
	for c := r.peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = r.peek() {
		r.pos++
	}
}

// accept reads c if it is next.
func (r *Reader) accept(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.pos++
	return true
}

// token is accept after white space.
func (r *Reader) token(c byte) bool {
	r.space()
	return r.accept(c)
}

// number reads a number by the grammar of JSON, which has no leading zeros and
// no plus sign in front. It keeps the digits as text, because a float would
// lose some.
func (r *Reader) number() Token {
	start := r.pos
	r.accept('-')
	if !r.accept('0') && !r.digits() {
		return r.fail()
	}
	if r.accept('.') && !r.digits() {
		return r.fail()
	}
	if r.accept('e') || r.accept('E') {
		_ = r.accept('+') || r.accept('-')
		if !r.digits() {
			return r.fail()
		}
	}
	return Token{Kind: Number, Text: r.data[start:r.pos]}
}

func (r *Reader) digits() bool {
	start := r.pos
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.pos++
	}
	return r.pos > start
}

func (r *Reader) word() Token {
	for _, word := range [...]Token{{Kind: Null, Text: "null"}, {Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"}} {
		if strings.HasPrefix(r.data[r.pos:], word.Text) {
			r.pos += len(word.Text)
			return word
		}
	}
	return r.fail()
}

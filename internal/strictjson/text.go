package strictjson

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	flawUTF8      = "must be valid UTF-8"
	flawSurrogate = "must not contain a lone surrogate"
)

// text reads a string: first to its end, checking each escape's form, then unescaping what lies between.
func (p *parser) text() (Value, error) {
	p.pos++
	start := p.pos
	for {
		switch c := p.peek(); {
		case c == '"':
			p.pos++
			return textValue(p.data[start : p.pos-1]), nil
		case c < ' ': // also the end of the document
			return Value{}, p.unexpected()
		case c == '\\':
			if !p.escape() {
				return Value{}, p.unexpected()
			}
		default:
			p.pos++
		}
	}
}

// escape skips one escape sequence, or stays at the byte that spoils it.
func (p *parser) escape() bool {
	p.pos++
	c := p.peek()
	if c != 'u' {
		ok := c != 0 && strings.IndexByte(`"\/bfnrt`, c) >= 0
		if ok {
			p.pos++
		}
		return ok
	}
	p.pos++
	for range 4 {
		if _, ok := unhex(p.peek()); !ok {
			return false
		}
		p.pos++
	}
	return true
}

func textValue(raw []byte) Value {
	v := Value{Kind: String}
	switch {
	case !utf8.Valid(raw):
		v.Text, v.Flaw = strings.ToValidUTF8(string(raw), "\uFFFD"), flawUTF8
	case bytes.IndexByte(raw, '\\') < 0:
		v.Text = string(raw)
	default:
		v.Text, v.Flaw = unescape(raw)
	}
	return v
}

// unescape undoes escapes whose form has been checked.
func unescape(raw []byte) (text, flaw string) {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		switch {
		case raw[0] != '\\':
			plain := bytes.IndexByte(raw, '\\')
			if plain < 0 {
				plain = len(raw)
			}
			out = append(out, raw[:plain]...)
			raw = raw[plain:]
		case raw[1] != 'u':
			out = append(out, short(raw[1]))
			raw = raw[2:]
		default:
			r, size := unicodeEscape(raw)
			if r == utf8.RuneError && size == 0 {
				flaw, size = flawSurrogate, len(`\uXXXX`)
			}
			out = utf8.AppendRune(out, r)
			raw = raw[size:]
		}
	}
	return string(out), flaw
}

// short is what the letter of a two-byte escape stands for.
func short(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}

// unicodeEscape reads the \uXXXX that raw begins with, and its other half where it is a surrogate. A size of 0 is a
// lone surrogate.
func unicodeEscape(raw []byte) (r rune, size int) {
	r = hex4(raw[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) < 12 || raw[6] != '\\' || raw[7] != 'u' {
		return utf8.RuneError, 0
	}
	if r = utf16.DecodeRune(r, hex4(raw[8:])); r == utf8.RuneError {
		return r, 0
	}
	return r, 12
}

func hex4(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		digit, _ := unhex(c)
		r = r<<4 | digit
	}
	return r
}

func unhex(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// AppendString appends text as a JSON string with only the escapes that JSON needs: quote, backslash and control
// characters, these in their short form or as \u00xx in lower case. Invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	dst = append(dst, '"')
	from := 0
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, text[from:i]...), c)
			from = i + 1
		}
	}
	return append(append(dst, text[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
	}
}

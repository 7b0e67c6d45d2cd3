package strictjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	flawUTF8      = "must be valid UTF-8"
	flawSurrogate = "must not contain a lone surrogate"
)

// text reads a string: it first finds the end and checks each escape's form,
// and then unescapes.
func (r *Reader) text() Token {
	r.pos++
	start := r.pos
	for {
		switch c := r.peek(); {
		case c == '"':
			r.pos++
			return textToken(r.data[start : r.pos-1])
		case c < ' ': // also the end of the document
			return r.fail()
		case c == '\\':
			if !r.escape() {
				return r.fail()
			}
		default:
			r.pos++
		}
	}
}

// escape skips one escape sequence, or stays at the byte that is wrong.
func (r *Reader) escape() bool {
	r.pos++
	c := r.peek()
	if c != 'u' {
		ok := c != 0 && strings.IndexByte(`"\/bfnrt`, c) >= 0
		if ok {
			r.pos++
		}
		return ok
	}
	r.pos++
	for range 4 {
		if _, ok := unhex(r.peek()); !ok {
			return false
		}
		r.pos++
	}
	return true
}

// textToken is a string whose escapes have the right form. One that cannot be
// decoded is no error of the document but a flaw of the token, whose text is
// then only fit to be shown.
func textToken(raw string) Token {
	t := Token{Kind: String}
	switch {
	case !utf8.ValidString(raw):
		t.Text, t.Flaw = strings.ToValidUTF8(raw, "\uFFFD"), flawUTF8
	case strings.IndexByte(raw, '\\') < 0:
		t.Text = raw
	default:
		t.Text, t.Flaw = unescape(raw)
	}
	return t
}

// unescape decodes escapes whose form was checked.
func unescape(raw string) (text, flaw string) {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		switch {
		case raw[0] != '\\':
			plain := strings.IndexByte(raw, '\\')
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

// short is the meaning of the letter of a two-byte escape.
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

// unicodeEscape decodes the \uXXXX at the beginning of raw, with its other half
// if it is a surrogate. A size of 0 is a lone surrogate.
func unicodeEscape(raw string) (r rune, size int) {
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

func hex4(digits string) (r rune) {
	for i := range 4 {
		digit, _ := unhex(digits[i])
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

// AppendString appends text as a JSON string with only the escapes that JSON
// needs: quote, backslash and control characters, these in their short form or
// as \u00xx in lower case. Invalid UTF-8 becomes U+FFFD.
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

// appendEscape appends the escape of a quotation mark, a backslash or a control
// character, in its short form if it has one.
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

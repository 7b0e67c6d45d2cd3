package signature

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/unicode/norm"
)

// candidate is a text that may have been signed, or used as the key, by
// mistake.
type candidate struct {
	mistake Mistake
	bytes   []byte
	// form says that it is a form of the body, which can be compared byte
	// by byte.
	form bool
}

const (
	// searchedMost is the longest body, with its path, for which everything
	// is tried, since that makes hundreds of copies. Bodies of our calls
	// are far shorter.
	searchedMost = 8 << 10
	// How many headers, and how long, may be tried as a signed time.
	timesMost, timeLongest = 30, 128
)

// isLong reports whether a request is too long to try everything.
func (c checkup) isLong() bool { return len(c.Body)+len(c.Path) > searchedMost }

// contents are what may have been signed instead of the body, the simplest
// first.
func (c checkup) contents() []candidate {
	if c.isLong() {
		return broken(c.Body)
	}
	if len(c.Body) == 0 {
		return append(placeholders(), append(c.places(), c.times()...)...)
	}
	list := []candidate{{mistake: NoBody}}
	for _, text := range append([][]byte{c.Body}, canonicalForms(c.Body)...) {
		list = append(list, broken(text)...)
	}
	list = append(list, encodings(c.Body)...)
	list = append(list, c.derived()...)
	list = append(list, c.places()...)
	list = append(list, c.times()...)
	return append(list, restyled(c.Body)...)
}

// placeholders are what libraries sign if there is no body.
func placeholders() []candidate {
	var list []candidate
	for _, text := range []string{"{}", "[]", "null", `""`, "undefined", "None", " ", "\n", "\r\n", "false"} {
		list = append(list, candidate{mistake: SignedNone, bytes: []byte(text)})
	}
	return list
}

var mark = []byte("\xef\xbb\xbf")

// broken are forms with other line breaks, or with the mark that some editors
// begin a file with.
func broken(text []byte) []candidate {
	bare := bytes.TrimRight(text, "\r\n")
	lf := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	return []candidate{
		{LineBreak, join(text, []byte("\n")), true},
		{LineBreak, join(text, []byte("\r\n")), true},
		{LineBreak, bare, true},
		{LineBreak, bytes.TrimSpace(text), true},
		{LineEndings, lf, true},
		{LineEndings, bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")), true},
		{LineEndings, bytes.ReplaceAll(lf, []byte("\n"), nil), true},
		{ByteOrder, join(mark, text), true},
		{ByteOrder, bytes.TrimPrefix(text, mark), true},
	}
}

// encodings are the body's text in other encodings and normal forms.
func encodings(body []byte) []candidate {
	var list []candidate
	add := func(text []byte, err error) {
		if err == nil && !bytes.Equal(text, body) {
			list = append(list, candidate{Encoding, text, true})
		}
	}
	for _, one := range []encoding.Encoding{
		charmap.Windows1251, charmap.Windows1252, charmap.ISO8859_1, charmap.Windows1254, charmap.KOI8R,
		unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	} {
		add(one.NewEncoder().Bytes(body))
		add(one.NewDecoder().Bytes(body))
	}
	if utf8.Valid(body) {
		add(norm.NFC.Bytes(body), nil)
		add(norm.NFD.Bytes(body), nil)
	}
	add(bytes.ToValidUTF8(body, []byte("\uFFFD")), nil)
	return list
}

// derived are what some programs turn a body into before they sign it.
func (c checkup) derived() []candidate {
	twice, _ := json.Marshal(string(c.Body)) // a text never fails
	hash := sha256.Sum256(c.Body)
	list := []candidate{
		{mistake: EncodedTwice, bytes: twice}, {mistake: EncodedTwice, bytes: []byte(strconv.Quote(string(c.Body)))},
		{mistake: HashedBody, bytes: hash[:]}, {mistake: HashedBody, bytes: []byte(hex.EncodeToString(hash[:]))},
		{mistake: HashedBody, bytes: []byte(base64.StdEncoding.EncodeToString(hash[:]))},
		{mistake: EncodedTwice, bytes: []byte(base64.StdEncoding.EncodeToString(c.Body))},
	}
	var text string
	if json.Unmarshal(c.Body, &text) == nil {
		list = append(list, candidate{mistake: EncodedTwice, bytes: []byte(text)})
	}
	return list
}

// places are the method, path and query, with and without the body.
func (c checkup) places() []candidate {
	if c.Path == "" {
		return nil
	}
	path, query, _ := strings.Cut(c.Path, "?")
	method, host := c.Method, c.Header.Get("Host")
	var list []candidate
	for _, place := range []string{
		c.Path, path, query, "?" + query, method, method + path, method + c.Path, method + " " + c.Path,
		"https://" + host + c.Path, "http://" + host + c.Path, host + c.Path,
	} {
		if place == "" || place == "?" {
			continue
		}
		for _, between := range []string{"", "\n", ".", ":", "|", " "} {
			list = append(list, joined(SignedPath, place, between, c.Body)...)
		}
	}
	for _, between := range []string{"\n", "|", ":", "."} {
		text := strings.Join([]string{method, path, string(c.Body)}, between)
		list = append(list, candidate{mistake: SignedPath, bytes: []byte(text)})
	}
	return list
}

// times are headers such as a timestamp, with the body.
func (c checkup) times() []candidate {
	var list []candidate
	tried := 0
	for _, name := range slices.Sorted(maps.Keys(c.Header)) {
		if name == http.CanonicalHeaderKey(c.names.Secret) || name == http.CanonicalHeaderKey(c.names.Signature) {
			continue
		}
		for _, value := range c.Header[name] {
			if tried++; tried > timesMost || len(value) > timeLongest {
				continue
			}
			for _, between := range []string{"", "\n", ".", ":", "|"} {
				list = append(list, joined(SignedTime, value, between, c.Body)...)
			}
		}
	}
	id, at := c.Header.Get("Webhook-Id"), c.Header.Get("Webhook-Timestamp")
	return append(list, candidate{mistake: SignedTime, bytes: []byte(id + "." + at + "." + string(c.Body))})
}

// joined are a text before and after a body, and alone.
func joined(m Mistake, text, between string, body []byte) []candidate {
	return []candidate{
		{mistake: m, bytes: []byte(text + between + string(body))},
		{mistake: m, bytes: []byte(string(body) + between + text)},
		{mistake: m, bytes: []byte(text)},
	}
}

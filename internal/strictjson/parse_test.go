package strictjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"gateway.example/internal/testenv"
)

func str(text string) Value                { return Value{Kind: String, Text: text} }
func num(literal string) Value             { return Value{Kind: Number, Text: literal} }
func flawed(text, flaw string) Value       { return Value{Kind: String, Text: text, Flaw: flaw} }
func member(name string, val Value) Member { return Member{Name: str(name), Value: val} }

func TestParse(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]Value{
		` null `:                  {Kind: Null, Text: "null"},
		`true`:                    {Kind: Bool, Text: "true"},
		"\tfalse\r\n":             {Kind: Bool, Text: "false"},
		`-0`:                      num("-0"),
		`100.10`:                  num("100.10"),
		`1E+05`:                   num("1E+05"),
		`12345678901234567890123`: num("12345678901234567890123"),
		`""`:                      str(""),
		`"\"\\\/\b\f\n\r\t"`:      str("\"\\/\b\f\n\r\t"),
		`"a\u00e9\u0000b"`:        str("aé\x00b"),
		`"\uD83D\ude00!"`:         str("😀!"),
		`"é😀"`:                    str("é😀"),
		`"a\ud800b"`:              flawed("a\uFFFDb", flawSurrogate),
		`"\ude00"`:                flawed("\uFFFD", flawSurrogate),
		`"\ud800\ud83d\ude00"`:    flawed("\uFFFD😀", flawSurrogate),
		`"\ud800\u0041"`:          flawed("\uFFFDA", flawSurrogate),
		"\"a\xffb\"":              flawed("a\uFFFDb", flawUTF8),
		"\"\xed\xa0\x80\"":        flawed("\uFFFD", flawUTF8),
		`[]`:                      {Kind: Array},
		`[1, "a" ,[]]`:            {Kind: Array, Items: []Value{num("1"), str("a"), {Kind: Array}}},
		`{ }`:                     {Kind: Object},
		`{"b":1, "a" : {"b":2}, "b":3}`: {Kind: Object, Members: []Member{
			member("b", num("1")),
			member("a", Value{Kind: Object, Members: []Member{member("b", num("2"))}}),
			member("b", num("3")),
		}},
		`{"\u0061":1}`: {Kind: Object, Members: []Member{member("a", num("1"))}},
	} {
		got, err := Parse([]byte(document))
		testenv.Check(t, err == nil && reflect.DeepEqual(got, want),
			"Parse(%s) = %+v, %v; want %+v", document, got, err, want)
	}
}

func TestParseSyntaxError(t *testing.T) {
	t.Parallel()
	for document, offset := range map[string]int{
		``: 0, ` `: 1, `{`: 1, `}`: 0, `{"a"`: 4, `{"a":`: 5, `{"a":1`: 6, `{"a":1,}`: 7, `{,}`: 1, `{a:1}`: 1, `{"a":1 "b":2}`: 7,
		`[1,]`: 3, `[1`: 2, `[,1]`: 1, `[1 2]`: 3, `01`: 1, `-`: 1, `+1`: 0, `.5`: 0, `1.`: 2, `1.e3`: 2, `1e`: 2, `1e+`: 3, `0x10`: 1,
		`nul`: 0, `True`: 0, `NaN`: 0, `'a'`: 0, `"a`: 2, `"\`: 2, `"\x"`: 2, `"\u12g4"`: 5, `"\u12"`: 5, "\"a\nb\"": 2, "\"\x00\"": 1,
		`{} {}`: 3, `1 // c`: 2, "\ufeff{}": 0, "\x00": 0,
	} {
		_, err := Parse([]byte(document))
		var syntax *SyntaxError
		testenv.Check(t, errors.As(err, &syntax) && syntax.Offset == offset,
			"Parse(%q): %v; want a syntax error at byte %d", document, err, offset)
	}
}

func TestParseDepth(t *testing.T) {
	t.Parallel()
	nested := func(depth int) []byte {
		return []byte(strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`]}`, depth/2))
	}
	_, err := Parse(nested(MaxDepth))
	testenv.Check(t, err == nil, "at the limit: %v", err)
	_, err = Parse(nested(MaxDepth + 2))
	testenv.Check(t, errors.Is(err, ErrTooDeep), "over the limit: %v; want ErrTooDeep", err)
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       `""`,
		`a"b\c/d`:                `"a\"b\\c/d"`,
		"\b\f\n\r\t\x00\x1f\x7f": "\"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"",
		"<é>&\u2028😀":            "\"<é>&\u2028😀\"",
		"a\xff":                  "\"a\uFFFD\"",
	} {
		testenv.Want(t, string(AppendString(nil, text)), want, "AppendString(%q)", text)
	}
}

// FuzzParse holds the parser against encoding/json, which accepts the same
// grammar.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e+3,"\ud83d\ude00\u0000\/"],"b":null}`, `[true,false]`, `"\ud800"`, "\"\xff\"", `{"a":1,}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		v, err := Parse(document)
		if errors.Is(err, ErrTooDeep) {
			return
		}
		testenv.Need(t, (err == nil) == json.Valid(document),
			"error %v, but encoding/json says valid = %v", err, json.Valid(document))
		if err == nil && v.Kind == String && v.Flaw == "" {
			checkString(t, document, v.Text)
		}
	})
}

func checkString(t *testing.T, document []byte, text string) {
	t.Helper()
	var want, again string
	err := json.Unmarshal(document, &want)
	testenv.Need(t, err == nil && text == want && utf8.ValidString(text), "read %q, encoding/json %q, %v", text, want, err)
	err = json.Unmarshal(AppendString(nil, text), &again)
	testenv.Need(t, err == nil && again == text, "wrote %q, read back %q, %v", text, again, err)
}

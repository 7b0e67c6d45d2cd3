package signature

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

func TestCanonicalForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"compact already": {`{"b":1,"a":"x"}`, []string{`{"b":1,"a":"x"}`}},
		"white space":     {" { \"b\" : [ 1 ,\t2 ] ,\r\n\"a\" : { } } \n", []string{`{"b":[1,2],"a":{}}`}},
		"escapes undone":  {`{"u":"https:\/\/a.b\/c","\u00e9":"\u0416\u044F"}`, []string{`{"u":"https://a.b/c","é":"Жя"}`}},
		"surrogate pair":  {`"\ud83d\uDE00"`, []string{`"😀"`}},
		"needed escapes":  {`"\u0022\u005c\u0008\u000C\u000a\u000d\u0009"`, []string{`"\"\\\b\f\n\r\t"`}},
		"control letters": {`"\u001F\u0000"`, []string{`"\u001f\u0000"`}},
		"DEL and U+2028":  {`"\u007f\u2028<>&"`, []string{"\"\x7f\u2028<>&\""}},
		"literals":        {`[ true , false , null ]`, []string{`[true,false,null]`}},
		"duplicate names": {`{"a":1, "a":2}`, []string{`{"a":1,"a":2}`}},
		"both forms":      {`{"amount": 100.10, "n":1.0}`, []string{`{"amount":100.10,"n":1.0}`, `{"amount":100.1,"n":1}`}},
		"quoted amount":   {`{"amount":"100.10"}`, []string{`{"amount":"100.10"}`}},
		"empty string":    {`""`, []string{`""`}},

		"empty body":     {``, nil},
		"not JSON":       {`{"a":1,}`, nil},
		"trailing data":  {`{} {}`, nil},
		"byte order":     {"\ufeff{}", nil},
		"invalid UTF-8":  {"{\"a\":\"\xff\"}", nil},
		"broken name":    {"{\"\xff\":1}", nil},
		"lone surrogate": {`["\ud800"]`, nil},
		"too deep":       {strings.Repeat("[", 1000) + strings.Repeat("]", 1000), nil},
	} {
		var got []string
		for _, form := range canonicalForms([]byte(test.body)) {
			got = append(got, string(form))
		}
		testenv.Check(t, reflect.DeepEqual(got, test.want), "%s: %q\n got %q\nwant %q", name, test.body, got, test.want)
	}
}

func TestShortestNumber(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0": "0", "0.00": "0", "0e99999999999999999999": "0",
		"1": "1", "1.0": "1", "-1.50": "-1.5", "100.10": "100.1", "1500.00": "1500", "0.10": "0.1", "1234567.89": "1234567.89",
		"1e2": "100", "1E+2": "100", "1.5e1": "15", "12e-1": "1.2", "100e-2": "1", "1e20": "100000000000000000000",
		"1e21": "1e+21", "1E30": "1e+30", "1.50e-7": "1.5e-7", "1e-06": "0.000001", "0.0000001": "1e-7", "-1e-10": "-1e-10",
		// Integers are never read as doubles: PHP and Python keep them,
		// and so may any client with big integers.
		"9007199254740993": "9007199254740993", "12345678901234567890123": "12345678901234567890123",
		// More digits than a double holds, or no double at all.
		"0.1000000000000000055": "0.1000000000000000055", "123456789012345678.5": "123456789012345678.5",
		"1e400": "1e400", "1e-400": "1e-400", "1e-99999999999999999999": "1e-99999999999999999999",
	} {
		testenv.Want(t, shortestNumber(literal), want, "shortestNumber(%s)", literal)
	}
}

// FuzzCanonical checks that a canonical form is its own canonical form and
// still says what the body said.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"amount": 100.10, "url":"https:\/\/x","n":[1e2,-0,1.0,1e-7,1E400,0.1000000000000000055]}`,
		`{"\u00e9":"\ud83d\ude00\u0000\u001f"}`, `"\ud800"`, `{"a":1,"a":2}`, "[\"\xff\"]", ` null `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		forms := canonicalForms(body)
		for i, form := range forms {
			again := canonicalForms(form)
			testenv.Need(t, bytes.Equal(again[0], form), "%q is not its own canonical form: %q", form, again[0])
			testenv.Need(t, i != 1 || len(again) == 1, "shortest form %q has a shorter one: %q", form, again)
			says, said := decodedJSON(t, form), decodedJSON(t, body)
			if i == 1 {
				says, said = exact(says), exact(said)
			}
			testenv.Need(t, reflect.DeepEqual(says, said), "%q says something else than %q", form, body)
		}
	})
}

func decodedJSON(t *testing.T, document []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	testenv.Need(t, err == nil, "%q: %v", document, err)
	return v
}

// exact replaces every number by its exact decimal, so that 1.0 and 1 compare
// equal.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if digits, exponent, ok := decimalOf(v.String()); ok {
			return [2]any{digits, exponent}
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = exact(v[name])
		}
	}
	return v
}

package signature_test

import (
	"testing"

	"gateway.example/internal/signature"
)

// A request is read from what people copy.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, method, path, signature, body string }{
		"wire": {
			"POST /a?b=1 HTTP/1.1\r\nHost: x\r\nSignature: 00\r\n\r\n{\"a\":\r\n\r\n1}",
			"POST", "/a?b=1", "00", "{\"a\":\r\n\r\n1}",
		},
		"wire with LF": {"GET /a\nSignature: 00\n\n", "GET", "/a", "00", ""},
		"no body":      {"GET https://x.example/a?b=1 HTTP/1.1\nSignature:00", "GET", "/a?b=1", "00", ""},
		"curl":         {`curl https://x.example/a -H "Signature: 00" -d '{"a":"b c"}'`, "POST", "/a", "00", `{"a":"b c"}`},
		"curl over lines": {"curl -sS -X PUT \\\n  --url https://x.example/a \\\n  -H 'Signature: 00' --data-raw $'it\\'s\\n'",
			"PUT", "/a", "00", "it's\n"},
		"curl, joined": {`curl -XDELETE --data=1 -HSignature:00 -o f "https://x.example/a" -d \"2\"`, "DELETE", "/a", "00", `1&"2"`},
		"curl, quoted": {`curl 'https://x.example/a' --max-time 3 -H 'Signature: 00' -d "{\"a\":\"\$1\n\"}"`, "POST", "/a", "00", `{"a":"$1\n"}`},
		"curl, a read": {`curl https://x.example -H 'Signature: 00'`, "GET", "/", "00", ""},
	} {
		r, err := signature.Parse(c.text)
		if err != nil || r.Method != c.method || r.Path != c.path || r.Header.Get("Signature") != c.signature ||
			string(r.Body) != c.body {
			t.Errorf("%s: %+v %q, %v", name, r, r.Body, err)
		}
	}
	for _, text := range []string{"", "{}", "hello world", "Signature: 00\n\n{}", "curl https://x.example -d @body.json"} {
		if r, err := signature.Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

// Whatever is pasted is read or refused.
func FuzzParse(f *testing.F) {
	f.Add("curl -d 'a' \"b\\")
	f.Add("POST /\n\n")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = signature.Parse(text) })
}

package signature_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"gateway.example/internal/signature"
	"gateway.example/internal/testenv"
)

const (
	keyID, secret           = "mk_1", "sk_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
	otherID, otherSecret    = "mk_2", "sk_second"
	revokedID, revoked      = "mk_3", "sk_revoked"
	webhook                 = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	body                    = `{"orderId":"ж-1","amount":100.10,"url":"https://a.b/c"}`
	path                    = "/api/v1/payments?from=1"
	keyHeader, secretHeader = "X-Merchant-Key-Id", "X-Merchant-Secret"
)

var names = signature.DefaultHeaders()

func hashed(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

var keys = []signature.Key{
	{ID: keyID, Hash: hashed(secret)},
	{ID: otherID, Hash: hashed(otherSecret)},
	{ID: revokedID, Hash: hashed(revoked), Revoked: true},
}

func raw(h func() hash.Hash, key, text string) []byte {
	mac := hmac.New(h, []byte(key))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// signed is what a client sends as the signature of a text under a key.
func signed(key, text string) string { return hex.EncodeToString(raw(sha256.New, key, text)) }

// sample is a request as somebody sent it.
type sample struct {
	id, secret, signature, body string
	headers                     map[string]string
}

func (s sample) request() signature.Request {
	r := signature.Request{Method: http.MethodPost, Path: path, Header: http.Header{}, Body: []byte(s.body)}
	for name, value := range map[string]string{keyHeader: s.id, secretHeader: s.secret, "Signature": s.signature} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	return r
}

func encoded(t *testing.T, encode func(string) (string, error), text string) string {
	t.Helper()
	return testenv.Must(encode(text))(t)
}

// one is a mistake, and the byte at which the body begins to differ; -1 is
// none.
type one struct {
	sent   sample
	want   signature.Mistake
	offset int
}

// mine is a request whose key and secret are right.
func mine(sent, given string) sample { return sample{keyID, secret, given, sent, nil} }

// sent is a request with these headers.
func sent(id, secret, given string) sample { return sample{id, secret, given, body, nil} }

// mistakes are made with the right secret.
func mistakes(t *testing.T) map[string]one {
	t.Helper()
	under := func(key string) sample { return mine(body, signed(key, body)) }
	over := func(text string) sample { return mine(body, signed(secret, text)) }
	plain := sha256.Sum256([]byte(secret + body))
	right := signed(secret, body)
	long := hex.EncodeToString(raw(sha512.New, secret, body))
	cyrillic := encoded(t, charmap.Windows1251.NewEncoder().String, body)
	utf16 := encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String, body)
	return map[string]one{
		"right":                   {mine(body, right), signature.Right, -1},
		"upper case":              {mine(body, strings.ToUpper(right)), signature.Right, -1},
		"canonical":               {mine(`{ "a": 1 }`, signed(secret, `{"a":1}`)), signature.Right, -1},
		"nothing":                 {mine("", signed(secret, "")), signature.Right, -1},
		"prefix":                  {mine(body, "sha256="+right), signature.Prefixed, -1},
		"quoted signature":        {mine(body, `"`+right+`"`), signature.Prefixed, -1},
		"base64":                  {mine(body, base64.StdEncoding.EncodeToString(raw(sha256.New, secret, body))), signature.Base64, -1},
		"base64 of hex":           {mine(body, base64.StdEncoding.EncodeToString([]byte(right))), signature.Base64, -1},
		"no hex":                  {mine(body, "signature"), signature.NotHex, -1},
		"cut":                     {mine(body, right[:60]), signature.WrongSize, -1},
		"SHA-1":                   {mine(body, hex.EncodeToString(raw(sha1.New, secret, body))), signature.SHA1, -1},
		"SHA-512":                 {mine(body, long), signature.SHA512, -1},
		"plain SHA-256":           {mine(body, hex.EncodeToString(plain[:])), signature.NoHMAC, -1},
		"swapped":                 {mine(body, signed(body, secret)), signature.Swapped, -1},
		"secret with line break":  {under(secret + "\n"), signature.SecretSpace, -1},
		"secret in quotes":        {under(`"` + secret + `"`), signature.SecretQuoted, -1},
		"secret without sk_":      {under(strings.TrimPrefix(secret, "sk_")), signature.SecretPrefix, -1},
		"webhook secret":          {under(webhook), signature.WebhookSecret, -1},
		"webhook secret, decoded": {under("0123456789abcdef0123456789abcdef"), signature.WebhookSecret, -1},
		"hash of the secret":      {under(hex.EncodeToString(hashed(secret))), signature.SecretHashed, -1},
		"key id":                  {under(keyID), signature.KeyIDAsSecret, -1},
		"no secret":               {under(""), signature.NoSecret, -1},
		"empty body":              {over(""), signature.NoBody, -1},
		"something for no body":   {mine("", signed(secret, "{}")), signature.SignedNone, -1},
		"line break signed":       {over(body + "\n"), signature.LineBreak, len(body)},
		"line break sent":         {mine("plain text\n", signed(secret, "plain text")), signature.LineBreak, 10},
		"CR LF":                   {mine("a\r\nb", signed(secret, "a\nb")), signature.LineEndings, 1},
		"byte order mark":         {over("\xef\xbb\xbf" + body), signature.ByteOrder, 0},
		"byte order mark sent":    {mine("\xef\xbb\xbf"+body, right), signature.ByteOrder, 0},
		"Windows-1251 signed":     {over(cyrillic), signature.Encoding, 12},
		"Windows-1251 sent":       {mine(cyrillic, right), signature.Encoding, 12},
		"UTF-16":                  {over(utf16), signature.Encoding, 1},
		"Python's white space":    {over(`{"orderId": "ж-1", "amount": 100.10, "url": "https://a.b/c"}`), signature.Reserialised, 11},
		"indented":                {over("{\n  \"orderId\": \"ж-1\",\n  \"amount\": 100.10,\n  \"url\": \"https://a.b/c\"\n}"), signature.Reserialised, 1},
		"sorted":                  {over(`{"amount":100.10,"orderId":"ж-1","url":"https://a.b/c"}`), signature.Reserialised, 2},
		"escaped slash":           {over(`{"orderId":"ж-1","amount":100.10,"url":"https:\/\/a.b\/c"}`), signature.Reserialised, 47},
		"escaped letter":          {over(`{"orderId":"\u0436-1","amount":100.10,"url":"https://a.b/c"}`), signature.Reserialised, 12},
		"PHP":                     {over(`{"orderId":"\u0436-1","amount":100.1,"url":"https:\/\/a.b\/c"}`), signature.Reserialised, 12},
		"encoded twice":           {over(`"{\"orderId\":\"ж-1\",\"amount\":100.10,\"url\":\"https://a.b/c\"}"`), signature.EncodedTwice, -1},
		"hash of body":            {over(hex.EncodeToString(hashed(body))), signature.HashedBody, -1},
		"path":                    {over("POST\n/api/v1/payments\n" + body), signature.SignedPath, -1},
		"query":                   {over("from=1"), signature.SignedPath, -1},
		"timestamp": {
			sample{
				keyID,
				secret,
				signed(secret, "1700000000000."+body),
				body,
				map[string]string{"X-Time": "1700000000000"},
			},
			signature.SignedTime,
			-1,
		},
		"another body": {over(`{"orderId":"2"}`), signature.Other, -1},

		"another key's secret": {sent(keyID, otherSecret, signed(otherSecret, body)), signature.OtherKey, -1},
		"another key's id":     {sent("mk_9", secret, right), signature.OtherKey, -1},
		"revoked":              {sent(revokedID, revoked, signed(revoked, body)), signature.KeyRevoked, -1},
		"quotes sent":          {sent(keyID, `"`+secret+`"`, right), signature.SecretQuoted, -1},
		"space around the id":  {sent(`"`+keyID+`"`, secret, right), signature.KeyIDSpace, -1},
		"sent without sk_":     {sent(keyID, secret[3:], signed(secret[3:], body)), signature.SecretPrefix, -1},
		"webhook secret sent":  {sent(keyID, webhook, signed(webhook, body)), signature.WebhookSecret, -1},
		"wrong secret":         {sent(keyID, "sk_guess", signed("sk_guess", body)), signature.Unproven, -1},
		"unknown key":          {sent("mk_9", "sk_guess", right), signature.Unproven, -1},

		"no signature":       {sent(keyID, secret, ""), signature.HeaderMissing, -1},
		"signature misnamed": {sample{keyID, secret, "", body, map[string]string{"X-Signature": right}}, signature.HeaderMisnamed, -1},
		"secret misnamed":    {sample{keyID, "", right, body, map[string]string{"X-Api-Secret": secret}}, signature.HeaderMisnamed, -1},
	}
}

// Each of the usual mistakes is told from the others, with where the body
// begins to differ.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	for name, c := range mistakes(t) {
		got := signature.Diagnose(c.sent.request(), names, keys, webhook)
		testenv.Check(t, got.Mistake == c.want && got.Offset == c.offset,
			"%s: %s at %d; want %s at %d", name, got.Mistake, got.Offset, c.want, c.offset)
	}
	misnamed := signature.Diagnose(mistakes(t)["signature misnamed"].sent.request(), names, keys)
	testenv.Want(t, misnamed.Header, "Signature", "the header that lacks is")
}

// Some clients decode a secret that looks like Base64 before they sign with it.
func TestDecodedSecret(t *testing.T) {
	t.Parallel()
	const text = "c2VjcmV0LXNlY3JldC1zZWNyZXQh" // secret-secret-secret!
	own := []signature.Key{{ID: keyID, Hash: hashed("sk_" + text)}}
	r := sent(keyID, "sk_"+text, signed("secret-secret-secret!", body)).request()
	testenv.Want(t, signature.Diagnose(r, names, own).Mistake, signature.SecretDecoded, "the mistake")
}

// However long a body is, looking at it takes a moment only: what would take
// long is left out.
func TestLongBody(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("ж/", 20_000) + `"}`
	spaced := strings.Replace(long, ":", ": ", 1)
	for signedText, want := range map[string]signature.Mistake{long + "\n": signature.LineBreak, spaced: signature.Other} {
		testenv.Want(t, signature.Diagnose(mine(long, signed(secret, signedText)).request(), names, keys).Mistake, want, "the mistake")
	}
}

// However many headers a request has, and however long they are, looking at
// them takes no more than a few megabytes.
func TestManyHeaders(t *testing.T) {
	for name, length := range map[string]int{"short": 8000, "long": 64 << 10} {
		r := mine(strings.Repeat("x", length), strings.Repeat("0", 64)).request()
		for range 5000 {
			r.Header.Add("A", "")
			r.Header.Add("B", strings.Repeat("b", 200))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		testenv.Want(t, signature.Diagnose(r, names, keys).Mistake, signature.Other, "%s", name)
		runtime.ReadMemStats(&after)
		taken := (after.TotalAlloc - before.TotalAlloc) >> 20
		testenv.Check(t, taken <= 30, "%s: %d MiB were taken", name, taken)
	}
}

// Every mistake has a hint of its own, and a case here.
func TestHints(t *testing.T) {
	t.Parallel()
	seen, tried := map[string]signature.Mistake{}, map[signature.Mistake]bool{signature.SecretDecoded: true}
	for _, c := range mistakes(t) {
		tried[c.want] = true
	}
	for _, m := range signature.Mistakes() {
		hint := m.Hint()
		other, twice := seen[hint]
		testenv.Check(t, !twice && hint != "", "%s says what %s says: %q", m, other, hint)
		seen[hint] = m
		testenv.Check(t, tried[m], "%s is not tried", m)
	}
	testenv.Check(t, len(seen) >= 30, "only %d hints", len(seen))
}

// Whoever does not have the secret learns nothing of the keys: what they are
// told is the same whether the key is there, is revoked, or is not. Nor does it
// depend on the signature.
func TestNoOracle(t *testing.T) {
	t.Parallel()
	for name, c := range mistakes(t) {
		for _, id := range []string{c.sent.id, revokedID} {
			guess := c.sent
			guess.id = id
			if guess.secret != "" {
				guess.secret = "sk_guess"
			}
			delete(guess.headers, "X-Api-Secret")
			with := signature.Diagnose(guess.request(), names, keys, webhook)
			without := signature.Diagnose(guess.request(), names, nil)
			testenv.Check(t, with == without, "%s: %+v of a key that is there, %+v of none", name, with, without)
			shape := with.Mistake == signature.HeaderMissing || with.Mistake == signature.HeaderMisnamed
			testenv.Check(t, shape || with.Mistake == signature.Unproven, "%s: who guesses is told %s", name, with.Mistake)
		}
	}
	// A webhook secret in the wrong place is known by its own form.
	of := func(own []signature.Key) signature.Finding {
		return signature.Diagnose(sent(keyID, webhook, signed(webhook, body)).request(), names, own)
	}
	testenv.Check(t, of(keys) == of(nil), "%+v and %+v", of(keys), of(nil))
}

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
		testenv.Check(t, err == nil && r.Method == c.method && r.Path == c.path && r.Header.Get("Signature") == c.signature &&
			string(r.Body) == c.body, "%s: %+v %q, %v", name, r, r.Body, err)
	}
	for _, text := range []string{"", "{}", "hello world", "Signature: 00\n\n{}", "curl https://x.example -d @body.json"} {
		r, err := signature.Parse(text)
		testenv.Check(t, err != nil, "%q is read as %+v", text, r)
	}
}

// Whatever is pasted is read or refused.
func FuzzParse(f *testing.F) {
	f.Add("curl -d 'a' \"b\\")
	f.Add("POST /\n\n")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = signature.Parse(text) })
}

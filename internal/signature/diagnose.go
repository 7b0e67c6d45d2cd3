package signature

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // to recognise a signature that was made with it
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// Request is a signed request, as it was sent.
type Request struct {
	Method string
	// Path includes the query.
	Path   string
	Header http.Header
	Body   []byte
}

// Key is a key of the caller, with the SHA-256 of its secret.
type Key struct {
	ID      string
	Hash    []byte
	Revoked bool
}

// Diagnose says what is wrong with a request of somebody who has these keys and
// webhook secrets. It never says what the right signature would be. Unless the
// request has the secret of one of the keys, it only says what the request
// itself shows.
func Diagnose(r Request, names Headers, keys []Key, webhooks ...string) Finding {
	if lacking, is := lacks(r.Header, names); is {
		return lacking
	}
	secret := r.Header.Get(names.Secret)
	if m := proves(r.Header.Get(names.KeyID), secret, keys); m != Right {
		return found(m)
	}
	c := checkup{Request: r, names: names, secret: secret, webhooks: webhooks}
	return c.signature(r.Header.Get(names.Signature))
}

// lacks finds a header that is missing or has another name.
func lacks(header http.Header, names Headers) (Finding, bool) {
	for _, wanted := range []struct{ name, like string }{
		{names.Signature, "sign"}, {names.KeyID, "key"}, {names.Secret, "secret"},
	} {
		if header.Get(wanted.name) != "" {
			continue
		}
		missing := Finding{Mistake: HeaderMissing, Offset: -1, Header: wanted.name}
		for name := range header {
			ours := slices.ContainsFunc([]string{names.Signature, names.KeyID, names.Secret},
				func(one string) bool { return strings.EqualFold(one, name) })
			if !ours && strings.Contains(strings.ToLower(name), wanted.like) {
				missing.Mistake = HeaderMisnamed
			}
		}
		return missing, true
	}
	return Finding{}, false
}

const quotes = "\"'`"

// proves returns Right if the secret belongs to the key id. Other answers than
// that and Unproven need the secret of a key.
func proves(id, secret string, keys []Key) Mistake {
	trimmed := strings.TrimSpace(secret)
	for _, form := range []struct {
		mistake Mistake
		secret  string
	}{
		{Right, secret}, {SecretSpace, trimmed}, {SecretQuoted, strings.Trim(trimmed, quotes)},
		{SecretPrefix, secretBegins + trimmed},
	} {
		hash := sha256.Sum256([]byte(form.secret))
		owners := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool {
			return subtle.ConstantTimeCompare(hash[:], k.Hash) != 1
		})
		if len(owners) == 0 {
			continue
		}
		key := owners[0]
		switch {
		case key.ID != id && strings.Trim(strings.TrimSpace(id), quotes) == key.ID:
			return KeyIDSpace
		case key.ID != id:
			return OtherKey
		case key.Revoked:
			return KeyRevoked
		}
		return form.mistake
	}
	if strings.HasPrefix(strings.Trim(trimmed, quotes), webhookBegins) {
		return WebhookSecret
	}
	return Unproven
}

const (
	// secretBegins is the prefix of keys' secrets, webhookBegins that of
	// webhook secrets.
	secretBegins, webhookBegins = "sk_", "whsec_"
)

// checkup checks the signature of a request whose secret is right.
type checkup struct {
	Request
	names    Headers
	secret   string
	webhooks []string
}

// signature finds the mistake in a signature. It asks first what the gateway
// asks, so that what is accepted is never called wrong; then it goes by the
// form and the length, and searches last.
func (c checkup) signature(given string) Finding {
	if Verify([]byte(c.secret), c.Body, given) {
		return found(Right)
	}
	bare := strings.Trim(strings.TrimSpace(given), quotes)
	if _, after, is := strings.Cut(bare, "="); is && len(after) >= hex.EncodedLen(sha256.Size) {
		bare = strings.TrimSpace(after)
	}
	if Verify([]byte(c.secret), c.Body, bare) {
		return found(Prefixed)
	}
	claimed, err := hex.DecodeString(bare)
	if err != nil {
		return c.notHex(bare)
	}
	switch len(claimed) {
	case sha256.Size:
		return c.search(claimed)
	case sha1.Size:
		return found(SHA1)
	case sha512.Size, sha512.Size384:
		return found(SHA512)
	}
	return found(WrongSize)
}

// notHex recognises a signature in Base64, of whatever text, or of its hex
// text.
func (c checkup) notHex(given string) Finding {
	for _, encoding := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
	} {
		raw, err := encoding.DecodeString(given)
		if err != nil {
			continue
		}
		if inner, err := hex.DecodeString(string(raw)); err == nil {
			raw = inner
		}
		if Verify([]byte(c.secret), c.Body, hex.EncodeToString(raw)) {
			return found(Base64)
		}
		if len(raw) == sha256.Size {
			if f := c.search(raw); f.Mistake != Other {
				return f
			}
		}
	}
	return found(NotHex)
}

// search finds what was signed, and with which key.
func (c checkup) search(claimed []byte) Finding {
	for _, text := range c.contents() {
		if hmac.Equal(mac([]byte(c.secret), text.bytes), claimed) {
			return c.differs(text)
		}
	}
	if c.isLong() {
		return found(Other)
	}
	for _, text := range append(canonicalForms(c.Body), c.Body) {
		for _, key := range c.otherKeys() {
			if hmac.Equal(mac(key.bytes, text), claimed) {
				return found(key.mistake)
			}
		}
		if slices.ContainsFunc(c.hashes(text), func(hash []byte) bool { return hmac.Equal(hash, claimed) }) {
			return found(NoHMAC)
		}
		if hmac.Equal(mac(text, []byte(c.secret)), claimed) {
			return found(Swapped)
		}
	}
	return found(Other)
}

// differs finds where the body begins to differ from the form of it that was
// signed.
func (c checkup) differs(text candidate) Finding {
	f := found(text.mistake)
	if !text.form {
		return f
	}
	f.Offset = min(len(c.Body), len(text.bytes))
	for i := range f.Offset {
		if c.Body[i] != text.bytes[i] {
			f.Offset = i
			break
		}
	}
	return f
}

// hashes are plain hashes of a text, with and without the secret.
func (c checkup) hashes(text []byte) [][]byte {
	secret := []byte(c.secret)
	var list [][]byte
	for _, parts := range [][][]byte{
		{text}, {secret, text}, {text, secret}, {secret, []byte(":"), text}, {text, []byte(":"), secret},
		{secret, []byte("."), text}, {text, []byte("."), secret},
	} {
		hash := sha256.Sum256(bytes.Join(parts, nil))
		list = append(list, hash[:])
	}
	return list
}

// otherKeys are what may have been used as the HMAC key by mistake.
func (c checkup) otherKeys() []candidate {
	s := c.secret
	list := []candidate{{mistake: NoSecret}, {mistake: KeyIDAsSecret, bytes: []byte(c.Header.Get(c.names.KeyID))}}
	add := func(m Mistake, keys ...string) {
		for _, key := range keys {
			list = append(list, candidate{mistake: m, bytes: []byte(key)})
		}
	}
	add(SecretSpace, s+"\n", s+"\r\n", s+"\r", s+" ", " "+s, "\t"+s, s+"\t", " "+s+" ")
	add(SecretQuoted, `"`+s+`"`, "'"+s+"'", "`"+s+"`")
	bare := strings.TrimPrefix(s, secretBegins)
	add(SecretPrefix, bare)
	add(SecretDecoded, decoded(s)...)
	add(SecretDecoded, decoded(bare)...)
	hash := sha256.Sum256([]byte(s))
	add(SecretHashed, string(hash[:]), hex.EncodeToString(hash[:]))
	for _, webhook := range c.webhooks {
		raw := strings.TrimPrefix(webhook, webhookBegins)
		add(WebhookSecret, webhook, raw)
		add(WebhookSecret, decoded(raw)...)
	}
	return list
}

// decoded are the bytes that a text may encode.
func decoded(text string) []string {
	var list []string
	for _, decode := range []func(string) ([]byte, error){
		base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString, base64.URLEncoding.DecodeString,
		base64.RawURLEncoding.DecodeString, hex.DecodeString,
	} {
		if raw, err := decode(text); err == nil {
			list = append(list, string(raw))
		}
	}
	return list
}

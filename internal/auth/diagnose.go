package auth

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // to recognise a signature that was made with it
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Sample is a signed request that a merchant's developer asks about. The secret is compared in
// memory and kept nowhere.
type Sample struct {
	KeyID, Secret, Signature string
	Body                     []byte
}

// Diagnosis is what is wrong with a sample's signature.
type Diagnosis string

// The diagnoses. DiagnosedKey does not tell an unknown key from a wrong secret.
const (
	DiagnosedRight       Diagnosis = "right"
	DiagnosedKey         Diagnosis = "key"
	DiagnosedBase64      Diagnosis = "base64"
	DiagnosedPrefix      Diagnosis = "prefix"
	DiagnosedSHA1        Diagnosis = "sha1"
	DiagnosedNotHex      Diagnosis = "not_hex"
	DiagnosedLineBreak   Diagnosis = "line_break"
	DiagnosedLineEndings Diagnosis = "line_endings"
	DiagnosedNoBody      Diagnosis = "no_body"
	DiagnosedOther       Diagnosis = "other"
)

// Diagnose says in what a sample's signature is wrong, once its secret is found right. It never says
// what the right signature would be.
func (k *MerchantKeys) Diagnose(ctx context.Context, who caller.Caller, s Sample) (Diagnosis, error) {
	if err := who.Need(caller.MerchantEvents); err != nil {
		return "", err
	}
	f := fault.Decoded(ctx)
	f.Required("keyId", s.KeyID)
	f.Required("secret", s.Secret)
	f.Required("signature", s.Signature)
	f.MaxLength("keyId", s.KeyID, maxKeyID)
	if err := f.Err(); err != nil {
		return "", err
	}
	key, err := k.q.KeyGet(ctx, s.KeyID)
	if err != nil && !db.NoRows(err) {
		return "", fmt.Errorf("read key: %w", err)
	}
	hash := sha256.Sum256([]byte(s.Secret))
	theirs := err == nil && key.MerchantID != nil && *key.MerchantID == who.MerchantID
	if !theirs || subtle.ConstantTimeCompare(hash[:], key.SecretHash) != 1 {
		return DiagnosedKey, nil
	}
	return s.diagnose(), nil
}

func (s Sample) diagnose() Diagnosis {
	secret, given := []byte(s.Secret), strings.TrimSpace(s.Signature)
	if verify(secret, s.Body, s.Signature) {
		return DiagnosedRight
	}
	if _, bare, found := strings.Cut(given, "="); found && verify(secret, s.Body, bare) {
		return DiagnosedPrefix
	}
	claimed, err := hex.DecodeString(given)
	if err != nil {
		return s.encoded(given)
	}
	if len(claimed) == sha1.Size {
		return DiagnosedSHA1
	}
	signed := func(body []byte) bool { return hmac.Equal(mac(secret, body), claimed) }
	lf := bytes.ReplaceAll(s.Body, []byte("\r\n"), []byte("\n"))
	switch {
	case signed(append(bytes.Clone(s.Body), '\n')), signed(bytes.TrimRight(s.Body, "\r\n")):
		return DiagnosedLineBreak
	case signed(lf), signed(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))):
		return DiagnosedLineEndings
	case signed(nil):
		return DiagnosedNoBody
	}
	return DiagnosedOther
}

// encoded says what is wrong with a signature that is not hex.
func (s Sample) encoded(given string) Diagnosis {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding, base64.URLEncoding} {
		raw, err := encoding.DecodeString(given)
		if err == nil && hmac.Equal(mac([]byte(s.Secret), s.Body), raw) {
			return DiagnosedBase64
		}
	}
	return DiagnosedNotHex
}

// Package attest signs documents that leave the gateway, such as the timeline
// of a payment, and verifies them. With the file and the gateway's public keys
// anybody can tell whether it was changed, and where.
package attest

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"gateway.example/internal/db"
)

// Format names the format of signed documents, in each file.
const Format = "gateway-signed-lines-1"

const algorithm = "Ed25519"

// purpose separates these keys from others that are derived from the same vault
// keys.
const purpose = "signatures of documents"

// Signer signs with a key derived from the newest vault key. It publishes the
// public keys of all vault keys so far.
type Signer struct {
	q    *db.Queries
	own  Keys
	kid  string
	with ed25519.PrivateKey
}

// New makes a signer from the vault keys, the newest first.
func New(pool db.Pool, vaultKeys ...[]byte) (*Signer, error) {
	s := &Signer{q: db.New(pool), own: Keys{}}
	for i, key := range vaultKeys {
		seed, err := hkdf.Key(sha256.New, key, nil, purpose, ed25519.SeedSize)
		if err != nil {
			return nil, fmt.Errorf("derive a signing key: %w", err)
		}
		private := ed25519.NewKeyFromSeed(seed)
		public := private.Public().(ed25519.PublicKey) //nolint:forcetypeassert // it says so
		kid := kidOf(public)
		s.own[kid] = public
		if i == 0 {
			s.kid, s.with = kid, private
		}
	}
	return s, nil
}

// kidOf is the id of a public key.
func kidOf(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// Note stores the public keys, so that today's signatures can be verified after
// their vault keys are gone.
func (s *Signer) Note(ctx context.Context, now time.Time) error {
	for kid, public := range s.own {
		err := s.q.SigningKeyPut(ctx, db.SigningKeyPutParams{Kid: kid, PublicKey: public, CreatedAt: now})
		if err != nil {
			return fmt.Errorf("keep a public key: %w", err)
		}
	}
	return nil
}

// Published returns the file of all public keys.
func (s *Signer) Published(ctx context.Context) ([]byte, error) {
	rows, err := s.q.SigningKeyList(ctx)
	if err != nil {
		return nil, fmt.Errorf("read public keys: %w", err)
	}
	all := Keys{}
	for _, row := range rows {
		all[row.Kid] = row.PublicKey
	}
	maps.Copy(all, s.own)
	return all.file()
}

// Sign signs a document: a head that says what it is about, and lines. All are
// JSON objects. The result is canonical: no white space, and names in order.
func (s *Signer) Sign(head map[string]any, lines []any) ([]byte, error) {
	document := map[string]any{}
	maps.Copy(document, head)
	document["format"], document["lines"] = Format, lines
	plain, err := canonicalOf(document)
	if err != nil {
		return nil, err
	}
	parts, err := read(plain)
	if err != nil {
		return nil, err
	}
	m, err := parts.manifest()
	if err != nil {
		return nil, err
	}
	signed, err := m.signed()
	if err != nil {
		return nil, err
	}
	document["signature"] = signature{
		Algorithm: algorithm, Kid: s.kid, Manifest: m,
		Value: base64.StdEncoding.EncodeToString(ed25519.Sign(s.with, signed)),
	}
	return canonicalOf(document)
}

// SignBytes signs a message, which must begin with the name of its format, and
// returns the key's id.
func (s *Signer) SignBytes(message []byte) (kid string, signature []byte) {
	return s.kid, ed25519.Sign(s.with, message)
}

// Keys are public keys by their ids.
type Keys map[string]ed25519.PublicKey

// published is one key of the file, in the form of RFC 8037.
type published struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	Kid string `json:"kid"`
	X   string `json:"x"`
}

type keyFile struct {
	Keys []published `json:"keys"`
}

// Signed reports whether the key of this name has signed a message, and whether
// it is known.
func (k Keys) Signed(kid string, message, signature []byte) (signed, known bool) {
	public, known := k[kid]
	return known && ed25519.Verify(public, message, signature), known
}

// ParseKeys reads a file of public keys.
func ParseKeys(file []byte) (Keys, error) {
	var parsed keyFile
	if err := json.Unmarshal(file, &parsed); err != nil {
		return nil, fmt.Errorf("read the public keys: %w", err)
	}
	keys := Keys{}
	for _, k := range parsed.Keys {
		public, err := base64.RawURLEncoding.DecodeString(k.X)
		if err != nil || k.Crv != algorithm || len(public) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("the public key %q is not one of Ed25519", k.Kid)
		}
		keys[k.Kid] = public
	}
	return keys, nil
}

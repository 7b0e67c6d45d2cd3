package auth

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// Links makes and checks the tokens of hosted pages: base64url of the payment's
// uuid and a truncated HMAC. They are not stored.
type Links struct{ keys [][]byte }

const (
	linkKeySize = 32
	linkMACSize = 16
	linkSize    = len(uuid.UUID{}) + linkMACSize
)

// ErrLink says that a token is not one of ours.
var ErrLink = errors.New("unknown link")

// NewLinks takes the link keys, the newest first. Tokens of older keys stay
// valid.
func NewLinks(keys ...[]byte) (*Links, error) {
	if len(keys) == 0 {
		return nil, errors.New("a link key is needed")
	}
	for _, key := range keys {
		if len(key) != linkKeySize {
			return nil, errors.New("a link key must be 32 bytes")
		}
	}
	return &Links{keys: keys}, nil
}

// Token returns a payment's link token: the same at every call.
func (l *Links) Token(id uuid.UUID) string { return LinkToken(id, l.Proof(id)) }

// Proof is the part of a token that proves it, by the newest key.
func (l *Links) Proof(id uuid.UUID) []byte { return linkMAC(l.keys[0], id) }

// LinkToken is the token of a uuid and its proof.
func LinkToken(id uuid.UUID, proof []byte) string {
	return base64.RawURLEncoding.EncodeToString(slices.Concat(id[:], proof))
}

// Parse returns the uuid of a token's payment, or ErrLink. It takes the same
// time for every wrong token.
func (l *Links) Parse(token string) (uuid.UUID, error) {
	id, proof, err := SplitLink(token)
	if err != nil || !l.Proves(id, proof) {
		return uuid.UUID{}, ErrLink
	}
	return id, nil
}

// SplitLink returns the uuid and the proof of a token, or ErrLink. It checks
// nothing but the form.
func SplitLink(token string) (id uuid.UUID, proof []byte, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The decoder skips line breaks; comparing lengths leaves one spelling
	// for each token.
	if err != nil || len(raw) != linkSize || len(token) != base64.RawURLEncoding.EncodedLen(linkSize) {
		return uuid.UUID{}, nil, ErrLink
	}
	return uuid.UUID(raw[:len(id)]), raw[len(id):], nil
}

// Proves reports whether one of the keys has made a proof.
func (l *Links) Proves(id uuid.UUID, proof []byte) bool {
	known := false
	for _, key := range l.keys {
		if hmac.Equal(linkMAC(key, id), proof) {
			known = true
		}
	}
	return known
}

// DeriveAll derives a key for another purpose from each link key, the newest
// first, so that all replicas have the same, and what an older one signed stays
// valid.
func (l *Links) DeriveAll(purpose string, size int) [][]byte {
	var keys [][]byte
	for _, key := range l.keys {
		derived, err := hkdf.Key(sha256.New, key, nil, purpose, size)
		if err != nil { // only of a size that no key has
			panic(err)
		}
		keys = append(keys, derived)
	}
	return keys
}

func linkMAC(key []byte, id uuid.UUID) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(id[:])
	return h.Sum(nil)[:linkMACSize]
}

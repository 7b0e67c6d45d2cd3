// Package vault encrypts the few secrets that the database has to give back.
// Each is bound to its table, column and row, so that a sealed value cannot be
// opened elsewhere.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// KeySize is the length of a vault key in bytes.
const KeySize = 32

// A sealed value is a byte for its format, its key's fingerprint, and what
// AES-GCM makes of it, behind a random nonce.
const (
	format   = 1
	headSize = 5
)

// Vault seals with its newest key and opens with all of them.
type Vault struct {
	newest  [headSize]byte
	ciphers map[[headSize]byte]cipher.AEAD // by what their values begin with
}

// New makes a vault of keys of KeySize bytes, the newest first. A sealed value
// names its key, so keys can be changed.
func New(keys ...[]byte) (*Vault, error) {
	v := &Vault{ciphers: map[[headSize]byte]cipher.AEAD{}}
	for i, key := range slices.Backward(keys) {
		if len(key) != KeySize {
			return nil, fmt.Errorf("vault key %d: must be %d bytes", i+1, KeySize)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("vault key %d: %w", i+1, err)
		}
		v.newest = head(key)
		if v.ciphers[v.newest] != nil {
			return nil, fmt.Errorf("vault key %d: another has its fingerprint", i+1)
		}
		if v.ciphers[v.newest], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, fmt.Errorf("vault key %d: %w", i+1, err)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("vault keys: there are none")
	}
	return v, nil
}

// head is what values begin with that a key has sealed.
func head(key []byte) [headSize]byte {
	return [headSize]byte(binary.BigEndian.AppendUint32([]byte{format}, keyID(key)))
}

// keyID is the fingerprint of a key, the same in every process.
func keyID(raw []byte) uint32 {
	fingerprint := sha256.Sum256(raw)
	return binary.BigEndian.Uint32(fingerprint[:4])
}

// Fingerprint identifies a key without revealing it.
func Fingerprint(key []byte) string { return fmt.Sprintf("%08x", keyID(key)) }

// Place is where a sealed value is stored.
type Place struct {
	Table, Column string
	Row           int64
}

func (p Place) associated() []byte {
	return []byte(strings.Join([]string{p.Table, p.Column, fmt.Sprint(p.Row)}, "\x00"))
}

// Seal encrypts a secret for its place.
func (v *Vault) Seal(secret []byte, place Place) []byte {
	return v.ciphers[v.newest].Seal(v.newest[:], nil, secret, place.associated()) //nolint:gosec // it makes its own nonce
}

// Open decrypts what was sealed for the same place.
func (v *Vault) Open(sealed []byte, place Place) ([]byte, error) {
	if len(sealed) >= headSize {
		if key := v.ciphers[[headSize]byte(sealed)]; key != nil {
			if secret, err := key.Open(nil, nil, sealed[headSize:], place.associated()); err == nil {
				return secret, nil
			}
		}
	}
	return nil, errors.New("open: " + place.Table + "." + place.Column)
}

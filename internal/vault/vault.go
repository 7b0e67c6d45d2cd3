// Package vault seals the few secrets that the database has to give back. Each is bound to its table,
// column and row, so that a sealed value cannot be opened elsewhere.
package vault

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// KeySize is the length of a vault key in bytes.
const KeySize = 32

// Vault seals with its newest key and opens with all of them.
type Vault struct{ aead tink.AEAD }

// New makes a vault of keys of KeySize bytes, the newest first. A sealed value names its key, so keys
// can be changed.
func New(keys ...[]byte) (*Vault, error) {
	manager := keyset.NewManager()
	for i, key := range keys {
		id, err := addKey(manager, key)
		if err != nil {
			return nil, fmt.Errorf("vault key %d: %w", i+1, err)
		}
		if i == 0 {
			if err := manager.SetPrimary(id); err != nil {
				return nil, fmt.Errorf("vault key %d: %w", i+1, err)
			}
		}
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, fmt.Errorf("vault keys: %w", err)
	}
	sealer, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("vault keys: %w", err)
	}
	return &Vault{aead: sealer}, nil
}

func addKey(manager *keyset.Manager, raw []byte) (uint32, error) {
	if len(raw) != KeySize {
		return 0, errors.New("must be 32 bytes")
	}
	params, err := aesgcm.NewParameters(aesgcm.ParametersOpts{
		KeySizeInBytes: KeySize, IVSizeInBytes: 12, TagSizeInBytes: 16, Variant: aesgcm.VariantTink,
	})
	if err != nil {
		return 0, err
	}
	id := keyID(raw)
	key, err := aesgcm.NewKey(secretdata.NewBytesFromData(raw, insecuresecretdataaccess.Token{}), id, params)
	if err != nil {
		return 0, err
	}
	return manager.AddKey(key)
}

// keyID is the fingerprint of a key, the same in every process.
func keyID(raw []byte) uint32 {
	fingerprint := sha256.Sum256(raw)
	return binary.BigEndian.Uint32(fingerprint[:4])
}

// Fingerprint identifies a key without revealing it. A sealed value begins with a byte for its format
// and the fingerprint of its key, in binary.
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
func (v *Vault) Seal(secret []byte, place Place) ([]byte, error) {
	sealed, err := v.aead.Encrypt(secret, place.associated())
	if err != nil {
		return nil, errors.New("seal: " + place.Table + "." + place.Column)
	}
	return sealed, nil
}

// Open decrypts what was sealed for the same place.
func (v *Vault) Open(sealed []byte, place Place) ([]byte, error) {
	secret, err := v.aead.Decrypt(sealed, place.associated())
	if err != nil {
		return nil, errors.New("open: " + place.Table + "." + place.Column)
	}
	return secret, nil
}

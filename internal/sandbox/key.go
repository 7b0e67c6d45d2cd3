// Package sandbox fills an empty database with sample data, and moves its
// clock. Keys, secrets and tokens are derived from one key in the data
// directory, so that they are the same after every start.
package sandbox

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	keyFile = "sandbox.key"
	keySize = 32
)

// Key is the sandbox's root secret, from which all others are derived.
type Key struct{ root []byte }

// LoadKey reads the key in the data directory, or makes one. If two processes
// make one at the same time, both get the same.
func LoadKey(dir string) (Key, error) {
	path := filepath.Join(dir, keyFile)
	root, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, path); err != nil {
			return Key{}, fmt.Errorf("make the sandbox key: %w", err)
		}
		root, err = os.ReadFile(path)
	}
	if err != nil {
		return Key{}, fmt.Errorf("read the sandbox key: %w", err)
	}
	if len(root) != keySize {
		return Key{}, fmt.Errorf("%s is not a sandbox key; remove it, and the database it was used with, to start anew", path)
	}
	return Key{root: root}, nil
}

// makeKey writes the key to another file and then links it into place, so that
// the first process wins.
func makeKey(dir, path string) error {
	root := make([]byte, keySize)
	_, _ = rand.Read(root) // never fails
	file, err := os.CreateTemp(dir, keyFile+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.Write(root); err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Bytes derives 32 bytes for a purpose.
func (k Key) Bytes(purpose string) []byte {
	derived, err := hkdf.Key(sha256.New, k.root, nil, purpose, keySize)
	if err != nil {
		panic("hkdf of a constant length: " + err.Error())
	}
	return derived
}

// Secret derives a secret for a purpose, as text.
func (k Key) Secret(purpose string) string {
	return base64.RawURLEncoding.EncodeToString(k.Bytes(purpose))
}

// ExternalPaymentsSecret is the application's secret in a sandbox.
func (k Key) ExternalPaymentsSecret() string { return k.Secret("external payments") }

// fingerprint identifies the key without revealing it. It is stored in
// databases that were seeded with the key.
func (k Key) fingerprint() string { return hex.EncodeToString(k.Bytes("fingerprint")[:8]) }

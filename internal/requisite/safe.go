package requisite

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/vault"
)

// Safe stores values of requisites sealed. A value is bound to its requisite:
// payments have a copy of the sealed bytes, so that creating one seals nothing.
type Safe struct {
	vault *vault.Vault
	// hashKey is the key of the hashes that tell values apart.
	hashKey []byte
}

// NewSafe makes a safe.
func NewSafe(v *vault.Vault, hashKey []byte) *Safe { return &Safe{vault: v, hashKey: hashKey} }

// Place is what the value of a requisite is bound to.
func Place(id int64) vault.Place { return vault.Place{Table: "requisite", Column: "value", Row: id} }

// Sealed is a sealed value.
type Sealed struct {
	Value, Hash []byte
	Last4       string
}

// Seal seals the value of a requisite.
func (s *Safe) Seal(id int64, currency, value string) Sealed {
	return Sealed{Value: s.vault.Seal([]byte(value), Place(id)), Hash: s.Hash(currency, value), Last4: last4(value)}
}

// Open opens what was sealed for a requisite.
func (s *Safe) Open(id int64, sealed []byte) (string, error) {
	value, err := s.vault.Open(sealed, Place(id))
	return string(value), err
}

// Read opens a stored value; nil if there is none. One that cannot be opened is
// masked, so that it does not make a list of payments unreadable.
func (s *Safe) Read(id *int64, sealed []byte, last *string) *string {
	if sealed == nil {
		return nil
	}
	var row int64
	if id != nil {
		row = *id
	}
	value, err := s.Open(row, sealed)
	if err != nil {
		slog.Error("a requisite cannot be opened", "requisite", row, "error", err)
		if last != nil {
			value = *last
		}
		value = Mask(value)
	}
	return &value
}

// Hash tells values apart without revealing them: a shared phone, card or
// account has the same hash, however it is written.
func (s *Safe) Hash(currency, value string) []byte {
	mac := hmac.New(sha256.New, s.hashKey)
	_, _ = fmt.Fprintf(mac, "%q%q%q", "requisite", currency, normal(value))
	return mac.Sum(nil)
}

// Hashes are the hashes of a value in each currency.
func (s *Safe) Hashes(value string) [][]byte {
	hashes := make([][]byte, 0, len(catalogue.Currencies))
	for _, currency := range catalogue.Currencies {
		hashes = append(hashes, s.Hash(currency, value))
	}
	return hashes
}

// normal is a value without what people put between its characters.
func normal(value string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(value))
}

// last4 are the characters that lists show.
func last4(value string) string { return value[max(0, len(value)-shown):] }

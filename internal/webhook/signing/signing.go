// Package signing makes the secrets of cashboxes, and signs webhooks with them.
package signing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/vault"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// NewSecret makes a signing secret in the form for merchants: whsec_ and
// base64.
func NewSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never fails
	return FormatSecret(raw)
}

// SealSecret encrypts a cashbox's secret for its row.
func SealSecret(v *vault.Vault, cashboxID int64, secret string) []byte {
	return v.Seal([]byte(secret), SecretPlace(cashboxID))
}

func SecretPlace(cashboxID int64) vault.Place {
	return vault.Place{Table: "cashbox", Column: "webhook_secret", Row: cashboxID}
}

// FormatSecret writes a secret in the form for merchants.
func FormatSecret(raw []byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(raw) }

// Sign adds the signature headers. Those of Standard Webhooks have a signature
// with every valid secret. The header Signature has the plain hex HMAC with the
// newest secret, which must be the first.
func Sign(header http.Header, id string, at time.Time, body []byte, secrets []string) error {
	signatures := make([]string, 0, len(secrets))
	for _, secret := range secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return fmt.Errorf("webhook secret: %w", err)
		}
		signature, err := signer.Sign(id, at, body)
		if err != nil {
			return fmt.Errorf("sign webhook: %w", err)
		}
		signatures = append(signatures, signature)
	}
	plain, err := Signature(secrets[0], body)
	if err != nil {
		return err
	}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	header.Set("Signature", plain)
	return nil
}

// Signature is the hex HMAC-SHA256 of a webhook's body under the base64-decoded
// bytes of the secret.
func Signature(secret string, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return "", fmt.Errorf("webhook secret: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

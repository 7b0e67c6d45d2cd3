package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/signature"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// Sample is a signed request that a merchant's developer asks about. It is not
// stored.
type Sample struct {
	// Request is the whole request as text, or "". The fields below take
	// precedence over it.
	Request string
	// Method, Path and Secret may be "", Header and Body nil.
	Method, Path string
	Header       http.Header
	Body         []byte
	Secret       string
}

// read makes a request of the sample.
func (s Sample) read(f fault.Fields, names Headers) signature.Request {
	var r signature.Request
	if s.Request != "" {
		var err error
		if r, err = signature.Parse(s.Request); err != nil && !f.Wrong("request") {
			f.Add("request", "%s", err)
		}
	}
	if s.Method != "" {
		r.Method = s.Method
	}
	if s.Path != "" {
		r.Path = s.Path
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	for name, values := range s.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if s.Secret != "" {
		r.Header.Set(names.Secret, s.Secret)
	}
	if s.Body != nil {
		r.Body = s.Body
	}
	return r
}

// withoutSecrets returns the headers without secrets, also those that seem to
// be under a wrong name.
func withoutSecrets(header http.Header, names Headers) http.Header {
	plain := header.Clone()
	plain.Del(names.Secret)
	secret := cmp.Or(header.Get(names.Secret), "sk_")
	maps.DeleteFunc(plain, func(name string, values []string) bool {
		all := strings.Join(values, " ")
		return strings.Contains(strings.ToLower(name), "secret") || name == "Authorization" || name == "Cookie" ||
			strings.Contains(all, secret) || strings.Contains(all, "sk_")
	})
	return plain
}

// keysMost is more than any merchant has of keys and of cashboxes.
const keysMost = 10_000

// Diagnose says what is wrong with a signed request. Somebody who does not know
// the secret of one of their merchant's keys learns only that key, secret and
// signature do not match, and what the request itself shows. It returns the
// request as it was read, without the secret.
func (k *MerchantKeys) Diagnose(
	ctx context.Context, who caller.Caller, s Sample,
) (signature.Request, signature.Finding, error) {
	if err := who.Need(caller.MerchantEvents); err != nil {
		return signature.Request{}, signature.Finding{}, err
	}
	f := fault.Decoded(ctx)
	r := s.read(f, k.headers)
	plain := r
	plain.Header = withoutSecrets(r.Header, k.headers)
	if err := f.Err(); err != nil {
		return plain, signature.Finding{}, err
	}
	keys, err := k.proofs(ctx, who.MerchantID)
	if err != nil {
		return plain, signature.Finding{}, err
	}
	webhooks, err := webhookSecrets(ctx, k.q, k.vault, who.MerchantID)
	if err != nil {
		return plain, signature.Finding{}, err
	}
	return plain, signature.Diagnose(r, k.headers, keys, webhooks...), nil
}

// proofs are what proves the keys of a merchant.
func (k *MerchantKeys) proofs(ctx context.Context, merchantID int64) ([]signature.Key, error) {
	rows, err := k.q.KeySecretList(ctx, db.KeySecretListParams{MerchantID: &merchantID, Most: keysMost})
	return db.Each(rows, func(row db.KeySecretListRow) signature.Key {
		return signature.Key{ID: row.KeyID, Hash: row.SecretHash, Revoked: row.RevokedAt != nil}
	}), fault.Doing("list what proves keys", err)
}

// webhookSecrets are those of a merchant's cashboxes. One that cannot be opened
// is left out.
func webhookSecrets(ctx context.Context, q *db.Queries, v *vault.Vault, merchantID int64) ([]string, error) {
	rows, err := q.KeyWebhookSecretList(ctx, db.KeyWebhookSecretListParams{MerchantID: merchantID, Most: keysMost})
	if err != nil {
		return nil, fmt.Errorf("list webhook secrets: %w", err)
	}
	var list []string
	for _, row := range rows {
		if secret, err := v.Open(row.WebhookSecret, signing.SecretPlace(row.ID)); err == nil {
			list = append(list, string(secret))
		}
	}
	return list, nil
}

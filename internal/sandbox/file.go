package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gateway.example/internal/db"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

const infoFile = "sandbox.json"

// Info is the contents of <data dir>/sandbox.json: everything needed to try the
// gateway.
type Info struct {
	BaseURL                string      `json:"base_url"`
	PayURL                 string      `json:"pay_url"`
	PortalURL              string      `json:"portal_url"`
	OpsURL                 string      `json:"ops_url"`
	DatabaseURL            string      `json:"database_url"`
	ExternalPaymentsSecret string      `json:"external_payments_secret"`
	Cashboxes              []Cashbox   `json:"cashboxes"`
	Users                  []User      `json:"users"`
	LegacyKeys             []LegacyKey `json:"legacy_keys"`
}

// Cashbox is a cashbox and a key to it.
type Cashbox struct {
	MerchantCashboxID int64    `json:"merchantCashboxId"`
	TraderCashboxID   *int64   `json:"traderCashboxId"`
	Currency          string   `json:"currency"`
	Methods           []string `json:"methods"`
	KeyID             string   `json:"key_id"`
	Secret            string   `json:"secret"`
	Scopes            []string `json:"scopes"`
	WebhookSecret     string   `json:"webhook_secret"`
}

// User is a user to sign in as.
type User struct {
	Kind     string `json:"kind"`
	Login    string `json:"login"`
	Password string `json:"password"`
	Token    string `json:"token"`
	// TraderID is left out for others than traders.
	TraderID int64 `json:"trader_id,omitempty"`
}

// Describe reads the sandbox's cashboxes and users from the database.
func (i *Info) Describe(ctx context.Context, q *db.Queries, key Key, v *vault.Vault) error {
	i.ExternalPaymentsSecret = key.ExternalPaymentsSecret()
	if err := i.describeCashboxes(ctx, q, key, v); err != nil {
		return err
	}
	if err := i.describeLegacy(ctx, q, key, v); err != nil {
		return err
	}
	logins := db.Each(users, func(u user) string { return u.login })
	rows, err := q.SandboxUsers(ctx, logins)
	if err != nil {
		return fmt.Errorf("list users: %w", err)
	}
	i.Users = nil
	for _, row := range rows {
		i.Users = append(
			i.Users,
			User{
				Kind: row.Kind, Login: row.Login, Password: key.password(row.Login), Token: key.token(row.Login),
				TraderID: row.TraderID,
			},
		)
	}
	return nil
}

// WebhookSecret is the newest secret that signs a cashbox's webhooks. It may
// have been changed on the portal since the cashbox was seeded.
func WebhookSecret(ctx context.Context, q *db.Queries, v *vault.Vault, cashboxID int64) (string, error) {
	sealed, err := q.SandboxWebhookSecret(ctx, cashboxID)
	if err != nil {
		return "", fmt.Errorf("read a webhook secret: %w", err)
	}
	secret, err := v.Open(sealed, signing.SecretPlace(cashboxID))
	return string(secret), err
}

// describeCashboxes lists the sample cashboxes. The secrets of their keys are
// derived from the key as when they were seeded.
func (i *Info) describeCashboxes(ctx context.Context, q *db.Queries, key Key, v *vault.Vault) error {
	keyIDs := db.Each(boxes, func(b box) string { return b.keyID })
	rows, err := q.SandboxCashboxes(ctx, keyIDs)
	if err != nil {
		return fmt.Errorf("list cashboxes: %w", err)
	}
	i.Cashboxes = nil
	for _, row := range rows {
		webhooks, err := WebhookSecret(ctx, q, v, row.CashboxID)
		if err != nil {
			return err
		}
		i.Cashboxes = append(i.Cashboxes, Cashbox{
			MerchantCashboxID: row.CashboxID, TraderCashboxID: row.TraderCashboxID, Currency: row.Currency,
			Methods: row.Methods, KeyID: row.KeyID, Secret: key.merchantSecret(row.KeyID), Scopes: row.Scopes,
			WebhookSecret: webhooks,
		})
	}
	return nil
}

// Signers are all cashboxes whose webhooks come: that of a legacy key has
// nothing but its id, the key and the secrets.
func (i *Info) Signers() []Cashbox {
	all := slices.Clone(i.Cashboxes)
	for _, k := range i.LegacyKeys {
		if k.MerchantCashboxID != nil {
			all = append(all, Cashbox{
				MerchantCashboxID: *k.MerchantCashboxID, KeyID: k.KeyID, Secret: k.Secret, WebhookSecret: k.WebhookSecret,
			})
		}
	}
	return all
}

// Write writes the file to the data directory, atomically.
func (i *Info) Write(dir string) error {
	content, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", infoFile, err)
	}
	file, err := os.CreateTemp(dir, infoFile+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", infoFile, err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(append(content, '\n'))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", infoFile, err)
	}
	return os.Rename(file.Name(), filepath.Join(dir, infoFile))
}

// Read reads the file in the data directory.
func Read(dir string) (Info, error) {
	var info Info
	content, err := os.ReadFile(filepath.Join(dir, infoFile))
	if errors.Is(err, os.ErrNotExist) {
		return info, fmt.Errorf(
			"there is no sandbox in %s: start one with gateway serve, or name its directory with -data-dir (GATEWAY_DATA_DIR)", dir)
	}
	if err != nil {
		return info, fmt.Errorf("read %s: %w", infoFile, err)
	}
	if err := json.Unmarshal(content, &info); err != nil {
		return info, fmt.Errorf("read %s: %w", infoFile, err)
	}
	return info, nil
}

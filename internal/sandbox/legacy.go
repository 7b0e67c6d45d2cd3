package sandbox

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/vault"
)

// LegacyKey is a key from before keys belonged to cashboxes.
type LegacyKey struct {
	KeyID  string `json:"key_id"`
	Secret string `json:"secret"`
	// MerchantCashboxID is the cashbox that its calls use; null for the key
	// without a merchant.
	MerchantCashboxID *int64 `json:"merchantCashboxId"`
	// WebhookSecret is the cashbox's; left out for the key without a
	// merchant.
	WebhookSecret string `json:"webhook_secret,omitempty"`
}

// legacyBox is the cashbox of a merchant whose only key is a legacy one.
var legacyBox = box{"sandbox-legacy", 0, "Legacy shop RUB", "RUB", []string{caller.ScopePayments}, 1}

// withoutMerchant is a key that authenticates but may do nothing.
const withoutMerchant = "sandbox-without-merchant"

// legacy makes a merchant with a legacy key, and a key without a merchant.
func (s *seeder) legacy(ctx context.Context, traderIDs []int64) (int64, error) {
	merchantID, err := s.q.MerchantInsert(ctx, db.MerchantInsertParams{Name: "Legacy Shop", CreatedAt: s.now})
	if err != nil {
		return 0, fmt.Errorf("seed legacy merchant: %w", err)
	}
	if err := s.cashbox(ctx, legacyBox, []int64{merchantID}, traderIDs); err != nil {
		return 0, fmt.Errorf("seed %s: %w", legacyBox.keyID, err)
	}
	if _, err := s.tx.Exec(ctx, "update api_key set cashbox_id = null where key_id = $1", legacyBox.keyID); err != nil {
		return 0, fmt.Errorf("unbind %s: %w", legacyBox.keyID, err)
	}
	err = s.apiKey(ctx, db.KeyInsertParams{KeyID: withoutMerchant, Name: "Key without a merchant", Scopes: usualScopes})
	if err != nil {
		return 0, fmt.Errorf("seed %s: %w", withoutMerchant, err)
	}
	return merchantID, nil
}

// describeLegacy lists the sample keys that are bound to no cashbox: one whose
// calls use its merchant's first cashbox, and one without a merchant.
func (i *Info) describeLegacy(ctx context.Context, q *db.Queries, key Key, v *vault.Vault) error {
	rows, err := q.SandboxLegacyKeys(ctx, []string{legacyBox.keyID, withoutMerchant})
	if err != nil {
		return fmt.Errorf("list legacy keys: %w", err)
	}
	i.LegacyKeys = []LegacyKey{}
	for _, row := range rows {
		legacy := LegacyKey{KeyID: row.KeyID, Secret: key.merchantSecret(row.KeyID)}
		if row.CashboxID > 0 {
			legacy.MerchantCashboxID = &row.CashboxID
			if legacy.WebhookSecret, err = WebhookSecret(ctx, q, v, row.CashboxID); err != nil {
				return err
			}
		}
		i.LegacyKeys = append(i.LegacyKeys, legacy)
	}
	return nil
}

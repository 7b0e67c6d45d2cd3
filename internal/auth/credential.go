package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/vault"
)

// MerchantKeys lets a merchant manage the API keys of its cashboxes.
type MerchantKeys struct {
	pool    db.Pool
	q       *db.Queries
	vault   *vault.Vault
	headers Headers
}

// NewMerchantKeys makes the service. The vault opens the webhook secrets of
// cashboxes; headers are the names of those of a signed request.
func NewMerchantKeys(pool db.Pool, v *vault.Vault, headers Headers) *MerchantKeys {
	return &MerchantKeys{pool: pool, q: db.New(pool), vault: v, headers: headers}
}

// Credential is a key as its merchant sees it.
type Credential struct {
	ID int64
	// KeyID is what callers send to name the key.
	KeyID string
	Name  string
	// CashboxID is nil for legacy keys, which belong to no cashbox.
	CashboxID *int64
	Scopes    []string
	CreatedAt time.Time
	// LastUsedAt is nil before the first use, RevokedAt while the key may
	// sign.
	LastUsedAt *time.Time
	RevokedAt  *time.Time
	Bounds
}

// Bounds limit a key, so that a lost key cannot empty a cashbox.
type Bounds struct {
	// ExpiresAt is when the key stops to work; nil is never.
	ExpiresAt *time.Time
	// Networks are where calls may come from; none is anywhere.
	Networks []string
	// PayoutDailyLimit is how much may be paid out in a day of UTC, in the
	// currency of the cashbox.
	PayoutDailyLimit decimal.NullDecimal
}

// credentialFromRow converts a row, which has neither the secret nor its hash.
func credentialFromRow(row db.CredentialListRow) Credential {
	return Credential{
		ID:         row.ID,
		KeyID:      row.KeyID,
		Name:       row.Name,
		CashboxID:  row.CashboxID,
		Scopes:     row.Scopes,
		CreatedAt:  row.CreatedAt,
		LastUsedAt: row.LastUsedAt,
		RevokedAt:  row.RevokedAt,
		Bounds:     Bounds{row.ExpiresAt, row.AllowedNetworks, row.PayoutDailyLimit},
	}
}

// Active reports whether the key may still sign.
func (c Credential) Active() bool { return c.RevokedAt == nil && !expired(c.ExpiresAt) }

func expired(at *time.Time) bool { return at != nil && !time.Now().Before(*at) }

// Legacy is about the merchant's keys from before keys belonged to cashboxes.
type Legacy struct {
	// Exists: the merchant has such a key, and it has not been revoked.
	Exists bool
	// HasActiveNewCredential: the cashbox has a key of its own that has not
	// been revoked.
	HasActiveNewCredential bool
	// FallbackEnabled: calls signed with the legacy key still reach this
	// cashbox.
	FallbackEnabled bool
	// CanBeRemoved: the cashbox would still have a key if the legacy one
	// were revoked.
	CanBeRemoved bool
}

// List lists the keys of a cashbox and the merchant's legacy keys, revoked ones
// too, the newest first. It shows no secrets, so everybody who may read events
// may read it.
func (k *MerchantKeys) List(ctx context.Context, who caller.Caller, cashboxID int64) ([]Credential, Legacy, error) {
	box, err := k.cashbox(ctx, who, caller.MerchantEvents, cashboxID)
	if err != nil {
		return nil, Legacy{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, Legacy{}, err
	}
	rows, err := k.q.CredentialList(ctx, db.CredentialListParams{CashboxID: &cashboxID, MerchantID: &who.MerchantID})
	if err != nil {
		return nil, Legacy{}, fmt.Errorf("list credentials: %w", err)
	}
	list, legacy := make([]Credential, 0, len(rows)), Legacy{}
	for _, row := range rows {
		key := credentialFromRow(row)
		list = append(list, key)
		legacy.Exists = legacy.Exists || key.Active() && key.CashboxID == nil
		legacy.HasActiveNewCredential = legacy.HasActiveNewCredential || key.Active() && key.CashboxID != nil
	}
	legacy.FallbackEnabled = legacy.Exists && box.ApiEnabled && box.CollectEnabled
	legacy.CanBeRemoved = legacy.Exists && legacy.HasActiveNewCredential
	return list, legacy, nil
}

// cashbox checks that the caller is a merchant's portal user with the
// capability, and that the cashbox is their merchant's.
func (k *MerchantKeys) cashbox(
	ctx context.Context, who caller.Caller, needed caller.Capability, id int64,
) (db.CashboxOwnerRow, error) {
	if who.Kind != caller.MerchantPortal {
		return db.CashboxOwnerRow{}, fault.ErrPortalTokenRequired
	}
	if err := who.Need(needed); err != nil {
		return db.CashboxOwnerRow{}, err
	}
	box, err := k.q.CashboxOwner(ctx, id)
	switch {
	case db.NoRows(err):
		return box, fault.ErrNotFound
	case err != nil:
		return box, fmt.Errorf("find cashbox: %w", err)
	case box.MerchantID != who.MerchantID:
		return box, fault.ErrCashboxAccessDenied
	}
	return box, nil
}

// NewCredential is a key to be created. Without scopes it is for payments
// alone.
type NewCredential struct {
	CashboxID int64
	Name      string
	Scopes    []string
	Limits
}

// Limits are the requested bounds of a key.
type Limits struct {
	// ExpiresAt is nil for a key without an end.
	ExpiresAt *time.Time
	// Networks is a list separated by commas, and PayoutDailyLimit an
	// amount; "" is no bound.
	Networks, PayoutDailyLimit string
}

const (
	maxCredentialName = 100
	maxNetworks       = 20
	// leastBits is how long the prefix of an IPv6 network must be at least.
	// It is what all limits take for one caller.
	leastBits = 64
)

// Create makes a key for a cashbox and returns its secret, of which only the
// SHA-256 is kept.
func (k *MerchantKeys) Create(ctx context.Context, who caller.Caller, n NewCredential) (Credential, string, error) {
	if _, err := k.cashbox(ctx, who, caller.MerchantKeys, n.CashboxID); err != nil {
		return Credential{}, "", err
	}
	bounds, err := n.validate(ctx)
	if err != nil {
		return Credential{}, "", err
	}
	secret := "sk_" + RandomToken()
	made := Credential{
		KeyID: newKeyID(), Name: n.Name, CashboxID: &n.CashboxID, Scopes: n.Scopes, CreatedAt: wallNow(),
		Bounds: bounds,
	}
	key := db.CredentialSettingParams{CashboxID: &n.CashboxID, MerchantID: &who.MerchantID}
	err = db.InTx(ctx, k.pool, func(_ pgx.Tx, q *db.Queries) error {
		var err error
		made.ID, err = InsertKey(ctx, q, secret, db.KeyInsertParams{
			KeyID: made.KeyID, Name: made.Name, MerchantID: &who.MerchantID,
			CashboxID: made.CashboxID, Scopes: made.Scopes, CreatedAt: made.CreatedAt,
			ExpiresAt: bounds.ExpiresAt, AllowedNetworks: bounds.Networks, PayoutDailyLimit: bounds.PayoutDailyLimit,
		})
		if err != nil {
			return fmt.Errorf("insert key: %w", err)
		}
		key.ID = made.ID
		change := keyChange(who, made.ID, made.CreatedAt)
		if change.After, err = q.CredentialSetting(ctx, key); err != nil {
			return fmt.Errorf("read key: %w", err)
		}
		return db.RecordSetting(ctx, q, change)
	})
	if err != nil {
		return Credential{}, "", err
	}
	return made, secret, nil
}

// validate trims the name, and sorts the scopes without repeats.
func (n *NewCredential) validate(ctx context.Context) (Bounds, error) {
	f := fault.Decoded(ctx)
	n.Name = f.RequiredText("name", n.Name, maxCredentialName)
	if len(n.Scopes) == 0 {
		n.Scopes = []string{caller.ScopePayments}
	}
	var scopes []string
	for _, known := range caller.Scopes {
		if slices.Contains(n.Scopes, known) {
			scopes = append(scopes, known)
		}
	}
	for _, scope := range n.Scopes {
		if !slices.Contains(caller.Scopes, scope) && !f.Wrong("scopes") {
			f.Add("scopes", "must be among %s", strings.Join(caller.Scopes, ", "))
		}
	}
	n.Scopes = scopes
	bounds := n.read(f)
	return bounds, f.Err()
}

// read parses limits, and adds to f what is wrong with them. An empty limit is
// no limit. The bounds are good only if f has no messages.
func (l Limits) read(f fault.Fields) Bounds {
	bounds := Bounds{ExpiresAt: l.ExpiresAt, Networks: readNetworks(f, l.Networks)}
	f.Check(!expired(l.ExpiresAt), "expires_at", "must be to come")
	if l.PayoutDailyLimit != "" {
		limit, err := money.ParseFiat(l.PayoutDailyLimit)
		if err != nil {
			f.Add("payout_daily_limit", "%s", err)
		}
		bounds.PayoutDailyLimit = decimal.NewNullDecimal(limit)
	}
	return bounds
}

// readNetworks parses addresses and networks, each as a network.
func readNetworks(f fault.Fields, text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var list []string
	for one := range strings.SplitSeq(text, ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(one))
		if address, bare := netip.ParseAddr(strings.TrimSpace(one)); bare == nil {
			bits := min(address.Unmap().BitLen(), leastBits)
			network, err = netip.PrefixFrom(address.Unmap(), bits), nil
		}
		if err != nil || network.Addr().Is4In6() || network.Addr().Is6() && network.Bits() > leastBits {
			f.Add(
				"allowed_networks",
				"must be addresses or networks such as 203.0.113.0/24, separated by commas; of IPv6 a /64 or larger",
			)
			return nil
		}
		list = append(list, network.Masked().String())
	}
	f.Check(len(list) <= maxNetworks, "allowed_networks", "must be at most %d networks", maxNetworks)
	return list
}

// Revoke ends a key of the List for good. Within a second it is refused
// everywhere. Revoking it again changes nothing.
func (k *MerchantKeys) Revoke(ctx context.Context, who caller.Caller, cashboxID, id int64) (Credential, error) {
	if _, err := k.cashbox(ctx, who, caller.MerchantKeys, cashboxID); err != nil {
		return Credential{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Credential{}, err
	}
	found, err := k.one(ctx, who, cashboxID, id)
	if err != nil || found.RevokedAt != nil {
		return found, err
	}
	key := db.CredentialSettingParams{ID: id, CashboxID: &cashboxID, MerchantID: &who.MerchantID}
	now := wallNow()
	_, err = db.ChangeSetting(ctx, k.pool, keyChange(who, id, now), db.Setting{
		Read:  func(q *db.Queries) ([]byte, error) { return q.CredentialSetting(ctx, key) },
		Apply: func(q *db.Queries) error { return q.KeyRevoke(ctx, db.KeyRevokeParams{ID: id, Now: &now}) },
	})
	if err != nil {
		return Credential{}, err
	}
	return k.one(ctx, who, cashboxID, id)
}

// SetLimits changes the bounds of a key of the List; what is unset becomes
// unbounded. Within a second it holds everywhere. A revoked key is not found.
func (k *MerchantKeys) SetLimits(
	ctx context.Context, who caller.Caller, cashboxID, id int64, l Limits,
) (Credential, error) {
	if _, err := k.cashbox(ctx, who, caller.MerchantKeys, cashboxID); err != nil {
		return Credential{}, err
	}
	f := fault.Decoded(ctx)
	bounds := l.read(f)
	if err := f.Err(); err != nil {
		return Credential{}, err
	}
	found, err := k.one(ctx, who, cashboxID, id)
	if err != nil {
		return found, err
	}
	if found.CashboxID == nil && bounds.PayoutDailyLimit.Valid {
		return found, fault.Fields{
			"payout_daily_limit": {"must be unset: the key is bound to no cashbox"},
		}.Err()
	}
	key := db.CredentialSettingParams{ID: id, CashboxID: &cashboxID, MerchantID: &who.MerchantID}
	_, err = db.ChangeSetting(ctx, k.pool, keyChange(who, id, wallNow()), db.Setting{
		Read: func(q *db.Queries) ([]byte, error) { return q.CredentialSetting(ctx, key) },
		Apply: func(q *db.Queries) error {
			_, err := q.KeyBind(ctx, db.KeyBindParams{
				ID: id, ExpiresAt: bounds.ExpiresAt, AllowedNetworks: bounds.Networks,
				PayoutDailyLimit: bounds.PayoutDailyLimit,
			})
			return err
		},
	})
	if db.NoRows(err) {
		return Credential{}, fault.ErrNotFound
	}
	if err != nil {
		return Credential{}, err
	}
	return k.one(ctx, who, cashboxID, id)
}

// one reads a key of the cashbox, or a legacy key of the merchant, also after
// it was revoked. Its callers have checked that the cashbox is the caller's
// merchant's; any other key is not found.
func (k *MerchantKeys) one(ctx context.Context, who caller.Caller, cashboxID, id int64) (Credential, error) {
	rows, err := k.q.CredentialList(ctx, db.CredentialListParams{CashboxID: &cashboxID, MerchantID: &who.MerchantID})
	if err != nil {
		return Credential{}, fmt.Errorf("list credentials: %w", err)
	}
	for _, row := range rows {
		if row.ID == id {
			return credentialFromRow(row), nil
		}
	}
	return Credential{}, fault.ErrNotFound
}

func keyChange(who caller.Caller, id int64, at time.Time) db.SettingChange {
	return db.SettingChange{At: at, Actor: who.Actor(), Subject: "api_key", SubjectKey: strconv.FormatInt(id, 10)}
}

// newKeyID makes a public id nobody else has.
func newKeyID() string {
	raw := make([]byte, 12)
	_, _ = rand.Read(raw) // never fails
	return "mk_" + hex.EncodeToString(raw)
}

func wallNow() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// RandomToken makes a secret of 32 random bytes, in base64url.
func RandomToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

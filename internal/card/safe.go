package card

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/vault"
)

// Owner is the payment a card was entered for.
type Owner struct {
	MerchantID, PaymentID, CashboxID int64
	// UserID is the payer whose card may be kept for their next payment, or
	// nil.
	UserID *string
}

// Safe stores cards sealed, each bound to its column and payment.
type Safe struct {
	vault *vault.Vault
	// hashKey is the key of the hashes that tell cards apart.
	hashKey []byte
}

// NewSafe makes a safe.
func NewSafe(v *vault.Vault, hashKey []byte) *Safe { return &Safe{vault: v, hashKey: hashKey} }

// hashKeyPlace is where the key of card hashes is kept.
var hashKeyPlace = vault.Place{Table: "card_hash_key", Column: "key", Row: 1}

// HashKey returns the key for NewSafe, which the database keeps sealed. If
// there is none, or the vault key that opens it is gone, it stores the given
// one.
func HashKey(ctx context.Context, q *db.Queries, v *vault.Vault, otherwise []byte) ([]byte, error) {
	fresh := v.Seal(otherwise, hashKeyPlace)
	if err := q.CardHashKeyPut(ctx, fresh); err != nil {
		return nil, fmt.Errorf("keep the key of card hashes: %w", err)
	}
	sealed, err := q.CardHashKeyGet(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the key of card hashes: %w", err)
	}
	if kept, err := v.Open(sealed, hashKeyPlace); err == nil {
		return kept, nil
	}
	slog.WarnContext(ctx, "the key of card hashes cannot be opened and is made anew")
	if err := q.CardHashKeyReplace(ctx, db.CardHashKeyReplaceParams{Key: fresh, Lost: sealed}); err != nil {
		return nil, fmt.Errorf("replace the key of card hashes: %w", err)
	}
	if sealed, err = q.CardHashKeyGet(ctx); err != nil {
		return nil, fmt.Errorf("read the key of card hashes: %w", err)
	}
	return v.Open(sealed, hashKeyPlace)
}

const (
	table = "payment_card"
	// keptFor is how long the card of a completed payment is kept for its
	// payer.
	keptFor = 180 * 24 * time.Hour
)

// Put stores a payment's card.
func (s *Safe) Put(o Owner, c Card, at time.Time) db.Query {
	params := db.CardPutParams{
		MerchantID: o.MerchantID, PaymentID: o.PaymentID, CashboxID: o.CashboxID, PayerUserID: o.UserID,
		Brand: c.PAN.Brand(), Last4: c.PAN.Last4(), CreatedAt: at,
		Pan:    s.seal("pan", o.PaymentID, c.PAN.Digits()),
		Expiry: s.seal("expiry", o.PaymentID, fmt.Sprintf("%d/%d", c.Expiry.month, c.Expiry.year)),
	}
	if c.Holder != nil {
		params.Holder = s.seal("holder", o.PaymentID, *c.Holder)
	}
	return db.Do((*db.Queries).CardPut, params)
}

func (s *Safe) seal(column string, paymentID int64, text string) []byte {
	return s.vault.Seal([]byte(text), vault.Place{Table: table, Column: column, Row: paymentID})
}

func (s *Safe) open(column string, paymentID int64, sealed []byte) (string, error) {
	text, err := s.vault.Open(sealed, vault.Place{Table: table, Column: column, Row: paymentID})
	return string(text), err
}

// Shown is what may be shown of a card.
type Shown struct {
	Brand, Last4 string
	Holder       *string
}

// Show reads what may be shown of a payment's card; nil if none was entered.
func (s *Safe) Show(ctx context.Context, q *db.Queries, merchantID, paymentID int64) (*Shown, error) {
	row, err := q.CardGet(ctx, db.CardGetParams{MerchantID: merchantID, PaymentID: paymentID})
	if db.NoRows(err) {
		return nil, nil //nolint:nilnil // no card is no error
	}
	if err != nil {
		return nil, fmt.Errorf("read card: %w", err)
	}
	return s.show(row), nil
}

// ShowAll is Show for several payments, by their ids.
func (s *Safe) ShowAll(ctx context.Context, q *db.Queries, merchantIDs, paymentIDs []int64) (map[int64]*Shown, error) {
	rows, err := q.CardList(ctx, db.CardListParams{MerchantIds: merchantIDs, PaymentIds: paymentIDs})
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	all := make(map[int64]*Shown, len(rows))
	for _, row := range rows {
		all[row.PaymentID] = s.show(row)
	}
	return all, nil
}

// show leaves out a holder that cannot be opened, so that one such card does
// not make a list of payments unreadable.
func (s *Safe) show(row db.PaymentCard) *Shown {
	shown := &Shown{Brand: row.Brand, Last4: row.Last4}
	if row.Holder != nil {
		holder, err := s.open("holder", row.PaymentID, row.Holder)
		if err != nil {
			slog.Error("a card's holder cannot be opened", "payment", row.PaymentID, "error", err)
			return shown
		}
		shown.Holder = &holder
	}
	return shown
}

// Saved is a payer's card from an earlier payment.
type Saved struct {
	Shown
	Card Card
	// ID tells the payer's cards apart. It is no secret.
	ID string
}

// Saved finds the card that the owner used last at the cashbox, if it is still
// kept and valid.
func (s *Safe) Saved(ctx context.Context, q *db.Queries, o Owner, now time.Time) (*Saved, error) {
	if o.UserID == nil {
		return nil, nil //nolint:nilnil // nobody's card is no error
	}
	row, err := q.CardSaved(
		ctx,
		db.CardSavedParams{MerchantID: o.MerchantID, CashboxID: o.CashboxID, PayerUserID: o.UserID, Now: now},
	)
	if db.NoRows(err) {
		return nil, nil //nolint:nilnil // no card is no error
	}
	if err != nil {
		return nil, fmt.Errorf("read saved card: %w", err)
	}
	saved, err := s.unseal(row)
	if err != nil {
		slog.ErrorContext(ctx, "a saved card cannot be opened", "payment", row.PaymentID, "error", err)
		return nil, nil //nolint:nilnil // the payer types a card
	}
	if saved.Card.Expiry.Before(now) {
		return nil, nil //nolint:nilnil // no card that is still good
	}
	return saved, nil
}

// unseal opens a kept card. The caller has found that it is the payer's and
// still kept, and checks its expiry. The ID is a keyed hash of which payment it
// came from, and reveals nothing of the card.
func (s *Safe) unseal(row db.PaymentCard) (*Saved, error) {
	shown := s.show(row)
	digits, err := s.open("pan", row.PaymentID, row.Pan)
	if err != nil {
		return nil, err
	}
	expiry, err := s.open("expiry", row.PaymentID, row.Expiry)
	if err != nil {
		return nil, err
	}
	id := s.Hash("saved", strconv.FormatInt(row.PaymentID, 10), row.CreatedAt.UTC().Format(time.RFC3339Nano))
	saved := &Saved{
		Shown: *shown,
		Card:  Card{PAN: PAN{&digits}, Holder: shown.Holder},
		ID:    base64.RawURLEncoding.EncodeToString(id),
	}
	if _, err := fmt.Sscanf(expiry, "%d/%d", &saved.Card.Expiry.month, &saved.Card.Expiry.year); err != nil {
		return nil, errors.New("a sealed expiry is not one")
	}
	return saved, nil
}

// retryColumn is not a column: it binds a sealed number in a page to that form.
const retryColumn = "retry"

// SealNumber seals a card number for a form that has to be sent again. The page
// carries it without showing it.
func (s *Safe) SealNumber(paymentID int64, pan PAN) string {
	return base64.RawURLEncoding.EncodeToString(s.seal(retryColumn, paymentID, pan.Digits()))
}

// OpenNumber opens what SealNumber sealed for the payment. It finds no number
// in anything else.
func (s *Safe) OpenNumber(paymentID int64, sealed string) string {
	decoded, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return ""
	}
	digits, err := s.open(retryColumn, paymentID, decoded)
	if err != nil {
		return ""
	}
	return digits
}

// Forget erases all cards kept for an owner at the cashbox. The card of a
// payment that is still being made is not kept once it is completed.
func (s *Safe) Forget(ctx context.Context, q *db.Queries, o Owner) error {
	if o.UserID == nil {
		return nil
	}
	return q.CardForget(ctx, db.CardForgetParams{MerchantID: o.MerchantID, CashboxID: o.CashboxID, PayerUserID: o.UserID})
}

// Erase erases what is sealed of a payment's card.
func Erase(merchantID, paymentID int64) db.Query {
	return db.Do((*db.Queries).CardErase, db.CardEraseParams{MerchantID: merchantID, PaymentID: paymentID})
}

// Keep keeps a completed payment's card for the payer's next one. If the payer
// is not known, it erases the card.
func Keep(merchantID, paymentID int64, now time.Time) db.Query {
	return db.Do((*db.Queries).CardKeep, db.CardKeepParams{MerchantID: merchantID, PaymentID: paymentID, Until: now.Add(keptFor)})
}

// Hash is a keyed hash that tells values apart without revealing them.
func (s *Safe) Hash(purpose string, parts ...string) []byte {
	mac := hmac.New(sha256.New, s.hashKey)
	_, _ = fmt.Fprintf(mac, "%q%q", purpose, parts)
	return mac.Sum(nil)
}

// HashPAN is Hash of a card number.
func (s *Safe) HashPAN(p PAN) []byte { return s.Hash("pan", p.Digits()) }

// Prune erases kept cards that have expired or that a later one has replaced.
func (s *Safe) Prune(ctx context.Context, q *db.Queries, now time.Time) error {
	_, err := q.CardPrune(ctx, now)
	return err
}

package directory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
)

// ErrLookChanged refuses a change of a look that somebody has changed since it
// was read.
var ErrLookChanged = fault.New(fault.Refused, "look_changed",
	"The look of the cashbox has changed since it was read; nothing was changed.")

// OwnLook is the look of a cashbox's hosted pages for its merchant.
type OwnLook struct {
	CashboxID      int64
	Name, Currency string
	// Merchant is the name that payers see.
	Merchant string
	// Color is #rrggbb in lower case, or "" for the default. FrameOrigin is
	// the only origin that may frame the hosted pages, or "".
	Color, FrameOrigin string
	// Logo is the hash of the logo that pages show in place of the name, or
	// "".
	Logo string
	// ReturnHosts are the hosts that payers may be sent back to; none is
	// any.
	ReturnHosts []string
	// PayerEvents sends the merchant an event when a payer says that they
	// have paid.
	PayerEvents bool
	// DepositCallbackURI is where events of deposits are sent; with ""
	// there are none.
	DepositCallbackURI string
}

// Color is a colour in the form that is stored, and whether it is valid; "" is
// the default.
func Color(text string) (color string, good bool) {
	color = strings.ToLower(strings.TrimSpace(text))
	return color, color == "" || colorForm.MatchString(color)
}

// Version changes whenever the look does.
func (l OwnLook) Version() string {
	all := strings.Join(
		append([]string{l.Color, l.Logo, l.FrameOrigin, strconv.FormatBool(l.PayerEvents), l.DepositCallbackURI}, l.ReturnHosts...),
		"\n",
	)
	sum := sha256.Sum256([]byte(all))
	return hex.EncodeToString(sum[:8])
}

// OwnLooks lists the looks of the cashboxes of the calling user's merchant, the
// oldest first. The caller needs the capability to see events.
func (s *Settings) OwnLooks(ctx context.Context, who caller.Caller) ([]OwnLook, error) {
	if err := who.Admit(ctx, caller.MerchantEvents); err != nil {
		return nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.CashboxesLooksRow, error) {
		return q.CashboxesLooks(ctx, db.CashboxesLooksParams{MerchantID: who.MerchantID, Most: ownCashboxes})
	})
	if err != nil {
		return nil, fmt.Errorf("list looks: %w", err)
	}
	return db.Each(rows, ownLook), nil
}

func ownLook(row db.CashboxesLooksRow) OwnLook {
	return OwnLook{
		CashboxID: row.ID, Name: row.Name, Currency: row.Currency, Merchant: row.Merchant, Color: optional.Value(row.PageColor),
		Logo: optional.Value(row.PageLogoHash), FrameOrigin: optional.Value(row.FrameOrigin), ReturnHosts: row.ReturnHosts, PayerEvents: row.PayerEvents,
		DepositCallbackURI: optional.Value(row.DepositCallbackURI),
	}
}

// LookUpdate changes the fields that are set; an empty text clears its field.
type LookUpdate struct {
	CashboxID int64
	// Version is the version that the caller has seen; "" is any.
	Version            string
	Color, FrameOrigin *string
	// Logo is a PNG or JPEG; nil leaves what is there, and one without
	// content removes it.
	Logo        []byte
	ReturnHosts *[]string
	PayerEvents *bool
	// DepositCallbackURI is where events of deposits are sent.
	DepositCallbackURI *string
}

// UpdateOwnLook changes the look of a cashbox of the calling user's merchant,
// and returns the new look. It returns ErrLookChanged if the look is no longer
// the version that the caller has seen.
func (s *Settings) UpdateOwnLook(ctx context.Context, who caller.Caller, u LookUpdate) (OwnLook, error) {
	c, err := s.change(who, caller.MerchantLooks, "cashbox", strconv.FormatInt(u.CashboxID, 10))
	if err != nil {
		return OwnLook{}, err
	}
	fields := CashboxUpdate{
		PageColor: u.Color, FrameOrigin: u.FrameOrigin, ReturnHosts: u.ReturnHosts, PayerEvents: u.PayerEvents,
		DepositCallbackURI: u.DepositCallbackURI,
	}
	f := fault.Decoded(ctx)
	columns := s.cashboxColumns(f, fields)
	u.logo(f, columns)
	if err := f.Err(); err != nil {
		return OwnLook{}, err
	}
	var look OwnLook
	find := db.CashboxesLooksParams{MerchantID: who.MerchantID, ID: &u.CashboxID, Most: 1}
	_, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxSetting(ctx, u.CashboxID) },
		Apply: func(q *db.Queries) error { // the row is locked
			if look, err = lookOf(ctx, q, find); err != nil {
				return err
			}
			if u.Version != "" && u.Version != look.Version() {
				return ErrLookChanged
			}
			if err := q.Set(ctx, setting.Cashbox.Name, u.CashboxID, columns); err != nil {
				return err
			}
			look, err = lookOf(ctx, q, find)
			return err
		},
	})
	return look, err
}

// lookOf reads the look of a merchant's cashbox. A cashbox of another merchant
// is not found.
func lookOf(ctx context.Context, q *db.Queries, find db.CashboxesLooksParams) (OwnLook, error) {
	rows, err := q.CashboxesLooks(ctx, find)
	if err != nil {
		return OwnLook{}, err
	}
	if len(rows) == 0 {
		return OwnLook{}, fault.ErrNotFound
	}
	return ownLook(rows[0]), nil
}

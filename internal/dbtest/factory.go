package dbtest

import (
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/audit"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/requisite"
	"gateway.example/internal/setting"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// Start is the time of creation of what the factories make.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Vault encrypts the secrets of what the factories make.
var Vault = sync.OnceValue(func() *vault.Vault {
	v, err := vault.New(make([]byte, vault.KeySize))
	if err != nil {
		panic(err) // a key of the right size makes a vault
	}
	return v
})

// Requisites encrypts and decrypts the requisites that the factories make.
func Requisites() *requisite.Safe {
	return requisite.NewSafe(Vault(), []byte(strings.Repeat("r", vault.KeySize)))
}

// MerchantOpts are a merchant's settings. The zero value is a merchant with
// one RUB cashbox for sbp, sim and card, without a markup of their own.
type MerchantOpts struct {
	Currency    string
	Methods     []string
	RatePercent decimal.NullDecimal
	Margin      decimal.NullDecimal
	Validity    time.Duration
	Scopes      []string
	// Unbound makes a key without a default cashbox.
	Unbound bool
	// WebhookSecret signs the cashbox's events; one is made if it is empty.
	WebhookSecret string
}

// Merchant is a merchant with a cashbox and a key.
type Merchant struct {
	ID, CashboxID int64
	// KeyID and Secret sign its requests; Caller is whom they prove.
	KeyID, Secret string
	Caller        caller.Caller
	// WebhookSecret signs the cashbox's events.
	WebhookSecret string
}

// User returns a user of the merchant's portal.
func (m Merchant) User(role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: role, ID: 7, MerchantID: m.ID}
}

// NewMerchant makes a merchant with a cashbox and a key.
func (d *DB) NewMerchant(t testing.TB, o MerchantOpts) Merchant {
	t.Helper()
	ctx, q := t.Context(), d.Queries()
	o = o.defaults()
	var m Merchant
	var err error
	m.ID, err = q.MerchantInsert(ctx, db.MerchantInsertParams{Name: "Merchant", RatePercent: o.RatePercent, CreatedAt: Start})
	check(t, err)
	m.WebhookSecret = o.WebhookSecret
	m.CashboxID = d.NewCashbox(t, m.ID, o.Currency, m.WebhookSecret)
	for _, method := range o.Methods {
		check(t, q.Put(ctx, setting.Method.Name, map[string]any{"cashbox_id": m.CashboxID, "method": method}, map[string]any{
			"margin_percent": o.Margin, "validity_seconds": int32(o.Validity / time.Second),
		}))
	}
	m.KeyID, m.Secret = fmt.Sprintf("key-%d", m.ID), fmt.Sprintf("secret-%d", m.ID)
	cashbox := &m.CashboxID
	if o.Unbound {
		cashbox = nil
	}
	keyID, err := auth.InsertKey(ctx, q, m.Secret, db.KeyInsertParams{
		KeyID: m.KeyID, Name: "test", MerchantID: &m.ID, CashboxID: cashbox, Scopes: o.Scopes, CreatedAt: Start,
	})
	check(t, err)
	m.Caller = caller.Caller{
		Kind: caller.MerchantKey, ID: keyID, MerchantID: m.ID, CashboxID: cashbox, Scopes: o.Scopes,
		APIEnabled: true, RatePercent: o.RatePercent,
	}
	return m
}

// NewCashbox makes another cashbox of a merchant. It has no methods. The
// secret signs its webhooks.
func (d *DB) NewCashbox(t testing.TB, merchantID int64, currency, webhookSecret string) int64 {
	t.Helper()
	id, err := directory.InsertCashbox(t.Context(), d.Queries(), Vault(), webhookSecret, db.CashboxInsertParams{
		MerchantID: merchantID, Name: "Shop", Currency: currency, CreatedAt: Start,
	})
	check(t, err)
	return id
}

// defaults fills in what a test leaves out. Methods that are empty but not nil
// stay empty.
func (o MerchantOpts) defaults() MerchantOpts {
	if o.Currency == "" {
		o.Currency = "RUB"
	}
	if o.Methods == nil {
		o.Methods = []string{"sbp", "sim", "card"}
	}
	if o.Validity == 0 {
		o.Validity = 15 * time.Minute
	}
	if o.Scopes == nil {
		o.Scopes = []string{caller.ScopePayments}
	}
	if o.WebhookSecret == "" {
		o.WebhookSecret = signing.NewSecret()
	}
	return o
}

// TraderOpts are a trader's settings. The zero value has no USDT, no requisite
// and no share of the spread.
type TraderOpts struct {
	USDT         string
	SharePercent string
	RatePercent  decimal.NullDecimal
	// Requisites is how many they have, in the pool of Currency and Method:
	// RUB and sbp if empty.
	Requisites       int
	Currency, Method string
	// MinAmount and MaxAmount bound a payment on each: 1 and 1000000 if
	// empty.
	MinAmount, MaxAmount string
}

// Trader is a trader with their requisites.
type Trader struct {
	ID         int64
	Requisites []int64
	Caller     caller.Caller
}

// NewTrader makes a trader with USDT and requisites.
func (d *DB) NewTrader(t testing.TB, o TraderOpts) Trader {
	t.Helper()
	ctx, q := t.Context(), d.Queries()
	id, err := directory.InsertTrader(ctx, q, db.TraderInsertParams{
		Name:         "Trader",
		RatePercent:  o.RatePercent,
		SharePercent: decimal.RequireFromString(or(o.SharePercent, "0")),
		CreatedAt:    Start,
	})
	check(t, err)
	d.Fund(t, ledger.Available(ledger.Trader, id), or(o.USDT, "0"))
	trader := Trader{ID: id, Caller: caller.Caller{Kind: caller.Trader, Role: caller.Owner, ID: id, TraderID: id}}
	for i := range o.Requisites {
		holder, bank := "Ivan Petrov", "Sample Bank"
		value := fmt.Sprintf("+7900%03d%04d", id, i)
		made, err := directory.InsertRequisite(ctx, q, Requisites(), value, db.RequisiteInsertParams{
			Currency:  or(o.Currency, "RUB"),
			Method:    or(o.Method, "sbp"),
			TraderID:  id,
			Holder:    &holder,
			Bank:      &bank,
			Now:       Start,
			MinAmount: decimal.RequireFromString(or(o.MinAmount, "1")),
			MaxAmount: decimal.RequireFromString(or(o.MaxAmount, "1000000")),
		})
		check(t, err)
		trader.Requisites = append(trader.Requisites, made)
	}
	return trader
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// PaysOut lets a cashbox make payouts by the methods, with a markup in
// percent. A payout waits for up to a day.
func (d *DB) PaysOut(t testing.TB, cashboxID int64, markup string, methods ...string) {
	t.Helper()
	for _, method := range methods {
		check(t, d.Queries().CashboxPayoutMethodSet(t.Context(), db.CashboxPayoutMethodSetParams{
			CashboxID: cashboxID, Method: method, Enabled: true, MarkupPercent: decimal.RequireFromString(markup), ValiditySeconds: 86400,
		}))
	}
}

// PaysBy lets a trader take payouts in RUB by the methods.
func (d *DB) PaysBy(t testing.TB, traderID int64, methods ...string) {
	t.Helper()
	for _, method := range methods {
		check(t, d.Queries().TraderPayoutMethodSet(t.Context(), db.TraderPayoutMethodSetParams{
			TraderID: traderID, Currency: "RUB", Method: method, Enabled: true,
		}))
	}
}

// Fund credits USDT from outside, as a sandbox does.
func (d *DB) Fund(t testing.TB, account ledger.Account, amount string) {
	t.Helper()
	_, err := d.Queries().TestClockSeed(t.Context(), "test")
	check(t, err)
	check(
		t,
		ledger.Post(
			t.Context(),
			d.Queries(),
			ledger.Cause{Kind: "funding", Subject: "sandbox", At: Start},
			ledger.Transfer{
				Debit: ledger.Available(ledger.External, 0), Credit: account, Amount: decimal.RequireFromString(amount),
			},
		),
	)
}

// SetRate sets a currency's base rate. If it is not fresh, it is only the last
// known one.
func (d *DB) SetRate(t testing.TB, currency, fiatPerUSDT string, fresh bool) {
	t.Helper()
	params := db.RateSetParams{
		Currency: currency, FiatPerUSDT: decimal.RequireFromString(fiatPerUSDT), Source: "test", ObservedAt: Start,
	}
	if !fresh {
		params.StaleAt = &Start
	}
	check(t, d.Queries().RateSet(t.Context(), params))
}

// Balance reads the balance of an account with its pending credits.
func (d *DB) Balance(t testing.TB, account ledger.Account) decimal.Decimal {
	t.Helper()
	balance, err := ledger.Balance(t.Context(), d.Queries(), account)
	check(t, err)
	return balance
}

// WantHas fails the test if an account has another balance, pending credits
// included, or if an invariant of the ledger is broken.
func (d *DB) WantHas(t testing.TB, want map[ledger.Account]string) {
	t.Helper()
	for account, amount := range want {
		if got := d.Balance(t, account); !got.Equal(decimal.RequireFromString(amount)) {
			t.Errorf("%s %d, reserved %t, has %s, want %s", account.Owner, account.OwnerID, account.Reserved, got, amount)
		}
	}
	d.Audit(t)
}

// Audit fails the test for every invariant of the ledger that is broken.
func (d *DB) Audit(t testing.TB) {
	t.Helper()
	found, err := audit.Everything(t.Context(), d.Pool)
	check(t, err)
	for _, violation := range found {
		t.Errorf("audit: %s: %s", violation.Rule, violation.Detail)
	}
}

// History reads a payment's changes of status, from its creation on.
func (d *DB) History(t testing.TB, merchantID, paymentID int64) []db.PaymentHistory {
	t.Helper()
	rows, err := db.New(d.Pool).PaymentHistoryList(t.Context(),
		db.PaymentHistoryListParams{MerchantID: merchantID, PaymentID: paymentID})
	check(t, err)
	return rows
}

// StoredNowhere fails the test if a table that stores secrets has this one in
// the clear, as text or in the hexadecimal form in which bytea is printed.
func (d *DB) StoredNowhere(t testing.TB, secret string) {
	t.Helper()
	for _, table := range []string{
		"api_key", "app_user", "session", "recovery_code", "invitation", "passkey", "merchant", "cashbox", "setting_change",
	} {
		for _, text := range d.Texts(t, "select x::text from "+table+" x") {
			if strings.Contains(text, secret) || strings.Contains(text, hex.EncodeToString([]byte(secret))) {
				t.Errorf("%s holds the secret itself: %s", table, text)
			}
		}
	}
}

// Clock is a test's clock. It stands still until the test moves it.
type Clock struct {
	offset atomic.Int64
	began  atomic.Pointer[time.Time]
}

// Now implements clock.Clock.
func (c *Clock) Now() time.Time {
	now := Start.Add(time.Duration(c.offset.Load()))
	if began := c.began.Load(); began != nil {
		now = now.Add(time.Since(*began))
	}
	return now
}

// Run lets the clock also run by itself, for code that compares it with the
// time that has passed.
func (c *Clock) Run() { c.began.Store(new(time.Now())) }

// Advance moves the clock forward.
func (c *Clock) Advance(by time.Duration) { c.offset.Add(int64(by)) }

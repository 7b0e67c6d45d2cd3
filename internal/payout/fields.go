package payout

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/outbound"
	"gateway.example/internal/rate"
	"gateway.example/internal/requisite"
)

// Request is a merchant's request to create a payout, as it was sent.
type Request struct {
	OrderID     string
	Amount      string
	Currency    string
	CallbackURI string
	// FeedOnly says that events of the payout are not sent to any address:
	// they are only in the event feed.
	FeedOnly bool
	Method   string
	// Address is the recipient's requisite, Recipient their full name.
	Address   string
	Recipient string
	Code      *string
	BankName  *string
	UserID    *string
	UserIP    *string
	// Metadata is what the merchant notes on the payout.
	Metadata metadata.Set
}

// order is a request that was validated.
type order struct {
	Request
	amount decimal.Decimal
}

const maxText = 255

// validate checks a whole request and reports all wrong fields together with
// those that the codec found. No message quotes the requisite.
//
//rule:what a payout can be asked for
func validate(ctx context.Context, r Request, addresses *outbound.Addresses) (order, error) {
	f := fault.Decoded(ctx)
	o := order{Request: r}
	o.OrderID = f.RequiredText("orderId", r.OrderID, maxText)
	o.Recipient = f.RequiredText("recipient", r.Recipient, maxText)
	o.amount = fault.Read(f, "amount", r.Amount, money.ParseFiat)
	checkMethod(f, r)
	if f.Required("address", r.Address) && !f.Wrong("method") {
		f.Flaw("address", requisite.WrongRecipient(r.Method, r.Address))
	}
	if !r.FeedOnly && f.Required("callbackUri", r.CallbackURI) {
		f.Flaw("callbackUri", addresses.Check(r.CallbackURI))
	}
	f.OptionalMaxLength("code", r.Code, maxText)
	f.OptionalMaxLength("bankName", r.BankName, maxText)
	f.OptionalMaxLength("userId", r.UserID, maxText)
	r.Metadata.Check(f)
	if r.UserIP != nil && !f.Wrong("userIp") {
		ip, err := netip.ParseAddr(*r.UserIP)
		f.Check(err == nil && ip.Zone() == "", "userIp", "must be an IPv4 or IPv6 address")
	}
	return o, f.Err()
}

// row is the row of a payout that is being made.
func (s *Service) row(d *draft) (db.PayoutInsertParams, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return db.PayoutInsertParams{}, fmt.Errorf("make uuid: %w", err)
	}
	quote := rate.QuotePayout(d.amount, d.base.FiatPerUSDT, d.box.MarkupPercent)
	return db.PayoutInsertParams{
		MerchantID:     d.who.MerchantID,
		ID:             d.id,
		UUID:           id,
		CashboxID:      d.box.ID,
		OrderID:        d.OrderID,
		Method:         d.Method,
		Currency:       d.Currency,
		Amount:         d.amount,
		CallbackURI:    d.CallbackURI,
		Address:        s.vault.Seal([]byte(d.Address), place(d.id)),
		AddressMask:    requisite.Mask(d.Address),
		Recipient:      d.Recipient,
		BankCode:       d.Code,
		BankName:       d.BankName,
		UserID:         d.UserID,
		UserIP:         d.UserIP,
		CreatedAt:      d.now,
		ExpiresAt:      d.now.Add(time.Duration(d.box.ValiditySeconds) * time.Second),
		BaseRate:       d.base.FiatPerUSDT,
		RateSource:     d.base.Source,
		RateObservedAt: d.base.ObservedAt,
		MarkupPercent:  d.box.MarkupPercent,
		SpotUSDT:       quote.Spot,
		FrozenUSDT:     quote.Frozen,
		RequestID:      optional.Of(d.who.RequestID),
		RequestAddress: optional.Of(d.who.Address),
		Metadata:       d.Metadata.Column(),
	}, nil
}

type Payout struct {
	ID         int64
	UUID       uuid.UUID
	MerchantID int64
	CashboxID  int64
	OrderID    string
	Method     string
	Currency   string
	// Amount is what the recipient gets, in the currency.
	Amount decimal.Decimal
	// AddressMask is what may be shown of the requisite: its last four
	// digits.
	AddressMask string
	Recipient   string
	// BankCode and BankName are the recipient's bank. UserID and UserIP are
	// the user on whose behalf the merchant pays out. Each is as the
	// merchant sent it, or nil.
	BankCode *string
	BankName *string
	UserID   *string
	UserIP   *string
	// Metadata is what the merchant noted, which is for nobody but the
	// merchant and operators.
	Metadata metadata.Set

	Status       Status
	StatusReason *string
	StatusAt     time.Time
	CreatedAt    time.Time
	// ExpiresAt is until when a trader may take the payout.
	ExpiresAt time.Time
	// TraderID and TakenAt are who took the payout and when, or nil.
	TraderID *int64
	TakenAt  *time.Time
	// ProofReference proves that the recipient was paid, such as the
	// transfer's number.
	ProofReference *string

	// FrozenUSDT is what the payout costs the cashbox.
	FrozenUSDT decimal.Decimal
	// ReturnOf is the payment whose money the payout returns to its payer,
	// or nil. Such a payout costs the cashbox nothing.
	ReturnOf *int64
}

// Reward is what the trader who took a payout gets for completing it. A return
// earns nothing: the trader sends back what they have received.
func Reward(row db.Payout) decimal.NullDecimal {
	if row.ReturnOf != nil {
		return decimal.NewNullDecimal(decimal.Zero)
	}
	return row.TraderUSDT
}

func FromRow(row db.Payout) Payout {
	if row.ReturnOf != nil {
		row.FrozenUSDT = decimal.Zero
	}
	return Payout{
		ID:             row.ID,
		UUID:           row.UUID,
		MerchantID:     row.MerchantID,
		CashboxID:      row.CashboxID,
		OrderID:        row.OrderID,
		Method:         row.Method,
		Currency:       row.Currency,
		Amount:         row.Amount,
		AddressMask:    row.AddressMask,
		Recipient:      row.Recipient,
		BankCode:       row.BankCode,
		BankName:       row.BankName,
		UserID:         row.UserID,
		UserIP:         row.UserIP,
		Metadata:       metadata.Read(row.Metadata),
		Status:         Status(row.Status),
		StatusReason:   row.StatusReason,
		StatusAt:       row.StatusAt,
		CreatedAt:      row.CreatedAt,
		ExpiresAt:      row.ExpiresAt,
		TraderID:       row.TraderID,
		TakenAt:        row.TakenAt,
		ProofReference: row.ProofReference,
		FrozenUSDT:     row.FrozenUSDT,
		ReturnOf:       row.ReturnOf,
	}
}

// For is the payout as a caller who may read it sees it. It copies only what
// that caller may see.
func (p Payout) For(who caller.Caller) Payout {
	seen := Payout{
		ID: p.ID, UUID: p.UUID, MerchantID: p.MerchantID, CashboxID: p.CashboxID, Method: p.Method, Currency: p.Currency,
		Amount: p.Amount, AddressMask: p.AddressMask, Recipient: p.Recipient, BankCode: p.BankCode, BankName: p.BankName,
		Status: p.Status, StatusReason: p.StatusReason, StatusAt: p.StatusAt, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt,
		TakenAt: p.TakenAt, ProofReference: p.ProofReference, ReturnOf: p.ReturnOf,
	}
	if who.SeesOrder() {
		seen.OrderID, seen.UserID, seen.UserIP = p.OrderID, p.UserID, p.UserIP
		seen.FrozenUSDT = p.FrozenUSDT
	}
	if who.SeesMetadata() {
		seen.Metadata = p.Metadata
	}
	if who.SeesTrader() {
		seen.TraderID = p.TraderID
	}
	return seen
}

// Bank is the code of the recipient's bank or, without one, its name; nil if
// neither is known.
func (p Payout) Bank() *string {
	for _, bank := range []*string{p.BankCode, p.BankName} {
		if bank != nil && *bank != "" {
			return bank
		}
	}
	return nil
}

// Package paylink stores merchants' payment links, by which they sell without a
// shop: a link is a page on which a payer begins a payment.
package paylink

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
)

// The longest texts of a link, in characters, and the most payments that may be
// allowed.
const (
	maxTitle       = 120
	maxDescription = 1000
	maxPayments    = 10_000 // they are counted while others wait
)

// Service keeps payment links, and makes the payments of those who open them.
type Service struct {
	pools     db.Pools
	q         *db.Queries
	clock     clock.Clock
	settings  *inforce.Keeper
	addresses *outbound.Addresses
	payments  *payment.Service
	tokens    *auth.Links
}

func New(
	pools db.Pools, c clock.Clock, settings *inforce.Keeper, addresses *outbound.Addresses, payments *payment.Service,
	tokens *auth.Links,
) *Service {
	return &Service{
		pools: pools, q: db.New(pools.Calls), clock: c, settings: settings, addresses: addresses, payments: payments,
		tokens: tokens,
	}
}

// provenAtOnce is how many links are proven in one statement.
const provenAtOnce = 1000

// Prove keeps the addresses of links that were made before they were kept, so
// that they stay when the link keys are rotated.
func (s *Service) Prove(ctx context.Context) error {
	for {
		rows, err := s.q.PaymentLinkUnproven(ctx, provenAtOnce)
		if err != nil || len(rows) == 0 {
			return fault.Doing("list links without a proof", err)
		}
		var p db.PaymentLinkProveParams
		for _, row := range rows {
			p.Ids, p.Proofs = append(p.Ids, row.ID), append(p.Proofs, s.tokens.Proof(row.UUID))
		}
		if err := s.q.PaymentLinkProve(ctx, p); err != nil {
			return fmt.Errorf("keep the proofs of links: %w", err)
		}
	}
}

// Terms are the settings that a link was created with.
type Terms struct {
	ID int64
	// UUID is what the address is made of.
	UUID                  uuid.UUID
	MerchantID, CashboxID int64
	Title                 string
	Description           *string
	// Amount is what the link asks for. Without it payers choose the
	// amount, between the bounds if they are set.
	Amount, MinAmount, MaxAmount decimal.NullDecimal
	// Methods are the methods that payers choose from; empty means all
	// methods of the cashbox.
	Methods []string
	// MaxPayments is how many payments the link may have; nil means any
	// number.
	MaxPayments *int32
	EndsAt      *time.Time
	ReturnURL   *string
	// CallbackURI is where the events of its payments are sent; "" means
	// nowhere.
	CallbackURI string
	CreatedAt   time.Time
	CreatedBy   string
	ClosedAt    *time.Time
	// PictureHash identifies the picture; nil if there is none.
	PictureHash *string
	// Proof is what its address proves itself by, whatever the link keys
	// are. It is nil of a link that an older program has just made.
	Proof []byte
}

// Link is a payment link as its merchant and operators see it.
type Link struct {
	Terms
	// Currency is the currency in which it is paid.
	Currency string
	// State is whether it takes payments.
	State State
	// Payments are the payments begun by the link, Completed the paid ones,
	// and Came the sum that they brought. If there are more than Counted
	// payments, only the newest are counted and More is true.
	Payments, Completed int64
	Came                decimal.Decimal
	More                bool
}

// Owners returns the merchant that owns the link. No trader owns links.
func (l Link) Owners() (merchantID, traderID int64) { return l.MerchantID, 0 }

// State is whether a link takes payments.
type State string

// The states of a link: it takes payments, it has as many payments as it may
// have, its time is over, or somebody closed it. A link that is used up takes
// payments again when one of its payments fails.
const (
	Taking State = "open"
	UsedUp State = "used_up"
	Over   State = "over"
	Closed State = "closed"
)

// States are the names of the states, for filters.
var States = []string{string(Taking), string(UsedUp), string(Over), string(Closed)}

// Counted is the largest number of payments of a link that its sums include.
const Counted = 500

// Draft is a new link, as it was typed.
type Draft struct {
	CashboxID           int64
	Title, Description  string
	Amount, Least, Most string
	Methods             []string
	MaxPayments         int64
	EndsAt              *time.Time
	ReturnURL, Callback string
}

// Create makes a link of the caller's merchant.
func (s *Service) Create(ctx context.Context, who caller.Caller, d Draft) (Link, error) {
	if err := who.Need(caller.MerchantSell); err != nil {
		return Link{}, err
	}
	row, err := s.checked(ctx, who, d)
	if err != nil {
		return Link{}, err
	}
	c := db.SettingChange{At: row.CreatedAt, Actor: row.CreatedBy, Subject: "payment_link"}
	_, err = db.CreateSetting(ctx, s.pools.Calls, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			row.ID, err = q.PaymentLinkInsert(ctx, db.PaymentLinkInsertParams{
				UUID: row.UUID, MerchantID: row.MerchantID, CashboxID: row.CashboxID, Title: row.Title,
				Description: row.Description, Amount: row.Amount, MinAmount: row.MinAmount, MaxAmount: row.MaxAmount,
				Methods: row.Methods, MaxPayments: row.MaxPayments, EndsAt: row.EndsAt, ReturnURL: row.ReturnURL,
				CallbackURI: row.CallbackURI, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy, Proof: row.Proof,
			})
			return row.ID, err
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) {
			return q.PaymentLinkSetting(ctx, db.PaymentLinkSettingParams{ID: id, MerchantID: who.MerchantID})
		},
	})
	if err != nil {
		return Link{}, fmt.Errorf("make a payment link: %w", err)
	}
	return s.Get(ctx, who, row.ID)
}

// checked makes the row of a link from a draft, or says what is wrong with the
// draft.
//
//rule:what a payment link can be made with
func (s *Service) checked(ctx context.Context, who caller.Caller, d Draft) (db.PaymentLink, error) {
	f := fault.Decoded(ctx)
	now := s.clock.Now()
	row := db.PaymentLink{
		UUID: uuid.New(), MerchantID: who.MerchantID, CashboxID: d.CashboxID, Description: optional(d.Description),
		Methods: d.Methods, EndsAt: d.EndsAt, ReturnURL: optional(d.ReturnURL), CallbackURI: strings.TrimSpace(d.Callback),
		CreatedAt: now, CreatedBy: who.Actor(),
	}
	row.Proof = s.tokens.Proof(row.UUID)
	row.Title = f.RequiredText("title", d.Title, maxTitle)
	f.MaxLength("description", d.Description, maxDescription)
	row.Amount, row.MinAmount, row.MaxAmount = amount(f, "amount", d.Amount), amount(f, "minAmount", d.Least), amount(f, "maxAmount", d.Most)
	f.Check(!row.Amount.Valid || !row.MinAmount.Valid && !row.MaxAmount.Valid, "amount", "must not be set beside bounds")
	f.Check(!row.MinAmount.Valid || !row.MaxAmount.Valid || row.MinAmount.Decimal.LessThanOrEqual(row.MaxAmount.Decimal),
		"maxAmount", "must not be less than minAmount")
	if d.MaxPayments != 0 {
		f.Check(d.MaxPayments >= 1 && d.MaxPayments <= maxPayments, "maxPayments", "must be between 1 and %d", maxPayments)
		row.MaxPayments = new(int32(min(max(d.MaxPayments, 1), maxPayments)))
	}
	f.Check(d.EndsAt == nil || d.EndsAt.After(now), "endsAt", "must be in the future")
	if row.ReturnURL != nil {
		f.Flaw("returnUrl", s.addresses.CheckLink(*row.ReturnURL))
	}
	if row.CallbackURI != "" {
		f.Flaw("callbackUri", s.addresses.Check(row.CallbackURI))
	}
	if err := f.Err(); err != nil {
		return row, err
	}
	known, err := s.q.CashboxOfMerchant(ctx, db.CashboxOfMerchantParams{ID: d.CashboxID, MerchantID: who.MerchantID})
	switch {
	case db.NoRows(err):
		return row, fault.ErrCashboxAccessDenied
	case err != nil:
		return row, fmt.Errorf("read the cashbox of a link: %w", err)
	}
	if row.Methods == nil {
		row.Methods = []string{}
	}
	for _, name := range row.Methods {
		all := catalogue.Names(catalogue.Payments(known))
		f.Check(slices.Contains(all, name), "methods", "must be of %s", strings.Join(all, ", "))
	}
	return row, f.Err()
}

func amount(f fault.Fields, field, literal string) decimal.NullDecimal {
	if literal == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(fault.Read(f, field, literal, money.ParseFiat))
}

func optional(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

// stateAt is the state of a link at a moment, apart from whether it is used up.
func stateAt(closedAt, endsAt *time.Time, now time.Time) State {
	switch {
	case closedAt != nil:
		return Closed
	case endsAt != nil && !now.Before(*endsAt):
		return Over
	}
	return Taking
}

// Close stops a link from taking payments. Closing a closed link changes
// nothing; payments that were begun go on.
func (s *Service) Close(ctx context.Context, who caller.Caller, id int64) (Link, error) {
	if err := who.Need(caller.MerchantSell); err != nil {
		return Link{}, err
	}
	now := s.clock.Now()
	_, err := db.ChangeSetting(ctx, s.pools.Calls,
		db.SettingChange{At: now, Actor: who.Actor(), Subject: "payment_link", SubjectKey: fmt.Sprint(id)},
		db.Setting{
			Whole: true,
			Read: func(q *db.Queries) ([]byte, error) {
				return q.PaymentLinkSetting(ctx, db.PaymentLinkSettingParams{ID: id, MerchantID: who.MerchantID})
			},
			Apply: func(q *db.Queries) error {
				return q.PaymentLinkClose(ctx, db.PaymentLinkCloseParams{ID: id, MerchantID: who.MerchantID, ClosedAt: now})
			},
		})
	if err != nil {
		return Link{}, err
	}
	return s.Get(ctx, who, id)
}

// Paid is a payment that was made by a link.
type Paid = db.LinkPaymentListRow

// URL is where payers open the link.
func (l Terms) URL(payURL string, tokens *auth.Links) string {
	if l.Proof == nil {
		l.Proof = tokens.Proof(l.UUID)
	}
	return payURL + "/l/" + auth.LinkToken(l.UUID, l.Proof)
}

// PictureURL is the address of the picture of a link that has one.
func (l Terms) PictureURL(payURL string, tokens *auth.Links) string {
	return l.URL(payURL, tokens) + BelowPicture + *l.PictureHash
}

// BelowPicture is the part of a picture's address between the link's address
// and the hash.
const BelowPicture = "/picture/"

// Callback is where the events of its payments are sent, or nil.
func (l Link) Callback() *string { return optional(l.CallbackURI) }

// Package payment implements the life of a payment and its appeal: creation,
// changes of status, expiry and deferred settlement. Each step is one
// transaction that changes the status, moves the money and queues the
// merchant's webhook.
package payment

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/outbound"
	"gateway.example/internal/routing"
)

type Status string

// The statuses. Any of them may follow any other.
const (
	Pending   Status = "pending"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Appeal    Status = "appeal"
)

var Statuses = []string{string(Pending), string(Completed), string(Failed), string(Cancelled), string(Appeal)}

func known(status string) bool { return slices.Contains(Statuses, status) }

// reasonExpired is the reason of a payment that was not paid in time.
const reasonExpired = "expired"

// reasonLate is the reason of a payment that was completed after it had
// expired.
const reasonLate = "late"

const subject = "payment"

// Request is a merchant's request to create a payment, as it was sent.
type Request struct {
	OrderID     string
	Amount      string
	Currency    string
	CallbackURI string
	Method      *string
	// RubCollectMethod is the method of the nested alternative, which takes
	// precedence over Method.
	RubCollectMethod *string
	Description      *string
	RatePercent      *string
	Payer            *Payer
	// ReturnURL is the shop's page to which the payer returns.
	ReturnURL *string
	// Metadata is what the merchant notes on the payment.
	Metadata metadata.Set
	// FeedOnly says that events of the payment are not sent to any address:
	// they are only in the event feed.
	FeedOnly bool
	// MerchantName says that the body has a merchant's name, which is not
	// allowed.
	MerchantName bool
}

// Payer is what the merchant knows of the payer.
type Payer struct {
	UserID     *string
	UserIP     *string
	FullName   string
	Type       string
	Successful int64
	Expired    int64
	// Counted says that the merchant sent the payer's counters.
	Counted bool
}

// order is a request that was validated.
type order struct {
	Request
	amount decimal.Decimal
	method catalogue.Method
	// percent is the markup that the request asks for.
	percent decimal.NullDecimal
}

const maxText = 255

// validate checks a whole request and reports all wrong fields together with
// those that the codec found.
//
//rule:what a payment can be asked for
func validate(ctx context.Context, r Request, addresses *outbound.Addresses) (order, error) {
	f := fault.Decoded(ctx)
	o := order{Request: r}
	o.OrderID = f.RequiredText("orderId", r.OrderID, maxText)
	o.amount = fault.Read(f, "amount", r.Amount, money.ParseFiat)
	o.method = checkMethod(f, r)
	if !r.FeedOnly && f.Required("callbackUri", r.CallbackURI) {
		f.Flaw("callbackUri", addresses.Check(r.CallbackURI))
	}
	if r.ReturnURL != nil {
		f.Flaw("returnUrl", addresses.CheckLink(*r.ReturnURL))
	}
	f.OptionalMaxLength("description", r.Description, maxText)
	r.Metadata.Check(f)
	o.percent = checkRatePercent(f, r.RatePercent)
	f.Check(!r.MerchantName, "merchantName", "must not be sent: the key headers identify the merchant")
	if r.Payer != nil {
		payer := *r.Payer
		payer.UserID = trimmed(payer.UserID)
		checkPayer(f, payer)
		o.Payer = &payer
	}
	return o, f.Err()
}

// row is the payment's row, on a requisite and at its trader's terms.
func (d *draft) row(id int64, number uuid.UUID, r routing.Candidate) db.Payment {
	markup, source, quote := d.price(r)
	p := db.Payment{
		MerchantID:         d.who.MerchantID,
		ID:                 id,
		UUID:               number,
		CashboxID:          d.shop.CashboxID,
		OrderID:            d.OrderID,
		Method:             d.method.Name,
		Currency:           d.Currency,
		Amount:             d.amount,
		Description:        d.Description,
		CallbackURI:        d.CallbackURI,
		Status:             string(Pending),
		StatusAt:           d.now,
		CreatedAt:          d.now,
		ExpiresAt:          d.now.Add(d.shop.Validity),
		TraderID:           r.TraderID,
		RequisiteID:        &r.ID,
		RequisiteDay:       &r.Day,
		BaseRate:           d.base.FiatPerUSDT,
		RateSource:         d.base.Source,
		RateObservedAt:     &d.base.ObservedAt,
		RateUnavailable:    !d.base.Fresh,
		MarkupPercent:      markup,
		MarkupSource:       source,
		TraderSharePercent: r.TraderSharePercent,
		HoldUSDT:           quote.Hold(),
		AmountUSDT:         quote.Amount,
		ProfitUSDT:         quote.Profit,
		SpreadTraderUSDT:   quote.SpreadTrader,
		SpreadPlatformUSDT: quote.SpreadPlatform,
		ReturnURL:          d.ReturnURL,
		RequestID:          optional.Of(d.who.RequestID),
		RequestAddress:     optional.Of(d.who.Address),
		ChoicePool:         &r.Pool,
		ChoiceLooked:       &r.Looked,
		ChoicePassed:       routing.EncodePassed(r.Passed),
		Metadata:           d.Metadata.Column(),
	}
	if d.method.RequisiteType != "" {
		p.RequisiteType, p.RequisiteMethod = &d.method.RequisiteType, &d.method.RequisiteMethod
		p.RequisiteSealed, p.RequisiteLast4 = r.Sealed, r.Last4
		p.RequisiteHolder, p.RequisiteBank = r.Holder, r.Bank
	}
	d.addPayer(&p)
	return p
}

func (d *draft) addPayer(p *db.Payment) {
	if d.Payer == nil {
		return
	}
	p.PayerUserID, p.PayerIP = d.Payer.UserID, d.Payer.UserIP
	p.PayerFullName, p.PayerType = &d.Payer.FullName, &d.Payer.Type
	if d.Payer.Counted {
		p.PayerSuccessful, p.PayerExpired = &d.Payer.Successful, &d.Payer.Expired
	}
}

type Payment struct {
	ID         int64
	UUID       uuid.UUID
	MerchantID int64
	CashboxID  int64
	OrderID    string
	Method     string
	Currency   string
	// Amount is what the payer pays, in the currency.
	Amount decimal.Decimal
	// ReceivedAmount is the amount that arrived, if it was reported.
	ReceivedAmount decimal.NullDecimal
	Description    *string
	// PayerUserID is the merchant's own name for the payer, or nil.
	PayerUserID *string

	Status       Status
	StatusReason *string
	StatusAt     time.Time
	CreatedAt    time.Time
	// ExpiresAt is when the payer's time ends. If the payment is still
	// pending then, it fails.
	ExpiresAt time.Time
	// ReturnURL is the shop's page to which the payer returns, or nil.
	ReturnURL *string
	// Metadata is what the merchant noted, which is for nobody but the
	// merchant and operators.
	Metadata metadata.Set
	// ClaimedAt is when the payer first said that they had paid, or nil.
	ClaimedAt *time.Time
	// EventSequence is the number of the payment's last webhook event; 0
	// before the first.
	EventSequence int32

	// TraderID is 0 where no trader is assigned.
	TraderID int64
	// RequisiteID is the chosen requisite of the trader. The other five
	// fields are copies from the time of creation: where the payer sends
	// the money. All but the id are nil for card checkout.
	RequisiteID     *int64
	RequisiteType   *string
	RequisiteMethod *string
	RequisiteValue  *string
	RequisiteHolder *string
	RequisiteBank   *string

	// BaseRate is the price of one USDT in the payment's currency. While
	// RateUnavailable, it is the last known rate, by which the trader's
	// USDT are held and the sums in USDT are computed.
	BaseRate        decimal.Decimal
	RateUnavailable bool
	MarkupPercent   decimal.Decimal
	// AmountUSDT is what the merchant gets.
	AmountUSDT decimal.Decimal
	// ProfitUSDT is the whole spread; SpreadTraderUSDT and
	// SpreadPlatformUSDT are the trader's and the platform's parts of it.
	ProfitUSDT         decimal.Decimal
	SpreadTraderUSDT   decimal.Decimal
	SpreadPlatformUSDT decimal.Decimal
	// DifferenceUSDT is what the platform gets in addition because another
	// amount came; negative if it pays.
	DifferenceUSDT decimal.Decimal
}

func (s *Service) FromRow(row db.Payment) Payment {
	return Payment{
		ID:                 row.ID,
		UUID:               row.UUID,
		MerchantID:         row.MerchantID,
		CashboxID:          row.CashboxID,
		OrderID:            row.OrderID,
		Method:             row.Method,
		Currency:           row.Currency,
		Amount:             row.Amount,
		ReceivedAmount:     row.ReceivedAmount,
		Description:        row.Description,
		PayerUserID:        row.PayerUserID,
		Status:             Status(row.Status),
		StatusReason:       row.StatusReason,
		StatusAt:           row.StatusAt,
		CreatedAt:          row.CreatedAt,
		ExpiresAt:          row.ExpiresAt,
		ReturnURL:          row.ReturnURL,
		Metadata:           metadata.Read(row.Metadata),
		ClaimedAt:          row.PayerClaimedAt,
		EventSequence:      row.EventSequence,
		TraderID:           row.TraderID,
		RequisiteID:        row.RequisiteID,
		RequisiteType:      row.RequisiteType,
		RequisiteMethod:    row.RequisiteMethod,
		RequisiteValue:     s.requisite(row),
		RequisiteHolder:    row.RequisiteHolder,
		RequisiteBank:      row.RequisiteBank,
		BaseRate:           row.BaseRate,
		RateUnavailable:    row.RateUnavailable,
		MarkupPercent:      row.MarkupPercent,
		AmountUSDT:         row.AmountUSDT,
		ProfitUSDT:         row.ProfitUSDT,
		SpreadTraderUSDT:   row.SpreadTraderUSDT,
		SpreadPlatformUSDT: row.SpreadPlatformUSDT,
		DifferenceUSDT:     row.DifferenceUSDT,
	}
}

// requisite is the decrypted requisite to which the payer sends the money; nil
// for card checkout.
func (s *Service) requisite(row db.Payment) *string {
	return s.config.Requisites.Read(row.RequisiteID, row.RequisiteSealed, row.RequisiteLast4)
}

// For is the payment as a portal's user who may read it sees it: it has only
// what that user may see.
func (p Payment) For(who caller.Caller) Payment {
	shown := Payment{
		ID: p.ID, UUID: p.UUID, MerchantID: p.MerchantID, CashboxID: p.CashboxID, Method: p.Method, Currency: p.Currency,
		Amount: p.Amount, ReceivedAmount: p.ReceivedAmount, Status: p.Status, StatusReason: p.StatusReason, StatusAt: p.StatusAt,
		CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt, ClaimedAt: p.ClaimedAt, EventSequence: p.EventSequence,
		RequisiteType: p.RequisiteType, RequisiteMethod: p.RequisiteMethod, RequisiteValue: p.RequisiteFor(who),
		RequisiteHolder: p.RequisiteHolder, RequisiteBank: p.RequisiteBank,
		RateUnavailable: p.RateUnavailable, AmountUSDT: p.AmountUSDT,
	}
	if who.SeesOrder() {
		shown.OrderID, shown.Description, shown.PayerUserID = p.OrderID, p.Description, p.PayerUserID
		shown.ReturnURL = p.ReturnURL
	}
	if who.SeesMetadata() {
		shown.Metadata = p.Metadata
	}
	if who.SeesRate() {
		shown.BaseRate, shown.MarkupPercent = p.BaseRate, p.MarkupPercent
	}
	if who.SeesTrader() {
		shown.TraderID, shown.RequisiteID, shown.SpreadTraderUSDT = p.TraderID, p.RequisiteID, p.SpreadTraderUSDT
	}
	if who.SeesEarnings() {
		shown.ProfitUSDT, shown.SpreadPlatformUSDT, shown.DifferenceUSDT = p.ProfitUSDT, p.SpreadPlatformUSDT, p.DifferenceUSDT
	}
	return shown
}

// OpenToPayer reports whether the payer may still act: the payment is pending
// and not expired.
func (p Payment) OpenToPayer(now time.Time) bool {
	return p.Status == Pending && now.Before(p.ExpiresAt)
}

// Ended reports whether the payment needs nothing more from the payer.
func (p Payment) Ended() bool { return p.Status != Pending }

// RequisiteSnapshot reports whether the payment has a copy of a requisite. A
// payment by card checkout has none.
func (p Payment) RequisiteSnapshot() bool { return p.RequisiteType != nil }

// ErrPartCame refuses to cancel a payment that has received a part of its
// amount: otherwise the trader would keep that part.
var ErrPartCame = fault.New(fault.Refused, "payment_part_came", "A part of this payment has come, so it cannot be cancelled.")

// ErrNotPending refuses an action of a trader or payer on a payment that is no
// longer pending.
var ErrNotPending = fault.New(fault.Refused, "payment_not_pending", "The payment is no longer pending.")

package payment

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
)

// Request is what a merchant asks for when creating a payment, as it was sent.
type Request struct {
	OrderID     string
	Amount      string
	Currency    string
	CallbackURI string
	Method      *string
	// RubCollectMethod is the method of the nested alternative, which takes precedence over Method.
	RubCollectMethod *string
	Description      *string
	RatePercent      *string
	Payer            *Payer
	// ReturnURL is the shop's page to which the payer returns.
	ReturnURL *string
	// Metadata is what the merchant notes on the payment.
	Metadata metadata.Set
	// FeedOnly says that events of the payment go to no address: they are in the feed alone.
	FeedOnly bool
	// MerchantName says that the body names a merchant, which it must not.
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
	// Counted says that the counters were sent.
	Counted bool
}

// order is a valid request.
type order struct {
	Request
	amount decimal.Decimal
	method catalogue.Method
	// percent is the markup of the body.
	percent decimal.NullDecimal
}

const maxText = 255

// validate checks a whole request and reports all wrong fields together with those that the codec
// found.
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

func checkRatePercent(f fault.Fields, literal *string) decimal.NullDecimal {
	if literal == nil || f.Wrong("ratePercent") {
		return decimal.NullDecimal{}
	}
	percent, err := money.ParsePercent(*literal)
	if err != nil {
		f.Add("ratePercent", "%s", err)
	}
	return decimal.NewNullDecimal(percent)
}

func checkPayer(f fault.Fields, p Payer) {
	f.OptionalMaxLength("payer.userId", p.UserID, maxText)
	f.MaxLength("payer.fullName", p.FullName, maxText)
	f.MaxLength("payer.type", p.Type, maxText)
	if p.UserIP != nil {
		ip, err := netip.ParseAddr(*p.UserIP)
		f.Check(err == nil && ip.Is4(), "payer.userIp", "must be an IPv4 address")
	}
	f.Check(p.Successful >= 0, "payer.payments.successful", "must be at least 0")
	f.Check(p.Expired >= 0, "payer.payments.expired", "must be at least 0")
}

// checkMethod finds the method that applies: the nested one takes precedence, and only RUB has it.
func checkMethod(f fault.Fields, r Request) catalogue.Method {
	field, name := "method", r.Method
	currencyGiven := f.Required("currency", r.Currency)
	if r.RubCollectMethod != nil {
		field, name = "rubCollect.method", r.RubCollectMethod
		f.Check(*name == "sbp" || *name == "card", field, "must be sbp or card")
		f.Check(r.Currency == "RUB" || f.Wrong("currency"), "rubCollect", "is for RUB only")
	}
	if !f.Required(field, text(name)) || !currencyGiven {
		return catalogue.Method{}
	}
	return findMethod(f, field, *name, r.Currency)
}

// findMethod finds a method of payments in a currency, or says what is wrong with either.
func findMethod(f fault.Fields, field, name, currency string) catalogue.Method {
	found, known := catalogue.Find(catalogue.Methods, name)
	if slices.Contains(found.Currencies, currency) {
		return found
	}
	f.Check(slices.Contains(catalogue.Currencies, currency), "currency", "%s", fault.OneOf(currency, catalogue.Currencies))
	f.Check(known, field, "%s", fault.OneOf(name, catalogue.Names(catalogue.Methods)))
	if known && !f.Wrong("currency") {
		f.Add(field, "is not a method for %s, which has %s", currency,
			strings.Join(catalogue.Names(catalogue.Payments(currency)), ", "))
	}
	return catalogue.Method{}
}

// trimmed is a text without space around it; nil if nothing else is in it.
func trimmed(s *string) *string {
	if inside := strings.TrimSpace(text(s)); inside != "" {
		return &inside
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// parseID parses a positive decimal id without leading zeros.
func parseID(s string) (int64, bool) {
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == s
}

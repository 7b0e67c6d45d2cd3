package payout

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
	"gateway.example/internal/requisite"
)

// Request is what a merchant asks for when creating a payout, as it was sent.
type Request struct {
	OrderID     string
	Amount      string
	Currency    string
	CallbackURI string
	// FeedOnly says that events of the payout go to no address: they are in the feed alone.
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

// order is a valid request.
type order struct {
	Request
	amount decimal.Decimal
}

const maxText = 255

// validate checks a whole request and reports all wrong fields together with those that the codec
// found. No message quotes the requisite.
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

// requiredText is f.RequiredText for a text that may be missing.
func requiredText(f fault.Fields, field string, value *string) *string {
	sent := ""
	if value != nil {
		sent = *value
	}
	sent = f.RequiredText(field, sent, maxText)
	return &sent
}

func payoutCurrencies() []string {
	return slices.DeleteFunc(slices.Clone(catalogue.Currencies), func(currency string) bool {
		return len(catalogue.Payouts(currency)) == 0
	})
}

func payoutMethods() []string {
	return catalogue.Names(slices.DeleteFunc(slices.Clone(catalogue.Methods), func(m catalogue.Method) bool {
		return len(m.Payouts) == 0
	}))
}

// checkMethod checks that there are payouts by the method in the currency.
func checkMethod(f fault.Fields, r Request) {
	currencyGiven, methodGiven := f.Required("currency", r.Currency), f.Required("method", r.Method)
	method, _ := catalogue.Find(catalogue.Methods, r.Method)
	knownCurrency, knownMethod := len(catalogue.Payouts(r.Currency)) > 0, len(method.Payouts) > 0
	f.Check(knownCurrency || !currencyGiven, "currency", "%s", fault.OneOf(r.Currency, payoutCurrencies()))
	f.Check(knownMethod || !methodGiven, "method", "%s", fault.OneOf(r.Method, payoutMethods()))
	if knownMethod && knownCurrency && !slices.Contains(method.Payouts, r.Currency) {
		f.Add("method", "is not a method for %s, which has %s", r.Currency,
			strings.Join(catalogue.Names(catalogue.Payouts(r.Currency)), ", "))
	}
}

package payout

import (
	"context"
	"net/netip"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/requisite"
	"gateway.example/internal/webhook"
)

// Request is what a merchant asks for when creating a payout, as it was sent.
type Request struct {
	OrderID     string
	Amount      string
	Currency    string
	CallbackURI string
	Method      string
	// Address is the recipient's requisite, Recipient their full name.
	Address   string
	Recipient string
	Code      *string
	BankName  *string
	UserID    *string
	UserIP    *string
}

// order is a request found valid.
type order struct {
	Request
	amount decimal.Decimal
}

const maxText = 255

// validate checks a whole request and reports every wrong field at once, those the codec found
// among them. What it says of the requisite never quotes it.
func validate(ctx context.Context, r Request, known []db.PayoutMethod, addresses *webhook.Addresses) (order, error) {
	f := fault.Decoded(ctx)
	o := order{Request: r}
	o.OrderID, o.Recipient = strings.TrimSpace(r.OrderID), strings.TrimSpace(r.Recipient)
	f.Required("orderId", o.OrderID)
	f.MaxLength("orderId", o.OrderID, maxText)
	f.Required("recipient", o.Recipient)
	f.MaxLength("recipient", o.Recipient, maxText)
	o.amount = checkAmount(f, r.Amount)
	checkMethod(f, r, known)
	if f.Required("address", r.Address) && !f.Wrong("method") {
		wrong := requisite.WrongRecipient(r.Method, r.Address)
		f.Check(wrong == "", "address", "%s", wrong)
	}
	if f.Required("callbackUri", r.CallbackURI) {
		wrong := addresses.Check(r.CallbackURI)
		f.Check(wrong == "", "callbackUri", "%s", wrong)
	}
	checkOptional(f, "code", r.Code)
	checkOptional(f, "bankName", r.BankName)
	checkOptional(f, "userId", r.UserID)
	if r.UserIP != nil && !f.Wrong("userIp") {
		ip, err := netip.ParseAddr(*r.UserIP)
		f.Check(err == nil && ip.Zone() == "", "userIp", "must be an IPv4 or IPv6 address")
	}
	return o, f.Err()
}

func checkOptional(f fault.Fields, field string, value *string) {
	if value != nil {
		f.MaxLength(field, *value, maxText)
	}
}

// requiredText wants a text that says something, and returns it trimmed.
func requiredText(f fault.Fields, field string, value *string) *string {
	text := ""
	if value != nil {
		text = strings.TrimSpace(*value)
	}
	f.Required(field, text)
	f.MaxLength(field, text, maxText)
	return &text
}

func checkAmount(f fault.Fields, literal string) decimal.Decimal {
	if !f.Required("amount", literal) {
		return decimal.Zero
	}
	amount, err := money.Parse(literal, money.FiatDecimals)
	if err != nil {
		f.Add("amount", "%s", err)
		return decimal.Zero
	}
	f.Check(amount.GreaterThanOrEqual(decimal.NewFromInt(1)), "amount", "must be at least 1")
	return amount
}

// checkMethod wants a method and a currency that the table of payout methods knows together.
func checkMethod(f fault.Fields, r Request, known []db.PayoutMethod) {
	currencyGiven, methodGiven := f.Required("currency", r.Currency), f.Required("method", r.Method)
	var knownMethod, knownCurrency, together bool
	for _, row := range known {
		knownMethod = knownMethod || row.Method == r.Method
		knownCurrency = knownCurrency || row.Currency == r.Currency
		together = together || row.Method == r.Method && row.Currency == r.Currency
	}
	f.Check(knownCurrency || !currencyGiven, "currency", "is not a currency of payouts")
	f.Check(knownMethod || !methodGiven, "method", "is not a method of payouts")
	if knownMethod && knownCurrency && !together {
		f.Add("method", "is not a method for %s", r.Currency)
	}
}

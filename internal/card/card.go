// Package card is cards as payers enter them: their checks, their types, which show themselves
// redacted whatever prints them, and the safe that keeps them sealed. Of a card code (CVV, SMS
// code) it knows nothing: see acquirer.
package card

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gateway.example/internal/checkdigit"
	"gateway.example/internal/fault"
)

// PAN is a card number. It prints as its last four digits, in every format; Digits alone gives it
// away. The number is behind a pointer, so that a struct around it that is printed field by field
// shows an address.
type PAN struct{ digits *string }

// Digits is the number in the clear: for the acquirer and the safe.
func (p PAN) Digits() string {
	if p.digits == nil {
		return ""
	}
	return *p.digits
}

// Last4 is its end, which may be shown.
func (p PAN) Last4() string {
	digits := p.Digits()
	return digits[max(0, len(digits)-4):]
}

// Format implements fmt.Formatter: whatever the verb, the number stays hidden.
func (p PAN) Format(w fmt.State, _ rune) { _, _ = w.Write([]byte("•••• " + p.Last4())) }

// MarshalJSON implements json.Marshaler as Format does.
func (p PAN) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint(p)) }

// Expiry is the month a card is good through. It prints as nothing but its form.
type Expiry struct{ month, year int }

// Month is 1 to 12.
func (e Expiry) Month() int { return e.month }

// Year has four digits.
func (e Expiry) Year() int { return e.year }

// Format implements fmt.Formatter.
func (e Expiry) Format(w fmt.State, _ rune) { _, _ = w.Write([]byte("••/••")) }

// Before reports whether the card is no longer good at a time.
func (e Expiry) Before(now time.Time) bool {
	now = now.UTC()
	return e.year < now.Year() || e.year == now.Year() && e.month < int(now.Month())
}

// Card is a card found valid.
type Card struct {
	PAN    PAN
	Expiry Expiry
	// Holder is nil when none was given.
	Holder *string
}

// Entry is a card as it was typed.
type Entry struct{ PAN, ExpMonth, ExpYear, Holder string }

const (
	minPAN, maxPAN = 13, 19
	maxHolder      = 64
)

// Parse checks a card, with every wrong field under the name the interface gives it, and never
// quotes what it was given.
func Parse(f fault.Fields, e Entry, now time.Time) Card {
	c := Card{PAN: parsePAN(f, e.PAN), Expiry: parseExpiry(f, e, now)}
	if holder := strings.TrimSpace(e.Holder); holder != "" {
		c.Holder = &holder
		f.MaxLength("cardHolder", holder, maxHolder)
		f.Check(!looksLikePAN(holder), "cardHolder", "must be a name")
		f.Flaw("cardHolder", fault.TextFlaw(holder))
	}
	return c
}

// looksLikePAN tells a card number that slipped into the wrong field: names are shown, and told to
// the merchant.
func looksLikePAN(holder string) bool {
	digits := 0
	for _, r := range holder {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= minPAN
}

// HoldsPAN reports whether the digits of a text, whatever is between them, are a card number, or so
// many that one may be among them. What was typed into a form is not shown again then.
func HoldsPAN(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	return len(digits) > maxPAN || len(digits) >= minPAN && checkdigit.Luhn(digits)
}

// separators are what people put between a number's groups.
var separators = strings.NewReplacer(" ", "", "-", "")

// ParsePAN reads a card number as people type it, and reports whether it is one.
func ParsePAN(text string) (PAN, bool) {
	f := fault.Fields{}
	pan := parsePAN(f, text)
	return pan, len(f) == 0
}

func parsePAN(f fault.Fields, text string) PAN {
	digits := separators.Replace(text)
	switch {
	case f.Wrong("pan"):
	case text == "":
		f.Add("pan", "is required")
	case !allDigits(digits) || len(digits) < minPAN || len(digits) > maxPAN:
		f.Add("pan", "must be %d to %d digits", minPAN, maxPAN)
	case !checkdigit.Luhn(digits):
		f.Add("pan", "is not a valid card number")
	default:
		return PAN{&digits}
	}
	return PAN{}
}

func parseExpiry(f fault.Fields, e Entry, now time.Time) Expiry {
	month, monthOK := number(f, "expMonth", e.ExpMonth, "must be 1 or 2 digits", 1, 2)
	if monthOK && (month < 1 || month > 12) {
		f.Add("expMonth", "must be a month, 1 to 12")
		monthOK = false
	}
	year, yearOK := number(f, "expYear", e.ExpYear, "must be 2 or 4 digits", 2, 4)
	if !monthOK || !yearOK {
		return Expiry{}
	}
	if len(e.ExpYear) == 2 {
		year += 2000
	}
	expiry := Expiry{month, year}
	if expiry.Before(now) {
		f.Add("expMonth", "the card has expired")
		f.Add("expYear", "the card has expired")
	}
	return expiry
}

// number reads digits of one of two lengths.
func number(f fault.Fields, field, text, rule string, shorter, longer int) (int, bool) {
	switch {
	case f.Wrong(field):
		return 0, false
	case text == "":
		f.Add(field, "is required")
		return 0, false
	case !allDigits(text) || len(text) != shorter && len(text) != longer:
		f.Add(field, "%s", rule)
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Package card has the cards that payers enter: how they are checked, types
// that never print them, and the encrypted store. It knows no CVV and no code:
// see package acquirer.
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

// PAN is a card number. It prints as its last four digits, in every format;
// only Digits reveals it. The number is behind a pointer: a struct that
// contains a PAN prints an address.
type PAN struct{ digits *string }

// Digits is the number in the clear, for the acquirer and the safe.
func (p PAN) Digits() string {
	if p.digits == nil {
		return ""
	}
	return *p.digits
}

// Last4 is the last four digits, which may be shown.
func (p PAN) Last4() string {
	digits := p.Digits()
	return digits[max(0, len(digits)-4):]
}

// Format implements fmt.Formatter. It hides the number for every verb.
func (p PAN) Format(w fmt.State, _ rune) { _, _ = w.Write([]byte("•••• " + p.Last4())) }

// MarshalJSON implements json.Marshaler as Format does.
func (p PAN) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint(p)) }

// Expiry is the last month that a card is valid in. It never prints the month.
type Expiry struct{ month, year int }

// Month is 1 to 12.
func (e Expiry) Month() int { return e.month }

// Year has four digits.
func (e Expiry) Year() int { return e.year }

// Format implements fmt.Formatter.
func (e Expiry) Format(w fmt.State, _ rune) { _, _ = w.Write([]byte("••/••")) }

// Before reports whether the card has expired at a time.
func (e Expiry) Before(now time.Time) bool {
	now = now.UTC()
	return e.year < now.Year() || e.year == now.Year() && e.month < int(now.Month())
}

// Card is a checked card.
type Card struct {
	PAN    PAN
	Expiry Expiry
	// Holder is nil when none was given.
	Holder *string
}

// Entry is a card as the payer typed it.
type Entry struct{ PAN, ExpMonth, ExpYear, Holder string }

const (
	minPAN, maxPAN = 13, 19
	maxHolder      = 64
)

// Parse checks a card. It reports every wrong field under the interface's name,
// and never quotes a value.
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

// looksLikePAN recognises a card number in the wrong field. Names, unlike
// numbers, are shown, also to the merchant.
func looksLikePAN(holder string) bool {
	digits := 0
	for _, r := range holder {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= minPAN
}

// HoldsPAN reports whether a text may contain a card number, whatever stands
// between its digits. Such text must not be shown again in a form.
func HoldsPAN(text string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	return len(digits) > maxPAN || len(digits) >= minPAN && checkdigit.Luhn(digits)
}

// separators may stand between the groups of a number.
var separators = strings.NewReplacer(" ", "", "-", "")

// ParsePAN reads a card number as people type it.
func ParsePAN(text string) (PAN, bool) {
	f := fault.Fields{}
	pan := parsePAN(f, text)
	return pan, len(f) == 0
}

// parsePAN reads a card number that may have spaces or hyphens in it, and
// checks its length and check digit. A wrong one is returned empty; f says why
// and quotes no digit.
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

// parseExpiry reads a month and a year, of two digits in this century or of
// four. A card is good to the end of its month, in UTC. What cannot be read is
// returned as zero, an expiry that has passed as it is; f has the messages.
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

// number parses digits of one of two lengths.
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

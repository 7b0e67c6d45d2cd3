// Package money has the amounts of the contract: fiat with two decimals and
// USDT with eight, always decimal and never float.
package money

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// Decimals of the two families of amounts.
const (
	FiatDecimals = 2
	USDTDecimals = 8
	// maxIntegerDigits limits every amount of a caller.
	maxIntegerDigits = 12
)

// What can be wrong with a literal.
var (
	ErrNotPlain  = errors.New("must be a plain decimal number, without sign or exponent")
	ErrPrecision = errors.New("has too many decimals")
	ErrTooLarge  = errors.New("must have at most 12 integer digits")
	ErrTooSmall  = errors.New("must be at least 1")
)

// Parse parses a plain decimal number of at most so many decimals: digits, and
// optionally a point and digits. It refuses signs, exponents, spaces, NaN and
// infinity.
func Parse(literal string, decimals int) (decimal.Decimal, error) {
	integer, fraction, pointed := strings.Cut(literal, ".")
	if !digits(integer) || pointed && !digits(fraction) {
		return decimal.Zero, ErrNotPlain
	}
	if len(fraction) > decimals {
		return decimal.Zero, fmt.Errorf("%w: at most %d", ErrPrecision, decimals)
	}
	if len(integer) > maxIntegerDigits {
		return decimal.Zero, ErrTooLarge
	}
	return decimal.NewFromString(literal)
}

const percentDecimals = 4

// ErrPercent says that a percent is out of bounds.
var ErrPercent = errors.New("must be between 0 and 100")

// ParsePercent parses a percent: 0 to 100, at most 4 decimals.
func ParsePercent(literal string) (decimal.Decimal, error) {
	percent, err := Parse(literal, percentDecimals)
	if err == nil && percent.GreaterThan(decimal.NewFromInt(100)) {
		err = ErrPercent
	}
	return percent, err
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// ParseUSDT parses an amount of USDT: at most 8 decimals.
func ParseUSDT(literal string) (decimal.Decimal, error) { return Parse(literal, USDTDecimals) }

// ParseFiat parses a fiat amount to be paid: at least 1, at most 2 decimals.
func ParseFiat(literal string) (decimal.Decimal, error) {
	amount, err := Parse(literal, FiatDecimals)
	if err == nil && amount.LessThan(decimal.NewFromInt(1)) {
		err = ErrTooSmall
	}
	return amount, err
}

// Fiat formats a fiat amount with exactly two decimals.
func Fiat(d decimal.Decimal) string { return fixed(d, FiatDecimals) }

// USDT formats a USDT amount with exactly eight decimals.
func USDT(d decimal.Decimal) string { return fixed(d, USDTDecimals) }

// fixed is decimal's StringFixed in a fifth of the time. It leaves very long
// numbers and those to be rounded to decimal.
func fixed(d decimal.Decimal, decimals int32) string {
	const digits = 18 // of which every number is an int64
	missing := int(decimals + d.Exponent())
	if missing < 0 || d.NumDigits()+missing > digits {
		return d.StringFixed(decimals)
	}
	amount, unit := d.CoefficientInt64(), int64(1)
	for range missing {
		amount *= 10
	}
	for range decimals {
		unit *= 10
	}
	text := make([]byte, 0, len("-.")+digits+1)
	if amount < 0 {
		amount, text = -amount, append(text, '-')
	}
	text = strconv.AppendInt(text, amount/unit, 10)
	point := len(text)
	text = strconv.AppendInt(text, unit+amount%unit, 10) // its first digit keeps the zeros behind it
	text[point] = '.'
	return string(text)
}

// Rate formats a rate with 2 to 8 decimals.
func Rate(d decimal.Decimal) string {
	s := strings.TrimRight(USDT(d), "0")
	point := strings.IndexByte(s, '.')
	for len(s)-point-1 < FiatDecimals {
		s += "0"
	}
	return s
}

// Plain formats a number without trailing zeros.
func Plain(d decimal.Decimal) string { return d.String() }

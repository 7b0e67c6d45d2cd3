package acquirer

import (
	"errors"
	"fmt"
	"strings"

	"gateway.example/internal/fault"
)

// CVV is a card's verification code. Outside this package it cannot be turned
// into text, JSON or SQL, so nothing can store or show it.
type CVV struct{ digits secret }

// Code is the code a bank sent its customer; it is as secret as a CVV.
type Code struct{ digits secret }

// secret holds the text behind a pointer: a struct that contains one prints an
// address, not the text.
type secret *string

var errSecret = errors.New("a card code cannot be encoded")

// MarshalJSON implements json.Marshaler by refusing.
func (CVV) MarshalJSON() ([]byte, error) { return nil, errSecret }

// MarshalJSON implements json.Marshaler by refusing.
func (Code) MarshalJSON() ([]byte, error) { return nil, errSecret }

// Format implements fmt.Formatter.
func (CVV) Format(w fmt.State, _ rune) { _, _ = w.Write([]byte(dots)) }

// Format implements fmt.Formatter.
func (Code) Format(w fmt.State, _ rune) { _, _ = w.Write([]byte(dots)) }

const dots = "•••"

// reveal is the code in the clear.
func (c CVV) reveal() string { return deref(c.digits) }

func (c Code) reveal() string { return deref(c.digits) }

func deref(s secret) string {
	if s == nil {
		return ""
	}
	return *s
}

// ParseCVV checks a CVV: 3 or 4 digits.
func ParseCVV(f fault.Fields, field, text string) CVV {
	return CVV{parseSecret(f, field, text, 3, 4)}
}

// ParseCode checks a code: 4 to 8 digits.
func ParseCode(f fault.Fields, field, text string) Code {
	return Code{parseSecret(f, field, text, 4, 8)}
}

// parseSecret checks a secret of digits, and returns nil if it is wrong. The
// messages never quote it. A field that is wrong already gets no second
// message.
func parseSecret(f fault.Fields, field, text string, shortest, longest int) secret {
	switch {
	case f.Wrong(field):
	case text == "":
		f.Add(field, "is required")
	case strings.Trim(text, "0123456789") != "" || len(text) < shortest || len(text) > longest:
		f.Add(field, "must be %d to %d digits", shortest, longest)
	default:
		return &text
	}
	return nil
}

// Package checkdigit checks and makes the check digits of card numbers and
// IBANs. Nothing else computes them.
package checkdigit

import (
	"fmt"
	"strconv"
	"strings"
)

// Luhn reports whether a number ends in its check digit, as card numbers do:
// ISO/IEC 7812-1. The number is of digits alone.
func Luhn(number string) bool { return luhnSum(number)%10 == 0 }

// WithLuhn appends the check digit to a number.
func WithLuhn(number string) string {
	return number + strconv.Itoa((10-luhnSum(number+"0")%10)%10)
}

// luhnSum adds up the digits, every second one from the right doubled.
func luhnSum(number string) int {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum
}

// IBAN reports whether a text has an IBAN's length and characters, and its
// check digits are right: ISO 13616.
func IBAN(s string) bool {
	if len(s) < 15 || len(s) > 34 || strings.Trim(s[2:4], "0123456789") != "" {
		return false
	}
	rest, ok := ibanRest(s)
	return ok && rest == 1
}

// NewIBAN puts an IBAN together, of a country's code and an account's number in
// capital letters and digits.
func NewIBAN(country, account string) string {
	rest, _ := ibanRest(country + "00" + account)
	return fmt.Sprintf("%s%02d%s", country, 98-rest, account)
}

// ibanRest is the rest by 97 of an IBAN read as one number: its first four
// characters at the end, letters as 10 to 35.
func ibanRest(s string) (rest int, ok bool) {
	for _, c := range s[4:] + s[:4] {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return 0, false
		}
	}
	return rest, true
}

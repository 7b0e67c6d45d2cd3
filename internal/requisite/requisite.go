// Package requisite knows the form of what money is sent to: phones, cards, accounts and IBANs. It says what is wrong
// with one, and shows no more of one than everybody may see.
package requisite

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// Wrong says what is wrong with a requisite of a type (sbp, phone, card, iban), or "".
func Wrong(kind, value string) string {
	switch kind {
	case "sbp", "phone":
		if !phone(value) {
			return "must be a phone number in E.164 form, such as +79001234567"
		}
	case "card":
		if !card(value) {
			return "must be a card number of 13 to 19 digits with a valid check digit"
		}
	case "iban":
		if !iban(value) {
			return "must be an IBAN with valid check digits, without spaces"
		}
	}
	return ""
}

// WrongRecipient says what is wrong with the recipient's requisite of a payout by a method, or "": sbp goes to a phone,
// c2c to a card or an account.
func WrongRecipient(method, value string) string {
	switch {
	case method == "sbp":
		return Wrong("sbp", value)
	case len(value) == accountDigits:
		if !digits(value) {
			return "must be an account number of 20 digits"
		}
	case !card(value):
		return "must be a card number of 13 to 19 digits with a valid check digit, or an account number of 20 digits"
	}
	return ""
}

// Mask shows the last four characters of a requisite.
func Mask(value string) string {
	return "•••• " + value[max(0, len(value)-shown):]
}

const (
	accountDigits = 20
	shown         = 4
)

func phone(value string) bool {
	number, err := phonenumbers.Parse(value, "")
	return err == nil && phonenumbers.IsPossibleNumber(number) && phonenumbers.Format(number, phonenumbers.E164) == value
}

func card(value string) bool {
	return len(value) >= 13 && len(value) <= 19 && digits(value) && luhn(value)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// luhn checks a card number's check digit: ISO/IEC 7812-1.
func luhn(number string) bool {
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
	return sum%10 == 0
}

// iban checks an IBAN's check digits: the rest by 97 of the rearranged number is 1 (ISO 13616).
func iban(s string) bool {
	if len(s) < 15 || len(s) > 34 || !digits(s[2:4]) {
		return false
	}
	rest := 0
	for _, c := range s[4:] + s[:4] {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

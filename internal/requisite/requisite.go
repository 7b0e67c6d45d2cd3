// Package requisite knows the form of what money is sent to: phones, cards, accounts and IBANs. It says what is wrong
// with one, and shows no more of one than everybody may see.
package requisite

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"gateway/internal/checkdigit"
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
		if !checkdigit.IBAN(value) {
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
	return len(value) >= 13 && len(value) <= 19 && digits(value) && checkdigit.Luhn(value)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

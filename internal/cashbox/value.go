package cashbox

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// checkValue says what is wrong with a requisite of a type, or "".
func checkValue(kind, value string) string {
	switch kind {
	case "sbp", "phone":
		number, err := phonenumbers.Parse(value, "")
		if err != nil || !phonenumbers.IsPossibleNumber(number) || phonenumbers.Format(number, phonenumbers.E164) != value {
			return "must be a phone number in E.164 form, such as +79001234567"
		}
	case "card":
		if len(value) < 13 || len(value) > 19 || !digits(value) || !luhn(value) {
			return "must be a card number of 13 to 19 digits with a valid check digit"
		}
	case "iban":
		if !iban(value) {
			return "must be an IBAN with valid check digits, without spaces"
		}
	}
	return ""
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

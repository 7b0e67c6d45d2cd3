package requestlog

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"gateway.example/internal/checkdigit"
)

// longDigits are digits that may be a card number, also in groups.
var longDigits = regexp.MustCompile(`[0-9](?:[-._]?[0-9]){12,}`)

// shortestToken is the shortest length of our secrets and tokens.
const shortestToken = 40

// isMixed reports whether a text has digits and letters of both cases, as random text does.
func isMixed(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ToLower(text) != text && strings.ToUpper(text) != text
}

// IsHarmless reports whether a request id may be stored and logged. Callers choose their ids, and one
// may be a secret: a card number, a key's secret, a token.
func IsHarmless(id string) bool {
	if uuid.Validate(id) == nil && len(id) == len(uuid.Nil.String()) {
		return true
	}
	if strings.Contains(id, "sk_") || len(id) >= shortestToken && isMixed(id) {
		return false
	}
	for _, run := range longDigits.FindAllString(id, -1) {
		groups := strings.FieldsFunc(run, func(r rune) bool { return r < '0' || r > '9' })
		for i := range groups {
			for j := range groups[i:] {
				if cardNumber(strings.Join(groups[i:i+j+1], "")) {
					return false
				}
			}
		}
	}
	return true
}

// cardNumber reports whether digits could be a card number. None begins with 1, as times do.
func cardNumber(digits string) bool {
	const shortest, longest = 13, 19
	return len(digits) >= shortest && len(digits) <= longest && digits[0] > '1' && checkdigit.Luhn(digits)
}

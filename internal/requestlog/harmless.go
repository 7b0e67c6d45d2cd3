package requestlog

import (
	"strings"

	"github.com/google/uuid"

	"gateway.example/internal/checkdigit"
)

// shortestToken is the shortest length of our secrets and tokens.
const shortestToken = 40

// isMixed reports whether a text has digits and letters of both cases, as
// random text does.
func isMixed(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ToLower(text) != text && strings.ToUpper(text) != text
}

// IsHarmless reports whether a request id may be stored and logged. Callers
// choose their ids, and one may be a secret: a card number, a key's secret, a
// token.
func IsHarmless(id string) bool {
	if uuid.Validate(id) == nil && len(id) == len(uuid.Nil.String()) {
		return true
	}
	if strings.Contains(id, "sk_") || len(id) >= shortestToken && isMixed(id) {
		return false
	}
	return !checkdigit.MentionsCard(id)
}

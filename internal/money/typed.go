package money

import "strings"

// Typed is an amount that people typed as programs read it.
func Typed(text string) string {
	return strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", ".").Replace(text)
}

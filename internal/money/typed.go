package money

import "strings"

// Typed is an amount that people typed as programs read it.
func Typed(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), ""), ",", ".")
}

package checkdigit

import (
	"regexp"
	"strings"
)

// longDigits are digits that may be a card number, also in groups.
var longDigits = regexp.MustCompile(`[0-9](?:[-._ \x{a0}]?[0-9]){12,}`)

// MentionsCard reports whether a text has what could be a card number, also
// among other digits.
func MentionsCard(text string) bool {
	const shortest, longest = 13, 19
	for _, run := range longDigits.FindAllString(text, -1) {
		groups := strings.FieldsFunc(run, func(r rune) bool { return r < '0' || r > '9' })
		for i := range groups {
			number := ""
			for _, group := range groups[i:] {
				if number += group; len(number) > longest {
					break
				}
				// None begins with 1, as times do.
				if len(number) >= shortest && number[0] > '1' && Luhn(number) {
					return true
				}
			}
		}
	}
	return false
}

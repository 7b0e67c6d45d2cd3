package fault

import (
	"strings"
	"unicode"
)

// OneOf says that a value must be one of the given ones, and which one a
// misspelt value probably means.
func OneOf(value string, known []string) string {
	said := "must be one of " + strings.Join(known, ", ")
	if meant := Near(value, known); meant != "" {
		said += "; did you mean " + meant + "?"
	}
	return said
}

// Near is the first name that a misspelt one probably means, or "".
func Near(name string, known []string) string {
	if len(name) > maxMisspelt {
		return ""
	}
	for _, one := range known {
		if distance(plain(name), plain(one)) <= len(one)/misspeltShare {
			return one
		}
	}
	return ""
}

const (
	maxMisspelt   = 64
	misspeltShare = 3 // one letter in three may be wrong
)

// plain removes what spellings of a name differ in.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			exchange := before
			if a[i] != b[j] {
				exchange++
			}
			before = row[j+1]
			row[j+1] = min(exchange, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

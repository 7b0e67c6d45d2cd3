package pay

import "strings"

// splitExpiry splits an expiry date as people and browsers write it: 9/28,
// 09/2028, 0928, 2028-09. For any other text both parts are empty.
func splitExpiry(text string) (month, year string) {
	parts := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("/-. \u00a0", c) })
	switch len(parts) {
	case 1:
		if digits := parts[0]; len(digits) == 4 || len(digits) == 6 {
			month, year = digits[:2], digits[2:]
		}
	case 2:
		month, year = parts[0], parts[1]
		if len(month) == 4 {
			month, year = year, month
		}
	}
	if !isDigits(month, 1, 2) || !isDigits(year, 2, 2) && !isDigits(year, 4, 4) {
		return "", ""
	}
	return month, year
}

func isDigits(text string, shortest, longest int) bool {
	return len(text) >= shortest && len(text) <= longest && strings.Trim(text, "0123456789") == ""
}

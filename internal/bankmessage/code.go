package bankmessage

import "regexp"

// A message has a one-time code if a word for that is near a number, in any
// language of the market and whoever the sender is. It is better to refuse a
// transfer, which its trader then confirms by hand, than to store a code.
const (
	codeWords = `код\p{L}*|пин|парол\p{L}*|құпия ?сөз\p{L}*|kod\p{L}*|parol\p{L}*|şifre\p{L}*|sifre\p{L}*|şifr\p{L}*|code|otp|password|passcode|pin`
	codeWhole = `(?:[A-Z]-)?(?:\d{4,8}|\d{3}[- ]\d{3})`
)

var (
	// codeAfter matches a number right after the word, whatever follows:
	// also a code before an amount.
	codeAfter  = regexp.MustCompile(`(?i)(?:^|[^\p{L}\d])(?:` + codeWords + `)[^\p{L}\d]{1,3}` + codeWhole + `(?:[^\d\p{L}]|$)`)
	codeNear   = regexp.MustCompile(`(?i)(?:^|[^\p{L}\d])(?:` + codeWords + `)(?:[^\p{L}\d]|$)`)
	codeNumber = regexp.MustCompile(`(?i)(?:^|[^\p{L}\d*.,:•-]|[^\d*•.,:-][.,:-])(` + codeWhole + `)(?:[^\d\p{L}]|$)`)
	// afterAmount matches what shows that a number is an amount.
	afterAmount = regexp.MustCompile(
		`(?i)^(?:[ .,']?\d{3})*(?:[.,]\d{1,2})? ?(?:р\.?(?:[^\p{L}]|$)|руб|₽|RU[BR]|₸|тг|тенге|KZT|UZS|сум|so['‘ʻ’]m|AZN|₼|TL|TRY|₺|USD|%)`)
)

// HasCode reports whether a message has a one-time code in it.
func HasCode(text string) bool {
	text = normal(text)
	if codeAfter.MatchString(text) {
		return true
	}
	if !codeNear.MatchString(text) {
		return false
	}
	for at := 0; at < len(text); {
		found := codeNumber.FindStringSubmatchIndex(text[at:])
		if found == nil {
			return false
		}
		if after := text[at+found[3]:]; !afterAmount.MatchString(after) {
			return true
		}
		at += found[3]
	}
	return false
}

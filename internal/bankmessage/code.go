package bankmessage

import "regexp"

// A code is a word for it near a number, in any language of the market, whoever the sender is. Rather a transfer is refused, which
// its trader then confirms by hand, than a code is kept.
const (
	codeWords = `код\p{L}*|пин|парол\p{L}*|құпия ?сөз\p{L}*|kod\p{L}*|parol\p{L}*|şifre\p{L}*|sifre\p{L}*|şifr\p{L}*|code|otp|password|passcode|pin`
	codeWhole = `(?:[A-Z]-)?(?:\d{4,8}|\d{3}[- ]\d{3})`
)

var (
	// codeAfter is a number right after the word, whatever follows it: a code before an amount, too.
	codeAfter  = regexp.MustCompile(`(?i)(?:^|[^\p{L}\d])(?:` + codeWords + `)[^\p{L}\d]{1,3}` + codeWhole + `(?:[^\d\p{L}]|$)`)
	codeNear   = regexp.MustCompile(`(?i)(?:^|[^\p{L}\d])(?:` + codeWords + `)(?:[^\p{L}\d]|$)`)
	codeNumber = regexp.MustCompile(`(?i)(?:^|[^\p{L}\d*.,:•-]|[^\d*•.,:-][.,:-])(` + codeWhole + `)(?:[^\d\p{L}]|$)`)
	// afterAmount is what makes a number an amount instead.
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

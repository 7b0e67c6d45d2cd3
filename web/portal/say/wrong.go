package say

import (
	"cmp"
	"regexp"
	"slices"

	"gateway.example/internal/tongue"
)

// wrongs are the texts about fields in forms, by the services' texts.
// othersWrongs are those of forms that traders do not have.
var (
	wrongs       = tongue.Pairs(files, "wrong.txt")
	othersWrongs = tongue.Pairs(files, "wrong_others.txt")
)

// Wrong is a service's text about a field, in a language.
func Wrong(language, text string) string {
	if language != Russian {
		if plainer, known := plainer[text]; known {
			text = plainer
		}
		return wrongIn(language, text)
	}
	if russian := cmp.Or(wrongs[text], othersWrongs[text]); russian != "" {
		return russian
	}
	for _, pattern := range wrongPatterns {
		if pattern.text.MatchString(text) {
			return pattern.text.ReplaceAllString(text, pattern.russian)
		}
	}
	return text
}

// wrongIn is a service's text about a field in a language with a catalogue.
// Texts with numbers are looked up by the English text that has places for
// them.
func wrongIn(language, text string) string {
	if !slices.Contains(tongue.Catalogues, language) {
		return text
	}
	for _, pattern := range wrongPatterns {
		if pattern.english != "" && pattern.text.MatchString(text) {
			template, _ := tongue.In(language, pattern.english)
			return pattern.text.ReplaceAllString(text, template)
		}
	}
	said, _ := tongue.In(language, text)
	return said
}

// wrongPattern is a text about a field with numbers in it.
type wrongPattern struct {
	text *regexp.Regexp
	// english is the text by which catalogues have it; "" if no trader sees
	// it.
	english, russian string
}

var wrongPatterns = []wrongPattern{
	{regexp.MustCompile(`^must be between (\S+) and (\S+), which the operator has set$`), "must be between $1 and $2, which the operator has set", "от $1 до $2: так решил оператор"},
	{regexp.MustCompile(`^must be at most (\S+), which the operator has set$`), "must be at most $1, which the operator has set", "не больше $1: так решил оператор"},
	{regexp.MustCompile(`^must be between (\S+) and (\S+)$`), "must be between $1 and $2", "от $1 до $2"},
	{regexp.MustCompile(`^must be one of:? ([^;]*)(; did you mean .*)?$`), "", "одно из: $1"},
	{regexp.MustCompile(`^is that of line (\d+), too$`), "is that of line $1, too", "такой же, как в строке $1"},
	{regexp.MustCompile(`^has more than (\d+) rows$`), "has more than $1 rows", "больше $1 строк"},
	{regexp.MustCompile(`^must be at most (\d+)$`), "must be at most $1", "не больше $1"},
	{regexp.MustCompile(`^must be at least ([\d.]+)$`), "must be at least $1", "не меньше $1"},
	{regexp.MustCompile(`^is no regular expression of Go: (.*)$`), "", "не регулярное выражение Go: $1"},
	{regexp.MustCompile(`^has a line (\d+) whose amount cannot be read: (.*)$`), "has a line $1 whose amount cannot be read: $2", "в строке $1 не читается сумма: $2"},
	{regexp.MustCompile(`^has a line (\d+) whose date cannot be read: (.*)$`), "has a line $1 whose date cannot be read: $2", "в строке $1 не читается дата: $2"},
	{regexp.MustCompile(`^has too many decimals: at most (\d+)$`), "has too many decimals: at most $1", "знаков после запятой — не больше $1"},
	{regexp.MustCompile(`^must be at most (\d+) characters$`), "must be at most $1 characters", "не больше $1 символов"},
	{regexp.MustCompile(`^must be at most (\d+) KB$`), "", "не больше $1 КБ"},
	{regexp.MustCompile(`^must be at most (\d+) pixels wide and high$`), "", "не больше $1 точек в ширину и высоту"},
	{regexp.MustCompile(`^must be (\d+) to (\d+) characters$`), "must be $1 to $2 characters", "от $1 до $2 символов"},
	{regexp.MustCompile(`^is not a method (?:of payouts in|for) ([^ ,]+)(?:, which has .+)?$`), "is not a method for $1", "такого метода для $1 нет"},
	{regexp.MustCompile(`^must be methods of (\S+) with a requisite$`), "", "нужны методы $1 с реквизитом"},
	{regexp.MustCompile(`^must be texts of at most (\d+) bytes$`), "", "не больше $1 байт на строку"},
	{regexp.MustCompile(`^must be among .*$`), "must be among those of the list", "выберите из списка"},
}

// plainer has texts of forms in place of services' texts that use names of the
// API's fields.
var plainer = map[string]string{
	"maxAmount must not be less than minAmount": "must not be less than the smallest payment",
	"must differ from workFrom":                 "must differ from the beginning",
}

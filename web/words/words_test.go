package words_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/requisite"
	"gateway.example/internal/testenv"
	"gateway.example/web/words"
)

func in(t *testing.T, code string) words.Words {
	t.Helper()
	w, known := words.In(code)
	testenv.Need(t, known, "%s is not spoken", code)
	return w
}

var place = regexp.MustCompile(`%(\[\d\])?[sd]`)

// Every key is said in every language, and with the same places to fill as in
// English.
func TestEveryLanguageSaysEverything(t *testing.T) {
	t.Parallel()
	keys := words.Keys(t)
	testenv.Need(t, len(keys) >= 50, "only %d keys were found", len(keys))
	for _, language := range words.Languages {
		for _, key := range keys {
			said, there := words.Raw(language.Code, key)
			if !there || strings.TrimSpace(said) == "" {
				t.Errorf("%s has no %q", language.Code, key)
				continue
			}
			english, _ := words.Raw("en", key)
			if got, want := places(said), places(english); !slices.Equal(got, want) {
				t.Errorf("%s, %q has the places %v, want %v", language.Code, key, got, want)
			}
		}
		extra := words.Size(language.Code) - len(keys)
		testenv.Check(t, extra == 0, "%s has %d phrases nobody asks for", language.Code, extra)
	}
}

// Every language says what the page of each type of requisites shows.
func TestEveryLanguageSaysEveryType(t *testing.T) {
	t.Parallel()
	for _, language := range words.Languages {
		for _, kind := range requisite.Types {
			keys := []string{kind.Label, kind.Open, kind.Enter}
			if kind.EnterNumber != "" {
				keys = append(keys, kind.EnterNumber)
			}
			for _, key := range keys {
				if said, there := words.Raw(language.Code, words.Key(key)); !there || strings.TrimSpace(said) == "" {
					t.Errorf("%s has no %q, which is said of %s", language.Code, key, kind.Name)
				}
			}
		}
	}
}

// places are those of a phrase, each once: forms of a plural repeat theirs.
func places(phrase string) []string {
	found := place.FindAllString(phrase, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// Where English names a thing, every language names it by its one word.
func TestOneWordForOneThing(t *testing.T) {
	t.Parallel()
	things := words.Terms("en")
	for _, language := range words.Languages {
		got := len(words.Terms(language.Code))
		testenv.Check(t, got == len(things), "%s has words for %d things, want %d", language.Code, got, len(things))
		for thing, name := range things {
			named := regexp.MustCompile(`(?i)\b` + name + `s?\b`)
			stem, there := words.Terms(language.Code)[thing]
			if !there {
				t.Errorf("%s has no word for %s", language.Code, thing)
				continue
			}
			word, found := regexp.MustCompile("(?i)"+stem), 0
			for _, key := range words.Keys(t) {
				if english, _ := words.Raw("en", key); !named.MatchString(english) {
					continue
				}
				found++
				if said, _ := words.Raw(language.Code, key); !word.MatchString(said) {
					t.Errorf("%s calls the %s something else than %q: %s", language.Code, thing, stem, said)
				}
			}
			testenv.Check(t, found != 0, "no phrase speaks of a %s", thing)
		}
	}
}

// Words that would be a second name for something, or that readers of the
// language have corrected.
func TestNoSecondWord(t *testing.T) {
	t.Parallel()
	for code, second := range map[string]string{
		"en": `merchant|store|transaction|purchase|beneficiary|cheque|CVV code`,
		"ru": `квитанци|транзакци|продав|карточк|покупк|адресат|код из банка|код CVV|код проверки|забыть|освобод`,
		"az": `kvitansiya|çek|satıcı|dükan|alıcı|transfer|proqram|CVV kod|unut|nəsə`,
		"tr": `makbuz|fiş|fatura|havale|satıcı|dükkan|miktar|CVV kod|CVV numarası|unut|kendiliğinden`,
		"kk": `чек|квитанци|қолданба|сауда|сумма|карточка|CVV код|ұмыт|күші жойыл|теңгерім| сан`,
		"uz": `kvitansiya|magazin|oluvchi|dastur|kartochka|tranzaksiya|zakaz|CVV kod|unut|['‘’` + "`]",
		"mn": `гүйлгээ|чек|тасалбар|худалда|программ|нууц|CVV код|март|татгалз|мөн адил`,
	} {
		wrong := regexp.MustCompile("(?i)" + second)
		for _, key := range words.Keys(t) {
			said, _ := words.Raw(code, key)
			word := wrong.FindString(said)
			testenv.Check(t, word == "", "%s says %q in %q", code, word, said)
		}
	}
}

// A phrase left in English is one that was forgotten; these are the same in
// other languages, too.
func TestNothingIsLeftInEnglish(t *testing.T) {
	t.Parallel()
	same := []words.Key{words.IBAN, words.TitleOf, words.Som, words.Bank, words.SecurityCode}
	for _, language := range words.Languages[1:] {
		for _, key := range words.Keys(t) {
			english, _ := words.Raw("en", key)
			if said, _ := words.Raw(language.Code, key); said == english && !slices.Contains(same, key) {
				t.Errorf("%s says %q in English", language.Code, key)
			}
		}
	}
}

// The amounts as CLDR has them; between number and sign is a non-breaking
// space.
func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, amount, currency, want string }{
		{"en", "1234567.5", "RUB", "1,234,567.50\u00a0₽"},
		{"ru", "1234567.5", "RUB", "1\u00a0234\u00a0567,50\u00a0₽"},
		{"ru", "1500", "RUB", "1\u00a0500\u00a0₽"},
		{"az", "12.05", "AZN", "12,05\u00a0₼"},
		{"tr", "2350", "TRY", "₺2.350"},
		{"en", "2350", "TRY", "₺2,350"},
		{"ru", "2350", "TRY", "2\u00a0350\u00a0₺"},
		{"kk", "1234567.89", "KZT", "1\u00a0234\u00a0567,89\u00a0₸"},
		{"uz", "250000", "UZS", "250\u00a0000\u00a0soʻm"},
		{"ru", "250000", "UZS", "250\u00a0000\u00a0сум"},
		{"en", "250000", "UZS", "250,000\u00a0UZS"},
		{"mn", "1250000.5", "MNT", "1,250,000.50\u00a0₮"},
		{"en", "999999999999.99", "EUR", "999,999,999,999.99\u00a0EUR"},
	} {
		testenv.Want(t, in(t, test.language).Amount(decimal.RequireFromString(test.amount), test.currency), test.want,
			"%s %s in %s", test.amount, test.currency, test.language)
	}
}

func TestPlurals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language string
		minutes  int
		want     string
	}{
		{"en", 0, "less than a minute left"},
		{"en", 1, "1 minute left"},
		{"en", 2, "2 minutes left"},
		{"ru", 0, "осталось меньше минуты"},
		{"ru", 1, "осталась 1 минута"},
		{"ru", 2, "осталось 2 минуты"},
		{"ru", 5, "осталось 5 минут"},
		{"ru", 11, "осталось 11 минут"},
		{"ru", 12, "осталось 12 минут"},
		{"ru", 21, "осталась 21 минута"},
		{"ru", 1440, "осталось 1\u00a0440 минут"},
		{"az", 14, "14 dəqiqə qalıb"},
		{"tr", 1, "1 dakika kaldı"},
		{"tr", 14, "14 dakika kaldı"},
		{"kk", 14, "14 минут қалды"},
		{"uz", 14, "14 daqiqa qoldi"},
		{"mn", 14, "14 минут үлдлээ"},
	} {
		testenv.Want(t, in(t, test.language).Say(words.MinutesLeft, test.minutes), test.want,
			"%d minutes in %s", test.minutes, test.language)
	}
}

func TestLanguageOfABrowser(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"": "en", "ru-RU,ru;q=0.9,en;q=0.8": "ru", "de-DE,de": "en", "de,tr;q=0.5": "tr", "kk-KZ": "kk", "uz-Latn-UZ": "uz",
		"az-AZ,ru;q=0.5": "az", "mn-MN": "mn", "en-GB": "en", "*": "en", "ru;q=x,\x00": "en", "en;q=0.1,mn;q=0.9": "mn",
	} {
		testenv.Want(t, words.For(accept).Code, want, "%q is answered in", accept)
	}
}

func TestUnknownLanguage(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "de", "de-RU", "../en", "ru RU", strings.Repeat("ru-", 1000)} {
		if _, known := words.In(code); known {
			t.Errorf("%q is spoken", code)
		}
	}
}

// A language is known by its tag, however that is written and whatever region
// or script it names.
func TestLanguageTags(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"ru": "ru", "RU": "ru", "ru-RU": "ru", "tr_TR": "tr", "uz-Latn-UZ": "uz", "kk-Cyrl": "kk", "en-GB": "en",
	} {
		if got, known := words.In(tag); !known || got.Code != want {
			t.Errorf("%q is %q, want %q", tag, got.Code, want)
		}
	}
}

// What a merchant writes goes through phrases as it is.
func TestFillingIsNoPhrase(t *testing.T) {
	t.Parallel()
	if got := in(t, "en").Say(words.TitleOf, "100%d", "%s & <b>"); got != "100%d – %s & <b>" {
		t.Error(got)
	}
}

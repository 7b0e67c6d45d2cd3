// Package words has the texts of the hosted pages in all of their languages:
// phrases with their plural forms, numbers and amounts. A page gets one Words
// for its reader and asks it for everything it shows.
package words

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
	"golang.org/x/text/number"

	"gateway.example/internal/money"
	"gateway.example/internal/tongue"
)

// Language is one the pages speak: its code, and the name its readers know it
// by.
type Language struct{ Code, Name string }

// Languages are all there are. The first is spoken to readers of none of them.
var Languages = []Language{
	{"en", "English"}, {"ru", "Русский"}, {"az", "Azərbaycanca"}, {"tr", "Türkçe"},
	{"kk", "Қазақша"}, {"uz", "Oʻzbekcha"}, {"mn", "Монгол"},
}

//go:embed *.txt
var files embed.FS

// all are the phrases of each language, by its code: texts, or messages that
// depend on a number.
var all = func() map[string]map[Key]catalog.Message {
	languages := map[string]map[Key]catalog.Message{}
	for _, l := range Languages {
		languages[l.Code] = phrases(l.Code)
	}
	return languages
}()

// phrases are those of a language's file: a line with the key, then the text,
// or a line for each form of a plural.
func phrases(code string) map[Key]catalog.Message {
	said := map[Key]catalog.Message{}
	for key, lines := range tongue.Parts(files, code+".txt") {
		message, err := phrase(lines)
		if err != nil {
			panic(fmt.Sprintf("words: %q in %s: %v", key, code, err))
		}
		said[Key(key)] = message
	}
	return said
}

// forms are those a number in a phrase may ask for. A language lists the ones
// it has.
var forms = []string{"=0", "zero", "one", "two", "few", "many", "other"}

// phrase is what the lines below a key say.
func phrase(lines []string) (catalog.Message, error) {
	var counted []any
	for _, line := range lines {
		if form, text, _ := strings.Cut(line, ": "); slices.Contains(forms, form) {
			counted = append(counted, form, text)
		}
	}
	switch {
	case len(lines) == 1 && len(counted) == 0:
		return catalog.String(lines[0]), nil
	case len(lines) > 0 && len(counted) == 2*len(lines):
		return plural.Selectf(1, "%d", counted...), nil
	}
	return nil, fmt.Errorf("has %d lines, which are neither one text nor the forms of a plural, each as in %q", len(lines), "other: %d")
}

// spoken holds the phrases of all languages, and matcher finds the best of them
// for a reader. They are made at the start, so that a plural form which a
// language does not have is refused then.
var spoken, matcher = func() (catalog.Catalog, language.Matcher) {
	builder := catalog.NewBuilder()
	tags := make([]language.Tag, 0, len(Languages))
	for _, l := range Languages {
		tag := language.MustParse(l.Code)
		tags = append(tags, tag)
		for key, phrase := range all[l.Code] {
			if err := builder.Set(tag, string(key), phrase); err != nil {
				panic(fmt.Sprintf("words: %q in %s: %v", key, l.Code, err))
			}
		}
	}
	return builder, language.NewMatcher(tags)
}()

// Words speaks one language.
type Words struct {
	Language
	printer *message.Printer
}

// In speaks a language by its code, or by a tag of it with a script or region,
// as in ru-RU and tr_TR.
func In(tag string) (Words, bool) {
	parsed, err := language.Parse(tag)
	if err != nil {
		return Words{}, false
	}
	base, _ := parsed.Base()
	at := slices.IndexFunc(Languages, func(l Language) bool { return l.Code == base.String() })
	if at < 0 {
		return Words{}, false
	}
	printer := message.NewPrinter(language.MustParse(Languages[at].Code), message.Catalog(spoken))
	return Words{Language: Languages[at], printer: printer}, true
}

// For speaks the language a browser asks for by its Accept-Language header.
func For(accept string) Words {
	asked, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		asked = nil
	}
	_, at, _ := matcher.Match(asked...)
	w, _ := In(Languages[at].Code)
	return w
}

// Say is the phrase of a key, its places filled.
func (w Words) Say(key Key, fill ...any) string { return w.printer.Sprintf(string(key), fill...) }

// signs are the currencies' own; those without one go by their code, or by what
// a language calls them.
var signs = map[string]string{"RUB": "₽", "TRY": lira, "KZT": "₸", "MNT": "₮", "AZN": "₼"}

// lira is the one sign that stands before its amount, without a space, where
// English or Turkish is read.
const lira = "₺"

// Amount writes a fiat amount as its reader is used to: grouped, and with
// decimals only where there are any.
func (w Words) Amount(amount decimal.Decimal, currency string) string {
	sign, known := signs[currency]
	if !known {
		sign = currency
		if currency == "UZS" {
			sign = w.Say(Som)
		}
	}
	if sign == lira && (w.Code == "en" || w.Code == "tr") {
		return sign + w.Number(amount)
	}
	// The non-breaking space keeps the two on one line.
	return w.Number(amount) + "\u00a0" + sign
}

// Number writes an amount without its currency. It never passes through a
// float.
func (w Words) Number(amount decimal.Decimal) string {
	return w.Grouped(strings.TrimSuffix(money.Fiat(amount), ".00"))
}

// Grouped writes a plain decimal with the language's spaces or commas between
// thousands, its point, and a true minus.
func (w Words) Grouped(plain string) string {
	digits, negative := strings.CutPrefix(plain, "-")
	whole, fraction, broken := strings.Cut(digits, ".")
	number, _ := strconv.ParseInt(whole, 10, 64)
	text := w.printer.Sprint(number)
	if broken {
		text += w.point() + fraction
	}
	if negative {
		return "−" + text
	}
	return text
}

// point is what the language puts between whole and fraction.
func (w Words) point() string { return strings.Trim(w.printer.Sprint(number.Decimal(0.5)), "05") }

package bankmessage

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"
)

// Kind is what a message is about.
type Kind string

// The kinds of messages. Nothing of a Code is stored.
const (
	Incoming      Kind = "incoming"
	Outgoing      Kind = "outgoing"
	Declined      Kind = "declined"
	Balance       Kind = "balance"
	Advertisement Kind = "advertisement"
	Code          Kind = "code"
	Unknown       Kind = "unknown"
)

// Kinds are those that a pattern can have.
var Kinds = []Kind{Incoming, Outgoing, Declined, Balance, Advertisement}

// Reading is what a pattern reads in a message.
type Reading struct {
	Kind Kind
	// Bank is the bank's code, and Pattern is the name of the pattern, such
	// as sber.ru/1.
	Bank, Pattern, Currency string
	// Amount is what arrived or left, and Balance is the balance
	// afterwards.
	Amount, Balance decimal.NullDecimal
	// Account are the last four digits of the account or card, or "".
	Account string
}

// sheet is a file: the patterns of one bank in one language.
type sheet struct {
	bank, name, currency string
	senders              []string
	patterns             []pattern
	codes                []string
}

// pattern is a regular expression for whole messages, and its examples.
type pattern struct {
	name     string
	kind     Kind
	expr     *regexp.Regexp
	examples []example
}

// example is a message and the expected reading: amount, balance and account,
// each "-" if there is none.
type example struct{ text, reads string }

//go:embed patterns/*.txt
var files embed.FS

// sheets are the files of all patterns. A wrong file ends the program at its
// start.
var sheets = sync.OnceValue(func() []sheet {
	names, err := fs.Glob(files, "patterns/*.txt")
	var all []sheet
	for _, name := range names {
		var text []byte
		if text, err = files.ReadFile(name); err != nil {
			break
		}
		var s sheet
		s, err = parseSheet(strings.TrimSuffix(strings.TrimPrefix(name, "patterns/"), ".txt"), string(text))
		if err != nil {
			break
		}
		all = append(all, s)
	}
	if err != nil {
		panic(err)
	}
	return all
})

// Bank is a bank whose messages are known.
type Bank struct{ Code, Name, Currency string }

// Banks lists each bank whose messages are known.
func Banks() []Bank {
	var list []Bank
	for _, s := range sheets() {
		if b := (Bank{s.bank, s.name, s.currency}); !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// NameOf is the name of the bank with a code, or the code if it is not known.
func NameOf(code string) string {
	banks := Banks()
	if i := slices.IndexFunc(banks, func(b Bank) bool { return b.Code == code }); i >= 0 {
		return banks[i].Name
	}
	return code
}

// Currencies are the currencies in which patterns can be written.
func Currencies() []string { return slices.Sorted(maps.Keys(units)) }

// Read reads a message by the patterns of its sender's bank. If no pattern fits
// the sender and the text, the kind is Unknown.
func Read(m Forwarded) Reading {
	sender, text := strings.TrimSpace(m.Sender), normal(m.Text)
	for _, s := range sheets() {
		if !slices.ContainsFunc(s.senders, func(known string) bool {
			return strings.EqualFold(known, sender) && isPackage(known) == (m.Kind == push)
		}) {
			continue
		}
		for _, p := range s.patterns {
			if found, ok := p.read(text); ok {
				found.Bank, found.Currency = s.bank, s.currency
				return found
			}
		}
	}
	return Reading{Kind: Unknown}
}

// isPackage reports whether a sender is the package name of an app, which is
// the sender of pushes. A name that an app or a chat displays would be no
// proof, because anybody can choose it.
func isPackage(sender string) bool {
	return strings.Contains(sender, ".") && sender == strings.ToLower(sender)
}

// notCome matches what banks say of a transfer that has not come, or that comes
// back. Where a pattern has room for a name, such a word would be one.
var notCome = regexp.MustCompile(`(?i)отмен|отклон|отказ|возврат|ожида|бас тарт|қайтар|iade edil|iptal|redded|rədd|imtina|ləğv|qaytar|bekor`)

// read reads a message by a pattern. It returns false if the pattern does not
// fit, or if an amount is ambiguous.
func (p pattern) read(text string) (Reading, bool) {
	found := p.expr.FindStringSubmatch(text)
	if found == nil || p.kind == Incoming && notCome.MatchString(text) {
		return Reading{}, false
	}
	r := Reading{Kind: p.kind, Pattern: p.name}
	for i, name := range p.expr.SubexpNames() {
		if found[i] == "" {
			continue
		}
		switch name {
		case "amount":
			r.Amount = amountOf(found[i])
		case "balance":
			r.Balance = amountOf(found[i])
		case "account":
			r.Account = found[i]
		}
	}
	return r, r.Amount.Valid || p.kind != Incoming && p.kind != Outgoing
}

// normal replaces all white space in a text by single spaces, so that patterns
// need not know which it is.
func normal(text string) string { return strings.Join(strings.Fields(text), " ") }

// amountOf parses an amount as a bank writes it. The expression that found it
// allows groups of three digits, and one or two digits after the last
// separator.
func amountOf(written string) decimal.NullDecimal {
	fraction := ""
	if i := strings.LastIndexAny(written, ".,"); i >= 0 && len(written)-i <= 3 {
		written, fraction = written[:i], written[i+1:]
	}
	whole := strings.NewReplacer(" ", "", ".", "", ",", "", "'", "").Replace(written)
	amount, err := decimal.NewFromString(whole + "." + (fraction + "00")[:2])
	return decimal.NullDecimal{Decimal: amount, Valid: err == nil && len(whole) <= 12}
}

// units are the ways in which a currency is written.
var units = map[string]string{
	"RUB": `(?:р|руб|₽|RUB|RUR)\.?`, "KZT": `(?:₸|тг|тенге|KZT)\.?`, "UZS": `(?:UZS|сум|so['‘ʻ’]m)`,
	"AZN": `(?:AZN|₼|man)\.?`, "TRY": `(?:TL|TRY|₺)`,
}

const number = `\d{1,3}(?:[ .,']\d{3})*(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?`

// parts are the building blocks of expressions. A name has no digits: senders
// of money choose their name, and must not be able to write an amount into it.
var parts = strings.NewReplacer(
	"{amount}", "(?P<amount>"+number+")",
	"{balance}", "(?P<balance>"+number+")",
	"{account}", `(?P<account>\d{4})`,
	"{from}", `\p{L}[\p{L} .'’*-]{0,60}?`,
	"{shop}", `(?:.{1,80}? )??`,
	"{time}", `\d{1,2}:\d{2}(?::\d{2})?`,
)

var (
	errSheet   = errors.New("a file of patterns is wrong")
	errNoUnits = errors.New("the currency has no units")
	errLarge   = errors.New("is too large: repeat less")
)

// compile makes the expression of a pattern. It matches the whole message, in
// upper and lower case.
func compile(expr, currency string) (*regexp.Regexp, error) {
	if units[currency] == "" {
		return nil, errNoUnits
	}
	return regexp.Compile("(?i)^(?:" + strings.ReplaceAll(parts.Replace(expr), "{unit}", units[currency]) + ")$")
}

// parseSheet reads a file: its head, its patterns with the examples of each,
// and examples of codes.
func parseSheet(name, text string) (sheet, error) {
	s, inCodes := sheet{}, false
	for i, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		last := len(s.patterns) - 1
		var err error
		switch {
		case line == "":
		case word == "bank":
			s.bank = rest
		case word == "name":
			s.name = rest
		case word == "currency":
			s.currency = rest
		case word == "sender":
			s.senders = append(s.senders, rest)
		case line == string(Code):
			inCodes = true
		case word == ">" && inCodes:
			s.codes = append(s.codes, rest)
		case word == ">" && last >= 0:
			s.patterns[last].examples = append(s.patterns[last].examples, example{text: rest, reads: "- - -"})
		case word == "=" && last >= 0 && len(s.patterns[last].examples) > 0:
			s.patterns[last].examples[len(s.patterns[last].examples)-1].reads = rest
		case slices.Contains(Kinds, Kind(word)):
			p := pattern{name: fmt.Sprintf("%s/%d", name, last+2), kind: Kind(word)} //nolint:mnd // numbered from one
			p.expr, err = compile(rest, s.currency)
			s.patterns = append(s.patterns, p)
		default:
			err = errSheet
		}
		if err != nil {
			return s, fmt.Errorf("patterns of %s, line %d: %w", name, i+1, err)
		}
	}
	return s, nil
}

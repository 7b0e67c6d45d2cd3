// Package bankmessage reads what banks write to traders' phones, and confirms the payments that it proves. Messages with one-time
// codes are refused and never kept.
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

// Kind is what a message says.
type Kind string

// The kinds of messages. Nothing is kept of a Code.
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

// Reading is what a message says, as a pattern reads it.
type Reading struct {
	Kind Kind
	// Bank is the bank by its short name, and Pattern names the pattern, such as sber.ru/1.
	Bank, Pattern, Currency string
	// Amount is what came or went, Balance what is there after it.
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

// example is a message, and what is to be read of it: amount, balance and account, each "-" where there is none.
type example struct{ text, reads string }

//go:embed patterns/*.txt
var files embed.FS

// sheets are all patterns. A file that is wrong ends the program at its start, as a test would.
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

// Banks are the banks whose messages are known, each once.
func Banks() []Bank {
	var list []Bank
	for _, s := range sheets() {
		if b := (Bank{s.bank, s.name, s.currency}); !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// NameOf is the name of the bank of a code, or the code where nobody knows it.
func NameOf(code string) string {
	banks := Banks()
	if i := slices.IndexFunc(banks, func(b Bank) bool { return b.Code == code }); i >= 0 {
		return banks[i].Name
	}
	return code
}

// Currencies are those in which patterns can be written.
func Currencies() []string { return slices.Sorted(maps.Keys(units)) }

// Read reads a message by the patterns of its sender's bank. Of a sender or text that no pattern knows the kind is Unknown.
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

// isPackage tells a sender of pushes, which is the package of an app. What an app calls itself, or a chat in it, anybody can choose.
func isPackage(sender string) bool {
	return strings.Contains(sender, ".") && sender == strings.ToLower(sender)
}

// read reads a message; false where it is another one, or an amount in it cannot be told.
func (p pattern) read(text string) (Reading, bool) {
	found := p.expr.FindStringSubmatch(text)
	if found == nil {
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

// normal is a text with one space wherever there is white space, so that a pattern need not know which.
func normal(text string) string { return strings.Join(strings.Fields(text), " ") }

// amountOf is an amount as a bank writes it. Its expression allows groups of three digits, and one or two after the last sign.
func amountOf(written string) decimal.NullDecimal {
	fraction := ""
	if i := strings.LastIndexAny(written, ".,"); i >= 0 && len(written)-i <= 3 {
		written, fraction = written[:i], written[i+1:]
	}
	whole := strings.NewReplacer(" ", "", ".", "", ",", "", "'", "").Replace(written)
	amount, err := decimal.NewFromString(whole + "." + (fraction + "00")[:2])
	return decimal.NullDecimal{Decimal: amount, Valid: err == nil && len(whole) <= 12}
}

// units are how a currency is written.
var units = map[string]string{
	"RUB": `(?:р|руб|₽|RUB|RUR)\.?`, "KZT": `(?:₸|тг|тенге|KZT)\.?`, "UZS": `(?:UZS|сум|so['‘ʻ’]m)`,
	"AZN": `(?:AZN|₼|man)\.?`, "TRY": `(?:TL|TRY|₺)`,
}

const number = `\d{1,3}(?:[ .,']\d{3})*(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?`

// parts are what expressions are made of. A name has no digits: who sends money chooses theirs, and must not write an amount.
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

// compile makes the expression of a pattern, for the whole message and in whatever case.
func compile(expr, currency string) (*regexp.Regexp, error) {
	if units[currency] == "" {
		return nil, errNoUnits
	}
	return regexp.Compile("(?i)^(?:" + strings.ReplaceAll(parts.Replace(expr), "{unit}", units[currency]) + ")$")
}

// parseSheet reads a file: its head, its patterns with the examples of each, and examples of codes.
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

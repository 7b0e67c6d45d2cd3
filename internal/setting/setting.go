// Package setting declares once the settings of merchants, cashboxes, traders
// and requisites: names, kinds, bounds and phrases. The checks of services, the
// inputs of forms, the names in proposals and the table of the manual follow
// from it, and a test compares it with the schema.
package setting

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

// Kind is the type of a setting, which says how it is typed and checked.
type Kind int

// The kinds. A Percent has four decimals and is at most 100, and an Earning is
// one that decides what somebody earns: a large change of it takes a second
// operator. An Amount is fiat. Lines are several texts, a Clock is a time of
// day, an ID is the id of something else, a Choice is one of the options.
const (
	Text Kind = iota
	Percent
	Earning
	Amount
	Whole
	Switch
	Lines
	Clock
	ID
	Choice
)

// Phrase is a text of the portals in English and Russian.
type Phrase struct{ En, Ru string }

// Option is a value of a Choice.
type Option struct {
	Value string
	Label Phrase
}

// Setting is one field that can be set.
type Setting struct {
	// Name is the field's name in the API and in forms. Columns and Go
	// fields are named alike.
	Name string
	Kind Kind
	// Min and Max bound a Whole; for a Text, Max is its greatest length. A
	// Max of 0 is no bound.
	Min, Max int32
	// First is the default, or "" if the schema has none.
	First string
	// Needed says that it cannot be cleared.
	Needed bool
	// ByTwo says that each change of it takes a second operator, because
	// who may choose it chooses what others pay. Only a subject with an
	// Action has one, or an Earning.
	ByTwo bool
	// Options are what a Choice can be.
	Options []Option
	// Heading begins a section of the form.
	Heading, Label, Hint Phrase
}

// Subject is what settings belong to, named as its table and its log entries
// are.
type Subject struct {
	Name string
	// Needs is the capability for a change, which also says whether the
	// second factor has to be fresh.
	Needs caller.Capability
	// Action is the change of it, of which a proposal is made where it
	// takes a second operator.
	Action   foureyes.Action
	Settings []Setting
}

// Column is a field's name in tables and in the log of settings.
func Column(name string) string {
	var column strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			column.WriteByte('_')
		}
		column.WriteRune(unicode.ToLower(r))
	}
	return column.String()
}

// Find is the setting with a name, which must exist.
func (s Subject) Find(name string) Setting {
	at := slices.IndexFunc(s.Settings, func(one Setting) bool { return one.Name == name })
	return s.Settings[at]
}

// Only are the settings with these names, in order.
func (s Subject) Only(names ...string) []Setting {
	list := make([]Setting, 0, len(names))
	for _, name := range names {
		list = append(list, s.Find(name))
	}
	return list
}

// Without is the subject but for one setting, which is not changed among the
// others.
func (s Subject) Without(name string) Subject {
	s.Settings = slices.DeleteFunc(slices.Clone(s.Settings), func(one Setting) bool { return one.Name == name })
	return s
}

// In is the field of a struct for the setting; it is not valid if there is
// none.
func (s Setting) In(object reflect.Value) reflect.Value {
	return object.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, s.Name) })
}

// Digits is how much may be typed, including separators.
func (s Setting) Digits() int {
	digits := map[Kind]int{Text: int(s.Max), Percent: 12, Earning: 12, Amount: 24, Whole: 10, ID: 19}[s.Kind]
	if s.Kind == Whole && s.Max > 0 {
		digits = len(strconv.Itoa(int(s.Max)))
		digits += (digits - 1) / 3
	}
	return digits
}

// Range is the bounds in words, or "".
func (s Setting) Range() string {
	switch {
	case s.Kind == Percent || s.Kind == Earning:
		return "0 to 100"
	case s.Kind == Choice:
		values := make([]string, 0, len(s.Options))
		for _, option := range s.Options {
			values = append(values, option.Value)
		}
		return strings.Join(values, ", ")
	case s.Kind == Whole && s.Max > 0:
		return grouped(s.Min) + " to " + grouped(s.Max)
	}
	return ""
}

// grouped has a comma between thousands.
func grouped(n int32) string {
	text := strconv.Itoa(int(n))
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Among checks a choice.
func (s Setting) Among(f fault.Fields, value string) {
	f.Check(slices.ContainsFunc(s.Options, func(o Option) bool { return o.Value == value }), s.Name, "must be one of: %s",
		s.Range())
}

// Between checks a whole number.
func (s Setting) Between(f fault.Fields, n int32) {
	f.Check(n >= s.Min && (s.Max == 0 || n <= s.Max), s.Name, "must be between %d and %d", s.Min, s.Max)
}

// Read checks the settings that an update gives, and returns them by their
// columns. A pointer to nothing gives none.
func (s Subject) Read(f fault.Fields, update any) map[string]any {
	columns := map[string]any{}
	for _, one := range s.Settings {
		given := one.In(reflect.ValueOf(update))
		if given.Kind() == reflect.Pointer {
			given = given.Elem()
		}
		if given.IsValid() {
			columns[Column(one.Name)] = one.checked(f, given)
		}
	}
	return columns
}

// checked is a value as its column has it.
func (s Setting) checked(f fault.Fields, given reflect.Value) any {
	switch s.Kind {
	case Percent, Earning:
		return s.number(f, given.String(), money.ParsePercent)
	case Amount:
		return s.number(f, given.String(), func(literal string) (decimal.Decimal, error) {
			return money.Parse(literal, money.FiatDecimals)
		})
	case Choice:
		s.Among(f, given.String())
		return given.String()
	case Whole:
		n := int32(given.Int())
		s.Between(f, n)
		return n
	case Switch:
		return given.Bool()
	default:
		text := strings.TrimSpace(given.String())
		if s.Needed {
			f.Required(s.Name, text)
		}
		if s.Max > 0 {
			f.MaxLength(s.Name, text, int(s.Max))
		}
		return text
	}
}

// number parses a number, or null for a setting that is cleared. What is wrong
// is null as well: f says so, and the caller has to ask it before anything is
// stored.
func (s Setting) number(
	f fault.Fields, literal string, parse func(string) (decimal.Decimal, error),
) decimal.NullDecimal {
	if literal == "" {
		f.Check(!s.Needed, s.Name, "cannot be cleared")
		return decimal.NullDecimal{}
	}
	value, err := parse(literal)
	if err != nil {
		f.Add(s.Name, "%s", err)
	}
	return decimal.NullDecimal{Decimal: value, Valid: err == nil}
}

// Fill copies the fields that both structs have, into the types of messages or
// out of them. It formats numbers, and a text that may be missing becomes one
// that is empty.
func (s Subject) Fill(to, from any) {
	source, target := reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem()
	for _, one := range s.Settings {
		value, field := one.In(source), one.In(target)
		if !value.IsValid() || !field.IsValid() {
			continue
		}
		switch number := value.Interface().(type) {
		case decimal.Decimal:
			field.SetString(one.shown(number))
		case decimal.NullDecimal:
			if number.Valid {
				field.Set(reflect.ValueOf(new(one.shown(number.Decimal))))
			}
		default:
			if field.Kind() == reflect.String && value.Kind() == reflect.Pointer {
				value = reflect.ValueOf(optional.Value(value.Interface().(*string))) //nolint:forcetypeassert // what else leads to a text
			}
			field.Set(value)
		}
	}
}

// shown is a number as a message has it.
func (s Setting) shown(d decimal.Decimal) string {
	if s.Kind == Amount {
		return money.Fiat(d)
	}
	return d.String()
}

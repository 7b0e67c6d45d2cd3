// Package requisite has the types of requisites, which are what money is sent
// to: for each type its name, the words of the payer's page, the check of
// values and how they are shown. It also checks the requisites of payouts.
package requisite

import (
	"strings"

	"gateway.example/internal/checkdigit"
)

// Type is a type of requisites: what a payer sends money to.
type Type struct {
	// Name is the type's name in the table of methods, in payments and in
	// the API.
	Name string
	Words
	Holder Holder
	// Phone says that values are phone numbers.
	Phone bool
	// Readable groups a value as people read it.
	Readable func(value string) string
	// Sample makes the nth value for a sandbox: well formed, but nobody's.
	Sample func(n int) string
	form   form
}

// Words are keys of phrases in web/words.
type Words struct {
	Label string
	// Open and Enter are the steps in the bank's app. EnterNumber, if it is
	// set, replaces Enter if there is no bank to choose.
	Open, Enter, EnterNumber string
}

// Holder is what the payer's bank does with the holder's name.
type Holder int

const (
	// HolderShown says that the bank shows the name, and the payer compares
	// it.
	HolderShown Holder = iota
	// HolderTyped says that the payer types the name.
	HolderTyped
	// HolderUnseen says that the name appears nowhere.
	HolderUnseen
)

// Types are all types. A new one is an entry here with its phrases in
// web/words.
var Types = []Type{
	{
		Name:  "sbp",
		Words: Words{Label: "phone number", Open: "open sbp", Enter: "enter phone", EnterNumber: "enter top-up"},
		Phone: true, form: phone, Readable: international, Sample: samplePhone,
	},
	{
		Name:   "phone",
		Words:  Words{Label: "phone number", Open: "open top-up", Enter: "enter top-up"},
		Holder: HolderUnseen,
		Phone:  true, form: phone, Readable: international, Sample: samplePhone,
	},
	{
		Name:  "card",
		Words: cardWords,
		form:  card, Readable: Fours, Sample: sampleCard,
	},
	{
		Name:   "iban",
		Words:  Words{Label: "iban", Open: "open iban", Enter: "enter iban"},
		Holder: HolderTyped,
		form:   iban, Readable: Fours, Sample: sampleIBAN,
	},
}

var cardWords = Words{Label: "card number", Open: "open card", Enter: "enter card"}

// Of is the type with a name. An unknown one, as a later release may store, is
// shown like a card, and every value passes.
func Of(name string) Type {
	for _, t := range Types {
		if t.Name == name {
			return t
		}
	}
	return Type{Name: name, Words: cardWords, form: anything, Readable: Fours, Sample: sampleCard}
}

// Wrong says what is wrong with a value of the type, or "".
func (t Type) Wrong(value string) string {
	if t.form.fits(value) {
		return ""
	}
	return "must be " + t.form.name
}

// recipients are the forms of a payout's requisite by method.
var recipients = map[string][]form{"sbp": {phone}, "c2c": {card, account}}

// WrongRecipient says what is wrong with the requisite of a payout by a method,
// or "".
func WrongRecipient(method, value string) string {
	var names []string
	for _, f := range recipients[method] {
		switch {
		case f.fits(value):
			return ""
		case f.length > 0 && f.length == len(value): // the one that was meant
			return "must be " + f.name
		}
		names = append(names, f.name)
	}
	if len(names) == 0 {
		return "cannot be paid to by this method"
	}
	return "must be " + strings.Join(names, ", or ")
}

// Recipient reports whether a value is the requisite of a payout by any method.
func Recipient(value string) bool {
	for method := range recipients {
		if WrongRecipient(method, value) == "" {
			return true
		}
	}
	return false
}

// Mask shows the last four characters of a requisite.
func Mask(value string) string {
	return "•••• " + last4(value)
}

const (
	accountDigits = 20
	shown         = 4
)

// form is a form of values.
type form struct {
	// name continues the message "must be".
	name string
	fits func(value string) bool
	// length is the length of all values if no other form has it; 0 is
	// none.
	length int
}

var (
	phone = form{name: "a phone number in E.164 form, such as +79001234567", fits: isPhone}
	card  = form{name: "a card number of 13 to 19 digits with a valid check digit", fits: func(value string) bool {
		return len(value) >= 13 && len(value) <= 19 && digits(value) && checkdigit.Luhn(value)
	}}
	account = form{name: "an account number of 20 digits", length: accountDigits, fits: func(value string) bool {
		return len(value) == accountDigits && digits(value)
	}}
	iban     = form{name: "an IBAN with valid check digits, without spaces", fits: checkdigit.IBAN}
	anything = form{fits: func(string) bool { return true }}
)

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

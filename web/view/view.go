// Package view holds the templates of the hosted pages and what they are given to show. They decide
// nothing.
package view

import (
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"gateway.example/web/words"
)

// Files are the addresses of what pages load.
type Files struct{ Style, Script, Icon string }

// Shell is what every hosted page has around its content. It speaks its reader's language.
type Shell struct {
	words.Words
	Files Files
	// Path is that of the payment's pages, "" links nowhere; Below is what this page's own has
	// after it.
	Path, Below string
	// Chosen keeps the language in links, where it was chosen in one.
	Chosen bool
	// Merchant is the shop's name; "" on pages of no payment.
	Merchant string
	// Color is the shop's, as #rrggbb, and ColorStyle the address of the stylesheet made of it;
	// both may be "".
	Color, ColorStyle string
	// Watch is how the page learns what changes; nil when nothing will.
	Watch *Watch
}

// Watch tells a page's script what to ask and how often.
type Watch struct {
	// Version is the state shown; another one is a reason to load the page anew.
	Version string
	// Every is how many seconds lie between two questions.
	Every int
	// Typing tells that the reader types here: without script the page is left alone.
	Typing bool
}

// refreshSeconds is how often a page without script loads itself anew.
const refreshSeconds = "10"

// To is an address under the page's own.
func (s Shell) To(below string, query ...string) templ.SafeURL {
	if s.Chosen {
		query = append(query, "lang="+s.Code)
	}
	return address(s.Path+below, query)
}

// In is the page's address in another language.
func (s Shell) In(language words.Language) templ.SafeURL {
	return address(s.Path+s.Below, []string{"lang=" + language.Code})
}

func address(path string, query []string) templ.SafeURL {
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return templ.SafeURL(path)
}

// initial stands in the shop's mark.
func (s Shell) initial() string {
	first, _ := utf8.DecodeRuneInString(strings.ToUpper(strings.TrimSpace(s.Merchant)))
	return string(first)
}

// Field is a line of the requisite.
type Field struct {
	// ID tells the fields of a page apart.
	ID           string
	Label, Value string
	// Copy is what goes to the clipboard; "" offers no copying.
	Copy string
}

// Bill is what is paid for.
type Bill struct {
	// Amount is written for the reader, Plain as the contract writes it.
	Amount, Plain      string
	Order, Description string
	// Card is the one that was entered, with its last digits; "" where there is none.
	Card string
}

// long reports whether the amount needs smaller letters to stay on one line of a phone.
func (b Bill) long() bool { return utf8.RuneCountInString(b.Amount) > 12 }

// Countdown is how long a payment waits.
type Countdown struct {
	// Deadline is the time in the payer's country, with its offset; DeadlineISO is for machines.
	Deadline, DeadlineISO, TimeLeft string
	// SecondsLeft and Seconds are what is left of the whole time.
	SecondsLeft, Seconds int
}

// Requisite is the page of a payment to a requisite.
type Requisite struct {
	Shell
	Bill
	Countdown
	// AmountCopy is the amount for a bank's form.
	AmountCopy string
	Fields     []Field
	Steps      []string
	// Simulate offers to act as the bank.
	Simulate bool
}

// Outcome is how a payment has ended, or what else there is to say instead of a requisite.
type Outcome struct {
	// Mood picks sign and colour: good, bad, off, late or busy.
	Mood        string
	Title, Text string
	// Late says what to do if the money was sent all the same.
	Late bool
	// Notice comes first: what could not be done.
	Notice string
}

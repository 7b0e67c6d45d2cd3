// Package view holds the templates of the hosted pages and what they are given
// to show. They decide nothing.
package view

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"gateway.example/web/words"
)

// Files are the addresses of what pages load. A page that is only looked at has
// no script.
type Files struct{ Script, Icon string }

// Shell is what every hosted page has around its content. It speaks its
// reader's language.
type Shell struct {
	words.Words
	Files Files
	// Path is that of the payment's pages, "" links nowhere; Below is what
	// this page's own has after it.
	Path, Below string
	// Chosen keeps the language in links, where it was chosen in one.
	Chosen bool
	// Merchant is the shop's name; "" on pages of no payment.
	Merchant string
	// Logo is the address of the shop's logo, which stands in place of the
	// name; "" is none.
	Logo string
	// Operator is who runs the gateway and how they are reached; "" says
	// nothing.
	Operator string
	// Color is the shop's, as #rrggbb; it may be "".
	Color string
	// Style is the stylesheet, the shop's colour in it. The policy of the
	// page names its hash.
	Style string
	// Query is what the page's address has behind it and keeps in another
	// language; "" is nothing.
	Query string
	// Frame is the one origin that may show the page in a frame, and is
	// told its height and Result: how the payment has ended, or "".
	Frame, Result string
	// Mistakes tells that a form on the page was filled in wrongly.
	Mistakes bool
	// Watch is how the page learns what changes; nil when nothing will.
	Watch *Watch
}

// Watch tells a page's script what to ask and how often.
type Watch struct {
	// Version is the state shown; another one is a reason to load the page
	// anew.
	Version string
	// Every is how many seconds lie between two questions.
	Every int
	// Typing tells that the reader types here: without script the page is
	// left alone.
	Typing bool
	// Choosing tells that the reader may choose a file here: without script
	// the page is loaded anew seldom, which takes the file away.
	Choosing bool
}

// leadsAfter is how many seconds a page waits that leads back to the shop by
// itself.
const leadsAfter = 5

// refreshSeconds is how often a page without script loads itself anew, and
// choosingSeconds how often one does on which a file may be chosen.
const refreshSeconds, choosingSeconds = "10", "90"

func (w Watch) refresh() string {
	if w.Choosing {
		return choosingSeconds
	}
	return refreshSeconds
}

// To is an address under the page's own.
func (s Shell) To(below string, query ...string) templ.SafeURL {
	if s.Chosen {
		query = append(query, "lang="+s.Code)
	}
	return address(s.Path+below, query)
}

// In is the page's address in another language.
func (s Shell) In(language words.Language) templ.SafeURL {
	query := []string{"lang=" + language.Code}
	if s.Query != "" {
		query = append(query, s.Query)
	}
	return address(s.Path+s.Below, query)
}

// told is what the script tells the page around the frame.
func (s Shell) told() templ.Attributes {
	if s.Frame == "" {
		return nil
	}
	return templ.Attributes{"data-frame": s.Frame, "data-result": s.Result}
}

// title is what the browser shows of the page: first whether something is
// wrong, last the shop.
func (s Shell) title(title string) string {
	if s.Merchant != "" {
		title = s.Say(words.TitleOf, title, s.Merchant)
	}
	if s.Mistakes {
		title = s.Say(words.ErrorTitle, title)
	}
	return title
}

func address(path string, query []string) templ.SafeURL {
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return templ.SafeURL(path)
}

// initial stands in the mark of a shop, and of a bank without a logo.
func initial(name string) string {
	first, _ := utf8.DecodeRuneInString(strings.ToUpper(strings.TrimSpace(name)))
	return string(first)
}

// leading is what the script says while it counts down to leading back, the
// last second first.
func (s Shell) leading() string {
	texts := make([]string, leadsAfter)
	for second := range texts {
		texts[second] = s.Say(words.BackSoon, second+1)
	}
	return strings.Join(texts, "|")
}

type Field struct {
	// ID tells the fields of a page apart.
	ID           string
	Label, Value string
	// Copy is what goes to the clipboard; "" offers no copying.
	Copy string
	// Time is the value for machines where it is a time: the script writes
	// it by the payer's own clock.
	Time string
	// Mark is what is drawn beside it: "sbp", "bank" for a bank's letter or
	// its Logo, or nothing.
	Mark, Logo string
	// Note explains it below.
	Note string
}

type Bill struct {
	// Amount is written for the reader, Plain as the contract writes it.
	Amount, Plain      string
	Order, Description string
	// Card is the one that was entered, with its last digits; "" where
	// there is none.
	Card string
}

// size is the class of an amount by its length: the stylesheet makes its
// letters as small as they must be for it to stay on one line.
func (b Bill) size() string {
	length := utf8.RuneCountInString(b.Amount)
	for _, most := range []int{10, 14, 18} {
		if length <= most {
			return fmt.Sprintf("c%d", most)
		}
	}
	return "c24"
}

// phrase is a text in which the amount stays on one line. No space is put
// around it.
func phrase(text string, b Bill) templ.Component {
	sum := fmt.Sprintf(`<span class="sum %s">%s</span>`, b.size(), drawn(b.Amount))
	return templ.Raw(strings.Replace(html.EscapeString(text), b.Amount, sum, 1))
}

func (b Bill) sum() templ.Component { return templ.Raw(drawn(html.EscapeString(b.Amount))) }

// manat is drawn: many phones have no letter for it, and show a box.
const manat = `<svg class="manat" viewBox="0 0 16 15" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">` +
	`<path d="M2 15v-4a6 6 0 0 1 12 0v4M8 0v15"/></svg><span class="unseen">₼</span>`

func drawn(amount string) string { return strings.Replace(amount, "₼", manat, 1) }

// shortest is how many characters of a name that somebody else chose are always
// shown.
const shortest = 40

// isLong reports whether a name is shown short at first.
func isLong(name string) bool { return utf8.RuneCountInString(name) > shortest+10 }

func short(name string) string { return string([]rune(name)[:shortest]) + "…" }

type Countdown struct {
	// Deadline is the time in the payer's country, with its offset;
	// DeadlineISO is for machines.
	Deadline, DeadlineISO, TimeLeft string
	// SecondsLeft and Seconds are what is left of the whole time.
	SecondsLeft, Seconds int
}

type Requisite struct {
	Shell
	Bill
	Countdown
	// AmountCopy is the amount for a bank's form, and AllCopy all that has
	// to be entered there, as a text.
	AmountCopy, AllCopy string
	// Came says how much has arrived where only the rest is asked for.
	Came   string
	Fields []Field
	// Steps say how to pay, or what happens once the payer has.
	Steps []string
	// Simulate offers to act as the bank.
	Simulate bool
	// MayCancel offers to cancel the payment, and MaySay to say that it was
	// paid.
	MayCancel, MaySay bool
	// Proof takes receipts; nil takes none.
	Proof *Proof
	// Banks are those whose app the payer may open.
	Banks []Bank
}

// Bank opens the app of a bank, or says what to do in it.
type Bank struct {
	Name string
	// Link is "" where Steps say what to do, and Logo where there is none.
	Link  templ.SafeURL
	Steps string
	Logo  string
}

// Outcome is how a payment has ended, or what else there is to say instead of a
// requisite.
type Outcome struct {
	// Mood picks sign and colour: good, bad, off, late or busy.
	Mood        string
	Title, Text string
	// Late says what to do if the money was sent all the same.
	Late bool
	// Claimed tells that the payer has said that they have paid: a receipt
	// is then asked for at once.
	Claimed bool
	// Notice comes first: what could not be done.
	Notice string
	// Facts are what a question about the payment needs; Receipt tells that
	// there is a receipt, which has a page of its own.
	Facts   []Field
	Receipt bool
	// Next says step by step what happens now.
	Next []string
	// Proof takes receipts; nil takes none, and ProofOver may say that it
	// is too late for them.
	Proof     *Proof
	ProofOver string
	// Return is where the payer goes back to, "" is nowhere. With Leads the
	// page goes there by itself.
	Return templ.SafeURL
	Leads  bool
}

// Proof is a form for the receipt of the payer's bank.
type Proof struct {
	// Received says how many there are; "" is none.
	Received string
	// Open tells that another one is taken, of at most so many bytes.
	Open bool
	Most int
	// Error says what is wrong with the last one; Mistake is what the
	// script says of one that is too large.
	Error, Mistake string
}

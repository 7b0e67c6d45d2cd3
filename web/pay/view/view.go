// Package view has the templates of the hosted pages and their data. It makes
// no decisions.
package view

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"gateway.example/web/words"
)

// Files are the addresses of the files that a page loads. A page without
// anything to do has no script.
type Files struct{ Script, Icon string }

// Shell is the frame of every hosted page, in the reader's language.
type Shell struct {
	words.Words
	Files Files
	// Path is the path of the payment's pages; "" is no link. Below is
	// this page's own part of the path.
	Path, Below string
	// Chosen says that the language was chosen in the address, and so
	// stays in links.
	Chosen bool
	// Merchant is the shop's name; "" on pages of no payment.
	Merchant string
	// Logo is the address of the shop's logo, which replaces its name; ""
	// is none.
	Logo string
	// Operator is the text about who runs the gateway; "" is none.
	Operator string
	// Color is the shop's colour as #rrggbb, or "".
	Color string
	// Style is the stylesheet with the shop's colour. The page's policy
	// contains its hash.
	Style string
	// Query is the query of the page's address, which links to other
	// languages keep; "" is none.
	Query string
	// Frame is the only origin that may frame the page. It is sent the
	// page's height, and Result when the payment has ended.
	Frame, Result string
	// Mistakes says that a form on the page has mistakes.
	Mistakes bool
	// Watch says how the page gets news; nil if nothing can change.
	Watch *Watch
}

// Watch says what a page's script asks for, and how often.
type Watch struct {
	// Version is the version shown. The page reloads when there is another
	// one.
	Version string
	// Every is the number of seconds between two requests.
	Every int
	// Typing says that the page has a form: without script it is not
	// reloaded.
	Typing bool
	// Choosing says that the page has a file field: without script it is
	// reloaded rarely, because that clears the field.
	Choosing bool
}

// leadsAfter is after how many seconds a page returns to the shop by itself.
const leadsAfter = 5

// refreshSeconds is how often a page without script reloads, and
// choosingSeconds how often one with a file field does.
const refreshSeconds, choosingSeconds = "10", "90"

func (w Watch) refresh() string {
	if w.Choosing {
		return choosingSeconds
	}
	return refreshSeconds
}

// To is an address below the payment's pages.
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

// told is the data that the script sends to the framing page.
func (s Shell) told() templ.Attributes {
	if s.Frame == "" {
		return nil
	}
	return templ.Attributes{"data-frame": s.Frame, "data-result": s.Result}
}

// title is the title in the browser: it begins with whether something is wrong
// and ends with the shop.
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

// initial is the first letter of a name, shown in place of a logo.
func initial(name string) string {
	first, _ := utf8.DecodeRuneInString(strings.ToUpper(strings.TrimSpace(name)))
	return string(first)
}

// leading are the script's texts while it counts down to the return to the
// shop, beginning with the last second.
func (s Shell) leading() string {
	texts := make([]string, leadsAfter)
	for second := range texts {
		texts[second] = s.Say(words.BackSoon, second+1)
	}
	return strings.Join(texts, "|")
}

type Field struct {
	// ID is unique among the page's fields.
	ID           string
	Label, Value string
	// Copy is what the copy button copies; "" is no button.
	Copy string
	// Time is the time in machine-readable form; the script shows it in
	// the payer's own zone.
	Time string
	// Mark is the picture beside it: "sbp", "bank" for a bank's letter or
	// its Logo, or none.
	Mark, Logo string
	// Note explains it below.
	Note string
}

type Bill struct {
	// Amount is written for the reader, Plain as the contract writes it.
	Amount, Plain      string
	Order, Description string
	// Card is the card that was entered, with its last digits; "" is none.
	Card string
}

// size is the class of an amount by its length. The stylesheet reduces the
// font size so that it fits on one line.
func (b Bill) size() string {
	length := utf8.RuneCountInString(b.Amount)
	for _, most := range []int{10, 14, 18} {
		if length <= most {
			return fmt.Sprintf("c%d", most)
		}
	}
	return "c24"
}

// phrase is a text whose amount does not break across lines. It adds no
// spaces.
func phrase(text string, b Bill) templ.Component {
	sum := fmt.Sprintf(`<span class="sum %s">%s</span>`, b.size(), drawn(b.Amount))
	return templ.Raw(strings.Replace(html.EscapeString(text), b.Amount, sum, 1))
}

func (b Bill) sum() templ.Component { return templ.Raw(drawn(html.EscapeString(b.Amount))) }

// manat is drawn, because many phones have no glyph for it and would show a
// box.
const manat = `<svg class="manat" viewBox="0 0 16 15" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">` +
	`<path d="M2 15v-4a6 6 0 0 1 12 0v4M8 0v15"/></svg><span class="unseen">₼</span>`

func drawn(amount string) string { return strings.Replace(amount, "₼", manat, 1) }

// shortest is how many characters of a name are always shown.
const shortest = 40

// isLong reports whether a name is shown shortened at first.
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
	// AmountCopy is the amount for a bank's form, and AllCopy everything
	// to be entered there, as text.
	AmountCopy, AllCopy string
	// Came says how much has arrived, if only the rest is asked for.
	Came   string
	Fields []Field
	// Steps say how to pay, or what happens once the payer has.
	Steps []string
	// Simulate offers to simulate the transfer.
	Simulate bool
	// MayCancel offers to cancel the payment, and MaySay to say that it is
	// paid.
	MayCancel, MaySay bool
	// Proof takes receipts; nil takes none.
	Proof *Proof
	// Banks are the banks whose apps the page can open.
	Banks []Bank
}

// Bank opens the app of a bank, or says what to do in it.
type Bank struct {
	Name string
	// Link is "" if Steps explain what to do. Logo is "" if there is none.
	Link  templ.SafeURL
	Steps string
	Logo  string
}

// Outcome is shown instead of a requisite: how a payment has ended, or another
// state.
type Outcome struct {
	// Mood selects the icon and colour: good, bad, off, late or busy.
	Mood        string
	Title, Text string
	// Late says what to do if the money was sent anyway.
	Late bool
	// Claimed says that the payer has said they paid; then the receipt
	// form is open.
	Claimed bool
	// Notice is shown first and says what could not be done.
	Notice string
	// Facts are needed for a question about the payment. Receipt says that
	// there is a page with a receipt.
	Facts   []Field
	Receipt bool
	// Next are the steps that happen now.
	Next []string
	// Proof is the receipt form; nil is none, and then ProofOver may say
	// that it is too late for one.
	Proof     *Proof
	ProofOver string
	// Return is the shop's address; "" is none. With Leads the page goes
	// there by itself.
	Return templ.SafeURL
	Leads  bool
}

// Proof is the form for a receipt of the payer's bank.
type Proof struct {
	// Received says how many receipts there are; "" is none. Count is the
	// number.
	Received, Count string
	// Open says that another file is accepted, of at most Most bytes.
	Open bool
	Most int
	// Error is the text about the last file. Mistake is the script's text
	// for a file that is too large.
	Error, Mistake string
}

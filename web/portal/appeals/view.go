package appeals

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Appeal is everything of one appeal.
type Appeal struct {
	Status, Amount, Reason string
	Facts                  []view.Fact
	StatusAt               time.Time
	File                   view.Receipt
	// Decision is the operator's reason, or "".
	Decision string
}

// ThreadShown is an appeal as it is shown to the trader who has its payment.
type ThreadShown struct {
	Status, Amount string
	// About says what the trader is asked to do; it may be "".
	About  string
	List   templ.SafeURL
	Facts  []view.Fact
	Thread view.Thread
}

// NewAppeal is the form of an appeal.
type NewAppeal struct {
	Path, Token, Amount, Order, Reason string
	// Receipt is the number of the chosen receipt.
	Receipt  string
	Receipts []view.Receipt
	Wrong    map[string]string
}

// chosen reports whether a receipt is the one to be sent: the first one, unless
// another was chosen.
func (a NewAppeal) chosen(file view.Receipt) bool {
	if a.Receipt == "" {
		return file.Number == a.Receipts[0].Number
	}
	return a.Receipt == view.Number(int64(file.Number))
}

// file is the field for the evidence. It may stay empty if a receipt is sent.
func (a NewAppeal) file(s view.Shell) view.Field {
	f := view.Field{
		Name: "file", Label: sayOwnFile, Hint: s.Say(sayFileHint), Wrong: a.Wrong["file"], Type: view.TypeFile,
		Quiet: len(a.Receipts) > 0, More: templ.Attributes{"accept": ".pdf,.png,.jpg,.jpeg,.webp,.mp4,.m4v"},
	}
	if f.Quiet {
		f.Hint += " " + s.Say(sayFileWins)
	}
	return f
}

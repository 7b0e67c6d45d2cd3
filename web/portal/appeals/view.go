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
	// Decision is what the operator said, or "".
	Decision string
}

// ThreadShown is an appeal as the trader who has its payment sees it.
type ThreadShown struct {
	Status, Amount string
	// About says what the trader is asked to do; "" is nothing.
	About  string
	List   templ.SafeURL
	Facts  []view.Fact
	Thread view.Thread
}

// NewAppeal asks why a payment is appealed.
type NewAppeal struct {
	Path, Token, Amount, Order, Reason string
	// Receipt is the number of the one that was chosen.
	Receipt  string
	Receipts []view.Receipt
	Wrong    map[string]string
}

// chosen tells that a receipt is the one to be sent: the first, unless another was chosen.
func (a NewAppeal) chosen(file view.Receipt) bool {
	if a.Receipt == "" {
		return file.Number == a.Receipts[0].Number
	}
	return a.Receipt == view.Number(int64(file.Number))
}

// file is the field for what shows it. It may stay empty where a receipt does.
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

package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Fact is something that is known of what a page is about. Without a value it is not shown.
type Fact struct {
	Label        say.Phrase
	Value, Class string
	// Href leads to the page about it; "" is none.
	Href templ.SafeURL
}

// Moment is when something is looked at, as asked for. At is zero for now.
type Moment struct {
	Path, Typed, Wrong string
	At                 time.Time
}

func (m Moment) field() Field {
	f := Field{Name: "at", Label: say.AsOf, Value: m.Typed, Wrong: m.Wrong, Type: "datetime-local", Quiet: true}
	if f.Wrong != "" { // a field for times shows nothing that is none
		f.Type = "text"
	}
	return f
}

// Code is what was sent to a program, or what it said.
type Code struct {
	Title say.Phrase
	Text  string
}

// Balances is what a merchant's cashboxes hold.
type Balances struct {
	Items []BalanceRow
	// Deposits tells that the reader may ask for one.
	Deposits bool
}

// BalanceRow is what a cashbox holds.
type BalanceRow struct {
	Name, Number, Currency              string
	Total, Available, Reserved, Insured string
	Statement                           templ.SafeURL
}

// Deposits is a list of deposits.
type Deposits struct {
	Filters Filters
	Items   []DepositRow
	Empty   Empty
	Pages   Pages
}

// DepositRow is a deposit in a list.
type DepositRow struct {
	ID                       int64
	Href                     templ.SafeURL
	CreatedAt                time.Time
	Amount, Network, Cashbox string
	Status                   Badge
}

// Deposit is everything of one deposit.
type Deposit struct {
	Amount, Status string
	CreatedAt      time.Time
	Facts          []Fact
	// Curl reads it through the API; "" is not for this user.
	Curl  string
	Lines []Line
}

// NewDeposit asks for a deposit, with what was typed.
type NewDeposit struct {
	Token, Cashbox, Amount, Network, Address, Reference string
	Cashboxes, Networks                                 []Option
	Wrong                                               map[string]string
}

// Appeals is a list of appeals.
type Appeals struct {
	Filters Filters
	Items   []AppealRow
	Empty   Empty
	Pages   Pages
}

// AppealRow is an appeal in a list.
type AppealRow struct {
	ID                             int64
	Href                           templ.SafeURL
	CreatedAt                      time.Time
	Amount, Payment, Order, Reason string
	Status                         Badge
}

// Appeal is everything of one appeal.
type Appeal struct {
	Status, Amount, Reason, Order, Payment string
	PaymentHref                            templ.SafeURL
	CreatedAt, StatusAt                    time.Time
	File                                   Receipt
	// Decision is what the operator said, or "".
	Decision string
}

// NewAppeal asks why a payment is appealed.
type NewAppeal struct {
	Path, Token, Amount, Order, Reason string
	// Receipt is the number of the one that was chosen.
	Receipt  string
	Receipts []Receipt
	Wrong    map[string]string
}

// DepositBadge shows the status of a deposit.
func DepositBadge(status string) Badge {
	tones := map[string]string{"confirmed": "good", "rejected": "bad"}
	return Badge{say.DepositStatus(status), tones[status]}
}

// AppealBadge shows the status of an appeal.
func AppealBadge(status string) Badge {
	tones := map[string]string{"in_review": "late", "completed": "good", "failed": "bad", "closed": "off"}
	return Badge{say.AppealStatus(status), tones[status]}
}

// chosen tells that a receipt is the one to be sent: the first, unless another was chosen.
func (a NewAppeal) chosen(file Receipt) bool {
	if a.Receipt == "" {
		return file.Number == a.Receipts[0].Number
	}
	return a.Receipt == number(int64(file.Number))
}

// fileNotes are the ids of what is said of the file.
func (a NewAppeal) fileNotes() string {
	if a.Wrong["file"] != "" {
		return "file-hint file-wrong"
	}
	return "file-hint"
}

package withdrawals

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/submission"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// ownRoutes are the pages of a merchant or a trader who withdraws USDT.
func ownRoutes(base string) []route {
	reads, acts := caller.MerchantMoney, caller.MerchantWithdraw
	if base == "/trader" {
		reads, acts = caller.TraderMoney, caller.TraderWithdraw
	}
	path := base + "/withdrawals"
	return []route{
		{Pattern: "GET " + path, Needs: reads, Handle: (*visit).list},
		{Pattern: "GET " + path + "/new", Needs: acts, Handle: (*visit).ask},
		{Pattern: "POST " + path, Needs: acts, Handle: portal.After((*visit).Form, (*visit).request)},
		{Pattern: "GET " + path + "/{id}", Needs: reads, Handle: (*visit).one},
		{Pattern: "GET " + path + "/{id}/cancel", Needs: acts, Handle: (*visit).askCancel},
		{Pattern: "POST " + path + "/{id}/cancel", Needs: acts, Handle: (*visit).cancel},
		{Pattern: "GET " + path + "/addresses", Needs: reads, Handle: (*visit).addresses},
		{Pattern: "POST " + path + "/addresses", Needs: acts, Handle: portal.After((*visit).Form, (*visit).addAddress)},
		{Pattern: "GET " + path + "/addresses/new", Needs: acts, Handle: (*visit).askAddress},
		{Pattern: "GET " + path + "/addresses/{id}/remove", Needs: acts, Handle: (*visit).askRemove},
		{Pattern: "POST " + path + "/addresses/{id}/remove", Needs: acts, Handle: (*visit).remove},
	}
}

func (v *visit) path(rest string) string { return v.Path("/withdrawals") + rest }

// may reports whether the reader may withdraw USDT.
func (v *visit) may() bool { return v.Who.May(caller.MerchantWithdraw, caller.TraderWithdraw) }

// list lists the owner's withdrawals, the newest first. It tells of addresses
// that were added recently as well, because all who see the money should know
// of them.
func (v *visit) list() error {
	var page withdrawal.Page
	page.Cursor = optional.Of(v.R.URL.Query().Get("cursor"))
	found, next, err := v.Withdrawals.List(v.Ctx(), v.Who, page)
	if err != nil {
		return err
	}
	shown := List{
		Quiet: Act{view.Link(v.path("/addresses")), v.Say(sayBook)},
		Sheet: view.Sheet{Label: v.Say(say.Withdrawals), Empty: view.Empty{Title: sayNone, Text: sayNoneText}, Columns: []view.Column{
			{Text: v.Say(say.Number)}, {Text: v.Say(say.Created)}, {Text: v.Say(say.Amount), Right: true, Sum: true},
			{Text: v.Say(say.Network)}, {Text: v.Say(say.Address)}, {Text: v.Say(say.Status)},
		}},
	}
	if v.may() {
		shown.Primary = Act{view.Link(v.path("/new")), v.Say(sayWithdraw)}
	}
	book, err := v.Withdrawals.Addresses(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown.Notices = v.resting(book)
	for _, w := range found {
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			{Text: view.Number(w.ID), Href: view.Link(portal.Numbered(v.path(""), w.ID))}, {At: &w.CreatedAt},
			{Text: v.USDT(w.Amount)}, {Text: w.Network}, {Text: short(w.Address)},
			v.Shell.BadgeCell(badgeOf(w)),
		})
	}
	if next != nil {
		shown.Next = view.Query(v.path(""), "cursor", *next)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.Withdrawals), ListPage, shown)
}

// resting tells all users who see the money which addresses were added
// recently.
func (v *visit) resting(book []withdrawal.Address) []string {
	var notices []string
	for _, a := range book {
		if a.Rests {
			notices = append(notices, v.Say(sayRestNotice, a.Label, short(a.Address), v.ActorName(a.AddedBy), v.When(a.UsableAt)))
		}
	}
	return notices
}

// shown is how many characters at each end of an address lists show.
const shown = 6

func short(address string) string {
	if len(address) <= 2*shown {
		return address
	}
	return address[:shown] + "…" + address[len(address)-shown:]
}

func badgeOf(w withdrawal.Withdrawal) view.Badge {
	tones := map[withdrawal.Status]string{
		withdrawal.Requested: "late", withdrawal.Completed: "good", withdrawal.Rejected: "bad", withdrawal.Failed: "bad",
		withdrawal.Cancelled: "off",
	}
	return view.Badge{Text: say.WithdrawalStatus(string(w.Status)), Tone: tones[w.Status]}
}

// one shows the owner a withdrawal, which can be cancelled until it is decided.
// The command for the API and the proof by the ledger are for withdrawals of
// cashboxes, because traders have neither.
func (v *visit) one() error {
	w, err := portal.Named(v.Visit, v.Withdrawals.Get)
	if err != nil {
		return err
	}
	d, err := v.detail(w)
	if err != nil {
		return err
	}
	if w.Status == withdrawal.Requested && v.may() {
		d.Acts = []Act{{view.Link(portal.Numbered(v.path(""), w.ID) + "/cancel"), v.Say(sayCancel)}}
	}
	if w.CashboxID != 0 {
		d.Curl = v.Curl("/api/v1/withdrawals/" + portal.IDText(w.ID))
		if w.Status == withdrawal.Completed {
			d.Facts = append(d.Facts, view.Fact{
				Label: say.LedgerProof, Value: v.Say(say.LedgerProofFile),
				Href: view.Link(portal.Numbered(v.path(""), w.ID) + "/proof.json"),
			})
		}
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.WithdrawalTitle, w.ID), DetailPage, d)
}

// detail is what every reader sees of a withdrawal.
func (v *visit) detail(w withdrawal.Withdrawal) (Detail, error) {
	moves, err := v.Withdrawals.History(v.Ctx(), v.Who, w.ID)
	if err != nil {
		return Detail{}, err
	}
	d := Detail{
		Back: view.Link(v.path("")), Amount: v.USDT(w.Amount), Status: badgeOf(w), CreatedAt: w.CreatedAt,
		Facts: []view.Fact{
			{Label: sayFee, Value: v.USDT(w.Fee), Class: "num"},
			{Label: say.Network, Value: w.Network}, {Label: say.Address, Value: w.Address, Class: "mono"},
			{Label: say.Order, Value: w.OrderID, Class: "mono"},
		},
	}
	if w.Hash != nil {
		d.Facts = append(d.Facts, view.Fact{Label: sayHash, Value: *w.Hash, Class: "mono"})
	}
	if w.Reason != nil {
		d.Facts = append(d.Facts, view.Fact{Label: say.ReasonWhy, Value: *w.Reason})
	}
	told := make([]deposit.Move, 0, len(moves))
	for _, move := range moves {
		told = append(told, deposit.Move(move))
	}
	d.Lines, err = v.Moves(told, say.WithdrawalStatus)
	return d, err
}

func (v *visit) ask() error {
	return v.showForm(http.StatusOK, url.Values{"token": {submission.NewToken()}}, nil)
}

// showForm asks for a withdrawal. Only addresses that can be used already are
// offered; without any, the page says what to do first. The hints are the terms
// of these addresses' networks.
func (v *visit) showForm(status int, typed url.Values, wrong map[string]string) error {
	book, err := v.Withdrawals.Addresses(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	terms, err := v.Withdrawals.Terms(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	usable := slices.DeleteFunc(slices.Clone(book), func(a withdrawal.Address) bool { return a.Rests })
	if len(usable) == 0 {
		return v.showNoAddress(status, book)
	}
	form := view.MoneyForm{
		Action: v.path(""), Text: v.Say(sayRequestText), Submit: v.Say(sayContinue), Back: view.Link(v.path("")),
		Hidden: [][2]string{{"token", typed.Get("token")}},
	}
	boxes, err := v.payers(typed.Get("cashbox"), wrong["merchantCashboxId"])
	if err != nil {
		return err
	}
	to := view.Choice{Name: "address", Label: say.Address, Wrong: wrong["addressId"]}
	for _, a := range usable {
		to.Options = append(to.Options, view.Option{Value: view.Number(a.ID), Text: a.Network + " · " + a.Label + " · " + short(a.Address)})
	}
	form.Choices = append(boxes, to)
	if v.Who.Kind == caller.Trader {
		has, err := v.available()
		if err != nil {
			return err
		}
		form.Text = v.Say(sayYouHave, has) + " " + form.Text
	}
	hints := make([]string, 0, len(terms))
	for _, t := range terms {
		if !slices.ContainsFunc(usable, func(a withdrawal.Address) bool { return a.Network == t.Network }) {
			continue
		}
		hints = append(hints, v.Say(sayTermsLine, t.Network, v.Number(t.Fee), v.Number(t.MinAmount), v.Number(t.DailyAmount)))
	}
	form.Fields = []view.Field{{
		Name: "amount", Label: sayArrives, Max: 24, Hint: strings.Join(hints, "\n"),
		More: templ.Attributes{"inputmode": "decimal", "autocomplete": "off"},
	}}
	return v.ShowForm(status, v.Say(sayWithdraw), form, typed, wrong)
}

// showNoAddress says that there is no usable address, and what to do.
func (v *visit) showNoAddress(status int, book []withdrawal.Address) error {
	l := List{
		Crumb: view.Link(v.path("")), Notices: v.resting(book), Primary: Act{view.Link(v.path("/addresses/new")), v.Say(sayAdd)},
		Sheet: view.Sheet{Empty: view.Empty{Title: sayBookNone, Text: sayNoAddress}},
	}
	if len(book) > 0 {
		l.Sheet.Empty = view.Empty{Title: sayAllRest, Text: sayBookText}
	}
	return portal.ShowPage(v.Visit, status, v.Say(sayWithdraw), ListPage, l)
}

// payers are the cashboxes of a merchant, each with its balance; a trader has
// only one account and no choice.
func (v *visit) payers(value, wrong string) ([]view.Choice, error) {
	if v.Who.Kind != caller.MerchantPortal {
		return nil, nil
	}
	boxes, err := v.Deposits.Balances(v.Ctx(), v.Who)
	choice := view.Choice{Name: "cashbox", Label: say.Cashbox, Value: value, Wrong: wrong}
	for _, box := range boxes {
		choice.Options = append(choice.Options, view.Option{
			Value: view.Number(box.ID), Text: box.Name + " · " + v.USDT(box.Balance.Available),
		})
	}
	return []view.Choice{choice}, err
}

// request repeats everything for confirmation, and then requests the
// withdrawal.
func (v *visit) request(form url.Values) error {
	r := withdrawal.Request{Amount: money.Typed(form.Get("amount")), OrderID: form.Get("token")}
	if v.Who.Kind == caller.MerchantPortal {
		if box, err := strconv.ParseInt(form.Get("cashbox"), 10, 64); err == nil {
			r.CashboxID = &box
		}
	}
	address, err := strconv.ParseInt(form.Get("address"), 10, 64)
	if err != nil {
		address = -1 // no address has this number
	}
	r.AddressID = address
	if form.Get("confirmed") == "" {
		quoted, err := v.Withdrawals.Quote(v.Ctx(), v.Who, r)
		if wrong := v.wrongOf(err); wrong != nil {
			return v.showForm(http.StatusUnprocessableEntity, form, wrong)
		}
		if err != nil {
			return err
		}
		return v.confirm(form, quoted)
	}
	r.Fee = form.Get("fee")
	err = v.Once(form, func() (submission.Outcome, error) {
		created, err := v.Withdrawals.Request(v.Ctx(), v.Who, r)
		if errors.Is(err, withdrawal.ErrTermsChanged) {
			return submission.Outcome{LedTo: v.path("/new"), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: portal.Numbered(v.path(""), created.Withdrawal.ID), Said: "withdrawal-requested"}, err
	})
	if wrong := v.wrongOf(err); wrong != nil {
		return v.showForm(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

// wrongOf are the mistakes in the form's fields, or why the request is refused.
func (v *visit) wrongOf(err error) map[string]string {
	wrong, f := v.Wrong(err), fault.As(err)
	if wrong != nil || f == nil || f.Kind != fault.Refused || f.Code == submission.ErrUnfinished.Code {
		return wrong
	}
	v.Shell.Mistakes = true
	field := "amount"
	if f.Code == "withdrawal_network_closed" || f.Code == "withdrawal_address_resting" {
		field = "addressId"
	}
	return map[string]string{field: say.Refused(v.Shell.Code, f.Code, f.Message)}
}

// confirm repeats what is about to be requested.
func (v *visit) confirm(form url.Values, w withdrawal.Withdrawal) error {
	return v.Question(view.Question{
		Title: sayConfirmTitle, Action: v.path(""), Yes: v.Say(sayConfirmYes, v.USDT(w.Amount)),
		Back: view.Link(v.path("/new")), Texts: []string{v.Say(sayConfirmText)},
		Facts: []view.Fact{
			{Label: say.Amount, Value: v.USDT(w.Amount), Class: "num"}, {Label: sayFee, Value: v.USDT(w.Fee), Class: "num"},
			{Label: sayLeaves, Value: v.USDT(w.Total()), Class: "num"}, {Label: say.Network, Value: w.Network},
			{Label: say.Address, Value: w.Address, Class: "mono"},
		},
		Hidden: [][2]string{
			{"confirmed", portal.Yes}, {"amount", form.Get("amount")}, {"address", form.Get("address")}, {"cashbox", form.Get("cashbox")},
			{"fee", money.USDT(w.Fee)},
		},
	})
}

// askCancel asks before a withdrawal is cancelled, whatever its status is. If
// it was decided already, the answer to the form says so.
func (v *visit) askCancel() error {
	w, err := portal.Named(v.Visit, v.Withdrawals.Get)
	if err != nil {
		return err
	}
	return v.Question(view.Question{
		Title: sayCancelTitle, Action: portal.Numbered(v.path(""), w.ID) + "/cancel", Yes: v.Say(sayCancel), Danger: true,
		Back: view.Link(portal.Numbered(v.path(""), w.ID)), Texts: []string{v.Say(sayCancelText, v.USDT(w.Total()))},
		Facts: []view.Fact{
			{Label: say.Amount, Value: v.USDT(w.Amount), Class: "num"},
			{Label: say.Network, Value: w.Network}, {Label: say.Address, Value: w.Address, Class: "mono"},
		},
	})
}

// cancel cancels a withdrawal, once. One that was decided meanwhile stays as it
// is, and its page says that it has changed.
func (v *visit) cancel() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	if _, err := v.Withdrawals.Get(v.Ctx(), v.Who, id); err != nil {
		return err
	}
	to := portal.Numbered(v.path(""), id)
	return v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Withdrawals.Cancel(v.Ctx(), v.Who, id)
		if f := fault.As(err); f != nil && f.Kind == fault.Refused {
			return submission.Outcome{LedTo: to, Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: to, Said: "withdrawal-cancelled"}, err
	})
}

// available is how much a trader can withdraw.
func (v *visit) available() (string, error) {
	statement, err := v.Books.Statement(v.Ctx(), v.Who, books.StatementFilter{
		Account: ledger.Available(ledger.Trader, v.Who.TraderID),
	})
	return v.USDT(statement.Closing), err
}

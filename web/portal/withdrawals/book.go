package withdrawals

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"gateway.example/internal/chain"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// addresses shows the address book to all users who see the money, so that they
// notice an address that somebody has added before it can be used. Only users
// who may withdraw can change it.
func (v *visit) addresses() error {
	book, err := v.Withdrawals.Addresses(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := List{
		Notices: v.resting(book), Crumb: view.Link(v.path("")),
		Sheet: view.Sheet{Label: v.Say(sayBook), Empty: view.Empty{Title: sayBookNone, Text: sayBookText}, Columns: []view.Column{
			{Text: v.Say(sayLabel)}, {Text: v.Say(say.Network), Whole: true}, {Text: v.Say(say.Address)},
			{Text: v.Say(sayAdded)}, {Text: v.Say(say.Status)},
		}},
	}
	if v.may() {
		shown.Primary = Act{view.Link(v.path("/addresses/new")), v.Say(sayAdd)}
		shown.Sheet.Columns = append(shown.Sheet.Columns, view.Column{Text: v.Say(sayAction), Whole: true, Bare: true})
	}
	for _, a := range book {
		state := view.Cell{Text: v.Say(sayUsable), Tone: "good"}
		if a.Rests {
			state = view.Cell{Text: v.Say(sayRests), Tone: "late", Note: v.Say(sayRestsUntil, v.When(a.UsableAt))}
		}
		row := []view.Cell{
			{Text: a.Label}, {Text: a.Network}, {Drawn: wholeAddress(a.Address)},
			{At: &a.AddedAt, Note: v.ActorName(a.AddedBy)}, state,
		}
		if v.may() {
			row = append(row, view.Cell{
				Text: v.Say(sayRemove), Href: view.Link(portal.Numbered(v.path("/addresses"), a.ID) + "/remove"),
			})
		}
		shown.Sheet.Rows = append(shown.Sheet.Rows, row)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayBook), ListPage, shown)
}

func (v *visit) askAddress() error {
	return v.showAddress(http.StatusOK, url.Values{"token": {submission.NewToken()}}, nil, nil)
}

// showAddress asks for an address, with what was typed and its mistakes. With
// notes, which say that it looks like another one, sending the form once more
// adds it; the form has the address that was warned of, so that another one is
// checked again.
func (v *visit) showAddress(status int, typed url.Values, wrong map[string]string, notes []string) error {
	form := view.MoneyForm{
		Action: v.path("/addresses"), Text: v.Say(sayAddText), Submit: v.Say(sayAdd), Notes: notes,
		Back: view.Link(v.path("/addresses")), Hidden: [][2]string{{"token", typed.Get("token")}},
	}
	if len(notes) > 0 {
		form.Hidden = append(form.Hidden, [2]string{"alike", typed.Get("address")})
		form.Submit = v.Say(sayAddAlike)
	}
	network := view.Choice{Name: "network", Label: say.Network}
	names := chain.Names()
	slices.Reverse(names) // most addresses are on TRC20
	for _, name := range names {
		network.Options = append(network.Options, view.Option{Value: name, Text: name})
	}
	form.Choices = []view.Choice{network}
	plain := templ.Attributes{"autocomplete": "off", "spellcheck": "false"}
	form.Fields = []view.Field{
		{Name: "address", Label: say.Address, Max: 64, More: plain},
		{Name: "label", Label: sayLabel, Max: 100, Hint: v.Say(sayLabelHint)},
	}
	return v.ShowForm(status, v.Say(sayAddTitle), form, typed, wrong)
}

// addAddress adds an address. One that looks like another is first shown again;
// it is added when the same form is sent once more.
func (v *visit) addAddress(form url.Values) error {
	alike := false
	err := v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Withdrawals.AddAddress(v.Ctx(), v.Who, withdrawal.NewAddress{
			Network: form.Get("network"), Address: form.Get("address"), Label: form.Get("label"),
			Confirmed: form.Get("alike") != "" && form.Get("alike") == form.Get("address"),
		})
		f := fault.As(err)
		alike = f != nil && f.Code == "withdrawal_address_alike"
		return submission.Outcome{LedTo: v.path("/addresses"), Said: "address-added"}, err
	})
	if alike {
		form.Set("token", submission.NewToken())
		return v.showAddress(http.StatusUnprocessableEntity, form, nil, []string{v.Say(sayAlike)})
	}
	wrong := v.Wrong(err)
	if f := fault.As(err); f != nil && f.Code == "withdrawal_address_known" {
		wrong = map[string]string{"address": v.Say(sayKnown)}
	}
	if wrong != nil {
		form.Set("token", submission.NewToken())
		return v.showAddress(http.StatusUnprocessableEntity, form, wrong, nil)
	}
	return err
}

// address is the address of the reader's address book whose number is in the
// page's address.
func (v *visit) address() (withdrawal.Address, error) {
	id, err := v.Numbered()
	if err != nil {
		return withdrawal.Address{}, err
	}
	book, err := v.Withdrawals.Addresses(v.Ctx(), v.Who)
	if err != nil {
		return withdrawal.Address{}, err
	}
	at := slices.IndexFunc(book, func(a withdrawal.Address) bool { return a.ID == id })
	if at < 0 {
		return withdrawal.Address{}, fault.ErrNotFound
	}
	return book[at], nil
}

// askRemove asks before an address is removed from the reader's address book.
// One that is not there is not found.
func (v *visit) askRemove() error {
	a, err := v.address()
	if err != nil {
		return err
	}
	return v.Question(view.Question{
		Title: sayRemoveTitle, Action: portal.Numbered(v.path("/addresses"), a.ID) + "/remove", Yes: v.Say(sayRemove), Danger: true,
		Back: view.Link(v.path("/addresses")), Texts: []string{v.Say(sayRemoveText)},
		Facts: []view.Fact{
			{Label: sayLabel, Value: a.Label}, {Label: say.Network, Value: a.Network},
			{Label: say.Address, Value: a.Address, Class: "mono"},
		},
	})
}

// remove removes an address from the reader's address book, once. Withdrawals
// to it that were requested before go on.
func (v *visit) remove() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		err := v.Withdrawals.RemoveAddress(v.Ctx(), v.Who, id)
		return submission.Outcome{LedTo: v.path("/addresses"), Said: "address-removed"}, err
	})
	if v.Wrong(err) != nil { // the form's token is not one of the portal's
		return v.askRemove()
	}
	return err
}

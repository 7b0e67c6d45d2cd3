package messages

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// askKeep asks to which requisite the money of a message was sent, and for the
// amount if no pattern has read it.
func (v *visit) askKeep() error {
	return v.showKeep(http.StatusOK, url.Values{"token": {submission.NewToken()}}, nil)
}

// showKeep asks to which requisite the money of a message was sent. The amount
// is asked for only if no pattern has read it, and is on the button otherwise.
// A message that somebody has decided about leads back and says so.
func (v *visit) showKeep(status int, typed url.Values, wrong map[string]string) error {
	m, err := portal.Named(v.Visit, v.Messages.ToKeep)
	if err != nil {
		return err
	}
	list := v.Path("/messages")
	if !m.MayKeep() {
		return v.Done(list, "changed")
	}
	at, err := v.cameTo(m)
	if err != nil {
		return err
	}
	at.Wrong = wrong["requisiteId"]
	form := view.MoneyForm{
		Action: portal.Numbered(list, m.ID) + "/keep", Text: v.Say(sayKeepText), Submit: v.Say(sayKeep), Back: view.Link(list),
		Hidden: [][2]string{{"token", typed.Get("token")}}, Choices: []view.Choice{at},
	}
	if m.Text != nil {
		form.Notes = append(form.Notes, m.Sender+": "+*m.Text)
	}
	if m.Amount != nil {
		form.Submit += ", " + v.Amount(*m.Amount, m.Currency)
	} else {
		form.Fields = append(form.Fields, view.Field{
			Name: "amount", Label: say.Amount, Max: 24,
			More: templ.Attributes{"inputmode": "decimal", "autocomplete": "off"},
		})
	}
	form.Fields = append(form.Fields, view.Field{Name: "payer", Label: sayFrom, Optional: true},
		view.Field{Name: "note", Label: sayNote, Optional: true})
	return v.ShowForm(status, v.Say(sayKeep), form, typed, wrong)
}

// cameTo are the requisites of a message's trader in its currency.
func (v *visit) cameTo(m bankmessage.Message) (view.Choice, error) {
	at := view.Choice{Name: "requisite", Label: say.Requisite}
	add := func(id int64, method, masked, currency string) {
		if masked != "" && (m.Currency == "" || m.Currency == currency) {
			at.Options = append(at.Options, view.Option{
				Value: view.Number(id), Text: v.Say(say.Method(method)) + " " + masked + ", " + currency,
			})
		}
	}
	if v.Who.Kind == caller.Operator {
		found, _, err := v.Settings.Requisites(v.Ctx(), v.Who, directory.Search{TraderID: m.TraderID})
		for _, r := range found {
			add(r.ID, r.Method, r.Masked, r.Currency)
		}
		return at, err
	}
	own, err := v.Settings.ListOwnRequisites(v.Ctx(), v.Who)
	for _, r := range own {
		add(r.ID, r.Method, r.Masked, r.Currency)
	}
	return at, err
}

// keep stores the money of a message. If somebody has decided about the message
// meanwhile, nothing changes.
func (v *visit) keep() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	requisite := portal.IDOf(form, "requisite")
	k := bankmessage.Keeping{
		MessageID: id, RequisiteID: requisite, Payer: optional.Of(form.Get("payer")), Note: optional.Of(form.Get("note")),
	}
	if form.Has("amount") {
		k.Amount = new(money.Typed(form.Get("amount")))
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Messages.Keep(v.Ctx(), v.Who, k)
		if f := fault.As(err); f != nil && (f.Code == bankmessage.ErrDecided.Code || f.Kind == fault.Conflict) {
			return submission.Outcome{LedTo: v.Path("/messages"), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: v.Path("/messages"), Said: "message-kept"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showKeep(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

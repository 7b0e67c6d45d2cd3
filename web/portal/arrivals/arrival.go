package arrivals

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const arrivalsPath = "/trader/arrivals"

var arrivalRoutes = []route{
	{Pattern: "GET " + arrivalsPath, Needs: caller.TraderRead, Handle: (*visit).list},
	{Pattern: "GET " + arrivalsPath + "/new", Needs: caller.TraderWork, Handle: (*visit).ask},
	{Pattern: "POST " + arrivalsPath + "/new", Needs: caller.TraderWork, Handle: portal.After((*visit).Form, (*visit).keep)},
}

// list searches by an amount if one was typed, and otherwise by words.
func (v *visit) list() error {
	typed := v.R.URL.Query().Get("q")
	page := payment.FreeArrivals{Words: typed}
	if amount := money.Typed(typed); typed != "" {
		if _, err := money.Parse(amount, money.FiatDecimals); err == nil {
			page.Amount, page.Words = amount, ""
		}
	}
	page.Cursor = optional.Of(v.R.URL.Query().Get("cursor"))
	found, next, err := v.Payments.ListFree(v.Ctx(), v.Who, page)
	if err != nil {
		return err
	}
	own, err := v.Settings.ListOwnRequisites(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := List{MayKeep: v.Who.May(caller.TraderWork), Typed: typed, Money: view.Sheet{
		Label: v.Say(say.ArrivalsTitle), Empty: view.Empty{Title: sayNone, Text: sayNoneText},
		Columns: portal.AtRight(v.Columns(false, say.Amount, sayCame, say.Requisite, sayFrom, sayNote), 0),
	}}
	for _, a := range found {
		note := view.Cell{Text: a.Note}
		if a.PaymentID != nil {
			note.Note, note.NoteHref = v.Say(sayWas, *a.PaymentID), view.Link(v.PaymentPath(*a.PaymentID))
		}
		shown.Money.Rows = append(shown.Money.Rows, []view.Cell{
			{Text: v.Amount(a.Amount, a.Currency)}, {At: &a.CameAt}, {Text: v.requisite(own, a.RequisiteID)}, {Text: a.Payer}, note,
		})
	}
	if next != nil {
		shown.Next = view.Query(arrivalsPath, "q", typed, "cursor", *next)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.ArrivalsTitle), ListPage, shown)
}

// requisite is the name of a requisite.
func (v *visit) requisite(own []directory.OwnRequisite, id int64) string {
	if at := slices.IndexFunc(own, func(r directory.OwnRequisite) bool { return r.ID == id }); at >= 0 {
		return v.Say(say.Method(own[at].Method)) + " " + own[at].Masked
	}
	return view.Number(id)
}

func (v *visit) ask() error {
	return v.showForm(http.StatusOK, url.Values{"token": {submission.NewToken()}}, nil)
}

// showForm asks for money that came and belongs to no payment. The desk for
// card payments is not offered, because nobody transfers money to it.
func (v *visit) showForm(status int, typed url.Values, wrong map[string]string) error {
	own, err := v.Settings.ListOwnRequisites(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	at := view.Choice{Name: "requisite", Label: say.Requisite}
	for _, r := range own {
		if r.Masked != "" {
			at.Options = append(at.Options, view.Option{Value: view.Number(r.ID), Text: v.requisite(own, r.ID) + ", " + r.Currency})
		}
	}
	form := view.MoneyForm{
		Action: arrivalsPath + "/new", Text: v.Say(sayKeepText), Submit: v.Say(sayKeep), Back: arrivalsPath,
		Hidden: [][2]string{{"token", typed.Get("token")}}, Choices: []view.Choice{at}, Fields: []view.Field{
			{
				Name: "amount", Label: say.Amount, Max: 24,
				More: templ.Attributes{"inputmode": "decimal", "autocomplete": "off"},
			},
			{
				Name: "came", Label: sayCame, Wrong: wrong["cameAt"], Hint: v.Say(sayNow),
				Type: "datetime-local", Optional: true,
			},
			{Name: "payer", Label: sayFrom, Optional: true},
			{Name: "note", Label: sayNote, Optional: true},
		},
	}
	return v.ShowForm(status, v.Say(sayKeep), form, typed, wrong)
}

// keep stores the money, once. The time is in the reader's zone; without one it
// came now.
func (v *visit) keep(form url.Values) error {
	amount := money.Typed(form.Get("amount"))
	said := payment.Came{Amount: &amount, Payer: optional.Of(form.Get("payer")), Note: optional.Of(form.Get("note"))}
	if text := form.Get("came"); text != "" {
		at, err := time.ParseInLocation("2006-01-02T15:04", text, v.Shell.Zone)
		if err != nil {
			return v.showForm(http.StatusUnprocessableEntity, form, map[string]string{"cameAt": v.Say(sayWrongAt)})
		}
		said.At = &at
	}
	requisite := portal.IDOf(form, "requisite")
	err := v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Payments.KeepMoney(v.Ctx(), v.Who, requisite, said)
		return submission.Outcome{LedTo: arrivalsPath, Said: "saved"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showForm(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

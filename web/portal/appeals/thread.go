package appeals

import (
	"net/http"
	"net/url"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The conversation between operators and traders about appeals. Operators read
// it on the page of the appeal.
var threadRoutes = []route{
	{Pattern: "GET /trader/appeals", Needs: caller.TraderRead, Handle: (*visit).threads},
	{Pattern: "GET /trader/appeals/{id}", Needs: caller.TraderRead, Handle: portal.After((*visit).Numbered, (*visit).thread)},
	{Pattern: "POST /trader/appeals/{id}/messages", Needs: caller.TraderWork, Handle: (*visit).sendMessage},
	{
		// The service checks the permission to write, which needs no
		// fresh second factor.
		Pattern: "POST /operator/appeals/{id}/messages", Needs: caller.OperatorRead,
		Handle: (*visit).sendMessage,
	},
}

var threadList = portal.List{
	Path: "/trader/appeals", Always: true, None: say.NoAppeals, NoneText: sayNoThreadsText,
}

// threads lists the appeals with messages of a trader's payments, and how many
// messages the trader's side has not read. Appeals without messages are not
// listed.
func (v *visit) threads() error {
	a := v.Asks(threadList)
	var page payment.Page
	page.Cursor = optional.Of(a.Filter.Cursor)
	found, next, err := v.Payments.ListThreads(v.Ctx(), v.Who, page)
	if a.Wrong, err = v.Flawed(err); err != nil {
		return err
	}
	sheet := view.Sheet{
		Label: v.Say(say.Appeals), Empty: a.Nothing(),
		Columns: portal.AtRight(v.Columns(false, say.Number, say.Amount, say.About, say.Status, sayLastMessage, sayUnread), 1),
	}
	for _, one := range found {
		unread := view.Cell{}
		if one.Unread > 0 {
			unread = view.Cell{Text: v.Say(say.ThreadUnread, one.Unread), Tone: "busy"}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: portal.IDText(one.Appeal.ID), Href: v.AppealPath(one.Appeal.ID)},
			{Text: v.Amount(one.Appeal.Payment.Amount, one.Appeal.Payment.Currency)},
			{Text: v.Say(say.ShortPayment, one.Appeal.Payment.ID)},
			v.Shell.BadgeCell(view.AppealBadge(one.Appeal.Status)), {At: &one.LastAt}, unread,
		})
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.Appeals), view.ListPage, view.List{
		Sheet: sheet, Pages: a.Older(next),
	})
}

func (v *visit) thread(id int64) error { return v.showThread(http.StatusOK, id, nil, nil) }

// showThread shows a conversation, with what was typed as an answer and its
// mistakes. Showing it makes its messages read for everybody on the reader's
// side, if the reader could answer. An operator sees this page only after a
// mistake; otherwise the conversation is on the page of the appeal.
func (v *visit) showThread(status int, id int64, typed url.Values, wrong map[string]string) error {
	t, err := v.Payments.ReadThread(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	p := t.Appeal.Payment
	shown := ThreadShown{
		Status: t.Appeal.Status, Amount: v.Amount(p.Amount, p.Currency), List: view.Link(v.Path("/appeals")),
		Facts: []view.Fact{
			{Label: say.About, Value: v.Say(say.ShortPayment, p.ID), Href: view.Link(v.PaymentPath(p.ID))},
			{Label: say.Created, At: &p.CreatedAt}, {Label: say.Opened, At: &t.Appeal.CreatedAt},
		},
		Thread: v.Thread(t, typed, wrong),
	}
	if v.Who.Kind == caller.Trader && t.Open {
		shown.About = v.Say(sayThreadAbout)
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.AppealTitle, id), ThreadPage, shown)
}

// sendMessage sends a message, once. A text that may have a card number is not
// shown again.
func (v *visit) sendMessage() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		err := v.Payments.WriteThread(v.Ctx(), v.Who, id, form.Get("text"))
		if f := fault.As(err); f != nil && f.Kind == fault.Refused {
			return submission.Outcome{LedTo: string(v.AppealPath(id)), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: string(v.AppealPath(id)), Said: "message-sent"}, err
	})
	wrong := v.Wrong(err)
	if wrong == nil {
		return err
	}
	if payment.HoldsCard(form.Get("text")) {
		form.Del("text")
	}
	return v.showThread(http.StatusUnprocessableEntity, id, form, wrong)
}

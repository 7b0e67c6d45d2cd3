package developers

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var eventList = portal.List{
	Path:     portal.EventsPath,
	Statuses: []string{"pending", "delivered", "dead"},
	Status:   sayEventStatus,
	Types: []string{
		"payment.status.updated", "payment.payer.claimed", "payment.quasi_ecom.code_resend", "payin.status.updated",
		"deposit.status.updated", "withdrawal.status.updated",
	},
	Search: true,
	Hint:   saySearchEvents,
	None:   sayNoEvents, NoneText: sayNoEventsText, Lately: sayNoneSent,
}

func (v *visit) events() error {
	return portal.ShowList(v.Visit, eventList, func(a portal.Asked) (report.Page[report.EventItem], error) {
		return v.Reports.Events(v.Ctx(), v.Who, report.EventFilter{Filter: a.Filter, Type: a.Query.Get(portal.AsksType)})
	}, v.showEvents)
}

// showEvents shows a page of the merchant's events, and leads users who may
// send again to the dead ones. An empty list looks for older events, to say
// whether there are none or none of late.
func (v *visit) showEvents(a portal.Asked, page report.Page[report.EventItem]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	if v.May(caller.MerchantResend) {
		filters.Act, filters.ActLabel, filters.Aside = view.Link(ownDead.Path), sayResendDead, true
	}
	sheet := view.Sheet{
		Label:   v.Say(say.EventsTitle),
		Columns: portal.AtRight(v.Columns(false, say.Number, say.At, say.EventType, sayEventAbout, say.Status, sayAttempts), 5),
	}
	for _, item := range page.Items {
		sheet.Rows = append(sheet.Rows, v.eventRow(item))
	}
	if len(sheet.Rows) == 0 {
		sheet.Empty, err = v.EmptyList(a, func(f report.Filter) (bool, error) {
			found, err := v.Reports.Events(v.Ctx(), v.Who, report.EventFilter{Filter: f})
			return len(found.Items) > 0, err
		})
	}
	if err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.EventsTitle), view.ListPage, view.List{
		Filters: filters, Text: saySequenceHint, Sheet: sheet, Pages: portal.Pages(a, page),
	})
}

// eventRow shows a dash for the number of an event that the feed does not have
// yet.
func (v *visit) eventRow(item report.EventItem) []view.Cell {
	number, attempts := "–", strconv.FormatInt(int64(item.Attempts), 10)
	if item.Number > 0 {
		number = strconv.FormatInt(item.Number, 10)
	}
	if item.LastCode != nil {
		attempts += " · " + strconv.FormatInt(int64(*item.LastCode), 10)
	}
	return []view.Cell{
		{Text: number, Href: view.Link(portal.EventPath(item.ID.String()))}, {Drawn: view.Exactly(v.Shell, item.CreatedAt)},
		{Text: item.Type}, {Text: v.about(item.Subject, item.SubjectID, item.Sequence)},
		v.Shell.BadgeCell(EventBadge(item.Status)), {Text: attempts},
	}
}

func (v *visit) eventAsked() (webhook.Told, error) {
	return v.Events.Get(v.Ctx(), v.Who, v.R.PathValue("event"))
}

// event shows an event with its body and every attempt to deliver it. An event
// that the feed does not have yet has a title that says so instead of its
// number. The link to send it again is for users who may.
func (v *visit) event(event webhook.Told) error {
	shown := Event{
		ID: event.ID.String(), Type: event.Type, About: v.about(event.Subject, event.SubjectID, event.Sequence),
		URL: event.URL, Body: readable(event.Body), CreatedAt: event.CreatedAt, Status: EventBadge(event.Status),
	}
	box, err := v.boxNamed(strconv.FormatInt(event.CashboxID, 10))
	if err != nil {
		return err
	}
	shown.Box = v.boxName(box)
	if shown.Subject, err = v.subjectOf(event); err != nil {
		return err
	}
	if v.May(caller.MerchantResend) {
		shown.Resend = view.Link(portal.EventPath(shown.ID) + "/resend")
	}
	for _, attempt := range event.Attempts {
		took := time.Duration(attempt.DurationMs) * time.Millisecond
		shown.Attempts = append(shown.Attempts, EventAttempt{
			At:     attempt.At,
			Good:   attempt.StatusCode != nil && *attempt.StatusCode/100 == 2,
			Result: v.answered(attempt.StatusCode, took),
			Words:  excerpt(attempt.Answer, attempt.Error, len(attempt.Answer)+500),
		})
	}
	v.Shell.Title = v.Say(sayEventWaits)
	if event.Number != nil {
		v.Shell.Title = v.Say(sayEventNumber, *event.Number)
	}
	return portal.Show(v.Visit, http.StatusOK, EventPage, shown)
}

// subjectOf links to the subject of an event, if the user may see it.
func (v *visit) subjectOf(event webhook.Told) (view.Link, error) {
	switch event.Subject {
	case portal.SubjectPayment:
		return view.Link(v.PaymentPath(event.SubjectID)), nil
	case portal.SubjectDeposit, portal.SubjectWithdrawal:
		if !v.May(caller.MerchantMoney) {
			return "", nil
		}
		return view.Link(portal.Numbered(v.Path("/"+event.Subject+"s"), event.SubjectID)), nil
	}
	id := strconv.FormatInt(event.SubjectID, 10)
	found, err := v.Reports.Payouts(v.Ctx(), v.Who, report.Filter{Search: id, From: time.Unix(0, 0)})
	if err != nil {
		return "", err
	}
	for _, item := range found.Items {
		if item.ID == event.SubjectID {
			return view.Link(v.PayoutPath(item.UUID.String())), nil
		}
	}
	return "", nil
}

func (v *visit) resendPage(event webhook.Told) error {
	path := portal.EventPath(event.ID.String())
	return v.Question(view.Question{
		Title: sayResendTitle, Texts: []string{v.Say(sayResendText)}, Action: path + "/resend",
		Yes: v.Say(sayResendYes), Back: view.Link(path), Facts: v.eventFacts(event),
	})
}

func (v *visit) resendEvent(event webhook.Told) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	return v.resendOnce(form, event)
}

// resendOnce sends an event again at the first sending of a form.
func (v *visit) resendOnce(form url.Values, event webhook.Told) error {
	id := event.ID.String()
	err := v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Events.Replay(v.Ctx(), v.Who, webhook.Replay{EventID: &id})
		return submission.Outcome{LedTo: portal.EventPath(id), Said: "event-resent"}, err
	})
	if v.Wrong(err) != nil { // the form's token is not one of the portal's
		return v.Done(portal.EventPath(id)+"/resend", "")
	}
	return err
}

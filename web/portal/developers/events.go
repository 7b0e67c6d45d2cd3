package developers

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	resendPath = "/merchant/developers/resend"
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
	a := v.Asks(eventList)
	if v.Tidied(a) {
		return nil
	}
	if len(a.Wrong) > 0 {
		return v.showEvents(a, report.Page[report.EventItem]{})
	}
	page, err := v.Reports.Events(v.Ctx(), v.Who, eventFilter(a, a.Filter))
	if a.Wrong, err = v.Flawed(err); err != nil {
		return err
	}
	return v.showEvents(a, page)
}

func eventFilter(a portal.Asked, f report.Filter) report.EventFilter {
	return report.EventFilter{Filter: f, Type: a.Query.Get(portal.AsksType)}
}

func (v *visit) showEvents(a portal.Asked, page report.Page[report.EventItem]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	shown := Events{Filters: filters, Pages: portal.Pages(a, page)}
	if v.May(caller.MerchantResend) {
		shown.Dead = resendPath
	}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.eventRow(item))
	}
	if len(shown.Items) == 0 {
		shown.Empty, err = v.EmptyList(a, func(f report.Filter) (bool, error) {
			found, err := v.Reports.Events(v.Ctx(), v.Who, report.EventFilter{Filter: f})
			return len(found.Items) > 0, err
		})
	}
	if err != nil {
		return err
	}
	v.Shell.Title = v.Shell.Say(say.EventsTitle)
	v.Show(a.StatusOf(), func(s view.Shell) site.Page { return EventsPage(s, shown) })
	return nil
}

func (v *visit) eventRow(item report.EventItem) EventRow {
	row := EventRow{
		Href: view.Link(portal.EventPath(item.ID.String())), Number: "–", Type: item.Type, CreatedAt: item.CreatedAt,
		About: v.about(item.Subject, item.SubjectID, item.Sequence), Status: EventBadge(item.Status),
		Attempts: strconv.FormatInt(int64(item.Attempts), 10),
	}
	if item.Number > 0 {
		row.Number = strconv.FormatInt(item.Number, 10)
	}
	if item.LastCode != nil {
		row.Attempts += " · " + strconv.FormatInt(int64(*item.LastCode), 10)
	}
	return row
}

func (v *visit) eventAsked() (webhook.Told, error) {
	return v.Events.Get(v.Ctx(), v.Who, v.R.PathValue("event"))
}

func (v *visit) event() error {
	event, err := v.eventAsked()
	if err != nil {
		return err
	}
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
	v.Shell.Title = v.Shell.Say(sayEventWaits)
	if event.Number != nil {
		v.Shell.Title = v.Shell.Say(sayEventNumber, *event.Number)
	}
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return EventPage(s, shown) })
	return nil
}

// subjectOf leads to what an event is about, where the user may look at it.
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

func (v *visit) resendPage() error {
	event, err := v.eventAsked()
	if err != nil {
		return err
	}
	path := portal.EventPath(event.ID.String())
	return v.Question(view.Question{
		Title: sayResendTitle, Texts: []string{v.Shell.Say(sayResendText)}, Action: path + "/resend",
		Yes: v.Shell.Say(sayResendYes), Back: view.Link(path), Facts: v.eventFacts(event),
	})
}

func (v *visit) resendEvent() error {
	event, err := v.eventAsked()
	if err != nil {
		return err
	}
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
	if v.Wrong(err) != nil { // the token is none of ours
		return v.Done(portal.EventPath(id)+"/resend", "")
	}
	return err
}

// deadList is kept to days alone.
var deadList = portal.List{Path: resendPath}

// dead counts dead events by their address.
func (v *visit) dead() error {
	a := v.Asks(deadList)
	shown := Dead{Path: a.Path, Up: portal.EventsPath, UpLabel: say.EventsTitle}
	f := view.Filters{From: a.Query.Get(portal.AsksFrom), To: a.Query.Get(portal.AsksTo), Wrong: a.Wrong}
	shown.From, shown.To = f.Day(portal.AsksFrom, sayCreatedFrom, f.From), f.Day(portal.AsksTo, sayCreatedTo, f.To)
	if len(a.Wrong) == 0 {
		found, err := v.Reports.DeadEndpoints(v.Ctx(), v.Who, a.Filter.From, a.Filter.To)
		if err != nil {
			return err
		}
		for _, endpoint := range found {
			query := url.Values{"url": {endpoint.URL}}
			for name, values := range a.Query {
				query[name] = values
			}
			shown.Items = append(shown.Items, DeadRow{
				URL: endpoint.URL, Events: v.deadCount(endpoint.Events),
				Href: view.Link(resendPath + "/confirm?" + query.Encode()),
			})
		}
	}
	if err := v.running(&shown, replayPath); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Mistakes = v.Shell.Say(sayResendDead), len(a.Wrong) > 0
	v.Show(a.StatusOf(), func(s view.Shell) site.Page { return DeadPage(s, shown) })
	return nil
}

// deadCount is a number of dead events, which are counted up to so many.
func (v *visit) deadCount(n int) string {
	if n >= report.DeadMost {
		return v.Shell.Say(sayDeadMore, n)
	}
	return strconv.Itoa(n)
}

// deadPage says how many events would be sent again, and where to.
func (v *visit) deadPage() error {
	a, address := v.Asks(deadList), v.R.URL.Query().Get("url")
	if len(a.Wrong) > 0 {
		return fault.ErrNotFound
	}
	found, err := v.Reports.DeadEndpoints(v.Ctx(), v.Who, a.Filter.From, a.Filter.To)
	if err != nil {
		return err
	}
	for _, endpoint := range found {
		if endpoint.URL == address {
			return v.askDead(a, endpoint)
		}
	}
	return v.Done(a.Href(a.Query), "")
}

func (v *visit) askDead(a portal.Asked, endpoint report.DeadEndpoint) error {
	number := v.deadCount(endpoint.Events)
	q := view.Question{
		Title: sayDeadConfirm, Texts: []string{v.Shell.Say(sayResendText), v.Shell.Say(sayDeadConfirmed)},
		Action: resendPath, Yes: v.Shell.Say(sayDeadYes, number), Back: view.Link(a.Href(a.Query)),
		Hidden: [][2]string{
			{
				"url",
				endpoint.URL,
			},
			{portal.AsksFrom, a.Query.Get(portal.AsksFrom)},
			{portal.AsksTo, a.Query.Get(portal.AsksTo)},
		},
		Facts: []view.Fact{
			{Label: saySentTo, Value: endpoint.URL, Class: "mono"},
			{Label: sayDeadEvents, Value: number},
		},
	}
	if !a.Filter.From.IsZero() {
		q.Facts = append(q.Facts, view.Fact{Label: sayCreatedFrom, Value: v.Shell.Day(a.Filter.From)})
	}
	if !a.Filter.To.IsZero() {
		q.Facts = append(q.Facts, view.Fact{Label: sayCreatedTo, Value: v.Shell.Day(a.Filter.To.AddDate(0, 0, -1))})
	}
	return v.Question(q)
}

// resendDead sends all dead events of an address again, by the filter that the page has shown.
func (v *visit) resendDead() error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	v.R.URL.RawQuery = url.Values{portal.AsksFrom: form[portal.AsksFrom], portal.AsksTo: form[portal.AsksTo]}.Encode()
	a, address := v.Asks(deadList), form.Get("url")
	if len(a.Wrong) > 0 || address == "" {
		return v.Done(resendPath, "")
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		progress, err := v.Events.Replay(v.Ctx(), v.Who, webhook.Replay{
			URL: &address, From: unlessZero(a.Filter.From), Until: unlessZero(a.Filter.To),
		})
		if err != nil {
			return submission.Outcome{}, err
		}
		return submission.Outcome{LedTo: replayPath(*progress.ID), Said: "replay-begun"}, nil
	})
	if v.Wrong(err) != nil {
		return v.Done(resendPath, "")
	}
	return err
}

func unlessZero(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func replayPath(id int64) string { return resendPath + "/" + strconv.FormatInt(id, 10) }

// replayID is the replay that the address names.
func (v *visit) replayID() (int64, error) {
	id, err := strconv.ParseInt(v.R.PathValue("replay"), 10, 64)
	if err != nil {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

func (v *visit) replay() error {
	return v.showReplay(ReplayPage, replayPath, Replay{
		MayStop: v.May(caller.MerchantResend), Up: portal.EventsPath, UpLabel: say.EventsTitle,
	})
}

func (v *visit) replayRegion() error {
	return v.showReplay(ReplayRegion, replayPath, Replay{
		MayStop: v.May(caller.MerchantResend), Up: portal.EventsPath, UpLabel: say.EventsTitle,
	})
}

// showReplay shows how far the replay is that the address names: a page, or what of it asks for itself anew.
func (v *visit) showReplay(
	page func(view.Shell, Replay) templ.Component, path func(int64) string, shown Replay,
) error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	progress, err := v.Events.ReplayProgress(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	shown.Path, shown.Runs = path(id), !progress.Done
	shown.Progress = view.Progress{Label: v.Shell.Say(sayReplaySent), Done: progress.Replayed, Runs: shown.Runs}
	if progress.Left >= 0 {
		shown.Progress.Of = progress.Replayed + progress.Left
	}
	shown.State = view.Badge{Text: sayReplayRuns}
	switch {
	case progress.Stopped:
		shown.State = view.Badge{Text: sayReplayStopped, Tone: "late"}
	case progress.Done:
		shown.State = view.Badge{Text: sayReplayDone, Tone: "good"}
	}
	v.Shell.Title, v.Shell.Live = v.Shell.Say(sayReplayTitle), shown.Runs
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return page(s, shown) })
	return nil
}

// stopReplay ends it where it is. To do so again changes nothing.
func (v *visit) stopReplay() error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	if _, err := v.Events.StopReplay(v.Ctx(), v.Who, id); err != nil {
		return err
	}
	return v.Done(replayPath(id), "replay-stopped")
}

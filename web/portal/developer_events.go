package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

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
	eventsPath = "/merchant/developers/events"
	resendPath = "/merchant/developers/resend"
)

var eventList = list{
	path:     eventsPath,
	statuses: []string{"pending", "delivered", "dead"},
	status:   say.EventStatus,
	types: []string{
		"payment.status.updated", "payment.payer.claimed", "payment.quasi_ecom.code_resend", "payin.status.updated",
	},
	search: true,
	hint:   say.SearchEvents,
	none:   say.NoEvents, noneText: say.NoEventsText, lately: say.NoneSent,
}

func eventPath(id string) string { return eventsPath + "/" + id }

func (v *visit) events() error {
	a := v.asks(eventList)
	if v.tidied(a) {
		return nil
	}
	if len(a.wrong) > 0 {
		return v.showEvents(a, report.Page[report.EventItem]{})
	}
	page, err := v.Reports.Events(v.ctx(), v.who, eventFilter(a, a.filter))
	if a.wrong, err = v.flawed(err); err != nil {
		return err
	}
	return v.showEvents(a, page)
}

func eventFilter(a asked, f report.Filter) report.EventFilter {
	return report.EventFilter{Filter: f, Type: a.query.Get(asksType)}
}

func (v *visit) showEvents(a asked, page report.Page[report.EventItem]) error {
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	shown := view.Events{Filters: filters, Pages: pages(a, page)}
	if v.may(caller.MerchantResend) {
		shown.Dead = resendPath
	}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.eventRow(item))
	}
	if len(shown.Items) == 0 {
		shown.Empty, err = v.emptyList(a, func(f report.Filter) (bool, error) {
			found, err := v.Reports.Events(v.ctx(), v.who, report.EventFilter{Filter: f})
			return len(found.Items) > 0, err
		})
	}
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.EventsTitle)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.EventsPage(s, shown) })
	return nil
}

func (v *visit) eventRow(item report.EventItem) view.EventRow {
	row := view.EventRow{
		Href: view.Link(eventPath(item.ID.String())), Number: "–", Type: item.Type, CreatedAt: item.CreatedAt,
		About: v.about(item.Subject, item.SubjectID, item.Sequence), Status: view.EventBadge(item.Status),
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
	return v.Events.Get(v.ctx(), v.who, v.r.PathValue("event"))
}

func (v *visit) event() error {
	event, err := v.eventAsked()
	if err != nil {
		return err
	}
	shown := view.Event{
		ID: event.ID.String(), Type: event.Type, About: v.about(event.Subject, event.SubjectID, event.Sequence),
		URL: event.URL, Body: readable(event.Body), CreatedAt: event.CreatedAt, Status: view.EventBadge(event.Status),
	}
	box, err := v.boxNamed(strconv.FormatInt(event.CashboxID, 10))
	if err != nil {
		return err
	}
	shown.Box = v.boxName(box)
	if shown.Subject, err = v.subjectOf(event); err != nil {
		return err
	}
	if v.may(caller.MerchantResend) {
		shown.Resend = view.Link(eventPath(shown.ID) + "/resend")
	}
	for _, attempt := range event.Attempts {
		took := time.Duration(attempt.DurationMs) * time.Millisecond
		shown.Attempts = append(shown.Attempts, view.EventAttempt{
			At:   attempt.At,
			Good: attempt.StatusCode != nil && *attempt.StatusCode/100 == 2,
			Result: v.answered(
				attempt.StatusCode,
				took,
			),
			Words: excerpt(attempt.Answer, attempt.Error, len(attempt.Answer)+500),
		})
	}
	v.shell.Title = v.shell.Say(say.EventWaits)
	if event.Number != nil {
		v.shell.Title = v.shell.Say(say.EventNumber, *event.Number)
	}
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.EventPage(s, shown) })
	return nil
}

// subjectOf leads to the payment or payout that an event is about.
func (v *visit) subjectOf(event webhook.Told) (view.Link, error) {
	if event.Subject == subjectPayment {
		return view.Link(v.paymentPath(event.SubjectID)), nil
	}
	id := strconv.FormatInt(event.SubjectID, 10)
	found, err := v.Reports.Payouts(v.ctx(), v.who, report.Filter{Search: id, From: time.Unix(0, 0)})
	if err != nil {
		return "", err
	}
	for _, item := range found.Items {
		if item.ID == event.SubjectID {
			return view.Link(v.payoutPath(item.UUID.String())), nil
		}
	}
	return "", nil
}

func (v *visit) resendPage() error {
	event, err := v.eventAsked()
	if err != nil {
		return err
	}
	path := eventPath(event.ID.String())
	return v.question(view.Question{
		Title: say.ResendTitle, Texts: []string{v.shell.Say(say.ResendText)}, Action: path + "/resend",
		Yes: v.shell.Say(say.ResendYes), Back: view.Link(path), Facts: v.eventFacts(event),
	})
}

func (v *visit) resendEvent() error {
	event, err := v.eventAsked()
	if err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	return v.resendOnce(form, event)
}

// resendOnce sends an event again at the first sending of a form.
func (v *visit) resendOnce(form url.Values, event webhook.Told) error {
	id := event.ID.String()
	err := v.once(form, func() (submission.Outcome, error) {
		_, err := v.Events.Replay(v.ctx(), v.who, webhook.Replay{EventID: &id})
		return submission.Outcome{LedTo: eventPath(id), Said: "event-resent"}, err
	})
	if v.wrong(err) != nil { // the token is none of ours
		return v.done(eventPath(id)+"/resend", "")
	}
	return err
}

// deadList is kept to days alone.
var deadList = list{path: resendPath}

// dead counts dead events by their address.
func (v *visit) dead() error {
	a := v.asks(deadList)
	shown := view.Dead{Path: a.path, Up: eventsPath, UpLabel: say.EventsTitle}
	f := view.Filters{From: a.query.Get(asksFrom), To: a.query.Get(asksTo), Wrong: a.wrong}
	shown.From, shown.To = f.Day(asksFrom, say.CreatedFrom, f.From), f.Day(asksTo, say.CreatedTo, f.To)
	if len(a.wrong) == 0 {
		found, err := v.Reports.DeadEndpoints(v.ctx(), v.who, a.filter.From, a.filter.To)
		if err != nil {
			return err
		}
		for _, endpoint := range found {
			query := url.Values{"url": {endpoint.URL}}
			for name, values := range a.query {
				query[name] = values
			}
			shown.Items = append(shown.Items, view.DeadRow{
				URL: endpoint.URL, Events: v.deadCount(endpoint.Events),
				Href: view.Link(resendPath + "/confirm?" + query.Encode()),
			})
		}
	}
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.ResendDead), len(a.wrong) > 0
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.DeadPage(s, shown) })
	return nil
}

// deadCount is a number of dead events, which are counted up to so many.
func (v *visit) deadCount(n int) string {
	if n >= report.DeadMost {
		return v.shell.Say(say.DeadMore, n)
	}
	return strconv.Itoa(n)
}

// deadPage says how many events would be sent again, and where to.
func (v *visit) deadPage() error {
	a, address := v.asks(deadList), v.r.URL.Query().Get("url")
	if len(a.wrong) > 0 {
		return fault.ErrNotFound
	}
	found, err := v.Reports.DeadEndpoints(v.ctx(), v.who, a.filter.From, a.filter.To)
	if err != nil {
		return err
	}
	for _, endpoint := range found {
		if endpoint.URL == address {
			return v.askDead(a, endpoint)
		}
	}
	return v.done(a.href(a.query), "")
}

func (v *visit) askDead(a asked, endpoint report.DeadEndpoint) error {
	number := v.deadCount(endpoint.Events)
	q := view.Question{
		Title: say.DeadConfirm, Texts: []string{v.shell.Say(say.ResendText), v.shell.Say(say.DeadConfirmed)},
		Action: resendPath, Yes: v.shell.Say(say.DeadYes, number), Back: view.Link(a.href(a.query)),
		Hidden: [][2]string{
			{"url", endpoint.URL}, {asksFrom, a.query.Get(asksFrom)}, {asksTo, a.query.Get(asksTo)},
		},
		Facts: []view.Fact{
			{Label: say.SentTo, Value: endpoint.URL, Class: "mono"},
			{Label: say.DeadEvents, Value: number},
		},
	}
	if !a.filter.From.IsZero() {
		q.Facts = append(q.Facts, view.Fact{Label: say.CreatedFrom, Value: v.shell.Day(a.filter.From)})
	}
	if !a.filter.To.IsZero() {
		q.Facts = append(q.Facts, view.Fact{Label: say.CreatedTo, Value: v.shell.Day(a.filter.To.AddDate(0, 0, -1))})
	}
	return v.question(q)
}

// resendDead sends all dead events of an address again, by the filter that the page has shown.
func (v *visit) resendDead() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	v.r.URL.RawQuery = url.Values{asksFrom: form[asksFrom], asksTo: form[asksTo]}.Encode()
	a, address := v.asks(deadList), form.Get("url")
	if len(a.wrong) > 0 || address == "" {
		return v.done(resendPath, "")
	}
	err = v.once(form, func() (submission.Outcome, error) {
		progress, err := v.Events.Replay(v.ctx(), v.who, webhook.Replay{
			URL: &address, From: unlessZero(a.filter.From), Until: unlessZero(a.filter.To),
		})
		if err != nil {
			return submission.Outcome{}, err
		}
		return submission.Outcome{LedTo: replayPath(*progress.ID), Said: "replay-begun"}, nil
	})
	if v.wrong(err) != nil {
		return v.done(resendPath, "")
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
	id, err := strconv.ParseInt(v.r.PathValue("replay"), 10, 64)
	if err != nil {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

func (v *visit) replay() error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	progress, err := v.Events.ReplayProgress(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	shown := view.Replay{
		Path: replayPath(id), Sent: strconv.FormatInt(progress.Replayed, 10), Runs: !progress.Done,
		MayStop: v.may(caller.MerchantResend), Up: eventsPath, UpLabel: say.EventsTitle,
	}
	return v.showReplay(shown, progress)
}

func (v *visit) showReplay(shown view.Replay, progress webhook.Progress) error {
	shown.State = view.Badge{Text: say.ReplayRuns}
	switch {
	case progress.Stopped:
		shown.State = view.Badge{Text: say.ReplayStopped, Tone: "late"}
	case progress.Done:
		shown.State = view.Badge{Text: say.ReplayDone, Tone: "good"}
	}
	v.shell.Title = v.shell.Say(say.ReplayTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ReplayPage(s, shown) })
	return nil
}

// stopReplay ends it where it is. To do so again changes nothing.
func (v *visit) stopReplay() error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	if _, err := v.Events.StopReplay(v.ctx(), v.who, id); err != nil {
		return err
	}
	return v.done(replayPath(id), "replay-stopped")
}

package developers

import (
	"net/http"
	"strconv"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// hooks shows where webhooks are sent, and how endpoints accepted them lately.
func (v *visit) hooks() error {
	boxes, err := v.Settings.OwnCashboxes(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	health, err := v.Reports.Health(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	var shown Hooks
	names := map[int64]string{}
	for _, box := range boxes {
		names[box.ID] = v.boxName(box)
		one, err := v.hookBox(box, health)
		if err != nil {
			return err
		}
		shown.Boxes = append(shown.Boxes, one)
	}
	shown.Failures = view.Sheet{
		Label: v.Say(sayFailures), Empty: view.Empty{Title: sayNoFailures},
		Columns: v.Columns(false, say.EventType, say.At, say.Cashbox, sayAnswer),
	}
	for _, failure := range health.Failures {
		shown.Failures.Rows = append(shown.Failures.Rows, []view.Cell{
			{Text: failure.Type, Href: view.Link(portal.EventPath(failure.EventID.String()))},
			{Drawn: view.Exactly(v.Shell, failure.At)}, {Text: names[failure.CashboxID]},
			{
				Text: v.answered(failure.StatusCode, failure.Duration),
				Note: excerpt(failure.Answer, failure.Error, excerptShort),
			},
		})
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.WebhooksTitle), HooksPage, shown)
}

// hookBox sums up how a cashbox's events were accepted. Without attempts there
// is no rate, rather than one of 0%. Of older secrets it shows until when they
// sign.
func (v *visit) hookBox(box directory.OwnCashbox, health report.Health) (HookBox, error) {
	old, err := v.Events.OldSecrets(v.Ctx(), v.Who, box.ID)
	if err != nil {
		return HookBox{}, err
	}
	shown := HookBox{ID: boxID(box), Name: v.boxName(box), Signs: box.Signs, Old: old}
	if v.May(caller.MerchantKeys) {
		shown.Rotate = view.Link(boxPath(box, "secret"))
	}
	if v.May(caller.MerchantResend) {
		shown.Test = view.Link(boxPath(box, "test"))
	}
	for _, sum := range health.Cashboxes {
		if sum.CashboxID == box.ID && sum.Attempts > 0 {
			shown.Attempts = int(sum.Attempts)
			shown.Rate = percent(sum.Taken, sum.Attempts)
			if sum.Median > 0 {
				shown.Median = v.Say(sayMs, sum.Median.Milliseconds())
			}
		}
	}
	return shown, nil
}

// percent is a part of a whole in percent, rounded down, so that it is 100 only
// for the whole.
func percent(part, whole int32) string {
	return strconv.FormatInt(int64(part)*100/int64(whole), 10) + "\u00a0%"
}

// answered is the status of an attempt's answer, and how long it took.
func (v *visit) answered(code *int32, took time.Duration) string {
	answer := v.Say(sayNoAnswer)
	if code != nil {
		answer = strconv.FormatInt(int64(*code), 10)
	}
	return v.Say(sayAttemptTook, answer, took.Milliseconds())
}

const excerptShort = 200

// excerpt is the beginning of an answer, or why there was none, cut to a
// length.
func excerpt(answer []byte, problem *string, most int) string {
	text := readable(answer)
	if text == "" && problem != nil {
		text = *problem
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func (v *visit) rotatePage(box directory.OwnCashbox) error {
	return v.Question(view.Question{
		Title: sayRotateTitle, Texts: []string{v.Say(sayRotateText)}, Action: boxPath(box, "secret"),
		Yes: v.Say(sayRotateYes), Back: portal.HooksPath,
		Facts: []view.Fact{{Label: say.Cashbox, Value: v.boxName(box)}},
	})
}

// rotate makes a new signing secret, only once, and shows it in the answer.
func (v *visit) rotate(box directory.OwnCashbox) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	var secret string
	var until time.Time
	outcome, err := v.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		var err error
		secret, until, err = v.Events.RotateSecret(v.Ctx(), v.Who, box.ID)
		return submission.Outcome{LedTo: portal.HooksPath, Said: "secret-made-before"}, err
	})
	if v.Wrong(err) != nil { // the form's token is not one of the portal's
		return v.rotatePage(box)
	}
	if err != nil || secret == "" {
		return v.Led(outcome, err)
	}
	return v.Reveal(sayRotated, view.Shown{
		Text:   v.Say(sayRotatedText, v.When(until)),
		Label:  saySecret,
		Secret: secret,
		Next:   portal.HooksPath,
		Facts:  []view.Fact{{Label: say.Cashbox, Value: v.boxName(box)}},
	})
}

// testPage asks whether to send the cashbox's last event again as a test. The
// form names the event that the page shows, so that a newer one is not sent in
// its place. A cashbox without events leads back and says so.
func (v *visit) testPage(box directory.OwnCashbox) error {
	id, err := v.Events.Latest(v.Ctx(), v.Who, box.ID)
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound {
		return v.Done(portal.HooksPath, "no-event")
	}
	if err != nil {
		return err
	}
	event, err := v.Events.Get(v.Ctx(), v.Who, id.String())
	if err != nil {
		return err
	}
	return v.Question(view.Question{
		Title: sayTestEvent, Texts: []string{v.Say(sayTestText)}, Action: boxPath(box, "test"),
		Hidden: [][2]string{{"event", id.String()}}, Yes: v.Say(sayResendYes), Back: portal.HooksPath,
		Facts: append([]view.Fact{{Label: say.Cashbox, Value: v.boxName(box)}}, v.eventFacts(event)...),
	})
}

// test sends again the event that the page has shown.
func (v *visit) test() error {
	if _, err := v.box(); err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	event, err := v.Events.Get(v.Ctx(), v.Who, form.Get("event"))
	if err != nil {
		return err
	}
	return v.resendOnce(form, event)
}

func (v *visit) eventFacts(event webhook.Told) []view.Fact {
	return []view.Fact{
		{Label: say.EventType, Value: event.Type},
		{Label: sayEventAbout, Value: v.about(event.Subject, event.SubjectID, event.Sequence)},
		{Label: saySentTo, Value: event.URL, Class: "mono"},
	}
}

// about says what an event is about, and its sequence number.
func (v *visit) about(subject string, id int64, sequence int32) string {
	return v.Say(sayEventOf, v.Say(sayEventSubject(subject), id), sequence)
}

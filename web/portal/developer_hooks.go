package portal

import (
	"net/http"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// hooks shows where webhooks go, and how they were taken lately.
func (v *visit) hooks() error {
	boxes, err := v.Settings.OwnCashboxes(v.ctx(), v.who)
	if err != nil {
		return err
	}
	health, err := v.Reports.Health(v.ctx(), v.who)
	if err != nil {
		return err
	}
	var shown view.Hooks
	names := map[int64]string{}
	for _, box := range boxes {
		names[box.ID] = v.boxName(box)
		one, err := v.hookBox(box, health)
		if err != nil {
			return err
		}
		shown.Boxes = append(shown.Boxes, one)
	}
	for _, failure := range health.Failures {
		shown.Failures = append(shown.Failures, view.HookFailure{
			At:    failure.At,
			Box:   names[failure.CashboxID],
			Type:  failure.Type,
			Event: view.Link(eventPath(failure.EventID.String())),
			Result: v.answered(
				failure.StatusCode,
				failure.Duration,
			),
			Words: excerpt(failure.Answer, failure.Error, excerptShort),
		})
	}
	v.shell.Title = v.shell.Say(say.WebhooksTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.HooksPage(s, shown) })
	return nil
}

func (v *visit) hookBox(box directory.OwnCashbox, health report.Health) (view.HookBox, error) {
	old, err := v.Events.OldSecrets(v.ctx(), v.who, box.ID)
	if err != nil {
		return view.HookBox{}, err
	}
	shown := view.HookBox{ID: boxID(box), Name: v.boxName(box), Signs: box.Signs, Old: old}
	if v.may(caller.MerchantKeys) {
		shown.Rotate = view.Link(boxPath(box, "secret"))
	}
	if v.may(caller.MerchantResend) {
		shown.Test = view.Link(boxPath(box, "test"))
	}
	for _, sum := range health.Cashboxes {
		if sum.CashboxID == box.ID && sum.Attempts > 0 {
			shown.Attempts = int(sum.Attempts)
			shown.Rate = percent(sum.Taken, sum.Attempts)
			if sum.Median > 0 {
				shown.Median = v.shell.Say(say.Ms, sum.Median.Milliseconds())
			}
		}
	}
	return shown, nil
}

// percent is a part of a whole, rounded down: not all is never 100.
func percent(part, whole int32) string {
	return strconv.FormatInt(int64(part)*100/int64(whole), 10) + "\u00a0%"
}

// answered is what an attempt was answered with, and how long it took.
func (v *visit) answered(code *int32, took time.Duration) string {
	answer := v.shell.Say(say.NoAnswer)
	if code != nil {
		answer = strconv.FormatInt(int64(*code), 10)
	}
	return v.shell.Say(say.AttemptTook, answer, took.Milliseconds())
}

const excerptShort = 200

// excerpt is what an answer said, or why there was none, cut where there is room for so many.
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

func (v *visit) rotatePage() error {
	box, err := v.box()
	if err != nil {
		return err
	}
	return v.question(view.Question{
		Title: say.RotateTitle, Texts: []string{v.shell.Say(say.RotateText)}, Action: boxPath(box, "secret"),
		Yes: v.shell.Say(say.RotateYes), Back: hooksPath,
		Facts: []view.Fact{{Label: say.Cashbox, Value: v.boxName(box)}},
	})
}

// rotate makes a new signing secret, once, and shows it in the answer.
func (v *visit) rotate() error {
	box, err := v.box()
	if err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	var secret string
	var until time.Time
	outcome, err := v.Submissions.Once(v.ctx(), v.who.ID, form.Get("token"), func() (submission.Outcome, error) {
		var err error
		secret, until, err = v.Events.RotateSecret(v.ctx(), v.who, box.ID)
		return submission.Outcome{LedTo: hooksPath, Said: "secret-made-before"}, err
	})
	if v.wrong(err) != nil { // the token is none of ours
		return v.rotatePage()
	}
	if err != nil || secret == "" {
		return v.led(outcome, err)
	}
	return v.reveal(say.Rotated, view.Shown{
		Text: v.shell.Say(say.RotatedText, v.shell.When(until)), Label: say.Secret, Secret: secret, Next: hooksPath,
		Facts: []view.Fact{{Label: say.Cashbox, Value: v.boxName(box)}},
	})
}

func (v *visit) testPage() error {
	box, err := v.box()
	if err != nil {
		return err
	}
	id, err := v.Events.Latest(v.ctx(), v.who, box.ID)
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound {
		return v.done(hooksPath, "no-event")
	}
	if err != nil {
		return err
	}
	event, err := v.Events.Get(v.ctx(), v.who, id.String())
	if err != nil {
		return err
	}
	return v.question(view.Question{
		Title: say.TestEvent, Texts: []string{v.shell.Say(say.TestText)}, Action: boxPath(box, "test"),
		Hidden: [][2]string{{"event", id.String()}}, Yes: v.shell.Say(say.ResendYes), Back: hooksPath,
		Facts: append([]view.Fact{{Label: say.Cashbox, Value: v.boxName(box)}}, v.eventFacts(event)...),
	})
}

// test sends the event again that the page has shown.
func (v *visit) test() error {
	if _, err := v.box(); err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	event, err := v.Events.Get(v.ctx(), v.who, form.Get("event"))
	if err != nil {
		return err
	}
	return v.resendOnce(form, event)
}

func (v *visit) eventFacts(event webhook.Told) []view.Fact {
	return []view.Fact{
		{Label: say.EventType, Value: event.Type},
		{Label: say.EventAbout, Value: v.about(event.Subject, event.SubjectID, event.Sequence)},
		{Label: say.SentTo, Value: event.URL, Class: "mono"},
	}
}

// about says what an event is about, and which of its events it is.
func (v *visit) about(subject string, id int64, sequence int32) string {
	return v.shell.Say(say.EventOf, v.shell.Say(say.EventSubject(subject), id), sequence)
}

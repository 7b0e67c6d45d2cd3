package notices

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const path = "/account/notifications"

var noticeRoutes = []route{
	{Pattern: "GET " + path, Kinds: portal.Users, Handle: (*visit).show},
	{Pattern: "POST " + path, Kinds: portal.Users, Handle: portal.After((*visit).Form, (*visit).set)},
	{Pattern: "POST " + path + "/telegram", Kinds: portal.Users, Handle: (*visit).telegram},
	{Pattern: "POST " + path + "/mail", Kinds: portal.Users, Handle: (*visit).mail},
	{Pattern: "POST " + path + "/mail/confirm", Kinds: portal.Users, Handle: (*visit).confirm},
	{Pattern: "POST " + path + "/push", Kinds: portal.Users, Handle: (*visit).push},
	{Pattern: "POST " + path + "/try", Kinds: portal.Users, Handle: (*visit).try},
	{Pattern: "POST " + path + "/{id}/remove", Kinds: portal.Users, Handle: (*visit).remove},
}

// names are the names of the channels.
var names = map[notify.Channel]say.Phrase{notify.Telegram: sayTelegram, notify.Mail: sayMail, notify.Push: sayPush}

func (v *visit) show() error { return v.showPage(http.StatusOK, Page{}) }

// showPage shows the page, with what was typed and its mistakes.
func (v *visit) showPage(status int, p Page) error {
	own, err := v.Notices.Own(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	for _, c := range own.Channels {
		p.Channels = append(p.Channels, Channel{Name: string(c), Text: names[c]})
		p.Telegram, p.Mail = p.Telegram || c == notify.Telegram, p.Mail || c == notify.Mail
	}
	for i, about := range own.Kinds {
		kind := Kind{Label: about.In(v.Shell.Code).Label, Fixed: about.Security}
		for _, c := range own.Choices[i*len(own.Channels) : (i+1)*len(own.Channels)] {
			kind.Ticks = append(kind.Ticks, Tick{Name: tick(c), On: c.Wanted})
		}
		p.Kinds = append(p.Kinds, kind)
	}
	for _, l := range own.Lines {
		p.Awaits = p.Awaits || !l.Ended && !l.Confirmed
		p.Lines = append(p.Lines, Line{
			Remove: portal.Numbered(path, l.ID) + "/remove", Channel: names[l.Channel], Label: l.Label, State: stateOf(l),
		})
	}
	if p.Wrong == nil {
		p.From, p.Until = clock(own.QuietFrom), clock(own.QuietUntil)
	}
	if own.MutedUntil != nil && own.MutedUntil.After(v.Shell.Now) {
		p.Muted = own.MutedUntil
	}
	p.PushKey, p.Sent = own.PushKey, v.sent(own.Sent)
	v.Shell.Title, v.Shell.Mistakes = v.Say(say.NoticesTitle), p.Wrong != nil
	return portal.Show(v.Visit, status, NoticesPage, p)
}

func stateOf(l notify.Line) view.Badge {
	switch {
	case l.Ended:
		return view.Badge{Text: sayRefused, Tone: "bad"}
	case !l.Confirmed:
		return view.Badge{Text: sayAwaits, Tone: "wait"}
	}
	return view.Badge{Text: sayWorks, Tone: "good"}
}

func tick(c notify.Choice) string { return "want." + string(c.Kind) + "." + string(c.Channel) }

// clock is a time of day as a form value.
func clock(minutes *int) string {
	if minutes == nil {
		return ""
	}
	return fmt.Sprintf("%02d:%02d", *minutes/60, *minutes%60)
}

// sent lists the last notices and what became of each, with the problem in the
// reader's language, so that users find out themselves why nothing comes.
func (v *visit) sent(list []notify.Sent) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(say.NoticesTitle), Empty: view.Empty{Title: saySentNone},
		Columns: portal.AtRight(v.Columns(false, sayKind, sayPlace, sayCount, sayAt, sayOutcome), 2),
	}
	outcomes := map[string]view.Badge{
		"sent": {Text: sayDone, Tone: "good"}, "again": {Text: sayAgain, Tone: "wait"}, "given_up": {Text: sayGivenUp, Tone: "bad"},
	}
	for _, one := range list {
		about, _ := notify.AboutOf(one.Kind)
		outcome := outcomes[one.Outcome]
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: about.In(v.Shell.Code).Label}, {Text: v.Say(names[one.Channel]), Note: one.Label},
			{Text: strconv.Itoa(one.Count)}, {At: &one.At},
			{Text: v.Say(outcome.Text), Tone: outcome.Tone, Note: one.Problem.In(v.Shell.Code)},
		})
	}
	return sheet
}

// set stores all choices and quiet hours of the form. Kinds about security are
// left out, because they are sent in any case. After a mistake in the hours
// nothing is stored, and the ticks are shown as they are stored, not as they
// were set.
func (v *visit) set(form url.Values) error {
	own, err := v.Notices.Own(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	var update notify.Update
	for _, c := range own.Choices {
		if about, _ := notify.AboutOf(c.Kind); !about.Security {
			c.Wanted = form.Get(tick(c)) != ""
			update.Choices = append(update.Choices, c)
		}
	}
	wrong := map[string]string{}
	for field, into := range map[string]**int{"quietFrom": &update.QuietFrom, "quietUntil": &update.QuietUntil} {
		text := form.Get(field)
		if text == "" {
			continue
		}
		at, err := time.Parse("15:04", text)
		if err != nil {
			wrong[field] = v.Say(sayWrongAt)
		}
		*into = new(at.Hour()*60 + at.Minute())
	}
	if len(wrong) == 0 {
		err = v.Notices.Set(v.Ctx(), v.Who, update)
		wrong = v.Wrong(err)
	}
	if len(wrong) > 0 {
		return v.showPage(http.StatusUnprocessableEntity, Page{
			Wrong: wrong, From: form.Get("quietFrom"), Until: form.Get("quietUntil"),
		})
	}
	return v.done(err)
}

// done redirects back to the page.
func (v *visit) done(err error) error {
	if err != nil {
		return err
	}
	return v.Done(path, "saved")
}

func (v *visit) telegram() error {
	address, err := v.Notices.LinkTelegram(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayAddTelegram), TelegramPage, address)
}

// with carries out a form that has one field.
func (v *visit) with(field string, do func(value string) error) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	err = do(form.Get(field))
	if wrong := v.Wrong(err); wrong != nil {
		return v.showPage(http.StatusUnprocessableEntity, Page{Wrong: wrong, Address: form.Get("address")})
	}
	return v.done(err)
}

func (v *visit) mail() error {
	return v.with("address", func(address string) error { return v.Notices.AddMail(v.Ctx(), v.Who, address) })
}

func (v *visit) confirm() error {
	return v.with("code", func(code string) error { return v.Notices.ConfirmMail(v.Ctx(), v.Who, code) })
}

func (v *visit) push() error {
	return v.with("subscription", func(subscription string) error {
		return v.Notices.AddPush(v.Ctx(), v.Who, subscription, v.Shell.Device(v.R.UserAgent()))
	})
}

func (v *visit) try() error { return v.done(v.Notices.Try(v.Ctx(), v.Who)) }

func (v *visit) remove() error {
	id, err := strconv.ParseInt(v.R.PathValue("id"), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	return v.done(portal.OrGone(v.Notices.Remove(v.Ctx(), v.Who, id)))
}

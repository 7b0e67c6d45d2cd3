package portal

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	flashCookie = "flash"
	// changedCookie says that a form was sent shortly before.
	changedCookie = "changed"
)

// lookFresh makes users who sent a form see its effect: for a while their lists
// are read from the primary, in every process.
func (v *Visit) lookFresh() {
	if !v.server.Reports.MayBeLate() || v.route.Machine {
		return
	}
	_, err := v.R.Cookie(changedCookie)
	if v.R.Method == http.MethodPost {
		v.SetCookie(changedCookie, "1", report.ChangedFor)
	} else if err != nil {
		return
	}
	v.R = v.R.WithContext(report.Fresh(v.Ctx()))
}

// Done redirects to a page that says once what was done. word is the name of a
// phrase.
func (v *Visit) Done(to, word string) error {
	if word != "" {
		v.SetCookie(flashCookie, word, time.Minute)
	}
	v.Lead(to)
	return nil
}

// takeFlash shows what has just been done, on the first page after it.
func (v *Visit) takeFlash() {
	cookie, err := v.R.Cookie(flashCookie)
	if err != nil || v.R.Method != http.MethodGet || v.route.Fragment {
		return
	}
	v.SetCookie(flashCookie, "", -1)
	if flash, known := say.Flashes[cookie.Value]; known {
		v.Shell.Flash, v.Shell.Tone = v.Say(flash.Text), flash.Tone
	}
}

// Show renders a page.
func (v *Visit) Show(status int, page func(view.Shell) site.Page) {
	if status == http.StatusOK || status == http.StatusUnprocessableEntity {
		v.tellWaits()
	}
	v.W.Header().Add("Vary", "HX-Request")
	site.Show(v.W, v.R, status, page(v.Shell))
}

// ShowPage renders a page with a title.
func ShowPage[T any](v *Visit, status int, title string, page func(view.Shell, T) site.Page, shown T) error {
	v.Shell.Title = title
	return Show(v, status, page, shown)
}

// ShowForm renders a form with what was typed into it and what is wrong with
// that, each at the field of its name.
func (v *Visit) ShowForm(
	status int, title string, form view.MoneyForm, typed url.Values, wrong map[string]string,
) error {
	for i, f := range form.Fields {
		form.Fields[i].Value, form.Fields[i].Wrong = cmp.Or(f.Value, typed.Get(f.Name)), cmp.Or(f.Wrong, wrong[f.Name])
	}
	for i, c := range form.Choices {
		form.Choices[i].Value, form.Choices[i].Wrong = cmp.Or(c.Value, typed.Get(c.Name)), cmp.Or(c.Wrong, wrong[c.Name])
	}
	return ShowPage(v, status, title, view.MoneyFormPage, form)
}

// NotFound says that there is no such page.
func (v *Visit) NotFound() error { return v.nothing(http.StatusNotFound) }

func (v *Visit) nothing(status int) error {
	v.message(status, say.NotFoundTitle, say.NotFoundText)
	return nil
}

func (v *Visit) message(status int, title, text say.Phrase) {
	v.MessageText(status, title, v.Say(text))
}

// MessageText shows a page with nothing but a text.
func (v *Visit) MessageText(status int, title say.Phrase, text string) {
	v.Shell.Title = v.Say(title)
	v.Show(status, func(s view.Shell) site.Page { return view.Message(s, text) })
}

// Form reads a posted form of at most edge.MaxBody bytes.
func (v *Visit) Form() (url.Values, error) {
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, edge.MaxBody)
	if err := v.R.ParseForm(); err != nil {
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	if err := v.received(); err != nil {
		return nil, err
	}
	flaws := fault.Fields{}
	for name, values := range v.R.PostForm {
		for _, value := range values {
			if fault.IsName(name) {
				flaws.Flaw(name, fault.NameFlaw(value))
				continue
			}
			flaws.Flaw(name, fault.TextLinesFlaw(value))
		}
	}
	if flaws.Err() != nil { // the services report these flaws together with others
		v.R = v.R.WithContext(fault.WithDecoded(v.Ctx(), flaws))
	}
	return v.R.PostForm, nil
}

// Sent reads a form about the item whose number is in the address.
func (v *Visit) Sent() (id int64, form url.Values, err error) {
	if id, err = v.Numbered(); err != nil {
		return 0, nil, err
	}
	form, err = v.Form()
	return id, form, err
}

// Wrong returns the fields that an error names, each with its message; nil if
// the error names no fields.
func (v *Visit) Wrong(err error) map[string]string {
	f := edge.Fault(err)
	if f == nil || len(f.Fields) == 0 {
		return nil
	}
	found := map[string]string{}
	for name, texts := range f.Fields {
		said := make([]string, 0, len(texts))
		for _, text := range texts {
			said = append(said, say.Wrong(v.Shell.Code, text))
		}
		found[name] = strings.Join(said, "; ")
	}
	v.Shell.Mistakes = true
	// The flaws are shown now, so whatever else the page reads must not
	// report them again.
	v.R = v.R.WithContext(fault.WithDecoded(v.Ctx(), nil))
	return found
}

// IDOf is a number that a form sends; for any other text it is 0, which nobody
// has.
func IDOf(form url.Values, name string) int64 {
	id, err := strconv.ParseInt(form.Get(name), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// Seen is what a form says of the values that its reader has seen: those that
// it is shown with or, after a mistake, those that it was shown with first.
func Seen(values url.Values) string { return cmp.Or(values.Get("seen"), values.Encode()) }

// OnceAsSeen is Once for a form that sets values, while they are what its
// reader has seen. Otherwise nothing is done, and the page at shown tells what
// they are now.
func (v *Visit) OnceAsSeen(form, now url.Values, shown string, act func() (submission.Outcome, error)) error {
	return v.Once(form, func() (submission.Outcome, error) {
		if form.Get("seen") != Seen(now) {
			return submission.Outcome{LedTo: shown, Said: "changed"}, nil
		}
		return act()
	})
}

// Once acts only at the first sending of a form, and redirects every time to
// where the first sending led. A page that sends the form by a script and stays
// open gets the result instead: nothing if it is good, else a text.
func (v *Visit) Once(form url.Values, act func() (submission.Outcome, error)) error {
	out, err := v.server.Submissions.Once(v.Ctx(), v.Who.ID, form.Get("token"), act)
	if err != nil {
		return err
	}
	if form.Get("stays") == "" {
		return v.Done(out.LedTo, out.Said)
	}
	flash := say.Flashes[out.Said]
	if flash.Tone == "" {
		v.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	v.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	v.W.WriteHeader(http.StatusConflict)
	_, err = io.WriteString(v.W, v.Say(flash.Text))
	return err
}

package portal

import (
	"net/http"
	"net/url"
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

// setCookie sets a cookie that scripts cannot read. Life 0 ends it with the browser, less removes it.
func (v *visit) setCookie(name, value string, life time.Duration) {
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // a sandbox has no TLS
		Name: name, Value: value, Path: "/", MaxAge: int(life / time.Second), HttpOnly: true, Secure: v.Secure,
		SameSite: http.SameSiteLaxMode,
	})
}

// sessionCookie is the name of the cookie of the session. By https alone browsers keep it from other
// paths and hosts; without https some refuse to keep such a one at all.
func (v *visit) sessionCookie() string {
	if v.Secure {
		return "__Host-session"
	}
	return "session"
}

const (
	flashCookie = "flash"
	// changedCookie tells that a form was sent a short while ago.
	changedCookie = "changed"
)

// lookFresh has whoever sent a form see what came of it: their lists are read from the primary for a while,
// in whatever process.
func (v *visit) lookFresh() {
	if v.Reports.Replica == nil || v.route.machine {
		return
	}
	_, err := v.r.Cookie(changedCookie)
	if v.r.Method == http.MethodPost {
		v.setCookie(changedCookie, "1", report.ChangedFor)
	} else if err != nil {
		return
	}
	v.r = v.r.WithContext(report.Fresh(v.ctx()))
}

// done leads to a page which says what was done, once. The word stands for a phrase.
func (v *visit) done(to, word string) error {
	if word != "" {
		v.setCookie(flashCookie, word, time.Minute)
	}
	v.lead(to)
	return nil
}

// takeFlash shows what has just been done, where a page is about to be shown.
func (v *visit) takeFlash() {
	cookie, err := v.r.Cookie(flashCookie)
	if err != nil || v.r.Method != http.MethodGet || v.route.fragment {
		return
	}
	v.setCookie(flashCookie, "", -1)
	if flash, known := say.Flashes[cookie.Value]; known {
		v.shell.Flash, v.shell.Tone = v.shell.Say(flash.Text), flash.Tone
	}
}

// show renders a page.
func (v *visit) show(status int, page func(view.Shell) site.Page) {
	v.w.Header().Add("Vary", "HX-Request")
	site.Show(v.w, v.r, status, page(v.shell))
}

func (v *visit) notFound() error {
	v.message(http.StatusNotFound, say.NotFoundTitle, say.NotFoundText)
	return nil
}

func (v *visit) message(status int, title, text say.Phrase) {
	v.messageText(status, title, v.shell.Say(text))
}

func (v *visit) messageText(status int, title say.Phrase, text string) {
	v.shell.Title = v.shell.Say(title)
	v.show(status, func(s view.Shell) site.Page { return view.Message(s, text) })
}

// form reads a posted form, no more of it than a form has.
func (v *visit) form() (url.Values, error) {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, edge.MaxBody)
	if err := v.r.ParseForm(); err != nil {
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	flaws := fault.Fields{}
	for name, values := range v.r.PostForm {
		for _, value := range values {
			if fault.IsName(name) {
				flaws.Flaw(name, fault.NameFlaw(value))
				continue
			}
			flaws.Flaw(name, fault.TextLinesFlaw(value))
		}
	}
	if flaws.Err() != nil { // services say so, with whatever else is wrong
		v.r = v.r.WithContext(fault.WithDecoded(v.ctx(), flaws))
	}
	return v.r.PostForm, nil
}

// wrong are the fields that an error names, each with what is said of it; nil is another error.
func (v *visit) wrong(err error) map[string]string {
	f := edge.Fault(err)
	if f == nil || len(f.Fields) == 0 {
		return nil
	}
	found := map[string]string{}
	for name, texts := range f.Fields {
		said := make([]string, 0, len(texts))
		for _, text := range texts {
			said = append(said, say.Wrong(v.shell.Code, text))
		}
		found[name] = strings.Join(said, "; ")
	}
	v.shell.Mistakes = true
	// It is said now: what the page shows besides is read without it.
	v.r = v.r.WithContext(fault.WithDecoded(v.ctx(), nil))
	return found
}

// once acts at the first sending of a form, and leads to where that led at each.
func (v *visit) once(form url.Values, act func() (submission.Outcome, error)) error {
	out, err := v.Submissions.Once(v.ctx(), v.who.ID, form.Get("token"), act)
	if err != nil {
		return err
	}
	return v.done(out.LedTo, out.Said)
}

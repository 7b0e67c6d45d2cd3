package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// Columns head a table; from the first number on they stand at the right where numbers is set.
func (v *Visit) Columns(numbers bool, labels ...say.Phrase) []view.Column {
	var list []view.Column
	for i, label := range labels {
		list = append(list, view.Column{Text: v.Say(label), Right: numbers && i > 0})
	}
	return list
}

// AtRight has some of the columns of a table stand at the right, as numbers do.
func AtRight(columns []view.Column, at ...int) []view.Column {
	for _, i := range at {
		columns[i].Right = true
	}
	return columns
}

// Question shows a question.
func (v *Visit) Question(q view.Question) error {
	q.Token = submission.NewToken()
	v.Shell.Title = v.Say(q.Title)
	status := http.StatusOK
	if slices.ContainsFunc(q.Fields, func(f view.Field) bool { return f.Wrong != "" }) {
		status, v.Shell.Mistakes = http.StatusUnprocessableEntity, true
	}
	v.Show(status, func(s view.Shell) site.Page { return view.Ask(s, q) })
	return nil
}

// Reveal shows a secret that a form has made. It is at no address: another sending of the form, and
// Back, lead to where the first one led.
func (v *Visit) Reveal(title say.Phrase, shown view.Shown) error {
	v.Shell.Title = v.Say(title)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return view.ShownPage(s, shown) })
	return nil
}

// Led leads to where the first sending of a form led.
func (v *Visit) Led(outcome submission.Outcome, err error) error {
	if err != nil {
		return err
	}
	return v.Done(outcome.LedTo, outcome.Said)
}

// MemberSteps are what may be done with a user, as the pages that ask say it.
var MemberSteps = map[string]struct {
	Title, Text, Yes say.Phrase
	Danger           bool
}{
	"off":      {say.OffTitle, say.OffText, say.OffYes, true},
	"on":       {say.OnTitle, say.OnText, say.OnYes, false},
	"end":      {say.EndTitle, say.EndText, say.EndYes, true},
	"reinvite": {say.AnewTitle, say.AnewText, say.AnewYes, true},
}

// KeepFile sends a stranger's file to be kept, never to be shown in these pages.
func (v *Visit) KeepFile(name, media string, content []byte) {
	h := v.W.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", attachment(name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = v.W.Write(content)
}

// ShowPicture sends a stranger's picture to be shown inside a page. Its type is what its content was found to be; asked
// for by itself it is a document that may do nothing.
func (v *Visit) ShowPicture(media string, content []byte) error {
	if !strings.HasPrefix(media, "image/") {
		return v.NotFound()
	}
	h := v.W.Header()
	edge.Picture(h)
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = v.W.Write(content)
	return nil
}

// Invited shows the link by which a new user comes in.
func (v *Visit) Invited(login, link, path string) error {
	return v.Reveal(say.Invited, view.Shown{
		Text: v.Say(say.InvitedText, login), Label: say.InviteLink, Secret: link, Next: view.Link(path),
	})
}

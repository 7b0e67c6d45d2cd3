package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Columns makes the head of a table. With numbers, all columns but the first
// are aligned to the right.
func (v *Visit) Columns(numbers bool, labels ...say.Phrase) []view.Column {
	var list []view.Column
	for i, label := range labels {
		list = append(list, view.Column{Text: v.Say(label), Right: numbers && i > 0})
	}
	return list
}

// AtRight aligns some columns of a table to the right, as numbers are.
func AtRight(columns []view.Column, at ...int) []view.Column {
	for _, i := range at {
		columns[i].Right = true
	}
	return columns
}

// Question asks for confirmation on a page of its own, so that it works without
// scripts. The form has a new token each time it is shown. A mistake in a field
// makes the answer a 422.
func (v *Visit) Question(q view.Question) error {
	q.Token = submission.NewToken()
	v.Shell.Title = v.Say(q.Title)
	status := http.StatusOK
	if slices.ContainsFunc(q.Fields, func(f view.Field) bool { return f.Wrong != "" }) {
		status, v.Shell.Mistakes = http.StatusUnprocessableEntity, true
	}
	return Show(v, status, view.Ask, q)
}

// Reveal shows a secret that a form has made. The answer has no address of its
// own: if the form is sent again, or the user goes back, they get to the page
// to which the first sending would have led.
func (v *Visit) Reveal(title say.Phrase, shown view.Shown) error {
	v.Shell.Title = v.Say(title)
	return Show(v, http.StatusOK, view.ShownPage, shown)
}

// Led redirects to where the first sending of a form led.
func (v *Visit) Led(outcome submission.Outcome, err error) error {
	if err != nil {
		return err
	}
	return v.Done(outcome.LedTo, outcome.Said)
}

// OrGone is the error of a removal. What is not there counts as removed: it
// was, by the first of two clicks or in another tab.
func OrGone(err error) error {
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound {
		return nil
	}
	return err
}

// MemberSteps are the steps that can be taken for a user, with the words of the
// page that asks.
var MemberSteps = map[string]struct {
	Title, Text, Yes say.Phrase
	Danger           bool
}{
	"off":      {say.OffTitle, say.OffText, say.OffYes, true},
	"on":       {say.OnTitle, say.OnText, say.OnYes, false},
	"end":      {say.EndTitle, say.EndText, say.EndYes, true},
	"reinvite": {say.AnewTitle, say.AnewText, say.AnewYes, true},
}

// KeepFile sends a stranger's file as a download, so that it is never shown in
// these pages.
func (v *Visit) KeepFile(name, media string, content []byte) {
	h := v.W.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", attachment(name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = v.W.Write(content)
}

// ShowPicture sends a stranger's picture to be shown inside a page. Its media
// type is that of its content. Opened by itself it is a document that may do
// nothing.
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

// Invited shows the link by which a new user signs in for the first time.
func (v *Visit) Invited(login, link, path string) error {
	return v.Reveal(say.Invited, view.Shown{
		Text: v.Say(say.InvitedText, login), Label: say.InviteLink, Secret: link, Next: view.Link(path),
	})
}

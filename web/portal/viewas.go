package portal

import (
	"net/http"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Operators who look at the portal as another user. To be oneself again works for everybody: whom
// the session looks as decides nothing of it.
var viewAsRoutes = []route{
	{pattern: "POST /operator/view-as", kinds: operators, needs: caller.OperatorViewAs, handle: (*visit).viewAs},
	{pattern: "POST /operator/view-as/end", kinds: users, viewing: true, handle: (*visit).endViewAs},
}

func (v *visit) viewAs() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	asked := view.Look{User: strings.TrimSpace(form.Get("user")), Reason: form.Get("reason")}
	looks, err := v.Sessions.ViewAs(v.ctx(), v.session, asked.User, asked.Reason)
	if wrong := v.wrong(err); wrong != nil {
		return v.showAccount(http.StatusUnprocessableEntity, view.Account{
			Preferences: view.Preferences(v.session.Preferences), ViewAs: asked, Wrong: wrong,
		})
	}
	if err != nil {
		return err
	}
	v.enter(looks)
	return v.done(v.landing(), "")
}

func (v *visit) endViewAs() error {
	own, err := v.Sessions.EndViewAs(v.ctx(), v.session)
	if err != nil {
		return err
	}
	v.enter(own)
	return v.done(v.landing(), "view-as-ended")
}

// mayViewAs reports whether the user may look as another, perhaps once they have given their second
// factor again.
func (v *visit) mayViewAs() bool {
	return v.may(caller.OperatorViewAs)
}

// look has every page say that somebody looks as another user, and the log of requests who.
func (v *visit) look() {
	edge.NoteViewer(v.ctx(), v.who.Actor())
	as := v.who.Login
	if v.who.Role != "" {
		as += " (" + strings.ToLower(v.shell.Say(say.Role(string(v.who.Role)))) + ")"
	}
	v.shell.Viewing = &view.Viewing{As: as, Until: v.session.View.Until}
}

// onlyLooks settles that nothing is posted by somebody who looks as another user, but what ends that.
// The services refuse it, too, where they get to it: a form that is wrong is refused for that first.
func (v *visit) onlyLooks() error {
	if !v.who.ViewAs || v.reads() || v.route.viewing || v.route.machine {
		return nil
	}
	return fault.ErrViewOnly
}

func (v *visit) reads() bool { return v.r.Method == http.MethodGet || v.r.Method == http.MethodHead }

// needs settles that the visitor has the route's capability. A page that leads to a change may be
// looked at by somebody who looks as a user: it is the change that is refused.
func (v *visit) needs() error {
	who := v.who
	if v.reads() {
		who.ViewAs = false
	}
	return who.Need(v.route.needs)
}

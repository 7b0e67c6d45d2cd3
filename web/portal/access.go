package portal

import (
	"errors"
	"net/http"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// tellAlone makes every operator's page say if no operator could decide about
// another's proposals.
func (v *Visit) tellAlone() error {
	if v.Session.State != session.Complete || v.route.Fragment || v.Who.Kind != caller.Operator {
		return nil
	}
	two, err := v.server.Proposals.TwoDecide(v.Ctx())
	v.Shell.Alone = err == nil && !two
	return err
}

// proposed makes a proposal if the error says that a second operator is
// required, and redirects to it. It returns any other error unchanged.
func (v *Visit) proposed(err error) error {
	if wanted := new(foureyes.SecondOperatorError); !errors.As(err, &wanted) {
		return err
	}
	p, err := v.server.Proposals.Propose(v.Ctx(), v.Who, err)
	if err != nil {
		return err
	}
	return v.Done(ApprovalPath(p.ID), "proposed")
}

// tellConsent makes every page tell an owner which users wait for their answer,
// and tell those users that they wait.
func (v *Visit) tellConsent() error {
	if v.Session.State != session.Complete || v.route.Fragment {
		return nil
	}
	if until := v.Who.AwaitsUntil; !until.IsZero() {
		v.Shell.Consent.Until = &until
	}
	list, err := v.server.Sessions.Awaited(v.Ctx(), v.Who)
	for _, one := range list {
		v.Shell.Consent.Asked = append(v.Shell.Consent.Asked, view.Awaiting{
			ID: IDText(one.ID), Login: one.Login, Role: v.Say(say.Role(string(one.Role))), Since: one.Since,
			Until: one.Until,
		})
	}
	return err
}

// May reports whether the user has a capability, possibly only after giving the
// second factor again.
func (v *Visit) May(c caller.Capability) bool {
	return v.Who.Proved().May(c)
}

// MayViewAs reports whether the user may look as another user, possibly only
// after giving the second factor again.
func (v *Visit) MayViewAs() bool {
	return v.May(caller.OperatorViewAs)
}

// look makes every page say that somebody looks as another user, and the
// request log say who does.
func (v *Visit) look() {
	edge.NoteViewer(v.Ctx(), v.Who.Actor())
	as := v.Who.Login
	if v.Who.Role != "" {
		as += " (" + strings.ToLower(v.Say(say.Role(string(v.Who.Role)))) + ")"
	}
	v.Shell.Viewing = &view.Viewing{As: as, Until: v.Session.View.Until}
}

// onlyLooks refuses posts of somebody who looks as another user, except those
// that end it. The services refuse them as well, but a form that is wrong is
// refused for that first.
func (v *Visit) onlyLooks() error {
	if !v.Who.ViewAs || v.Reads() || v.route.Viewing || v.route.Machine {
		return nil
	}
	return fault.ErrViewOnly
}

// Reads reports whether the request only reads a page.
func (v *Visit) Reads() bool { return v.R.Method == http.MethodGet || v.R.Method == http.MethodHead }

// needs checks that the visitor has the route's capability. Somebody who looks
// as a user may open a page that leads to a change; only the change itself is
// refused.
func (v *Visit) needs() error {
	who := v.Who
	if v.Reads() {
		who.ViewAs = false
	}
	return who.Need(v.route.Needs)
}

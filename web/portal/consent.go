package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// An owner answers for the users whom operators let in at their merchant or trader. The services decide who may answer.
var consentRoutes = []route{
	{pattern: "GET /merchant/consent", kinds: merchants, needs: caller.MerchantTeamRead, handle: (*visit).consentPage},
	{
		pattern: "POST /merchant/consent/{user}/{answer}",
		kinds:   merchants,
		needs:   caller.MerchantTeamRead,
		handle:  (*visit).consent,
	},
	{pattern: "GET /trader/consent", kinds: traders, needs: caller.TraderRead, handle: (*visit).consentPage},
	{
		pattern: "POST /trader/consent/{user}/{answer}",
		kinds:   traders,
		needs:   caller.TraderRead,
		handle:  (*visit).consent,
	},
}

// tellConsent has every page tell an owner who waits for their answer, and those who wait that they do.
func (v *visit) tellConsent() error {
	if v.session.State != session.Whole || v.route.fragment {
		return nil
	}
	if until := v.who.AwaitsUntil; !until.IsZero() {
		v.shell.Consent.Until = &until
	}
	list, err := v.Sessions.Awaited(v.ctx(), v.who)
	for _, one := range list {
		v.shell.Consent.Asked = append(v.shell.Consent.Asked, view.Awaiting{
			ID: idText(one.ID), Login: one.Login, Role: v.shell.Say(say.Role(string(one.Role))), Since: one.Since,
			Until: one.Until,
		})
	}
	return err
}

// consentPage shows what an owner is asked. To look takes no fresh second factor: to accept does.
func (v *visit) consentPage() error {
	who := v.who.Proved()
	who.ViewAs = false
	if err := who.Need(caller.MerchantTeam, caller.TraderTeam); err != nil {
		return err
	}
	v.shell.Title, v.shell.Consent.Asking = v.shell.Say(say.ConsentTitle), true
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ConsentPage(s) })
	return nil
}

// consent answers once: whoever answers again is told that nobody waits any more.
func (v *visit) consent() error {
	id, err := strconv.ParseInt(v.r.PathValue("user"), 10, 64)
	answer := v.r.PathValue("answer")
	if err != nil || answer != "accept" && answer != "refuse" {
		return fault.ErrNotFound
	}
	if _, err := v.form(); err != nil {
		return err
	}
	err = v.Sessions.Consent(v.ctx(), v.who, id, answer == "accept")
	if f := fault.As(err); f != nil && f.Code == "consent_over" {
		return v.done(v.landing(), "consent-over")
	}
	if err != nil {
		return err
	}
	return v.done(v.landing(), "consent-"+answer)
}

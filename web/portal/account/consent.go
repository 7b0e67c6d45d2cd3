package account

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// An owner answers for users whom operators let in at their merchant or trader.
// The services decide who may answer.
var consentRoutes = []route{
	{Pattern: "GET /merchant/consent", Needs: caller.MerchantTeamRead, Handle: (*visit).consentPage},
	{Pattern: "POST /merchant/consent/{user}/{answer}", Needs: caller.MerchantTeamRead, Handle: (*visit).consent},
	{Pattern: "GET /trader/consent", Needs: caller.TraderRead, Handle: (*visit).consentPage},
	{Pattern: "POST /trader/consent/{user}/{answer}", Needs: caller.TraderRead, Handle: (*visit).consent},
}

// consentPage shows what an owner has to answer. Only accepting requires a
// fresh second factor.
func (v *visit) consentPage() error {
	who := v.Who.Proved()
	who.ViewAs = false
	if err := who.Need(caller.MerchantTeam, caller.TraderTeam); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Consent.Asking = v.Say(sayConsentTitle), true
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return ConsentPage(s) })
	return nil
}

// consent answers once. Whoever answers again is told that nobody waits any
// more.
func (v *visit) consent() error {
	id, err := strconv.ParseInt(v.R.PathValue("user"), 10, 64)
	answer := v.R.PathValue("answer")
	if err != nil || answer != "accept" && answer != "refuse" {
		return fault.ErrNotFound
	}
	if _, err := v.Form(); err != nil {
		return err
	}
	err = v.Sessions.Consent(v.Ctx(), v.Who, id, answer == "accept")
	if f := fault.As(err); f != nil && f.Code == "consent_over" {
		return v.Done(v.Landing(), "consent-over")
	}
	if err != nil {
		return err
	}
	return v.Done(v.Landing(), "consent-"+answer)
}

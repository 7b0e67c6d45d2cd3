package account

import (
	"net/http"
	"net/url"
	"strconv"

	"gateway.example/web/portal"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
)

// The user's own account.
var accountRoutes = []route{
	{Pattern: "GET /account", Kinds: portal.Users, Handle: (*visit).account},
	{Pattern: "POST /account/preferences", Kinds: portal.Users, Handle: portal.After((*visit).Form, (*visit).setPreferences)},
	{Pattern: "GET /account/password", Kinds: portal.Users, Handle: (*visit).passwordPage},
	{Pattern: "POST /account/password", Kinds: portal.Users, Handle: portal.After((*visit).Form, (*visit).changePassword)},
	{Pattern: "POST /account/app/remove", Kinds: portal.Users, Handle: (*visit).removeApp},
	{Pattern: "POST /account/passkeys/{id}/remove", Kinds: portal.Users, Handle: (*visit).removePasskey},
	{Pattern: "POST /account/recovery-codes", Kinds: portal.Users, Handle: (*visit).renewCodes},
	{Pattern: "POST /account/sessions/{id}/end", Kinds: portal.Users, Handle: (*visit).endSession},
	{Pattern: "POST /account/sessions/end", Kinds: portal.Users, Handle: (*visit).endSessions},
}

func (v *visit) account() error {
	return v.showAccount(http.StatusOK, Account{Preferences: v.Session.Preferences})
}

// showAccount shows the account, with the values and mistakes of one of its
// forms.
func (v *visit) showAccount(status int, shown Account) error {
	sessions, err := v.Sessions.List(v.Ctx(), v.Who, v.Session.ID)
	if err != nil {
		return err
	}
	shown.Role, shown.Factors = string(v.Who.Role), v.Session.Factors
	shown.MayViewAs, shown.Languages = v.MayViewAs(), v.Languages()
	if v.Sessions.Passkeys() {
		shown.MayAddPasskey = true
		if shown.Passkeys, err = v.Sessions.ListPasskeys(v.Ctx(), v.Session); err != nil {
			return err
		}
	}
	for _, s := range sessions {
		shown.Sessions = append(shown.Sessions, Session{
			ID: s.ID, API: s.Door == session.API, Agent: s.Agent, Address: s.Address,
			SeenAt: s.SeenAt, CreatedAt: s.CreatedAt, Current: s.ID == v.Session.ID,
		})
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.Account), AccountPage, shown)
}

// setPreferences stores all preferences that the form has, of which a box
// without a tick is off. They apply from the page on to which it leads.
func (v *visit) setPreferences(form url.Values) error {
	preferences := session.Preferences{
		Zone: form.Get("zone"), Language: form.Get("language"), Theme: form.Get("theme"),
		Shortcuts: form.Get("shortcuts") != "",
	}
	_, err := v.Sessions.SetPreferences(v.Ctx(), v.Session, preferences)
	if wrong := v.Wrong(err); wrong != nil {
		asked := Account{Preferences: preferences, Wrong: wrong}
		return v.showAccount(http.StatusUnprocessableEntity, asked)
	}
	if err != nil {
		return err
	}
	return v.Done("/account", "saved")
}

func (v *visit) passwordPage() error { return v.showPassword(http.StatusOK, nil) }

func (v *visit) showPassword(status int, wrong map[string]string) error {
	v.Shell.Title, v.Shell.Mistakes = v.Say(sayChangePassword), wrong != nil
	return portal.Show(v.Visit, status, Password, wrong)
}

// changePassword compares the new password with its repetition before the old
// one is tried, because a wrong old one is counted. The user's other sessions
// end, and this one gets a new token.
func (v *visit) changePassword(form url.Values) error {
	if form.Get("newPassword") != form.Get("again") {
		return v.showPassword(http.StatusUnprocessableEntity, map[string]string{"again": v.Say(sayNotTheSame)})
	}
	opened, err := v.Sessions.ChangePassword(v.Ctx(), v.Session, form.Get("oldPassword"), form.Get("newPassword"))
	if wrong := v.Wrong(err); wrong != nil {
		return v.showPassword(http.StatusUnprocessableEntity, wrong)
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Unauthenticated {
		return v.showPassword(http.StatusUnprocessableEntity, map[string]string{"oldPassword": v.Say(sayWrongPassword)})
	}
	if err != nil {
		return err
	}
	v.Keep(opened)
	return v.Done("/account", "password-changed")
}

func (v *visit) removeApp() error {
	return v.factorRemoved(v.Sessions.RemoveTOTP(v.Ctx(), v.Session))
}

func (v *visit) removePasskey() error {
	return v.factorRemoved(portal.OrGone(v.Sessions.RemovePasskey(v.Ctx(), v.Session, v.R.PathValue("id"))))
}

// factorRemoved redirects back to the account. The last factor cannot be
// removed if one is compulsory. One that is sent twice is removed.
func (v *visit) factorRemoved(err error) error {
	f := edge.Fault(err)
	switch {
	case f != nil && f.Code == fault.ErrFactorMissing.Code:
	case f != nil && f.Kind == fault.Conflict:
		return v.Done("/account", "last-factor")
	case err != nil:
		return err
	}
	return v.Done("/account", "factor-removed")
}

func (v *visit) renewCodes() error {
	codes, err := v.Sessions.RenewRecoveryCodes(v.Ctx(), v.Session)
	if f := edge.Fault(err); f != nil && f.Kind == fault.Conflict {
		return v.Done("/account", "no-factor")
	}
	if err != nil {
		return err
	}
	return v.showCodes(codes)
}

func (v *visit) endSession() error {
	id, err := strconv.ParseInt(v.R.PathValue("id"), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	if err := portal.OrGone(v.Sessions.EndOne(v.Ctx(), v.Who, id)); err != nil {
		return err
	}
	return v.Done("/account", "session-ended")
}

func (v *visit) endSessions() error {
	if err := v.Sessions.EndAll(v.Ctx(), v.Who, v.Session.ID); err != nil {
		return err
	}
	return v.Done("/account", "sessions-ended")
}

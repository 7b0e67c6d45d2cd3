package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The user's own account.
var accountRoutes = []route{
	{pattern: "GET /account", kinds: users, handle: (*visit).account},
	{pattern: "POST /account/preferences", kinds: users, handle: (*visit).setPreferences},
	{pattern: "GET /account/password", kinds: users, handle: (*visit).passwordPage},
	{pattern: "POST /account/password", kinds: users, handle: (*visit).changePassword},
	{pattern: "POST /account/app/remove", kinds: users, handle: (*visit).removeApp},
	{pattern: "POST /account/passkeys/{id}/remove", kinds: users, handle: (*visit).removePasskey},
	{pattern: "POST /account/recovery-codes", kinds: users, handle: (*visit).renewCodes},
	{pattern: "POST /account/sessions/{id}/end", kinds: users, handle: (*visit).endSession},
	{pattern: "POST /account/sessions/end", kinds: users, handle: (*visit).endSessions},
}

func (v *visit) account() error {
	return v.showAccount(http.StatusOK, view.Account{Preferences: view.Preferences(v.session.Preferences)})
}

// showAccount shows the account, with what was typed into one of its forms and is wrong.
func (v *visit) showAccount(status int, shown view.Account) error {
	sessions, err := v.Sessions.List(v.ctx(), v.who, v.session.ID)
	if err != nil {
		return err
	}
	shown.Role, shown.Factors = string(v.who.Role), view.Factors(v.session.Factors)
	shown.MayViewAs = v.mayViewAs()
	if v.Sessions.Passkeys() {
		shown.MayAddPasskey = true
		passkeys, err := v.Sessions.ListPasskeys(v.ctx(), v.session)
		if err != nil {
			return err
		}
		for _, key := range passkeys {
			shown.Passkeys = append(shown.Passkeys, view.Passkey(key))
		}
	}
	for _, s := range sessions {
		shown.Sessions = append(shown.Sessions, view.Session{
			ID: s.ID, API: s.Door == session.API, Agent: s.Agent, Address: s.Address,
			SeenAt: s.SeenAt, CreatedAt: s.CreatedAt, Current: s.ID == v.session.ID,
		})
	}
	v.shell.Title = v.shell.Say(say.Account)
	v.show(status, func(s view.Shell) site.Page { return view.AccountPage(s, shown) })
	return nil
}

func (v *visit) setPreferences() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	preferences := session.Preferences{
		Zone: form.Get("zone"), Language: form.Get("language"), Theme: form.Get("theme"),
		Shortcuts: form.Get("shortcuts") != "",
	}
	_, err = v.Sessions.SetPreferences(v.ctx(), v.session, preferences)
	if wrong := v.wrong(err); wrong != nil {
		asked := view.Account{Preferences: view.Preferences(preferences), Wrong: wrong}
		return v.showAccount(http.StatusUnprocessableEntity, asked)
	}
	if err != nil {
		return err
	}
	return v.done("/account", "saved")
}

func (v *visit) passwordPage() error { return v.showPassword(http.StatusOK, nil) }

func (v *visit) showPassword(status int, wrong map[string]string) error {
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.ChangePassword), wrong != nil
	v.show(status, func(s view.Shell) site.Page { return view.Password(s, wrong) })
	return nil
}

func (v *visit) changePassword() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	if form.Get("newPassword") != form.Get("again") {
		return v.showPassword(http.StatusUnprocessableEntity, map[string]string{"again": v.shell.Say(say.NotTheSame)})
	}
	opened, err := v.Sessions.ChangePassword(v.ctx(), v.session, form.Get("oldPassword"), form.Get("newPassword"))
	if wrong := v.wrong(err); wrong != nil {
		return v.showPassword(http.StatusUnprocessableEntity, wrong)
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Unauthenticated {
		return v.showPassword(
			http.StatusUnprocessableEntity,
			map[string]string{"oldPassword": v.shell.Say(say.WrongPassword)},
		)
	}
	if err != nil {
		return err
	}
	v.keep(opened)
	return v.done("/account", "password-changed")
}

func (v *visit) removeApp() error {
	return v.factorRemoved(v.Sessions.RemoveTOTP(v.ctx(), v.session))
}

func (v *visit) removePasskey() error {
	return v.factorRemoved(v.Sessions.RemovePasskey(v.ctx(), v.session, v.r.PathValue("id")))
}

// factorRemoved leads back to the account. The last factor stays where one is compulsory.
func (v *visit) factorRemoved(err error) error {
	if f := edge.Fault(err); f != nil && f.Kind == fault.Conflict {
		return v.done("/account", "last-factor")
	}
	if err != nil {
		return err
	}
	return v.done("/account", "factor-removed")
}

func (v *visit) renewCodes() error {
	codes, err := v.Sessions.RenewRecoveryCodes(v.ctx(), v.session)
	if f := edge.Fault(err); f != nil && f.Kind == fault.Conflict {
		return v.done("/account", "no-factor")
	}
	if err != nil {
		return err
	}
	return v.showCodes(codes)
}

func (v *visit) endSession() error {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	if err := v.Sessions.EndOne(v.ctx(), v.who, id); err != nil {
		return err
	}
	return v.done("/account", "session-ended")
}

func (v *visit) endSessions() error {
	if err := v.Sessions.EndAll(v.ctx(), v.who, v.session.ID); err != nil {
		return err
	}
	return v.done("/account", "sessions-ended")
}

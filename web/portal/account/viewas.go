package account

import (
	"net/http"
	"net/url"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
)

// Operators who look at the portal as another user. Ending that is open to
// everybody, because the session then has the other user's permissions.
var viewAsRoutes = []route{
	{Pattern: "POST /operator/view-as", Needs: caller.OperatorViewAs, Handle: portal.After((*visit).Form, (*visit).viewAs)},
	{Pattern: "POST /operator/view-as/end", Kinds: portal.Users, Viewing: true, Handle: (*visit).endViewAs},
}

// viewAs makes the operator look as another user, and leads to that user's
// first page. A mistake is shown on the operator's account, which has the form.
func (v *visit) viewAs(form url.Values) error {
	asked := Look{User: strings.TrimSpace(form.Get("user")), Reason: form.Get("reason")}
	looks, err := v.Sessions.ViewAs(v.Ctx(), v.Session, asked.User, asked.Reason)
	if wrong := v.Wrong(err); wrong != nil {
		return v.showAccount(http.StatusUnprocessableEntity, Account{
			Preferences: v.Session.Preferences, ViewAs: asked, Wrong: wrong,
		})
	}
	if err != nil {
		return err
	}
	v.Enter(looks)
	return v.Done(v.Landing(), "")
}

func (v *visit) endViewAs() error {
	own, err := v.Sessions.EndViewAs(v.Ctx(), v.Session)
	if err != nil {
		return err
	}
	v.Enter(own)
	return v.Done(v.Landing(), "view-as-ended")
}

package session_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

var admin = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// invited makes a user without a password, and returns their id and the token of their link.
func (o office) invited(t testing.TB, login string) (int64, string) {
	t.Helper()
	change, link, err := o.Create(t.Context(), admin, session.NewUser{
		Kind: caller.Operator, Role: caller.Support, Login: login,
	})
	noError(t, err)
	token, ours := strings.CutPrefix(link, "https://portal.example/invitation/")
	if !ours || strings.Contains(string(change.After), token) {
		t.Fatalf("link %s", link)
	}
	o.StoredNowhere(t, token)
	id := must(strconv.ParseInt(change.SubjectKey, 10, 64))(t)
	return id, token
}

// An invitation is read as often as wanted and accepted once, within 72 hours.
func TestInvitation(t *testing.T) {
	o := newOffice(t)
	_, token := o.invited(t, "eva")
	_, err := o.SignIn(t.Context(), session.Credentials{Login: "eva", Password: password}, home)
	refused(t, err, fault.Unauthenticated, "invalid_credentials")
	o.wait(72*time.Hour - time.Minute)
	for range 3 {
		if login, err := o.Invited(t.Context(), token); err != nil || login != "eva" {
			t.Errorf("%s, %v", login, err)
		}
	}
	wrongField(t, errOf(o.AcceptInvitation(t.Context(), token, "short", home)), "password")
	dbtest.WantOne(t, testenv.AtOnce(4, func(int) error {
		return errOf(o.AcceptInvitation(t.Context(), token, password, home))
	}), "invitation_invalid")
	if in := o.signIn(t, "eva", ""); in.Session.State != session.AwaitsEnrolment {
		t.Errorf("state %s", in.Session.State)
	}
	refused(t, errOf(o.Invited(t.Context(), token)), fault.NotFound, "invitation_invalid")
}

func TestInvitationExpires(t *testing.T) {
	o := newOffice(t)
	_, token := o.invited(t, "eva")
	o.wait(72*time.Hour + time.Second)
	refused(t, errOf(o.Invited(t.Context(), token)), fault.NotFound, "invitation_invalid")
	refused(t, errOf(o.AcceptInvitation(t.Context(), token, password, home)), fault.NotFound, "invitation_invalid")
	noError(t, o.Prune(t.Context()))
	left := o.Count(t, "select count(*) from invitation")
	testenv.Want(t, left, 0, "invitations are left")
}

// The user is signed in by accepting, with what is still missing, and a later invitation takes the
// place of an earlier one.
func TestInvitedAnew(t *testing.T) {
	o := newOffice(t)
	id, first := o.invited(t, "eva")
	change, link, err := o.Invite(t.Context(), admin, id)
	noError(t, err)
	second := strings.TrimPrefix(link, "https://portal.example/invitation/")
	if strings.Contains(string(change.After), second) {
		t.Error("the log of settings has the link")
	}
	refused(t, errOf(o.AcceptInvitation(t.Context(), first, password, home)), fault.NotFound, "invitation_invalid")
	in := must(o.AcceptInvitation(t.Context(), second, password, home))(t)
	in, _, codes := o.enrol(t, in.Session)
	testenv.Want(t, in.Session.Caller.Role, caller.Support, "role")
	// Who lost everything begins anew: neither password nor factors nor sessions are left.
	_, link, err = o.Invite(t.Context(), admin, id)
	noError(t, err)
	if o.live(t, in.Cookie) {
		t.Error("a session goes on")
	}
	_, err = o.SignIn(t.Context(), session.Credentials{Login: "eva", Password: password, Code: codes[0]}, home)
	refused(t, err, fault.Unauthenticated, "invalid_credentials")
	in, err = o.AcceptInvitation(t.Context(), strings.TrimPrefix(link, "https://portal.example/invitation/"), password,
		home)
	noError(t, err)
	if in.Session.State != session.AwaitsEnrolment || in.Session.Factors != (session.Factors{}) {
		t.Errorf("begun anew: %+v", in.Session)
	}
	_, _, err = o.Invite(t.Context(), admin, 1<<40)
	refused(t, err, fault.NotFound, "not_found")
}

// A password set by an operator voids the invitation, and so does switching the user off.
func TestInvitationVoided(t *testing.T) {
	o := newOffice(t)
	next, off := "another long password", false
	for name, update := range map[string]session.UserUpdate{"password": {Password: &next}, "off": {Enabled: &off}} {
		id, token := o.invited(t, name)
		update.ID = id
		must(o.Update(t.Context(), admin, update))(t)
		_, err := o.AcceptInvitation(t.Context(), token, password, home)
		refused(t, err, fault.NotFound, "invitation_invalid")
	}
}

// A role is one of the kind's, the first where none is given; another role ends the sessions.
func TestRoles(t *testing.T) {
	o := newOffice(t)
	in, _, _ := o.operator(t, "root")
	testenv.Want(t, in.Session.Caller.Role, caller.Admin, "role")
	auditor, desk := caller.Auditor, caller.Desk
	wrongField(
		t,
		errOf(o.Update(t.Context(), admin, session.UserUpdate{ID: in.Session.Caller.ID, Role: &desk})),
		"role",
	)
	if !o.live(t, in.Cookie) {
		t.Error("a refused change ended the session")
	}
	must(o.Update(t.Context(), admin, session.UserUpdate{ID: in.Session.Caller.ID, Role: &auditor}))(t)
	if o.live(t, in.Cookie) {
		t.Error("a session outlives its role")
	}
	for kind, role := range map[caller.Kind]caller.Role{caller.Operator: caller.Owner, caller.Cabinet: caller.Owner} {
		_, _, err := o.Create(t.Context(), admin, session.NewUser{
			Kind: kind, Role: role, Login: "x", MerchantIDs: map[caller.Kind][]int64{caller.Cabinet: {1}}[kind],
		})
		if f := fault.As(err); f == nil || len(f.Fields) != 1 || !f.Fields.Wrong("role") {
			t.Errorf("%s as %s: %v", kind, role, err)
		}
	}
	support := caller.Caller{Kind: caller.Operator, Role: caller.Support, ID: 1}
	_, _, err := o.Create(t.Context(), support, session.NewUser{})
	refused(t, err, fault.Forbidden, "role_not_allowed")
	_, _, err = o.Invite(t.Context(), support, 1)
	refused(t, err, fault.Forbidden, "role_not_allowed")
}

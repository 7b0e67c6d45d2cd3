package session_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

var admin = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// invited makes a user without a password, and returns their id and the token of their link.
func (o office) invited(t testing.TB, login string) (int64, string) {
	t.Helper()
	change, link, err := o.Create(ctx, admin, session.NewUser{Kind: caller.Operator, Role: caller.Support, Login: login})
	of := token(change, link, err)(t)
	o.StoredNowhere(t, of)
	return testenv.Must(strconv.ParseInt(change.SubjectKey, 10, 64))(t), of
}

// token is that of a link which invites somebody. What the log keeps of it does not have the token.
func token(change db.Changed[session.User], link string, err error) func(t testing.TB) string {
	return func(t testing.TB) string {
		t.Helper()
		testenv.NoError(t, err)
		token, ours := strings.CutPrefix(link, "https://portal.example/invitation/")
		testenv.Need(t, ours && !strings.Contains(string(change.After), token), "link %s", link)
		return token
	}
}

// An invitation is read as often as wanted and accepted once, within 72 hours.
func TestInvitation(t *testing.T) {
	o := newOffice(t)
	_, token := o.invited(t, "eva")
	refused(t, testenv.ErrOf(o.SignIn(ctx, typed("eva", ""), home)), "invalid_credentials")
	o.wait(72*time.Hour - time.Minute)
	for range 3 {
		testenv.Want(t, testenv.Must(o.Invited(ctx, token))(t), "eva", "listed")
	}
	wrongField(t, testenv.ErrOf(o.AcceptInvitation(ctx, token, "short", home)), "password")
	dbtest.WantOne(t, testenv.AtOnce(4, func(int) error {
		return testenv.ErrOf(o.AcceptInvitation(ctx, token, password, home))
	}), "invitation_invalid")
	in := o.signIn(t, "eva", "")
	testenv.Check(t, in.Session.State == session.AwaitsEnrolment, "state %s", in.Session.State)
	refused(t, testenv.ErrOf(o.Invited(ctx, token)), "invitation_invalid")
}

func TestInvitationExpires(t *testing.T) {
	o := newOffice(t)
	_, token := o.invited(t, "eva")
	o.wait(72*time.Hour + time.Second)
	refused(t, testenv.ErrOf(o.Invited(ctx, token)), "invitation_invalid")
	refused(t, testenv.ErrOf(o.AcceptInvitation(ctx, token, password, home)), "invitation_invalid")
	testenv.NoError(t, o.Prune(ctx))
	left := o.Count(t, "select count(*) from invitation")
	testenv.Want(t, left, 0, "invitations are left")
}

// The user is signed in by accepting, with what is still missing, and a later invitation takes the
// place of an earlier one.
func TestInvitedAnew(t *testing.T) {
	o := newOffice(t)
	id, first := o.invited(t, "eva")
	second := token(o.Invite(ctx, admin, id))(t)
	refused(t, testenv.ErrOf(o.AcceptInvitation(ctx, first, password, home)), "invitation_invalid")
	in := testenv.Must(o.AcceptInvitation(ctx, second, password, home))(t)
	in, _, codes := o.enrol(t, in.Session)
	testenv.Want(t, in.Session.Caller.Role, caller.Support, "role")
	// Who lost everything begins anew: neither password nor factors nor sessions are left.
	third := token(o.Invite(ctx, admin, id))(t)
	testenv.Want(t, o.live(t, in.Cookie), false, "a session goes on")
	refused(t, testenv.ErrOf(o.SignIn(ctx, typed("eva", codes[0]), home)), "invalid_credentials")
	in = testenv.Must(o.AcceptInvitation(ctx, third, password, home))(t)
	testenv.Check(t, in.Session.State == session.AwaitsEnrolment && in.Session.Factors == (session.Factors{}),
		"begun anew: %+v", in.Session)
	refused(t, testenv.ErrOf2(o.Invite(ctx, admin, 1<<40)), "not_found")
}

// A password set by an operator voids the invitation, and so does switching the user off.
func TestInvitationVoided(t *testing.T) {
	o := newOffice(t)
	next, off := "another long password", false
	for name, update := range map[string]session.UserUpdate{"password": {Password: &next}, "off": {Enabled: &off, Reason: "left"}} {
		id, token := o.invited(t, name)
		update.ID = id
		testenv.Must(o.Update(ctx, admin, update))(t)
		refused(t, testenv.ErrOf(o.AcceptInvitation(ctx, token, password, home)), "invitation_invalid")
	}
}

// A role is one of the kind's, the first where none is given; another role ends the sessions.
func TestRoles(t *testing.T) {
	o, in, _, _ := withRoot(t)
	testenv.Want(t, in.Session.Caller.Role, caller.Admin, "role")
	auditor, desk := caller.Auditor, caller.Desk
	wrongField(t, testenv.ErrOf(o.Update(ctx, admin, session.UserUpdate{ID: in.Session.Caller.ID, Role: &desk})), "role")
	testenv.Want(t, o.live(t, in.Cookie), true, "a refused change ended the session")
	testenv.Must(o.Update(ctx, admin, session.UserUpdate{ID: in.Session.Caller.ID, Role: &auditor}))(t)
	testenv.Want(t, o.live(t, in.Cookie), false, "a session outlives its role")
	for kind, role := range map[caller.Kind]caller.Role{caller.Operator: caller.Owner, caller.Cabinet: caller.Owner} {
		_, _, err := o.Create(ctx, admin, session.NewUser{
			Kind: kind, Role: role, Login: "x", MerchantIDs: map[caller.Kind][]int64{caller.Cabinet: {1}}[kind],
		})
		f := fault.As(err)
		testenv.Check(t, f != nil && len(f.Fields) == 1 && f.Fields.Wrong("role"), "%s as %s: %v", kind, role, err)
	}
	support := caller.Caller{Kind: caller.Operator, Role: caller.Support, ID: 1}
	refused(t, testenv.ErrOf2(o.Create(ctx, support, session.NewUser{})), "role_not_allowed")
	refused(t, testenv.ErrOf2(o.Invite(ctx, support, 1)), "role_not_allowed")
}

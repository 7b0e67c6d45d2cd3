package session_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

func TestOperatorsMakeAndUnmakeUsers(t *testing.T) {
	p := newPeople(t)
	const second = "another long password"
	made, _ := testenv.Must2(p.Create(ctx, admin, session.NewUser{
		Kind: caller.Cabinet, Login: "boris", Password: password, MerchantIDs: []int64{p.NewMerchant(t, dbtest.MerchantOpts{}).ID},
	}))(t)
	testenv.Need(t, made.Actor == "operator:1" && made.Subject == "app_user" && made.Before == nil &&
		!strings.Contains(string(made.After), "argon2"), "kept %s: %s", made.Actor, made.After)
	id := testenv.Must(strconv.ParseInt(made.SubjectKey, 10, 64))(t)
	known := func(bearer string) bool {
		who, err := p.Bearer(ctx, bearer)
		return err == nil && who.ID == id
	}
	update := func(u session.UserUpdate) {
		t.Helper()
		u.ID = id
		testenv.Must(p.Update(ctx, admin, u))(t)
	}
	bearer := p.bearer(t, "boris", password)
	testenv.Want(t, known(bearer), true, "a new user signs in")
	testenv.Must(p.RevokeTokens(ctx, admin, id))(t)
	testenv.Want(t, known(bearer), false, "a revoked session goes on")
	bearer = p.bearer(t, "boris", password)
	update(session.UserUpdate{Password: new(second)})
	testenv.Want(t, known(bearer), false, "a session outlives its password")
	testenv.Want(t, p.Count(t, "select count(*) from notify_event where kind = 'password_changed' and user_id = "+made.SubjectKey), 1,
		"times that the user is told of the password")
	testenv.Want(t, p.bearer(t, "boris", password), "", "signed in with the old password")
	bearer = p.bearer(t, "boris", second)
	testenv.Want(t, known(bearer), true, "the new password is good")
	dbtest.WantFields(t, testenv.ErrOf(p.Update(ctx, admin, session.UserUpdate{ID: id, Enabled: new(false), Reason: " "})), "reason")
	testenv.Want(t, known(bearer), true, "nobody is switched off without a reason")
	update(session.UserUpdate{Enabled: new(false), Reason: "left"})
	testenv.Want(t, known(bearer), false, "who is switched off goes on")
	testenv.Want(t, p.bearer(t, "boris", second), "", "signed in switched off")
	update(session.UserUpdate{Enabled: new(true)})
	testenv.Want(t, known(p.bearer(t, "boris", second)), true, "who is switched on signs in")
}

func TestWrongUsers(t *testing.T) {
	p := newPeople(t)
	for _, row := range testenv.Rows(t, "wrong_users.txt") {
		var user session.NewUser
		testenv.NoError(t, json.Unmarshal([]byte(row[1]), &user))
		t.Log(row[0])
		dbtest.WantFields(t, testenv.ErrOf2(p.Create(ctx, admin, user)), strings.Fields(row[2])...)
	}
	m := p.NewMerchant(t, dbtest.MerchantOpts{})
	change, _, err := p.Create(ctx, admin,
		session.NewUser{Kind: caller.Cabinet, Login: "eva", Password: password, MerchantIDs: []int64{m.ID, m.ID}})
	testenv.Need(t, err == nil && strings.Contains(string(change.After), fmt.Sprintf(`"merchant_ids": [%d]`, m.ID)),
		"%s, %v", change.After, err)
	who := testenv.Must(p.Bearer(ctx, p.bearer(t, "eva", password)))(t)
	testenv.Want(t, fmt.Sprint(who.MerchantIDs), fmt.Sprintf("[%d]", m.ID), "merchants")
	wrongField(t, testenv.ErrOf2(p.Create(ctx, admin, session.NewUser{Kind: caller.Operator, Login: "eva", Password: password})), "login")
	refused(t, testenv.ErrOf2(p.Create(ctx, caller.Caller{Kind: caller.Trader, Role: caller.Owner}, session.NewUser{})), "token_kind_not_allowed")
}

// newSandbox is the service of a sandbox.
func newSandbox(t *testing.T) people {
	t.Helper()
	t.Parallel()
	d, c := dbtest.New(t), config
	c.Sandbox = true
	return people{DB: d, Service: testenv.Must(session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), c))(t)}
}

// In a sandbox anybody signs in as anybody, and is that user. Nobody else can
// be signed in as.
func TestSignInAs(t *testing.T) {
	p := newSandbox(t)
	trader := p.NewTrader(t, dbtest.TraderOpts{})
	id := p.add(t, caller.Trader, "trader", nil, &trader.ID)
	opened := testenv.Must(p.SignInAs(ctx, "trader", home))(t)
	found := testenv.Must(p.Find(ctx, opened.Cookie))(t)
	testenv.Check(t, found.Caller.ID == id && found.Caller.TraderID == trader.ID && found.State == session.Complete &&
		found.Address == home.Address, "signed in: %+v", found)
	refused(t, testenv.ErrOf(p.SignInAs(ctx, "nobody", home)), "not_found")

	// Those who were invited and have no password yet cannot sign in, and
	// neither can those switched off.
	p.Exec(t, "update app_user set password_hash = null where id = $1", id)
	refused(t, testenv.ErrOf(p.SignInAs(ctx, "trader", home)), "not_found")
	off := p.add(t, caller.Trader, "off", nil, &trader.ID)
	p.Exec(t, "update app_user set enabled = false where id = $1", off)
	refused(t, testenv.ErrOf(p.SignInAs(ctx, "off", home)), "not_found")
}

// In a sandbox, too, a second factor that somebody has set up is asked for.
func TestSignInAsWithFactor(t *testing.T) {
	p := newSandbox(t)
	p.secondFactor(t, p.add(t, caller.Operator, "operator", nil, nil))
	opened := testenv.Must(p.SignInAs(ctx, "operator", home))(t)
	testenv.Want(t, opened.Session.State, session.AwaitsFactor, "the session is")
}

// Outside a sandbox nobody signs in without a password.
func TestSignInAsOutsideSandbox(t *testing.T) {
	p := newPeople(t)
	id := p.add(t, caller.Operator, "operator", nil, nil)
	opened, err := p.SignInAs(ctx, "operator", home)
	refused(t, err, "not_found")
	sessions := p.Count(t, "select count(*) from session where user_id = $1", id)
	testenv.Check(t, opened.Cookie == "" && sessions == 0, "a session was made: %d", sessions)
}

var admin = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// invited makes a user without a password, and returns their id and the token
// of their link.
func (o office) invited(t testing.TB, login string) (int64, string) {
	t.Helper()
	change, link, err := o.Create(ctx, admin, session.NewUser{Kind: caller.Operator, Role: caller.Support, Login: login})
	of := token(change, link, err)(t)
	o.StoredNowhere(t, of)
	return testenv.Must(strconv.ParseInt(change.SubjectKey, 10, 64))(t), of
}

// token is that of a link which invites somebody. What the log keeps of it does
// not have the token.
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
		testenv.Want(t, testenv.Must(o.Invited(ctx, token))(t), session.Invitation{Login: "eva"}, "listed")
	}
	wrongField(t, testenv.ErrOf(o.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: "short"}, home)), "password")
	dbtest.WantOne(t, testenv.AtOnce(4, func(int) error {
		return testenv.ErrOf(o.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home))
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
	refused(t, testenv.ErrOf(o.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home)), "invitation_invalid")
	testenv.NoError(t, o.Prune(ctx))
	left := o.Count(t, "select count(*) from invitation where user_id in (select id from app_user where login = 'eva')")
	testenv.Want(t, left, 0, "invitations are left")
}

// The user is signed in by accepting, with what is still missing, and a later
// invitation takes the place of an earlier one.
func TestInvitedAnew(t *testing.T) {
	o := newOffice(t)
	id, first := o.invited(t, "eva")
	second := token(o.Invite(ctx, admin, id))(t)
	refused(t, testenv.ErrOf(o.AcceptInvitation(ctx, session.Acceptance{Token: first, Password: password}, home)), "invitation_invalid")
	in := testenv.Must(o.AcceptInvitation(ctx, session.Acceptance{Token: second, Password: password}, home))(t)
	in, _, codes := o.enrol(t, in.Session)
	testenv.Want(t, in.Session.Caller.Role, caller.Support, "role")
	// Who lost everything begins anew: neither password nor factors nor
	// sessions are left.
	third := token(o.Invite(ctx, admin, id))(t)
	testenv.Want(t, o.live(t, in.Cookie), false, "a session goes on")
	refused(t, testenv.ErrOf(o.SignIn(ctx, typed("eva", codes[0]), home)), "invalid_credentials")
	in = testenv.Must(o.AcceptInvitation(ctx, session.Acceptance{Token: third, Password: password}, home))(t)
	testenv.Check(t, in.Session.State == session.AwaitsEnrolment && in.Session.Factors == (session.Factors{}),
		"begun anew: %+v", in.Session)
	refused(t, testenv.ErrOf2(o.Invite(ctx, admin, 1<<40)), "not_found")
}

// A password set by an operator voids the invitation, and so does switching the
// user off.
func TestInvitationVoided(t *testing.T) {
	o := newOffice(t)
	next, off := "another long password", false
	for name, update := range map[string]session.UserUpdate{"password": {Password: &next}, "off": {Enabled: &off, Reason: "left"}} {
		id, token := o.invited(t, name)
		update.ID = id
		testenv.Must(o.Update(ctx, admin, update))(t)
		refused(t, testenv.ErrOf(o.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home)), "invitation_invalid")
	}
}

// A role is one of the kind's, the first where none is given; another role ends
// the sessions.
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

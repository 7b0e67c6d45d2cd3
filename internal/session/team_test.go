package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// team is a merchant's, whose owner is signed in.
type team struct {
	people
	merchantID int64
	owner      caller.Caller
}

func newTeam(t *testing.T) team {
	t.Helper()
	p := newPeople(t)
	m := team{people: p, merchantID: p.NewMerchant(t, dbtest.MerchantOpts{}).ID}
	m.owner = m.as(m.member(t, "anna", caller.Owner), caller.Owner)
	return m
}

// member makes a user of the merchant with the password of all.
func (m team) member(t *testing.T, login string, role caller.Role) int64 {
	t.Helper()
	hash := testenv.Must(session.HashPassword(password))(t)
	user := session.NewUser{Kind: caller.MerchantPortal, Role: role, Login: login, MerchantID: &m.merchantID}
	return testenv.Must(session.InsertUser(ctx, m.Queries(), user, hash, time.Now()))(t)
}

func (m team) as(id int64, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: role, ID: id, MerchantID: m.merchantID}
}

// bearer signs somebody in; "" is that they cannot.
func (p people) bearer(t *testing.T, login, word string) string {
	t.Helper()
	token, err := p.Login(ctx, session.Credentials{Login: login, Password: word}, home)
	if err != nil {
		refused(t, err, "invalid_credentials")
		return ""
	}
	return "Bearer " + token.Bearer
}

func (m team) isIn(bearer string) bool { return testenv.ErrOf(m.Bearer(ctx, bearer)) == nil }

// stands is a user as the team's page lists them: role, switched on, and still
// invited.
func (m team) stands(t *testing.T, id int64) string {
	t.Helper()
	for _, member := range testenv.Must(m.Team(ctx, m.owner))(t) {
		if member.ID == id {
			return fmt.Sprint(member.Role, " ", member.Enabled, " ", member.Invited)
		}
	}
	return "not in the team"
}

// update changes a user of the team as an owner does.
func (m team) update(by caller.Caller, id int64, u session.UserUpdate) error {
	u.ID = id
	return m.UpdateMember(ctx, by, u)
}

func wrongField(t *testing.T, err error, name string) {
	t.Helper()
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Fields.Wrong(name), "error %v; want a flaw of %s", err, name)
}

// An owner invites somebody, who comes in with the role they were given; of two
// invitations of one login at a time one is made.
func TestInviteMember(t *testing.T) {
	m := newTeam(t)
	for _, role := range []caller.Role{"", "admin", caller.Desk} {
		wrongField(t, testenv.ErrOf(m.InviteMember(ctx, m.owner, "boris", role)), "role")
	}
	wrongField(t, testenv.ErrOf(m.InviteMember(ctx, m.owner, "", caller.Finance)), "login")
	links := make([]string, 2)
	errs := testenv.AtOnce(2, func(i int) (err error) {
		links[i], err = m.InviteMember(ctx, m.owner, "boris", caller.Finance)
		return err
	})
	link := links[0] + links[1]
	testenv.Need(t, (errs[0] == nil) != (errs[1] == nil) && strings.Count(link, "/invitation/") == 1, "two at a time: %v", errs)
	wrongField(t, errors.Join(errs...), "login")
	_, token, _ := strings.Cut(link, "/invitation/")
	m.StoredNowhere(t, token)
	list, err := m.Team(ctx, m.owner)
	testenv.Need(t, err == nil && len(list) == 2 && list[1].Invited && list[1].Role == caller.Finance,
		"the team: %+v, %v", list, err)
	testenv.Must(m.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home))(t)
	who, err := m.Bearer(ctx, m.bearer(t, "boris", password))
	testenv.Check(t, err == nil && who.Role == caller.Finance && who.MerchantID == m.merchantID &&
		who.Kind == caller.MerchantPortal, "they are %+v, %v", who, err)
}

// Who is switched off before they accept their invitation does not come in by
// it.
func TestInvitedAndSwitchedOff(t *testing.T) {
	m := newTeam(t)
	link := testenv.Must(m.InviteMember(ctx, m.owner, "boris", caller.Support))(t)
	list := testenv.Must(m.Team(ctx, m.owner))(t)
	testenv.NoError(t, m.update(m.owner, list[1].ID, session.UserUpdate{Enabled: new(false)}))
	_, token, _ := strings.Cut(link, "/invitation/")
	_, err := m.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home)
	testenv.Check(t, err != nil && m.bearer(t, "boris", password) == "", "they are in: %v", err)
}

// Whose access is taken leaves nobody behind: what they invited ends, too.
func TestInvitedBySomebodyWhoIsOut(t *testing.T) {
	m := newTeam(t)
	for name, take := range map[string]func(id int64) error{
		"switched off": func(id int64) error { return m.update(m.owner, id, session.UserUpdate{Enabled: new(false)}) },
		"signed out":   func(id int64) error { return m.EndMember(ctx, m.owner, id) },
		"by an operator": func(id int64) error {
			return testenv.ErrOf(m.RevokeTokens(ctx, admin, id))
		},
	} {
		id := m.member(t, name, caller.Owner)
		theirs := testenv.Must(m.InviteMember(ctx, m.as(id, caller.Owner), "of "+name, caller.Owner))(t)
		others := testenv.Must(m.InviteMember(ctx, m.owner, "beside "+name, caller.Support))(t)
		testenv.NoError(t, take(id))
		for link, open := range map[string]bool{theirs: false, others: true} {
			_, token, _ := strings.Cut(link, "/invitation/")
			_, err := m.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home)
			testenv.Check(t, (err == nil) == open, "%s: an invitation that should be open %t: %v", name, open, err)
		}
	}
}

// A change of role or a switch ends sessions at once, and may be made twice.
func TestUpdateMember(t *testing.T) {
	m := newTeam(t)
	id := m.member(t, "boris", caller.Finance)
	for _, change := range []session.UserUpdate{
		{ID: id, Role: new(caller.Support)}, {ID: id, Role: new(caller.Support)}, {ID: id, Enabled: new(false)}, {ID: id, Enabled: new(false)},
	} {
		bearer := m.bearer(t, "boris", password)
		testenv.NoError(t, m.UpdateMember(ctx, m.owner, change))
		testenv.Check(t, bearer == "" || !m.isIn(bearer), "a session outlives %+v", change)
	}
	testenv.Want(t, m.bearer(t, "boris", password), "", "who is switched off signs in")
	testenv.NoError(t, m.update(m.owner, id, session.UserUpdate{Enabled: new(true)}))
	who, err := m.Bearer(ctx, m.bearer(t, "boris", password))
	testenv.Check(t, err == nil && who.Role == caller.Support, "switched on they are %+v, %v", who, err)
	none, king := caller.Role(""), caller.Role("king")
	for _, wrong := range []*caller.Role{&none, &king} {
		wrongField(t, m.update(m.owner, id, session.UserUpdate{Role: wrong}), "role")
	}
}

// A password that an owner sends along is not set: passwords are each user's
// own.
func TestMemberKeepsPassword(t *testing.T) {
	m := newTeam(t)
	id := m.member(t, "boris", caller.Finance)
	other := "another long password"
	testenv.NoError(t, m.update(m.owner, id, session.UserUpdate{Password: &other}))
	testenv.Check(t, m.bearer(t, "boris", other) == "" && m.bearer(t, "boris", password) != "", "an owner has set a password")
}

// Sessions are ended without any other change, and an invitation anew takes
// password and the link before it away.
func TestEndAndReinviteMember(t *testing.T) {
	m := newTeam(t)
	id := m.member(t, "boris", caller.Developer)
	bearer := m.bearer(t, "boris", password)
	for range 2 {
		testenv.NoError(t, m.EndMember(ctx, m.owner, id))
	}
	testenv.Check(t, !m.isIn(bearer) && m.bearer(t, "boris", password) != "", "only their sessions should have ended")
	bearer = m.bearer(t, "boris", password)
	var tokens []string
	for range 2 {
		link := testenv.Must(m.ReinviteMember(ctx, m.owner, id))(t)
		_, token, _ := strings.Cut(link, "/invitation/")
		tokens = append(tokens, token)
	}
	testenv.Check(t, !m.isIn(bearer) && m.bearer(t, "boris", password) == "" && m.stands(t, id) == "developer true true",
		"who is invited anew has what they had")
	refused(t, testenv.ErrOf(m.AcceptInvitation(ctx, session.Acceptance{Token: tokens[0], Password: password}, home)), "invitation_invalid")
	testenv.Must(m.AcceptInvitation(ctx, session.Acceptance{Token: tokens[1], Password: password}, home))(t)
}

// The last owner who can sign in stays what they are, however they would go;
// one who is only invited does not count.
func TestLastOwnerStays(t *testing.T) {
	m := newTeam(t)
	testenv.Must(m.InviteMember(ctx, m.owner, "invited", caller.Owner))(t)
	bearer := m.bearer(t, "anna", password)
	_, reinvited := m.ReinviteMember(ctx, m.owner, m.owner.ID)
	for _, err := range []error{
		reinvited,
		m.update(m.owner, m.owner.ID, session.UserUpdate{Role: new(caller.Support)}),
		m.update(m.owner, m.owner.ID, session.UserUpdate{Enabled: new(false)}),
	} {
		refused(t, err, "team_last_owner")
	}
	testenv.Want(t, m.stands(t, m.owner.ID), "owner true false", "the last owner is")
	testenv.Want(t, m.isIn(bearer), true, "the last owner is in")
	other := m.member(t, "boris", caller.Owner)
	testenv.NoError(t, m.update(m.owner, m.owner.ID, session.UserUpdate{Role: new(caller.Support)}))
	refused(t, m.update(m.as(other, caller.Owner), other, session.UserUpdate{Enabled: new(false)}), "team_last_owner")
}

// Of two owners who take each other's role, switch each other off or invite
// each other anew at the same time, one stays.
func TestOwnersAtOnce(t *testing.T) {
	m := newTeam(t)
	ids := []int64{m.owner.ID, m.member(t, "boris", caller.Owner)}
	for name, change := range map[string]func(by caller.Caller, of int64) error{
		"role": func(by caller.Caller, of int64) error {
			return m.update(by, of, session.UserUpdate{Role: new(caller.Support)})
		},
		"switch": func(by caller.Caller, of int64) error {
			return m.update(by, of, session.UserUpdate{Enabled: new(false)})
		},
		"anew": func(by caller.Caller, of int64) error { return testenv.ErrOf(m.ReinviteMember(ctx, by, of)) },
	} {
		for range 5 {
			m.Exec(t, `update app_user set role = 'owner', enabled = true,
				password_hash = (select max(password_hash) from app_user) where merchant_id = $1`, m.merchantID)
			errs := testenv.AtOnce(2, func(i int) error { return change(m.as(ids[i], caller.Owner), ids[1-i]) })
			testenv.Need(t, (errs[0] == nil) != (errs[1] == nil), "%s: %v", name, errs)
			left := m.Count(t, `select count(*) from app_user where merchant_id = $1
				and role = 'owner' and enabled and password_hash is not null`, m.merchantID)
			testenv.Want(t, left, 1, "%s: owners left", name)
		}
	}
}

// Another merchant's users are not there, nor are users of other kinds, and
// only owners run a team.
func TestForeignTeam(t *testing.T) {
	m := newTeam(t)
	member := m.member(t, "boris", caller.Finance)
	bearer := m.bearer(t, "boris", password)
	other := m.NewMerchant(t, dbtest.MerchantOpts{}).ID
	trader := m.NewTrader(t, dbtest.TraderOpts{}).ID
	stranger := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 99, MerchantID: other}
	try := func(who caller.Caller, id int64) []error {
		return []error{
			m.update(who, id, session.UserUpdate{Role: new(caller.Support)}),
			m.update(who, id, session.UserUpdate{Enabled: new(false)}),
			m.EndMember(ctx, who, id), testenv.ErrOf(m.ReinviteMember(ctx, who, id)),
		}
	}
	for _, err := range try(stranger, member) {
		refused(t, err, "not_found")
	}
	for _, id := range []int64{0, -1, 1 << 40, m.add(t, caller.Trader, "trader", nil, &trader)} {
		for _, err := range try(m.owner, id) {
			refused(t, err, "not_found")
		}
	}
	for _, role := range []caller.Role{caller.Finance, caller.Developer, caller.Support} {
		who := m.as(member, role)
		_, _, logged := m.TeamLog(ctx, who, 0)
		for _, err := range append(try(who, member), logged, testenv.ErrOf(m.Team(ctx, who)), testenv.ErrOf(m.TeamSessions(ctx, who)),
			testenv.ErrOf(m.InviteMember(ctx, who, "eve", caller.Owner))) {
			refused(t, err, "role_not_allowed")
		}
	}
	stale := m.owner
	stale.Stale = true
	for _, err := range try(stale, member) {
		refused(t, err, "factor_needed")
	}
	testenv.Want(t, len(testenv.Must(m.Team(ctx, stranger))(t)), 0, "a stranger's team")
	list, _, err := m.TeamLog(ctx, stranger, 0)
	testenv.Check(t, err == nil && len(list) == 0, "a stranger's log: %+v, %v", list, err)
	testenv.Want(t, len(testenv.Must(m.TeamSessions(ctx, stranger))(t)), 0, "a stranger's sessions")
	testenv.Want(t, m.stands(t, member), "finance true false", "after all that they are")
	testenv.Want(t, m.isIn(bearer), true, "after all that they are in")
}

// What the team changed is read page by page, each change once.
func TestTeamLog(t *testing.T) {
	m := newTeam(t)
	id := m.member(t, "boris", caller.Finance)
	for i := range 60 {
		testenv.NoError(t, m.update(m.owner, id, session.UserUpdate{Enabled: new(i%2 == 1)}))
	}
	first, more, err := m.TeamLog(ctx, m.owner, 0)
	testenv.Need(t, err == nil && len(first) == 50 && more && first[0].Login == "anna" && first[0].Subject == "app_user",
		"%d changes, more %v, %v", len(first), more, err)
	rest, more, err := m.TeamLog(ctx, m.owner, first[49].ID)
	testenv.Check(t, err == nil && len(rest) == 10 && !more && rest[0].ID < first[49].ID,
		"%d changes, more %v, %v", len(rest), more, err)
}

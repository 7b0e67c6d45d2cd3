package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// guarded is an office with a merchant whose owner is signed in, and an
// operator who wants to be their user.
type guarded struct {
	office
	merchantID int64
	owner, eve caller.Caller
}

func newGuarded(t *testing.T) guarded {
	t.Helper()
	g := guarded{office: newOffice(t)}
	g.merchantID = g.NewMerchant(t, dbtest.MerchantOpts{}).ID
	g.owner = g.anOwner(t, "anna")
	in, _, _ := g.operator(t, "eve")
	g.eve = in.Session.Caller
	return g
}

func (g guarded) anOwner(t *testing.T, login string) caller.Caller {
	t.Helper()
	return caller.Caller{
		Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: g.merchantID, Login: login,
		ID: g.add(t, caller.MerchantPortal, login, &g.merchantID, nil),
	}
}

// puppet is a user whom the operator makes and is themselves, signed in.
func (g guarded) puppet(t *testing.T, role caller.Role) session.Opened {
	t.Helper()
	n := session.NewUser{Kind: caller.MerchantPortal, Role: role, Login: "puppet", MerchantID: &g.merchantID}
	return g.takeUp(t, token(g.Create(ctx, g.eve, n))(t))
}

func (g guarded) takeUp(t *testing.T, token string) session.Opened {
	t.Helper()
	return testenv.Must(g.AcceptInvitation(ctx, session.Acceptance{Token: token, Password: password}, home))(t)
}

// changes are those of the team that an owner is shown.
func (g guarded) changes(t *testing.T) []session.TeamChange {
	t.Helper()
	log, _ := testenv.Must2(g.TeamLog(ctx, g.owner, 0))(t)
	return log
}

// may is what comes of a user's trying to make keys, as they are now.
func (g guarded) may(t *testing.T, login string) error {
	t.Helper()
	return g.signIn(t, login, "").Session.Caller.Proved().Need(caller.MerchantKeys)
}

// An operator who is a merchant's user by their own invitation only looks until
// an owner accepts them or a day is over.
func TestOperatorsPuppetWaits(t *testing.T) {
	g := newGuarded(t)
	opened := g.puppet(t, caller.Owner)
	who := opened.Session.Caller.Proved()
	for _, capability := range who.Capabilities() {
		testenv.Check(t, capability != caller.MerchantKeys && capability != caller.MerchantTeam &&
			capability != caller.MerchantPayouts, "who waits has %s", capability)
	}
	err := who.Need(caller.MerchantKeys)
	refused(t, err, "consent_awaited")
	until := g.now().Add(24 * time.Hour).UTC().Format("2006-01-02")
	testenv.Check(t, who.May(caller.MerchantRead) && strings.Contains(fault.As(err).Message, until),
		"they may not look, or are not told until %s: %v", until, err)
	asked := testenv.Must(g.Awaited(ctx, g.owner))(t)
	testenv.Need(t, len(asked) == 1 && asked[0].ID == who.ID && asked[0].Role == caller.Owner && asked[0].Login == "puppet",
		"the owner is asked about %+v", asked)
	log := g.changes(t)
	testenv.Check(t, len(log) == 1 && log[0].Login == "" && !strings.Contains(string(log[0].After), "set_up_by"),
		"the owner's log: %+v", log)
	// They answer for nobody, not even for themselves.
	refused(t, g.Consent(ctx, who, who.ID, true), "consent_awaited")
	stale := g.owner
	stale.Stale = true
	refused(t, g.Consent(ctx, stale, who.ID, true), "factor_needed")
	testenv.NoError(t, g.Consent(ctx, g.owner, who.ID, true))
	testenv.NoError(t, g.may(t, "puppet"))
	refused(t, g.Consent(ctx, g.owner, who.ID, false), "consent_over")
}

// A day without an answer is an answer, too.
func TestPuppetsDayIsOver(t *testing.T) {
	g := newGuarded(t)
	g.puppet(t, caller.Developer)
	g.wait(23 * time.Hour)
	refused(t, g.may(t, "puppet"), "consent_awaited")
	g.wait(time.Hour + time.Second)
	testenv.NoError(t, g.may(t, "puppet"))
	testenv.Want(t, len(testenv.Must(g.Awaited(ctx, g.owner))(t)), 0, "still asked about")
}

// Whom an owner refuses is out at once, and their invitation is void, with the
// owner's name in the log. To refuse takes no fresh second factor. Switched on
// by an operator they wait again.
func TestRefusedPuppet(t *testing.T) {
	g := newGuarded(t)
	opened := g.puppet(t, caller.Owner)
	id := opened.Session.Caller.ID
	in := g.takeUp(t, token(g.Invite(ctx, g.eve, id))(t))
	last := token(g.Invite(ctx, g.eve, id))(t)
	hasty := g.owner
	hasty.Stale, hasty.Factorless = true, true
	testenv.NoError(t, g.Consent(ctx, hasty, id, false))
	refused(t, testenv.ErrOf(g.AcceptInvitation(ctx, session.Acceptance{Token: last, Password: password}, home)), "invitation_invalid")
	testenv.Want(t, g.live(t, in.Cookie), false, "a session of who was refused goes on")
	testenv.Want(t, g.changes(t)[0].Login, "anna", "who refused")
	testenv.Must(g.Update(ctx, g.eve, session.UserUpdate{ID: id, Enabled: new(true)}))(t)
	testenv.Want(t, len(testenv.Must(g.Awaited(ctx, g.owner))(t)), 1, "asked again")
}

// Operators set nobody's password at a merchant or trader that has users; the
// first user is made as it is asked for.
func TestOperatorSetsNoPassword(t *testing.T) {
	g := newGuarded(t)
	trader := g.NewTrader(t, dbtest.TraderOpts{}).ID
	first := session.NewUser{Kind: caller.Trader, Login: "desk-1", Password: password, TraderID: &trader}
	change, _ := testenv.Must2(g.Create(ctx, g.eve, first))(t)
	testenv.Check(t, strings.Contains(string(change.After), `"awaits_until": null`), "the first user waits: %s", change.After)
	for _, n := range []session.NewUser{
		{Kind: caller.Trader, Login: "ghost", Password: password, TraderID: &trader},
		{Kind: caller.MerchantPortal, Login: "ghost", Password: password, MerchantID: &g.merchantID},
	} {
		wrongField(t, testenv.ErrOf2(g.Create(ctx, g.eve, n)), "password")
	}
	update := session.UserUpdate{ID: g.owner.ID, Password: new("another long password")}
	wrongField(t, testenv.ErrOf(g.Update(ctx, g.eve, update)), "password")
	change, _ = testenv.Must2(g.Create(ctx, g.eve, session.NewUser{Kind: caller.Trader, Login: "ghost", TraderID: &trader}))(t)
	testenv.Check(t, !strings.Contains(string(change.After), `"awaits_until": null`),
		"a trader's second user does not wait: %s", change.After)
}

// Whom an operator raises waits, and whom they lower does not.
func TestRaisedUserWaits(t *testing.T) {
	g := newGuarded(t)
	second := g.anOwner(t, "boris")
	testenv.Must(g.Update(ctx, g.eve, session.UserUpdate{ID: second.ID, Role: new(caller.Support)}))(t)
	testenv.Want(t, len(testenv.Must(g.Awaited(ctx, g.owner))(t)), 0, "asked about who was lowered")
	testenv.Must(g.Update(ctx, g.eve, session.UserUpdate{ID: second.ID, Role: new(caller.Developer)}))(t)
	refused(t, g.may(t, "boris"), "consent_awaited")
}

// No operator takes the owners out of the way: to invite the only one anew
// takes a second operator, also at the same time as the other one, and who
// waits for the only owner's answer is to be switched off before that owner is.
func TestOwnersOutOfTheWay(t *testing.T) {
	g := newGuarded(t)
	g.operator(t, "carl")
	g.FourEyes = foureyes.Rules{On: true}
	second := g.anOwner(t, "boris")
	var errs []error
	var wanted *foureyes.SecondOperatorError
	for range 30 {
		g.Exec(t, `update app_user set awaits_until = null, set_up_at = null,
			password_hash = (select max(password_hash) from app_user) where merchant_id = $1`, g.merchantID)
		errs = testenv.AtOnce(2, func(i int) error {
			_, _, err := g.Invite(ctx, g.eve, []int64{g.owner.ID, second.ID}[i])
			return err
		})
		testenv.Need(t, (errs[0] == nil) != (errs[1] == nil) && errors.As(errors.Join(errs...), &wanted) &&
			wanted.Action == foureyes.InviteUser, "both owners invited anew: %v", errs)
	}
	left := g.owner
	if errs[0] == nil {
		left = second
	}
	asked := testenv.Must(g.Awaited(ctx, left))(t)
	testenv.Want(t, len(asked), 1, "the other owner is asked")
	for name, update := range map[string]session.UserUpdate{
		"off": {Enabled: new(false), Reason: "left"}, "lowered": {Role: new(caller.Support)},
	} {
		update.ID = left.ID
		t.Log(name)
		dbtest.WantCode(t, testenv.ErrOf(g.Update(ctx, g.eve, update)), "consent_open")
	}
	testenv.NoError(t, g.Consent(ctx, left, asked[0].ID, false))
	testenv.Must(g.Update(ctx, g.eve, session.UserUpdate{ID: left.ID, Enabled: new(false), Reason: "left"}))(t)
	// Nobody is left to answer: whoever comes in now takes two.
	n := session.NewUser{Kind: caller.MerchantPortal, Login: "puppet", MerchantID: &g.merchantID}
	_, _, err := g.Create(ctx, g.eve, n)
	testenv.Check(t, errors.As(err, &wanted) && wanted.Action == foureyes.CreateUser,
		"a user of a merchant without owners: %v", err)
}

// Another merchant's owner is asked nothing and answers nothing, and neither
// does an owner whom an operator has just set up.
func TestForeignConsent(t *testing.T) {
	g := newGuarded(t)
	opened := g.puppet(t, caller.Developer)
	id := opened.Session.Caller.ID
	other := g.NewMerchant(t, dbtest.MerchantOpts{}).ID
	foreign := caller.Caller{
		Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: other,
		ID: g.add(t, caller.MerchantPortal, "zoe", &other, nil),
	}
	fresh := g.anOwner(t, "boris")
	g.takeUp(t, token(g.Invite(ctx, g.eve, fresh.ID))(t))
	testenv.NoError(t, g.Consent(ctx, g.owner, fresh.ID, true))
	for _, who := range []caller.Caller{foreign, fresh} {
		testenv.Want(t, len(testenv.Must(g.Awaited(ctx, who))(t)), 0, "listed")
		if err := g.Consent(ctx, who, id, true); fault.As(err) == nil {
			t.Errorf("%s has answered: %v", who.Login, err)
		} else if who.ID == foreign.ID {
			refused(t, err, "not_found")
		}
	}
	refused(t, g.may(t, "puppet"), "consent_awaited")
}

// Where second factors are compulsory a merchant's user without one neither
// makes keys nor runs the team, by either door.
func TestKeysTakeFactor(t *testing.T) {
	g := newGuarded(t)
	in := g.signIn(t, "anna", "")
	token := testenv.Must(g.Login(ctx, typed("anna", ""), home))(t)
	byToken := testenv.Must(g.Bearer(ctx, "Bearer "+token.Bearer))(t)
	for _, who := range []caller.Caller{in.Session.Caller, byToken} {
		for _, capability := range []caller.Capability{caller.MerchantKeys, caller.MerchantTeam} {
			refused(t, who.Need(capability), "factor_missing")
		}
		testenv.NoError(t, who.Need(caller.MerchantMoney))
	}
	enrolled, _, _ := g.enrol(t, in.Session)
	testenv.NoError(t, enrolled.Session.Caller.Need(caller.MerchantKeys))
}

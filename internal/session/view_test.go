package session_test

import (
	"errors"
	"fmt"
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

// viewers is an office with an operator, signed in by browser, and a trader's
// owner to look as.
type viewers struct {
	office
	in      session.Opened
	secret  string
	trader  dbtest.Trader
	ownerID int64
}

func newViewers(t *testing.T) viewers {
	t.Helper()
	o := newOffice(t)
	v := viewers{office: o, trader: o.NewTrader(t, dbtest.TraderOpts{})}
	v.in, v.secret, _ = o.operator(t, "root")
	v.ownerID = o.add(t, caller.Trader, "owner", nil, &v.trader.ID)
	return v
}

func (v viewers) found(t testing.TB) session.Session {
	t.Helper()
	return testenv.Must(v.Find(ctx, v.in.Cookie))(t)
}

// look has the operator look as the owner.
func (v viewers) look(t testing.TB) session.Session {
	t.Helper()
	return testenv.Must(v.ViewAs(ctx, v.found(t), "owner", "They see no payments"))(t)
}

// log is what the log of settings tells of looking as others, a line each: who
// and as whom, why before and after, and whether until when and since when not
// is told.
func (v viewers) log(t testing.TB) string {
	t.Helper()
	return v.Text(t, `select coalesce(string_agg(concat_ws(' ', actor, subject_key, coalesce(before->>'reason', '-'), '/',
		coalesce(after->>'reason', '-'), (after->>'until') is not null, (after->>'endedAt') is not null, E'\n'), '' order by id), '')
		from setting_change where subject = 'view_as'`)
}

// While an operator looks as a trader's owner they read what the owner reads
// and change nothing; afterwards they are themselves, and the log of settings
// tells of both.
func TestViewAs(t *testing.T) {
	v := newViewers(t)
	looks := v.look(t)
	for name, found := range map[string]session.Session{"at once": looks, "at the next request": v.found(t)} {
		who := found.Caller
		testenv.Check(t, found.ID == v.in.Session.ID && who.ID == v.ownerID && who.Login == "owner" && who.Kind == caller.Trader &&
			who.Role == caller.Owner && who.TraderID == v.trader.ID && who.ViewAs && !who.Stale, "%s: %+v", name, found)
		if who.Behind != v.in.Session.Caller.ID || found.View == nil || found.View.Login != "root" ||
			found.View.Reason != "They see no payments" || !found.View.Until.Equal(v.now().Add(30*time.Minute).Truncate(time.Millisecond)) {
			t.Errorf("%s: %+v, behind %d", name, found.View, who.Behind)
		}
		testenv.Check(t, who.May(caller.TraderMoney) && errors.Is(who.Need(caller.TraderWork), fault.ErrViewOnly) &&
			!who.May(caller.OperatorRead), "%s: may %v", name, who.Capabilities())
		actor := "operator:" + id(v.in.Session.Caller.ID) + " as trader:" + id(v.ownerID)
		testenv.Check(t, who.Actor() == actor, "acts as %s", who.Actor())
	}
	v.wait(time.Minute)
	after := testenv.Must(v.EndViewAs(ctx, looks))(t)
	for _, found := range []session.Session{after, v.found(t)} {
		testenv.Check(t, found.View == nil && !found.Caller.ViewAs && found.Caller.ID == v.in.Session.Caller.ID &&
			found.Caller.May(caller.OperatorUsers), "afterwards %+v", found)
	}
	v.checkLog(t)
}

func (v viewers) checkLog(t *testing.T) {
	t.Helper()
	who := fmt.Sprintf("operator:%d %d ", v.in.Session.Caller.ID, v.ownerID)
	const why = "They see no payments"
	testenv.Want(t, v.log(t), who+"- / "+why+" t f \n"+who+why+" / - f t \n", "the log")
}

func id(n int64) string { return strconv.FormatInt(n, 10) }

// It ends by itself after half an hour, with the session if that ends sooner,
// and at once where the user is switched off.
func TestViewAsEnds(t *testing.T) {
	v := newViewers(t)
	looks := v.look(t)
	v.wait(29*time.Minute + 59*time.Second)
	testenv.Want(t, v.found(t).Caller.ViewAs, true, "it ended too soon")
	v.wait(time.Second)
	found := v.found(t)
	testenv.Check(t, found.View == nil && found.Caller.ID == v.in.Session.Caller.ID, "after half an hour %+v", found.Caller)
	testenv.Must(v.EndViewAs(ctx, looks))(t)
	testenv.Want(t, strings.Count(v.log(t), "\n"), 1, "what was over is logged as ended: lines")

	v.prove(t)
	v.look(t)
	v.Exec(t, "update app_user set enabled = false where id = $1", v.ownerID)
	found = v.found(t)
	testenv.Check(t, !found.Caller.ViewAs, "somebody looks as a user who is switched off")
	v.Exec(t, "update app_user set enabled = true where id = $1", v.ownerID)
	testenv.Must(v.EndViewAs(ctx, v.found(t)))(t)

	v.Exec(t, "update session set expires_at = $1 where id = $2", v.now().Add(time.Minute), looks.ID)
	soon := v.look(t)
	testenv.Check(t, soon.View.Until.Equal(soon.ExpiresAt), "until %s, the session until %s", soon.View.Until, soon.ExpiresAt)
	v.wait(time.Minute)
	testenv.Want(t, v.live(t, v.in.Cookie), false, "the session goes on because somebody looks as another")
}

// prove has the operator give their second factor again.
func (v *viewers) prove(t *testing.T) {
	t.Helper()
	opened := testenv.Must(v.GiveFactor(ctx, v.found(t), given(v.nextCode(t, v.secret))))(t)
	v.in = opened
}

// Only an operator with the right, a fresh second factor and a browser looks as
// somebody, only as a user who is no operator and is switched on, and only for
// a reason.
func TestViewAsRefused(t *testing.T) {
	v := newViewers(t)
	v.add(t, caller.Operator, "other", nil, nil)
	off := v.add(t, caller.Trader, "off", nil, &v.trader.ID)
	v.Exec(t, "update app_user set enabled = false where id = $1", off)
	for name, test := range map[string]struct{ user, reason, field string }{
		"an operator":        {"other", "why", "user"},
		"oneself":            {id(v.in.Session.Caller.ID), "why", "user"},
		"switched off":       {"off", "why", "user"},
		"unknown":            {"nobody", "why", "user"},
		"an unknown id":      {"987654321", "why", "user"},
		"nobody named":       {"", "why", "user"},
		"no reason":          {"owner", "", "reason"},
		"a blank reason":     {"owner", " \t", "reason"},
		"a long reason":      {"owner", strings.Repeat("я", 256), "reason"},
		"a wrong character":  {"owner", "a\ab", "reason"},
		"a zero in the name": {"own\x00er", "why", "user"},
	} {
		_, err := v.ViewAs(ctx, v.found(t), test.user, test.reason)
		t.Log(name)
		dbtest.WantFields(t, err, test.field)
	}
	v.refusedToOthers(t)
	testenv.Want(t, v.log(t), "", "logged")
	_, err := v.ViewAs(ctx, v.found(t), id(v.ownerID), strings.Repeat("я", 255))
	testenv.Check(t, err == nil, "by id: %v", err)
}

func (v viewers) refusedToOthers(t *testing.T) {
	t.Helper()
	try := func(in session.Session) error { return testenv.ErrOf(v.ViewAs(ctx, in, "owner", "why")) }
	root := v.found(t)
	for role, want := range map[caller.Role]error{
		caller.Treasury: fault.ErrRoleNotAllowed, caller.Auditor: fault.ErrRoleNotAllowed,
	} {
		other := root
		other.Caller.Role = role
		err := try(other)
		testenv.Check(t, errors.Is(err, want), "%s: %v", role, err)
	}
	api, unfinished, trader := root, root, root
	api.Door, unfinished.State = session.API, session.AwaitsFactor
	trader.Caller = caller.Caller{Kind: caller.Trader, Role: caller.Owner, ID: v.ownerID}
	refused(t, try(api), "token_kind_not_allowed")
	refused(t, try(unfinished), "second_factor_required")
	refused(t, try(trader), "token_kind_not_allowed")
	stale := root
	stale.Caller.Stale = true
	refused(t, try(stale), "factor_needed")
}

// Nothing that is the viewed user's own can be changed: no password, factor,
// session or preference. Nor can a password or a code be tried out.
func TestViewAsChangesNothing(t *testing.T) {
	v := newViewers(t)
	theirs := v.signIn(t, "owner", "")
	_, secret, _ := v.enrol(t, theirs.Session)
	before := v.state(t)
	v.prove(t)
	looks := testenv.Must(v.ViewAs(ctx, v.found(t), "owner", "why"))(t)
	testenv.Check(t, looks.Factors.TOTP && looks.Factors.RecoveryCodes == 10, "the factors shown are %+v", looks.Factors)
	for name, try := range map[string]func() error{
		"password":           func() error { _, err := v.ChangePassword(ctx, looks, password, "another long password"); return err },
		"a password's guess": func() error { _, err := v.ChangePassword(ctx, looks, "wrong", "another long password"); return err },
		"a code":             func() error { return testenv.ErrOf(v.GiveFactor(ctx, looks, given(v.nextCode(t, secret)))) },
		"a wrong code":       func() error { _, err := v.GiveFactor(ctx, looks, given("1")); return err },
		"a passkey's":        func() error { _, err := v.BeginAssertion(ctx, looks); return err },
		"begin an app":       func() error { _, err := v.BeginTOTP(ctx, looks); return err },
		"confirm an app":     func() error { _, _, err := v.ConfirmTOTP(ctx, looks, "123456"); return err },
		"remove the app":     func() error { return v.RemoveTOTP(ctx, looks) },
		"begin a passkey":    func() error { _, err := v.BeginPasskey(ctx, looks); return err },
		"finish a passkey":   func() error { _, _, err := v.FinishPasskey(ctx, looks, "key", []byte("{}")); return err },
		"remove a passkey":   func() error { return v.RemovePasskey(ctx, looks, "AAAA") },
		"recovery codes":     func() error { _, err := v.RenewRecoveryCodes(ctx, looks); return err },
		"one session":        func() error { return v.EndOne(ctx, looks.Caller, theirs.Session.ID) },
		"all sessions":       func() error { return v.EndAll(ctx, looks.Caller, 0) },
		"preferences": func() error {
			return testenv.ErrOf(v.SetPreferences(ctx, looks, session.Preferences{Zone: "UTC", Theme: "dark"}))
		},
		"view more": func() error { _, err := v.ViewAs(ctx, looks, "owner", "why"); return err },
	} {
		f := fault.As(try())
		testenv.Check(t, f != nil && f.Code == "view_only", "%s: %v", name, try())
	}
	testenv.Want(t, v.state(t), before, "the user is")
	list, err := v.List(ctx, looks.Caller, looks.ID)
	testenv.Check(t, err == nil && len(list) == 1 && !list[0].Current, "the sessions shown are %+v, %v", list, err)
}

// state is everything of the owner that they could have changed themselves.
func (v viewers) state(t testing.TB) string {
	t.Helper()
	state := v.Text(t, `select jsonb_build_array(to_jsonb(u),
		(select jsonb_agg(s.hash order by s.id) from session s where s.user_id = u.id),
		(select jsonb_agg(r.hash order by r.hash) from recovery_code r where r.user_id = u.id))::text
		from app_user u where u.id = $1`, v.ownerID)
	return state
}

// Whoever signs out while they look as another user ends their own session and
// no other.
func TestSignOutWhileViewing(t *testing.T) {
	v := newViewers(t)
	looks := v.look(t)
	theirs := v.signIn(t, "owner", "")
	testenv.NoError(t, v.End(ctx, looks))
	testenv.Check(t, !v.live(t, v.in.Cookie) && v.live(t, theirs.Cookie), "the wrong session has ended")
	v.checkLog(t)
	refused(t, testenv.ErrOf(v.ViewAs(ctx, v.in.Session, "owner", "why")), "unauthenticated")
}

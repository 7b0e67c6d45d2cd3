package session_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
)

// In a sandbox anybody signs in as anybody, and is that user. Nobody else can be signed in as.
func TestSignInAs(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := config
	c.Sandbox = true
	service, err := session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), c)
	noError(t, err)
	p := people{DB: d, Service: service}
	trader := p.NewTrader(t, dbtest.TraderOpts{})
	id := p.add(t, caller.Trader, "trader", nil, &trader.ID)
	opened, err := p.SignInAs(t.Context(), "trader", home)
	noError(t, err)
	found, err := p.Find(t.Context(), opened.Cookie)
	noError(t, err)
	if found.Caller.ID != id || found.Caller.TraderID != trader.ID || found.State != session.Whole ||
		found.Address != home.Address {
		t.Errorf("signed in: %+v", found)
	}
	_, err = p.SignInAs(t.Context(), "nobody", home)
	refused(t, err, fault.NotFound, fault.ErrNotFound.Code)

	// Those who were invited and have no password yet cannot sign in, and neither can those switched off.
	_, err = d.Pool.Exec(t.Context(), "update app_user set password_hash = null where id = $1", id)
	noError(t, err)
	_, err = p.SignInAs(t.Context(), "trader", home)
	refused(t, err, fault.NotFound, fault.ErrNotFound.Code)
	off := p.add(t, caller.Trader, "off", nil, &trader.ID)
	_, err = d.Pool.Exec(t.Context(), "update app_user set enabled = false where id = $1", off)
	noError(t, err)
	_, err = p.SignInAs(t.Context(), "off", home)
	refused(t, err, fault.NotFound, fault.ErrNotFound.Code)
}

// In a sandbox, too, a second factor that somebody has set up is asked for.
func TestSignInAsWithFactor(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := config
	c.Sandbox = true
	service, err := session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), c)
	noError(t, err)
	p := people{DB: d, Service: service}
	p.secondFactor(t, p.add(t, caller.Operator, "operator", nil, nil))
	opened, err := p.SignInAs(t.Context(), "operator", home)
	noError(t, err)
	if opened.Session.State != session.AwaitsFactor {
		t.Errorf("the session is %s", opened.Session.State)
	}
}

// Outside a sandbox nobody signs in without a password.
func TestSignInAsOutsideSandbox(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	id := p.add(t, caller.Operator, "operator", nil, nil)
	opened, err := p.SignInAs(t.Context(), "operator", home)
	refused(t, err, fault.NotFound, fault.ErrNotFound.Code)
	var sessions int
	noError(t, p.Pool.QueryRow(t.Context(), "select count(*) from session where user_id = $1", id).Scan(&sessions))
	if opened.Cookie != "" || sessions != 0 {
		t.Errorf("a session was made: %d", sessions)
	}
}

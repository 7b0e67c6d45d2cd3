package session_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

func TestOperatorsMakeAndUnmakeUsers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	users := must(session.New(d.Pools(), nil, limit.New(d.Pool), config))(t)
	merchant := d.NewMerchant(t, dbtest.MerchantOpts{})
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	const password, second = "correct horse battery", "another long password"
	made, _, err := users.Create(t.Context(), operator,
		session.NewUser{Kind: caller.Cabinet, Login: "boris", Password: password, MerchantIDs: []int64{merchant.ID}})
	noError(t, err)
	if made.Actor != "operator:1" || made.Subject != "app_user" || made.Before != nil ||
		strings.Contains(string(made.After), "argon2") {
		t.Fatalf("kept %s: %s", made.Actor, made.After)
	}
	id, _ := strconv.ParseInt(made.SubjectKey, 10, 64)
	login := func(password string) string {
		token, err := users.Login(t.Context(), session.Credentials{Login: "boris", Password: password}, home)
		if err != nil {
			if f := fault.As(err); f == nil || f.Code != "invalid_credentials" {
				t.Fatal(err)
			}
			return ""
		}
		return "Bearer " + token.Bearer
	}
	known := func(bearer string) bool {
		who, err := users.Bearer(t.Context(), bearer)
		return err == nil && who.ID == id
	}

	bearer := login(password)
	if !known(bearer) {
		t.Fatal("a new user cannot sign in")
	}
	if _, err := users.RevokeTokens(t.Context(), operator, id); err != nil || known(bearer) {
		t.Fatalf("a revoked session goes on (%v)", err)
	}
	bearer = login(password)
	next := second
	if _, err := users.Update(t.Context(), operator, session.UserUpdate{ID: id, Password: &next}); err != nil ||
		known(bearer) {
		t.Fatalf("a session outlives its password (%v)", err)
	}
	if login(password) != "" || login(second) == "" {
		t.Fatal("the password was not changed")
	}
	bearer = login(second)
	off, on := false, true
	if _, err := users.Update(
		t.Context(), operator, session.UserUpdate{ID: id, Enabled: &off},
	); err != nil || known(bearer) || login(second) != "" {
		t.Fatalf("a user switched off goes on (%v)", err)
	}
	if _, err := users.Update(t.Context(), operator, session.UserUpdate{ID: id, Enabled: &on}); err != nil ||
		login(second) == "" {
		t.Fatalf("a user switched on cannot sign in (%v)", err)
	}
}

func TestWrongUsers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	users := must(session.New(d.Pools(), nil, limit.New(d.Pool), config))(t)
	operator, one, far := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}, int64(1), int64(1<<40)
	const password = "correct horse battery"
	for name, c := range map[string]struct {
		user   session.NewUser
		fields []string
	}{
		"nothing":          {session.NewUser{}, []string{"kind", "login"}},
		"a number":         {session.NewUser{Kind: caller.Cabinet, Login: "1234", Password: password, MerchantIDs: []int64{1}}, []string{"login"}},
		"11 characters":    {session.NewUser{Kind: caller.Cabinet, Login: "eva", Password: "12345678901", MerchantIDs: []int64{1}}, []string{"password"}},
		"a key's kind":     {session.NewUser{Kind: caller.MerchantKey, Login: "eva", Password: password}, []string{"kind"}},
		"without merchant": {session.NewUser{Kind: caller.MerchantPortal, Login: "eva", Password: password}, []string{"merchantId"}},
		"without trader":   {session.NewUser{Kind: caller.Trader, Login: "eva", Password: password}, []string{"traderId"}},
		"with too much":    {session.NewUser{Kind: caller.Operator, Login: "eva", Password: password, MerchantID: &one, TraderID: &one}, []string{"merchantId", "traderId"}},
		"of no merchant":   {session.NewUser{Kind: caller.Cabinet, Login: "eva", Password: password}, []string{"merchantIds"}},
		"of far merchants": {session.NewUser{Kind: caller.Cabinet, Login: "eva", Password: password, MerchantIDs: []int64{far, 1}}, []string{"merchantIds"}},
		"no player":        {session.NewUser{Kind: caller.Operator, Login: "eva", Password: password, MerchantIDs: []int64{1}}, []string{"merchantIds"}},
		"unknown merchant": {session.NewUser{Kind: caller.MerchantPortal, Login: "eva", Password: password, MerchantID: &far}, []string{"merchantId"}},
	} {
		_, _, err := users.Create(t.Context(), operator, c.user)
		f := fault.As(err)
		if f == nil || len(f.Fields) != len(c.fields) {
			t.Errorf("%s: %v, want %v", name, err, c.fields)
			continue
		}
		for _, field := range c.fields {
			if !f.Fields.Wrong(field) {
				t.Errorf("%s: %v, want %s", name, f.Fields, field)
			}
		}
	}
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	change, _, err := users.Create(t.Context(), operator,
		session.NewUser{Kind: caller.Cabinet, Login: "eva", Password: password, MerchantIDs: []int64{m.ID, m.ID}})
	if err != nil || !strings.Contains(string(change.After), fmt.Sprintf(`"merchant_ids": [%d]`, m.ID)) {
		t.Fatalf("%s, %v", change.After, err)
	}
	token := must(users.Login(t.Context(), session.Credentials{Login: "eva", Password: password}, home))(t)
	if who, err := users.Bearer(t.Context(), "Bearer "+token.Bearer); err != nil ||
		!slices.Equal(who.MerchantIDs, []int64{m.ID}) {
		t.Errorf("signed in as %+v, %v", who, err)
	}
	_, _, err = users.Create(t.Context(), operator,
		session.NewUser{Kind: caller.Operator, Login: "eva", Password: password})
	if f := fault.As(err); f == nil || !f.Fields.Wrong("login") {
		t.Errorf("a login twice: %v", err)
	}
	if _, _, err := users.Create(
		t.Context(), caller.Caller{Kind: caller.Trader, Role: caller.Owner}, session.NewUser{},
	); fault.As(err) != fault.ErrTokenKindNotAllowed {
		t.Errorf("a trader makes users: %v", err)
	}
}

// In a sandbox anybody signs in as anybody, and is that user. Nobody else can be signed in as.
func TestSignInAs(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := config
	c.Sandbox = true
	service := must(session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), c))(t)
	p := people{DB: d, Service: service}
	trader := p.NewTrader(t, dbtest.TraderOpts{})
	id := p.add(t, caller.Trader, "trader", nil, &trader.ID)
	opened := must(p.SignInAs(t.Context(), "trader", home))(t)
	found := must(p.Find(t.Context(), opened.Cookie))(t)
	if found.Caller.ID != id || found.Caller.TraderID != trader.ID || found.State != session.Whole ||
		found.Address != home.Address {
		t.Errorf("signed in: %+v", found)
	}
	refused(t, errOf(p.SignInAs(t.Context(), "nobody", home)), fault.NotFound, fault.ErrNotFound.Code)

	// Those who were invited and have no password yet cannot sign in, and neither can those switched off.
	d.Exec(t, "update app_user set password_hash = null where id = $1", id)
	refused(t, errOf(p.SignInAs(t.Context(), "trader", home)), fault.NotFound, fault.ErrNotFound.Code)
	off := p.add(t, caller.Trader, "off", nil, &trader.ID)
	d.Exec(t, "update app_user set enabled = false where id = $1", off)
	refused(t, errOf(p.SignInAs(t.Context(), "off", home)), fault.NotFound, fault.ErrNotFound.Code)
}

// In a sandbox, too, a second factor that somebody has set up is asked for.
func TestSignInAsWithFactor(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := config
	c.Sandbox = true
	service := must(session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), c))(t)
	p := people{DB: d, Service: service}
	p.secondFactor(t, p.add(t, caller.Operator, "operator", nil, nil))
	opened := must(p.SignInAs(t.Context(), "operator", home))(t)
	testenv.Want(t, opened.Session.State, session.AwaitsFactor, "the session is")
}

// Outside a sandbox nobody signs in without a password.
func TestSignInAsOutsideSandbox(t *testing.T) {
	p := newPeople(t)
	id := p.add(t, caller.Operator, "operator", nil, nil)
	opened, err := p.SignInAs(t.Context(), "operator", home)
	refused(t, err, fault.NotFound, fault.ErrNotFound.Code)
	sessions := p.Count(t, "select count(*) from session where user_id = $1", id)
	if opened.Cookie != "" || sessions != 0 {
		t.Errorf("a session was made: %d", sessions)
	}
}

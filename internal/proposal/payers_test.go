package proposal_test

import (
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// The only owner of a merchant is invited anew by two, and waits a day then:
// nobody is left to answer for them.
func TestOnlyOwnerIsInvitedByTwo(t *testing.T) {
	s := setupStaff(t)
	merchant := s.NewMerchant(t, dbtest.MerchantOpts{})
	owner := testenv.Must(session.InsertUser(t.Context(), s.Queries(), session.NewUser{
		Kind: caller.MerchantPortal, Login: "anna", MerchantID: &merchant.ID,
	}, "hash", time.Now()))(t)
	p := s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, owner)))
	testenv.Want(t, s.Count(t, "select count(*) from app_user where id = $1 and password_hash is null", owner), 0,
		"owners invited anew by one alone")
	s.approvedUser(t, s.two, p)
	token := s.link(t, s.one, owner)
	s.wrongCode(t, testenv.ErrOf(s.accept(t, token, "22222-22222")))
	opened := testenv.Must(s.accept(t, token, s.codes[owner]))(t)
	dbtest.WantCode(t, opened.Session.Caller.Need(caller.MerchantKeys), "consent_awaited")
	_, _, err := s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.MerchantPortal, Login: "bob", MerchantID: &merchant.ID, Password: "a long enough password",
	})
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Fields["password"] != nil, "a password is proposed: %v", err)
}

// Nobody becomes a payer alone: who signs in as one sees whole requisites, and
// has the links that act as the payer.
func TestPayersByTwo(t *testing.T) {
	s := setupStaff(t)
	n := session.NewUser{Kind: caller.Cabinet, Login: "ivan", MerchantIDs: []int64{s.merchant.ID}, Password: "a long enough password"}
	ownPassword := func(err error) {
		t.Helper()
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Fields["password"] != nil, "an operator set a payer's password: %v", err)
	}
	ownPassword(testenv.ErrOf2(s.users.Create(t.Context(), s.one, n)))
	n.Password = ""
	p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, n)))
	testenv.Want(t, s.Count(t, "select count(*) from app_user where login = 'ivan'"), 0, "payers made by one alone")
	payer := s.enters(t, s.one, s.approvedUser(t, s.two, p))
	ownPassword(testenv.ErrOf(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: payer.ID, Password: new("another long password")})))
	s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, payer.ID)))
	testenv.Must(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: payer.ID, Enabled: new(false), Reason: "left"}))(t)
}

// The first user of a merchant or trader is made by one only while there is
// nothing to take: else whoever makes them has a password and a key, and pays
// out to themselves.
func TestFirstUserOfMoneyByTwo(t *testing.T) {
	s := setupStaff(t)
	create := func(login string, merchant, trader *int64, password string) error {
		kind := caller.MerchantPortal
		if trader != nil {
			kind = caller.Trader
		}
		return testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
			Kind: kind, Login: login, MerchantID: merchant, TraderID: trader, Password: password,
		}))
	}
	poor, rich := s.NewMerchant(t, dbtest.MerchantOpts{}), s.NewMerchant(t, dbtest.MerchantOpts{})
	s.Fund(t, ledger.Available(ledger.Cashbox, rich.CashboxID), "1")
	trader := s.NewTrader(t, dbtest.TraderOpts{USDT: "1"})
	testenv.NoError(t, create("poor", &poor.ID, nil, "a long enough password"))
	dbtest.WantFields(t, create("nobody's", nil, new(int64(999)), ""), "merchantId")
	s.wants(t, foureyes.CreateUser, create("rich trader", nil, &trader.ID, ""))
	f := fault.As(create("rich", &rich.ID, nil, "a long enough password"))
	testenv.Check(t, f != nil && f.Fields["password"] != nil, "an operator set the owner's password: %v", f)
	p := s.wants(t, foureyes.CreateUser, create("rich", &rich.ID, nil, ""))
	testenv.Want(t, s.Count(t, "select count(*) from app_user where login like 'rich%'"), 0, "users made by one alone")
	owner := s.enters(t, s.one, s.approvedUser(t, s.two, p))
	testenv.Want(t, owner.Role, caller.Owner, "the role of who came in")
}

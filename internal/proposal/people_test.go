package proposal_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// staffed is a bundle whose operators are set up by two, with a third who knows neither of the others.
type staffed struct {
	*bundle
	users     *session.Service
	acquirers *acquirer.Directory
	settings  *directory.Settings
	rates     *rate.Settings
	three     caller.Caller
}

func setupStaff(t *testing.T) *staffed {
	t.Helper()
	b := setup(t)
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10), RatePercent: decimal.NewFromInt(5)}
	limits := limit.New(b.Pool)
	s := &staffed{bundle: b, three: b.operator(t, "three", caller.Admin)}
	s.users = testenv.Must(session.New(b.Pools(), dbtest.Vault(), limits, session.Config{
		FourEyes: rules, PortalURL: "https://portal.example.com", CookieKeys: [][]byte{make([]byte, session.CookieKeySize)},
	}))(t)
	s.acquirers = acquirer.NewDirectory(b.Pool, b.clock, dbtest.Vault(), outbound.NewAddresses(true), nil, acquirer.Config{FourEyes: rules})
	s.settings = directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{FourEyes: rules})
	s.rates = rate.NewSettings(b.Pool, b.clock, outbound.NewAddresses(true), rules)
	b.proposals = proposal.New(b.Pools(), b.clock, dbtest.Vault(), proposal.Rooms{
		Settings: s.settings, Rates: s.rates, Deposits: b.deposits, Users: s.users, Acquirers: s.acquirers,
	})
	b.one.Role = caller.Admin
	b.Exec(t, "update app_user set role = 'admin' where id = $1", b.one.ID)
	return s
}

// wants makes a proposal of what a room refused to one operator.
func (s *staffed) wants(t *testing.T, a proposal.Action, err error) proposal.Proposal {
	t.Helper()
	p := testenv.Must(s.proposals.Propose(t.Context(), s.one, err))(t)
	testenv.Want(t, p.Action, a, "the action proposed")
	return p
}

func (s *staffed) approve(t *testing.T, who caller.Caller, p proposal.Proposal) (proposal.Done, error) {
	t.Helper()
	_, done, err := s.proposals.Approve(t.Context(), who, p.ID)
	return done, err
}

// Operators are made, raised, switched on and invited anew by two. The new one decides nothing in their first day, and
// never what the one who proposed them proposes.
func TestOperatorsAreSetUpByTwo(t *testing.T) {
	s := setupStaff(t)
	create := func() error {
		_, _, err := s.users.Create(t.Context(), s.one, session.NewUser{
			Kind: caller.Operator, Role: caller.Treasury, Login: "puppet",
		})
		return err
	}
	p := s.wants(t, foureyes.CreateUser, create())
	testenv.Want(t, s.Count(t, "select count(*) from app_user where login = 'puppet'"), 0,
		"operators made by one alone")
	done := testenv.Must(s.approve(t, s.two, p))(t)
	testenv.Need(t, strings.Contains(done.Link, "/invitation/"), "no invitation: %+v", done)
	opened := testenv.Must(s.users.AcceptInvitation(t.Context(), done.Link[strings.LastIndex(done.Link, "/")+1:],
		"a long enough password", session.Origin{}))(t)
	puppet := caller.Caller{Kind: caller.Operator, Role: caller.Treasury, ID: opened.Session.Caller.ID, Login: "puppet"}
	// Sessions go by the wall clock, which is not the test's.
	s.Exec(t, "update app_user set set_up_at = $1 where id = $2 and set_up_at is not null", s.clock.Now(), puppet.ID)
	funding := s.propose(t, proposal.FundTrader, s.funding("5", "in"))
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, puppet, funding)), "proposal_decider")
	s.clock.Advance(25 * time.Hour)
	funding = s.propose(t, proposal.FundTrader, s.funding("5", "in"))
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, puppet, funding)), "proposal_decider") // the first proposed them
	of := testenv.Must(s.proposals.Do(t.Context(), s.three, proposal.FundTrader, s.funding("5", "in"), ""))(t)
	testenv.Must(s.approve(t, puppet, *of.Proposal))(t) // of another one they decide, after a day
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.InviteUser, func() error {
		_, _, err := s.users.Invite(t.Context(), s.one, s.three.ID)
		return err
	}())))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.three, funding)), "proposal_decider") // somebody else may hold their login now
	for name, update := range map[string]session.UserUpdate{
		"raised": {Role: new(caller.Admin)}, "switched on": {Enabled: new(true)},
	} {
		update.ID = puppet.ID
		_, err := s.users.Update(t.Context(), s.one, update)
		testenv.Want(t, s.wants(t, foureyes.UpdateUser, err).SubjectKey, strconv.FormatInt(puppet.ID, 10), "%s", name)
	}
	_, err := s.users.Update(t.Context(), s.one, session.UserUpdate{ID: puppet.ID, Password: new("a long enough password")})
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Fields["password"] != nil, "an operator's password was set by another: %v", err)
	// To take away takes one.
	testenv.Must(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: puppet.ID, Enabled: new(false), Reason: "left"}))(t)
}

// While there are not two who could decide, one makes another alone; the two of them decide nothing for each other.
func TestFirstOperatorMakesNoSecond(t *testing.T) {
	s := setupStaff(t)
	s.Exec(t, "update app_user set enabled = false where id = any($1)", []int64{s.two.ID, s.three.ID})
	change, _ := testenv.Must2(s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.Operator, Role: caller.Admin, Login: "puppet",
	}))(t)
	s.Exec(t, "update app_user set password_hash = 'hash' where login = 'puppet'")
	s.clock.Advance(25 * time.Hour)
	id := testenv.Must(strconv.ParseInt(change.SubjectKey, 10, 64))(t)
	puppet := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: id, Login: "puppet"}
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, puppet, s.propose(t, proposal.FundTrader, s.funding("5", "in")))), "proposal_decider")
	of := testenv.Must(s.proposals.Do(t.Context(), puppet, proposal.FundTrader, s.funding("6", "other"), ""))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.one, *of.Proposal)), "proposal_decider")
	s.has(t, s.account(), "100")
	for _, who := range []caller.Caller{s.one, puppet} {
		others := testenv.Must(s.proposals.Others(t.Context(), who))(t)
		testenv.Want(t, others, int64(0), "operators who decide what %s proposes", who.Login)
	}
	s.twoDecide(t, false)
	s.Exec(t, "update app_user set enabled = true where id = $1", s.two.ID)
	s.twoDecide(t, true)
}

func (s *staffed) twoDecide(t *testing.T, want bool) {
	t.Helper()
	they := testenv.Must(s.proposals.TwoDecide(t.Context()))(t)
	testenv.Want(t, they, want, "two decide")
}

// Where cards and payers' money go, and what somebody earns, takes two. What is secret of it is not kept in the clear,
// and not at all once it is decided.
func TestDirectoryByTwo(t *testing.T) {
	s := setupStaff(t)
	setting := acquirer.Setting{
		TraderID: s.trader.ID, URL: "https://acquirer.example.com/v1", KeyID: "key", Secret: "a secret of a processor",
	}
	_, _, err := s.acquirers.Set(t.Context(), s.one, setting)
	p := s.wants(t, foureyes.SetAcquirer, err)
	again := s.wants(t, foureyes.SetAcquirer, err)
	testenv.Want(t, again.ID, p.ID, "the same proposal")
	other := setting
	other.Secret = "another secret of it"
	_, _, err = s.acquirers.Set(t.Context(), s.one, other)
	testenv.Check(t, s.wants(t, foureyes.SetAcquirer, err).ID != p.ID, "another secret is the same proposal")
	testenv.Want(t,
		s.Count(t, "select count(*) from proposal where payload::text like '%secret of%' or secrets is null"),
		0, "proposals with the secret in the clear, or without it")
	testenv.Must(s.approve(t, s.two, p))(t)
	testenv.Want(t, s.Count(t, "select count(*) from trader_acquirer where url = $1", setting.URL), 1, "processors set")
	testenv.Want(t, s.Count(t, "select count(*) from proposal where decision is not null and secrets is not null"), 0,
		"secrets of decided proposals")
	_, found, err := s.acquirers.For(t.Context(), s.trader.ID)
	testenv.Check(t, err == nil && found != 0, "the processor cannot be used: %v", err)

	// Four points of a share may go alone, but not twice in a day.
	share := func(percent string) error {
		return testenv.ErrOf(s.settings.UpdateTrader(t.Context(), s.one, directory.TraderUpdate{ID: s.trader.ID, SharePercent: &percent}))
	}
	s.Exec(t, "update trader set share_percent = 50 where id = $1", s.trader.ID)
	testenv.NoError(t, share("54"))
	s.wants(t, foureyes.UpdateTrader, share("58"))
	s.wants(t, foureyes.UpdateTrader, share("100"))

	// A method that is new to a cashbox is judged by the markup there is without it: the merchant's, or the platform's.
	s.settings.Markup = decimal.NewFromInt(3)
	margin := func(method, percent string) error {
		return testenv.ErrOf(s.settings.SetMethod(t.Context(), s.one, directory.CashboxMethod{
			CashboxID: s.merchant.CashboxID, Name: method, Enabled: true, MarginPercent: percent, ValiditySeconds: 900,
		}))
	}
	s.Exec(t, "delete from cashbox_method")
	s.wants(t, foureyes.SetCashboxMethod, margin("sbp", "8.01"))
	testenv.NoError(t, margin("sbp", "8"))
	testenv.NoError(t, margin("sim", ""))
	s.Exec(t, "update merchant set rate_percent = 10 where id = $1", s.merchant.ID)
	p = s.wants(t, foureyes.SetCashboxMethod, margin("card", "0"))
	testenv.Must(s.approve(t, s.two, p))(t)
	margins := s.Text(t, `select string_agg(method || ' ' || coalesce(margin_percent::text, 'none'), ', ' order by method)
		from cashbox_method`)
	testenv.Want(t, margins, "card 0.0000, sbp 8.0000, sim none", "margins")

	feed := rate.Feed{
		Currency: "RUB", Enabled: true, Priority: 1, URL: "http://127.0.0.1:1/rate", Pointer: "/rate", PollSeconds: 60,
		TimeoutMS: 1000, BandPercent: "1", DayBandPercent: "1", FreshSeconds: 60,
	}
	_, err = s.rates.SetFeed(t.Context(), s.one, feed)
	_, err = s.approve(t, s.two, s.wants(t, foureyes.SetRateFeed, err))
	testenv.NoError(t, err)
	feed.ID = int64(s.Count(t, "select max(id) from rate_feed"))
	for name, change := range map[string]func(*rate.Feed){
		"elsewhere": func(f *rate.Feed) { f.URL += "2" }, "another pointer": func(f *rate.Feed) { f.Pointer = "/other" },
		"wider": func(f *rate.Feed) { f.BandPercent = "2" }, "wider by day": func(f *rate.Feed) { f.DayBandPercent = "2" },
		"longer": func(f *rate.Feed) { f.FreshSeconds = 61 },
	} {
		changed := feed
		change(&changed)
		_, err := s.rates.SetFeed(t.Context(), s.one, changed)
		p, err := s.proposals.Propose(t.Context(), s.one, err)
		testenv.Check(t, err == nil && p.Action == foureyes.SetRateFeed, "%s: %v", name, err)
	}
	stricter := feed
	stricter.BandPercent, stricter.Enabled = "0.5", false
	testenv.Must(s.rates.SetFeed(t.Context(), s.one, stricter))(t)
}

// The only owner of a merchant is invited anew by two, and waits a day then: nobody is left to answer for them.
func TestOnlyOwnerIsInvitedByTwo(t *testing.T) {
	s := setupStaff(t)
	merchant := s.NewMerchant(t, dbtest.MerchantOpts{})
	owner := testenv.Must(session.InsertUser(t.Context(), s.Queries(), session.NewUser{
		Kind: caller.MerchantPortal, Login: "anna", MerchantID: &merchant.ID,
	}, "hash", time.Now()))(t)
	_, _, err := s.users.Invite(t.Context(), s.one, owner)
	p := s.wants(t, foureyes.InviteUser, err)
	testenv.Want(t, s.Count(t, "select count(*) from app_user where id = $1 and password_hash is null", owner), 0,
		"owners invited anew by one alone")
	done := testenv.Must(s.approve(t, s.two, p))(t)
	opened := testenv.Must(s.users.AcceptInvitation(t.Context(), done.Link[strings.LastIndex(done.Link, "/")+1:],
		"a long enough password", session.Origin{}))(t)
	dbtest.WantCode(t, opened.Session.Caller.Need(caller.MerchantKeys), "consent_awaited")
}

package proposal_test

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
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
	b.proposals = proposal.New(b.Pools(), b.clock, dbtest.Vault(), proposal.Services{
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
	n := session.NewUser{Kind: caller.Operator, Role: caller.Treasury, Login: "puppet"}
	p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, n)))
	testenv.Want(t, s.Count(t, "select count(*) from app_user where login = 'puppet'"), 0,
		"operators made by one alone")
	puppet := s.enters(t, s.one, s.approvedUser(t, s.two, p))
	funding := s.propose(t, proposal.FundTrader, s.funding("5", "in"))
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, puppet, funding)), "proposal_decider")
	of := testenv.Must(s.proposals.Do(t.Context(), s.three, proposal.FundTrader, s.funding("5", "in"), ""))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, puppet, *of.Proposal)), "proposal_decider") // on their first day
	s.others(t, 2, s.three)
	s.clock.Advance(25 * time.Hour)
	funding = s.propose(t, proposal.FundTrader, s.funding("5", "in"))
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, puppet, funding)), "proposal_decider") // the first proposed them
	of = testenv.Must(s.proposals.Do(t.Context(), s.three, proposal.FundTrader, s.funding("5", "in"), ""))(t)
	testenv.Must(s.approve(t, puppet, *of.Proposal))(t) // of another one they decide, after a day
	of = testenv.Must(s.proposals.Do(t.Context(), puppet, proposal.FundTrader, s.funding("6", "theirs"), ""))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.one, *of.Proposal)), "proposal_decider") // nor the first what they propose
	s.others(t, 2, puppet, s.one)
	s.others(t, 3, s.two)
	testenv.Must(s.approve(t, s.two, *of.Proposal))(t)
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, s.three.ID)))))(t)
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
	// Raised by others, they stay with whoever has had the link to sign in as them.
	_, err = s.users.Update(t.Context(), s.two, session.UserUpdate{ID: puppet.ID, Role: new(caller.Admin)})
	raised := testenv.Must(s.proposals.Propose(t.Context(), s.two, err))(t)
	testenv.Must(s.approve(t, s.one, raised))(t)
	testenv.Want(t, int64(s.Count(t, "select set_up_by from app_user where id = $1", puppet.ID)), s.one.ID, "who set the raised one up")
	// To take away takes one.
	testenv.Must(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: puppet.ID, Enabled: new(false), Reason: "left"}))(t)
}

// However few could decide, one makes, invites and switches on nobody alone: else one could switch the others off first.
// Who was set up alone before that was so decides nothing with whoever did it, nor with another such one. The command
// makes one who decides at once.
func TestFirstOperatorMakesNoSecond(t *testing.T) {
	s := setupStaff(t)
	for _, id := range []int64{s.two.ID, s.three.ID} {
		testenv.Must(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: id, Enabled: new(false), Reason: "left"}))(t)
	}
	testenv.Want(t, s.Count(t, "select count(*) from notify_event where kind = 'access_changed'"), 2, "who are told that they were switched off")
	s.twoDecide(t, false)
	s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.Operator, Role: caller.Admin, Login: "puppet",
	})))
	s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, s.two.ID)))
	s.wants(t, foureyes.UpdateUser, testenv.ErrOf(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: s.two.ID, Enabled: new(true)})))
	merchant := s.NewMerchant(t, dbtest.MerchantOpts{})
	owner := testenv.Must(session.InsertUser(t.Context(), s.Queries(), session.NewUser{
		Kind: caller.MerchantPortal, Login: "anna", MerchantID: &merchant.ID,
	}, "hash", time.Now()))(t)
	s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, owner)))

	x, y := s.operator(t, "x", caller.Admin), s.operator(t, "y", caller.Admin)
	s.Exec(t, "update app_user set set_up_at = $1, set_up_by = $2, set_up_alone = true where id = any($3)",
		s.clock.Now(), s.one.ID, []int64{x.ID, y.ID})
	s.clock.Advance(25 * time.Hour)
	for i, pair := range [][2]caller.Caller{{s.one, x}, {x, s.one}, {x, y}, {y, x}} {
		of := testenv.Must(s.proposals.Do(t.Context(), pair[0], proposal.FundTrader, s.funding("5", strconv.Itoa(i)), ""))(t)
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, pair[1], *of.Proposal)), "proposal_decider")
	}
	s.has(t, s.account(), "100")
	s.others(t, 0, s.one, x, y)
	s.twoDecide(t, false)

	testenv.NoError(t, session.CreateOperator(t.Context(), s.Pool, "by-command", "a long enough password"))
	s.twoDecide(t, true)
	by := caller.Caller{
		Kind: caller.Operator, Role: caller.Admin, ID: int64(s.Count(t, "select id from app_user where login = 'by-command'")),
	}
	testenv.Must(s.approve(t, by, s.propose(t, proposal.FundTrader, s.funding("5", "in"))))(t)
}

// The link of an approved invitation is for whoever proposed it, until it is used: an approver who had it could be both.
func TestInvitationIsForItsProposer(t *testing.T) {
	s := setupStaff(t)
	p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.Operator, Role: caller.Treasury, Login: "dave",
	})))
	dave := s.approvedUser(t, s.two, p)
	takesTwo := func(who caller.Caller) {
		t.Helper()
		_, link, err := s.users.Invite(t.Context(), who, dave)
		testenv.Check(t, link == "" && errors.Is(err, foureyes.ErrSecondOperator), "%s got %q: %v", who.Login, link, err)
	}
	takesTwo(s.two)
	takesTwo(s.three)
	testenv.Want(t, *testenv.Must(s.proposals.Get(t.Context(), s.one, p.ID))(t).Invited, dave, "whom the approval invited")
	first := s.link(t, s.one, dave)
	second := s.link(t, s.one, dave)
	dbtest.WantCode(t, testenv.ErrOf(s.users.Invited(t.Context(), first)), "invitation_invalid")
	testenv.Want(t, s.Count(t, `select count(*) from setting_change
		where strpos(concat(before, after), $1) > 0 or strpos(concat(before, after), $2) > 0`, first, second), 0, "links in the log of settings")
	s.Exec(t, "update invitation set expires_at = now() where user_id = $1", dave)
	takesTwo(s.one)
	s.Exec(t, "update invitation set expires_at = now() + interval '1 hour' where user_id = $1", dave)

	// Another invitation is for another proposer.
	_, _, err := s.users.Invite(t.Context(), s.three, dave)
	anew := testenv.Must(s.proposals.Propose(t.Context(), s.three, err))(t)
	s.approvedUser(t, s.one, anew)
	takesTwo(s.one)
	s.enters(t, s.three, dave)
	takesTwo(s.three)
	for _, id := range []int64{p.ID, anew.ID} {
		testenv.Check(t, testenv.Must(s.proposals.Get(t.Context(), s.one, id))(t).Invited == nil, "proposal %d still invites", id)
	}
}

// With four eyes off whoever is set up counts as one whom the command made, and decides at once when they are on again.
func TestSetUpWithoutFourEyes(t *testing.T) {
	s := setupStaff(t)
	s.users.FourEyes.On = false
	var made []caller.Caller
	for _, login := range []string{"x", "y"} {
		_, link := testenv.Must2(s.users.Create(t.Context(), s.one, session.NewUser{Kind: caller.Operator, Role: caller.Admin, Login: login}))(t)
		made = append(made, s.accepts(t, link))
	}
	s.users.FourEyes.On = true
	for i, pair := range [][2]caller.Caller{{made[0], made[1]}, {s.one, made[0]}, {made[1], s.one}} {
		of := testenv.Must(s.proposals.Do(t.Context(), pair[0], proposal.FundTrader, s.funding("5", strconv.Itoa(i)), ""))(t)
		testenv.Must(s.approve(t, pair[1], *of.Proposal))(t)
	}
}

// approvedUser has somebody approve the proposal of a user, and returns the user's id.
func (s *staffed) approvedUser(t *testing.T, who caller.Caller, p proposal.Proposal) int64 {
	t.Helper()
	done := testenv.Must(s.approve(t, who, p))(t)
	return testenv.Must(strconv.ParseInt(done.Change.SubjectKey, 10, 64))(t)
}

// link has the one who proposed an invitation get the token of its link.
func (s *staffed) link(t *testing.T, who caller.Caller, id int64) string {
	t.Helper()
	_, link := testenv.Must2(s.users.Invite(t.Context(), who, id))(t)
	_, token, found := strings.Cut(link, "/invitation/")
	testenv.Need(t, found, "no link: %q", link)
	return token
}

// enters has an invited user sign in, by the link that the one who proposed them got.
func (s *staffed) enters(t *testing.T, who caller.Caller, id int64) caller.Caller {
	t.Helper()
	return s.accepts(t, s.link(t, who, id))
}

func (s *staffed) accepts(t *testing.T, link string) caller.Caller {
	t.Helper()
	opened := testenv.Must(s.users.AcceptInvitation(t.Context(), link[strings.LastIndex(link, "/")+1:],
		"a long enough password", session.Origin{}))(t)
	in := opened.Session.Caller
	// Sessions go by the wall clock, which is not the test's.
	s.Exec(t, "update app_user set set_up_at = $1 where id = $2 and set_up_at is not null", s.clock.Now(), in.ID)
	return caller.Caller{Kind: in.Kind, Role: in.Role, ID: in.ID, Login: in.Login}
}

// others wants so many operators to decide what each proposes.
func (s *staffed) others(t *testing.T, n int64, proposers ...caller.Caller) {
	t.Helper()
	for _, who := range proposers {
		testenv.Want(t, testenv.Must(s.proposals.Others(t.Context(), who))(t), n, "operators who decide what %s proposes", who.Login)
	}
}

func (s *staffed) twoDecide(t *testing.T, want bool) {
	t.Helper()
	they := testenv.Must(s.proposals.TwoDecide(t.Context()))(t)
	testenv.Want(t, they, want, "two decide")
}

// Where cards and payers' money go takes two. What is secret of it is not kept in the clear,
// and not at all once it is decided.
func TestDirectoryByTwo(t *testing.T) {
	s := setupStaff(t)
	setting := acquirer.Setting{TraderID: s.trader.ID, URL: "https://acquirer.example.com/v1", KeyID: "key"}
	set := func(secret string) proposal.Proposal {
		setting.Secret = secret
		return s.wants(t, foureyes.SetAcquirer, testenv.ErrOf2(s.acquirers.Set(t.Context(), s.one, setting)))
	}
	p := set("a secret of a processor")
	testenv.Want(t, set("a secret of a processor").ID, p.ID, "the same proposal")
	testenv.Check(t, set("another secret of it").ID != p.ID, "another secret is the same proposal")
	testenv.Want(t,
		s.Count(t, "select count(*) from proposal where payload::text like '%secret of%' or secrets is null"),
		0, "proposals with the secret in the clear, or without it")
	testenv.Must(s.approve(t, s.two, p))(t)
	testenv.Want(t, s.Count(t, "select count(*) from trader_acquirer where url = $1", setting.URL), 1, "processors set")
	testenv.Want(t, s.Count(t, "select count(*) from proposal where decision is not null and secrets is not null"), 0,
		"secrets of decided proposals")
	_, found, err := s.acquirers.For(t.Context(), s.trader.ID)
	testenv.Check(t, err == nil && found != 0, "the processor cannot be used: %v", err)
}

// What somebody earns, and which rates are believed, takes two. Four points of a share may go alone, but not twice in a day.
func TestTermsByTwo(t *testing.T) {
	s := setupStaff(t)
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
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetCashboxMethod, margin("card", "0"))))(t)
	margins := s.Text(t, `select string_agg(method || ' ' || coalesce(margin_percent::text, 'none'), ', ' order by method)
		from cashbox_method`)
	testenv.Want(t, margins, "card 0.0000, sbp 8.0000, sim none", "margins")

	feed := rate.Feed{
		Currency: "RUB", Enabled: true, Priority: 1, URL: "http://127.0.0.1:1/rate", Pointer: "/rate", PollSeconds: 60,
		TimeoutMS: 1000, BandPercent: "1", DayBandPercent: "1", FreshSeconds: 60,
	}
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetRateFeed, testenv.ErrOf(s.rates.SetFeed(t.Context(), s.one, feed)))))(t)
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

// Who may choose what differs when money comes, and who bears it, chooses what others pay: each change takes two, and so does a
// method that is new to a cashbox with anything but the defaults. An approval sets what was proposed, which one may keep then.
func TestToleranceByTwo(t *testing.T) {
	s := setupStaff(t)
	s.Exec(t, "delete from cashbox_method")
	set := func(policy, percent, amount, to, least string) error {
		return testenv.ErrOf(s.settings.SetMethod(t.Context(), s.one, directory.CashboxMethod{
			CashboxID: s.merchant.CashboxID, Name: "sbp", Enabled: true, ValiditySeconds: 900, MinAmount: least,
			AmountPolicy: &policy, TolerancePercent: &percent, ToleranceAmount: &amount, DifferenceTo: &to,
		}))
	}
	each := func() {
		t.Helper()
		s.wants(t, foureyes.SetCashboxMethod, set("received", "", "", "trader", ""))
		s.wants(t, foureyes.SetCashboxMethod, set("exact", "0.0001", "", "trader", ""))
		s.wants(t, foureyes.SetCashboxMethod, set("exact", "", "0.01", "trader", ""))
		s.wants(t, foureyes.SetCashboxMethod, set("exact", "", "", "platform", ""))
	}
	each()
	testenv.NoError(t, set("exact", "", "", "trader", ""))
	each()
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2", "9", "platform", ""))))(t)
	testenv.NoError(t, set("tolerance", "2.00", "9.0", "platform", "100"))
	testenv.Want(t, s.Text(t, "select concat_ws(' ', amount_policy, tolerance_percent, tolerance_amount, difference_to, min_amount) from cashbox_method"),
		"tolerance 2.0000 9.00 platform 100.00", "the method")
	s.clock.Advance(25 * time.Hour)
	s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2.0001", "9", "platform", "100"))
	s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2", "9.01", "platform", "100"))
	s.wants(t, foureyes.SetCashboxMethod, set("tolerance", "2", "", "platform", "100"))
}

// What a payout costs takes two as other markups do, a new one where it is far from none; and so does to let a trader pay out,
// who gets merchants' money by saying that they have sent theirs. To stop them takes one.
func TestPayoutsByTwo(t *testing.T) {
	s := setupStaff(t)
	markup := func(method, percent string) error {
		return testenv.ErrOf(s.settings.SetPayoutMethod(t.Context(), s.one, directory.CashboxPayoutMethod{
			CashboxID: s.merchant.CashboxID, Name: method, Enabled: true, MarkupPercent: percent,
		}))
	}
	s.wants(t, foureyes.SetPayoutMethod, markup("sbp", "5.0001"))
	testenv.NoError(t, markup("sbp", "5"))
	s.wants(t, foureyes.SetPayoutMethod, markup("sbp", "100"))
	testenv.NoError(t, markup("sbp", "3"))
	testenv.NoError(t, markup("sbp", "8"))
	s.wants(t, foureyes.SetPayoutMethod, markup("sbp", "10.5")) // within five points of now, and not of a day ago
	testenv.Must(s.approve(t, s.two, s.wants(t, foureyes.SetPayoutMethod, markup("c2c", "60"))))(t)
	testenv.Want(t, s.Text(t, "select string_agg(method || ' ' || markup_percent, ', ' order by method) from cashbox_payout_method"),
		"c2c 60.0000, sbp 8.0000", "markups")

	pays := func(enabled bool) error {
		return testenv.ErrOf(s.settings.SetTraderPayoutMethod(t.Context(), s.one, directory.TraderPayoutMethod{
			TraderID: s.trader.ID, Currency: "RUB", Method: "sbp", Enabled: enabled,
		}))
	}
	on := func() int { return s.Count(t, "select count(*) from trader_payout_method where enabled") }
	p := s.wants(t, foureyes.SetTraderPayoutMethod, pays(true))
	testenv.Want(t, on(), 0, "methods that one let them pay out by")
	testenv.Must(s.approve(t, s.two, p))(t)
	testenv.NoError(t, pays(true)) // changes nothing
	testenv.Want(t, on(), 1, "methods that two let them pay out by")
	testenv.NoError(t, pays(false))
	s.wants(t, foureyes.SetTraderPayoutMethod, pays(true))
}

// The only owner of a merchant is invited anew by two, and waits a day then: nobody is left to answer for them.
func TestOnlyOwnerIsInvitedByTwo(t *testing.T) {
	s := setupStaff(t)
	merchant := s.NewMerchant(t, dbtest.MerchantOpts{})
	owner := testenv.Must(session.InsertUser(t.Context(), s.Queries(), session.NewUser{
		Kind: caller.MerchantPortal, Login: "anna", MerchantID: &merchant.ID,
	}, "hash", time.Now()))(t)
	p := s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, owner)))
	testenv.Want(t, s.Count(t, "select count(*) from app_user where id = $1 and password_hash is null", owner), 0,
		"owners invited anew by one alone")
	opened := testenv.Must(s.users.AcceptInvitation(t.Context(), s.link(t, s.one, s.approvedUser(t, s.two, p)),
		"a long enough password", session.Origin{}))(t)
	dbtest.WantCode(t, opened.Session.Caller.Need(caller.MerchantKeys), "consent_awaited")
	_, _, err := s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.MerchantPortal, Login: "bob", MerchantID: &merchant.ID, Password: "a long enough password",
	})
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Fields["password"] != nil, "a password is proposed: %v", err)
}

// cases are what support decides: appeals and payouts of a cashbox, and deposits of another one.
type cases struct {
	*bundle
	payments  *payment.Service
	payouts   *payout.Service
	shop      dbtest.Merchant
	deposited int
}

func setupCases(t *testing.T) *cases {
	t.Helper()
	c := &cases{bundle: setup(t)}
	c.SetRate(t, "RUB", "100", true)
	settings := testenv.Must(inforce.NewKeeper(t.Context(), c.Pool, 0, nil))(t)
	addresses := outbound.NewAddresses(false)
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10)}
	c.payouts = payout.New(c.Pools(), c.clock, dbtest.Vault(), addresses, rules)
	c.payments = testenv.Must(payment.New(c.Pools(), c.clock, addresses, settings,
		payment.Config{Requisites: dbtest.Requisites(), ExternalSecret: true, FourEyes: rules, Payouts: c.payouts}))(t)
	c.proposals = proposal.New(c.Pools(), c.clock, dbtest.Vault(), proposal.Services{
		Deposits: c.deposits, Payments: c.payments, Payouts: c.payouts,
	})
	c.one.Role = caller.Admin
	c.Exec(t, "update app_user set role = 'admin' where id = $1", c.one.ID)
	c.shop = c.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopePayments, caller.ScopePayouts}})
	c.Fund(t, ledger.Available(ledger.Cashbox, c.shop.CashboxID), "100")
	c.trader = c.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	c.PaysOut(t, c.shop.CashboxID, "0", "sbp")
	c.PaysBy(t, c.trader.ID, "sbp")
	return c
}

// confirm has the first operator confirm a deposit of 6 USDT into the other cashbox, and tells whether they
// did so alone.
func (c *cases) confirm(t *testing.T) (alone bool) {
	t.Helper()
	c.deposited++
	made := testenv.Must(c.deposits.Create(t.Context(), c.merchant.Caller, deposit.Request{
		Amount: "6", Network: "TRC20", Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		IdempotencyKey: "0193d2f0-0000-7000-8000-00000000000" + string(rune('0'+c.deposited)),
	}))(t)
	done := testenv.Must(c.proposals.Do(t.Context(), c.one, proposal.ConfirmDeposit,
		proposal.Payload{DepositID: made.Deposit.ID}, ""))(t)
	return done.Proposal == nil
}

func (c *cases) asked(t *testing.T, orderID, amount string) payment.Payment {
	t.Helper()
	return testenv.Must(c.payments.Create(t.Context(), c.shop.Caller, payment.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: new("sbp"),
	}))(t).Payment
}

// appealed is an appeal in review about a failed payment.
func (c *cases) appealed(t *testing.T, orderID, amount string) int64 {
	t.Helper()
	made := c.asked(t, orderID, amount)
	testenv.Must2(c.payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, made.ID,
		payment.Update{Status: "failed"}))(t)
	reason, name, content := "The bank shows the transfer.", "receipt.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00", 92)
	opened := testenv.Must(c.payments.OpenAppeal(t.Context(), c.shop.Caller, made.ID, payment.AppealRequest{
		Reason: &reason, FileName: &name, File: io.NewSectionReader(strings.NewReader(content), 0, 100),
	}))(t)
	testenv.Must(c.payments.ReviewAppeal(t.Context(), c.one, opened.ID))(t)
	return opened.ID
}

// taken is a payout that the trader has taken.
func (c *cases) taken(t *testing.T, orderID, amount string) string {
	t.Helper()
	made := testenv.Must(c.payouts.Create(t.Context(), c.shop.Caller, payout.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: "+79001234567", Recipient: "Ivan Petrov",
	}))(t)
	testenv.Must(c.payouts.Take(t.Context(), c.trader.Caller, made.Payout.UUID.String()))(t)
	return made.Payout.UUID.String()
}

// What support decides moves money too: it is done once, by two, above what one operator moves alone, and that is added up
// with the deposits that they confirm.
func TestCasesByTwo(t *testing.T) {
	word := "Seen at the bank"
	for _, test := range []struct {
		action foureyes.Action
		// open makes a case about an amount in RUB, and returns what decides it in the cashbox's favour.
		open func(t *testing.T, c *cases, orderID, amount string) func(who caller.Caller) error
	}{
		{foureyes.ResolveAppeal, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			id := c.appealed(t, orderID, amount)
			return func(who caller.Caller) error {
				return testenv.ErrOf(c.payments.ResolveAppeal(t.Context(), who, id, payment.Resolution{Outcome: "completed", Reason: &word}))
			}
		}},
		{foureyes.AttachArrival, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			made := c.asked(t, orderID, amount)
			kept := testenv.Must(c.payments.KeepMoney(t.Context(), c.trader.Caller, *made.RequisiteID, payment.Came{Amount: &amount}))(t)
			return func(who caller.Caller) error {
				return testenv.ErrOf(c.payments.Attach(t.Context(), who, kept.ID, made.ID))
			}
		}},
		{foureyes.ResolvePayout, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			id := c.taken(t, orderID, amount)
			return func(who caller.Caller) error {
				return testenv.ErrOf(c.payouts.Resolve(t.Context(), who, id, payout.Resolution{Outcome: "failed", Reason: &word}))
			}
		}},
		{foureyes.ReversePayout, func(t *testing.T, c *cases, orderID, amount string) func(caller.Caller) error {
			t.Helper()
			id := c.taken(t, orderID, amount)
			testenv.Must(c.payouts.Complete(t.Context(), c.trader.Caller, id, &word))(t)
			return func(who caller.Caller) error { return testenv.ErrOf(c.payouts.Reverse(t.Context(), who, id, &word)) }
		}},
	} {
		t.Run(string(test.action), func(t *testing.T) {
			c := setupCases(t)
			account := ledger.Available(ledger.Cashbox, c.shop.CashboxID)
			small, second := test.open(t, c, "small", "600"), test.open(t, c, "second", "700")
			large := test.open(t, c, "large", "1001")
			before := c.Balance(t, account)
			has := func(gained string) {
				t.Helper()
				c.has(t, account, before.Add(decimal.RequireFromString(gained)).String())
			}
			testenv.NoError(t, small(c.one))
			has("6")
			testenv.Want(t, c.confirm(t), false, "the first operator confirms 6 USDT alone, having moved 6 of 10")
			for _, step := range []struct {
				decide func(caller.Caller) error
				before string
				after  string
			}{{second, "6", "13"}, {large, "13", "23.01"}} {
				p := testenv.Must(c.proposals.Propose(t.Context(), c.one, step.decide(c.one)))(t)
				testenv.Want(t, p.Action, test.action, "the action proposed")
				has(step.before)
				dbtest.WantCode(t, c.approved(t, c.one, p.ID), "proposal_own")
				has(step.before)
				testenv.NoError(t, c.approved(t, c.two, p.ID))
				has(step.after)
				dbtest.WantCode(t, c.approved(t, c.two, p.ID), "proposal_decided")
				has(step.after)
			}
		})
	}
}

// Deposits that an operator confirmed alone count against what they decide.
func TestCasesAfterDeposits(t *testing.T) {
	c := setupCases(t)
	id := c.appealed(t, "order", "600")
	testenv.Want(t, c.confirm(t), true, "the first operator confirms 6 USDT of 10 alone")
	_, err := c.payments.ResolveAppeal(t.Context(), c.one, id, payment.Resolution{Outcome: "completed"})
	p := testenv.Must(c.proposals.Propose(t.Context(), c.one, err))(t)
	testenv.Want(t, p.Action, foureyes.ResolveAppeal, "the action proposed")
}

// To whom another amount goes back is sealed while a second operator is asked, who sees its end, and is as it was typed when they approve.
func TestReturnByTwo(t *testing.T) {
	c := setupCases(t)
	made := c.asked(t, "order", "2000")
	testenv.Must(c.payments.ConfirmReceived(t.Context(), c.trader.Caller, made.ID, new("1500")))(t)
	to := &payout.Recipient{Method: "c2c", Address: "4111111111111111", Recipient: "Ivan Petrov"}
	_, err := c.payments.DecideCase(t.Context(), c.one, payment.CaseDecision{PaymentID: made.ID, Decision: "return", To: to})
	p := testenv.Must(c.proposals.Propose(t.Context(), c.one, err))(t)
	testenv.Want(t, to.Address, "4111111111111111", "what the caller has")
	payload := c.Text(t, "select payload::text from proposal where id = $1", p.ID)
	testenv.Check(t, !strings.Contains(payload, "41111111") && strings.Contains(payload, "•••• 1111"), "stored: %s", payload)
	testenv.NoError(t, c.approved(t, c.two, p.ID))
	id := c.Text(t, "select uuid::text from payin")
	testenv.Want(t, testenv.Must(c.payouts.GetOffer(t.Context(), c.trader.Caller, id))(t).Address, "4111111111111111", "where it goes")
	c.Audit(t)
}

package proposal_test

import (
	"errors"
	"regexp"
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
	"gateway.example/internal/withdrawal"
)

// staffed is a bundle whose operators are set up by two, with a third who knows
// neither of the others.
type staffed struct {
	*bundle
	users     *session.Service
	acquirers *acquirer.Directory
	settings  *directory.Settings
	rates     *rate.Settings

	withdrawals *withdrawal.Service

	three caller.Caller
	// codes are those of invitations, by their users, as their approvers
	// got them.
	codes map[int64]string
}

func setupStaff(t *testing.T) *staffed {
	t.Helper()
	b := setup(t)
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10), RatePercent: decimal.NewFromInt(5)}
	limits := limit.New(b.Pool)
	s := &staffed{bundle: b, three: b.operator(t, "three", caller.Admin), codes: map[int64]string{}}
	s.users = testenv.Must(session.New(b.Pools(), dbtest.Vault(), limits, session.Config{
		FourEyes: rules, PortalURL: "https://portal.example.com", CookieKeys: [][]byte{make([]byte, session.CookieKeySize)},
	}))(t)
	s.acquirers = acquirer.NewDirectory(b.Pool, b.clock, dbtest.Vault(), outbound.NewAddresses(true), nil, acquirer.Config{FourEyes: rules})
	s.settings = directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{FourEyes: rules})
	s.withdrawals = withdrawal.New(b.Pools(), b.clock, outbound.NewAddresses(true), nil, rules)
	s.rates = rate.NewSettings(b.Pool, b.clock, outbound.NewAddresses(true), rules)
	b.proposals = proposal.New(b.Pools(), b.clock, dbtest.Vault(), proposal.Services{
		Settings: s.settings, Rates: s.rates, Deposits: b.deposits, Users: s.users, Acquirers: s.acquirers,
		Withdrawals: s.withdrawals,
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

// Operators are made, raised, switched on and invited anew by two. The new one
// decides nothing in their first day, and never what the one who proposed them
// proposes.
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
	// Raised by others, they stay with whoever has had the link to sign in
	// as them.
	_, err = s.users.Update(t.Context(), s.two, session.UserUpdate{ID: puppet.ID, Role: new(caller.Admin)})
	raised := testenv.Must(s.proposals.Propose(t.Context(), s.two, err))(t)
	testenv.Must(s.approve(t, s.one, raised))(t)
	testenv.Want(t, int64(s.Count(t, "select set_up_by from app_user where id = $1", puppet.ID)), s.one.ID, "who set the raised one up")
	// To take away takes one.
	testenv.Must(s.users.Update(t.Context(), s.one, session.UserUpdate{ID: puppet.ID, Enabled: new(false), Reason: "left"}))(t)
}

// However few could decide, one makes, invites and switches on nobody alone:
// else one could switch the others off first. Who was set up alone before that
// was so decides nothing with whoever did it, nor with another such one. The
// command makes one who decides at once.
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

// With an operator who is switched off end the invitations that they proposed,
// whose links they have, as well as those that they approved.
func TestInvitationEndsWithItsOperators(t *testing.T) {
	s := setupStaff(t)
	for login, off := range map[string]caller.Caller{"x": s.one, "y": s.two} {
		p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
			Kind: caller.Operator, Role: caller.Admin, Login: login,
		})))
		id := s.approvedUser(t, s.two, p)
		token := s.link(t, s.one, id)
		testenv.Must(s.users.Update(t.Context(), s.three, session.UserUpdate{ID: off.ID, Enabled: new(false), Reason: "left"}))(t)
		dbtest.WantCode(t, testenv.ErrOf(s.accept(t, token, s.codes[id])), "invitation_invalid")
		s.Exec(t, "update app_user set enabled = true where id = $1", off.ID)
	}
}

// A user who was switched off since somebody proposed to switch them on stays
// off, and one whose role was lowered is not raised by an older proposal.
func TestUserChangedSinceProposed(t *testing.T) {
	s := setupStaff(t)
	left := s.operator(t, "left", caller.Auditor)
	off := session.UserUpdate{ID: left.ID, Enabled: new(false), Reason: "left"}
	testenv.Must(s.users.Update(t.Context(), s.two, off))(t)
	on := session.UserUpdate{ID: left.ID, Enabled: new(true)}
	first := s.wants(t, foureyes.UpdateUser, testenv.ErrOf(s.users.Update(t.Context(), s.one, on)))
	testenv.Want(t, s.wants(t, foureyes.UpdateUser, testenv.ErrOf(s.users.Update(t.Context(), s.one, on))).ID, first.ID, "the same")
	again := testenv.Must(s.proposals.Propose(t.Context(), s.three, testenv.ErrOf(s.users.Update(t.Context(), s.three, on))))(t)
	testenv.Must(s.approve(t, s.two, first))(t)
	raise := session.UserUpdate{ID: left.ID, Role: new(caller.Admin)}
	raised := s.wants(t, foureyes.UpdateUser, testenv.ErrOf(s.users.Update(t.Context(), s.one, raise)))
	testenv.Must(s.users.Update(t.Context(), s.two, off))(t)
	for _, p := range []proposal.Proposal{again, raised} {
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, p)), "setting_changed")
	}
	testenv.Want(t, s.Text(t, "select enabled || ' ' || role from app_user where id = $1", left.ID), "false auditor", "the user")
}

// What was proposed with somebody's access before they were invited anew, since
// it may have been stolen, is approved by nobody. What they propose themselves
// is.
func TestProposedByStolenAccess(t *testing.T) {
	s := setupStaff(t)
	owner := caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: s.trader.ID}
	owner.ID = testenv.Must(session.InsertUser(t.Context(), s.Queries(), session.NewUser{
		Kind: caller.Trader, Role: caller.Owner, Login: "owner", TraderID: &s.trader.ID,
	}, "hash", dbtest.Start))(t)
	propose := func(value string) []proposal.Proposal {
		t.Helper()
		fund := testenv.Must(s.proposals.Do(t.Context(), s.three, proposal.FundTrader, s.funding("50", value), ""))(t)
		requisite := testenv.Must(s.proposals.ProposeRequisite(t.Context(), owner, directory.NewRequisite{
			Currency: "RUB", Method: "sbp", Value: value, Holder: new("Ivan Petrov"), Bank: new("Sberbank"),
		}))(t)
		return []proposal.Proposal{*fund.Proposal, requisite}
	}
	stolen := propose("+79001230001")
	s.clock.Advance(time.Second)
	for _, id := range []int64{s.three.ID, owner.ID} {
		p := s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, id)))
		user := s.approvedUser(t, s.two, p)
		for _, one := range stolen {
			if one.ProposedBy == id {
				dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, one)), "proposal_author")
			}
		}
		s.enters(t, s.one, user)
	}
	for _, one := range stolen {
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, one)), "proposal_author")
	}
	s.clock.Advance(25 * time.Hour)
	for _, one := range propose("+79001230002") {
		testenv.Must(s.approve(t, s.two, one))(t)
	}
}

// The link of an approved invitation is for whoever proposed it, until it is
// used: an approver who had it could be both.
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
	s.Exec(t, "update invitation set expires_at = now() - interval '1 second' where user_id = $1", dave)
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

// Who proposes two operators has both of their links, and becomes neither of
// them: a day later one would propose and the other approve. That takes the
// codes, too, which the approver gives to the invited themselves.
func TestProposerBecomesNobody(t *testing.T) {
	s := setupStaff(t)
	for _, login := range []string{"x", "y"} {
		p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
			Kind: caller.Operator, Role: caller.Admin, Login: login,
		})))
		id := s.approvedUser(t, s.two, p)
		token := s.link(t, s.one, id)
		invited := testenv.Must(s.users.Invited(t.Context(), token))(t)
		testenv.Want(t, invited, session.Invitation{Login: login, Approver: s.two.Login}, "the invitation")
		for _, code := range []string{"", "22222-22222", s.codes[id][:10], login} {
			s.wrongCode(t, testenv.ErrOf(s.accept(t, token, code)))
		}
		testenv.Want(t, s.Count(t, "select count(*) from session where user_id = $1", id), 0, "sessions by the link alone")
		testenv.Must(s.accept(t, token, " "+strings.ToLower(strings.ReplaceAll(s.codes[id], "-", " "))+"\n"))(t)
	}
}

// Five wrong codes void an invitation, also of tries at a time, and it has to
// be proposed anew. Wrong ones go on counting with another link or code, and
// whoever tries a code that is not good any more has tried a wrong one.
func TestWrongCodesVoid(t *testing.T) {
	s := setupStaff(t)
	p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.Operator, Role: caller.Admin, Login: "dave",
	})))
	dave := s.approvedUser(t, s.two, p)
	s.wrongCode(t, testenv.ErrOf(s.accept(t, s.link(t, s.one, dave), "22222-22222")))
	first := s.codes[dave]
	again := testenv.Must(s.approve(t, s.two, p))(t)
	token := s.link(t, s.one, dave)
	s.wrongCode(t, testenv.ErrOf(s.accept(t, token, first)))
	s.wrongCode(t, testenv.ErrOf(s.accept(t, token, "44444-44444")))
	testenv.Want(t, s.Count(t, "select wrong_codes from invitation where user_id = $1", dave), 3, "wrong codes")
	testenv.Want(t, s.Count(t, "select count(*) from sign_in_event where user_id = $1 and outcome = 'wrong_factor'", dave), 3,
		"wrong codes in the log of sign-ins")

	fields, gone := 0, 0
	for _, err := range testenv.AtOnce(6, func(int) error { return testenv.ErrOf(s.accept(t, token, "33333-33333")) }) {
		switch f := fault.As(err); {
		case f != nil && f.Fields["code"] != nil:
			fields++
		case f != nil && f.Code == "invitation_invalid":
			gone++
		}
	}
	testenv.Check(t, fields == 2 && gone == 4, "%d tries were compared, %d found no invitation", fields, gone)
	dbtest.WantCode(t, testenv.ErrOf(s.accept(t, token, again.Code)), "invitation_invalid")
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, p)), "proposal_decided")
	anew := s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, dave)))
	s.approvedUser(t, s.two, anew)
	s.enters(t, s.one, dave)
}

// The code of an invitation is for whoever approved it, who gets another one
// while the invitation is open; the one before ends with that. Only hashes are
// kept.
func TestCodeIsForItsApprover(t *testing.T) {
	s := setupStaff(t)
	p := s.wants(t, foureyes.CreateUser, testenv.ErrOf2(s.users.Create(t.Context(), s.one, session.NewUser{
		Kind: caller.Operator, Role: caller.Admin, Login: "dave",
	})))
	dave := s.approvedUser(t, s.two, p)
	first := s.codes[dave]
	testenv.Check(t, regexp.MustCompile("^[2-9A-Z]{5}-[2-9A-Z]{5}$").MatchString(first), "the code %q", first)
	for _, who := range []caller.Caller{s.one, s.three} {
		dbtest.WantCode(t, testenv.ErrOf(s.approve(t, who, p)), "proposal_decided")
		testenv.Check(t, !testenv.Must(s.proposals.Get(t.Context(), who, p.ID))(t).AnotherCode, "%s is offered the code", who.Login)
	}
	testenv.Check(t, testenv.Must(s.proposals.Get(t.Context(), s.two, p.ID))(t).AnotherCode, "the approver is offered none")
	second := testenv.Must(s.approve(t, s.two, p))(t).Code
	testenv.Check(t, second != "" && second != first, "another code: %q", second)
	token := s.link(t, s.one, dave)
	s.wrongCode(t, testenv.ErrOf(s.accept(t, token, first)))
	for _, code := range []string{first, second} {
		for _, table := range []string{"invitation", "proposal", "setting_change", "sign_in_event", "notify_event", "app_user"} {
			testenv.Want(t, s.Count(t, "select count(*) from "+table+" x where strpos(x::text, $1) > 0", code), 0, "codes in %s", table)
		}
	}
	testenv.Must(s.accept(t, token, second))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, p)), "proposal_decided")

	// One that was approved before there were codes takes none, and gets
	// none.
	old := s.wants(t, foureyes.InviteUser, testenv.ErrOf2(s.users.Invite(t.Context(), s.one, dave)))
	s.approvedUser(t, s.two, old)
	s.Exec(t, "update invitation set code_hash = null where user_id = $1", dave)
	dbtest.WantCode(t, testenv.ErrOf(s.approve(t, s.two, old)), "proposal_decided")
	testenv.Must(s.accept(t, s.link(t, s.one, dave), ""))(t)
}

// With four eyes off whoever is set up counts as one whom the command made, and
// decides at once when they are on again.
func TestSetUpWithoutFourEyes(t *testing.T) {
	s := setupStaff(t)
	s.users.FourEyes.On = false
	var made []caller.Caller
	for _, login := range []string{"x", "y"} {
		_, link := testenv.Must2(s.users.Create(t.Context(), s.one, session.NewUser{Kind: caller.Operator, Role: caller.Admin, Login: login}))(t)
		made = append(made, s.accepts(t, link[strings.LastIndex(link, "/")+1:], ""))
	}
	s.users.FourEyes.On = true
	for i, pair := range [][2]caller.Caller{{made[0], made[1]}, {s.one, made[0]}, {made[1], s.one}} {
		of := testenv.Must(s.proposals.Do(t.Context(), pair[0], proposal.FundTrader, s.funding("5", strconv.Itoa(i)), ""))(t)
		testenv.Must(s.approve(t, pair[1], *of.Proposal))(t)
	}
}

// approvedUser has somebody approve the proposal of a user, and returns the
// user's id.
func (s *staffed) approvedUser(t *testing.T, who caller.Caller, p proposal.Proposal) int64 {
	t.Helper()
	done := testenv.Must(s.approve(t, who, p))(t)
	id := testenv.Must(strconv.ParseInt(done.Change.SubjectKey, 10, 64))(t)
	s.codes[id] = done.Code
	return id
}

// link has the one who proposed an invitation get the token of its link.
func (s *staffed) link(t *testing.T, who caller.Caller, id int64) string {
	t.Helper()
	_, link := testenv.Must2(s.users.Invite(t.Context(), who, id))(t)
	_, token, found := strings.Cut(link, "/invitation/")
	testenv.Need(t, found, "no link: %q", link)
	return token
}

// accept tries the two halves of an invitation.
func (s *staffed) accept(t *testing.T, token, code string) (session.Opened, error) {
	t.Helper()
	return s.users.AcceptInvitation(t.Context(), session.Acceptance{
		Token: token, Code: code, Password: "a long enough password",
	}, session.Origin{})
}

// wrongCode wants that nothing but the code was wrong.
func (s *staffed) wrongCode(t *testing.T, err error) {
	t.Helper()
	f := fault.As(err)
	testenv.Check(t, f != nil && len(f.Fields) == 1 && f.Fields["code"] != nil, "a wrong code: %v", err)
}

// enters has an invited user sign in, by the link that the one who proposed
// them got and the code of the approver.
func (s *staffed) enters(t *testing.T, who caller.Caller, id int64) caller.Caller {
	t.Helper()
	return s.accepts(t, s.link(t, who, id), s.codes[id])
}

func (s *staffed) accepts(t *testing.T, token, code string) caller.Caller {
	t.Helper()
	in := testenv.Must(s.accept(t, token, code))(t).Session.Caller
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

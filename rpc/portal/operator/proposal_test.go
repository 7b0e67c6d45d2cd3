package operator_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal/operator"
)

// An action that takes two operators answers with a proposal, which has what
// will be done; another operator approves it, once. What one operator may do
// alone answers with what was done.
func TestFourEyesByCalls(t *testing.T) {
	t.Parallel()
	d, clock := dbtest.New(t), &dbtest.Clock{}
	d.SetRate(t, "RUB", "100", true)
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10), RatePercent: decimal.NewFromInt(5)}
	settings := directory.NewSettings(d.Pools(), clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{FourEyes: rules})
	rates := rate.NewSettings(d.Pool, clock, outbound.NewAddresses(true), rules)
	deposits := deposit.New(d.Pools(), clock, rules)
	s := operator.New(operator.Services{
		Settings: settings, Rates: rates, Deposits: deposits,
		Proposals: proposal.New(d.Pools(), clock, dbtest.Vault(),
			proposal.Services{Settings: settings, Rates: rates, Deposits: deposits}),
	})
	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"})
	operator := func(login string) context.Context {
		id := testenv.Must(session.InsertUser(t.Context(), d.Queries(), session.NewUser{
			Kind: caller.Operator, Role: caller.Treasury, Login: login,
		}, "hash", dbtest.Start))(t)
		return caller.With(t.Context(),
			caller.Caller{Kind: caller.Operator, Role: caller.Treasury, ID: id, Login: login})
	}
	one, two := operator("one"), operator("two")
	corrected := testenv.Must(s.CorrectBalance(one, &portalv1.CorrectBalanceRequest{
		From: &portalv1.CorrectionAccount{Owner: "trader", OwnerId: trader.ID},
		To:   &portalv1.CorrectionAccount{Owner: "platform"}, Amount: "2.5", Reference: "c1", Reason: "Typed twice",
	}))(t)
	p := corrected.GetProposal()
	if corrected.GetChange() != nil || p.GetState() != "open" || p.GetAction() != "correct" ||
		p.GetPayload().GetFrom().GetOwnerId() != trader.ID || p.GetPayload().GetTo().GetOwner() != "platform" ||
		p.GetPayload().GetAmount() != "2.5" || p.GetProposedBy() != "one" {
		t.Fatalf("%v", corrected)
	}
	approve := func(ctx context.Context) error {
		_, err := s.ApproveProposal(ctx,
			&portalv1.ApproveProposalRequest{ProposalId: p.GetProposalId()})
		return err
	}
	dbtest.WantCode(t, approve(one), "proposal_own")
	testenv.NoError(t, approve(two))
	dbtest.WantCode(t, approve(two), "proposal_decided")
	testenv.Want(t, d.Balance(t, ledger.Available(ledger.Trader, trader.ID)).String(), "97.5", "the trader has")
	set := func(value string) *portalv1.SetRateResponse {
		t.Helper()
		res := testenv.Must(s.SetRate(one, &portalv1.SetRateRequest{Currency: "RUB", FiatPerUsdt: value}))(t)
		return res
	}
	m := set("105.01")
	testenv.Check(t, m.GetData() == nil && m.GetProposal() != nil, "beyond the band: %v", m)
	m = set("105")
	testenv.Check(t, m.GetData().GetFiatPerUsdt() == "105.00" && m.GetProposal() == nil, "within the band: %v", m)
	list := testenv.Must(s.ListProposals(two, &portalv1.ListProposalsRequest{All: true}))(t)
	testenv.Check(t, len(list.GetData()) == 2 && list.GetData()[1].GetDecidedBy() == "two" && list.GetOthers() == 1,
		"%v", list)
	refused := testenv.Must(s.RefuseProposal(one, &portalv1.RefuseProposalRequest{
		ProposalId: list.GetData()[0].GetProposalId(), Reason: "Too far",
	}))(t)
	decided := refused.GetData()
	testenv.Check(t, decided.GetState() == "refused" && decided.GetDecisionReason() == "Too far", "%v", decided)
	_, err := s.CorrectBalance(one, &portalv1.CorrectBalanceRequest{
		From: &portalv1.CorrectionAccount{Owner: "bank"}, Amount: "1", Reference: "c2", Reason: "x",
	})
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Fields["from.owner"] != nil && f.Fields["to"] != nil, "%v", err)
	d.Audit(t)
}

// Of an invitation that was approved the proposer is answered with the link,
// and the approver with the code, each as often as they ask while it is open.
func TestInvitationByCalls(t *testing.T) {
	t.Parallel()
	d, clock := dbtest.New(t), &dbtest.Clock{}
	users := testenv.Must(session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), session.Config{
		FourEyes: foureyes.Rules{On: true}, PortalURL: "https://portal.example", CookieKeys: [][]byte{make([]byte, session.CookieKeySize)},
	}))(t)
	settings := directory.NewSettings(d.Pools(), clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{FourEyes: users.FourEyes})
	proposals := proposal.New(d.Pools(), clock, dbtest.Vault(), proposal.Services{Settings: settings, Users: users})
	s := operator.New(operator.Services{Settings: settings, Users: users, Proposals: proposals})
	operator := func(login string) context.Context {
		who := caller.Caller{Kind: caller.Operator, Role: caller.Admin, Login: login}
		who.ID = testenv.Must(session.InsertUser(t.Context(), d.Queries(), session.NewUser{
			Kind: who.Kind, Role: who.Role, Login: login,
		}, "hash", dbtest.Start))(t)
		return caller.With(t.Context(), who)
	}
	one, two := operator("one"), operator("two")
	_, err := s.CreateUser(one, &portalv1.CreateUserRequest{Kind: "operator", Role: new("treasury"), Login: "dave"})
	p := testenv.Must(proposals.Propose(one, caller.From(one), err))(t)
	approve := &portalv1.ApproveProposalRequest{ProposalId: p.ID}
	first := testenv.Must(s.ApproveProposal(two, approve))(t)
	again := testenv.Must(s.ApproveProposal(two, approve))(t)
	testenv.Check(t, first.InvitationLink == nil && first.GetInvitationCode() != "" && again.GetInvitationCode() != "" &&
		first.GetInvitationCode() != again.GetInvitationCode() && again.GetData().GetState() == "approved",
		"the approver is answered %v, and then %v", first, again)
	dbtest.WantCode(t, testenv.ErrOf(s.ApproveProposal(one, approve)), "proposal_decided")
	dave := int64(d.Count(t, "select id from app_user where login = 'dave'"))
	invited := testenv.Must(s.InviteUser(one, &portalv1.InviteUserRequest{UserId: dave}))(t)
	_, token, ours := strings.Cut(invited.GetInvitationLink(), "https://portal.example/invitation/")
	testenv.Check(t, ours, "the proposer is answered %v", invited)
	accept := func(code string) error {
		_, err := users.AcceptInvitation(t.Context(), session.Acceptance{
			Token: token, Code: code, Password: "correct horse battery",
		}, session.Origin{})
		return err
	}
	f := fault.As(accept(first.GetInvitationCode()))
	testenv.Check(t, f != nil && f.Fields["code"] != nil, "the code before: %v", f)
	testenv.NoError(t, accept(again.GetInvitationCode()))
	dbtest.WantCode(t, testenv.ErrOf(s.ApproveProposal(two, approve)), "proposal_decided")
}

package proposal_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/proposal"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// A requisite that a trader proposes waits for one operator, beside up to 49
// others, and only while its author may still sign in and propose.
func TestProposedRequisite(t *testing.T) {
	b := setup(t)
	id := testenv.Must(session.InsertUser(t.Context(), b.Queries(), session.NewUser{
		Kind: caller.Trader, Role: caller.Owner, Login: "author", TraderID: &b.trader.ID,
	}, "hash", dbtest.Start))(t)
	author := caller.Caller{Kind: caller.Trader, Role: caller.Owner, ID: id, TraderID: b.trader.ID}
	fund := b.propose(t, proposal.FundTrader, b.funding("5", "in"))
	propose := func(n int) (proposal.Proposal, error) {
		return b.proposals.ProposeRequisite(t.Context(), author, directory.NewRequisite{
			Currency: "RUB", Method: "sbp", Value: fmt.Sprintf("+7900123%04d", n), Holder: new("Ivan Petrov"), Bank: new("Sberbank"),
		})
	}
	author.Stale = true // a stolen cookie would have payers send elsewhere
	dbtest.WantCode(t, testenv.ErrOf(propose(0)), fault.ErrFactorNeeded.Code)
	author.Stale = false
	first := testenv.Must(propose(0))(t)
	b.Exec(t, "update app_user set enabled = false where id = $1", id)
	dbtest.WantCode(t, b.approved(t, b.two, first.ID), "proposal_author")
	b.Exec(t, "update app_user set enabled = true, role = 'desk' where id = $1", id)
	dbtest.WantCode(t, b.proposals.MayApprove(t.Context(), b.two, first), "proposal_author")
	dbtest.WantCode(t, b.approved(t, b.two, first.ID), "proposal_author")
	b.Exec(t, "update app_user set role = 'owner' where id = $1", id)
	// Who was set up today decides nothing for others, but what they may do
	// alone they may grant.
	b.Exec(t, "update app_user set set_up_at = $2 where id = $1", b.two.ID, b.clock.Now())
	dbtest.WantCode(t, b.approved(t, b.two, first.ID), "proposal_decider")
	b.proposals = proposal.New(b.Pools(), b.clock, dbtest.Vault(), proposal.Services{
		Settings: directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{}),
	})
	// Whose role makes no requisites grants none, and is not offered to.
	dbtest.WantCode(t, b.proposals.MayApprove(t.Context(), b.one, first), fault.ErrRoleNotAllowed.Code)
	dbtest.WantCode(t, b.approved(t, b.one, first.ID), fault.ErrRoleNotAllowed.Code)
	dbtest.WantFields(t, testenv.ErrOf(b.proposals.Refuse(t.Context(), b.two, first.ID, " ")), "reason") // the trader is told it
	testenv.NoError(t, b.approved(t, b.two, first.ID))
	for n := range proposal.MaxRequisites {
		testenv.Must(propose(n + 1))(t)
	}
	dbtest.WantFields(t, testenv.ErrOf(propose(99)), "value")
	// Whoever decides may read all of what they decide about, which is
	// noted, but not of what is decided, nor another proposal's secret.
	open := testenv.Must(b.proposals.Requisites(t.Context(), author))(t)[0]
	other := caller.Caller{Kind: caller.Trader, Role: caller.Owner, ID: id + 1, TraderID: b.NewTrader(t, dbtest.TraderOpts{}).ID}
	testenv.Want(t, len(testenv.Must(b.proposals.Requisites(t.Context(), other))(t)), 0, "of another trader")
	value := testenv.Must(b.proposals.RequisiteValue(t.Context(), b.two, open.ID))(t)
	testenv.Want(t, value, fmt.Sprintf("+7900123%04d", proposal.MaxRequisites), "the whole of it")
	testenv.Want(t, b.Text(t, "select login || ' ' || subject || ' ' || subject_key || ' ' || what from sensitive_read"),
		fmt.Sprintf("%s proposal %d value", b.two.Login, open.ID), "who read it")
	testenv.WantError(t, testenv.ErrOf(b.proposals.RequisiteValue(t.Context(), b.two, first.ID)), fault.ErrNotFound, "decided")
	testenv.WantError(t, testenv.ErrOf(b.proposals.RequisiteValue(t.Context(), b.two, fund.ID)), fault.ErrNotFound, "another")
	dbtest.WantCode(t, testenv.ErrOf(b.proposals.RequisiteValue(t.Context(), author, open.ID)), fault.ErrTokenKindNotAllowed.Code)
}

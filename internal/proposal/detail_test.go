package proposal_test

import (
	"strings"
	"testing"

	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/proposal"
	"gateway.example/internal/testenv"
)

// Who approves a change sees every value that it sets: also one that is 0, and
// one that is cleared, and the version that it changes. What it leaves as it is
// is not among them.
func TestApproverSeesEveryValue(t *testing.T) {
	s := setupStaff(t)
	shown := func(p proposal.Proposal) string {
		var list []string
		for _, d := range p.Details() {
			list = append(list, d.Name+"="+d.Value)
		}
		return strings.Join(list, " ")
	}
	s.Exec(t, "update trader set rate_percent = 50")
	trader := s.wants(t, foureyes.UpdateTrader, testenv.ErrOf(s.settings.UpdateTrader(t.Context(), s.one, directory.TraderUpdate{
		ID: s.trader.ID, RatePercent: new(""), MaxOpenPayins: new(int32(0)),
	})))
	_, set, _ := strings.Cut(shown(trader), " ")
	set, seen, _ := strings.Cut(set, " seen=")
	testenv.Want(t, set, "rate_percent= max_open_payins=0", "a trader's change")
	testenv.Want(t, seen, testenv.Must(s.settings.Trader(t.Context(), s.one, s.trader.ID))(t).Version, "the version that it changes")

	s.Exec(t, "delete from cashbox_method")
	method := s.wants(t, foureyes.SetCashboxMethod, testenv.ErrOf(s.settings.SetMethod(t.Context(), s.one, directory.CashboxMethod{
		CashboxID: s.merchant.CashboxID, Name: "sbp", MarginPercent: "50", ValiditySeconds: 900, LateSeconds: new(int32(0)),
		TolerancePercent: new(""), MaxAmount: "9",
	})))
	_, set, _ = strings.Cut(shown(method), "name=")
	testenv.Want(t, set, "sbp enabled=false margin_percent=50 validity_seconds=900 min_amount= max_amount=9 tolerance_percent= late_seconds=0 seen=new",
		"a method's change")

	payouts := s.wants(t, foureyes.SetPayoutMethod, testenv.ErrOf(s.settings.SetPayoutMethod(t.Context(), s.one, directory.CashboxPayoutMethod{
		CashboxID: s.merchant.CashboxID, Name: "sbp", Enabled: true, MarkupPercent: "50",
	})))
	_, set, _ = strings.Cut(shown(payouts), "name=")
	testenv.Want(t, set, "sbp enabled=true markup_percent=50 validity_seconds=86400 min_amount= max_amount= seen=new", "a payout method's change")
}

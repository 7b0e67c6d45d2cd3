package report_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

// Patterns are counted over the newest payments: who failed often and never paid, who stays just under a limit, and who
// confirmed sooner than anybody can have looked.
func TestPatterns(t *testing.T) {
	b := setup(t)
	b.Exec(t, "update cashbox_method set max_amount = 1000")
	b.copies(t, b.create(t, b.shop, "order-1"), 1_001, 1_017)
	b.Exec(t, "update payment set amount = 100, status_at = created_at + interval '1 minute'")
	for ids, set := range map[string]string{
		"1001 and 1005": "payer_user_id = 'fails', status = 'failed'",
		"1006 and 1010": "payer_user_id = 'fails and pays', status = 'cancelled'",
		"1011 and 1011": "payer_user_id = 'fails and pays', status = 'completed'",
		"1012 and 1015": "payer_user_id = 'stays under', status = 'completed', amount = (array[980, 999, 1000, 979.99])[id - 1011]",
		"1016 and 1017": "status = 'completed', status_at = created_at + make_interval(secs => id - 1014)",
	} {
		b.Exec(t, "update payment set "+set+" where id between "+ids)
	}
	found := testenv.Must(b.reports.Patterns(t.Context(), operator))(t)
	testenv.Want(t, found.Count, 18, "looked at")
	for name, list := range map[string][]report.Pattern{
		"fails 5 1005": found.Failing, "stays under 3 1014": found.Near, " 1 1016": found.Fast,
	} {
		testenv.Check(t, len(list) == 1 && fmt.Sprint(list[0].User, " ", list[0].Count, " ", list[0].LastID) == name,
			"%+v, want %s", list, name)
	}
	testenv.Want(t, found.Fast[0].TraderID, b.sbp.ID, "who confirmed fast")
	_, err := b.reports.Patterns(t.Context(), merchantUser(b.shop, caller.Support))
	testenv.Check(t, dbtest.CodeOf(err) == "token_kind_not_allowed", "a merchant: %v", err)
	if plan := b.plan(t, "select id from payment order by id desc limit 5000"); !strings.Contains(plan, "payment_id_idx") {
		t.Error(plan)
	}
}

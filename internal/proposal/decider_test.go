package proposal_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
)

// Of two operators neither decides what the other proposes, if the other one
// cannot sign in, has no role for it, is new or no operator, if either set up
// the other, or one alone set up each of them.
func TestWhoDecides(t *testing.T) {
	b := setup(t)
	both := []caller.Caller{b.one, b.two}
	for _, test := range []struct {
		of     []caller.Caller
		change string
		able   int64
	}{
		{both, "enabled = true", 1},
		{both[1:], "set_up_alone = true", 1},
		{both, "set_up_at = '2026-11-19 12:00+00'", 1}, // a day ago
		{both[1:], "set_up_at = '2026-11-19 12:00:01+00'", 0},
		{both[1:], "enabled = false", 0},
		{both[1:], "password_hash = null", 0},
		{both[1:], "role = 'auditor'", 0},
		{both[1:], "kind = 'merchant_portal', role = 'owner', merchant_id = (select min(id) from merchant)", 0},
		{both[1:], fmt.Sprint("set_up_by = ", b.one.ID), 0},
		{both[:1], fmt.Sprint("set_up_by = ", b.two.ID), 0},
		{both, "set_up_alone = true", 0},
	} {
		for _, who := range test.of {
			b.Exec(t, "update app_user set "+test.change+" where id = $1", who.ID)
		}
		able := testenv.Must(b.proposals.Others(t.Context(), b.one))(t)
		testenv.Want(t, able, test.able, "operators who decide for the first, with %s", test.change)
		testenv.Want(t, testenv.Must(b.proposals.TwoDecide(t.Context()))(t), test.able > 0, "two decide, with %s", test.change)
		b.Exec(t, `update app_user set kind = 'operator', role = 'admin', enabled = true, password_hash = 'hash', merchant_id = null,
			set_up_at = null, set_up_by = null, set_up_alone = false`)
	}
}

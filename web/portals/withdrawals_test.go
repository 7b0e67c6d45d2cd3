package portals_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// Operators see what waits of withdrawals on their first page, and beside the audits what the networks say.
func TestWithdrawalsWaitAndReconcile(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	id := b.Withdrawn(t, "merchant")
	wantIn(t, "the first page", p.Get(t, "/operator/work").Body, "Withdrawals to decide", fmt.Sprint("Withdrawal № ", id))
	b.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at)
		select 'TRC20', direction, 0, direction, 1, 'b', 'f', 't', amount, state, now(), now()
		from (values ('in', 3000, 'final'), ('out', 40.5, 'final'), ('named', 7, 'final')) s (direction, amount, state)`)
	var text string
	testenv.Until(t, "the networks are added up", func() bool {
		text = p.Get(t, "/operator/reconciliation").Text()
		return strings.Contains(text, "2,959.50 USDT")
	})
	wantIn(t, "on the networks", text, "2,959.50 USDT", "3,000.00 USDT", "40.50 USDT")
}

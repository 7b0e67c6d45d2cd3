package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A merchant adds an address, waits, and asks; an operator approves, hands over, names the transaction and completes.
func TestWithdrawalInThePortals(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Admin)
	b.Withdrawn(t, "merchant") // it has terms and an address
	p := b.As(t, caller.Owner)
	const path = "/merchant/withdrawals"
	address := func(label, address string) []string {
		return hidden(p.Page(t, path+"/addresses/new"), "network", "ERC20", "label", label, "address", address)
	}
	const first, alike = "0x52908400098527886E0F7030069857D2E4169EE7", "0x5290000000000000000000000000000000009ee7"
	want(t, "added", p.Post(t, path+"/addresses", address("Exchange", first)...).Led(), "303 /merchant/withdrawals/addresses address-added")
	a := p.Post(t, path+"/addresses", address("Again", first)...)
	want(t, "known already", a.At(t, "#address-wrong"), "422 is in your book already")
	wantIn(t, "all who see money are told", p.Get(t, path).Text(), "If none of you added it, remove it.")
	a = p.Post(t, path+"/addresses", address("Other", alike)...)
	want(t, "a look-alike", a.Code, http.StatusUnprocessableEntity)
	a = p.Post(t, path+"/addresses", hidden(a.Page(t), "network", "ERC20", "label", "Other", "address", alike)...)
	want(t, "a look-alike that is confirmed", line(a.Code, a.To()), "303 /merchant/withdrawals/addresses")

	b.Fund(t, ledger.Available(ledger.Cashbox, b.Merchant.CashboxID), "100")
	form := func(amount string) []string {
		return hidden(p.Page(t, path+"/new"), "cashbox", fmt.Sprint(b.Merchant.CashboxID), "address", "1", "amount", amount)
	}
	want(t, "too little", p.Post(t, path, form("9")...).Code, http.StatusUnprocessableEntity)
	a = p.Post(t, path, form("1001")...)
	want(t, "more than the day has", a.At(t, "#amount-wrong"), "422 More than this may not leave by the network on one day.")
	a = p.Post(t, path, form("20")...)
	wantIn(t, "asked once more", a.Text(), "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm")
	want(t, "asked for", p.Post(t, path, hidden(a.Page(t))...).Led(), "303 /merchant/withdrawals/2 withdrawal-requested")

	const one, lists = "/operator/withdrawals/2", "/operator/hand-overs"
	step := func(name string, typed ...string) string {
		return operator.Post(t, one+"/"+name, hidden(operator.Page(t, one+"/"+name), typed...)...).Led()
	}
	want(t, "approved", step("approve"), "303 "+one+" withdrawal-approved")
	a = operator.Post(t, lists, hidden(operator.Page(t, lists))...)
	want(t, "handed over", line(a.Code, a.To()), "303 "+lists)
	wantIn(t, "the list", operator.Get(t, lists+"/1").Body, `"amount":"20.00000000"`)
	want(t, "no transaction", line(operator.Post(t, one+"/hash", hidden(operator.Page(t, one+"/hash"), "transactionHash", "x")...).Code), "422")
	want(t, "named", step("hash", "transactionHash", strings.Repeat("ab", 32)), "303 "+one+" withdrawal-reported")
	want(t, "completed", step("complete", "reason", "Seen by eye"), "303 "+one+" withdrawal-completed")
	wantIn(t, "for the merchant", p.Get(t, path+"/2").Text(), "Completed")
	b.Audit(t)
}

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

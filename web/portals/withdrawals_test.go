package portals_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/chain/simulated"
	"gateway.example/internal/foureyes"
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
	a := p.Post(t, path+"/addresses", address("Exchange", first)...)
	want(t, "added", line(a.Code, a.To(), p.Cookies["flash"]), "303 /merchant/withdrawals/addresses address-added")
	a = p.Post(t, path+"/addresses", address("Again", first)...)
	want(t, "known already", line(a.Code, words(a.Page(t).Find("#address-wrong"))), "422 is in your book already")
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
	want(t, "more than the day has", line(a.Code, words(a.Page(t).Find("#amount-wrong"))),
		"422 More than this may not leave by the network on one day.")
	a = p.Post(t, path, form("20")...)
	wantIn(t, "asked once more", a.Text(), "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm")
	a = p.Post(t, path, hidden(a.Page(t))...)
	want(t, "asked for", line(a.Code, a.To(), p.Cookies["flash"]), "303 /merchant/withdrawals/2 withdrawal-requested")

	const one, lists = "/operator/withdrawals/2", "/operator/hand-overs"
	step := func(name string, typed ...string) string {
		a := operator.Post(t, one+"/"+name, hidden(operator.Page(t, one+"/"+name), typed...)...)
		return line(a.Code, a.To(), operator.Cookies["flash"])
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

// A withdrawal from its address to the transfer that the network shows, in real browsers: the merchant proves anew who they are
// and adds an address, which rests for a day; one operator proposes to approve what was asked for and another does, it is handed
// over, its transaction is reported, and when that is final the merchant's page says so.
func TestWithdrawalWalk(t *testing.T) {
	t.Parallel()
	b := portaltest.With(t, portaltest.Options{Production: true, Withdrawals: foureyes.Rules{On: true}})
	b.Exec(t, "insert into withdrawal_terms (network, enabled, fee, min_amount, daily_amount) values ('TRC20', true, 1.5, 10, 1000)")
	b.Fund(t, ledger.Available(ledger.Cashbox, b.Merchant.CashboxID), "100")
	shop, later := proved(t, b, "shop", caller.MerchantPortal, caller.Owner, b.Merchant.ID)
	ann, _ := proved(t, b, "ann", caller.Operator, caller.Admin, 0)
	bob, _ := proved(t, b, "bob", caller.Operator, caller.Treasury, 0)
	b.Exec(t, "update session set factor_at = now() - interval '1 hour' where user_id = (select id from app_user where login = 'shop')")

	const to, yes = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm", "main button.primary"
	mine := shop.Tab(t, b.Server.URL)
	mine.Open(b.Server.URL + "/merchant/withdrawals/addresses/new")
	mine.Await("h1", "Second factor")
	mine.Write("#code", later())
	mine.Click("main button[type=submit]")
	mine.Await("h1", "New address")
	mine.Write("#address", to)
	mine.Write("#label", "Cold wallet")
	mine.Click(yes)
	mine.Await("h1", "Address book")
	mine.Holds("main", "Cold wallet")
	ask := func() {
		mine.Open(b.Server.URL + "/merchant/withdrawals/new")
		mine.Write("#amount", "20")
		mine.Click(yes)
	}
	mine.Open(b.Server.URL + "/merchant/withdrawals/new")
	mine.Holds("main", "No address can be used yet")
	b.Clock.Advance(24 * time.Hour)
	ask()
	mine.Holds("main", to)
	mine.Click(yes)
	mine.Await(".headline .badge", "Requested")

	theirs, other := ann.Tab(t, b.Server.URL), bob.Tab(t, b.Server.URL)
	theirs.Open(b.Server.URL + "/operator/withdrawals/1")
	theirs.Click("a[href$='/approve']")
	theirs.Click(yes)
	theirs.Holds("main", "another operator approves it")
	other.Open(b.Server.URL + "/operator/approvals/1")
	other.Click("form[action$='/approve'] button")
	other.Await(".headline .badge", "Approved")
	theirs.Open(b.Server.URL + "/operator/hand-overs")
	theirs.Click(yes)
	theirs.Holds("main table", "20.00")
	hash := strings.Repeat("5e", 32)
	theirs.Open(b.Server.URL + "/operator/withdrawals/1/hash")
	theirs.Write("#transactionHash", hash)
	theirs.Click(yes)
	theirs.Holds("main", hash)

	paid := &payingChain{head: 100}
	tron, _ := chain.Find("TRC20")
	client := &http.Client{Transport: simulated.Transport{Handler: simulated.Handler(tron, paid)}}
	watcher := testenv.Must(chain.NewWatcher(b.Pool, b.Clock, client, tron, []string{"http://one.example", "http://two.example"}))(t)
	watcher.Named = b.Withdrawals
	round := func() {
		t.Helper()
		b.Exec(t, "update chain_cursor set leased_until = now()")
		noError(t, watcher.Round(t.Context()))
		noError(t, b.Withdrawals.Settle(t.Context()))
	}
	round()
	paid.sent = []simulated.Transfer{{
		Block: 101, Hash: hash, From: chain.Raw{19: 1}, To: testenv.Must(chain.Read("TRC20", to))(t), Amount: decimal.RequireFromString("20"),
	}}
	paid.head = 101
	round()
	mine.Open(b.Server.URL + "/merchant/withdrawals/1")
	mine.Await(".headline .badge", "Handed over") // it is seen, and may still vanish
	paid.head += tron.Confirmations
	round()
	mine.Open(b.Server.URL + "/merchant/withdrawals/1")
	mine.Await(".headline .badge", "Completed")
	mine.Holds("main", hash)
	b.Audit(t)
}

// proved makes a user with an authenticator app and signs them in. later makes their next code.
func proved(
	t *testing.T, b *portaltest.Bundle, login string, kind caller.Kind, role caller.Role, of int64,
) (p *portaltest.Person, later func() string) {
	t.Helper()
	p = b.Joins(t, login, kind, role, of)
	page := p.Page(t, "/second-factor/app")
	secret, now := page.Find(".mono").Text(), time.Now()
	a := p.Post(t, "/second-factor/app", hidden(page, "code", testenv.Must(totp.GenerateCode(secret, now))(t))...)
	want(t, login+" has an app", a.Page(t).Find(".codes li").Length(), 10)
	return p, func() string { // of a step after the one that was used
		at := now.Add(30 * time.Second)
		if present := time.Now(); present.After(at) {
			at = present
		}
		return testenv.Must(totp.GenerateCode(secret, at))(t)
	}
}

// payingChain is a network on which what a test says was sent.
type payingChain struct {
	head int64
	sent []simulated.Transfer
}

// Head implements simulated.Chain.
func (c *payingChain) Head(context.Context) (int64, error) { return c.head, nil }

// Hash implements simulated.Chain.
func (c *payingChain) Hash(number int64) string { return fmt.Sprintf("%064x", number) }

// Transfers implements simulated.Chain.
func (c *payingChain) Transfers(_ context.Context, from, to int64) (found []simulated.Transfer, _ error) {
	for _, t := range c.sent {
		if t.Block >= from && t.Block <= to {
			found = append(found, t)
		}
	}
	return found, nil
}

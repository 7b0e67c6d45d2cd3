package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
)

// An operator is led from a payment to whose it is, and told its rate step by step; merchants are not.
func TestPaymentLeadsOn(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "root", caller.Operator, caller.Auditor, 0)
	root := b.signIn(t, "root")
	made := b.create(t, "1500")
	path := fmt.Sprintf("/operator/payments/%d", made.ID)
	page := root.page(t, path)
	for _, href := range []string{
		fmt.Sprintf("/operator/merchants/%d", b.merchant.ID),
		fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID),
		fmt.Sprintf("/operator/traders/%d", b.traders[0].ID),
		fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0]),
		fmt.Sprintf("/operator/routing/payments/%d", made.ID),
	} {
		want(t, href, page.Find(fmt.Sprintf("main a[href=%q]", href)).Length(), 1)
		want(t, "the page "+href, root.get(t, href).code, http.StatusOK)
	}
	want(t, "steps", page.Find("#rate tbody tr").Length(), 9)
	want(t, "the list", strings.Contains(root.get(t, "/operator/payments").text(),
		fmt.Sprintf("Merchant № %d, Trader № %d", b.merchant.ID, b.traders[0].ID)), true)

	owner := b.as(t, caller.Owner).page(t, fmt.Sprintf("/merchant/payments/%d", made.ID))
	want(t, "a merchant's steps", owner.Find("#rate").Length(), 0)
	want(t, "a merchant's way to operators", owner.Find("main a[href^='/operator']").Length(), 0)
}

// Whoever asks what a payment would be worth is told step by step, or what is wrong with the question.
func TestQuotePage(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	steps := one.page(t, "/operator/rates?currency=RUB&amount=1000&markup=5").Find("#quote tbody")
	want(t, "steps", steps.Find("tr").Length(), 9)
	wantIn(t, "what the merchant gets", steps.Find("tr").Eq(3).Text(), "/ 100))", "USDT")
	a := one.get(t, "/operator/rates?currency=RUB&amount=nothing")
	want(t, "no amount", a.code, http.StatusUnprocessableEntity)
	want(t, "said", a.page(t).Find("#amount-wrong").Length(), 1)
}

// On a phone the many pages of an operator are in a menu, which works without a script.
func TestMenu(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "root", caller.Operator, caller.Admin, 0)
	page := b.signIn(t, "root").page(t, "/operator/rates")
	want(t, "where", page.Find("#menu .pocket span").Text(), "Rates and routing › Rates")
	want(t, "opens", page.Find("#menu .opens").AttrOr("href", ""), "#menu")
	want(t, "merchants have none", b.as(t, caller.Owner).page(t, "/merchant").Find(".pocket").Length(), 0)
}

// What waits for operators leads to where it can be put right: a feed that fails, an account that owes.
func TestWorkLeadsOn(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "root", caller.Operator, caller.Admin, 0)
	root := b.signIn(t, "root")
	root.post(t, "/operator/rates/feeds/new", append(hidden(root.page(t, "/operator/rates/feeds/new")),
		"currency", "RUB", "enabled", "on", "url", "https://rates.example/v1", "pointer", "/rate", "priority", "1",
		"pollSeconds", "60", "timeoutMs", "5000", "bandPercent", "3", "dayBandPercent", "10", "freshSeconds", "300")...)
	account := ledger.Available(ledger.Trader, b.traders[0].ID).ID()
	for _, step := range []string{
		"update rate_feed set error = 'it answers nothing', failures = 3",
		fmt.Sprintf("update account_balance set overdrawn = true, balance = -1000000 where account_id = %d", account),
	} {
		b.Exec(t, step)
	}
	page := root.page(t, "/operator")
	for _, href := range []string{
		"/operator/rates/feeds/1", fmt.Sprintf("/operator/accounts/statement?owner=%d", account),
		fmt.Sprintf("/operator/traders/%d", b.traders[0].ID),
	} {
		want(t, href, page.Find(fmt.Sprintf("#work a[href=%q]", href)).Length(), 1)
		want(t, "the page "+href, root.get(t, href).code, http.StatusOK)
	}
}

// A merchant's payouts and confirmed deposits lead to their proofs, as payments do.
func TestProofsAreLinked(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	owner := b.as(t, caller.Owner)
	id, reference := b.takenPayouts(t, 1)[0], "42"
	payout := "/merchant/payouts/" + id
	proof := fmt.Sprintf("a[href=%q]", payout+"/proof.json")
	want(t, "a payout that waits", owner.page(t, payout).Find(proof).Length(), 0)
	_, err := b.payouts.Complete(t.Context(), b.asTrader(), id, &reference)
	noError(t, err)
	want(t, "a completed payout", owner.page(t, payout).Find(proof).Length(), 1)
	made := b.deposited(t, "250.5", "first")
	path := fmt.Sprintf("/merchant/deposits/%d", made.ID)
	link := fmt.Sprintf("a[href=%q]", path+"/proof.json")
	want(t, "a deposit that waits", owner.page(t, path).Find(link).Length(), 0)
	_, err = b.rooms.Deposits.Confirm(t.Context(), admin, made.ID)
	noError(t, err)
	want(t, "a confirmed deposit", owner.page(t, path).Find(link).Length(), 1)
}

package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// Whoever is suspended is so for a reason, after the page has said what stays open, and is let work again on the same page;
// saving other settings changes nothing of it.
func TestSuspend(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	b.Create(t, "1500")
	for path, of := range map[string]string{
		fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID):        "select api_enabled::text from merchant where id = 1",
		fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID):        "select enabled::text from trader where id = 1",
		fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID): "select collect_enabled::text from cashbox where id = 1",
		fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0]): "select enabled::text from requisite where id = " +
			fmt.Sprint(b.Traders[0].Requisites[0]),
	} {
		on := func() string { return b.Text(t, of) }
		want(t, path+": a tick", p.Page(t, path).Find("#enabled, #apiEnabled, #collectEnabled").Length(), 0)
		ask := p.Page(t, path).Find("main a.danger[href$='/switch']").AttrOr("href", "")
		wantIn(t, ask, words(p.Page(t, ask).Find("main")), "Suspend", "Open payments: 1.")
		want(t, path+": without a reason", line(p.Fill(t, ask, "reason", " ").Code, on()), "422 true")
		form := p.Typed(t, ask, "reason", "a complaint <b>")
		want(t, path+": suspended", line(p.Post(t, ask, form...).To(), on()), path+" false")
		want(t, path+": sent twice", line(p.Post(t, ask, form...).Code, on()), "303 false")
		p.Made(t, path, map[bool]string{true: "holder", false: "name"}[strings.Contains(path, "requisites")], "Renamed")
		want(t, path+": after other settings", on(), "false")
		wantIn(t, path, words(p.Page(t, path).Find("main")), "Off", "Reason: a complaint <b>")
		p.Made(t, ask, "reason", "settled")
		want(t, path+": works again", on(), "true")
	}
	auditor := b.Operator(t, caller.Auditor)
	path := fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID)
	want(t, "an auditor's button", auditor.Page(t, path).Find("a[href$='/switch']").Length(), 0)
	want(t, "an auditor's page", auditor.Get(t, path+"/switch").Code, http.StatusForbidden)
}

// An operator takes a shop's logo off its pages, with a reason, and sets none.
func TestRemoveLogo(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	path := fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID)
	want(t, "without one", line(p.Page(t, path).Find("a[href$='/logo']").Length(), p.Get(t, path+"/logo").Code), "0 404")
	b.Exec(t, "update cashbox set page_logo = 'x', page_logo_hash = left(encode(sha256('x'), 'hex'), 32) where id = $1", b.Merchant.CashboxID)
	ask := p.Page(t, path).Find("a[href$='/logo']").AttrOr("href", "")
	kept := func() string {
		return b.Text(t, "select coalesce(page_logo_hash, '-') from cashbox where id = $1", b.Merchant.CashboxID)
	}
	want(t, "without a reason", line(p.Fill(t, ask, "reason", " ").Code, kept()), "422 2d711642b726b04401627ca9fbac32f5")
	want(t, "removed", line(p.Fill(t, ask, "reason", "not theirs").To(), kept()), path+" -")
	wantIn(t, "the log", words(p.Page(t, path).Find("main")), "Reason: not theirs")
}

// The pages of a new merchant and a new trader lead from step to step, and say nothing of it once there was a payment.
func TestNewOnesAreLed(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	steps := func(path string) string { return words(p.Page(t, path).Find("#first-steps")) }
	p.Made(t, "/operator/merchants/new", "name", "A new shop", "apiEnabled", "1")
	path := b.Text(t, "select '/operator/merchants/' || max(id) from merchant")
	want(t, "a new merchant", steps(path), "Create the merchant’s cashbox To do Switch on a method of the cashbox To do "+
		"Invite the merchant’s user To do Try a payment: nothing is made by it To do")
	box := p.Page(t, path).Find("#first-steps a").First().AttrOr("href", "")
	p.Post(t, "/operator/cashboxes/new", p.Typed(t, box, "name", "Front", "currency", "RUB")...)
	b.Exec(t, "insert into cashbox_method (cashbox_id, method, enabled, margin_percent, validity_seconds) select max(id), 'sbp', true, 3, 900 from cashbox")
	wantIn(t, "with a cashbox", steps(path), "cashbox Done", "method of the cashbox Done", "user To do")
	try := p.Page(t, path).Find("#first-steps a[href^='/operator/routing']").AttrOr("href", "")
	wantIn(t, "what is tried", words(p.Page(t, try).Find("main")), "gets it")
	trader := fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID)
	wantIn(t, "a trader", steps(trader), "requisite Done", "user To do", "USDT Done")
	b.Create(t, "1500")
	want(t, "a trader who had a payment", steps(trader), "")
	want(t, "a merchant who had a payment", steps(fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID)), "")
}

// Limits are changed after they were shown before and after, and for a reason.
func TestLimitAsks(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	p.Made(t, "/operator/limits/RUB", "minAmount", "10", "maxAmount", "100", "confirmed", "1", "reason", "the first")
	a := p.Fill(t, "/operator/limits/RUB", "maxAmount", "300")
	want(t, "asks", line(a.Code, b.Text(t, "select max_amount::text from platform_limit")), "200 100.00")
	wantIn(t, "what it asks", a.Text(), "Largest amount: 100.00 → 300", "Smallest amount: 10.00 → 10.00")
	a = p.Post(t, "/operator/limits/RUB", portaltest.Hidden(a.Page(t), "reason", "a new bank")...)
	want(t, "changed", line(a.Code, b.Text(t, "select max_amount::text from platform_limit")), "303 300.00")
	want(t, "the reason", b.Text(t, "select reason from setting_change order by id desc limit 1"), "a new bank")
}

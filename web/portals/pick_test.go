package portals_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// Whoever takes part is named by number, by name, or by a part of it that no other has; pages offer the names, and say
// whom a text may mean.
func TestNamesInForms(t *testing.T) {
	testenv.OneByOne(t)
	b, p := portaltest.Operator(t, caller.Admin)
	one, two := b.Traders[0].ID, b.Traders[1].ID
	b.Exec(t, "update trader set name = 'Anna' where id = $1", one)
	b.Exec(t, "update trader set name = 'Anna Berg' where id = $1", two)
	b.Exec(t, "update merchant set name = 'Shop № 7' where id = $1", b.Merchant.ID)
	called := fmt.Sprintf("Anna Berg №\u00a0%d", two)
	offers := p.Page(t, "/operator/money/fund").Find("input[name=traderId]")
	want(t, "the names are offered", offers.Parent().Find("datalist[id="+offers.AttrOr("list", "")+"] option").Length(), 2)

	fund := func(trader string) (shown string) {
		a := p.Get(t, "/operator/money/fund/confirm?amount=5&reference=r&traderId="+url.QueryEscape(trader))
		if a.Code == http.StatusOK {
			return a.Page(t).Find("input[name=traderId]").AttrOr("value", "")
		}
		return a.Page(t).Find("#traderId-wrong").Text()
	}
	for typed, wanted := range map[string]int64{
		fmt.Sprint(one): one, fmt.Sprintf("№ %d", two): two, called: two, "berg": two, " anna ": one, "ANNA BERG": two,
	} {
		want(t, "trader "+typed, fund(typed), fmt.Sprint(wanted))
	}
	for typed, wanted := range map[string]string{
		"ann":                          "Several may be meant: Anna №\u00a0" + fmt.Sprint(one) + "; " + called + ".",
		"Bob":                          "There is no trader of this name or number.",
		"987654":                       "There is no trader of this name or number.",
		fmt.Sprintf("Berg № %d", two):  "There is no trader of this name or number.",
		fmt.Sprintf("Anna  № %d", two): "There is no trader of this name or number.",
	} {
		wantIn(t, "trader "+typed, fund(typed), wanted)
	}
	form := p.Page(t, "/operator/money/fund?traderId="+fmt.Sprint(two))
	want(t, "a number shows its name", form.Find("#traderId").AttrOr("value", ""), called)
	sure := p.Get(t, "/operator/money/correct/confirm?from=platform&to=trader+berg&amount=1&reference=r&reason=why")
	want(t, "whose account", sure.Page(t).Find("input[name=to]").AttrOr("value", ""), fmt.Sprintf("trader %d", two))

	box := p.Fill(t, "/operator/cashboxes/new", "merchantId", "shop № 7", "name", "Till", "currency", "RUB", "traderCashboxId", "berg")
	path := box.Page(t).Find("main a.primary").AttrOr("href", "")
	want(t, "the cashbox's trader", p.Page(t, path).Find("#traderCashboxId").AttrOr("value", ""), called)
	route := p.Get(t, "/operator/routing?method=sbp&currency=RUB&amount=1500&cashboxId=till")
	want(t, "routing by the cashbox's name", route.Code, http.StatusOK)
	p.Fill(t, "/operator/blocks/new", "kind", "user", "value", "u-1", "merchantId", "SHOP", "reason", "r")
	want(t, "whose payer is blocked", b.Count(t, "select count(*) from payer_block where merchant_id = $1", b.Merchant.ID), 1)
	p.Fill(t, "/operator/users/new", "login", "payer-1", "role", "cabinet", "merchantIds", fmt.Sprintf("shop, %d", b.Merchant.ID+1))
	wantIn(t, "one of several is nobody", p.Fill(t, "/operator/users/new", "login", "payer-2", "role", "cabinet",
		"merchantIds", "shop, Bob").Text(), "There is no merchant of this name")

	// Names beyond those that a field offers are found while they are typed.
	field := p.Page(t, "/operator/money/fund").Find("#traderId").AttrOr("data-names", "")
	want(t, "typed", p.Page(t, field+"?q=berg").Find("option").AttrOr("value", ""), called)
	want(t, "typed after another", p.Get(t, "/operator/names/merchants?q=Bob,+shop").Page(t).Find("option").AttrOr("value", ""),
		fmt.Sprintf("Bob, Shop № 7 № %d", b.Merchant.ID))
	want(t, "what is no kind", p.Get(t, "/operator/names/users?q=a").Code, http.StatusNotFound)

	list := p.Get(t, "/operator/payments?q=&merchant=Shop&trader=berg")
	want(t, "the list's address", list.To(), fmt.Sprintf("/operator/payments?merchant=%d&trader=%d", b.Merchant.ID, two))
	wantIn(t, "what the list is kept to", words(p.Page(t, list.To()).Find(".chips")), "Trader: Anna Berg")
	wrong := p.Get(t, "/operator/payments?trader=ann")
	want(t, "several", wrong.Code, http.StatusUnprocessableEntity)
	wantIn(t, "several", wrong.Page(t).Find("#trader-wrong").Text(), "Several may be meant")
}

// Somebody whom a field did not offer from the beginning is offered once a part of their name is typed.
func TestNamesWhileTyping(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	b.Exec(t, "update trader set name = 'Anna Berg' where id = $1", b.Traders[0].ID)
	b.Exec(t, "insert into trader (name, share_percent, created_at) select 'Newer ' || n, 1, now() from generate_series(1, 100) n")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/operator/money/fund")
	offered := func() int {
		return browsertest.Eval[int](tab, `document.querySelectorAll("#traderId-list option[value^='Anna Berg']").length`)
	}
	want(t, "at first", offered(), 0)
	tab.Type("#traderId", "berg")
	testenv.Until(t, "the name is offered", func() bool { return offered() == 1 })
}

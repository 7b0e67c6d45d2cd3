package search_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// One search finds what the reader may see, in groups of which each line says what it is.
func TestSearch(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Admin)
	owner, trader, support := b.As(t, caller.Owner), b.Trader(t, 0), b.As(t, caller.Support)
	p := b.Create(t, "1500")
	b.Exec(t, "update payment set order_id = 'A-77', payer_user_id = 'payer-7'")
	b.Exec(t, "update payment_key set order_id = 'A-77'")
	other := b.Create(t, "1700")
	b.Exec(t, "update payment set order_id = 'B-77-x' where id = $1", other.ID)
	b.Exec(t, "update requisite set holder = 'Vera Holder'")
	d := b.Deposited(t, "250.5", "0xABCdef99")
	b.PayOut(t, 1)
	for _, c := range []struct {
		who          *portaltest.Person
		portal, text string
		says         []string
		not          string
	}{
		{operator, "operator", "payer-7", []string{"Payments", "Payer, with all", "A-77", "Merchant № 1"}, "Payouts"},
		{owner, "merchant", "payer-7", []string{"Payer, with all", "A-77"}, "Trader №"},
		{operator, "operator", "trader", []string{"Traders", "Trader № 1", "Trader № 2", "On", "Manual"}, "Payments 1"},
		{operator, "operator", "merchant-", []string{"Users", "merchant-owner", "Merchant · Owner"}, ""},
		{operator, "operator", "payout", []string{"Pages", "Payouts", "Manual"}, ""},
		{operator, "operator", "апелляции", nil, ""},
		{owner, "merchant", fmt.Sprint(d.ID), []string{"Deposits", "250.50"}, "Users"},
		{support, "merchant", fmt.Sprint(d.ID), nil, "Deposits"},
		{owner, "merchant", "-77", []string{"Payments 2", "A-77", "B-77-x"}, ""},
		{trader, "trader", "-77", []string{"Nothing is found."}, "77-x"},
		{trader, "trader", "1500", nil, "A-77"},
		{trader, "trader", "payer-7", []string{"Nothing is found."}, "A-77"},
		{owner, "merchant", "", []string{"What are you looking for?"}, ""},
	} {
		what := c.portal + " " + c.text
		a := c.who.Get(t, "/"+c.portal+"/search?q="+url.QueryEscape(c.text))
		if a.Code == http.StatusSeeOther {
			want(t, what+" leads on though there should be lines", len(c.says), 0)
			continue
		}
		wantIn(t, what, words(a.Page(t).Find("main")), c.says...)
		if c.not != "" {
			wantNot(t, what, words(a.Page(t).Find("main")), c.not)
		}
	}
	// A number that is meant as one, a uuid, and whatever alone is found lead straight there.
	for text, to := range map[string]string{
		fmt.Sprintf("#%d", p.ID): fmt.Sprintf("/operator/payments/%d", p.ID), "№ 1": "/operator/payments/1",
		p.UUID.String(): fmt.Sprintf("/operator/payments/%d", p.ID), "Blocked pay": "/operator/blocks",
		"A-77": fmt.Sprintf("/operator/payments/%d", p.ID), "77-X": fmt.Sprintf("/operator/payments/%d", other.ID),
		"0xabc": fmt.Sprintf("/operator/deposits/%d", d.ID), "0xABCDEF99": fmt.Sprintf("/operator/deposits/%d", d.ID),
	} {
		want(t, text, operator.Get(t, "/operator/search?q="+url.QueryEscape(text)).To(), to)
	}
	russian := operator.Get(t, "/operator/search?lang=ru&q="+url.QueryEscape("курс устарел"))
	want(t, "a part of the manual in Russian", russian.To(), "/operator/manual/runbooks#when-a-rate-is-stale")
	want(t, "another merchant's", b.Stranger(t).Get(t, fmt.Sprintf("/merchant/search?q=%%23%d", p.ID)).To(), "")
	form := operator.Page(t, "/operator/traders").Find("header form[action='/operator/search'] input[name=q]")
	want(t, "the field of every page", form.Length(), 1)
}

// A list that takes too long is left out and said to be; what the others have found is shown, and no list waits for another.
func TestSearchIsBound(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Admin)
	b.Exec(t, "update merchant set name = 'Slow shop'")
	lock := testenv.Must(b.Pool.Begin(t.Context()))(t)
	defer func() { _ = lock.Rollback(t.Context()) }()
	testenv.Must(lock.Exec(t.Context(), "lock table deposit, payin_key in access exclusive mode"))(t)
	a := operator.Get(t, "/operator/search?q=slow")
	want(t, "the page", a.Code, http.StatusOK)
	wantIn(t, "what was found", words(a.Page(t).Find("main")), "Merchants Slow shop", "Not everything could be searched in time")
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	words                 = portaltest.Words
)

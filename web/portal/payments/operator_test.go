package payments_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// Operators find payments and payouts of everybody, and keep to a merchant or a trader.
func TestCaseLists(t *testing.T) {
	b := portaltest.Parallel(t)
	ann, _ := b.Two(t)
	small, large := b.Create(t, "1500"), b.Create(t, "20000")
	for query, found := range map[string]int{
		"": 2, fmt.Sprint("?trader=", b.Traders[0].ID): 1, fmt.Sprint("?merchant=", b.Merchant.ID): 2, "?merchant=987654": 0,
		fmt.Sprintf("?q=%d", large.ID): 1,
	} {
		want(t, "payments"+query, ann.Page(t, "/operator/payments"+query).Find("tbody tr").Length(), found)
	}
	want(t, "a wrong trader", ann.Get(t, "/operator/payments?trader=x").Code, http.StatusUnprocessableEntity)
	text := ann.Get(t, fmt.Sprintf("/operator/payments/%d", small.ID)).Text()
	wantIn(t, "the page", text, small.OrderID, "TraderTrader № 1", "MerchantMerchant № 1", "The trader keeps")
	want(t, "lines of the file", strings.Count(strings.TrimSpace(ann.Get(t, "/operator/payments.csv").Body), "\n"), 3)
}

// Operators see the end of a payment's requisite. They read it whole at its own page, where that is noted.
func TestRequisitesAreHiddenFromOperators(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	pay := b.Create(t, "1500")
	value := *pay.RequisiteValue
	for _, path := range []string{
		"/operator/payments", "/operator/payments.csv", fmt.Sprintf("/operator/payments/%d", pay.ID),
		fmt.Sprintf("/operator/routing/payments/%d", pay.ID), "/operator/work", "/operator/payments?q=" + value[len(value)-4:],
	} {
		a := p.Get(t, path)
		want(t, path, a.Code, http.StatusOK)
		wantNot(t, path+" shows", a.Body, value)
	}
	facts := p.Page(t, fmt.Sprintf("/operator/payments/%d", pay.ID)).Find("main").Text()
	wantIn(t, "the payment's page has not the end of its requisite", facts, "•••• "+value[len(value)-4:])
}

// An operator is led from a payment to whose it is, and told its rate step by step; merchants are not.
func TestPaymentLeadsOn(t *testing.T) {
	b, root := portaltest.Operator(t, caller.Auditor)
	made := b.Create(t, "1500")
	page := root.Page(t, fmt.Sprintf("/operator/payments/%d", made.ID))
	for _, href := range []string{
		fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID),
		fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID),
		fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID),
		fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0]),
		fmt.Sprintf("/operator/routing/payments/%d", made.ID),
	} {
		want(t, href, page.Find(fmt.Sprintf("main a[href=%q]", href)).Length(), 1)
		want(t, "the page "+href, root.Get(t, href).Code, http.StatusOK)
	}
	want(t, "steps", page.Find("#rate tbody tr").Length(), 9)
	b.Exec(t, "update merchant set name = 'Shop' where id = $1", b.Merchant.ID)
	b.Exec(t, "update trader set name = 'Ann' where id = $1", b.Traders[0].ID)
	want(t, "the list", strings.Contains(root.Get(t, "/operator/payments").Text(),
		fmt.Sprintf("Shop № %d, Ann № %d", b.Merchant.ID, b.Traders[0].ID)), true)

	owner := b.As(t, caller.Owner).Page(t, fmt.Sprintf("/merchant/payments/%d", made.ID))
	want(t, "a merchant's steps", owner.Find("#rate").Length(), 0)
	want(t, "a merchant's way to operators", owner.Find("main a[href^='/operator']").Length(), 0)
}

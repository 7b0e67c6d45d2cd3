package payments_test

import (
	"fmt"
	"net/http"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

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

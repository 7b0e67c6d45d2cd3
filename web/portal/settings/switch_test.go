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

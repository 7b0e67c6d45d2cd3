package sandbox_test

import (
	"net/http"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// plays are the fields of the form, all zeroes, with some of them set.
func plays(set ...string) []string {
	values := map[string]string{}
	for _, method := range []string{"sbp", "sim", "card", "c2c", "iban"} {
		for _, field := range []string{
			"confirmedPercent", "wrongAmountPercent", "cancelledPercent", "delayFromSeconds", "delayToSeconds",
		} {
			values[method+"."+field] = "0"
		}
	}
	for i := 0; i < len(set); i += 2 {
		values[set[i]] = set[i+1]
	}
	var form []string
	for name, value := range values {
		form = append(form, name, value)
	}
	return form
}

// An operator has traders simulated: a payment is confirmed without one, until the simulation stops.
func TestSimulator(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	const path = "/operator/simulator"
	page := p.Page(t, path)
	want(t, "the default", page.Find("[name='sbp.confirmedPercent']").AttrOr("value", ""), "85")
	want(t, "methods", page.Find(".plays legend").Length(), 5)
	want(t, "to stop", page.Find("form[action$=stop]").Length(), 0)

	token := page.Find("[name=token]").AttrOr("value", "")
	a := p.Post(t, path, append(plays("sbp.confirmedPercent", "70", "sbp.cancelledPercent", "40"), "token", token)...)
	wrong := a.Page(t)
	want(t, "wrong", line(a.Code, wrong.Find("[id='sbp.confirmedPercent-wrong']").Text()),
		"422 must be at most 100 with the others")
	want(t, "what was typed", wrong.Find("[name='sbp.cancelledPercent']").AttrOr("value", ""), "40")
	a = p.Post(t, path, append(plays("iban.delayToSeconds", "soon"), "token", token)...)
	want(t, "no number", line(a.Code, a.Page(t).Find("[id='iban.delayToSeconds-wrong']").Text()),
		"422 must be a whole number")

	made := b.Create(t, "1000")
	for range 2 { // the double click is one start
		a = p.Post(t, path, append(plays("sbp.confirmedPercent", "100"), "token", token)...)
		want(t, "started", line(a.Code, a.To()), "303 "+path)
		noError(t, b.Rooms.Simulator.Step(t.Context()))
	}
	page = p.Page(t, path)
	wantIn(t, "counted", page.Find(".figures").Text(), "Confirmed1")
	want(t, "the payment", b.Status(t, made), "completed")

	a = p.Post(t, path+"/stop")
	want(t, "stopped", line(a.Code, a.To()), "303 "+path)
	made = b.Create(t, "1001")
	noError(t, b.Rooms.Simulator.Step(t.Context()))
	want(t, "the next payment", b.Status(t, made), "pending")
}

// Whoever only reads sees how traders are simulated, and cannot change it.
func TestSimulatorForAuditors(t *testing.T) {
	_, p := portaltest.Operator(t, caller.Auditor)
	page := p.Page(t, "/operator/simulator")
	want(t, "buttons", page.Find("main button").Length(), 0)
	want(t, "fields", page.Find("fieldset:not([disabled])").Length(), 0)
	want(t, "a start", p.Post(t, "/operator/simulator", plays()...).Code, http.StatusForbidden)
}

package messages_test

import (
	"fmt"
	"net/http"
	"testing"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// An operator finds what no pattern knows, begins a pattern with it, sees what it would read, and gets the line that makes it
// count. What a trader objects to is there too. That somebody reads it is noted.
func TestUnknown(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Support)
	wantIn(t, "before anything came", words(operator.Page(t, "/operator/messages").Find("main")), "Every message was read", "Nobody objects")
	device := testenv.Must(b.Rooms.Messages.CreateDevice(t.Context(), b.AsTrader(), "Pixel"))(t)
	phone := caller.Caller{Kind: caller.Device, ID: device.ID, TraderID: b.Traders[0].ID}
	for id, text := range map[string]string{"1": "Came 1500.50 RUB (Ivan)", "2": "Came 20 RUB (Anna)", "3": "Hello <b>"} {
		testenv.Must(b.Rooms.Messages.Receive(t.Context(), phone, bankmessage.Forwarded{ID: id, Kind: "push", Sender: "new.bank", Text: text}))(t)
	}
	b.Exec(t, `update bank_message set state = 'objected', why = 'Never came', payment_id = 1, decided_at = now() where message_id = '3'`)
	page := operator.Page(t, "/operator/messages")
	wantIn(t, "unknown", words(page.Find("section:has(#unknown)")), "of the last 3", "new.bank", "(", ") 2 ", "Hello <b>")
	wantIn(t, "objected", words(page.Find("section:has(#objected)")), "Never came", "№ 1")
	begun := operator.Page(t, page.Find("section:has(#unknown) tbody tr:first-child a").AttrOr("href", "")).Find("#pattern").Text()
	wantIn(t, "begun with it", begun, `Came `, ` RUB \(`)

	ask := func(pattern string) portaltest.Answer {
		return operator.Post(t, "/operator/messages", "says", "incoming", "currency", "RUB", "pattern", pattern)
	}
	a := ask("(")
	want(t, "no expression", a.Code, http.StatusUnprocessableEntity)
	a = ask(`came {amount} {unit} \(.*\)`)
	want(t, "tried", a.Code, http.StatusOK)
	main := words(a.Page(t).Find("section:has(#tried)"))
	wantIn(t, "what it reads", main, "It knows 2 of 3", "1,500.50 ₽", "20 ₽", "Anna", "It does not count yet", `incoming came {amount} {unit} \(.*\)`)
	want(t, "nothing counts by it", b.Count(t, "select count(*) from bank_message where says <> 'unknown'"), 0)
	want(t, "noted", b.Count(t, "select count(*) from sensitive_read where subject = 'bank_message' and what like 'pattern%'"), 1)
	// What no pattern reads, an operator reads, and keeps its money for the trader, once.
	b.Exec(t, "update bank_message set state = 'noted', why = '' where message_id = '3'")
	path := page.Find("section:has(#unknown) a[href$='/keep']").First().AttrOr("href", "")
	keeping := operator.Page(t, path)
	wantIn(t, "its text", words(keeping.Find("main")), "new.bank: Came")
	form := portaltest.Hidden(keeping, "requisite", keeping.Find("[name=requisite] option").AttrOr("value", ""), "amount", "1 500,50")
	wrong := operator.Post(t, path, "token", "x", "requisite", "0", "amount", "no")
	want(t, "no amount", wrong.Code, http.StatusUnprocessableEntity)
	for range 2 {
		want(t, "kept", operator.Post(t, path, form...).To(), "/operator/messages")
	}
	want(t, "kept money", b.Text(t, "select trader_id || ' ' || amount from arrival"), fmt.Sprintf("%d 1500.50", b.Traders[0].ID))
	want(t, "decided already", operator.Get(t, path).To(), "/operator/messages")
	auditor := b.Joins(t, "auditor", caller.Operator, caller.Auditor, 0)
	want(t, "an auditor reads none", auditor.Get(t, "/operator/messages").Code, http.StatusForbidden)
}

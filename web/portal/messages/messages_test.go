package messages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

var want, wantIn, words = portaltest.Want, portaltest.WantIn, portaltest.Words

// A trader pairs a phone, whose secret is shown once, sets what its messages
// do, confirms a payment by one that waits, and says that another is about
// none; what a message confirmed by itself they object to. Who only works at
// the desk sets nothing.
func TestMessages(t *testing.T) {
	b, owner := portaltest.Trader(t)
	want(t, "without a name", owner.Fill(t, "/trader/messages/phones/new", "name", "").Code, http.StatusUnprocessableEntity)
	token := owner.Page(t, "/trader/messages/phones/new").Find("input[name=token]").AttrOr("value", "")
	paired := owner.Post(t, "/trader/messages/phones/new", "name", "Pixel <b>", "token", token).Page(t)
	want(t, "sent twice", owner.Post(t, "/trader/messages/phones/new", "name", "Pixel <b>", "token", token).To(), "/trader/messages")
	want(t, "phones", b.Count(t, "select count(*) from bank_device"), 1)
	wantIn(t, "paired", words(paired.Find("main")), "Pixel <b>", "https://api.example/api/v1/bank-messages", "device-")
	want(t, "a code to scan", paired.Find("figure.qr svg").Length(), 1)
	devices := testenv.Must(b.Services.Messages.ListDevices(t.Context(), b.AsTrader()))(t)
	requisite := b.Traders[0].Requisites[0]
	rule := fmt.Sprintf("/trader/requisites/%d/messages", requisite)
	set := func(most string) portaltest.Answer {
		return owner.Fill(t, rule, "messageMode", "on", "bank", "sber", "deviceId", fmt.Sprint(devices[0].ID), "most", most)
	}
	want(t, "a wrong amount", set("much").Code, http.StatusUnprocessableEntity)
	stale := owner.Typed(t, rule, "most", "9000")
	want(t, "set", set("1 600").To(), "/trader/messages")
	want(t, "after another change", owner.Post(t, rule, stale...).Led(), "303 "+rule+" changed")
	wantIn(t, "the rule", words(owner.Page(t, "/trader/messages").Find("section:has(#rules)")), "Confirm", "Sberbank", "1,600 ₽", "Pixel <b>")

	phone := caller.Caller{Kind: caller.Device, ID: devices[0].ID, TraderID: b.Traders[0].ID}
	message := func(id, kind, sender, amount string) {
		t.Helper()
		b.Clock.Advance(time.Second)
		testenv.Must(b.Services.Messages.Receive(t.Context(), phone, bankmessage.Forwarded{
			ID: id, Kind: kind, Sender: sender, Text: "Перевод по СБП от Иван П. + " + amount + " ₽", ReceivedAt: new(b.Clock.Now()),
		}))(t)
	}
	waits, other, sure := b.Create(t, "1500"), b.Create(t, "1700"), b.Create(t, "1550")
	message("1", "sms", "900", "1500")
	message("2", "push", "ru.sberbankmobile", "1700")
	message("3", "push", "ru.sberbankmobile", "1550")
	want(t, "confirmed by itself", b.Status(t, sure), "completed")
	counted := func() string {
		return words(owner.Page(t, "/trader/messages").Find("nav a[href='/trader/messages'] .count"))
	}
	testenv.Until(t, "they are counted in the navigation", func() bool { return strings.Contains(counted(), "2") })
	beside := owner.Page(t, "/trader").Find(fmt.Sprintf("#job-%d form.beside", other.ID))
	wantIn(t, "beside its payment on the desk", words(beside), "Sberbank", "+ 1700 ₽", "Confirm by this message")
	want(t, "of another amount", owner.Page(t, "/trader").Find(fmt.Sprintf("#job-%d form.beside", waits.ID)).Length(), 1)
	page := owner.Page(t, "/trader/messages").Find("section[aria-labelledby=waiting]")
	wantIn(t, "waiting", words(page), "1,500 ₽", "Иван П.", "anybody could have sent it", "1,700 ₽", "More than you leave", fmt.Sprintf("Confirm payment № %d", other.ID))
	confirm := page.Find(fmt.Sprintf("form:has(input[value='%d'])", waits.ID))
	form := confirm.AttrOr("action", "")
	fields := []string{"payment", fmt.Sprint(waits.ID), "token", confirm.Find("[name=token]").AttrOr("value", "")}
	for range 2 { // also clicked twice
		want(t, "confirmed by hand", owner.Post(t, form, fields...).Led(), "303 /trader/messages message-confirmed")
		want(t, "the payment", b.Status(t, waits), "completed")
	}
	fields[3] = uuid.NewString()
	want(t, "from another page, it is as it was", owner.Post(t, form, fields...).Led(), "303 /trader/messages changed")
	message("4", "sms", "900", "44")
	keep := owner.Page(t, "/trader/messages").Find("section[aria-labelledby=waiting] .card:has(strong:contains('44')) a[href$='/keep']").AttrOr("href", "")
	want(t, "its money is kept", owner.Post(t, keep, portaltest.Hidden(owner.Page(t, keep), "requisite", fmt.Sprint(requisite))...).To(), "/trader/messages")
	wantIn(t, "as money of no payment", words(owner.Page(t, "/trader/arrivals").Find("tbody")), "44")
	b.Exec(t, `insert into bank_message (id, trader_id, device_id, message_id, kind, sender, received_at, arrived_at, says, pattern, bank, currency,
		account, amount, state, why) select nextval('bank_message_id_seq'), $1, $2, 'more-' || n, 'sms', '900', $3, $3, 'incoming', '', 'sber', 'RUB', '', n, 'waiting', 'none'
		from generate_series(1, 50) n`, b.Traders[0].ID, devices[0].ID, b.Clock.Now())
	const waiting = "section[aria-labelledby=waiting] "
	rest := owner.Page(t, owner.Page(t, "/trader/messages").Find(waiting+"a[rel=next]").AttrOr("href", ""))
	wantIn(t, "what waits beyond a page", words(rest.Find(waiting)), "1,700 ₽")
	want(t, "back to its beginning", rest.Find(waiting+"nav.pages a").AttrOr("href", ""), "/trader/messages")
	b.Exec(t, "delete from bank_message where message_id like 'more-%'")
	dismiss := owner.Page(t, "/trader/messages").Find("form[action$='/dismiss']")
	for range 2 {
		want(t, "dismissed", owner.Post(t, dismiss.AttrOr("action", ""), "token", dismiss.Find("[name=token]").AttrOr("value", "")).Led(),
			"303 /trader/messages message-dismissed")
	}
	want(t, "nothing waits", owner.Page(t, "/trader/messages").Find("form[action$='/dismiss']").Length(), 0)
	want(t, "the dismissed one's payment", b.Status(t, other), "pending")

	want(t, "and nothing is counted", counted(), "")
	b.Exec(t, "insert into requisite_day (requisite_id, day, count, sum, used_at) values ($1, '2000-01-01', 0, 0, $2)",
		requisite, b.Clock.Now().Add(time.Minute))
	b.Clock.Advance(time.Hour)
	for _, path := range []string{"/trader", "/trader/messages"} {
		wantIn(t, path+" tells of a silent phone", words(owner.Page(t, path).Find("main .note")), "Pixel <b>", "forwarded nothing")
	}
	testenv.Until(t, "a silent phone counts", func() bool { return strings.Contains(counted(), "1") })
	b.Clock.Advance(-time.Hour)
	object := owner.Page(t, "/trader/messages").Find("main a[href$='/object']").AttrOr("href", "")
	want(t, "without a reason", owner.Fill(t, object, "reason", "").Code, http.StatusUnprocessableEntity)
	owner.Fill(t, object, "reason", "Another payer's")
	for n := range 60 {
		testenv.Must(directory.InsertRequisite(t.Context(), b.Queries(), dbtest.Requisites(), fmt.Sprintf("+7900555%04d", 1000+n), db.RequisiteInsertParams{
			Currency: "RUB", Method: "sbp", TraderID: b.Traders[0].ID, Holder: new("Many"), MinAmount: decimal.NewFromInt(1),
			MaxAmount: decimal.NewFromInt(1000), Now: b.Clock.Now(),
		}))(t)
	}
	rows := func(address string) int {
		t.Helper()
		return owner.Page(t, address).Find("section:has(#rules) tbody tr").Length()
	}
	want(t, "only what is set", rows("/trader/messages"), 1)
	found := owner.Page(t, "/trader/messages?q=Many")
	next := found.Find("section:has(#rules) a[rel=next]").AttrOr("href", "")
	want(t, "a page of what is searched for", found.Find("section:has(#rules) tbody tr").Length(), 50)
	want(t, "and the next", rows(next), 10)
	want(t, "nothing is found", rows("/trader/messages?q=nobody"), 0)
	wantIn(t, "on trial again", words(owner.Page(t, "/trader/messages").Find("section:has(#rules)")), "Trial")
	b.Exec(t, "update session set factor_at = now() - interval '1 hour'")
	for _, path := range []string{"/trader/messages/phones/new", rule} {
		want(t, "after an hour "+path, owner.Get(t, path).To(), "/second-factor?next="+url.QueryEscape(path))
	}
	clerk := b.Joins(t, "clerk", caller.Trader, caller.Desk, b.Traders[0].ID)
	want(t, "a clerk sets nothing", clerk.Page(t, "/trader/messages").Find("main a[href$='/messages'], main a[href$='/new']").Length(), 0)
	owner.Post(t, fmt.Sprintf("/trader/messages/phones/%d/revoke", devices[0].ID))
	wantIn(t, "disconnected", words(owner.Page(t, "/trader/messages").Find("section:has(#phones)")), "Disconnected")
	b.Audit(t)
}

// An operator finds what no pattern knows, begins a pattern with it, sees what
// it would read, and gets the line that makes it count. What a trader objects
// to is there too. That somebody reads it is noted.
func TestUnknown(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Support)
	wantIn(t, "before anything came", words(operator.Page(t, "/operator/messages").Find("main")), "Every message was read", "Nobody objects")
	device := testenv.Must(b.Services.Messages.CreateDevice(t.Context(), b.AsTrader(), "Pixel"))(t)
	phone := caller.Caller{Kind: caller.Device, ID: device.ID, TraderID: b.Traders[0].ID}
	for id, text := range map[string]string{"1": "Came 1500.50 RUB (Ivan)", "2": "Came 20 RUB (Anna)", "3": "Hello <b>"} {
		testenv.Must(b.Services.Messages.Receive(t.Context(), phone, bankmessage.Forwarded{ID: id, Kind: "push", Sender: "new.bank", Text: text}))(t)
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
	want(t, "no expression", ask("(").Code, http.StatusUnprocessableEntity)
	a := ask(`came {amount} {unit} \(.*\)`)
	want(t, "tried", a.Code, http.StatusOK)
	main := words(a.Page(t).Find("section:has(#tried)"))
	wantIn(t, "what it reads", main, "It knows 2 of 3", "1,500.50 ₽", "20 ₽", "Anna", "It does not count yet", `incoming came {amount} {unit} \(.*\)`)
	want(t, "nothing counts by it", b.Count(t, "select count(*) from bank_message where says <> 'unknown'"), 0)
	want(t, "noted", b.Count(t, "select count(*) from sensitive_read where subject = 'bank_message' and what like 'pattern%'"), 1)
	// What no pattern reads, an operator reads, and keeps its money for the
	// trader, once.
	b.Exec(t, "update bank_message set state = 'noted', why = '' where message_id = '3'")
	path := page.Find("section:has(#unknown) a[href$='/keep']").First().AttrOr("href", "")
	keeping := operator.Page(t, path)
	wantIn(t, "its text", words(keeping.Find("main")), "new.bank: Came")
	form := portaltest.Hidden(keeping, "requisite", keeping.Find("[name=requisite] option").AttrOr("value", ""), "amount", "1 500,50")
	want(t, "no amount", operator.Post(t, path, "token", "x", "requisite", "0", "amount", "no").Code, http.StatusUnprocessableEntity)
	for range 2 {
		want(t, "kept", operator.Post(t, path, form...).To(), "/operator/messages")
	}
	want(t, "kept money", b.Text(t, "select trader_id || ' ' || amount from arrival"), fmt.Sprintf("%d 1500.50", b.Traders[0].ID))
	want(t, "decided already", operator.Get(t, path).To(), "/operator/messages")
	auditor := b.Joins(t, "auditor", caller.Operator, caller.Auditor, 0)
	want(t, "an auditor reads none", auditor.Get(t, "/operator/messages").Code, http.StatusForbidden)
}

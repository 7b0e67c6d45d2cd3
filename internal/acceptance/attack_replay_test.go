package acceptance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/testenv"
)

// proof is something that lets a caller in: how it is sent, and what is
// answered to a wrong one.
type proof struct {
	good string
	send func(given string) answer
	// refused reports whether an answer lets nobody in, and tells no more
	// of a nearly right proof than of any other.
	refused func(given string, a answer) bool
}

// byCode wants one status and code for every wrong proof, and another code for
// none at all.
func byCode(status int, code, none string) func(string, answer) bool {
	return func(given string, a answer) bool {
		if strings.TrimSpace(given) == "" && a.text("code") == none {
			return true
		}
		return a.status == status && a.text("code") == code && a.at("data") == nil
	}
}

// proofs are all there are.
func (g *instance) proofs(t *testing.T) map[string]proof {
	t.Helper()
	box, body, settled := g.first(), order(nil), `{"status":"completed"}`
	good := signed(box, body)
	creation := func(name string) func(string) answer {
		return func(given string) answer {
			return send(t, http.MethodPost, g.BaseURL+payments, body, with(good, name, given))
		}
	}
	pending := g.create(t, box, nil)
	callback := func(name string) func(string) answer {
		address := g.BaseURL + payments + "/" + pending.text("data.id") + "/callback"
		return func(given string) answer { return send(t, http.MethodPost, address, settled, header{name: given}) }
	}
	link := func(address string) func(string) answer {
		return func(given string) answer { return fetched(t, http.MethodGet, address+url.PathEscape(given), "", nil) }
	}
	page := g.create(t, box, nil).text("data.paymentPageUrl")
	_, checkout := g.cardPayment(t, nil)
	unsigned := byCode(403, "invalid_signature", "signature_required")
	return map[string]proof{
		"signature": {good["Signature"], creation("Signature"), unsigned},
		"secret":    {box.Secret, creation("X-Merchant-Secret"), byCode(403, "invalid_signature", "merchant_secret_required")},
		"key id":    {box.KeyID, creation("X-Merchant-Key-Id"), byCode(403, "invalid_signature", "merchant_key_id_required")},
		"callback":  {g.application(settled)["Signature"], callback("Signature"), unsigned},
		"callback, of a time": {
			g.callbackV2(time.Now(), pending.text("data.uuid"), settled), callback("Signature-V2"), unsigned,
		},
		"token": {g.user(t, "payer").Token, func(given string) answer {
			return send(t, http.MethodGet, g.BaseURL+payments, "", bearer(given))
		}, byCode(401, "unauthenticated", "signature_required")},
		"link, by REST": {checkout, link(g.BaseURL + "/api/v1/checkout/"), byCode(404, "not_found", "not_found")},
		"link": {path.Base(page), link(g.PayURL + "/r/"), func(_ string, a answer) bool {
			return a.status == 404 && !strings.Contains(a.raw, "1500")
		}},
		"cookie": {g.browser(t, "merchant"), func(given string) answer {
			return fetched(t, http.MethodGet, g.PortalURL+"/merchant/payments", "", header{"Cookie": "session=" + given})
		}, func(_ string, a answer) bool {
			return a.status == 303 && strings.HasPrefix(a.header.Get("Location"), "/sign-in") && a.raw == ""
		}},
	}
}

// Every proof of who calls is refused when it is cut at any length, goes on, is
// changed in any place, or is another sort's. The answer is the same for each,
// and nothing has changed; whole, each lets in.
func TestTruncatedProofs(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	proofs := g.proofs(t)
	before := g.kept(t)
	for name, p := range proofs {
		wrong := []string{
			p.good + "0", p.good + p.good, " ", strings.Repeat("0", len(p.good)), p.good + ",", p.good + "\t.", "null",
		}
		for i := range len(p.good) {
			wrong = append(wrong, p.good[:i])
			if changed := p.good[:i] + other(p.good[i]) + p.good[i+1:]; !sameBytes(changed, p.good) {
				wrong = append(wrong, changed)
			}
		}
		for another, q := range proofs {
			if q.good != p.good && another != name {
				wrong = append(wrong, q.good)
			}
		}
		for _, given := range wrong {
			got := p.send(given)
			testenv.Check(t, p.refused(given, got), "%s of %d characters for %d: %s", name, len(given), len(p.good), got)
		}
	}
	testenv.Want(t, g.kept(t), before, "what is kept")
	for name, p := range proofs {
		p.send(p.good).want(t, name, 200)
	}
}

// other is another character of the same alphabet, which no alphabet reads as
// the same.
func other(c byte) string {
	if c == '1' {
		return "2"
	}
	return "1"
}

// sameBytes reports whether two texts are one in base64: some bits of its last
// character mean nothing.
func sameBytes(a, b string) bool {
	first, err := base64.URLEncoding.DecodeString(a)
	second, err2 := base64.URLEncoding.DecodeString(b)
	return err == nil && err2 == nil && bytes.Equal(first, second)
}

// A cursor that is cut, changed or another list's is refused as wrong, and is
// never a fault of ours.
func TestForgedCursors(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	for range 3 {
		g.failed(t)
		g.createPayin(t, box)
		g.createDeposit(t, box, nil)
	}
	list := func(kind, cursor string) answer {
		address := g.BaseURL + "/api/v1/" + kind + "?limit=1"
		if cursor != "" {
			address += "&cursor=" + url.QueryEscape(cursor)
		}
		return send(t, http.MethodGet, address, "", signed(box, ""))
	}
	cursors := map[string]string{}
	for _, kind := range []string{"payments", "payins", "deposits", "events"} {
		noError(t, testenv.Eventually(func() error { // events are numbered a moment after they happen
			if cursors[kind], _ = list(kind, "").at("next_cursor").(string); cursors[kind] == "" {
				return fmt.Errorf("%s: no cursor", kind)
			}
			return nil
		}))
	}
	for kind, good := range cursors {
		forged := []string{
			"0", "-1", "9223372036854775808", "1e9", "' or 1=1 --", "../../etc/passwd", "%00",
			strings.Repeat("A", 5000), "null", "[]",
		}
		for i := range len(good) {
			forged = append(forged, good[:i+1], good[:i]+other(good[i])+good[i+1:])
		}
		for _, other := range cursors {
			forged = append(forged, other)
		}
		for _, cursor := range forged {
			got := list(kind, cursor)
			testenv.Check(t, got.status == 200 || got.status == 422 && strings.Contains(got.raw, `"cursor"`),
				"%s with cursor %.60q: %s", kind, cursor, got)
		}
	}
}

// How long a refused sign-in takes does not tell whether there is such a user,
// whether they are switched off, or whether they have a password yet: the same
// work is done for each. It shows in memory, of which one comparison of
// passwords takes 19 MiB, and all else little.
func TestSignInTellsNothingByTime(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	g.exec(t, `insert into app_user (kind, role, login, created_at, password_hash, enabled)
		select 'operator', 'admin', 'switched-off', now(), password_hash, false from app_user where login = 'operator'
		union all select 'operator', 'admin', 'invited', now(), null, true`)
	allocated := func() int { return int(testenv.Must(g.metric("go_memstats_alloc_bytes_total"))(t)) >> 20 }
	answers := map[string]bool{}
	for _, login := range []string{"operator", "nobody-has-this-login", "switched-off", "invited"} {
		body := fmt.Sprintf(`{"login":%q,"password":"a wrong password"}`, login)
		least := 1 << 10
		for range 3 { // what is done in the background meanwhile is not theirs
			before := allocated()
			got := fetched(t, http.MethodPost, g.BaseURL+"/portal.v1.AuthService/Login", body, nil)
			least = min(least, allocated()-before)
			got.must(t, login, http.StatusUnauthorized)
			answers[unstamped(got)] = true
		}
		testenv.Check(t, least >= 19 && least < 2*19, "a sign-in as %s takes %d MiB", login, least)
	}
	testenv.Check(t, len(answers) == 1, "%d answers: %v", len(answers), answers)
}

// Whatever stands in a request line, a header, a query or a body, the log stays
// a JSON object a line, with nothing of it: no line of a caller's own, no
// escape of a terminal.
func TestLogLines(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const forged = "{\"level\":\"ERROR\",\"msg\":\"forged\"}"
	for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL, g.OpsURL} {
		for _, request := range []string{
			"GET /%0a" + forged + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"GET /?forged=%0d%0a%1b[31m HTTP/1.1\r\nHost: x\r\nX-Request-Id: forged\r\nConnection: close\r\n\r\n",
			"GET /forged\x1b[31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"FORGED / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: forged\x1b[31m\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b[31m" + forged + "\r\nReferer: " + forged + "\r\nX-Merchant-Key-Id: " + forged +
				"\r\nSignature: " + forged + "\r\nX-Merchant-Secret: x\r\nX-Request-Id: a" + forged + "\r\nConnection: close\r\n\r\n",
			"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\nConnection: close\r\n\r\nlogin=%0aforged",
		} {
			_, _ = io.Copy(io.Discard, dialled(t, address, request))
		}
	}
	send(t, http.MethodGet, g.BaseURL+payments, "", header{"X-Request-Id": "the-last-line"})
	g.stderr.await(t, "the-last-line")
	written := g.stderr.String()
	for text := range strings.Lines(written[:strings.LastIndex(written, "\n")+1]) {
		var line struct{ Level, Msg, Method string }
		err := json.Unmarshal([]byte(text), &line)
		known := strings.Contains(text, `"request_id":"forged"`) || line.Method == "FORGED"
		testenv.Check(t, err == nil && line.Level != "" && line.Msg != "forged" && !strings.Contains(text, "\x1b") &&
			(!strings.Contains(text, "orged") || known), "the log has %q, %v", text, err)
	}
}

// Secrets go everywhere a caller can put them, and are found in no log. What
// the other tests send is searched for at the end of them all.
func TestLogsHoldNoSecret(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box, trader := g.first(), g.user(t, "trader-1")
	link := g.create(t, box, nil).text("data.paymentPageUrl")
	token := link[strings.LastIndex(link, "/")+1:]
	for _, address := range []string{
		link, link + "x", g.PayURL + "/pay/" + token, g.BaseURL + "/api/v1/checkout/" + token, g.BaseURL + payments + "/" + token,
		g.BaseURL + payments + "/" + box.Secret + "?secret=" + box.Secret + "&token=" + trader.Token, g.BaseURL + "/" + trader.Token,
		g.BaseURL + "/" + trader.Token + "/Login", g.PortalURL + "/" + trader.Token,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			_ = fetched(t, method, address, box.Secret, header{
				"Authorization":     "Bearer " + trader.Token,
				"X-Merchant-Secret": box.Secret,
				"Cookie":            "session=" + trader.Token,
				"X-Request-Id":      strings.Repeat("x", 65) + trader.Token,
				"Referer":           link,
				"User-Agent":        box.Secret,
			})
		}
	}
	for _, body := range []string{`{"status":"` + box.Secret + `"}`, box.Secret, `{"` + box.Secret + `":1}`} {
		g.callback(t, "1", body)
		g.post(t, box, body)
	}
	for _, login := range [][2]string{{trader.Password, trader.Password}, {trader.Login, trader.Token}} {
		body := fmt.Sprintf(`{"login":%q,"password":%q}`, login[0], login[1])
		fetched(t, http.MethodPost, g.BaseURL+"/portal.v1.AuthService/Login", body, nil).want(t, "a sign-in", 401)
	}
	const id = "find-me-in-the-log"
	send(t, http.MethodGet, g.BaseURL+payments+"/1", "", with(signed(box, ""), "X-Request-Id", id))
	// Without this, an empty log would pass.
	logs.await(t, `"request_id":"`+id+`"`)
	noError(t, leaks())
}

// heldCall is a call whose body is held back.
type heldCall struct {
	address, body, ends string
	headers             header
}

// heldUntilGone begins calls, makes all their callers' keys, phones and
// sessions end, and only then sends the rest of the bodies.
func (g *instance) heldUntilGone(t *testing.T, calls []heldCall) []answer {
	t.Helper()
	var all sync.WaitGroup
	rest, gone := make(chan struct{}), make([]answer, len(calls))
	for i, call := range calls {
		body, held := io.Pipe()
		request := testenv.Must(http.NewRequest(http.MethodPost, call.address, body))(t)
		request.ContentLength = int64(len(call.body))
		request.Header.Set("Content-Type", "application/json")
		all.Go(func() {
			_, _ = io.WriteString(held, call.body[:1])
			<-rest
			_, _ = io.WriteString(held, call.body[1:])
		})
		all.Go(func() { gone[i], _ = call.headers.sent(request) })
	}
	time.Sleep(time.Second) // by then all were let in
	for _, call := range calls {
		g.exec(t, call.ends)
	}
	time.Sleep(time.Second) // what a process may know of a key for
	close(rest)
	all.Wait()
	return gone
}

// A call whose body is held back until its key, phone or session is gone is
// refused, although it was let in when it began.
func TestHeldBody(t *testing.T) {
	t.Parallel()
	g := setup{}.start(t)
	box, payout, trader := g.first(), payinOrder(nil), g.user(t, "trader-1").Token
	message := bodyOf(object{"messageId": "1", "kind": "sms", "sender": "900", "text": "Hello"}, nil)
	phone := send(t, http.MethodPost, g.BaseURL+"/portal.v1.TraderService/CreateDevice", `{"name":"phone"}`, bearer(trader))
	calls := []heldCall{
		{g.BaseURL + payins, payout, endsKey(box.KeyID), signed(box, payout)},
		{
			g.BaseURL + "/api/v1/bank-messages", message, "update bank_device set revoked_at = now()",
			header{"X-Device-Key": phone.text("device.key"), "Signature": signature(phone.text("secret"), message)},
		},
		{g.BaseURL + "/portal.v1.TraderService/CreateDevice", `{"name":"another phone"}`, endsSessions, bearer(trader)},
	}
	for i, got := range g.heldUntilGone(t, calls) {
		testenv.Check(t, got.status == http.StatusForbidden || got.status == http.StatusUnauthorized, "%s: %s", calls[i].address, got)
	}
	testenv.Want(t, g.count(t, "select count(*) from bank_message")+g.count(t, "select count(*) from bank_device where name like 'another%'"),
		0, "what came of them")
}

const endsSessions = "delete from session"

func endsKey(id string) string {
	return "update api_key set revoked_at = now() where key_id = '" + id + "'"
}

// The same holds for files, which take minutes, and for what is sent by pages.
func TestHeldUpload(t *testing.T) {
	t.Parallel()
	g := setup{}.start(t)
	box, trader := g.first(), g.user(t, "trader-1").Token
	var taken []string
	for range 3 {
		id := g.signedTo(t, payins, box, payinOrder(object{"amount": 100})).text("data.id")
		g.portal(t, trader, "TraderService/TakePayin", `{"payinId":"`+id+`"}`)
		taken = append(taken, id)
	}
	failed := g.create(t, box, nil).text("data.id")
	g.callback(t, failed, `{"status":"failed"}`)
	proved := bodyOf(object{"payinId": taken[0], "proofReference": "1", "fileName": "1.pdf", "file": []byte(pdf)}, nil)
	page := header{"Cookie": "session=" + g.browser(t, "trader-1"), "Origin": g.PortalURL}
	steps, token := g.PortalURL+"/trader/payouts/", func() [2]string { return [2]string{`name="token"`, uuid.NewString()} }
	calls := []heldCall{
		{g.BaseURL + "/portal.v1.TraderService/CompletePayin", proved, endsSessions, bearer(trader)},
		{
			steps + taken[1] + "/complete", form(token(), [2]string{`name="proofReference"`, "1"}, filePart("1.pdf", pdf)),
			endsSessions, with(page, "Content-Type", formType),
		},
		{
			steps + taken[2] + "/fail", url.Values{"token": {uuid.NewString()}, "reason": {"No"}}.Encode(),
			endsSessions, with(page, "Content-Type", "application/x-www-form-urlencoded"),
		},
		{
			g.appealURL(failed), form(reasonPart("paid"), filePart("1.pdf", pdf)), endsKey(box.KeyID),
			appealHeaders(box, "paid", "1.pdf", len(pdf)),
		},
	}
	for i, got := range g.heldUntilGone(t, calls) {
		refused := got.status == http.StatusForbidden || got.status == http.StatusUnauthorized ||
			strings.HasPrefix(got.header.Get("Location"), "/sign-in")
		testenv.Check(t, refused, "%s: %s", calls[i].address, got)
	}
	testenv.Want(t, g.count(t, "select count(*) from payin where status <> 'processing'")+g.count(t, "select count(*) from appeal"),
		0, "what came of them")
}

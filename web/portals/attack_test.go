package portals_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// named are the ids in a route's pattern, such as {id}.
var named = regexp.MustCompile(`\{\w+\}`)

// victims are records of the first merchant and the first trader: by the part
// of the path before an id, what is put for it.
type victims struct {
	of map[string]string
	// missing are ids of the same form that no record has.
	missing map[string]string
}

// nobodys is an id that no record has, of the form of another.
func nobodys(id string) string {
	if _, err := uuid.Parse(id); err == nil {
		return "0190a5d0-ac96-774b-bcce-b302099a8057"
	}
	return "987654"
}

// victims makes a record for each id that a route of merchants, traders and
// users can name.
func makeVictims(t *testing.T, b *portaltest.Bundle) victims {
	t.Helper()
	failed := b.Failed(t, "1500")
	open := b.Create(t, "1600")
	_, appeal := b.OpenedAppeal(t, "why")
	testenv.Must(b.Payments.Claim(t.Context(), open.UUID))(t)
	testenv.NoError(t, b.Payments.AddReceipt(t.Context(), open.UUID, "proof.pdf", portaltest.Section(portaltest.PDF)))
	taken := b.TakenPayouts(t, 1)[0]
	waiting := strings.TrimPrefix(b.PayOut(t, 2)[1], "/trader/payouts/")
	b.Exec(t, `with kept as (insert into payin_proof (merchant_id, payin_id, file_name, file_type, file_size, created_at)
		select merchant_id, id, 'a.png', 'image/png', 8, now() from payin returning merchant_id, payin_id)
		insert into payin_proof_chunk select merchant_id, payin_id, 0, '\x89504e470d0a1a0a' from kept`)
	event := b.Tell(t, b.Merchant, 1, "dead")
	number := func(query string, args ...any) string {
		t.Helper()
		var id int64
		b.Get(t, &id, query, args...)
		return fmt.Sprint(id)
	}
	member := number("select id from app_user where login = 'merchant-support'")
	owner := "select id from app_user where login = 'owner-1'"
	message, phone := forwarded(t, b)
	of := map[string]string{
		"/trader/messages/{id}":        fmt.Sprint(message),
		"/trader/messages/phones/{id}": fmt.Sprint(phone),
		"/merchant/payments/{id}":      fmt.Sprint(failed.ID),
		"/trader/payments/{id}":        fmt.Sprint(open.ID),
		"/merchant/payouts/{id}":       waiting,
		"/trader/payouts/{id}":         taken,
		"{n}":                          "1",
		"/merchant/deposits/{id}":      fmt.Sprint(b.Deposited(t, "5", "x").ID),
		"/trader/appeals/{id}":         fmt.Sprint(appeal),
		"/merchant/appeals/{id}":       fmt.Sprint(appeal),
		"/merchant/payout-files/{id}":  fmt.Sprint(b.PayoutFile(t, "attacked").ID),
		"/merchant/links/{id}": number(`insert into payment_link (uuid, merchant_id, cashbox_id, title, methods, callback_uri, created_at, created_by)
			values (gen_random_uuid(), $1, $2, 'A lamp', '{}', '', now(), 'merchant_portal:1') returning id`,
			b.Merchant.ID, b.Merchant.CashboxID),
		"/merchant/withdrawals/{id}":           fmt.Sprint(b.Withdrawn(t, "merchant")),
		"/merchant/withdrawals/addresses/{id}": number("select id from withdrawal_address where owner_kind = 'merchant'"),
		"/trader/withdrawals/{id}":             fmt.Sprint(b.Withdrawn(t, "trader")),
		"/trader/withdrawals/addresses/{id}":   number("select id from withdrawal_address where owner_kind = 'trader'"),
		"/merchant/blocks/{id}": number(`insert into payer_block (kind, mark, shown, merchant_id, own, reason, created_at, created_by)
			values ('user', 'user:u', 'u', $1, true, 'why', now(), 'operator:1') returning id`, b.Merchant.ID),
		"/trader/requisites/{id}":  fmt.Sprint(b.Traders[0].Requisites[0]),
		"{event}":                  event,
		"{member}":                 member,
		"{step}":                   "off",
		"/merchant/consent/{user}": member,
		"/trader/consent/{user}":   number(owner),
		"{answer}":                 "refuse",
		"{cashbox}":                fmt.Sprint(b.Merchant.CashboxID),
		"{key}":                    number("select id from api_key where merchant_id = $1", b.Merchant.ID),
		"{replay}": number(`insert into webhook_replay (merchant_id, url, last_number, state, started_at)
			values ($1, $2, 0, 'running', now()) returning id`, b.Merchant.ID, portaltest.DeadURL),
		"/account/sessions/{id}": number("select id from session where user_id = (" + owner + ") limit 1"),
		"/account/notifications/{id}": number(`insert into notify_channel (id, user_id, channel, address, mark, label, created_at)
			values (1, (` + owner + `), 'mail', '', sha256(''), 'a@b', now()) returning id`),
		"/views/{id}": number(`insert into saved_view (user_id, name, path, query, created_at)
			values ((` + owner + `), 'mine', '/trader/payments', '', now()) returning id`),
	}
	b.Exec(t, `insert into passkey (id, user_id, name, credential, created_at)
		values ('\x0102', (`+owner+`), 'laptop', '{}', now())`)
	of["/account/passkeys/{id}"] = "AQI" // as base64url
	missing := maps.Clone(of)
	for name, id := range of {
		if name != "{step}" && name != "{n}" && name != "{answer}" {
			missing[name] = nobodys(id)
		}
	}
	return victims{of, missing}
}

// path is a pattern with ids put into it; "" where it names something of which
// there is no record.
func (v victims) path(pattern string, ids map[string]string) string {
	_, path, _ := strings.Cut(pattern, " ")
	for before, id := range ids {
		if strings.HasPrefix(path, before) {
			path = strings.Replace(strings.Replace(path, "{id}", id, 1), "{user}", id, 1)
		}
		if strings.HasPrefix(before, "{") {
			path = strings.ReplaceAll(path, before, id)
		}
	}
	if named.MatchString(path) {
		return ""
	}
	return path
}

// unowned are routes whose ids belong to nobody: a payout that waits is any
// trader's to take, who has the link of an invitation is whom it is for, and
// payers see a logo.
var unowned = []string{
	"POST /trader/payouts/{id}/take", "GET /invitation/{token}", "POST /invitation/{token}", "GET /logo/{hash}",
}

// removals say that it is done of whatever is not there, and so of another's.
var removals = []string{
	"POST /account/passkeys/{id}/remove", "POST /account/sessions/{id}/end", "POST /account/notifications/{id}/remove",
	"POST /views/{id}/remove",
}

// An id of another merchant's or trader's is answered, by every page and form
// of the portals, as one that nobody has. A route with a kind of id that is not
// among those tried fails.
func TestForeignIDs(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "merchant-support", caller.MerchantPortal, caller.Support, b.Merchant.ID)
	owners := map[string]*portaltest.Person{"/merchant/": b.As(t, caller.Owner), "/trader/": b.Trader(t, 0)}
	owners["/account/"], owners["/views/"] = owners["/trader/"], owners["/trader/"]
	strangers := map[string]*portaltest.Person{"/merchant/": b.Stranger(t), "/trader/": b.Trader(t, 1)}
	strangers["/account/"], strangers["/views/"] = strangers["/trader/"], strangers["/trader/"]
	v := makeVictims(t, b)
	before := kept(t, b)
	asked := 0
	for _, pattern := range slices.Sorted(maps.Keys(patterns(t, b.Services))) {
		method, path, _ := strings.Cut(pattern, " ")
		part := "/" + strings.SplitN(path, "/", 3)[1] + "/"
		if !named.MatchString(pattern) || part == "/operator/" || part == "/sandbox/" || path == "/{$}" ||
			slices.Contains(unowned, pattern) {
			continue
		}
		theirs, nobodys := v.path(pattern, v.of), v.path(pattern, v.missing)
		if theirs == "" || strangers[part] == nil {
			t.Errorf("%s: say whose id it names", pattern)
			continue
		}
		asked++
		foreign, missing := asks(t, strangers[part], method, theirs), asks(t, strangers[part], method, nobodys)
		want(t, pattern+": another's is", line(foreign.Code, unnamed(foreign, theirs)), line(missing.Code, unnamed(missing, nobodys)))
		code := http.StatusNotFound
		if slices.Contains(removals, pattern) {
			code = http.StatusSeeOther
		}
		want(t, pattern+" of somebody else", foreign.Code, code)
		if own := owners[part].Get(t, theirs); method == http.MethodGet && own.Code != http.StatusOK &&
			!strings.HasSuffix(theirs, "/proof.json") && // there is none before the day is over
			!strings.HasPrefix(own.To(), "/second-factor") && // it takes a fresh one
			!strings.HasSuffix(theirs, "/progress") && // none of its payouts is made yet
			!strings.HasSuffix(theirs, "/came") { // nothing waits for a decision
			t.Errorf("%s of their own: %d %s", pattern, own.Code, own.Text())
		}
	}
	want(t, "there was", kept(t, b), before)
	testenv.Check(t, asked >= 40, "only %d routes were asked", asked)
}

// asks sends what a page or form is asked by, with every field that a form may
// need.
func asks(t *testing.T, p *portaltest.Person, method, path string) portaltest.Answer {
	t.Helper()
	if method == http.MethodGet {
		return p.Get(t, path)
	}
	return p.Post(t, path, "token", uuid.NewString(), "status", "pending", "reason", "no money", "proof", "1",
		"name", "mine", "scopes", "payments", "on", "0", "role", "owner", "version", "1")
}

// unnamed is a page without the address that was asked for.
func unnamed(a portaltest.Answer, path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(a.Body, url.QueryEscape(path), "PATH"), path, "PATH")
}

// Every form of the portals refuses posts of other sites and of no browser,
// whoever is signed in. One route alone takes posts of programs: where a
// sandbox's webhooks arrive.
func TestForeignPostsEverywhere(t *testing.T) {
	testenv.OneByOne(t)
	b, p := portaltest.Trader(t)
	tried := 0
	for pattern := range patterns(t, b.Services) {
		method, path, _ := strings.Cut(pattern, " ")
		if method != http.MethodPost || strings.HasPrefix(path, "/sandbox/hooks/") {
			continue
		}
		path = named.ReplaceAllString(path, "1")
		for _, headers := range [][]string{
			{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
			{"Sec-Fetch-Site", "same-site", "Origin", "https://shop.portal.example"},
			{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, // a frame elsewhere
			{"Origin", "null"},
			{"Origin", "https://evil.example", "Referer", b.Server.URL + "/"},
			{"Referer", "https://evil.example/"},
			{},
		} {
			if a := p.PostForm(t, path, url.Values{"token": {uuid.NewString()}},
				headers...); a.Code != http.StatusForbidden || a.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s with %v: %d, cookie %q", pattern, headers, a.Code, a.Header.Get("Set-Cookie"))
			}
			tried++
		}
	}
	testenv.Check(t, tried >= 250, "only %d posts were tried", tried)
}

// Every answer of the portals, also a refusal, forbids frames, foreign content
// and guessed types, and is kept by no cache unless it is published for all.
// Only the preview of a hosted page may be framed, by ourselves.
func TestEveryAnswerIsProtected(t *testing.T) {
	testenv.OneByOne(t)
	b := portaltest.Parallel(t)
	b.User(t, "root", caller.Operator, caller.Admin, 0)
	visitors := []*portaltest.Person{b.Nobody(), b.Trader(t, 0), b.As(t, caller.Owner), b.SignIn(t, "root")}
	for pattern := range patterns(t, b.Services) {
		method, path, _ := strings.Cut(pattern, " ")
		if path == "/trader/live" || method == http.MethodPost && strings.HasPrefix(path, "/sign-") {
			continue // goes on for ever, and ends what is tried here
		}
		path = named.ReplaceAllString(strings.Replace(path, "{$}", "", 1), "1")
		for _, visitor := range visitors {
			a := asks(t, visitor, method, path)
			policy := a.Header.Get("Content-Security-Policy")
			framed := strings.Contains(policy, "frame-ancestors 'self'") && path == "/merchant/looks/preview"
			public := strings.HasPrefix(path, "/.well-known/")
			strict := strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; ") &&
				!strings.Contains(policy, "unsafe")
			testenv.Check(t, strict && (framed || strings.Contains(policy, "frame-ancestors 'none'") &&
				a.Header.Get("X-Frame-Options") == "DENY") && a.Header.Get("X-Content-Type-Options") == "nosniff" &&
				(public || a.Header.Get("Cache-Control") == "no-store"), "%s: %d %v", pattern, a.Code, a.Header)
		}
	}
}

// No page fails at what no text can be: a NUL, or bytes that are no character,
// in any part of an address.
func TestUnreadableAddresses(t *testing.T) {
	testenv.OneByOne(t)
	b := portaltest.Parallel(t)
	b.User(t, "root", caller.Operator, caller.Admin, 0)
	visitors := map[string]*portaltest.Person{
		"trader": b.Trader(t, 0), "merchant": b.As(t, caller.Owner), "operator": b.SignIn(t, "root"),
	}
	parameters := []string{
		"q", "key", "code", "status", "method", "type", "currency", "subject", "owner", "kind", "url", "bank", "after",
		"before", "state", "next", "lang", "at", "days",
	}
	asked := 0
	for _, pattern := range slices.Sorted(maps.Keys(patterns(t, b.Services))) {
		method, path, _ := strings.Cut(pattern, " ")
		visitor := visitors[strings.Split(path, "/")[1]]
		if method != http.MethodGet || path == "/trader/live" || visitor == nil {
			continue
		}
		for _, bytes := range []string{"a%00", "%ff"} {
			addresses := []string{named.ReplaceAllString(path, bytes)}
			if addresses[0] == path {
				addresses = append(addresses, path+"?"+strings.Join(parameters, "="+bytes+"&")+"="+bytes)
			}
			for _, parameter := range testenv.Pick(t, nil, parameters) { // what is said of one may hide another
				if asked++; addresses[0] == path && asked%7 == 0 {
					addresses = append(addresses, path+"?"+parameter+"="+bytes)
				}
			}
			for _, address := range addresses {
				a := visitor.Get(t, address)
				testenv.Check(t, a.Code < http.StatusInternalServerError, "%s: %d", address, a.Code)
			}
		}
	}
}

package portals_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/docs"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portal/say"
)

// traderPages are those that a trader and whoever signs in sees.
func traderPages(t testing.TB, b *portaltest.Bundle, p *portaltest.Person) []string {
	t.Helper()
	open, ended := b.Create(t, "1500"), b.Create(t, "1600")
	testenv.Must(b.Payments.Claim(t.Context(), open.UUID))(t)
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), ended.ID))(t)
	taken := b.PayOut(t, 1)[0]
	p.Post(t, taken+"/take")
	path := fmt.Sprintf("/trader/payments/%d", open.ID)
	message, _ := forwarded(t, b)
	_, asked := b.OpenedAppeal(t, "It was paid.")
	testenv.NoError(t, b.Payments.WriteThread(t.Context(), portaltest.Admin, asked, "Did 1,500 ₽ come from Ivan P. at 12:05?"))
	w := fmt.Sprintf("/trader/withdrawals/%d", b.Withdrawn(t, "trader"))
	return []string{
		"/trader/withdrawals", w, w + "/cancel", "/trader/withdrawals/new", "/trader/withdrawals/addresses",
		"/trader/withdrawals/addresses/new", "/trader/withdrawals/addresses/1/remove",
		"/trader", "/trader/earnings", "/trader/earnings?days=1", "/sign-in", "/account", "/account/notifications", "/offline", "/account/password", "/second-factor", "/second-factor/enrol",
		"/second-factor/app", "/second-factor/passkey", path + "/confirm", path + "/cancel", path,
		fmt.Sprintf("/trader/payments/%d", ended.ID), "/trader/payments",
		"/trader/payments?status=completed&q=nothing", "/trader/payments?from=nonsense", "/trader/payouts",
		"/trader/requisites", "/trader/requisites/new", fmt.Sprintf("/trader/requisites/%d", b.Traders[0].Requisites[0]),
		fmt.Sprintf("/trader/requisites/%d/statement", b.Traders[0].Requisites[0]), "/trader/statement",
		"/trader/arrivals", "/trader/arrivals/new", "/trader/messages", "/trader/messages/phones/new", fmt.Sprintf("/trader/requisites/%d/messages", b.Traders[0].Requisites[0]),
		fmt.Sprintf("/trader/messages/%d/object", message), fmt.Sprintf("/trader/messages/%d/keep", message), "/trader/search",
		"/trader/appeals", fmt.Sprintf("/trader/appeals/%d", asked),
		taken, taken + "/complete", taken + "/fail", taken + "/give-back", invitation(t, b), "/trader/nothing",
		"/trader/payments/987654",
	}
}

// forwarded is a message that waits, of a phone that the trader has paired.
func forwarded(t testing.TB, b *portaltest.Bundle) (message, phoneID int64) {
	t.Helper()
	phone := testenv.Must(b.Services.Messages.CreateDevice(t.Context(), b.AsTrader(), "Pixel"))(t)
	testenv.NoError(t, b.Services.Messages.SetRule(t.Context(), b.AsTrader(), bankmessage.NewRule{
		RequisiteID: b.Traders[0].Requisites[0], DeviceID: phone.ID, Bank: "sber", Mode: bankmessage.On, Most: "5000",
	}))
	who := caller.Caller{Kind: caller.Device, ID: phone.ID, TraderID: b.Traders[0].ID}
	testenv.Must(b.Services.Messages.Receive(t.Context(), who, bankmessage.Forwarded{
		ID: "1", Kind: "sms", Sender: "900", Text: "Перевод по СБП от Иван <b>П. + 1500 ₽",
	}))(t)
	b.Get(t, &message, "select max(id) from bank_message")
	return message, phone.ID
}

// invitation is the page by which somebody sets their password.
func invitation(t testing.TB, b *portaltest.Bundle) string {
	t.Helper()
	link := testenv.Must(b.Sessions.InviteMember(t.Context(), b.AsMerchant(), "invited", caller.Support))(t)
	_, token, _ := strings.Cut(link, "/invitation/")
	return "/invitation/" + token
}

// manualPages are those of the operators' manual.
func manualPages() []string {
	var pages []string
	for _, page := range docs.Operate(say.English) {
		pages = append(pages, portal.ManualPart(page.Name, ""))
	}
	return pages
}

// operatorPages are the operators' pages that need no subject.
var operatorPages = append(manualPages(), []string{
	"/operator", "/operator/simulator", "/operator/payments", "/operator/payouts",
	"/operator/deposits", "/operator/links", "/operator/links?status=closed&q=lamp", "/operator/appeals", "/operator/overdue", "/operator/cases", "/operator/conflicts", "/operator/objections", "/operator/transfers", "/operator/events/dead", "/operator/events/failing",
	"/operator/audit", "/operator/audit?status=sign_in&q=root", "/operator/audit?from=nonsense",
	"/operator/reconciliation", "/operator/alarms", "/operator/search", "/operator/search?q=payout",
}...)

// casePages are the pages about what operators decide, each with something on
// it.
func casePages(t testing.TB, b *portaltest.Bundle, _ *portaltest.Person) []string {
	t.Helper()
	d := b.Deposited(t, "250.5", "<b>first")
	_, open := b.OpenedAppeal(t, strings.Repeat("It was paid. ", 20))
	p, reviewed := b.OpenedAppeal(t, "it was paid, too")
	testenv.Must(b.Payments.ReviewAppeal(t.Context(), portaltest.Admin, reviewed))(t)
	testenv.NoError(t, b.Payments.WriteThread(t.Context(), portaltest.Admin, reviewed, strings.Repeat("Did it come? ", 30)))
	testenv.NoError(t, b.Payments.WriteThread(t.Context(), b.AsTrader(), reviewed, strings.Repeat("No.", 90)))
	b.Tell(t, b.Merchant, 901, "dead")
	payouts := b.TakenPayouts(t, 2)
	processing, proof, elsewhere := "/operator/payouts/"+payouts[0], "42", "https://elsewhere.example"
	testenv.Must(b.Payouts.Complete(t.Context(), b.AsTrader(), payouts[1], &proof))(t)
	replay := testenv.Must(b.Services.Events.Replay(t.Context(), portaltest.Admin,
		webhook.Replay{MerchantID: &b.Merchant.ID, URL: &elsewhere}))(t)
	b.Clock.Advance(31 * time.Minute)
	b.Exec(t, "update payment set payer_user_id = 'payer-1'")
	deposit, appeal := fmt.Sprintf("/operator/deposits/%d", d.ID), fmt.Sprintf("/operator/appeals/%d", reviewed)
	b.Exec(t, "update payment set received_amount = 1 where id = $1", p.ID)
	_, objected := b.Objected(t, "1700", strings.Repeat("It never came. ", 20))
	objection := fmt.Sprintf("/operator/objections/%d", objected)
	conflict := fmt.Sprintf("/operator/conflicts/%d", b.Conflicting(t, p.ID))
	b.Exec(t, `insert into chain_cursor (network, start_number, block_number, block_hash, head_number, leased_until)
		values ('TRC20', 1, 1, 'b', 100, now())`)
	b.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) select 'TRC20', repeat('ab', 31) || n, 0, 'in', 95, 'b',
		'T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', n, 'seen', now(), now() from generate_series(10, 12) n`)
	b.Exec(t, `insert into deposit_transfer (transfer_id, actor, at, merchant_id, deposit_id) select id, 'chain', now(),
		case amount when 10 then $1::bigint end, case amount when 10 then $2::bigint end from chain_transfer`, b.Merchant.ID, d.ID)
	b.Exec(t, `insert into chain_node (network, host, head_number, trouble, asked_at) values
		('TRC20', 'one.example', 100, '', now()), ('TRC20', 'two.example', 0, 'eth_getLogs: no answer', now())`)
	dead := fmt.Sprintf("/operator/events/dead/confirm?merchant=%d&url=%s", b.Merchant.ID, url.QueryEscape(portaltest.DeadURL))
	w := fmt.Sprintf("/operator/withdrawals/%d", b.Withdrawn(t, "trader"))
	handed := fmt.Sprintf("/operator/withdrawals/%d", b.HandedOver(t))
	b.Exec(t, `insert into payment_link (uuid, merchant_id, cashbox_id, title, amount, methods, callback_uri, created_at, created_by, picture_hash)
		values (gen_random_uuid(), $1, $2, 'A lamp', 1500, '{}', '', now(), 'merchant_portal:1', 'abc')`, b.Merchant.ID, b.Merchant.CashboxID)
	return []string{
		"/operator/links/1",
		"/operator/withdrawals", "/operator/withdrawals?status=requested", "/operator/hand-overs", w, w + "/approve", w + "/reject",
		handed, handed + "/hash", handed + "/complete", handed + "/fail", "/operator/withdrawal-terms", "/operator/withdrawal-terms/TRC20",
		deposit, deposit + "/confirm", deposit + "/reject", appeal, fmt.Sprintf("/operator/appeals/%d/review", open),
		appeal + "/accept", appeal + "/refuse", processing, processing + "/complete", processing + "/fail",
		processing + "/reclaim", conflict, conflict + "/close", "/operator/objections", objection, objection + "/uphold", objection + "/reject", fmt.Sprintf("/operator/payments/%d", p.ID), dead,
		fmt.Sprintf("/operator/payments/%d/came?decision=return", p.ID), fmt.Sprintf("/operator/payments/%d/came", p.ID),
		"/operator", "/operator/payouts/" + payouts[1] + "/reverse",
		fmt.Sprintf("/operator/events/replays/%d", *replay.ID),
		fmt.Sprintf("/operator/payer?merchant=%d&user=payer-1", b.Merchant.ID),
	}
}

// developerPages are those of a merchant's developers.
func developerPages(t testing.TB, b *portaltest.Bundle, p *portaltest.Person) []string {
	t.Helper()
	sent, dead := b.Tell(t, b.Merchant, 1, "delivered"), b.Tell(t, b.Merchant, 2, "dead")
	b.Attempt(t, sent, 500, 40, "<h1>broken</h1>")
	b.Attempt(t, sent, 200, 80, "ok")
	var key int64
	b.Get(t, &key, "select id from api_key where key_id = $1", b.Merchant.KeyID)
	member := b.User(t, "<i>member</i>", caller.MerchantPortal, caller.Support, b.Merchant.ID)
	confirm := p.Page(t, "/merchant/developers/resend").Find("tbody a").AttrOr("href", "/none")
	replay := p.Post(t, "/merchant/developers/resend", hidden(p.Page(t, confirm))...).To()
	b.Tell(t, b.Merchant, 3, "dead")
	return []string{
		"/merchant/developers/webhooks", fmt.Sprintf("/merchant/team/%d/off", member), confirm, replay, "/merchant/team",
		"/merchant/team/invite", fmt.Sprintf("/merchant/team/%d", member), "/merchant/developers/doctor", "/merchant/log",
		"/merchant/developers/keys", "/merchant/developers/requests", "/merchant/looks", b.BoxPath("keys/new"),
		b.BoxPath(fmt.Sprintf("keys/%d/limits", key)), b.BoxPath(fmt.Sprintf("keys/%d/revoke", key)),
		b.BoxPath("secret"), b.BoxPath("test"), "/merchant/developers/events", "/merchant/developers/events/" + sent,
		"/merchant/developers/events/" + dead + "/resend", "/merchant/developers/resend",
	}
}

// What the signature check has found is for everybody, too.
func TestAccessibleDiagnosis(t *testing.T) {
	testenv.Long(t, "other pages are examined")
	rules := browsertest.Rules(t)
	b := portaltest.Parallel(t)
	tab := b.As(t, caller.Developer).Tab(t, b.Server.URL)
	tab.Examining(rules)
	tab.Open(b.Server.URL + "/merchant/developers/doctor")
	request := fmt.Sprintf(
		"POST /api/v1/payments HTTP/1.1\nX-Merchant-Key-Id: %s\nX-Merchant-Secret: %s\nSignature: %s\n\n{}",
		b.Merchant.KeyID, b.Merchant.Secret, strings.Repeat("ab", 20))
	browsertest.Eval[bool](tab, fmt.Sprintf("document.getElementById('request').value = %q, true", request))
	tab.Click("form.card button.primary")
	tab.Await("[role=status]", "The signature has the length of SHA-1: use HMAC-SHA256.")
	for _, theme := range []string{"light", "dark"} {
		tab.Theme(theme)
		tab.Finds(theme, browsertest.Examine)
	}
}

// directoryPages are those of the directory.
func directoryPages(t testing.TB, b *portaltest.Bundle, admin *portaltest.Person) []string {
	t.Helper()
	requisite := fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0])
	trader := fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID)
	box := fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID)
	b.Exec(t, "update cashbox set page_logo = 'x', page_logo_hash = $1 where id = $2", logoOfX, b.Merchant.CashboxID)
	for i := range 3 {
		admin.Made(t, requisite, "dailyCount", strconv.Itoa(20+i), "holder", "A holder with a rather long name")
	}
	admin.Made(t, trader+"/processor", "url", "https://cards.example/of/a/rather/long/path/that/goes/on",
		"keyId", "k1", "secret", "0123456789abcdef")
	id := b.User(t, "a.very.long.login.of.somebody@example.com", caller.MerchantPortal, caller.Owner, b.Merchant.ID)
	b.User(t, "desk", caller.Trader, caller.Desk, b.Traders[0].ID)
	_, phone := forwarded(t, b)
	who := caller.Caller{Kind: caller.Device, ID: phone, TraderID: b.Traders[0].ID}
	testenv.Must(b.Services.Messages.Receive(t.Context(), who, bankmessage.Forwarded{
		ID: "unknown", Kind: "push", Sender: "a.bank.with.a.rather.long.name", Text: strings.Repeat("Nobody <b>knows 5 of this. ", 9),
	}))(t)
	return []string{
		fmt.Sprintf("/operator/users/%d", id), "/operator/merchants", "/operator/merchants?q=nothing&on=0",
		"/operator/merchants/new", fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID), "/operator/cashboxes",
		"/operator/cashboxes/new", box, box + "/methods/sbp", box + "/payouts/sbp", "/operator/traders",
		"/operator/traders/new", trader, trader + "/payouts/RUB/sbp", trader + "/processor",
		trader + "/processor/remove", "/operator/requisites", "/operator/requisites/new", requisite,
		"/operator/users", "/operator/users/new", fmt.Sprintf("/operator/users/%d/off", id), "/operator/limits",
		fmt.Sprintf("/operator/merchants/%d/switch", b.Merchant.ID), trader + "/switch", box + "/switch", box + "/logo", requisite + "/switch",
		requisite + "/statement",
		"/operator/messages", "/operator/receiving", "/operator/receiving/TRC20", "/operator/patterns", "/operator/limits/RUB", "/operator/banks", "/operator/banks/RUB", "/operator/blocks", "/operator/blocks/new",
		admin.Made(t, "/operator/blocks/new", "kind", "address", "value", "192.0.2.1", "reason", strings.Repeat("why ", 40)),
	}
}

// merchantPages are those there are for a merchant.
func merchantPages(t testing.TB, b *portaltest.Bundle, p *portaltest.Person) []string {
	t.Helper()
	failed, open := b.Failed(t, "1500"), b.Create(t, "1600")
	b.Failed(t, "1700")
	a := p.Upload(t, fmt.Sprintf("/merchant/payments/%d/appeal", failed.ID),
		hidden(p.Page(t, fmt.Sprintf("/merchant/payments/%d/appeal", failed.ID)), "reason", "Paid", "receipt", "1"), "",
		"")
	a2 := p.Post(t, "/merchant/deposits", hidden(p.Page(t, "/merchant/deposits/new"), "cashbox",
		fmt.Sprint(b.Merchant.CashboxID), "network", "TRC20", "amount", "10", "address",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")...)
	b.Exec(t, "insert into receiving_address select network, address from deposit")
	path := fmt.Sprintf("/merchant/payments/%d", open.ID)
	b.Exec(t, "update payment set payer_user_id = 'payer-1'")
	payout := strings.Replace(b.PayOut(t, 1)[0], "trader", "merchant", 1)
	w := fmt.Sprintf("/merchant/withdrawals/%d", b.Withdrawn(t, "merchant"))
	files := "/merchant/payout-files"
	unmade := fmt.Sprintf("%s/%d", files, b.PayoutFile(t, "unmade").ID)
	made := fmt.Sprintf("%s/%d", files, b.PayoutFile(t, "made").ID)
	p.Post(t, made+"/pay", hidden(p.Page(t, made+"/pay"))...)
	return []string{
		files, files + "/new", unmade, unmade + "/pay", made,
		"/merchant/withdrawals", w, w + "/cancel", "/merchant/withdrawals/new", "/merchant/withdrawals/addresses",
		"/merchant/withdrawals/addresses/new", "/merchant/withdrawals/addresses/1/remove",
		"/merchant/payments", payout, payout + "/cancel", path + "/print",
		"/merchant/payments?status=completed&q=nothing", path, fmt.Sprintf("/merchant/payments/%d", failed.ID),
		path + "?at=never", fmt.Sprintf("/merchant/payments/%d/appeal", failed.ID+2), "/merchant/payouts",
		"/merchant/appeals", a.To(), "/merchant/deposits", "/merchant/deposits/new", a2.To(), "/merchant/balance",
		"/merchant/statement", "/merchant/search?q=1", "/merchant/payer?user=payer-1", "/merchant/blocks", "/merchant/blocks/new",
		"/merchant/links", "/merchant/links/new", p.Post(t, "/merchant/links", hidden(p.Page(t, "/merchant/links/new"), "cashbox",
			fmt.Sprint(b.Merchant.CashboxID), "title", "A lamp", "amount", "1500")...).To(),
		p.Made(t, "/merchant/blocks/new", "kind", "user", "value", "payer-1", "reason", "a chargeback"),
	}
}

// moneyPages are the pages of rates and money.
func moneyPages(t testing.TB, b *portaltest.Bundle, p *portaltest.Person) []string {
	t.Helper()
	fund := p.Get(t, "/operator/money/fund/confirm?"+fundQuery(b, "5", "tx")+"&reason=Why")
	approval := p.Post(t, "/operator/money/fund", hidden(fund.Page(t))...).To()
	made := b.Create(t, "1000")
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), made.ID))(t)
	proposed := p.Post(t, "/operator/rates/feeds/new",
		hidden(p.Page(t, "/operator/rates/feeds/new"), feed("https://rates.example/v1")...)...).To()
	second := treasurer(t, b, "second")
	wantIn(t, "the proposal of a feed", second.Get(t, proposed).Text(), "https://rates.example/v1")
	second.Post(t, proposed+"/approve", hidden(second.Page(t, proposed))...)
	for i := range 300 {
		testenv.NoError(t, b.Queries().RateObservationAdd(t.Context(), db.RateObservationAddParams{
			FeedID: 1, Now: b.Clock.Now().Add(time.Duration(i-340) * 4 * time.Minute),
			FiatPerUSDT: decimal.NewFromInt(int64(9900 + i*i%97)).Shift(-2),
		}))
	}
	routing := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=", b.Merchant.CashboxID)
	return []string{
		"/operator/rates", proposed, "/operator/rates?currency=RUB&amount=1500&markup=4.5&traderShare=1.5",
		"/operator/rates?currency=RUB&amount=nothing", "/operator/rates/feeds/new", "/operator/routing",
		routing + "1500", routing + "nothing", fmt.Sprintf("/operator/routing/payments/%d", made.ID),
		fmt.Sprintf("/operator/routing/traders/%d", b.Traders[0].ID),
		"/operator/money/withdraw", "/operator/money/insurance",
		fmt.Sprintf("/operator/money/insurance/confirm?cashboxId=%d&amount=5&reason=Why", b.Merchant.CashboxID),
		fmt.Sprintf("/operator/money/correct/confirm?from=trader+%d&to=platform&amount=1&reference=a&reason=b", b.Traders[0].ID),
		fmt.Sprintf("/operator/money/withdraw/confirm?traderId=%d&amount=1&reference=out&reason=Why", b.Traders[0].ID),
		"/operator/rates/set?currency=RUB", "/operator/rates/feeds/1",
		"/operator/rates/set/confirm?currency=RUB&fiatPerUsdt=120&reason=Why", "/operator/money",
		"/operator/money/fund", "/operator/money/correct", "/operator/money/fund/confirm?traderId=x",
		"/operator/money/fund/confirm?" + fundQuery(b, "5", "tx"), "/operator/approvals", approval,
		"/operator/accounts",
		fmt.Sprintf("/operator/accounts/statement?owner=%d", ledger.Available(ledger.Trader, b.Traders[0].ID).ID()),
		"/operator/income",
	}
}

// sandboxPages are those of a sandbox, with something made and a webhook that
// came.
func sandboxPages(t testing.TB, b *portaltest.Bundle, p *portaltest.Person) []string {
	t.Helper()
	p.Post(t, "/sandbox/payments", "cashbox", strconv.FormatInt(b.Merchant.CashboxID, 10), "method", "sbp", "amount", "900")
	b.Deliver(t, `{"type":"payment.status.updated","data":{"uuid":"u-1","status":"COMPLETED"}}`, portaltest.HookSecret)
	return []string{"/", "/sandbox/inbox", "/sandbox/wallet", "/sandbox/message?payment=1"}
}

// A phone, which shows no menu, says which page it is also where the page is
// not in the menu.
func TestPhoneSaysWhere(t *testing.T) {
	_, p := portaltest.Member(t, caller.Owner)
	for path, said := range map[string]string{
		"/merchant/payouts": "Payments › Payouts", "/merchant/search?q=1": "Search", "/account/notifications": "Notifications",
		"/merchant/nothing": "Page not found",
	} {
		want(t, path, words(p.Get(t, path).Page(t).Find(".pocket span")), said)
	}
}

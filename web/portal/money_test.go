package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/audit"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
)

// watched has every action take a second operator: rates beyond 5%, deposits and insurances above 10.
func (b *bundle) watched() {
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10), RatePercent: decimal.NewFromInt(5)}
	b.settings.FourEyes, b.rates.FourEyes, b.deposits.FourEyes = rules, rules, rules
}

func (b *bundle) treasurer(t testing.TB, login string) *person {
	t.Helper()
	b.user(t, login, caller.Operator, caller.Treasury, 0)
	return b.signIn(t, login)
}

// traderHas wants the first trader to have so many USDT available.
func (b *bundle) traderHas(t *testing.T, usdt string) {
	t.Helper()
	want(t, "the trader has", b.Balance(t, ledger.Available(ledger.Trader, b.traders[0].ID)).String(), usdt)
}

func (b *bundle) fundQuery(amount, reference string) string {
	return fmt.Sprintf("traderId=%d&amount=%s&reference=%s", b.traders[0].ID, amount, reference)
}

const evil = `<script>alert(1)</script>`

// One operator proposes, sees who must approve it, and another one approves it. What was typed is shown as
// it was typed.
func TestFundWithFourEyes(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.watched()
	one := b.treasurer(t, "one")
	wantIn(t, "alone", one.get(t, "/operator/money/fund").text(), "Nobody else can approve yet")
	const band = "no second one can decide yet"
	wantIn(t, "any page, alone", one.get(t, "/account").body, band)
	two := b.treasurer(t, "two")
	wantNot(t, "two are there", one.get(t, "/account").body, band)
	sure := one.get(t,
		"/operator/money/fund/confirm?"+b.fundQuery("5,5", "tx-1")+"&reason="+"%3Cscript%3Ealert(1)%3C/script%3E")
	for _, word := range []string{"5.5 USDT", "1 000.00 USDT", "tx-1", evil, "another operator has to approve"} {
		wantIn(t, "the page", strings.ToLower(strings.ReplaceAll(sure.text(), " ", " ")), strings.ToLower(word))
	}
	wantNot(t, "the reason is not escaped", sure.body, evil)
	fields := hidden(sure.page(t))
	first := one.post(t, "/operator/money/fund", fields...)
	again := one.post(t, "/operator/money/fund", fields...)
	path := first.to()
	if !strings.HasPrefix(path, "/operator/approvals/") || again.to() != path {
		t.Fatalf("%d to %q, again to %q: %s", first.code, path, again.to(), first.text())
	}
	b.traderHas(t, "1000")
	own := one.get(t, path)
	if !strings.Contains(own.text(), "You proposed this") || strings.Contains(own.body, path+"/approve") ||
		strings.Contains(own.body, evil) {
		t.Errorf("their own: %s", own.text())
	}
	want(t, "their own is approved", one.post(t, path+"/approve").code, http.StatusForbidden)
	b.traderHas(t, "1000")
	wantIn(t, "nothing to approve", two.get(t, path).body, path+"/approve")
	want(t, "approved", two.post(t, path+"/approve").to(), path)
	b.traderHas(t, "1005.5")
	// A second time it is decided already.
	two.post(t, path+"/approve")
	wantIn(t, "again", two.get(t, path).text(), "Somebody has decided this already", "two")
	b.traderHas(t, "1005.5")
	log := two.page(t, "/operator/audit?status=decision&status=proposal").Find("tbody tr")
	want(t, "lines of the log", log.Length(), 2)
	leads, _ := log.First().Find("a[href^='/operator/approvals/']").Attr("href")
	want(t, "where the decision leads", leads, path)
	wantIn(t, "the log says", log.Text(), "Fund a trader · Trader №", "Approved")
	b.Audit(t)
}

// Two operators who approve at the same time have it done once.
func TestApprovedByTwo(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.watched()
	one := b.treasurer(t, "one")
	sure := one.get(t, "/operator/money/fund/confirm?"+b.fundQuery("5", "tx-1"))
	path := one.post(t, "/operator/money/fund", hidden(sure.page(t))...).to()
	var wait sync.WaitGroup
	for _, p := range []*person{b.treasurer(t, "two"), b.treasurer(t, "three")} {
		wait.Go(func() { p.post(t, path+"/approve") })
	}
	wait.Wait()
	b.traderHas(t, "1005")
	b.Audit(t)
}

// What cannot be done is said, and the proposal stays; what is refused is not done.
func TestStaleAndRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.watched()
	one, two := b.treasurer(t, "one"), b.treasurer(t, "two")
	sure := one.get(t, "/operator/money/withdraw/confirm?"+b.fundQuery("1000.5", "tx-1"))
	path := one.post(t, "/operator/money/withdraw", hidden(sure.page(t))...).to()
	a := two.post(t, path+"/approve")
	wantAnswer(t, "too much", a, http.StatusConflict, "does not hold that much")
	wantIn(t, "not open", two.get(t, path).text(), "Open")
	if a := two.post(t, path+"/refuse", "reason", strings.Repeat("x", 501)); a.code != http.StatusUnprocessableEntity {
		t.Errorf("a long reason: %d", a.code)
	}
	want(t, "refused", two.post(t, path+"/refuse", "reason", evil).to(), path)
	if a := two.get(t, path); !strings.Contains(a.text(), evil) || strings.Contains(a.body, evil) {
		t.Errorf("the refusal: %s", a.text())
	}
	b.traderHas(t, "1000")
}

// Every form says what is wrong with it, and keeps what was typed.
func TestWrongMoney(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	for path, words := range map[string]string{
		"/operator/money/fund/confirm?traderId=x&amount=1e3&reference=":                              "must be a number",
		"/operator/money/fund/confirm?traderId=999999&amount=5&reference=a":                          "There is no such trader",
		"/operator/money/insurance/confirm?cashboxId=999999&amount=5":                                "There is no such cashbox",
		"/operator/money/correct/confirm?from=bank&to=platform&amount=1&reference=a&reason=b":        "must be platform",
		"/operator/money/correct/confirm?from=trader+9999&to=platform&amount=1&reference=a&reason=b": "There is no such account",
		"/operator/rates/set/confirm?currency=XXX&fiatPerUsdt=1":                                     "not a currency",
		"/operator/rates/set/confirm?currency=RUB&fiatPerUsdt=0":                                     "must be more than 0",
		"/operator/rates/set/confirm?currency=RUB&fiatPerUsdt=-5&validMinutes=x":                     "plain decimal",
	} {
		a := one.get(t, path)
		wantAnswer(t, path, a, http.StatusUnprocessableEntity, words)
	}
}

// A correction moves what it says between two accounts, at once without four eyes, and its statement has it.
func TestCorrection(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	query := fmt.Sprintf("from=trader+%d&to=platform&amount=2.5&reference=c1&reason=Typed+twice", b.traders[0].ID)
	sure := one.get(t, "/operator/money/correct/confirm?"+query)
	if a := one.post(t, "/operator/money/correct", hidden(sure.page(t))...); a.to() != "/operator/money" {
		t.Fatalf("%d to %q: %s", a.code, a.to(), a.text())
	}
	b.traderHas(t, "997.5")
	b.Audit(t)
	page := one.page(t, fmt.Sprintf("/operator/accounts/statement?owner=%d", ledger.Available(ledger.Platform, 0).ID()))
	text := strings.Join(strings.Fields(page.Find("main").Text()), " ")
	wantIn(t, "the platform's statement", text, "Correction by the operator", "+2.50000000")
	csv := one.get(t,
		fmt.Sprintf("/operator/accounts/statement.csv?owner=%d", ledger.Available(ledger.Platform, 0).ID())).body
	wantIn(t, "the file", csv, "correction,correction,", "2.50000000,2.50000000\nrows,1")
	list := one.get(t, "/operator/accounts?type=trader").text()
	if !strings.Contains(list, "997.50000000") || strings.Contains(list, "Cashbox №") {
		t.Errorf("accounts: %s", list)
	}
}

// A rate that is set is restated with its distance; beyond the band it waits for a second operator.
func TestSetRatePage(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.watched()
	one := b.treasurer(t, "one")
	set := func(value, distance string) answer {
		t.Helper()
		sure := one.get(t, "/operator/rates/set/confirm?currency=RUB&validMinutes=60&fiatPerUsdt="+value)
		wantIn(t, value+": nothing of", sure.text(), distance, "100.00")
		return one.post(t, "/operator/rates/set", hidden(sure.page(t))...)
	}
	if a := set("105.01", "+5.01 %"); !strings.HasPrefix(a.to(), "/operator/approvals/") {
		t.Errorf("beyond the band: to %q", a.to())
	}
	want(t, "within the band: to", set("95", "−5.00 %").to(), "/operator/rates")
	known, err := rate.Current(t.Context(), b.Queries(), "RUB", b.clock.Now())
	if err != nil || known.FiatPerUSDT.String() != "95" {
		t.Errorf("%s %v", known.FiatPerUSDT, err)
	}
	text := one.get(t, "/operator/rates").text()
	wantIn(t, "the page", text, "USDT/RUB", "95.00", "By hand", "±5", "No rate")
}

// A feed is made, shown with its health and the day's chart, and changed.
func TestFeedPages(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	form := []string{
		"currency", "RUB", "enabled", "on", "url", "https://rates.example/v1?key=hunter2", "pointer", "/rate",
		"priority", "1", "pollSeconds", "60", "timeoutMs", "5000", "bandPercent", "3", "dayBandPercent", "10",
		"freshSeconds", "300",
	}
	token := func(path string) []string { return hidden(one.page(t, path)) }
	bad := append(token("/operator/rates/feeds/new"), form...)
	bad = append(bad[:len(bad)-1], "0")
	if a := one.post(t, "/operator/rates/feeds/new", bad...); a.code != http.StatusUnprocessableEntity ||
		!strings.Contains(a.body, "hunter2") {
		t.Errorf("a wrong feed: %d", a.code)
	}
	if a := one.post(
		t,
		"/operator/rates/feeds/new",
		append(token("/operator/rates/feeds/new"), form...)...); a.to() != "/operator/rates" {
		t.Fatalf("%d %s", a.code, a.text())
	}
	ctx := t.Context()
	for i, value := range []string{"99", "101.5"} {
		noError(t, b.Queries().RateObservationAdd(ctx, db.RateObservationAddParams{
			FeedID:      1,
			Now:         b.clock.Now().Add(time.Duration(i-2) * time.Hour),
			FiatPerUSDT: decimal.RequireFromString(value),
		}))
	}
	b.Exec(t, `update rate_feed set good_at = $1, failed_at = $1, failures = 3, last_error = $2`,
		b.clock.Now(), evil)
	a := one.get(t, "/operator/rates")
	wantIn(t, "the page", a.text(), "rates.example", evil, "99.00 – 101.50", "±3")
	wantNot(t, "what strangers wrote is not escaped, or the key shows", a.body, evil, "hunter2")
	want(t, "the line goes", a.page(t).Find("polyline").AttrOr("points", ""), "1320,96.0 1380,4.0")
	form[3] = "off"
	if a := one.post(
		t,
		"/operator/rates/feeds/1",
		append(token("/operator/rates/feeds/1"), form...)...); a.to() != "/operator/rates" {
		t.Errorf("%d %s", a.code, a.text())
	}
}

// Income is what the platform got on a day less what it gave back on it: of a payment of 1000 RUB at 100,
// marked up by 5%, 10 − 9.52380952 = 0.47619048, since the trader's share is nothing. An appeal that is lost
// a day later counts on that day.
func TestIncome(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	p := b.create(t, "1000")
	_, err := b.payments.Confirm(t.Context(), b.asTrader(), p.ID)
	noError(t, err)
	text := one.get(t, "/operator/income").text()
	wantIn(t, "today", text, "0.47619048")
	b.clock.Advance(26 * time.Hour)
	noError(t, report.Work(t.Context(), b.Pool, b.clock))
	_, _, err = b.payments.UpdateStatus(
		t.Context(), caller.Caller{Kind: caller.Application}, p.ID, payment.Update{Status: "failed"})
	noError(t, err)
	b.Audit(t)
	for by, wanted := range map[string]string{
		"day":      "DayEarnedGiven backNet 2026-11-21 0.00000000 0.47619048 −0.47619048 2026-11-20 0.47619048 0.00000000 0.47619048",
		"merchant": fmt.Sprintf("Merchant № %d 0.47619048 0.47619048 0.00000000", b.merchant.ID),
		"method":   "0.47619048 0.47619048 0.00000000",
	} {
		wantIn(t, by, one.get(t, "/operator/income?by="+by).text(), wanted)
	}
	csv := one.get(t, "/operator/income.csv").body
	wanted := fmt.Sprintf("day,merchant_id,merchant,subject,method,currency,earned_usdt,reversed_usdt,net_usdt\n"+
		"2026-11-21,%[1]d,Merchant,payment,sbp,RUB,0.00000000,0.47619048,-0.47619048\n"+
		"2026-11-20,%[1]d,Merchant,payment,sbp,RUB,0.47619048,0.00000000,0.47619048\nrows,2\n", b.merchant.ID)
	want(t, "the file", csv, wanted)
	// The audit notices what is not so.
	b.Exec(t, "update income_day set earned = 1")
	broken, err := audit.Everything(t.Context(), b.Pool)
	if err != nil || len(broken) != 1 || !strings.Contains(broken[0].Detail, "should have 0.47619048 and 0") {
		t.Errorf("the audit found %v, %v", broken, err)
	}
}

// moneyPages are the pages of rates and money, by what they show.
func (b *bundle) moneyPages(t testing.TB, p *person) map[string]string {
	t.Helper()
	fund := p.get(t, "/operator/money/fund/confirm?"+b.fundQuery("5", "tx")+"&reason=Why")
	approval := p.post(t, "/operator/money/fund", hidden(fund.page(t))...).to()
	made := b.create(t, "1000")
	_, err := b.payments.Confirm(t.Context(), b.asTrader(), made.ID)
	noError(t, err)
	form := []string{
		"currency", "RUB", "enabled", "on", "url", "https://rates.example/v1", "pointer", "/rate", "priority", "1",
		"pollSeconds", "60", "timeoutMs", "5000", "bandPercent", "3", "dayBandPercent", "10", "freshSeconds", "300",
	}
	feed := p.post(t, "/operator/rates/feeds/new", append(hidden(p.page(t, "/operator/rates/feeds/new")), form...)...).
		to()
	second := b.treasurer(t, "second")
	wantIn(t, "the proposal of a feed", second.get(t, feed).text(), "https://rates.example/v1")
	second.post(t, feed+"/approve", hidden(second.page(t, feed))...)
	for i := range 300 {
		noError(t, b.Queries().RateObservationAdd(t.Context(), db.RateObservationAddParams{
			FeedID:      1,
			Now:         b.clock.Now().Add(time.Duration(i-340) * 4 * time.Minute),
			FiatPerUSDT: decimal.NewFromInt(int64(9900 + i*i%97)).Shift(-2),
		}))
	}
	routing := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=", b.merchant.CashboxID)
	return map[string]string{
		"rates":       "/operator/rates",
		"feed set":    feed,
		"quote":       "/operator/rates?currency=RUB&amount=1500&markup=4.5&traderShare=1.5",
		"wrong quote": "/operator/rates?currency=RUB&amount=nothing",
		"new feed":    "/operator/rates/feeds/new",
		"routing":     "/operator/routing",
		"dry run":     routing + "1500",
		"wrong run":   routing + "nothing",
		"choice":      fmt.Sprintf("/operator/routing/payments/%d", made.ID),
		"withdraw":    "/operator/money/withdraw",
		"insurance":   "/operator/money/insurance",
		"sure insurance": fmt.Sprintf("/operator/money/insurance/confirm?cashboxId=%d&amount=5&reason=Why",
			b.merchant.CashboxID),
		"sure correction": fmt.Sprintf(
			"/operator/money/correct/confirm?from=trader+%d&to=platform&amount=1&reference=a&reason=b", b.traders[0].ID,
		),
		"sure withdraw": fmt.Sprintf("/operator/money/withdraw/confirm?traderId=%d&amount=1&reference=out&reason=Why",
			b.traders[0].ID),
		"set rate":     "/operator/rates/set?currency=RUB",
		"feed":         "/operator/rates/feeds/1",
		"sure of rate": "/operator/rates/set/confirm?currency=RUB&fiatPerUsdt=120&reason=Why",
		"money":        "/operator/money",
		"fund":         "/operator/money/fund",
		"correct":      "/operator/money/correct",
		"wrong":        "/operator/money/fund/confirm?traderId=x",
		"sure":         "/operator/money/fund/confirm?" + b.fundQuery("5", "tx"),
		"approvals":    "/operator/approvals",
		"approval":     approval,
		"accounts":     "/operator/accounts",
		"statement": fmt.Sprintf("/operator/accounts/statement?owner=%d",
			ledger.Available(ledger.Trader, b.traders[0].ID).ID()),
		"income": "/operator/income",
	}
}

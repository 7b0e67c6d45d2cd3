package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/audit"
	"gateway.example/internal/caller"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// watched has every action take a second operator: rates beyond 5%, deposits and insurances above 10.
func watched(b *portaltest.Bundle) {
	rules := foureyes.Rules{On: true, Above: decimal.NewFromInt(10), RatePercent: decimal.NewFromInt(5)}
	b.Settings.FourEyes, b.Rates.FourEyes, b.Deposits.FourEyes = rules, rules, rules
}

func treasurer(t testing.TB, b *portaltest.Bundle, login string) *portaltest.Person {
	t.Helper()
	b.User(t, login, caller.Operator, caller.Treasury, 0)
	return b.SignIn(t, login)
}

// traderHas wants the first trader to have so many USDT available.
func traderHas(t *testing.T, b *portaltest.Bundle, usdt string) {
	t.Helper()
	want(t, "the trader has", b.Balance(t, ledger.Available(ledger.Trader, b.Traders[0].ID)).String(), usdt)
}

func fundQuery(b *portaltest.Bundle, amount, reference string) string {
	return fmt.Sprintf("traderId=%d&amount=%s&reference=%s", b.Traders[0].ID, amount, reference)
}

const evil = `<script>alert(1)</script>`

// One operator proposes, sees who must approve it, and another one approves it. What was typed is shown as it was typed.
func TestFundWithFourEyes(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	one := treasurer(t, b, "one")
	wantIn(t, "alone", one.Get(t, "/operator/money/fund").Text(), "Nobody else can approve yet")
	const band = "no second one can decide yet"
	wantIn(t, "any page, alone", one.Get(t, "/account").Body, band)
	two := treasurer(t, b, "two")
	wantNot(t, "two are there", one.Get(t, "/account").Body, band)
	sure := one.Get(t, "/operator/money/fund/confirm?"+fundQuery(b, "5,5", "tx-1")+"&reason="+"%3Cscript%3Ealert(1)%3C/script%3E")
	for _, word := range []string{"5.5 USDT", "1,000.00 USDT", "tx-1", evil, "another operator has to approve"} {
		wantIn(t, "the page", strings.ToLower(strings.ReplaceAll(sure.Text(), " ", " ")), strings.ToLower(word))
	}
	wantNot(t, "the reason is not escaped", sure.Body, evil)
	fields := hidden(sure.Page(t))
	first := one.Post(t, "/operator/money/fund", fields...)
	again := one.Post(t, "/operator/money/fund", fields...)
	path := first.To()
	want(t, "proposed once", line(strings.HasPrefix(path, "/operator/approvals/"), again.To()), line(true, path))
	traderHas(t, b, "1000")
	own := one.Get(t, path)
	wantIn(t, "their own", own.Text(), "You proposed this")
	wantNot(t, "their own", own.Body, path+"/approve", evil)
	want(t, "their own is approved", one.Post(t, path+"/approve").Code, http.StatusForbidden)
	traderHas(t, b, "1000")
	wantIn(t, "nothing to approve", two.Get(t, path).Body, path+"/approve")
	want(t, "approved", two.Post(t, path+"/approve").To(), path)
	traderHas(t, b, "1005.5")
	// A second time it is decided already.
	two.Post(t, path+"/approve")
	wantIn(t, "again", two.Get(t, path).Text(), "Somebody has decided this already", "two")
	traderHas(t, b, "1005.5")
	log := two.Page(t, "/operator/audit?status=decision&status=proposal").Find("tbody tr")
	want(t, "lines of the log", log.Length(), 2)
	leads, _ := log.First().Find("a[href^='/operator/approvals/']").Attr("href")
	want(t, "where the decision leads", leads, path)
	wantIn(t, "the log says", log.Text(), "Fund a trader · Trader №", "Approved")
	b.Audit(t)
}

// What cannot be done is said, and the proposal stays; what is refused is not done.
func TestStaleAndRefused(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	one, two := treasurer(t, b, "one"), treasurer(t, b, "two")
	sure := one.Get(t, "/operator/money/withdraw/confirm?"+fundQuery(b, "1000.5", "tx-1"))
	path := one.Post(t, "/operator/money/withdraw", hidden(sure.Page(t))...).To()
	wantAnswer(t, "too much", two.Post(t, path+"/approve"), http.StatusConflict, "does not hold that much")
	wantIn(t, "not open", two.Get(t, path).Text(), "Open")
	want(t, "a long reason", two.Post(t, path+"/refuse", "reason", strings.Repeat("x", 501)).Code, http.StatusUnprocessableEntity)
	want(t, "refused", two.Post(t, path+"/refuse", "reason", evil).To(), path)
	a := two.Get(t, path)
	wantIn(t, "the refusal", a.Text(), evil)
	wantNot(t, "the refusal is not escaped", a.Body, evil)
	traderHas(t, b, "1000")
}

// Income is what the platform got on a day less what it gave back on it: of a payment of 1000 RUB at 100, marked up by 5%, 10 −
// 9.52380952 = 0.47619048, since the trader's share is nothing. An appeal that is lost a day later counts on that day.
func TestIncome(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	p := b.Create(t, "1000")
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), p.ID))(t)
	wantIn(t, "today", one.Get(t, "/operator/income").Text(), "0.47619048")
	b.Clock.Advance(26 * time.Hour)
	noError(t, report.Work(t.Context(), b.Pool, b.Clock))
	_, _, err := b.Payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, p.ID, payment.Update{Status: "failed"})
	noError(t, err)
	b.Audit(t)
	for by, wanted := range map[string]string{
		"day": "DayEarnedGiven backNetMargin 21 Nov 0.00000000 0.47619048 −0.47619048 – " +
			"20 Nov 0.47619048 0.00000000 0.47619048 4.76 %",
		"merchant": fmt.Sprintf("Merchant № %d 0.47619048 0.47619048 0.00000000", b.Merchant.ID),
		"method":   "0.47619048 0.47619048 0.00000000",
	} {
		wantIn(t, by, one.Get(t, "/operator/income?by="+by).Text(), wanted)
	}
	csv := one.Get(t, "/operator/income.csv").Body
	wanted := fmt.Sprintf("day,merchant_id,merchant,subject,method,currency,earned_usdt,reversed_usdt,net_usdt,volume_usdt\n"+
		"2026-11-21,%[1]d,Merchant,payment,sbp,RUB,0.00000000,0.47619048,-0.47619048,-10.00000000\n"+
		"2026-11-20,%[1]d,Merchant,payment,sbp,RUB,0.47619048,0.00000000,0.47619048,10.00000000\nrows,2\n", b.Merchant.ID)
	want(t, "the file", csv, wanted)
	// The audit notices what is not so.
	b.Exec(t, "update income_day set earned = 1")
	broken, err := audit.Everything(t.Context(), b.Pool)
	if err != nil || len(broken) != 1 || !strings.Contains(broken[0].Detail, "should have 0.47619048 and 0") {
		t.Errorf("the audit found %v, %v", broken, err)
	}
}

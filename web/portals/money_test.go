package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/shopspring/decimal"

	"gateway.example/internal/audit"
	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
	"gateway.example/internal/timeline"
	"gateway.example/web/portal/portaltest"
)

// watched has every action take a second operator: rates beyond 5%, deposits
// and insurances above 10.
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

// One operator proposes, sees who must approve it, and another one approves it.
// What was typed is shown as it was typed.
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
	wantIn(t, "their own", own.Text(), "You proposed this", "Take it back")
	wantNot(t, "their own", own.Body, path+"/approve", evil)
	want(t, "their own is approved", one.Post(t, path+"/approve").Code, http.StatusForbidden)
	traderHas(t, b, "1000")
	theirs := two.Get(t, path)
	wantIn(t, "nothing to approve", theirs.Body, path+"/approve")
	requisites, _ := theirs.Page(t).Find("a[href^='/operator/traders/']").Attr("href")
	wantIn(t, "where the trader is", two.Get(t, requisites).Text(), "Requisites")
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

// Who approves a change of settings reads every value that it sets, also one
// that is 0 and one that is cleared.
func TestProposalShowsEveryValue(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	b.User(t, "one", caller.Operator, caller.Admin, 0)
	one, two := b.SignIn(t, "one"), treasurer(t, b, "two")
	b.Exec(t, "update trader set rate_percent = 50")
	trader := fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID)
	proposed := one.Post(t, trader, hidden(one.Page(t, trader), "name", "Anna", "sharePercent", "1", "ratePercent", "", "maxOpenPayins", "0")...)
	facts := map[string]string{}
	two.Page(t, proposed.To()).Find("dl.facts dt").Each(func(_ int, label *goquery.Selection) {
		facts[strings.TrimSpace(label.Text())] = strings.TrimSpace(label.Next().Text())
	})
	want(t, "the share", facts["Share of the spread, % of spot"], "1")
	want(t, "the markup", facts["Markup, %"], "not set")
	want(t, "the payouts in work", facts["Most payouts in work"], "0")
}

// Who may not approve a proposal is told why, and finds no button that would be
// refused.
func TestBarredFromProposal(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	one, two := treasurer(t, b, "one"), treasurer(t, b, "two")
	path := one.Post(t, "/operator/money/fund",
		hidden(one.Page(t, "/operator/money/fund/confirm?"+fundQuery(b, "5", "tx-1")))...).To()
	wantIn(t, "to another one", two.Get(t, path).Body, path+"/approve")
	b.Exec(t, "update app_user set set_up_by = (select id from app_user where login = 'one') where login = 'two'")
	barred := two.Get(t, path)
	wantIn(t, "to whom the proposer set up", barred.Text(), "a third operator approves this")
	wantIn(t, "to whom the proposer set up", barred.Body, path+"/refuse")
	wantNot(t, "to whom the proposer set up", barred.Body, path+"/approve")
	want(t, "their approval", two.Post(t, path+"/approve").Code, http.StatusForbidden)
	b.Exec(t, "update app_user set set_up_by = null where login = 'two'")
	b.Exec(t, `insert into proposal (action, payload, subject, subject_key, reason, proposed_by, created_at, expires_at)
		select action, '{"newer": 1}', subject, subject_key, reason, proposed_by, created_at, expires_at from proposal`)
	path = "/operator/approvals/" + b.Text(t, "select max(id)::text from proposal")
	unreadable := two.Get(t, path)
	wantIn(t, "of another version", unreadable.Text(), "refuse it, and propose it again")
	wantNot(t, "of another version", unreadable.Body, path+"/approve")
}

// The link of an approved invitation is shown to the one who proposed it, and
// its code to its approver, each to no other. The invited one enters both.
func TestInvitationWithFourEyes(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	b.Sessions.FourEyes = b.Settings.FourEyes
	b.User(t, "one", caller.Operator, caller.Admin, 0)
	b.User(t, "two", caller.Operator, caller.Admin, 0)
	one, two := b.SignIn(t, "one"), b.SignIn(t, "two")
	path := one.Post(t, "/operator/users/new", hidden(one.Page(t, "/operator/users/new"),
		"role", "operator/treasury", "login", "dave")...).To()
	wantIn(t, "proposed", path, "/operator/approvals/")
	const invite = "/reinvite"
	wantIn(t, "who is proposed", one.Get(t, path).Text(), "KindOperator", "RoleTreasury")
	wantNot(t, "before it is approved", one.Get(t, path).Body, invite)
	approved := two.Post(t, path+"/approve", hidden(two.Page(t, path))...)
	wantAnswer(t, "approved", approved, http.StatusOK, "Approved: the code of the invitation", "one, who has the link")
	first := strings.TrimSpace(approved.Page(t).Find("#secret").Text())
	wantNot(t, "its approver is shown", approved.Body+two.Get(t, path).Body, invite, "/invitation/")
	again := two.Page(t, path).Find("form[action='" + path + "/approve'] button")
	want(t, "a lost code", again.Text(), "Create another code")
	code := strings.TrimSpace(two.Post(t, path+"/approve").Page(t).Find("#secret").Text())
	testenv.Check(t, len(code) == 11 && len(first) == 11 && code != first, "the codes %q and %q", first, code)
	wantNot(t, "another read of it", two.Get(t, path).Body+one.Get(t, path).Body, first, code)
	wantNot(t, "the proposer is offered a code", one.Get(t, path).Body, path+"/approve")
	want(t, "the proposer's try", one.Post(t, path+"/approve").To(), path)
	link, _ := one.Page(t, path).Find("a[href$='" + invite + "']").Attr("href")
	shown := one.Post(t, link, hidden(one.Page(t, link))...)
	wantIn(t, "the proposer is shown", shown.Body, "/invitation/", "dave")
	wantNot(t, "the proposer is shown", shown.Body, code)
	_, token, _ := strings.Cut(strings.TrimSpace(shown.Page(t).Find("#secret").Text()), "/invitation/")
	dave, at := b.Nobody(), "/invitation/"+token
	wantIn(t, "the invited one is asked", dave.Get(t, at).Text(), "Code of the invitation", "Ask two for it")
	const chosen = "correct horse battery staple"
	for name, given := range map[string]string{"no code": "", "the code before": first} {
		wrong := dave.Post(t, at, "code", given, "password", chosen, "again", chosen)
		want(t, name, wrong.Code, http.StatusUnprocessableEntity)
		want(t, name, wrong.Page(t).Find("#code[aria-invalid='true']").Length(), 1)
		wantNot(t, name, wrong.Body, first)
	}
	want(t, "let in", dave.Post(t, at, "code", code, "password", chosen, "again", chosen).Code, http.StatusSeeOther)
	wantNot(t, "once accepted", two.Get(t, path).Body, path+"/approve")
	want(t, "asked of who takes none", b.Nobody().Page(t, invitation(t, b)).Find("#code").Length(), 0)
	wantIn(t, "another one proposes to invite anew", two.Post(t, link, hidden(two.Page(t, link))...).To(), "/operator/approvals/")
}

// What cannot be done is said, and the proposal stays; what is refused is not
// done.
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

// Income is what the platform got on a day less what it gave back on it: of a
// payment of 1000 RUB at 100, marked up by 5%, 10 − 9.52380952 = 0.47619048,
// since the trader's share is nothing. An appeal that is lost a day later
// counts on that day.
func TestIncome(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	p := b.Create(t, "1000")
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), p.ID))(t)
	wantIn(t, "today", one.Get(t, "/operator/income").Text(), "0.47619048")
	b.Clock.Advance(26 * time.Hour)
	testenv.NoError(t, books.Close(t.Context(), b.Pool, b.Clock))
	_, _, err := b.Payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, p.ID, payment.Update{Status: "failed"})
	testenv.NoError(t, err)
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
	// What was cut off between writing a day and saying so is still that
	// day once.
	b.Exec(t, "update income_day_closed set day = day - 1")
	want(t, "the file, cut off", one.Get(t, "/operator/income.csv").Body, wanted)
	b.Exec(t, "update income_day_closed set day = day + 1")
	// The audit notices what is not so.
	b.Clock.Advance(26 * time.Hour)
	testenv.NoError(t, books.Close(t.Context(), b.Pool, b.Clock))
	for change, said := range map[string]string{
		"set earned = earned + 1":                  "has 1.47619048 and 0.00000000 reversed, should have 0.47619048 and 0",
		"set volume = volume + 1 where earned > 0": "has volume 11.00000000, should have 10.00000000",
		"set volume = -volume where reversed > 0":  "has volume 10.00000000, should have -10.00000000",
		"set volume = null":                        "",
	} {
		t.Run(change, func(t *testing.T) {
			b.Exec(t, "create table kept as table income_day")
			b.Exec(t, "update income_day "+change)
			broken, err := audit.Everything(t.Context(), b.Pool)
			found := fmt.Sprint(broken)
			if err != nil || (said == "") != (len(broken) == 0) || !strings.Contains(found, said) {
				t.Errorf("the audit found %v, %v", found, err)
			}
			b.Exec(t, "delete from income_day; insert into income_day table kept; drop table kept")
		})
	}
}

// A rate that is set is restated with its distance; beyond the band it waits
// for a second operator.
func TestSetRatePage(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	one := treasurer(t, b, "one")
	set := func(value, distance string) portaltest.Answer {
		t.Helper()
		sure := one.Get(t, "/operator/rates/set/confirm?currency=RUB&validMinutes=60&fiatPerUsdt="+value)
		wantIn(t, value+": nothing of", sure.Text(), distance, "100.00")
		return one.Post(t, "/operator/rates/set", hidden(sure.Page(t))...)
	}
	wantIn(t, "beyond the band", set("105.01", "+5.01 %").To(), "/operator/approvals/")
	want(t, "within the band: to", set("95", "−5.00 %").To(), "/operator/rates")
	want(t, "the rate", testenv.Must(rate.Current(t.Context(), b.Queries(), "RUB", b.Clock.Now()))(t).FiatPerUSDT, "95")
	wantIn(t, "the page", one.Get(t, "/operator/rates").Text(), "USDT/RUB", "95.00", "By hand", "±5", "No rate")
}

// feed are the fields of one of an address.
func feed(address string) []string {
	return []string{
		"currency", "RUB", "enabled", "on", "url", address, "pointer", "/rate", "priority", "1", "pollSeconds", "60",
		"timeoutMs", "5000", "bandPercent", "3", "dayBandPercent", "10", "freshSeconds", "300",
	}
}

// A feed is made, shown with its health and the day's chart, and changed.
func TestFeedPages(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	form := feed("https://rates.example/v1?key=hunter2")
	sent := func(path string, form []string) portaltest.Answer {
		return one.Post(t, path, hidden(one.Page(t, path), form...)...)
	}
	a := sent("/operator/rates/feeds/new", append(form[:len(form)-1:len(form)-1], "0"))
	wantAnswer(t, "a wrong feed", a, http.StatusUnprocessableEntity)
	wantIn(t, "what was typed", a.Body, "hunter2")
	want(t, "a new feed", sent("/operator/rates/feeds/new", form).To(), "/operator/rates")
	for i, value := range []string{"99", "101.5"} {
		testenv.NoError(t, b.Queries().RateObservationAdd(t.Context(), db.RateObservationAddParams{
			FeedID: 1, Now: b.Clock.Now().Add(time.Duration(i-2) * time.Hour),
			FiatPerUSDT: decimal.RequireFromString(value),
		}))
	}
	b.Exec(t, `update rate_feed set good_at = $1, failed_at = $1, failures = 3, last_error = $2`, b.Clock.Now(), evil)
	a = one.Get(t, "/operator/rates")
	wantIn(t, "the page", a.Text(), "rates.example", evil, "±3")
	wantIn(t, "the chart", words(a.Page(t).Find(".plot")), "99.00", "101.50", "±3 % of the rate in use")
	wantNot(t, "what strangers wrote is not escaped, or the key shows", a.Body, evil, "hunter2")
	want(t, "two values far from each other are points", a.Page(t).Find(".plot circle").Length(), 2)
	form[3] = "off"
	want(t, "changed", sent("/operator/rates/feeds/1", form).To(), "/operator/rates")
}

// At another time other hours hold, and what is asked changes no order: the
// requisite whose hours begin at 15 would get a payment then, and does not get
// one before.
func TestRoutingAtAnotherTime(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	b.Exec(t, "update requisite set time_zone = 'UTC', work_from = '15:00', work_until = '16:00' where id = $1", b.Traders[0].Requisites[0])
	query := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=1500", b.Merchant.CashboxID)
	for at, want := range map[string]string{
		"": "It is refused", "&at=2026-11-20T15:30": "gets it", "&at=2026-11-20T16:30": "It is refused",
	} {
		wantIn(t, at, one.Get(t, query+at).Text(), want)
	}
	method := "sbp"
	_, err := b.Payments.Create(t.Context(), b.Merchant.Caller, payment.Request{
		OrderID: "early", Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
	})
	if err == nil {
		t.Error("a payment got a requisite outside its hours")
	}
	// Who found none is counted, by hour and cause.
	testenv.NoError(t, b.Services.Refusals.Keep(t.Context(), b.Pool))
	testenv.NoError(t, b.Services.Refusals.Keep(t.Context(), b.Pool))
	wantIn(t, "refusals", one.Get(t, "/operator/routing").Text(), "working hours 1")
	b.Clock.Advance(26 * time.Hour)
	wantIn(t, "a day later", one.Get(t, "/operator/routing").Text(), "Every payment found a requisite")
}

// A payment keeps whom its choice passed by. Its page shows that beside today's
// rules, and the timeline tells operators alone.
func TestReplayPage(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	// The second trader's requisite takes only what is above 10000 and
	// stands before the new one.
	third := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MaxAmount: "10000"})
	first := b.Create(t, "1500")
	second := b.Create(t, "1600")
	text := one.Get(t, fmt.Sprintf("/operator/routing/payments/%d", second.ID)).Text()
	text = strings.ReplaceAll(text, " ", "")
	wantIn(t, "the page", text, fmt.Sprintf("№%dTrader№%d", third.Requisites[0], third.ID),
		fmt.Sprintf("№%d1limitsoftheamountlimitsoftheamount", b.Traders[1].Requisites[0]))
	wantIn(t, "the first", one.Get(t, fmt.Sprintf("/operator/routing/payments/%d", first.ID)).Text(), "Nothing was passed by")
	want(t, "no payment", one.Get(t, "/operator/routing/payments/987654").Code, http.StatusNotFound)
	told := func(lines []timeline.Line, err error) *timeline.Choice {
		t.Helper()
		testenv.NoError(t, err)
		for _, line := range lines {
			if line.Choice != nil {
				return line.Choice
			}
		}
		t.Fatal("no choice is told")
		return nil
	}
	c := told(b.Services.Timelines.Payment(t.Context(), portaltest.Admin, fmt.Sprint(second.ID)))
	want(t, "operators are told", fmt.Sprint(c.Passed), fmt.Sprintf("[{amount_limits [%d]}]", b.Traders[1].Requisites[0]))
	owner := third.Caller
	owner.Role = caller.Owner
	if c := told(b.Services.Timelines.Payment(t.Context(), owner, fmt.Sprint(second.ID))); c.Passed != nil {
		t.Errorf("a trader is told %v", c.Passed)
	}
}

// A return earns its trader nothing: no page promises that, the pages say what
// it is for, and who cannot send it is told what that costs.
func TestReturnPages(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	testenv.Must(b.Payments.ConfirmReceived(t.Context(), b.AsTrader(), pay.ID, new("1000")))(t)
	testenv.Must(b.Payments.DecideCase(t.Context(), b.AsMerchant(), payment.CaseDecision{
		PaymentID: pay.ID, Decision: payment.ReturnIt, To: &payout.Recipient{Method: "sbp", Address: "+79001234567", Recipient: "Ivan"},
	}))(t)
	path := "/trader/payouts/" + b.Text(t, "select uuid::text from payin")
	wantIn(t, "the desk", p.Page(t, "/trader").Find(".offers").Text(), "what came goes back to the payer")
	shown := p.Page(t, path)
	wantIn(t, "the page", shown.Find("main").Text(), "Payment № "+portaltest.Line(pay.ID))
	for where, page := range map[string]*goquery.Selection{"the desk": p.Page(t, "/trader").Find(".offers"), "the page": shown.Find("main")} {
		testenv.Check(t, !strings.Contains(page.Text(), "You get") && page.Find("a[href$='/give-back']").Length() == 0, "%s: %s", where, page.Text())
	}
	wantIn(t, "the question", p.Page(t, path+"/fail").Find("main").Text(), "its worth in USDT goes from you to the merchant")
}

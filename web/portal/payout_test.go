package portal_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
)

// payOut makes payouts of 1000 RUB, which are 10 USDT at spot and cost the merchant 10.2. The traders
// have no share of that markup: they get the 10.
func (b *bundle) payOut(t testing.TB, count int) []string {
	t.Helper()
	ctx := t.Context()
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "1000")
	noError(t, b.Queries().CashboxPayoutMethodSet(ctx, db.CashboxPayoutMethodSetParams{
		CashboxID: b.merchant.CashboxID, Method: "sbp", Enabled: true, MarkupPercent: decimal.NewFromInt(2),
		ValiditySeconds: 86400,
	}))
	for _, trader := range b.traders {
		noError(t, b.Queries().TraderPayoutMethodSet(ctx, db.TraderPayoutMethodSetParams{
			TraderID: trader.ID, Currency: "RUB", Method: "sbp", Enabled: true,
		}))
	}
	who := b.merchant.Caller
	who.Scopes = append(slices.Clone(who.Scopes), caller.ScopePayouts)
	var ids []string
	for i := range count {
		created, err := b.payouts.Create(ctx, who, payout.Request{
			OrderID:     fmt.Sprint("payout-", i),
			Amount:      "1000",
			Currency:    "RUB",
			CallbackURI: "https://shop.example/hook",
			Method:      "sbp",
			Address:     "+79001234567",
			Recipient:   "Ivan <i>Petrov</i>",
		})
		noError(t, err)
		ids = append(ids, "/trader/payouts/"+created.Payin.UUID.String())
	}
	return ids
}

// end sends the form of a step.
func (p *person) end(t *testing.T, path, step, field, typed string) answer {
	t.Helper()
	return p.post(t, path+"/"+step, hidden(p.page(t, path+"/"+step), field, typed)...)
}

// The whole recipient is seen by the trader who took the payout, and by nobody before.
func TestPayout(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, other := b.trader(t, 0), b.trader(t, 1)
	path := b.payOut(t, 1)[0]
	text := words(p.page(t, path).Find("main"))
	for _, whole := range []string{"+79001234567", "Petrov"} {
		if strings.Contains(text, whole) || !strings.Contains(text, "4567") {
			t.Errorf("before it is taken: %s", text)
		}
	}
	a := p.post(t, path+"/take")
	want(t, "taken", line(a.code, a.to(), p.cookies["flash"]), "303 "+path+" taken")
	a = p.post(t, path+"/take")
	want(t, "taken twice", line(a.to(), p.cookies["flash"]), path+" taken")
	page := p.page(t, path)
	text = words(page.Find("main"))
	wantIn(t, "taken", text, "+79001234567", "Ivan <i>Petrov</i>", "10.00 USDT", "1,000 ₽",
		"Status: Waiting → In work · you")
	want(t, "a stranger's elements", page.Find("main i").Length(), 0)
	want(t, "another's page", other.get(t, path).code, http.StatusNotFound)
	want(t, "another's question", other.get(t, path+"/complete").code, http.StatusNotFound)
	a = other.post(t, path+"/take")
	want(t, "another takes it", line(a.to(), other.cookies["flash"]), "/trader gone")
	want(t, "the list", rows(p.page(t, "/trader/payouts?status=processing"))[0][:4], "1 | ")
	want(t, "another's list", len(rows(other.page(t, "/trader/payouts"))), 0)
}

// A payout is completed once, and only with what proves it.
func TestCompletePayout(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	path := b.payOut(t, 1)[0]
	p.post(t, path+"/take")
	question := p.page(t, path+"/complete")
	wantIn(t, "the page", words(question.Find("main")), "1,000 ₽", "+79001234567",
		"Ivan <i>Petrov</i>", "Yes, 1,000 ₽ are paid")
	a := p.end(t, path, "complete", "proofReference", "  ")
	want(t, "without proof", line(a.code, words(a.page(t).Find(".wrong"))), "422 is required")
	a = p.end(t, path, "complete", "proofReference", "a\x00b")
	want(t, "what is no text", line(a.code, words(a.page(t).Find(".wrong"))), `422 must not contain \u0000`)
	long := strings.Repeat("x", 256)
	a = p.end(t, path, "complete", "proofReference", long)
	want(t, "what was typed", a.page(t).Find("#proofReference").AttrOr("value", ""), long)
	fields := hidden(question, "proofReference", "T-17")
	for range 2 {
		a = p.post(t, path+"/complete", fields...)
		want(t, "completed", line(a.code, a.to(), p.cookies["flash"]), "303 /trader completed")
	}
	text := words(p.page(t, path).Find("main"))
	wantIn(t, "completed", text, "Proof T-17", "+10.00 USDT available Payout completed")
	a = p.get(t, path+"/fail")
	want(t, "too late to fail", line(a.to(), p.cookies["flash"]), path+" changed")
	b.Audit(t)
}

// A payout that cannot be paid fails; one that another may pay waits again; a form that was shown
// before does nothing any more.
func TestFailAndGiveBack(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	paths := b.payOut(t, 2)
	for _, path := range paths {
		p.post(t, path+"/take")
	}
	stale := hidden(p.page(t, paths[0]+"/complete"), "proofReference", "T-1")
	a := p.end(t, paths[0], "fail", "reason", strings.Repeat("y", 256))
	want(t, "too long", line(a.code, a.page(t).Find("textarea").Text()), "422 "+strings.Repeat("y", 256))
	a = p.end(t, paths[0], "fail", "reason", "no such account")
	want(t, "failed", line(a.to(), p.cookies["flash"]), "/trader failed")
	a = p.post(t, paths[0]+"/complete", stale...)
	want(t, "a stale form", line(a.to(), p.cookies["flash"]), paths[0]+" changed")
	a = p.end(t, paths[1], "give-back", "reason", "")
	want(t, "given back", line(a.to(), p.cookies["flash"]), "/trader given-back")
	want(t, "it waits", words(p.page(t, paths[1]).Find(".headline .badge")), "Waiting")
	b.Audit(t)
}

// A trader may have so many payouts open and no more.
func TestTakeLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	paths := b.payOut(t, 2)
	b.exec(t, "update trader set max_open_payins = 1")
	p.post(t, paths[0]+"/take")
	a := p.post(t, paths[1]+"/take")
	want(t, "one too many", line(a.to(), p.cookies["flash"]), "/trader take-limit")
	a = p.post(t, paths[0]+"/take")
	want(t, "the first again", line(a.to(), p.cookies["flash"]), paths[0]+" taken")
}

func TestPayoutsFile(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	p.post(t, b.payOut(t, 2)[0]+"/take")
	a := p.get(t, "/trader/payouts.csv")
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], ",sbp,RUB,1000.00,processing,") || lines[2] != "rows,1" {
		t.Errorf("the file:\n%s", a.body)
	}
	want(t, "a status that no payout of a trader has", p.get(t, "/trader/payouts?status=waiting").code, 422)
}

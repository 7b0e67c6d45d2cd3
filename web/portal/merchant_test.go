package portal_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
)

// failed makes a payment that failed just now, with a receipt of its payer's.
func (b *bundle) failed(t testing.TB, amount string) payment.Payment {
	t.Helper()
	p := b.create(t, amount)
	_, err := b.payments.Claim(t.Context(), p.UUID)
	noError(t, err)
	noError(t, b.payments.AddReceipt(t.Context(), p.UUID, "proof <b>.pdf", section(pdf)))
	b.clock.Advance(2 * time.Hour)
	_, err = b.payments.Expire(t.Context())
	noError(t, err)
	if status := b.status(t, p); status != "failed" {
		t.Fatalf("the payment is %s", status)
	}
	return p
}

func section(content string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(content), 0, int64(len(content)))
}

const pdf = "%PDF-1.4\n%proof\n"

// upload sends a form with a file; a name that is "" sends none.
func (p *person) upload(t testing.TB, path string, fields []string, name, content string) answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		noError(t, form.WriteField(fields[i], fields[i+1]))
	}
	part, err := form.CreateFormFile("file", name)
	noError(t, err)
	_, err = part.Write([]byte(content))
	noError(t, err)
	noError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.b.server.URL+path, &body)
	noError(t, err)
	return p.send(t, r, "Content-Type", form.FormDataContentType(), "Origin", p.b.server.URL)
}

// list is what a merchant's page lists, without the times.
func list(t testing.TB, p *person, path string, cells ...int) []string {
	t.Helper()
	var list []string
	for _, row := range rows(p.page(t, path)) {
		parts := strings.Split(row, " | ")
		var kept []string
		for _, cell := range cells {
			kept = append(kept, parts[cell])
		}
		list = append(list, strings.Join(kept, " | "))
	}
	return list
}

// 1500 RUB at 105 are 14.28571428 USDT, 15000 are 142.85714285: a merchant sees those of all traders.
func TestMerchantPayments(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	b.confirm(t, b.create(t, "1500"))
	b.create(t, "15000")
	uuid := b.create(t, "2500").UUID.String()
	one := "1 | 1,500 ₽ | <b>1 | Completed | 14.28571428"
	two := "2 | 15,000 ₽ | <b>2 | Pending | 142.85714285"
	three := "3 | 2,500 ₽ | <b>3 | Pending | 23.80952380"
	for query, expected := range map[string][]string{
		"":                   {three, two, one},
		"?status=completed":  {one},
		"?min=2000&max=3000": {three},
		"?q=<b>2":            {two},
		"?q=" + uuid:         {three},
		"?q=1":               {one},
		"?q=nobody":          nil,
		"?method=card":       nil,
		"?cashbox=" + fmt.Sprint(b.merchant.CashboxID): {three, two, one},
		"?cashbox=99999": nil,
	} {
		want(t, query, list(t, p, "/merchant/payments"+strings.ReplaceAll(query, "<b>", "%3Cb%3E"), 0, 2, 4, 5, 6),
			expected)
	}
	want(t, "a cashbox that is none", p.get(t, "/merchant/payments?cashbox=x").code, 422)
	want(t, "of another merchant", len(rows(b.stranger(t).page(t, "/merchant/payments"))), 0)
	a := p.get(t, "/merchant/payments.csv")
	if lines := strings.Split(strings.TrimSpace(a.body), "\n"); len(lines) != 5 || lines[4] != "rows,3" {
		t.Errorf("the file:\n%s", a.body)
	}
	support := b.as(t, caller.Support)
	want(t, "a file for support", support.page(t, "/merchant/payments").Find("a[href*='.csv']").Length(), 0)
	a = p.post(t, "/views", "name", "Done", "path", "/merchant/payments", "query", "status=completed")
	want(t, "a view", line(a.code, a.to()), "303 /merchant/payments?status=completed")
}

// Everybody lands where they work, with the pages that their role has.
func TestMerchantNavigation(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	for role, expected := range map[caller.Role]string{
		caller.Owner:     "Overview Payments Payouts Appeals Deposits Balance Statement API keys Webhooks Events Requests Signature check Page looks Team Log Account",
		caller.Finance:   "Overview Payments Payouts Appeals Deposits Balance Statement Account",
		caller.Developer: "Overview Payments Payouts Appeals API keys Webhooks Events Requests Signature check Page looks Account",
		caller.Support:   "Overview Payments Payouts Appeals Account",
	} {
		p := b.as(t, role)
		a := p.post(t, "/sign-in", "login", "merchant-"+string(role), "password", password)
		want(t, "landing", a.to(), "/merchant")
		want(t, string(role), words(p.page(t, "/merchant").Find(".nav")), expected)
	}
}

// The page of a payment tells what the merchant knows of it, what was moved in its cashbox and what was
// sent to its endpoint; what a stranger wrote stays text.
func TestMerchantPayment(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	pay := b.create(t, "1500")
	b.clock.Advance(2 * time.Minute)
	b.confirm(t, pay)
	b.exec(t, `insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer)
		select merchant_id, id, created_at, 12, 500, '<script>alert(1)</script>'::bytea from webhook_event`)
	page := p.page(t, "/merchant/payments/1")
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Order <b>1", "You get 14.28571428 USDT", "You get 14.28571428",
		"+14.28571428 USDT available", "What is sent", "answered with 500 in 12 ms",
		"<script>alert(1)</script>")
	want(t, "scripts in the page", page.Find("main script").Length(), 0)
	support := words(b.as(t, caller.Support).page(t, "/merchant/payments/1").Find("main"))
	wantNot(t, "support sees what was sent", support, "What is sent")
	then := b.clock.Now().Add(-2 * time.Minute).UTC().Format("2006-01-02T15:04")
	past := p.page(t, "/merchant/payments/1?at="+then)
	want(t, "then", words(past.Find(".headline .badge")), "Pending")
	if text := words(past.Find("main")); strings.Contains(text, "Completed") ||
		!strings.Contains(text, "This is how it stood at") {
		t.Errorf("then: %s", text)
	}
	for _, wrong := range []string{"nonsense", "2001-01-01T10:00"} {
		a := p.get(t, "/merchant/payments/1?at="+wrong)
		want(t, wrong, line(a.code, a.page(t).Find("#at").AttrOr("value", "")), "422 "+wrong)
	}
	foreign := b.stranger(t)
	for _, path := range []string{"/merchant/payments/1", "/merchant/payments/1/appeal", "/merchant/payments/987"} {
		want(t, path, foreign.get(t, path).code, http.StatusNotFound)
	}
}

// A payment is appealed once, with a file or a receipt of the payer's; a double click leads to the
// same appeal.
func TestMerchantAppeals(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Support)
	first, second, open := b.failed(t, "1500"), b.failed(t, "1600"), b.create(t, "1700")
	path := func(of payment.Payment) string { return fmt.Sprintf("/merchant/payments/%d", of.ID) }
	page := p.page(t, path(first)+"/appeal")
	want(t, "receipts", page.Find("input[name=receipt]").Length(), 1)
	fields := hidden(page, "reason", "Paid <i>twice</i>", "receipt", "1")
	a := p.upload(t, path(first)+"/appeal", hidden(page, "reason", " ", "receipt", "1"), "", "")
	want(t, "without a reason", line(a.code, a.page(t).Find("#reason-wrong").Text()), "422 is required")
	a = p.upload(t, path(first)+"/appeal", fields, "page.html", "<html></html>")
	want(t, "another type", line(a.code, a.page(t).Find("#reason").Text()), "422 Paid <i>twice</i>")
	want(t, "is said", strings.HasPrefix(a.page(t).Find("#file-wrong").Text(), "must be a PDF"), true)
	a = p.upload(t, path(first)+"/appeal", fields, "big.pdf", pdf+strings.Repeat("x", 10<<20))
	want(t, "too large", line(a.code, a.page(t).Find("#file-wrong").Text()), "422 is larger than 10 MB")
	for range 2 {
		a = p.upload(t, path(first)+"/appeal", fields, "", "")
		want(t, "appealed", line(a.code, a.to(), p.cookies["flash"]), "303 /merchant/appeals/1 appealed")
	}
	a = p.upload(t, path(first)+"/appeal", hidden(p.page(t, path(second)+"/appeal"), "reason", "again", "receipt", "1"),
		"", "")
	want(t, "a second appeal", line(a.to(), p.cookies["flash"]), path(first)+" no-appeal")
	a = p.upload(t, path(second)+"/appeal", hidden(p.page(t, path(second)+"/appeal"), "reason", "see"), "own.pdf", pdf)
	want(t, "with a file", a.to(), "/merchant/appeals/2")
	want(t, "of an open payment", p.get(t, path(open)+"/appeal").to(), path(open))
	want(t, "listed", list(t, p, "/merchant/appeals", 0, 2, 3, 4, 5), []string{
		fmt.Sprintf("2 | 1,600 ₽ | Payment № %d <b>2 | see | Open", second.ID),
		fmt.Sprintf("1 | 1,500 ₽ | Payment № %d <b>1 | Paid <i>twice</i> | Open", first.ID),
	})
	want(t, "decided", len(rows(p.page(t, "/merchant/appeals?status=completed"))), 0)
	file := p.get(t, "/merchant/appeals/2/file")
	want(t, "its file",
		line(file.body == pdf, file.header.Get("Content-Disposition"), file.header.Get("X-Content-Type-Options")),
		"true attachment; filename=own.pdf nosniff")
	want(t, "the payment leads there", p.page(t, path(first)).Find("a[href='/merchant/appeals/1']").Length(), 1)
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	_, err := b.payments.ReviewAppeal(t.Context(), operator, 1)
	noError(t, err)
	reason := "No such transfer"
	_, err = b.payments.ResolveAppeal(t.Context(), operator, 1, payment.Resolution{Outcome: "failed", Reason: &reason})
	noError(t, err)
	wantIn(t, "the decision", p.get(t, "/merchant/appeals/1").text(), "stays failed", reason)
	foreign := b.stranger(t)
	for _, path := range []string{"/merchant/appeals/1", "/merchant/appeals/1/file"} {
		want(t, path, foreign.get(t, path).code, http.StatusNotFound)
	}
	a = foreign.upload(t, path(second)+"/appeal", fields, "", "")
	want(t, "a foreign payment", a.code, http.StatusNotFound)
	developer := b.as(t, caller.Developer)
	want(t, "a developer", developer.get(t, path(second)+"/appeal").code, http.StatusForbidden)
}

// A deposit is asked for once, however often its form is sent, and followed until it is confirmed.
func TestMerchantDeposits(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Finance)
	const address = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	box := fmt.Sprint(b.merchant.CashboxID)
	form := func(more ...string) []string {
		page := p.page(t, "/merchant/deposits/new")
		return hidden(page, append([]string{"cashbox", box, "network", "TRC20"}, more...)...)
	}
	a := p.post(t, "/merchant/deposits", form("amount", "-1", "address", "nowhere")...)
	page := a.page(t)
	want(t, "wrong", line(a.code, page.Find("#address").AttrOr("value", ""), page.Find(".wrong").Length()),
		"422 nowhere 2")
	fields := form("amount", "25,5", "address", address)
	for range 2 {
		a = p.post(t, "/merchant/deposits", fields...)
		want(t, "asked for", line(a.code, a.to(), p.cookies["flash"]), "303 /merchant/deposits/1 deposit-requested")
	}
	a = p.post(t, "/merchant/deposits", form("amount", "1", "address", address, "cashbox", "1")...)
	want(t, "the first cashbox counts", a.to(), "/merchant/deposits/2")
	listed := list(t, p, "/merchant/deposits", 0, 2, 3, 5)
	want(t, "listed", listed, []string{"2 | 1.00 USDT | TRC20 | Pending", "1 | 25.50 USDT | TRC20 | Pending"})
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	_, err := b.rooms.Deposits.Confirm(t.Context(), operator, 1)
	noError(t, err)
	text := p.get(t, "/merchant/deposits/1").text()
	if !strings.Contains(text, "Pending → Confirmed") || !strings.Contains(text, "operator") ||
		strings.Contains(text, "operator 1") {
		t.Errorf("its page: %s", text)
	}
	want(t, "confirmed", list(t, p, "/merchant/deposits?status=confirmed", 0), []string{"1"})
	want(t, "balance", list(t, p, "/merchant/balance", 2, 3, 4, 5),
		[]string{"25.50000000 | 25.50000000 | 0.00000000 | 0.00000000"})
	want(t, "statement", list(t, p, "/merchant/statement", 0, 2, 3, 4),
		[]string{"Deposit № 1 | Deposit | +25.50000000 | 25.50000000"})
	a = p.get(t, "/merchant/statement.csv?cashbox="+box)
	want(t, "the file", strings.HasSuffix(strings.TrimSpace(a.body), "\nrows,1"), true)
	foreign := b.stranger(t)
	want(t, "a foreign deposit", foreign.get(t, "/merchant/deposits/1").code, http.StatusNotFound)
	want(t, "a foreign statement", foreign.get(t, "/merchant/statement?cashbox="+box).code, http.StatusNotFound)
	a = foreign.post(t, "/merchant/deposits", hidden(foreign.page(t, "/merchant/deposits/new"),
		"cashbox", box, "network", "TRC20", "amount", "1", "address", address)...)
	want(t, "into a foreign cashbox", a.code, http.StatusNotFound)
	want(t, "all there are", len(rows(p.page(t, "/merchant/deposits"))), 2)
	b.Audit(t)
}

// A payout of 10.2 USDT that waits is cancelled once, and what was frozen is back; one that was taken is
// left alone.
func TestMerchantPayouts(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Finance)
	var paths []string
	for _, path := range b.payOut(t, 2) {
		paths = append(paths, strings.Replace(path, "trader", "merchant", 1))
	}
	want(t, "listed", list(t, p, "/merchant/payouts", 0, 2, 4, 5, 6), []string{
		"2 | 1,000 ₽ | •••• 4567 Ivan <i>Petrov</i> payout-1 | Waiting | 10.20000000",
		"1 | 1,000 ₽ | •••• 4567 Ivan <i>Petrov</i> payout-0 | Waiting | 10.20000000",
	})
	foreign := b.stranger(t)
	fields := hidden(p.page(t, paths[0]+"/cancel"))
	want(t, "by another", foreign.post(t, paths[0]+"/cancel", fields...).code, http.StatusNotFound)
	want(t, "by support", b.as(t, caller.Support).post(t, paths[0]+"/cancel", fields...).code,
		http.StatusForbidden)
	want(t, "frozen", b.Balance(t, ledger.Reserved(ledger.Cashbox, b.merchant.CashboxID)), "20.4")
	for range 2 {
		a := p.post(t, paths[0]+"/cancel", fields...)
		want(t, "cancelled", line(a.to(), p.cookies["flash"]), paths[0]+" payout-cancelled")
	}
	want(t, "frozen still", b.Balance(t, ledger.Reserved(ledger.Cashbox, b.merchant.CashboxID)), "10.2")
	page := p.page(t, paths[0])
	want(t, "its status", words(page.Find(".headline .badge")), "Cancelled")
	want(t, "its timeline", strings.Contains(words(page.Find(".timeline")), "Status: Waiting → Cancelled · you"), true)
	late := hidden(p.page(t, paths[1]+"/cancel"))
	b.trader(t, 0).post(t, strings.Replace(paths[1], "merchant", "trader", 1)+"/take")
	a := p.post(t, paths[1]+"/cancel", late...)
	want(t, "taken meanwhile", line(a.to(), p.cookies["flash"]), paths[1]+" changed")
	want(t, "to be cancelled", p.page(t, paths[1]).Find("a[href$='/cancel']").Length(), 0)
	b.Audit(t)
}

// merchantPages are those there are for a merchant, by what they show.
func (b *bundle) merchantPages(t testing.TB, p *person) map[string]string {
	t.Helper()
	failed, open := b.failed(t, "1500"), b.create(t, "1600")
	b.failed(t, "1700")
	a := p.upload(t, fmt.Sprintf("/merchant/payments/%d/appeal", failed.ID),
		hidden(p.page(t, fmt.Sprintf("/merchant/payments/%d/appeal", failed.ID)), "reason", "Paid", "receipt", "1"), "",
		"")
	a2 := p.post(t, "/merchant/deposits", hidden(p.page(t, "/merchant/deposits/new"), "cashbox",
		fmt.Sprint(b.merchant.CashboxID), "network", "TRC20", "amount", "10", "address",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")...)
	path := fmt.Sprintf("/merchant/payments/%d", open.ID)
	payout := strings.Replace(b.payOut(t, 1)[0], "trader", "merchant", 1)
	return map[string]string{
		"payout":       payout,
		"cancel":       payout + "/cancel",
		"print":        path + "/print",
		"payments":     "/merchant/payments",
		"filtered":     "/merchant/payments?status=completed&q=nothing",
		"payment":      path,
		"appealed":     fmt.Sprintf("/merchant/payments/%d", failed.ID),
		"wrong moment": path + "?at=never",
		"appeal form":  fmt.Sprintf("/merchant/payments/%d/appeal", failed.ID+2),
		"payouts":      "/merchant/payouts",
		"appeals":      "/merchant/appeals",
		"appeal":       a.to(),
		"deposits":     "/merchant/deposits",
		"deposit form": "/merchant/deposits/new",
		"deposit":      a2.to(),
		"balance":      "/merchant/balance",
		"statement":    "/merchant/statement",
	}
}

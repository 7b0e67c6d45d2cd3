package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// 1500 RUB are 15 USDT at spot and 14.28571428 for the merchant; the platform
// gets the whole spread, 0.71428572, and 15 are held meanwhile. Of 1000 the
// trader has 985 left.
func TestStatement(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Clock.Advance(time.Minute)
	b.Confirm(t, b.Create(t, "1500"))
	page := p.Page(t, "/trader/statement")
	var got []string
	for _, row := range rows(page) {
		cells := strings.Split(row, " | ")
		got = append(got, strings.Join([]string{cells[0], cells[2], cells[3], cells[4]}, " | "))
	}
	want(t, "available", strings.Join(got[:2], "\n"), strings.Join([]string{
		"Payment № 1 | Payment completed No longer held +15.00000000 To the merchant −14.28571428 " +
			"To the platform −0.71428572 | 0.00000000 | 985.00000000",
		"Payment № 1 | Held for a payment | −15.00000000 | 985.00000000",
	}, "\n"))
	want(t, "opening and closing", words(page.Find(".figures dd")), "0.00000000 USDT 985.00000000 USDT")
	want(t, "leads to", page.Find("tr[data-row] a").First().AttrOr("href", ""), "/trader/payments/1")
	want(t, "a number where there is none", strings.Contains(words(page.Find("main")), "№ 0"), false)
	held := p.Page(t, page.Find(".chips a").Eq(1).AttrOr("href", ""))
	want(t, "held", len(rows(held)), 2)
	want(t, "the tab", words(held.Find(".chips [aria-current]")), "Held")
	want(t, "the account stays", held.Find("input[type=hidden][name=account]").AttrOr("value", ""), "reserved")
	file := p.Get(t, "/trader/statement.csv?account=reserved")
	wantIn(t, "the file", file.Header.Get("Content-Disposition"), "statement-reserved-")
	want(t, "its end", strings.HasSuffix(strings.TrimSpace(file.Body), "\nrows,2"), true)
	want(t, "a day that is none", p.Get(t, "/trader/statement?from=x").Code, 422)
}

// A payout of 1000 RUB costs the merchant 10.2 USDT, of which the trader gets
// 10 and the platform 0.2. The merchant is told what it paid, not how they
// share it.
func TestStatementOfAPayout(t *testing.T) {
	b, member := portaltest.Member(t, caller.Owner)
	a := b.Trader(t, 0).Fill(t, "/trader/payouts/"+b.TakenPayouts(t, 1)[0]+"/complete", "proofReference", "reference 1")
	want(t, "completed", a.Code, http.StatusSeeOther)
	row := strings.Split(rows(member.Page(t, "/merchant/statement"))[0], " | ")
	want(t, "the payout", row[2:], []string{
		"Payout completed No longer held +10.20000000 For the payout −10.20000000", "0.00000000", "989.80000000",
	})
}

// The balances of several cashboxes have a sum; one alone needs none.
func TestBalances(t *testing.T) {
	b, member := portaltest.Member(t, caller.Owner)
	want(t, "sums of one", member.Page(t, "/merchant/balance").Find("tfoot").Length(), 0)
	box := b.NewCashbox(t, b.Merchant.ID, "TRY", "")
	for id, amount := range map[int64]string{b.Merchant.CashboxID: "1000", box: "20.5"} {
		b.Fund(t, ledger.Account{Owner: ledger.Cashbox, OwnerID: id}, amount)
	}
	page := member.Page(t, "/merchant/balance")
	want(t, "cashboxes", page.Find("tr[data-row]").Length(), 2)
	want(t, "sums", words(page.Find("tfoot td")), "All cashboxes 1,020.50000000 1,020.50000000 0.00000000 0.00000000")
}

// A statement is read page by page, both ways.
func TestStatementPages(t *testing.T) {
	b, p := portaltest.Trader(t)
	for i := range 15 {
		b.Clock.Advance(time.Second)
		b.Confirm(t, b.Create(t, fmt.Sprint(100+i)))
	}
	first := p.Page(t, "/trader/statement")
	second := p.Page(t, first.Find(".pages a[rel=next]").AttrOr("href", "/none"))
	// A page has 50 movements: 12 payments with one that held and three
	// that settled, and two of the next.
	want(t, "on the first", len(rows(first)), 25)
	want(t, "on the second", len(rows(second)) >= 6, true)
	want(t, "and back", rows(p.Page(t, second.Find(".pages a[rel=prev]").AttrOr("href", "/none"))), rows(first))
}

// Operators see what waits of withdrawals on their first page, and beside the
// audits what the networks say.
func TestWithdrawalsWaitAndReconcile(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	id := b.Withdrawn(t, "merchant")
	wantIn(t, "the first page", p.Get(t, "/operator/work").Body, "Withdrawals to decide", fmt.Sprint("Withdrawal № ", id))
	b.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at)
		select 'TRC20', direction, 0, direction, 1, 'b', 'f', 't', amount, state, now(), now()
		from (values ('in', 3000, 'final'), ('out', 40.5, 'final'), ('named', 7, 'final')) s (direction, amount, state)`)
	var text string
	testenv.Until(t, "the networks are added up", func() bool {
		text = p.Get(t, "/operator/reconciliation").Text()
		return strings.Contains(text, "2,959.50 USDT")
	})
	wantIn(t, "on the networks", text, "2,959.50 USDT", "3,000.00 USDT", "40.50 USDT")
}

// A merchant sends a file, reads what is wrong with it in their language,
// corrects it, sees what it costs and pays out once; the result is safe to
// open, and the same file again makes nothing and says so.
func TestPayoutFile(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.PayoutFile(t, "before")
	want(t, "a key, as a phone has room for it", words(p.Page(t, "/merchant/payout-files/new").Find("#key option")), "Shop · test · no limit")
	send := func(who *portaltest.Person, content string) portaltest.Answer {
		t.Helper()
		token := who.Page(t, "/merchant/payout-files/new").Find("form[enctype] [name=token]").AttrOr("value", "")
		return who.Upload(t, "/merchant/payout-files", []string{"token", token, "key", fmt.Sprint(b.Merchant.Caller.ID)}, "pay.csv", content)
	}
	for _, size := range []int{2 << 20, 11 << 20} {
		want(t, fmt.Sprint("of bytes: ", size), send(p, strings.Repeat("x", size)).At(t, "#file-wrong"), "422 is larger than 1 MB")
	}
	// The member stays in the language that was chosen last.
	for _, said := range [][2]string{
		{"en", "has no row that names the columns"}, {"ru", "в файле нет строки с названиями столбцов"},
	} {
		p.Page(t, "/merchant/payout-files/new?lang="+said[0])
		a := send(p, "nothing")
		want(t, said[0]+" code", a.Code, http.StatusUnprocessableEntity)
		wantIn(t, said[0], words(a.Page(t).Find("#file-wrong")), said[1])
	}
	const head = "orderId;amount;method;address;recipient\n"
	flawed := send(p, head+"=1+1;1000,00;sbp;89001234567;Ivan Petrov\n=1+1;10;sbp;1;\n").To()
	page := words(p.Page(t, flawed).Find("main"))
	for _, said := range []string{"такой же, как в строке 2", "обязательное поле", "В строках есть ошибки"} {
		wantIn(t, "flaws", page, said)
	}
	want(t, "no way to pay", p.Page(t, flawed).Find("a[href$='/pay']").Length(), 0)
	wantIn(t, "all flaws", p.Get(t, flawed+"/result.csv").Body, "3,orderId")
	p.Page(t, "/merchant/payout-files/new?lang=en")

	good := head + "=1+1;1000,00;sbp;89001234567;Ivan Petrov\nB;2000;sbp;+79001234568;@Petr\n"
	path := send(p, good).To()
	for _, said := range []string{"3,000 ₽", "30.60", "All rows are right"} {
		wantIn(t, "preview", words(p.Page(t, path).Find("main")), said)
	}
	question := p.Page(t, path+"/pay")
	wantIn(t, "question", words(question.Find("main")), "Pay out 3,000 ₽")
	for range 2 { // a double click
		want(t, "paid", p.Post(t, path+"/pay", hidden(question)...).Led(), "303 "+path+" payouts-made")
	}
	want(t, "payouts", b.Count(t, "select count(*) from payin"), 2)
	wantIn(t, "made", words(p.Page(t, path).Find("main")), "0 of 2")
	result := p.Get(t, path+"/result.csv").Body
	for _, said := range []string{"2,'=1+1,", ",waiting,", "'@Petr", "rows,2"} {
		wantIn(t, "result", result, said)
	}
	want(t, "again", send(p, good).Led(), "303 "+path+" payout-file-before")
	want(t, "still", b.Count(t, "select count(*) from payin"), 2)
	want(t, "support", b.As(t, caller.Support).Get(t, path).Code, http.StatusForbidden)
	if !strings.Contains(p.Get(t, "/merchant/payout-files/template.csv").Body, "orderId,amount") {
		t.Error("no template")
	}
}

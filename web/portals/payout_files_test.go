package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// A merchant sends a file, reads what is wrong with it in their language, corrects it, sees what it costs and pays out once;
// the result is safe to open, and the same file again makes nothing and says so.
func TestPayoutFile(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.PayoutFile(t, "before")
	send := func(who *portaltest.Person, content string) portaltest.Answer {
		t.Helper()
		token := who.Page(t, "/merchant/payout-files/new").Find("form[enctype] [name=token]").AttrOr("value", "")
		return who.Upload(t, "/merchant/payout-files", []string{"token", token, "key", fmt.Sprint(b.Merchant.Caller.ID)}, "pay.csv", content)
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

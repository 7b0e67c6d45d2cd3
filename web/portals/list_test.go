package portals_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// Lists are read page by page, both ways, and keep to their filters.
func TestListsTurn(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	for i := range 112 {
		b.Create(t, fmt.Sprint(100+i))
	}
	b.Exec(t,
		`insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, status, created_at,
			status_at)
		select merchant_id, cashbox_id, 5, 'TRC20', 'T', gen_random_uuid(),
			case when n = 7 then 'confirmed' else 'pending' end, created_at, created_at
		from (select *, row_number() over (order by id) n from payment) p order by id`, // ids have gaps: connections take some ahead
	)
	b.Exec(t,
		`insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor,
			created_at)
		select merchant_id, id, 'why', 'a.pdf', 'application/pdf', 1,
			case when n % 4 = 0 then 'open' when n % 4 = 1 then 'in_review' else 'closed' end, created_at, 'key:1', created_at
		from (select *, row_number() over (order by id) n from payment) p order by id`,
	)
	for path, expected := range map[string]string{
		"/merchant/deposits":                              "112-63 62-13 12-1",
		"/merchant/deposits?status=pending":               "112-63 62-13 12-1",
		"/merchant/deposits?status=confirmed":             "7-7",
		"/merchant/appeals":                               "112-63 62-13 12-1",
		"/merchant/appeals?status=open&status=in_review":  "112-13 12-1",
		"/merchant/appeals?status=closed&cashbox=9999999": "",
	} {
		forth, back := turn(t, p, path)
		want(t, path, strings.Join(forth, " "), expected)
		slices.Reverse(back)
		want(t, path+", back", back, forth)
	}
	forth, back := turn(t, p, "/merchant/payments?min=101&max=210")
	slices.Reverse(back)
	want(t, "payments", line(len(forth), back), line(3, forth))
	want(t, "the last payments", len(rows(p.Page(t, "/merchant/payments?min=101&max=110"))), 10)
	want(t, "a place that is none", p.Get(t, "/merchant/deposits?before=x").Code, http.StatusNotFound)
	want(t, "nothing newer", words(p.Page(t, "/merchant/appeals?before=112").Find(".pages a")), "To the newest")
}

// turn reads a list to its end and back, each page by its first and last
// number.
func turn(t *testing.T, p *portaltest.Person, path string) (forth, back []string) {
	t.Helper()
	for _, turn := range []struct {
		rel  string
		list *[]string
	}{{"next", &forth}, {"prev", &back}} {
		for {
			page := p.Page(t, path)
			if found := rows(page); len(found) > 0 {
				first, _, _ := strings.Cut(found[0], " ")
				last, _, _ := strings.Cut(found[len(found)-1], " ")
				*turn.list = append(*turn.list, first+"-"+last)
			}
			next, there := page.Find(".pages a[rel=" + turn.rel + "]").Attr("href")
			if !there {
				break
			}
			path = next
		}
	}
	return forth, back
}

// A click anywhere in a row leads where its first link does, but for what else
// in it can be clicked.
func TestRowsAreLinks(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.As(t, caller.Owner)
	made := b.Create(t, "1500")
	b.Exec(t, "update payment set payer_user_id = 'payer-1'")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/merchant/payments")
	for part, to := range map[string]string{
		"tbody tr .method": fmt.Sprintf("/merchant/payments/%d", made.ID), "tbody tr td:not(.lead) a": "/merchant/payer",
	} {
		leads := browsertest.Eval[string](tab, fmt.Sprintf(`(() => {
			const at = document.querySelector(%q).getBoundingClientRect();
			return document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2).closest("a")?.pathname || "";
		})()`, part))
		want(t, part+" leads", leads, to)
	}
}

// A merchant gives a link a picture and takes it away; a file that is none is
// refused beside its field, in the reader's language, and nothing is sent for a
// link that is closed.
func TestLinkPicture(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	path := p.Post(t, "/merchant/links", hidden(p.Page(t, "/merchant/links/new"), "cashbox", fmt.Sprint(b.Merchant.CashboxID),
		"title", "A lamp", "amount", "1500")...).To()
	form := "form[enctype]"
	send := func(file, content string, more ...string) portaltest.Answer {
		t.Helper()
		token := p.Page(t, path).Find(form+" [name=token]").AttrOr("value", "")
		return p.Upload(t, path+"/picture", append(more, "token", token), file, content)
	}
	for lang, said := range map[string]string{"en": "must be a PNG or JPEG picture", "ru": "картинка PNG или JPEG"} {
		p.Page(t, path+"?lang="+lang)
		want(t, lang, send("lamp.png", "<svg onload=alert(1)>").At(t, "#file-wrong"), "422 "+said)
	}
	p.Page(t, path+"?lang=en")
	want(t, "without a file", send("", "").At(t, "#file-wrong"), "422 is required")
	var drawn bytes.Buffer
	testenv.NoError(t, png.Encode(&drawn, image.NewRGBA(image.Rect(0, 0, 48, 48))))
	want(t, "sent", send("lamp.png", drawn.String()).Led(), "303 "+path+" link-picture")
	want(t, "to remove", p.Page(t, path).Find(form+" [name=remove]").Length(), 1)
	wantIn(t, "the log", words(p.Page(t, "/merchant/log").Find("main")), "picture_hash: null → ")
	want(t, "support", b.As(t, caller.Support).Upload(t, path+"/picture", []string{"remove", "1"}, "", "").Code, http.StatusForbidden)
	operator := b.Operator(t, caller.Admin)
	removal := operator.Page(t, "/operator/links/1/picture")
	wantIn(t, "asked", words(removal.Find("main")), "A lamp")
	want(t, "without a reason", operator.Post(t, "/operator/links/1/picture", hidden(removal)...).At(t, "#reason-wrong"), "422 is required")
	a := operator.Post(t, "/operator/links/1/picture", hidden(removal, "reason", "not theirs")...)
	want(t, "by an operator", line(a.To(), b.Count(t, "select count(*) from link_picture")), "/operator/links/1 0")
	want(t, "again", operator.Get(t, "/operator/links/1/picture").Code, http.StatusNotFound)
	send("lamp.png", drawn.String())
	want(t, "removed", line(send("", "", "remove", "1").Code, b.Count(t, "select count(*) from link_picture")), "303 0")
	p.Post(t, path+"/close")
	want(t, "of a closed link", p.Page(t, path).Find(form).Length(), 0)
}

// Somebody whom a field did not offer from the beginning is offered once a part
// of their name is typed.
func TestNamesWhileTyping(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	b.Exec(t, "update trader set name = 'Anna Berg' where id = $1", b.Traders[0].ID)
	b.Exec(t, "insert into trader (name, share_percent, created_at) select 'Newer ' || n, 1, now() from generate_series(1, 100) n")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/operator/money/fund")
	offered := func() int {
		return browsertest.Eval[int](tab, `document.querySelectorAll("#traderId-list option[value^='Anna Berg']").length`)
	}
	want(t, "at first", offered(), 0)
	tab.Type("#traderId", "berg")
	testenv.Until(t, "the name is offered", func() bool { return offered() == 1 })
}

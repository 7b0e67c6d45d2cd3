package portals_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/web/portal/portaltest"
)

// A merchant gives a link a picture and takes it away; a file that is none is refused beside its field, in the reader's
// language, and nothing is sent for a link that is closed.
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
	noError(t, png.Encode(&drawn, image.NewRGBA(image.Rect(0, 0, 48, 48))))
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

// Operators see the links of all merchants, by merchant, state and title, and each with its payments; they change nothing of it
// but take its picture away, which not every role may.
func TestLinksOfAllMerchants(t *testing.T) {
	b, owner := portaltest.Member(t, caller.Owner)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	for _, title := range []string{"A lamp", "A vase"} {
		owner.Post(t, "/merchant/links", hidden(owner.Page(t, "/merchant/links/new"), "cashbox", fmt.Sprint(b.Merchant.CashboxID),
			"title", title, "amount", "1500")...)
	}
	owner.Post(t, "/merchant/links/2/close")
	b.Exec(t, `insert into payment_link (uuid, merchant_id, cashbox_id, title, methods, callback_uri, created_at, created_by, ends_at, picture_hash)
		values (gen_random_uuid(), $1, $2, 'Tea for two', '{}', '', $3, 'merchant_portal:9', $3, 'abc')`, other.ID, other.CashboxID, b.Clock.Now())
	paid := b.Create(t, "1500")
	b.Exec(t, "update payment set order_id = 'link-1-x' where id = $1", paid.ID)
	b.Exec(t, "update payment_key set order_id = 'link-1-x' where payment_id = $1", paid.ID)
	b.Exec(t, `insert into link_payment (merchant_id, link_id, order_id, method, created_at)
		select merchant_id, 1, order_id, method, created_at from payment where id = $1`, paid.ID)
	auditor := b.Operator(t, caller.Auditor)
	for query, titles := range map[string]string{
		"":                                 "Tea for two, A vase, A lamp",
		"?status=open":                     "A lamp",
		"?status=closed&status=over":       "Tea for two, A vase",
		"?q=+LAMP":                         "A lamp",
		"?q=3":                             "Tea for two",
		fmt.Sprint("?merchant=", other.ID): "Tea for two",
		fmt.Sprint("?after=2&merchant=", b.Merchant.ID): "A lamp",
	} {
		var found []string
		auditor.Page(t, "/operator/links"+query).Find("tbody td.lead").Each(func(_ int, cell *goquery.Selection) {
			found = append(found, words(cell))
		})
		want(t, query, strings.Join(found, ", "), titles)
	}
	want(t, "no state", auditor.Get(t, "/operator/links?status=shut").Code, http.StatusUnprocessableEntity)
	row := words(auditor.Page(t, "/operator/links?q=lamp").Find("tbody tr"))
	for _, text := range []string{"№ 1", "1,500", "0 of 1", "Open"} {
		wantIn(t, "the lamp’s row", row, text)
	}
	lamp := auditor.Page(t, "/operator/links/1").Find("main")
	wantIn(t, "whose", words(lamp), fmt.Sprint("№ ", b.Merchant.ID))
	want(t, "its payment", lamp.Find(fmt.Sprintf("td a[href='/operator/payments/%d']", paid.ID)).Length(), 1)
	want(t, "nothing to do", lamp.Find("form, a.button").Length(), 0)
	want(t, "from the payment", auditor.Page(t, fmt.Sprintf("/operator/payments/%d", paid.ID)).Find("dd a[href='/operator/links/1']").Length(), 1)
	remove := "a[href='/operator/links/3/picture']"
	want(t, "an auditor removes", auditor.Page(t, "/operator/links/3").Find(remove).Length(), 0)
	want(t, "an admin removes", b.Operator(t, caller.Admin).Page(t, "/operator/links/3").Find(remove).Length(), 1)
	want(t, "another merchant’s own", b.Stranger(t).Get(t, "/merchant/links/1").Code, http.StatusNotFound)
	want(t, "a merchant’s search", owner.Page(t, "/merchant/links?q=tea").Find("tbody tr").Length(), 0)
}

package portals_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"testing"

	"gateway.example/internal/caller"
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

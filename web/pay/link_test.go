package pay_test

import (
	"bytes"
	"image"
	"image/jpeg"
	imagepng "image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/paylink"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// sell makes a payment link, and returns where it is.
func (b *bundle) sell(t *testing.T, d paylink.Draft) (paylink.Link, string) {
	t.Helper()
	box := b.box(t, "RUB")
	d.CashboxID = box.CashboxID
	made := testenv.Must(b.payLinks.Create(t.Context(), ownerOf(box.ID), d))(t)
	return made, "/l/" + b.links.Token(made.UUID)
}

// A payer says what a link leaves open, and goes on to their payment, once,
// however often they send the form.
func TestLink(t *testing.T) {
	b, tab := setup(t, false), newTab(t)
	b.pool(t, "RUB", "sbp")
	_, path := b.sell(t, paylink.Draft{Title: "Two <cups>", Description: "Blue.\nBy hand.", Least: "100", Most: "5000"})
	page := b.page(t, path)
	wantText(t, page, "h1", "Two <cups>")
	wantText(t, page, "#amount-hint", "From 100 ₽ to 5,000 ₽")
	attempt := page.Find("[name=attempt]").AttrOr("value", "")
	first := b.post(t, path, "attempt", attempt, "amount", "1 500,50", "method", "sbp")
	again := b.post(t, path, "attempt", attempt, "amount", "1 500,50", "method", "sbp")
	to := first.To()
	testenv.Need(t, first.Code == http.StatusSeeOther && strings.HasPrefix(to, "/r/") &&
		again.To() == to, "%d %q, again %q", first.Code, to, again.To())
	want(t, "payments made", b.Count(t, "select count(*) from payment where amount = 1500.50"), 1)
	const bounds, form = "From 100 ₽ to 5,000 ₽", "Enter an amount, for example 1500 or 99.50."
	for amount, said := range map[string]string{"99": bounds, "5000,01": bounds, "": form, "<b>": form, "150.001": form} {
		a := b.post(t, path, "amount", amount, "method", "sbp")
		want(t, "amount "+amount, a.Code, http.StatusUnprocessableEntity)
		wantText(t, a.Page(t), "#amount-error", said)
	}
	tab.Open(b.server.URL + path)
	tab.Type("#amount", "250")
	tab.Click("fieldset label:first-of-type")
	tab.Click(".button")
	tab.Await("h1 .amount", "250 ₽")
}

// Of a link that is over, or is none, a payer learns just that.
func TestLinkEnds(t *testing.T) {
	b := setup(t, false)
	made, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700"})
	page := b.page(t, path)
	want(t, "fields for an amount", page.Find("#amount").Length(), 0)
	wantText(t, page, ".amount", "700 ₽")
	refused := b.post(t, path, "method", "sbp") // nobody has a requisite
	want(t, "without a requisite", refused.Code, http.StatusUnprocessableEntity)
	testenv.Check(t, strings.Contains(refused.Body, "Choose another way"), "without a requisite: %s", refused.Body)
	b.Exec(t, "update rate_limit set calls = 1 where name = 'link_payments'")
	testenv.NoError(t, b.limits.Load(t.Context()))
	b.post(t, path, "method", "sbp")
	slow := b.post(t, path, "method", "sbp")
	want(t, "too many from one address", line(slow.Code, slow.Header.Get("Retry-After") != ""), line(http.StatusTooManyRequests, true))
	testenv.Must(b.payLinks.Close(t.Context(), ownerOf(made.MerchantID), made.ID))(t)
	b.wantOver(t, path)
	want(t, "a link that is none", b.ask(t, path[:len(path)-2]+"AA").Code, http.StatusNotFound)
	want(t, "payments made", b.Count(t, "select count(*) from payment"), 0)
}

// Payments begun by links are counted in the database, by address and by IPv6
// /48: neither another process nor another address of the same network begins
// more. Whoever comes while too many wait for money is asked to try again
// later.
func TestLinkSources(t *testing.T) {
	b := setup(t, false)
	b.pool(t, "RUB", "sbp")
	made, path := b.sell(t, paylink.Draft{Title: "A lamp", Least: "100"})
	b.Exec(t, "update rate_limit set calls = case name when 'link_payments' then 2 else 3 end where name like 'link_%'")
	testenv.NoError(t, b.limits.Load(t.Context()))
	amount := 100
	begin := func(from string) int {
		t.Helper()
		amount++
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(portaltest.Form("amount", strconv.Itoa(amount), "method", "sbp").Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		b.server.Config.Handler.ServeHTTP(w, r)
		if w.Code == http.StatusTooManyRequests {
			wantIn(t, "a refusal", w.Body.String(), "try again later")
		}
		return w.Code
	}
	other := limit.New(b.Pool)
	testenv.NoError(t, other.Load(t.Context()))
	testenv.Must(other.Fail(t.Context(), limit.LinkPayments, "192.0.2.1", time.Now()))(t)
	for _, one := range []struct {
		from string
		code int
	}{
		{"192.0.2.1:1", http.StatusSeeOther}, {"192.0.2.1:2", http.StatusTooManyRequests}, {"192.0.2.2:1", http.StatusSeeOther},
		{"[2001:db8:1:1::1]:1", http.StatusSeeOther}, {"[2001:db8:1:2::1]:1", http.StatusSeeOther}, {"[2001:db8:1:3::1]:1", http.StatusSeeOther},
		{"[2001:db8:1:4::1]:1", http.StatusTooManyRequests}, {"[2001:db8:2:1::1]:1", http.StatusSeeOther},
	} {
		want(t, one.from, begin(one.from), one.code)
	}
	b.Exec(t, `insert into link_payment (merchant_id, link_id, order_id, method, created_at)
		select $1, $2, n::text, 'sbp', $3 from generate_series(1, 100) n`, made.MerchantID, made.ID, b.clock.Now())
	want(t, "while too many wait", begin("192.0.2.3:1"), http.StatusTooManyRequests)
}

// Of a form that anybody may send no more is read than a form has: the rest
// would be written to the disk.
func TestLinkFormIsBounded(t *testing.T) {
	b := setup(t, false)
	b.pool(t, "RUB", "sbp")
	_, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700"})
	const file = 64 << 20
	head := "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
	body := &io.LimitedReader{R: io.MultiReader(strings.NewReader(head), zeros{}), N: file}
	r := httptest.NewRequest(http.MethodPost, path, body)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	b.server.Config.Handler.ServeHTTP(httptest.NewRecorder(), r)
	read := file - body.N
	testenv.Check(t, read < 1<<20, "%d bytes were read of the form", read)
}

// zeros is a body without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Whoever has no payment is counted by their address, whatever they ask for:
// pages and forms of links, logos, and what is none.
func TestStrangersArePaced(t *testing.T) {
	b := setup(t, false)
	_, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700"})
	b.Exec(t, "update rate_limit set calls = 2, per_seconds = 600 where name = 'address_reads'")
	testenv.NoError(t, b.limits.Load(t.Context()))
	ask := func(method, path, from string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, http.NoBody)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		b.server.Config.Handler.ServeHTTP(w, r)
		return w
	}
	want(t, "a page", ask(http.MethodGet, path, "192.0.2.1:1").Code, http.StatusOK)
	want(t, "a logo that is none", ask(http.MethodGet, "/bank/00", "192.0.2.1:2").Code, http.StatusNotFound)
	for _, one := range [][2]string{
		{"GET", path}, {"POST", path}, {"GET", path + "/picture/00"}, {"GET", path + "x"}, {"GET", "/bank/00"}, {"HEAD", "/logo/00"},
	} {
		slow := ask(one[0], one[1], "192.0.2.1:3")
		want(t, line(one), line(slow.Code, slow.Header().Get("Retry-After") != ""), "429 true")
		testenv.Check(t, one[0] == "HEAD" || strings.Contains(slow.Body.String(), `href="`+one[1]), "no way back: %s", slow.Body)
	}
	want(t, "another address", ask(http.MethodGet, path, "192.0.2.2:1").Code, http.StatusOK)
}

// wantOver wants a link to take no payments any more.
func (b *bundle) wantOver(t *testing.T, path string) {
	t.Helper()
	for _, a := range []answer{b.ask(t, path), b.post(t, path, "method", "sbp")} {
		testenv.Check(t, a.Code == http.StatusGone && strings.Contains(a.Body, "takes no payments"), "%d %s", a.Code, a.Body)
	}
}

// A link that is used up says so, but leads back who holds its last place.
func TestLinkUsedUp(t *testing.T) {
	b := setup(t, false)
	b.pool(t, "RUB", "sbp")
	_, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700", MaxPayments: 1})
	begun := b.post(t, path, "method", "sbp")
	want(t, "begun", begun.Code, http.StatusSeeOther)
	b.wantOver(t, path)
	back := b.ask(t, path, "Cookie", strings.Split(begun.Header.Get("Set-Cookie"), ";")[0])
	want(t, "who holds it", line(back.Code, back.To()), line(http.StatusSeeOther, begun.To()))
}

// Whoever has begun to pay by a link that ends meanwhile is led back to their
// payment, and so is a form whose answer was lost. Nobody else is.
func TestLinkEndsMeanwhile(t *testing.T) {
	b := setup(t, false)
	b.pool(t, "RUB", "sbp")
	made, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700"})
	begun := b.post(t, path, "method", "sbp", "attempt", "mine")
	want(t, "begun", begun.Code, http.StatusSeeOther)
	testenv.Must(b.payLinks.Close(t.Context(), ownerOf(made.MerchantID), made.ID))(t)
	b.wantOver(t, path)
	back := b.ask(t, path, "Cookie", strings.Split(begun.Header.Get("Set-Cookie"), ";")[0])
	want(t, "who came back", line(back.Code, back.To()), line(http.StatusSeeOther, begun.To()))
	again := b.post(t, path, "method", "sbp", "attempt", "mine")
	want(t, "the form again", line(again.Code, again.To()), line(http.StatusSeeOther, begun.To()))
	b.clock.Advance(time.Hour)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	want(t, "once that has expired", b.post(t, path, "attempt", "mine").Code, http.StatusGone)
}

// A link's picture stands above its title, drawn anew and of a bounded size, at
// an address that may be kept for good and is none of another link's. It can be
// taken away.
func TestLinkPicture(t *testing.T) {
	b := setup(t, false)
	made, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700"})
	_, other := b.sell(t, paylink.Draft{Title: "A chair", Amount: "700"})
	set := func(file []byte) error {
		return b.payLinks.SetPicture(t.Context(), ownerOf(made.MerchantID), made.ID, file)
	}
	var file bytes.Buffer
	testenv.NoError(t, imagepng.Encode(&file, image.NewRGBA(image.Rect(0, 0, 2000, 1000))))
	testenv.NoError(t, set(append(file.Bytes(), "<script>"...)))
	address := b.page(t, path).Find("main img").AttrOr("src", "")
	a := b.ask(t, address)
	want(t, "the picture is", line(a.Code, a.Header.Get("Content-Type"), a.Header.Get("Cache-Control")),
		"200 image/jpeg public, max-age=31536000, immutable")
	drawn := testenv.Must(jpeg.Decode(strings.NewReader(a.Body)))(t)
	white, _, _, _ := drawn.At(0, 0).RGBA()
	want(t, "it is", line(drawn.Bounds().Size(), white, strings.Contains(a.Body, "<script>")), "(960,480) 65535 false")
	want(t, "below another link", b.ask(t, strings.Replace(address, path, other, 1)).Code, http.StatusNotFound)
	file.Reset()
	testenv.NoError(t, imagepng.Encode(&file, image.NewGray(image.Rect(0, 0, 16_001, 1000))))
	for _, wrong := range [][]byte{[]byte("<svg onload=alert(1)>"), file.Bytes()} {
		f := fault.As(set(wrong))
		testenv.Check(t, f != nil && f.Fields.Wrong("file"), "what is no picture: %v", f)
	}
	testenv.NoError(t, set(nil))
	want(t, "taken away", line(b.page(t, path).Find("main img").Length(), b.ask(t, address).Code), "0 404")
	want(t, "kept", b.Count(t, "select count(*) from link_picture"), 0)
}

package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// page opens a page of a checkout.
func (g *instance) page(t *testing.T, address string) *goquery.Document {
	t.Helper()
	got := fetched(t, http.MethodGet, address, "", nil)
	if got.status != http.StatusOK {
		t.Fatalf("a page answers %d", got.status)
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(got.raw))
	noError(t, err)
	return page
}

// fillIn sends the form of a page that has these fields, as a browser does.
func (w *instance) fillIn(t *testing.T, address string, fields map[string]string) {
	t.Helper()
	values := url.Values{}
	form := w.page(t, address).Find("form").
		FilterFunction(func(_ int, form *goquery.Selection) bool { return form.Find("input").Length() > 0 }).
		First()
	form.Find("input").Each(func(_ int, input *goquery.Selection) {
		values.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	for name, value := range fields {
		if !values.Has(name) {
			t.Fatalf("no field %s: %v", name, values)
		}
		values.Set(name, value)
	}
	target := w.PayURL + form.AttrOr("action", "")
	got := fetched(t, http.MethodPost, target, values.Encode(),
		header{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"})
	if got.status != http.StatusSeeOther {
		t.Fatalf("the form answers %d", got.status)
	}
}

// payerUsesPages: the same on the pages, without a script.
func payerUsesPages(t *testing.T, w *instance) {
	created, token := w.cardPayment(t, nil)
	link := created.text("data.checkoutUrl")
	w.fillIn(t, link, map[string]string{"pan": codeCard, "expiry": "12/35", "cvv": "123"})
	w.awaitCheckout(t, token, "phase", "awaiting_payer_otp")
	w.fillIn(t, link, map[string]string{"otp": "123456"})
	gives(signedGet(payments+"/"+created.text("data.id"), cardKey), 200, is("data.status", "completed")).run(t, w)
}

// otpPageIsForTheCode: it asks for the code and for no card.
func otpPageIsForTheCode(t *testing.T, w *instance) {
	_, token := w.entered(t, nil)
	page := w.page(t, w.checkout(t, token, "", "").text("data.otpUrl"))
	if page.Find("input[name=otp]").Length() != 1 || page.Find("input[name=pan], input[name=cvv]").Length() != 0 {
		t.Error("it is no page of a code alone")
	}
}

// pollingIsFree: a payer's minute of it, in a moment, is answered each time the same; the page asks
// as often as advised.
func pollingIsFree(t *testing.T, w *instance) {
	created, token := w.cardPayment(t, nil)
	before := w.checkout(t, token, "", "")
	for range 30 {
		if got := w.checkout(t, token, "", ""); got.status != 200 || got.raw != before.raw {
			t.Fatalf("%s, then %s", before, got)
		}
	}
	every, _ := strconv.Atoi(w.page(t, created.text("data.checkoutUrl")).Find("[data-every]").AttrOr("data-every", ""))
	if every < 2 || every > 5 {
		t.Errorf("the page asks every %d seconds", every)
	}
}

// prefilled: who has paid on this cashbox before is asked for the security code alone, and pays
// with it. On others, and without their name, a card is asked for.
func prefilled(t *testing.T, w *instance) {
	player := object{"payer": object{"userId": fmt.Sprint("player-", newOrder())}}
	_, token := w.cardPayment(t, player)
	gives(step(token, "payer-details", typedCard(approvedCard, object{"cardHolder": "ANNA B"})), 200).run(t, w)
	w.awaitCheckout(t, token, "paymentStatus", "completed")
	empty := func(name string, created answer) {
		page := w.page(t, created.text("data.checkoutUrl"))
		if page.Find("input[name=pan]").Length() != 1 || page.Find("[data-saved-card]").Length() != 0 {
			t.Errorf("%s: a card is filled in", name)
		}
	}
	nobody, _ := w.cardPayment(t, nil)
	empty("nobody", nobody)
	another, _ := w.cardPayment(t, object{"payer": object{"userId": "player"}})
	empty("another", another)
	empty("elsewhere", w.create(t, w.box(t, "sandbox-try"),
		object{"method": "quasi_ecom", "currency": "TRY", "payer": player["payer"]}))

	again, token := w.cardPayment(t, player)
	page := w.page(t, again.text("data.checkoutUrl"))
	shown := page.Find("[data-saved-card]").Text()
	if page.Find("input[name=pan]").Length() != 0 || !strings.Contains(shown, "4242") ||
		!strings.Contains(shown, "12/35") || !strings.Contains(shown, "ANNA B") {
		t.Errorf("it opens with the card %q", shown)
	}
	w.fillIn(t, again.text("data.checkoutUrl"), map[string]string{"cvv": "123"})
	w.awaitCheckout(t, token, "paymentStatus", "completed")
}

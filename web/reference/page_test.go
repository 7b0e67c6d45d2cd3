package reference_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

func page(t *testing.T, url string, status int) *goquery.Document {
	t.Helper()
	response := testenv.Must(http.Get(url))(t)
	defer response.Body.Close()
	testenv.Need(t, response.StatusCode == status, "%s: %d, want %d", url, response.StatusCode, status)
	policy := response.Header.Get("Content-Security-Policy")
	testenv.Check(t, strings.HasPrefix(policy, "default-src 'none'"), "%s: the policy is %q", url, policy)
	return testenv.Must(goquery.NewDocumentFromReader(response.Body))(t)
}

// addresses are those of every page that the start leads to.
func addresses(t *testing.T, url string) []string {
	t.Helper()
	list := []string{"/docs"}
	page(t, url+"/docs", http.StatusOK).Find("nav a").Each(func(_ int, link *goquery.Selection) {
		list = append(list, link.AttrOr("href", ""))
	})
	testenv.Need(t, len(list) >= 25, "the start leads to %v", list)
	return list
}

// Every page that the start leads to is there, has a title, and needs no script.
func TestPages(t *testing.T) {
	t.Parallel()
	server := serve(t, nil)
	for _, address := range addresses(t, server.URL) {
		document := page(t, server.URL+address, http.StatusOK)
		testenv.Check(t, document.Find("h1").Length() == 1 && document.Find("h1").Text() != "", "%s has no title", address)
		testenv.Check(t, document.Find("script").Length() == 0 && document.Find("form").Length() == 0,
			"%s has a script, or a form outside a sandbox", address)
	}
	for _, name := range []string{"signing", "repeats", "webhooks", "limits", "portal"} {
		page(t, server.URL+"/docs/"+name, http.StatusOK).Find(".prose a").Each(func(_ int, link *goquery.Selection) {
			leads(t, server.URL+"/docs/"+name, link.AttrOr("href", ""))
		})
	}
	page(t, server.URL+"/docs/nothing", http.StatusNotFound)
	page(t, server.URL+"/docs/CreatePayment/more", http.StatusNotFound)
}

// A page of a call has all that its caller needs.
func TestCallPage(t *testing.T) {
	t.Parallel()
	document := page(t, serve(t, nil).URL+"/docs/CreatePayment", http.StatusOK)
	text := document.Find("main").Text()
	code, _ := fault.FindCode("collect_requisites_not_available")
	for _, want := range []string{
		"Create a payment", "/api/v1/payments", "Signed with the key of a merchant", "payer.payments.successful",
		"1 to 255 characters", "data.ledger.sellerRateMarkupPercent", code.Name, code.Meaning, "Idempotent-Replay",
		"createHmac", "hmac.New(sha256.New", "hmac.new(secret", "openssl dgst",
		"From the environment they read BASE_URL, here https://api.gateway.test, and KEY_ID and SECRET of the key.",
	} {
		testenv.Check(t, strings.Contains(text, want), "the page of a call does not say %q", want)
	}
	for _, row := range []struct{ field, want string }{{"orderId", "required"}, {"method", "quasi_ecom"}, {"merchantName", "not allowed"}} {
		found := false
		document.Find("section").First().Find("tr").Each(func(_ int, s *goquery.Selection) {
			found = found || s.Find("th code").Text() == row.field && strings.Contains(s.Text(), row.want)
		})
		testenv.Check(t, found, "the field %s does not say %q", row.field, row.want)
	}
}

// leads checks that a link of a page leads to a part that is there, or to another site.
func leads(t *testing.T, from, to string) {
	t.Helper()
	if strings.HasPrefix(to, "https://") {
		return
	}
	base := testenv.Must(url.Parse(from))(t)
	at := testenv.Must(base.Parse(to))(t)
	document := page(t, at.String(), http.StatusOK)
	testenv.Check(t, at.Fragment == "" || document.Find("#"+at.Fragment).Length() == 1, "%s leads to %s, which has no such part", from, to)
}

// The codes of the errors page are those that calls answer with, each with what to do.
func TestErrorsPage(t *testing.T) {
	t.Parallel()
	document := page(t, serve(t, nil).URL+"/docs/errors", http.StatusOK)
	row := document.Find("#code_resend_too_early")
	testenv.Check(t, strings.Contains(row.Text(), "429") && strings.Contains(row.Text(), "nextAllowedAt"), "%q", row.Text())
	testenv.Check(t, document.Find("#proposal_own").Length() == 0, "a code of operators is among those of the REST API")
}

// Webhooks come with their fields, an example and how to verify one.
func TestWebhooksPage(t *testing.T) {
	t.Parallel()
	document := page(t, serve(t, nil).URL+"/docs/webhooks", http.StatusOK)
	for _, event := range []string{
		"payment.status.updated", "payment.payer.claimed", "payment.quasi_ecom.code_resend", "payin.status.updated",
	} {
		section := document.Find("section").
			FilterFunction(func(_ int, s *goquery.Selection) bool { return s.AttrOr("id", "") == event })
		testenv.Check(t, strings.Contains(section.Find("pre").Text(), `"type": "`+event+`"`) &&
			section.Find("tr").Length() >= 8, "%s is not described", event)
	}
	if text := document.Text(); !strings.Contains(text, "timingSafeEqual") ||
		!strings.Contains(text, "compare_digest") {
		t.Error("there is no sample that verifies a webhook")
	}
}

package reference_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/fault"
	"gateway.example/internal/signature"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/reference"
)

// client shares no connections with other tests, whose servers close those of
// the default client as they end.
var client = &http.Client{Transport: &http.Transport{}}

func page(t *testing.T, url string, status int) *goquery.Document {
	t.Helper()
	response := testenv.Must(client.Get(url))(t)
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

// Every page that the start leads to is there, has a title, and needs no
// script.
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

// leads checks that a link of a page leads to a part that is there, or to
// another site.
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

// The codes of the errors page are those that calls answer with, each with what
// to do.
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

// witness is an API that tells what it was asked and whether the signature is
// right.
func witness(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	content := body
	if file, header, err := formFile(r, body); err == nil {
		content = fmt.Appendf(nil, "appeal-v1\n%s\n%s\n%d", r.MultipartForm.Value["reason"][0], header, len(file))
	}
	secret := r.Header.Get("X-Merchant-Secret")
	if strings.HasSuffix(r.URL.Path, "/callback") {
		secret = applicationSecret
	}
	signed := r.Header.Get("Signature")
	w.Header().Set("X-Request-Id", "the-request")
	w.WriteHeader(http.StatusTeapot)
	fmt.Fprintf(w, `{"asked":%q,"key":%q,"signed":%t,"right":%t}`, r.Method+" "+r.URL.RequestURI(),
		r.Header.Get("X-Merchant-Key-Id"), signed != "", signature.Verify([]byte(secret), content, signed))
}

func formFile(r *http.Request, body []byte) ([]byte, string, error) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	file, header, err := r.FormFile("file")
	if err != nil {
		return nil, "", err
	}
	content, err := io.ReadAll(file)
	return content, header.Filename, err
}

// send posts the form of a call as a browser does, from an origin.
func send(t *testing.T, address, origin string, fields map[string]string, file string) (int, *goquery.Document) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = form.WriteField(name, value)
	}
	if file != "" {
		_, _ = io.WriteString(testenv.Must(form.CreateFormFile("file", "receipt.pdf"))(t), file)
	}
	_ = form.Close()
	request := testenv.Must(http.NewRequest(http.MethodPost, address, &body))(t)
	request.Header.Set("Content-Type", form.FormDataContentType())
	if origin != "" {
		request.Header.Set("Origin", origin)
	}
	response := testenv.Must(client.Do(request))(t)
	defer response.Body.Close()
	return response.StatusCode, testenv.Must(goquery.NewDocumentFromReader(response.Body))(t)
}

// A form makes the call that it says, signed where it needs to be, and shows
// all of it but secrets.
func TestTry(t *testing.T) {
	t.Parallel()
	server := serve(t, http.HandlerFunc(witness))
	for name, test := range map[string]struct {
		fields map[string]string
		file   string
		wants  []string
	}{
		"CreatePayment": {
			map[string]string{"key": key.ID, "body": "{\r\n  \"orderId\": \"чашки\"\r\n}"}, "",
			[]string{`"asked": "POST /api/v1/payments"`, `"key": "sandbox-rub"`, `"right": true`, "X-Merchant-Secret: •••", "чашки"},
		},
		"GetPayment": {
			map[string]string{"key": key.ID, "parameter.payment_id": "7"}, "",
			[]string{`"asked": "GET /api/v1/payments/7"`, `"right": true`, "The empty text"},
		},
		"ListPayments": {
			map[string]string{"key": key.ID, "parameter.orderId": "a & b"}, "",
			[]string{`"asked": "GET /api/v1/payments?orderId=a+%26+b"`, `"right": true`},
		},
		"ListPayins": {
			map[string]string{"key": key.ID, "parameter.metadata": "campaign=spring=1"}, "",
			[]string{`"asked": "GET /api/v1/payins?metadata%5Bcampaign%5D=spring%3D1"`, `"right": true`},
		},
		"UpdatePaymentStatus": {
			map[string]string{"parameter.payment_id": "7", "body": `{"status":"completed"}`}, "",
			[]string{`"asked": "POST /api/v1/payments/7/callback"`, `"right": true`, `"key": ""`},
		},
		"CreateAppeal": {
			map[string]string{"key": key.ID, "parameter.payment_id": "7", "reason": "Paid"}, "%PDF-1",
			[]string{`"asked": "POST /api/v1/payments/7/appeal"`, `"right": true`, "appeal-v1\nPaid\nreceipt.pdf\n6"},
		},
		"SubmitPayerDetails": {
			map[string]string{"parameter.token": "t", "body": `{"pan":"4000002500003155","expMonth":"11","cvv":"987","saveCard":true}`}, "",
			[]string{`"asked": "POST /api/v1/checkout/t/payer-details"`, `"signed": false`, `"saveCard": true`},
		},
	} {
		status, document := send(t, server.URL+"/docs/"+name, server.URL, test.fields, test.file)
		shown := document.Find("#result").Text()
		for _, want := range append(test.wants, "answered 418", "X-Request-Id: the-request") {
			testenv.Check(t, strings.Contains(shown, want), "%s, %d: %q is not shown: %s", name, status, want, shown)
		}
		never := []string{key.Secret, applicationSecret, "4000002500003155"}
		if name == "SubmitPayerDetails" { // signatures of others may have the three digits of its security code
			never = append(never, "987")
		}
		for _, never := range never {
			if html, _ := document.Html(); strings.Contains(html, never) {
				t.Errorf("%s: %q is on the page", name, never)
			}
		}
	}
}

// Other sites cannot make calls, nor can anybody outside a sandbox, nor for a
// user.
func TestTryIsGuarded(t *testing.T) {
	t.Parallel()
	asked := 0
	sandbox, production := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ })), serve(t, nil)
	fields := map[string]string{"key": key.ID, "body": "{}", "parameter.metadata": "campaign"}
	for name, test := range map[string]struct {
		address, origin string
		want            int
	}{
		"another site":      {sandbox.URL + "/docs/CreatePayment", "https://evil.example", http.StatusForbidden},
		"nobody knows":      {sandbox.URL + "/docs/CreatePayment", "", http.StatusForbidden},
		"a user's call":     {sandbox.URL + "/docs/ListCredentials", sandbox.URL, http.StatusNotFound},
		"no call":           {sandbox.URL + "/docs/nothing", sandbox.URL, http.StatusNotFound},
		"outside a sandbox": {production.URL + "/docs/CreatePayment", production.URL, http.StatusMethodNotAllowed},
		"no pair":           {sandbox.URL + "/docs/ListPayins", sandbox.URL, http.StatusUnprocessableEntity},
		"no id":             {sandbox.URL + "/docs/GetPayin", sandbox.URL, http.StatusUnprocessableEntity},
	} {
		if status, _ := send(t, test.address, test.origin, fields, ""); status != test.want {
			t.Errorf("%s: %d, want %d", name, status, test.want)
		}
	}
	testenv.Check(t, asked == 0, "%d calls were made", asked)
}

// Every page can be used by everybody: on a phone and a desktop, in light and
// dark, with large text, and without a request to anybody else. The pages of
// calls are of one template: the rules look at one of them.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	server := serve(t, http.HandlerFunc(witness))
	brief := []string{"/docs", "/docs/CreatePayment", "/docs/webhooks", "/docs/nothing"}
	all := append(addresses(t, server.URL), "/docs/nothing")
	for width, pages := range map[int64][]string{320: testenv.Pick(t, brief, all), 1280: testenv.Pick(t, nil, brief)} {
		for some := range slices.Chunk(pages, 20) { // a tab has its time, too
			tab := browsertest.New(t)
			tab.Examining(rules)
			tab.Do(chromedp.EmulateViewport(width, 800))
			for _, address := range some {
				where := fmt.Sprintf("%s, %d px", address, width)
				tab.Theme("light")
				tab.Open(server.URL + address)
				if !ofCall.MatchString(address) || slices.Contains(brief, address) {
					tab.Finds(where, browsertest.Examine)
				}
				tab.Finds(where, browsertest.Foreign, beyond)
				if slices.Contains(brief, address) {
					tab.Theme("dark")
					tab.Finds(where+", dark", browsertest.ExamineColors)
				}
			}
		}
	}
	tab := browsertest.New(t)
	tab.Examining(rules)
	tab.Open(server.URL + "/docs/CreatePayment")
	tab.Click("form button")
	tab.Await("#result h2", "The sandbox answered 418")
	tab.Finds("a result", browsertest.Examine)
}

// ofCall are the addresses of calls, which are named like their procedures.
var ofCall = regexp.MustCompile(`^/docs/[A-Z]`)

// beyond lists what runs out of the screen with text of twice the size, and
// cannot be scrolled.
const beyond = `(() => {
	document.documentElement.style.fontSize = "200%";
	const wide = document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest("pre, table") && e.getBoundingClientRect().right > innerWidth + 1).map(e => "runs out of the screen: " + e.outerHTML.slice(0, 120)).concat("the page runs out of the screen");
	document.documentElement.style.fontSize = "";
	return wide;
})()`

// key is a sandbox's. Its secret must never be on a page.
var key = reference.Key{ID: "sandbox-rub", Secret: "the-secret-of-the-key", About: "cashbox 1"}

const applicationSecret = "the-secret-of-the-application"

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.End()
	os.Exit(code)
}

// serve starts the reference of the committed description, with an API that
// answers calls; nil is none, outside a sandbox.
func serve(t testing.TB, api http.Handler) *httptest.Server {
	t.Helper()
	services := reference.Services{Description: testenv.Must(os.ReadFile("../../docs/openapi.json"))(t)}
	if api != nil {
		services.API = api
		services.Sandbox = &reference.Sandbox{Keys: []reference.Key{key}, Secret: applicationSecret}
	}
	server := httptest.NewServer(testenv.Must(reference.New(services))(t))
	t.Cleanup(server.Close)
	return server
}

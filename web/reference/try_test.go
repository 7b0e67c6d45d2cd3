package reference_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/signature"
	"gateway.example/internal/testenv"
)

// witness is an API that tells what it was asked and whether the signature is right.
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
	response := testenv.Must(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	return response.StatusCode, testenv.Must(goquery.NewDocumentFromReader(response.Body))(t)
}

// A form makes the call that it says, signed where it needs to be, and shows all of it but secrets.
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

// Other sites cannot make calls, nor can anybody outside a sandbox, nor for a user.
func TestTryIsGuarded(t *testing.T) {
	t.Parallel()
	asked := 0
	sandbox, production := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ })), serve(t, nil)
	fields := map[string]string{"key": key.ID, "body": "{}"}
	for name, test := range map[string]struct {
		address, origin string
		want            int
	}{
		"another site":      {sandbox.URL + "/docs/CreatePayment", "https://evil.example", http.StatusForbidden},
		"nobody knows":      {sandbox.URL + "/docs/CreatePayment", "", http.StatusForbidden},
		"a user's call":     {sandbox.URL + "/docs/ListCredentials", sandbox.URL, http.StatusNotFound},
		"no call":           {sandbox.URL + "/docs/nothing", sandbox.URL, http.StatusNotFound},
		"outside a sandbox": {production.URL + "/docs/CreatePayment", production.URL, http.StatusNotFound},
		"no id":             {sandbox.URL + "/docs/GetPayin", sandbox.URL, http.StatusUnprocessableEntity},
	} {
		if status, _ := send(t, test.address, test.origin, fields, ""); status != test.want {
			t.Errorf("%s: %d, want %d", name, status, test.want)
		}
	}
	testenv.Check(t, asked == 0, "%d calls were made", asked)
}

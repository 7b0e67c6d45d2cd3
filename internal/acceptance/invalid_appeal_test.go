package acceptance

import (
	"bufio"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/sign"
)

// newAppeal appeals the failed payment with a form of wrong.txt.
var newAppeal = endpoint{nothingGood, "", postForm, "", http.StatusCreated}

var aPart = regexp.MustCompile(`<part ([^>]*)>`)

// postForm writes out the parts of a form, and signs what is in them.
func postForm(t *testing.T, g *instance, _, short string) answer {
	t.Helper()
	const part, end = "\r\n--b\r\nContent-Disposition: form-data; ", "\r\n--b--\r\n"
	body := strings.NewReplacer(
		"<reason>",
		`<part name="reason">`,
		"<file>",
		`<part name="file"; filename="a.pdf">`,
		"<pdf>",
		pdf,
		"<end>",
		end,
		"<parts:5000>",
		strings.Repeat(part+`name="x"`+"\r\n\r\n", 5000),
	).Replace(short)
	body = strings.TrimPrefix(aPart.ReplaceAllString(body, part+"$1\r\n\r\n"), "\r\n")
	reason, fileName, size := "x", "a.pdf", len(pdf)
	if sent, err := multipart.NewReader(strings.NewReader(body), "b").ReadForm(uploadLimit); err == nil {
		if given := sent.Value["reason"]; len(given) > 0 {
			reason = given[0]
		}
		if given := sent.Value["file"]; len(given) > 0 {
			fileName, size = "", len(given[0])
		}
		if given := sent.File["file"]; len(given) > 0 {
			fileName, size = given[0].Filename, int(given[0].Size)
		}
	}
	return send(t, http.MethodPost, g.appealURL(g.ids["failed"]), body,
		appealHeaders(g.first(), reason, fileName, size))
}

// Every bad appeal is a 4xx that names what is wrong, and changes nothing.
func TestBadAppeals(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, id := g.first(), g.failed(t, nil)
	g.ids["failed"] = id
	before := g.rows(t)
	t.Run("forms", func(t *testing.T) { g.tryBodies(t, newAppeal, tables(t, "wrong.txt")["appeal"]) })
	t.Run("switched off", func(t *testing.T) { appealsSwitchedOff(t, g, id) })
	t.Run("Connect", func(t *testing.T) { badAppealsByConnect(t, g, number(id)) })
	t.Run("too large", func(t *testing.T) { tooLargeAppeals(t, g, id) })
	testenv.Want(t, g.rows(t), before, "the rows")
	// The window is one of the test clock's time.
	g.advance(t, 24*time.Hour+time.Second)
	g.appeal(t, box, id, "x", "a.pdf", pdf).want(t, "a day later", 422, "code", "appeal_window_closed")
}

// appealsSwitchedOff: a merchant whose API is off appeals nothing, which is said before anything of the form.
func appealsSwitchedOff(t *testing.T, g *instance, id string) {
	for _, enabled := range []bool{false, true} {
		g.exec(t, "update merchant set api_enabled = $1 where id = 1", enabled)
		testenv.Until(t, fmt.Sprintf("it is known that the API is on: %t", enabled), func() bool {
			got := send(t, "POST", g.appealURL(id), "--b--\r\n", appealHeaders(g.first(), "", "", 0))
			return (got.text("code") == "merchant_api_disabled") != enabled
		})
	}
}

// signedAppeal is an appeal over Connect, signed as another would be.
func signedAppeal(
	box sandbox.Cashbox,
	m *gatewayv1.CreateAppealRequest,
) *connect.Request[gatewayv1.CreateAppealRequest] {
	request := connect.NewRequest(m)
	request.Header().
		Set("Signature", sign.AppealSignature(box.Secret, m.GetReason(), m.GetFileName(), int64(len(m.GetFile()))))
	return request
}

func badAppealsByConnect(t *testing.T, g *instance, id int64) {
	box := g.first()
	reason, name, long, nul := "x", "a.pdf", strings.Repeat("ж", 2001), "a\x00b"
	for codec, options := range codecs {
		merchant := g.merchantClient(box, options...)
		for label, test := range map[string]struct {
			ask    *gatewayv1.CreateAppealRequest
			code   connect.Code
			why    string
			fields []string
		}{
			"nothing":   {&gatewayv1.CreateAppealRequest{PaymentId: id}, connect.CodeInvalidArgument, "validation_failed", []string{"file", "reason"}},
			"no name":   {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, File: []byte(pdf)}, connect.CodeInvalidArgument, "validation_failed", []string{"file"}},
			"long":      {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &long, FileName: &name, File: []byte("x")}, connect.CodeInvalidArgument, "validation_failed", []string{"file", "reason"}},
			"NUL":       {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &nul, FileName: &name, File: []byte(pdf)}, connect.CodeInvalidArgument, "validation_failed", []string{"reason"}},
			"unknown":   {&gatewayv1.CreateAppealRequest{PaymentId: 1 << 40, Reason: &reason, FileName: &name, File: []byte(pdf)}, connect.CodeNotFound, "not_found", nil},
			"too large": {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, FileName: &name, File: make([]byte, uploadLimit)}, connect.CodeResourceExhausted, "body_too_large", nil},
		} {
			_, err := merchant.CreateAppeal(t.Context(), signedAppeal(box, test.ask))
			if code, why, fields := connectFault(t, err); code != test.code || why != test.why ||
				!slices.Equal(fields, test.fields) {
				t.Errorf("%s, %s: %s %s %v", codec, label, code, why, fields)
			}
		}
		// Without a signature of its own the client signs the body, which is not what an appeal's
		// covers.
		refuses(t, fmt.Sprintf("%s, signed by its bytes", codec), merchant.CreateAppeal,
			&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, FileName: &name, File: []byte(pdf)},
			connect.CodePermissionDenied, "invalid_signature")
	}
}

// tooLargeAppeals come from a client that sends all before it reads: it gets its answer, not a
// reset.
func tooLargeAppeals(t *testing.T, g *instance, id string) {
	good := appealHeaders(g.first(), "x", "a.pdf", len(pdf))
	for name, test := range map[string]struct {
		size    int
		headers header
		status  string
		code    string
	}{
		"one byte over":       {uploadLimit + 1, good, "413", "body_too_large"},
		"three times as much": {3 * uploadLimit, good, "413", "body_too_large"},
		"by a stranger":       {3 * uploadLimit, with(good, "X-Merchant-Secret", "wrong"), "403", "invalid_signature"},
		"unsigned":            {3 * uploadLimit, with(good, "Signature", ""), "401", "signature_required"},
	} {
		got, err := writeAll(g.appealURL(id), test.headers, test.size, test.size)
		if err != nil || !strings.HasPrefix(got, "HTTP/1.1 "+test.status) || !strings.Contains(got, `"`+test.code+`"`) {
			t.Errorf("%s: %.300s, %v", name, got, err)
		}
	}
	// Key and secret are checked before the body is read: the answer does not wait for a body that
	// never comes.
	got, err := writeAll(g.appealURL(id), with(good, "X-Merchant-Secret", "wrong"), uploadLimit, 0)
	if err != nil || !strings.HasPrefix(got, "HTTP/1.1 403") {
		t.Errorf("no body: %.300s, %v", got, err)
	}
}

// writeAll writes a request of a length, as much of its body as is sent, and only then reads what
// is answered.
func writeAll(address string, headers header, length, sent int) (string, error) {
	target, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	connection, err := net.Dial("tcp", target.Host)
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(testenv.Patience)); err != nil {
		return "", err
	}
	w := bufio.NewWriter(connection)
	_, _ = fmt.Fprintf(w, "POST %s HTTP/1.1\r\nHost: gateway\r\nContent-Length: %d\r\n", target.Path, length)
	for name, value := range headers {
		if value != "" {
			_, _ = fmt.Fprintf(w, "%s: %s\r\n", name, value)
		}
	}
	_, _ = w.WriteString("\r\n")
	_, err = io.CopyN(w, zeros{}, int64(sent))
	if err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	if err := w.Flush(); err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return fmt.Sprintf("HTTP/1.1 %s %s", response.Status, body), err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

package acceptance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
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

// badForm is a body, what it is signed as, and the fields it must be refused for.
type badForm struct {
	body, reason, fileName string
	size                   int
	fields                 []string
}

// badForms are refused with 422 for exactly these fields.
func badForms() map[string]badForm {
	all := map[string]badForm{}
	// Whole forms, signed as they are.
	whole := func(name, reason, fileName, content string, fields ...string) {
		all[name] = badForm{
			form(reasonPart(reason), filePart(fileName, content)), reason, fileName, len(content), fields,
		}
	}
	whole("empty reason", "", "a.pdf", pdf, "reason")
	whole("blank reason", " \r\n\t", "a.pdf", pdf, "reason")
	whole("long reason", strings.Repeat("ж", 2001), "a.pdf", pdf, "reason")
	whole("huge reason", strings.Repeat("x", 5<<20), "a.pdf", pdf, "reason")
	whole("no name", "x", "", pdf, "file")
	whole("long name", "x", strings.Repeat("ж", 256), pdf, "file")
	whole("huge name", "x", strings.Repeat("x", 32<<10), pdf, "file")
	whole("huge header", "x", strings.Repeat("x", 1<<20), pdf, "body")
	whole("empty file", "x", "a.pdf", "", "file")
	whole("text", "x", "a.pdf", "Dear bank,", "file")
	whole("a page", "x", "a.pdf", "<!doctype html><script>alert(1)</script>", "file")
	whole("a program", "x", "a.png", "\x7fELF\x02\x01\x01\x00", "file")
	whole("all wrong", "", "", "x", "file", "reason")

	// Forms without the three parts that could be signed.
	reason, file := reasonPart("x"), filePart("a.pdf", pdf)
	for name, test := range map[string]struct {
		parts  [][2]string
		fields []string
	}{
		"no parts":             {nil, []string{"file", "reason"}},
		"no reason":            {[][2]string{file}, []string{"reason"}},
		"no file":              {[][2]string{reason}, []string{"file"}},
		"reason twice":         {[][2]string{reason, reason, file}, []string{"reason"}},
		"reason thrice":        {[][2]string{reason, reason, file, reason}, []string{"reason"}},
		"two files":            {[][2]string{reason, file, filePart("b.pdf", pdf)}, []string{"file"}},
		"both twice":           {[][2]string{reason, file, file, reason}, []string{"file", "reason"}},
		"reason of no text":    {[][2]string{reasonPart("a\xff"), file}, []string{"reason"}},
		"NUL in the reason":    {[][2]string{reasonPart("a\x00b"), file}, []string{"reason"}},
		"surrogate in it":      {[][2]string{reasonPart("\xed\xa0\x80"), file}, []string{"reason"}},
		"file as text":         {[][2]string{reason, {`name="file"`, pdf}}, []string{"file"}},
		"name of no text":      {[][2]string{reason, filePart("a\xff.pdf", pdf)}, []string{"file"}},
		"NUL in the name":      {[][2]string{reason, {`name="file"; filename*=utf-8''a%00b.pdf`, pdf}}, []string{"file"}},
		"names in other case":  {[][2]string{{`name="Reason"`, "x"}, {`name="FILE"; filename="a.pdf"`, pdf}}, []string{"file", "reason"}},
		"parts without a name": {[][2]string{{`filename="a.pdf"`, pdf}, {"x", "y"}}, []string{"file", "reason"}},
		"the name as a part":   {[][2]string{reason, {`name="fileName"`, "a.pdf"}, {`name="file"`, pdf}}, []string{"file"}},
	} {
		all[name] = badForm{form(test.parts...), "x", "a.pdf", len(pdf), test.fields}
	}
	twoLines := form(reason, [2]string{`name="file"; filename*=utf-8''a%0Ab.pdf`, pdf})
	all["name of two lines"] = badForm{twoLines, "x", "a\nb.pdf", len(pdf), []string{"file"}}

	// Bodies without a part, and broken ones.
	valid := form(reason, file)
	for name, body := range map[string]string{
		"nothing": "", "JSON": `{"reason":"x"}`, "another boundary": strings.ReplaceAll(valid, "--b", "--c"),
		"bytes": strings.Repeat("\x00\xff", 1000), "one line": "--b",
	} {
		all[name] = badForm{body, "x", "a.pdf", len(pdf), []string{"file", "reason"}}
	}
	for name, body := range map[string]string{
		"no end": strings.TrimSuffix(valid, "--b--\r\n"), "cut in the file": valid[:len(valid)-12], "no header": "--b\r\nx\r\n--b--\r\n",
		"many parts": form(slices.Repeat([][2]string{{`name="x"`, ""}}, 5000)...),
	} {
		all[name] = badForm{body, "x", "a.pdf", len(pdf), []string{"body"}}
	}
	return all
}

// Every bad appeal is a 4xx that names what is wrong, and changes nothing.
func TestBadAppeals(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, id := g.first(), g.failed(t, nil)
	rows := func() string {
		return g.texts(t, `select (select count(*) from appeal) || ' ' || (select count(*) from appeal_chunk) || ' ' ||
			(select count(*) from webhook_event) || ' ' || (select string_agg(status, ',' order by id) from payment)`)[0]
	}
	before := rows()
	for name, b := range badForms() {
		checkInvalid(t, name,
			send(t, "POST", g.appealURL(id), b.body, appealHeaders(box, b.reason, b.fileName, b.size)), b.fields)
	}
	t.Run("switched off", func(t *testing.T) { appealsSwitchedOff(t, g, id) })
	t.Run("Connect", func(t *testing.T) { badAppealsByConnect(t, g, number(id)) })
	t.Run("too large", func(t *testing.T) { tooLargeAppeals(t, g, id) })
	if after := rows(); after != before {
		t.Errorf("before: %s; after: %s", before, after)
	}
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

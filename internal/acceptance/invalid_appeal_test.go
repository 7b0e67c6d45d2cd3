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
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// newAppeal appeals the failed payment with a form of wrong.txt.
var newAppeal = endpoint{fixed("{}"), postForm, http.StatusCreated}

var aPart = regexp.MustCompile(`<part ([^>]*)>`)

// postForm writes out the parts of a form, and signs what is in them.
func postForm(t *testing.T, g *instance, short string) answer {
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
	got := send(t, http.MethodPost, g.appealURL(g.ids["failed"]), body,
		appealHeaders(g.first(), reason, fileName, size))
	if got.status == http.StatusCreated {
		g.ids["failed"] = g.failed(t)
	}
	return got
}

// A form that is too large comes from a client that sends all before it reads: it gets its answer, not a
// reset. Key and secret are checked before the body is read: that answer does not wait for a body that never comes.
func TestTooLargeAppeals(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	id := g.failed(t)
	good := appealHeaders(g.first(), "x", "a.pdf", len(pdf))
	for name, test := range map[string]struct {
		length, sent int
		headers      header
		want         string
	}{
		"one byte over":       {uploadLimit + 1, uploadLimit + 1, good, "413 body_too_large"},
		"three times as much": {3 * uploadLimit, 3 * uploadLimit, good, "413 body_too_large"},
		"unsigned":            {3 * uploadLimit, 3 * uploadLimit, with(good, "Signature", ""), "401 signature_required"},
		"no body":             {uploadLimit, 0, with(good, "X-Merchant-Secret", "wrong"), "403 invalid_signature"},
	} {
		got, err := writeAll(g.appealURL(id), test.headers, test.length, test.sent)
		status, code, _ := strings.Cut(test.want, " ")
		if err != nil || !strings.HasPrefix(got, "HTTP/1.1 "+status) || !strings.Contains(got, `"`+code+`"`) {
			t.Errorf("%s: %.300s, %v", name, got, err)
		}
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

package acceptance

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/sandbox"
	"gateway.example/rpc/sign"
)

const (
	uploadLimit = 10 << 20
	formType    = "multipart/form-data; boundary=b"
	pdf         = "%PDF-1.7\n"
)

// form is a multipart body of parts, each a header and a content as they are to be sent.
func form(parts ...[2]string) string {
	var body strings.Builder
	for _, part := range parts {
		body.WriteString("--b\r\nContent-Disposition: form-data; " + part[0] + "\r\n\r\n" + part[1] + "\r\n")
	}
	return body.String() + "--b--\r\n"
}

func reasonPart(text string) [2]string { return [2]string{`name="reason"`, text} }

// filePart names its file as browsers do: a quote is escaped.
func filePart(name, content string) [2]string {
	return [2]string{`name="file"; filename="` + strings.ReplaceAll(name, `"`, `\"`) + `"`, content}
}

// appealHeaders sign an appeal's four lines.
func appealHeaders(box sandbox.Cashbox, reason, fileName string, size int) header {
	return header{
		"Content-Type": formType, "X-Merchant-Key-Id": box.KeyID, "X-Merchant-Secret": box.Secret,
		"Signature": sign.Signature(box.Secret, fmt.Appendf(nil, "appeal-v1\n%s\n%s\n%d", reason, fileName, size)),
	}
}

func (g *instance) appealURL(id string) string { return g.BaseURL + payments + "/" + id + "/appeal" }

func (g *instance) appeal(t testing.TB, box sandbox.Cashbox, id, reason, fileName string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.appealURL(id), form(reasonPart(reason), filePart(fileName, pdf)),
		appealHeaders(box, reason, fileName, len(pdf)))
}

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

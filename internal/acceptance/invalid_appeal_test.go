package acceptance

import (
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
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

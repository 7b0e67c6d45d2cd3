package portals_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// heaviest is how many bytes a page may have over the wire, with everything that it loads.
const heaviest = 60 << 10

// weighed gets an address as a browser does, and how many bytes that were over the wire.
func weighed(t testing.TB, p *portaltest.Person, path string) (a portaltest.Answer, bytes int) {
	t.Helper()
	a = p.Get(t, path, "Accept-Encoding", "gzip")
	bytes = len(a.Body)
	if a.Header.Get("Content-Encoding") == "gzip" {
		unpacked := testenv.Must(gzip.NewReader(strings.NewReader(a.Body)))(t)
		content := testenv.Must(io.ReadAll(unpacked))(t)
		a.Body = string(content)
	}
	return a, bytes
}

// wantLight gets a page that must be light, with the script and the stylesheet that it loads. What files weigh is kept
// by their addresses, which change with their content.
func wantLight(t testing.TB, p *portaltest.Person, path string, files map[string]int) portaltest.Answer {
	t.Helper()
	page, bytes := weighed(t, p, path)
	page.Page(t).Find("link[rel=stylesheet], link[rel=icon], script[src]").Each(func(_ int, s *goquery.Selection) {
		address := s.AttrOr("href", s.AttrOr("src", ""))
		if files[address] == 0 {
			file, weight := weighed(t, p, address)
			want(t, path+" loads what is not there", file.Code, http.StatusOK)
			files[address] = weight
		}
		bytes += files[address]
	})
	if bytes > heaviest || page.Header.Get("Content-Encoding") != "gzip" && page.To() == "" {
		t.Errorf("%s weighs %d bytes, packed as %q", path, bytes, page.Header.Get("Content-Encoding"))
	}
	return page
}

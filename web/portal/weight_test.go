package portal_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// heaviest is how many bytes a page may have over the wire, with everything that it loads.
const heaviest = 60 << 10

// weighed gets an address as a browser does, and how many bytes that were over the wire.
func (p *person) weighed(t testing.TB, path string) (a answer, bytes int) {
	t.Helper()
	a = p.get(t, path, "Accept-Encoding", "gzip")
	bytes = len(a.body)
	if a.header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(strings.NewReader(a.body))
		noError(t, err)
		content, err := io.ReadAll(unpacked)
		noError(t, err)
		a.body = string(content)
	}
	return a, bytes
}

// wantLight gets a page that must be light, with the script and the stylesheet that it loads. What files weigh is kept
// by their addresses, which change with their content.
func (p *person) wantLight(t testing.TB, path string, files map[string]int) answer {
	t.Helper()
	page, bytes := p.weighed(t, path)
	page.page(t).Find("link[rel=stylesheet], link[rel=icon], script[src]").Each(func(_ int, s *goquery.Selection) {
		address := s.AttrOr("href", s.AttrOr("src", ""))
		if files[address] == 0 {
			file, weight := p.weighed(t, address)
			want(t, path+" loads what is not there", file.code, http.StatusOK)
			files[address] = weight
		}
		bytes += files[address]
	})
	if bytes > heaviest || page.header.Get("Content-Encoding") != "gzip" && page.to() == "" {
		t.Errorf("%s weighs %d bytes, packed as %q", path, bytes, page.header.Get("Content-Encoding"))
	}
	return page
}

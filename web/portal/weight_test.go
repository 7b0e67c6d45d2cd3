package portal_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// heaviest is how many bytes a page may have over the wire, with everything that it loads.
const heaviest = 60 << 10

// A page is light, script and stylesheet included, also a desk that is full.
func TestWeight(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	for i := range 30 {
		b.create(t, strconv.Itoa(100+i))
	}
	for name, path := range b.pages(t, p) {
		bytes := p.weight(t, path)
		page := p.get(t, path).page(t)
		page.Find("link[rel=stylesheet], link[rel=icon], script[src]").Each(func(_ int, s *goquery.Selection) {
			bytes += p.weight(t, s.AttrOr("href", s.AttrOr("src", "")))
		})
		t.Logf("%s: %d bytes", name, bytes)
		if bytes > heaviest {
			t.Errorf("%s weighs %d bytes", name, bytes)
		}
	}
}

// weight is how many bytes come over the wire for an address.
func (p *person) weight(t *testing.T, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.b.server.URL+path, nil)
	noError(t, err)
	a := p.send(t, r, "Accept-Encoding", "gzip")
	unpacked, err := gzip.NewReader(bytes.NewReader([]byte(a.body)))
	noError(t, err)
	_, err = io.Copy(io.Discard, unpacked)
	noError(t, err)
	return len(a.body)
}

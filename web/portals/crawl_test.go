package portals_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// crawl reads every page that pages lead to.
type crawl struct {
	t     *testing.T
	found map[string]bool
	pages int
	text  strings.Builder
	// files counts what is no page by its type.
	files map[string]int
}

func (c *crawl) from(p *portaltest.Person, paths ...string) {
	c.t.Helper()
	queries := map[string]int{}
	c.found = map[string]bool{} // pages are others for others
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		base, _, asked := strings.Cut(path, "?")
		if c.found[path] || base == "/trader/live" || asked && queries[base] > 40 {
			continue
		}
		c.found[path] = true
		queries[base]++
		a := p.Get(c.t, path)
		if a.Code == http.StatusSeeOther {
			paths = append(paths, a.To())
			continue
		}
		unsealed := a.Code == http.StatusConflict && strings.HasSuffix(base, "/proof.json") // until the day is over
		testenv.Check(c.t, a.Code == http.StatusOK || unsealed, "GET %s: %d", path, a.Code)
		if media := a.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/html") {
			c.files[media]++
			c.file(path, a)
			continue
		}
		c.pages++
		paths = append(paths, c.page(path, a)...)
	}
}

// file checks what a browser keeps.
func (c *crawl) file(path string, a portaltest.Answer) {
	c.t.Helper()
	testenv.Check(c.t, strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") &&
		a.Header.Get("X-Content-Type-Options") == "nosniff", "%s is shown: %v", path, a.Header)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") {
		return
	}
	reader := csv.NewReader(strings.NewReader(a.Body))
	reader.FieldsPerRecord = -1
	for {
		cells, err := reader.Read()
		if err == io.EOF {
			return
		}
		noError(c.t, err)
		for _, cell := range cells {
			testenv.Check(c.t, !strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r\n") ||
				plainNumber.MatchString(cell), "%s: the cell %q", path, cell)
			c.text.WriteString(" " + strings.TrimPrefix(cell, "'"))
		}
	}
}

// ownAddress is within the portals, or of an authenticator app.
var ownAddress = regexp.MustCompile(`^(/([^/]|$)|#|otpauth://)`)

var plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// foreign are elements that no page has: they would be a stranger's.
var foreign = []string{"img", "iframe", "object", "embed", "base", "frame", "marquee", "video", "audio", "math", "i"}

// proofAddress is where the picture of an appeal or a payout is shown from.
var proofAddress = regexp.MustCompile(`^/(operator/appeals|(operator|merchant|trader)/payouts)/[0-9a-f-]+/file/shown$`)

// page checks that there is nothing on a page but what is the page's, and tells where it leads.
func (c *crawl) page(path string, a portaltest.Answer) (links []string) {
	c.t.Helper()
	document := a.Page(c.t)
	document.Find("*").Each(func(_ int, element *goquery.Selection) {
		name := goquery.NodeName(element)
		sandbox, sandboxed := element.Attr("sandbox")
		preview := name == "iframe" && strings.HasPrefix(path, "/merchant/looks") && sandboxed && sandbox == ""
		proof := name == "img" && proofAddress.MatchString(element.AttrOr("src", ""))
		testenv.Check(c.t, (!slices.Contains(foreign, name) || preview || proof) && (name != "script" ||
			strings.TrimSpace(element.Text()) == ""), "%s has a %s", path, name)
		for _, attribute := range element.Nodes[0].Attr {
			c.attribute(path, attribute)
		}
	})
	testenv.Check(c.t, !strings.Contains(a.Body, "<script>alert") && !strings.Contains(a.Body, "<img src=x"),
		"%s: a stranger's text is markup", path)
	c.text.WriteString(" " + document.Find("body").Text())
	document.Find("a[href^='/']").Each(func(_ int, link *goquery.Selection) {
		links = append(links, link.AttrOr("href", ""))
	})
	return links
}

func (c *crawl) attribute(path string, attribute html.Attribute) {
	c.t.Helper()
	value := strings.ToLower(strings.TrimSpace(attribute.Val))
	address := slices.Contains([]string{"href", "src", "action", "formaction"}, attribute.Key)
	testenv.Check(c.t, !strings.HasPrefix(attribute.Key, "on") && attribute.Key != "style" &&
		attribute.Key != "srcdoc" && (!address || ownAddress.MatchString(value)),
		"%s has %s=%q", path, attribute.Key, attribute.Val)
}

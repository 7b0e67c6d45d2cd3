package portaltest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// Tab opens a browser tab in which the person is signed in at a server.
func (p *Person) Tab(t testing.TB, address string) browsertest.Tab {
	t.Helper()
	tab := browsertest.New(t)
	if p.Cookie() != "" {
		tab.Cookie(address, "session", p.Cookie())
	}
	return tab
}

// Answer is the answer to a request.
type Answer struct {
	Code   int
	Header http.Header
	Body   string
}

// To is the address to which the answer redirects.
func (a Answer) To() string { return a.Header.Get("Location") }

// Led describes the answer to a form that redirects: the status, the address,
// and the message that the next page shows.
func (a Answer) Led() string {
	said := ""
	for _, cookie := range (&http.Response{Header: a.Header}).Cookies() {
		if cookie.Name == "flash" {
			said = cookie.Value
		}
	}
	return Line(a.Code, a.To(), said)
}

// At is the status, and the text of a part of the page.
func (a Answer) At(t testing.TB, selector string) string {
	t.Helper()
	return Line(a.Code, Words(a.Page(t).Find(selector)))
}

// Page parses the answer as a page.
func (a Answer) Page(t testing.TB) *goquery.Document {
	t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.Body))
	noError(t, err)
	return document
}

// Text is the page's text, with single spaces.
func (a Answer) Text() string {
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.Body))
	if err != nil {
		return a.Body
	}
	return strings.Join(strings.Fields(document.Find("main").Text()), " ")
}

// Get asks for an address; headers are pairs.
func (p *Person) Get(t testing.TB, path string, headers ...string) Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Bundle.Server.URL+path, nil)
	noError(t, err)
	return p.Send(t, r, headers...)
}

// Weighed gets an address as a browser does, and returns how many bytes were
// transferred.
func (p *Person) Weighed(t testing.TB, path string) (a Answer, bytes int) {
	t.Helper()
	a = p.Get(t, path, "Accept-Encoding", "gzip")
	bytes = len(a.Body)
	if a.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(strings.NewReader(a.Body))
		noError(t, err)
		content, err := io.ReadAll(unpacked)
		noError(t, err)
		a.Body = string(content)
	}
	return a, bytes
}

// Page reads a page that must be there.
func (p *Person) Page(t testing.TB, path string) *goquery.Document {
	t.Helper()
	a := p.Get(t, path)
	if a.Code != http.StatusOK {
		t.Fatalf("GET %s: %d, to %q", path, a.Code, a.To())
	}
	return a.Page(t)
}

// Post sends a form as the page's own browser does; fields are pairs.
func (p *Person) Post(t testing.TB, path string, fields ...string) Answer {
	t.Helper()
	return p.PostForm(t, path, Form(fields...), "Origin", p.Bundle.Server.URL, "Sec-Fetch-Site", "same-origin")
}

// Form is a form's fields, which are given as pairs.
func Form(fields ...string) url.Values {
	form := url.Values{}
	for field := range slices.Chunk(fields, 2) {
		form.Add(field[0], field[1])
	}
	return form
}

// PostForm sends a form with the headers that are given, which are pairs.
func (p *Person) PostForm(t testing.TB, path string, form url.Values, headers ...string) Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Bundle.Server.URL+path,
		strings.NewReader(form.Encode()))
	noError(t, err)
	return p.Send(t, r, append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

// Send sends a request with the person's cookies, and stores the cookies of the
// answer. It follows no redirect.
func (p *Person) Send(t testing.TB, r *http.Request, headers ...string) Answer {
	t.Helper()
	p.lock.Lock()
	for name, value := range p.Cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value}) //nolint:gosec // a request has only names and values of cookies
	}
	p.lock.Unlock()
	for header := range slices.Chunk(headers, 2) {
		r.Header.Set(header[0], header[1])
	}
	// Not the default one, whose connections the servers of other tests
	// close as they end.
	response, err := p.Bundle.Server.Client().Transport.RoundTrip(r)
	noError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	noError(t, err)
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, cookie := range response.Cookies() {
		p.Cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(p.Cookies, cookie.Name)
		}
	}
	return Answer{Code: response.StatusCode, Header: response.Header, Body: string(body)}
}

// Hidden are the hidden fields of a page's form, as pairs, followed by more.
func Hidden(page *goquery.Document, more ...string) []string {
	var fields []string
	page.Find("main form input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return append(fields, more...)
}

// Cookie is the session's cookie, to be put into a browser.
func (p *Person) Cookie() string { return p.Cookies["session"] }

// Fill sends a page's form as a browser does, with these fields replaced.
func (p *Person) Fill(t testing.TB, path string, fields ...string) Answer {
	t.Helper()
	return p.Post(t, path, p.Typed(t, path, fields...)...)
}

// Typed are the fields of a page's form, with these replaced. A field with ""
// is not sent.
func (p *Person) Typed(t testing.TB, path string, fields ...string) []string {
	t.Helper()
	given := map[string]bool{}
	var all []string
	for i := 0; i < len(fields); i += 2 {
		given[fields[i]] = true
		if fields[i+1] != "-" {
			all = append(all, fields[i], fields[i+1])
		}
	}
	form := p.Page(t, path).Find("main form:has([name=token])")
	return append(all, own(form, func(name string) bool { return given[name] })...)
}

// own are the fields of a form with their values, as pairs, without those that
// are left out.
func own(form *goquery.Selection, without func(name string) bool) (all []string) {
	for i := range form.Find("[name]").Nodes {
		one := form.Find("[name]").Eq(i)
		name, value := one.AttrOr("name", ""), one.AttrOr("value", "")
		_, checked := one.Attr("checked")
		switch {
		case without(name) || one.AttrOr("type", "") == "checkbox" && !checked:
			continue
		case one.Is("select"):
			value = one.Find("option[selected]").AttrOr("value", one.Find("option").First().AttrOr("value", ""))
		case one.Is("textarea"):
			value = one.Text()
		}
		all = append(all, name, value)
	}
	return all
}

// Made sends a form that makes something, and returns the address to which that
// redirects.
func (p *Person) Made(t testing.TB, path string, fields ...string) string {
	t.Helper()
	a := p.Fill(t, path, fields...)
	if a.Code != http.StatusSeeOther {
		t.Fatalf("%s: %d %s", path, a.Code, a.Text())
	}
	return a.To()
}

// Last is the last part of a path.
func Last(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// Upload sends a form with a file; a name that is "" sends none.
func (p *Person) Upload(t testing.TB, path string, fields []string, name, content string) Answer {
	t.Helper()
	return p.UploadAs(t, path, "file", fields, name, content)
}

// UploadAs is Upload of a form whose field for the file has another name.
func (p *Person) UploadAs(t testing.TB, path, field string, fields []string, name, content string) Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		noError(t, form.WriteField(fields[i], fields[i+1]))
	}
	part, err := form.CreateFormFile(field, name)
	noError(t, err)
	_, err = part.Write([]byte(content))
	noError(t, err)
	noError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Bundle.Server.URL+path, &body)
	noError(t, err)
	return p.Send(t, r, "Content-Type", form.FormDataContentType(), "Origin", p.Bundle.Server.URL)
}

// AwaitScript waits until a script gives a value.
func AwaitScript(t testing.TB, tab browsertest.Tab, script, want string) {
	t.Helper()
	err := testenv.Eventually(func() error {
		got, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](script))
		if err == nil && got != want {
			err = fmt.Errorf("%s is %q, want %q", script, got, want)
		}
		return err
	})
	noError(t, err)
}

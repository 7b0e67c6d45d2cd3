package acceptance

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
	"github.com/PuerkitoBio/goquery"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// hostile is a text that would be an element, an attribute, a template and a formula, wherever it is taken
// for one.
const hostile = `=1+1|'"><xss onxss=1>{{7*7}}&lt;xss&gt;`

// creations are calls that write texts, with all that each needs. Every text of theirs is tried in turn.
func (g *instance) creations(t *testing.T) map[string]object {
	t.Helper()
	decoded := func(body string) object {
		var fields object
		noError(t, json.Unmarshal([]byte(body), &fields))
		return fields
	}
	deposit := g.createDeposit(t, g.first(), nil).text("data.id")
	const operator = "portal.v1.OperatorService/"
	return map[string]object{
		"gateway.v1.PaymentService/CreatePayment": decoded(
			order(object{"payer": object{"fullName": "A", "type": "ftd"}})),
		"gateway.v1.PayinService/CreatePayin":     decoded(payinOrder(nil)),
		"gateway.v1.DepositService/CreateDeposit": decoded(depositOrder(nil)),
		"gateway.v1.PaymentService/UpdatePaymentStatus": {
			"paymentId": g.create(t, g.first(), nil).at("data.id"), "status": "failed",
		},
		"portal.v1.CredentialService/CreateCredential": {"merchantCashboxId": g.first().MerchantCashboxID, "name": "n"},
		"portal.v1.TeamService/InviteMember":           {"login": "l", "role": "support"},
		"portal.v1.LookService/UpdateCashboxLook":      {"merchantCashboxId": g.first().MerchantCashboxID},
		operator + "CreateMerchant":                    {"name": "n"},
		operator + "CreateTrader":                      {"name": "n", "sharePercent": "1"},
		operator + "CreateCashbox":                     {"merchantId": 1, "name": "n", "currency": "RUB"},
		operator + "FundTrader":                        {"traderId": 1, "amount": "1", "reference": "r", "reason": "why"},
		operator + "CreateUser":                        {"kind": "operator", "login": "l", "role": "support"},
		operator + "UpdateCashbox":                     {"merchantCashboxId": g.first().MerchantCashboxID},
		operator + "RejectDeposit":                     {"depositId": deposit},
		operator + "SetBank":                           {"bank": object{"currency": "RUB", "name": "b"}},
		operator + "CreateRequisite": {
			"traderId": 1, "currency": "RUB", "method": "sbp", "value": "+79001234567", "holder": "h", "bank": "b",
		},
	}
}

// plant writes the hostile text into each text of each creation, and returns how often it was taken and
// the pages of the payments that have it.
func (g *instance) plant(t *testing.T) (taken int, pages []string) {
	t.Helper()
	bases, trader := g.creations(t), g.user(t, "trader-1").Token
	tried := 0
	eachProcedure(func(procedure string, request protoreflect.MessageDescriptor) {
		base, ok := bases[strings.TrimPrefix(procedure, "/")]
		if !ok {
			return
		}
		delete(bases, strings.TrimPrefix(procedure, "/"))
		for field, one := range textFields(request, hostile) {
			tried++
			fields := merged(renewed(base, tried), one)
			body := testenv.Must(json.Marshal(fields))(t)
			got := g.ask(t, strings.TrimPrefix(procedure, "/"), string(body),
				g.callerOf(t, procedure, string(body), trader))
			switch {
			case got.status == http.StatusOK:
				taken++
			case got.status >= 500 || strings.Contains(got.raw, "<xss"):
				t.Errorf("%s %s: %s", procedure, field, got)
			}
			if page, ok := got.at("data.paymentPageUrl").(string); ok {
				keepSecret(path.Base(page))
				pages = append(pages, page)
			}
		}
	})
	testenv.Check(t, len(bases) == 0 && tried >= 60,
		"%d texts were tried, never %v", tried, slices.Sorted(maps.Keys(bases)))
	return taken, pages
}

// renewed is a creation with names, amounts and keys that no other has.
func renewed(base object, n int) object {
	fields := maps.Clone(base)
	for name, value := range map[string]any{
		"orderId": newOrder(), "amount": fmt.Sprint(1000 + n), "reference": fmt.Sprint("reference-", n),
		"idempotencyKey": fmt.Sprintf("%08d-0000-4000-8000-000000000000", n), "login": fmt.Sprint("login-", n),
	} {
		if fields[name] != nil {
			fields[name] = value
		}
	}
	return fields
}

// merged puts the fields of one object over those of another, and inside them likewise.
func merged(base, over object) object {
	all := maps.Clone(base)
	for name, value := range over {
		inside, isObject := value.(object)
		if below, ok := all[name].(object); ok && isObject {
			value = merged(below, inside)
		}
		all[name] = value
	}
	return all
}

// reader is a browser that looks for what of a stranger's text is no text.
type reader struct {
	t      *testing.T
	cookie string
	// shown counts pages and files on which the text stands, as a text.
	pages, files, shown int
}

// crawl reads the pages that pages of a portal lead to, a few of each list.
func (r *reader) crawl(base string, paths ...string) {
	r.t.Helper()
	seen, queries := map[string]bool{}, map[string]int{}
	for len(paths) > 0 {
		at := paths[0]
		paths = paths[1:]
		before, _, asked := strings.Cut(at, "?")
		group := digits.ReplaceAllString(before, "1")
		if seen[at] || before == "/trader/live" || queries[group] > testenv.Pick(r.t, 0, 12) ||
			asked && queries[group] > testenv.Pick(r.t, 0, 6) {
			continue
		}
		seen[at] = true
		queries[group]++
		paths = append(paths, r.read(base+at)...)
	}
}

var digits = regexp.MustCompile(`[0-9a-f-]{36}|\d+`)

// read checks a page or a file, and tells where it leads.
func (r *reader) read(address string) (links []string) {
	r.t.Helper()
	got := fetched(r.t, http.MethodGet, address, "", header{"Cookie": "session=" + r.cookie})
	testenv.Check(r.t, got.status < 500, "%s: %s", address, got)
	switch media := got.header.Get("Content-Type"); {
	case strings.HasPrefix(media, "text/html"):
		r.pages++
		return r.page(address, got)
	case strings.HasPrefix(media, "text/csv"):
		r.files++
		r.table(address, got)
	default:
		if r.files++; got.status == http.StatusOK && got.header.Get("X-Content-Type-Options") != "nosniff" {
			r.t.Errorf("%s may be taken for what it is not: %v", address, got.header)
		}
	}
	return nil
}

func (r *reader) page(address string, got answer) (links []string) {
	r.t.Helper()
	page := testenv.Must(goquery.NewDocumentFromReader(strings.NewReader(got.raw)))(r.t)
	page.Find("*").Each(func(_ int, element *goquery.Selection) {
		node := element.Nodes[0]
		testenv.Check(r.t, node.Data != "xss" && (node.Data != "script" || strings.TrimSpace(element.Text()) == ""),
			"%s has a %s", address, node.Data)
		for _, attribute := range node.Attr {
			testenv.Check(r.t, !strings.HasPrefix(attribute.Key, "on") && attribute.Key != "style",
				"%s has %s=%q", address, attribute.Key, attribute.Val)
		}
	})
	if strings.Contains(page.Text(), "<xss") {
		r.shown++
	}
	page.Find("a[href^='/']").Each(func(_ int, link *goquery.Selection) {
		links = append(links, link.AttrOr("href", ""))
	})
	return links
}

func (r *reader) table(address string, got answer) {
	r.t.Helper()
	lines := csv.NewReader(strings.NewReader(got.raw))
	lines.FieldsPerRecord = -1
	for {
		cells, err := lines.Read()
		if err == io.EOF {
			return
		}
		noError(r.t, err)
		for _, cell := range cells {
			testenv.Check(r.t, !strings.HasPrefix(cell, "="), "%s has the cell %q", address, cell)
			if strings.Contains(cell, "<xss") {
				r.shown++
			}
		}
	}
}

// A hostile text in each text of each creation is text on every page of every portal, on the hosted pages
// and in every file: it makes no element, no attribute and no formula. In the log it is nowhere.
func TestHostileTexts(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	s := fresh(t)
	hurried(t, s.database)
	g := s.start(t)
	taken, pages := g.plant(t)
	testenv.Check(t, taken >= 20 && len(pages) >= 5, "the text was taken %d times, by %d pages", taken, len(pages))
	g.exec(t, "update requisite set holder = $1, bank = $1", hostile)
	pages = append(pages, g.create(t, g.first(), nil).text("data.paymentPageUrl"))
	for user, from := range map[string]string{"operator": "/operator", "merchant": "/merchant", "trader-1": "/trader"} {
		r := &reader{t: t, cookie: g.browser(t, user)}
		r.crawl(g.PortalURL, from, "/account")
		t.Logf("%s read %d pages and %d files, %d of them with the text", user, r.pages, r.files, r.shown)
		testenv.Check(t, r.pages >= testenv.Pick(t, 10, 20) && r.shown >= 3,
			"%s read %d pages and %d files, %d of them with the text", user, r.pages, r.files, r.shown)
	}
	hosted := &reader{t: t}
	for _, page := range pages {
		for _, below := range []string{"", "/cancel", "?lang=ru", "?lang=" + "%3Cxss%3E", "/status", "/code.svg"} {
			hosted.read(page + below)
		}
	}
	testenv.Check(t, hosted.shown != 0, "no hosted page has the text")
	testenv.Check(t, !strings.Contains(g.stderr.String(), "xss"), "the text is in the log")
}

// Whatever stands in a request line, a header, a query or a body, the log stays a JSON object a line, with
// nothing of it: no line of a caller's own, no escape of a terminal.
func TestLogLines(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const forged = "{\"level\":\"ERROR\",\"msg\":\"forged\"}"
	for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL, g.OpsURL} {
		for _, request := range []string{
			"GET /%0a" + forged + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"GET /?forged=%0d%0a%1b[31m HTTP/1.1\r\nHost: x\r\nX-Request-Id: forged\r\nConnection: close\r\n\r\n",
			"GET /forged\x1b[31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"FORGED / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: forged\x1b[31m\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b[31m" + forged + "\r\nReferer: " + forged + "\r\nX-Merchant-Key-Id: " + forged +
				"\r\nSignature: " + forged + "\r\nX-Merchant-Secret: x\r\nX-Request-Id: a" + forged + "\r\nConnection: close\r\n\r\n",
			"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\nConnection: close\r\n\r\nlogin=%0aforged",
		} {
			_, _ = io.Copy(io.Discard, dialled(t, address, request))
		}
	}
	send(t, http.MethodGet, g.BaseURL+payments, "", header{"X-Request-Id": "the-last-line"})
	g.stderr.await(t, "the-last-line")
	written := g.stderr.String()
	for text := range strings.Lines(written[:strings.LastIndex(written, "\n")+1]) {
		var line struct{ Level, Msg, Method string }
		err := json.Unmarshal([]byte(text), &line)
		known := strings.Contains(text, `"request_id":"forged"`) || line.Method == "FORGED"
		testenv.Check(t, err == nil && line.Level != "" && line.Msg != "forged" && !strings.Contains(text, "\x1b") &&
			(!strings.Contains(text, "orged") || known), "the log has %q, %v", text, err)
	}
}

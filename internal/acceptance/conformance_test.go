package acceptance

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
)

// checks are what proves the statements of a document, by heading and
// statement: testdata/NAME.txt has them.
func checks(t *testing.T, name string) map[string][]string {
	t.Helper()
	found, key, section := map[string][]string{}, "", ""
	for _, line := range linesOf(t, name) {
		quoted, quotes := strings.CutPrefix(line, ">")
		title := sectionOf.FindStringSubmatch(line)
		switch {
		case title != nil:
			section = title[1]
		case quotes && key != "" && found[key] == nil: // the quote goes on
			key += quoted
		case quotes:
			key = section + "\n" + strings.TrimSpace(quoted)
		default:
			found[key] = append(found[key], line)
		}
	}
	return found
}

var sectionOf = regexp.MustCompile(`^\[(.+)\]$`)

// parts is how many walks the statements are dealt out to, each on a gateway of
// its own, and slowSection the section that one of them has to itself: its
// payers wait for the bank's answer to a dozen cards.
const (
	parts       = 3
	slowSection = "What payers do"
)

// part is one walk's share: what can be checked at once, and what needs time to
// pass.
type part struct {
	now, late []func(t *testing.T, w *instance)
}

// shortest is the part with the fewest statements, of those that are not a
// section's own.
func shortest(dealt *[parts]part) *part {
	of := &dealt[0]
	for i := range dealt[:parts-1] {
		if one := &dealt[i]; len(one.now)+len(one.late) < len(of.now)+len(of.late) {
			of = one
		}
	}
	return of
}

// TestConformance walks the interface document and the page of decisions,
// statement by statement, and proves each by calls to a running gateway. A
// statement without a check fails, and so does a check whose statement has
// changed: it must be looked at again.
func TestConformance(t *testing.T) {
	t.Parallel()
	var dealt [parts]part
	var of *part
	heading, done := "", &proven{}
	for _, document := range []string{"interface", "decisions"} {
		wanted := checks(t, document+".txt")
		for _, s := range statements(t, document+".md") {
			if document == "decisions" && !decided(s) {
				continue
			}
			key := s.heading + "\n" + s.text
			lines := wanted[key]
			if delete(wanted, key); len(lines) == 0 {
				t.Errorf("%s, %s: nothing checks: %s", document, s.heading, s.text)
			}
			if s.heading != heading {
				heading, of = s.heading, shortest(&dealt)
			}
			if heading == slowSection {
				of = &dealt[parts-1]
			}
			run := func(t *testing.T, w *instance) {
				t.Run(document+"/"+s.name(), func(t *testing.T) {
					for _, line := range lines {
						w.prove(t, line, done)
					}
				})
			}
			if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "late ") }) {
				of.late = append(of.late, run)
			} else {
				of.now = append(of.now, run)
			}
		}
		for key := range wanted {
			t.Errorf("%s: no such statement: %s", document, key)
		}
	}
	for n, p := range dealt {
		t.Run(fmt.Sprint("part ", n+1), func(t *testing.T) {
			t.Parallel()
			w := freshSandbox(t)
			w.begin(t)
			w.runs(t, steps, "everything")
			// What needs time to pass comes last: the clock moves
			// forward only.
			for _, run := range slices.Concat(p.now, p.late) {
				run(t, w)
			}
			w.wantAudit(t)
		})
	}
}

// begin names what lines of testdata may say of a sandbox.
func (w *instance) begin(t *testing.T) {
	t.Helper()
	w.inbox = newShop(t, "")
	first, second := w.first(), fmt.Sprint(w.box(t, "sandbox-second-rub").MerchantCashboxID)
	for name, text := range map[string]string{
		"base_url": w.BaseURL, "pay_url": w.PayURL, "inbox": w.inbox.URL,
		"merchantCashbox": fmt.Sprint(first.MerchantCashboxID), "second": second, "second_box": second,
		"keys":       strings.TrimPrefix(w.credentials(first.MerchantCashboxID), w.BaseURL),
		"bridgeless": fmt.Sprint(w.box(t, "sandbox-without-bridge").MerchantCashboxID),
		"azn_box":    fmt.Sprint(w.box(t, "sandbox-azn").MerchantCashboxID),
		"legacy_box": fmt.Sprint(*w.LegacyKeys[0].MerchantCashboxID),
		"rub_secret": first.Secret, "merchant_password": w.user(t, "merchant").Password,
		"operator_password": w.user(t, "operator").Password,
		"legacy_password":   w.user(t, "merchant-legacy").Password, "portal_url": w.PortalURL,
		"secondSecret": w.box(t, "sandbox-second-rub").Secret, "webhookSecret": first.WebhookSecret,
		"applicationSecret": w.ExternalPaymentsSecret, "operatorToken": w.user(t, "operator").Token,
		"token":            w.user(t, "merchant").Token,
		"spaced_signature": signature(first.Secret, `{"amount": 1}`),
		"hook_signature":   signature(first.WebhookSecret, `{"amount":1}`),
		"hour_ago":         time.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
		"in_an_hour":       time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		"megabyte":         strings.Repeat("eHh4", 1<<18),
		"hta_form":         form(reasonPart("x"), filePart(`../чек №1 "копия".hta`, pdf)),
		"hta_name":         htaName, "moves": moved, "payment_id": "{payment_id}",
		"reference_form": form([2]string{`name="key"`, first.KeyID}, [2]string{`name="body"`, strings.Replace(
			newPayment.body(), `"orderId":"`, `"orderId":"by the reference","x":"`, 1)}),
		"whole": wholeForm, "unfinished": "--b\r\n", "typed": newCard.body(),
		"paid_form": form(reasonPart("Оплачено\nв 12:00"), filePart("чек.pdf", pdf)),
		"wide_form": form(reasonPart("Оплачено в 12:00\nсм. чек"), filePart(`../чек №1 "копия".pdf`, pdf)),
		"receipt":   form(filePart("receipt.pdf", pdf+"receipt")), "no_receipt": form(filePart("receipt.pdf", "no file")),
		// Links of banks have these in braces.
		"phone": "{phone}", "amount": "{amount}",
	} {
		w.ids[name] = text
	}
}

// pass lets time pass, and everything that is then over come to its end, so
// that nothing changes on its own afterwards.
func (w *instance) pass(t *testing.T, by time.Duration) {
	t.Helper()
	w.advance(t, by)
	const over = `with clock as (select now() + make_interval(secs => offset_seconds) as now from test_clock)
		select (select count(*) from payment, clock where status = 'pending' and expires_at <= clock.now)
			+ (select count(*) from payin, clock where status = 'waiting' and expires_at <= clock.now)`
	testenv.Until(t, "no payment or payout is over", func() bool { return w.count(t, over) == 0 })
}

// statement is a row of a table, an item of a list or a paragraph, without its
// backquotes.
type statement struct {
	heading, text string
	// first is the first cell, or the first words; of rows of one section
	// with the same, more.
	first string
}

func (s statement) name() string { return s.heading + "/" + s.first }

var (
	ruler   = regexp.MustCompile(`^\|[ |-]+\|$`)
	item    = regexp.MustCompile(`^(\d+\. |- )`)
	newItem = regexp.MustCompile(`^(#|\||\d+\. |- )`)
)

// statements reads a document of testdata.
func statements(t *testing.T, name string) []statement {
	t.Helper()
	content := testenv.Must(os.ReadFile("testdata/" + name))(t)
	var all []statement
	heading := ""
	blocks := blocksOf(strings.ReplaceAll(string(content), "`", ""))
	for i, text := range blocks {
		switch {
		case strings.HasPrefix(text, "#"):
			heading = strings.TrimLeft(text, "# ")
		case ruler.MatchString(text), i+1 < len(blocks) && ruler.MatchString(blocks[i+1]):
		default:
			all = append(all, statement{heading: heading, text: text, first: first(all, heading, text)})
		}
	}
	testenv.Need(t, len(all) != 0, "%s says nothing", name)
	return all
}

// blocksOf joins what belongs together: a paragraph or an item may be several
// lines.
func blocksOf(content string) []string {
	var blocks []string
	open := false
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			open = false
			continue
		case open && !newItem.MatchString(line):
			blocks[len(blocks)-1] += " " + spaced(line)
			continue
		}
		blocks = append(blocks, spaced(line))
		open = !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "|")
	}
	return blocks
}

// first names a statement by as many cells as set it apart from those before it
// in its section.
func first(all []statement, heading, text string) string {
	if !strings.HasPrefix(text, "|") {
		words := strings.Fields(item.ReplaceAllString(text, ""))
		return strings.Join(words[:min(8, len(words))], " ")
	}
	cells := strings.Split(strings.Trim(text, "| "), " | ")
	name := cells[0]
	for _, cell := range cells[1:] {
		if !slices.ContainsFunc(all, func(s statement) bool { return s.heading == heading && s.first == name }) {
			break
		}
		name += ", " + cell
	}
	return name
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// decided are those of the decisions' statements that are walked: the table of
// errors, that of methods, and what payers do. The rest says how, not what.
func decided(s statement) bool {
	return strings.HasPrefix(s.text, "|") || strings.HasPrefix(s.text, "- Method × currency") ||
		s.heading == slowSection
}

// proofs are what takes more than calls, by their names, which interface.txt
// and decisions.txt have.
var proofs = map[string]func(t *testing.T, w *instance){
	"callsAreLimited": callsAreLimited, "everyEndpointIsDescribed": everyEndpointIsDescribed,
	"getSignsNothing": getSignsNothing, "headersAreConfigurable": headersAreConfigurable,
	"refusedWebhookComesAgain": refusedWebhookComesAgain, "signedEndpointsWantHeaders": signedEndpointsWantHeaders,
	"webhookIsAPost": webhookIsAPost, "webhooksAreSigned": webhooksAreSigned,
	"withoutApplicationSecret": withoutApplicationSecret,
}

// endpointHeading is that of an endpoint, and whether it is signed.
var endpointHeading = regexp.MustCompile(`^(GET|POST) (/\S+)( \(signed\))?$`)

type documented struct {
	method, path string
	signed       bool
}

// endpoints are all that the document has.
func endpoints(t *testing.T) []documented {
	t.Helper()
	var all []documented
	for _, s := range statements(t, "interface.md") {
		found := endpointHeading.FindStringSubmatch(s.heading)
		if found == nil {
			continue
		}
		if one := (documented{found[1], found[2], found[3] != ""}); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	testenv.Need(t, len(all) == 16, "the document has %d endpoints: %v", len(all), all)
	return all
}

// everyEndpointIsDescribed: the machine-readable description has each, under
// the documented prefixes.
func everyEndpointIsDescribed(t *testing.T, w *instance) {
	described := map[string]bool{}
	description := send(t, http.MethodGet, w.BaseURL+"/openapi.json", "", nil)
	for path, methods := range description.at("paths").(object) {
		for method := range methods.(object) {
			described[strings.ToUpper(method)+" "+inBraces.ReplaceAllString(path, "{}")] = true
		}
	}
	for _, e := range endpoints(t) {
		testenv.Check(t, described[e.method+" "+inBraces.ReplaceAllString(e.path, "{}")],
			"not described: %s %s", e.method, e.path)
		testenv.Check(t, strings.HasPrefix(e.path, "/api/v1/") || strings.HasPrefix(e.path, "/api/merchant-portal/"),
			"another prefix: %s", e.path)
	}
}

// signedEndpointsWantHeaders: each of the three, on each signed endpoint, in
// this order.
func signedEndpointsWantHeaders(t *testing.T, w *instance) {
	for _, e := range endpoints(t) {
		caller, body := "key sandbox-rub", ""
		if e.method == http.MethodPost {
			body = "{}"
		}
		if strings.HasSuffix(e.path, "/appeal") {
			caller = "appeal sandbox-rub"
		}
		for _, lacking := range []string{
			"Signature|401 signature_required",
			"X-Merchant-Key-Id|403 merchant_key_id_required",
			"X-Merchant-Secret|403 merchant_secret_required",
			"Signature + no X-Merchant-Key-Id + no X-Merchant-Secret|401 signature_required",
			"X-Merchant-Key-Id + no X-Merchant-Secret|403 merchant_key_id_required",
		} {
			names, answer, _ := strings.Cut(lacking, "|")
			if e.signed {
				w.does(t, caller+" + no "+names+" | "+e.method+" "+e.path+" | "+body+" | "+answer)
			}
		}
	}
}

// getSignsNothing: the HMAC of the empty string, and of nothing else.
func getSignsNothing(t *testing.T, w *instance) {
	for _, e := range endpoints(t) {
		if e.signed && e.method == http.MethodGet {
			w.does(t, "key sandbox-rub + signs | GET "+e.path+" | | 200")
			for _, text := range []string{"{}", "<20>", e.path} {
				w.does(t, "key sandbox-rub + signs "+text+" | GET "+e.path+" | | 403 invalid_signature")
			}
		}
	}
}

// headersAreConfigurable: a gateway with names of its own knows no others.
// Having no requisite it refuses later on.
func headersAreConfigurable(t *testing.T, _ *instance) {
	g := live(t, map[string]string{
		"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "an application's secret, long enough to be one", "GATEWAY_HEADER_KEY_ID": "X-Shop-Key",
		"GATEWAY_HEADER_SECRET": "X-Shop-Secret", "GATEWAY_HEADER_SIGNATURE": "X-Shop-Signature",
	})
	box, body := g.first(), order(nil)
	own := header{"X-Shop-Key": box.KeyID, "X-Shop-Secret": box.Secret, "X-Shop-Signature": signature(box.Secret, body)}
	send(t, http.MethodPost, g.BaseURL+payments, body, own).
		want(t, "its own names", 422, "code", "collect_requisites_not_available")
	g.post(t, box, body).want(t, "the default names", 401, "code", "signature_required")
}

// withoutApplicationSecret: such a gateway starts, warns, and creates nothing.
// Nothing of a sandbox is seeded, printed or written.
func withoutApplicationSecret(t *testing.T, _ *instance) {
	g := live(t, nil)
	g.stderr.await(t, `"WARN"`, "GATEWAY_EXTERNAL_PAYMENTS_SECRET")
	g.runs(t, steps, "noApplication")
	_, err := os.Stat(filepath.Join(g.dir, "sandbox.json"))
	testenv.Check(t, err != nil, "there is a sandbox.json")
	noError(t, g.stop())
	testenv.Want(t, g.stdout.String(), "", "printed")
}

// told makes a payment, has it fail, and returns the webhook of that.
func (w *instance) told(t *testing.T) letter {
	t.Helper()
	orderID := newOrder()
	id := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL}).text("data.id")
	w.callback(t, id, `{"status":"failed"}`).must(t, "callback", 200)
	return w.inbox.letters(t, orderID, 1)[0]
}

func webhookIsAPost(t *testing.T, w *instance) {
	told := w.told(t)
	testenv.Check(t, told.method == http.MethodPost &&
		strings.HasPrefix(told.header.Get("Content-Type"), "application/json") &&
		told.header.Get("Webhook-Id") == told.text("eventId"), "%s %v %s", told.method, told.header, told.raw)
	testenv.Want(t, told.lacking("data only uuid orderId status amount currency"), "", "the webhook")
}

// webhooksAreSigned by both schemes.
func webhooksAreSigned(t *testing.T, w *instance) {
	told, secret := w.told(t), w.first().WebhookSecret
	verifier := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
	noError(t, verifier.Verify([]byte(told.raw), told.header))
	key := testenv.Must(base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")))(t)
	testenv.Want(t, told.header.Get("Signature"), signature(string(key), told.raw), "Signature")
}

// refusedWebhookComesAgain after 5 s, the same event.
func refusedWebhookComesAgain(t *testing.T, w *instance) {
	shop, orderID := newShop(t, "", http.StatusInternalServerError), newOrder()
	made := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": shop.URL})
	w.callback(t, made.text("data.id"), `{"status":"failed"}`)
	testenv.Until(t, "the refusal is written down", func() bool {
		return w.count(t, `select count(*) from webhook_attempt a join webhook_event e on e.id = a.event_id
			where e.url = $1 and a.status_code = 500`, shop.URL) != 0
	})
	testenv.Want(t, len(shop.letters(t, orderID, 1)), 1, "deliveries before the time")
	w.advance(t, 6*time.Second)
	both := shop.letters(t, orderID, 2)
	testenv.Want(t, both[1].raw, both[0].raw, "the second delivery")
}

// callsAreLimited to ten, where that is the limit.
func callsAreLimited(t *testing.T, _ *instance) {
	plan := fresh(t)
	altered(t, plan.database, "update rate_limit set calls = 10, per_seconds = 3600 where name = 'key'")
	g := plan.start(t)
	// One that takes long is let in twice, and counts once.
	body, rest := io.Pipe()
	slow := testenv.Must(http.NewRequest(http.MethodPost, g.BaseURL+payments, body))(t)
	slow.Header.Set("Content-Type", "application/json")
	time.AfterFunc(time.Second, func() { _, _ = rest.Write([]byte("{")); _ = rest.Close() })
	testenv.Must(signed(g.first(), "{").sent(slow))(t).want(t, "slow", 422, "code", "validation_failed")
	for n := range 9 {
		g.post(t, g.first(), "{").want(t, fmt.Sprint("call ", n), 422, "code", "validation_failed")
	}
	g.does(t, "key sandbox-rub | POST "+payments+" | { | 429 rate_limited; header Retry-After: <id text>")
}

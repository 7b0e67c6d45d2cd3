package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// placeholders of the golden files, and what may stand in their place.
var placeholders = map[string]*regexp.Regexp{
	"<id>": regexp.MustCompile(`^[1-9][0-9]*$`),
	// A UUIDv7.
	"<uuid>": regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	// A UUID of any kind, as the caller named it.
	"<key>":    regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
	"<phone>":  regexp.MustCompile(`^\+79\d{9}$`),
	"<masked>": regexp.MustCompile(`^•••• \d{4}$`),
	"<card>":   regexp.MustCompile(`^\d{16}$`),
	"<iban>":   regexp.MustCompile(`^MN\d{18}$`),
	"<holder>": regexp.MustCompile(`^[A-Z][A-Za-z-]+ [A-Z]\.$`),
	"<time>":   timeFormat,
	// Of keys and cursors: 96 and 256 bits, and an id in quotes.
	"<key id>":  regexp.MustCompile(`^mk_[0-9a-f]{24}$`),
	"<secret>":  regexp.MustCompile(`^sk_[A-Za-z0-9_-]{43}$`),
	"<id text>": regexp.MustCompile(`^[1-9][0-9]*$`),
}

// timeFormat is ISO 8601, UTC, milliseconds.
var timeFormat = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// golden compares an answer with a file written by hand: values and their types, and every name,
// absent or null as the file has it.
func (g *instance) golden(t *testing.T, name string, got answer, orderID string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	noError(t, err)
	want := decoded(string(content))
	if want == nil {
		t.Fatalf("%s is no JSON", name)
	}
	m := matcher{
		t: t, name: name, order: orderID, page: g.PayURL + "/r/", checkout: g.PayURL + "/pay/",
		createdAt: got.text("data.createdAt"),
	}
	m.match("", want, got.body)
}

type matcher struct {
	t                                      *testing.T
	name, order, page, checkout, createdAt string
}

func (m matcher) match(path string, want, got any) {
	m.t.Helper()
	switch want := want.(type) {
	case object:
		inside, ok := got.(object)
		if !ok {
			m.t.Errorf("%s: %s is %v; want an object", m.name, path, got)
			return
		}
		for key := range inside {
			if _, expected := want[key]; !expected {
				m.t.Errorf("%s: %s.%s must not be there", m.name, path, key)
			}
		}
		for key, value := range want {
			if _, there := inside[key]; !there {
				m.t.Errorf("%s: %s.%s is missing", m.name, path, key)
				continue
			}
			m.match(path+"."+key, value, inside[key])
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			m.t.Errorf("%s: %s is %v; want a list of %d", m.name, path, got, len(want))
			return
		}
		for i, value := range want {
			m.match(fmt.Sprintf("%s[%d]", path, i), value, list[i])
		}
	case string:
		if !m.text(want, got) {
			m.t.Errorf("%s: %s is %v; want %s", m.name, path, got, want)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			m.t.Errorf("%s: %s is %v (%T); want %v (%T)", m.name, path, got, got, want, want)
		}
	}
}

func (m matcher) text(want string, got any) bool {
	text, isText := got.(string)
	if want == "<id>" { // a JSON number
		literal, ok := got.(json.Number)
		return ok && placeholders[want].MatchString(literal.String())
	}
	if pattern, ok := placeholders[want]; ok {
		return isText && pattern.MatchString(text)
	}
	switch {
	case want == "<order>":
		want = m.order
	case want == "<page>":
		// 32 bytes are 43 characters of base64url.
		return isText && regexp.MustCompile(`^`+regexp.QuoteMeta(m.page)+`[A-Za-z0-9_-]{43}$`).MatchString(text)
	case want == "<checkout>", want == "<checkout code>":
		page := strings.TrimSuffix(text, map[bool]string{true: "/code"}[want == "<checkout code>"])
		token, found := strings.CutPrefix(page, m.checkout)
		return isText && found && regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(token) &&
			(page != text) == (want == "<checkout code>")
	case strings.HasPrefix(want, "<time +"):
		return isText && timeFormat.MatchString(text) &&
			m.after(strings.TrimSuffix(strings.TrimPrefix(want, "<time +"), ">"), text)
	}
	return isText && text == want
}

// after reports whether a time is as much later than the creation.
func (m matcher) after(wait, text string) bool {
	created, err := time.Parse(time.RFC3339Nano, m.createdAt)
	noError(m.t, err)
	later, err := time.Parse(time.RFC3339Nano, text)
	noError(m.t, err)
	return fmt.Sprint(later.Sub(created)) == wait+"0s"
}

// The documented create response of every requisite method. USDT, reckoned by hand at 4.5% markup
// and 1.5% for the trader, each rounded down: spot = amount / base, amountUsdt = amount / (base ×
// 1.045).
func TestCreateResponses(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for name, test := range map[string]struct {
		keyID string
		more  object
	}{
		// 1500 / 92.50 = 16.21621621, 1500 / 96.6625 = 15.51791025.
		"create_sbp": {"sandbox-rub", object{"description": `Two cups & a "saucer" / чашки`}},
		"create_sim": {"sandbox-rub", object{"method": "sim", "amount": 1500, "description": nil}},
		// The body's markup wins: 2500 / 92.50 = 27.02702702, 2500 / 101.75 = 24.57002457.
		"create_card": {"sandbox-rub", object{"rubCollect": object{"method": "card"}, "amount": 2500.0, "ratePercent": 10}},
		// 850.50 / 41.25 = 20.61818181, 850.50 / 43.10625 = 19.73031752.
		"create_c2c": {"sandbox-try", object{"method": "c2c", "currency": "TRY", "amount": json.Number("850.5")}},
		// 100000 / 3580 = 27.93296089, 100000 / 3741.1 = 26.73010611.
		"create_iban": {"sandbox-mnt", object{"method": "iban", "currency": "MNT", "amount": "100000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			orderID := newOrder()
			test.more["orderId"] = "  " + orderID + "\t"
			got := g.create(t, g.box(t, test.keyID), test.more)
			g.golden(t, name, got, orderID)
			if got.header.Get("Content-Type") != "application/json; charset=utf-8" ||
				got.header.Get("Idempotent-Replay") != "" {
				t.Errorf("headers %v", got.header)
			}
			// The link opens, and shows the requisite.
			page := fetched(t, "GET", got.text("data.paymentPageUrl"), "", nil)
			if page.status != 200 {
				t.Errorf("the page answers %d", page.status)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	created := g.create(t, g.first(), object{"orderId": orderID, "payer": object{"userId": g.user(t, "payer").Login}})
	id, uuid := created.text("data.id"), created.text("data.uuid")
	trader := g.traderOf(t, id)
	for _, path := range []string{payments + "/" + id, payments + "/" + uuid, payments + "/" + strings.ToUpper(uuid)} {
		address := g.BaseURL + path
		for name, test := range map[string]struct {
			headers header
			file    string
		}{
			"key": {signed(g.first(), ""), "get"},
			// Another key of the same merchant: a key's cashbox is no fence.
			"other key":       {signed(g.box(t, "sandbox-payments-only"), ""), "get"},
			"merchant portal": {bearer(g.user(t, "merchant").Token), "get"},
			// Operators act as no payer, and reveal a requisite one by one.
			"operator": {bearer(g.user(t, "operator").Token), "get_operator"},
			"cabinet":  {bearer(g.user(t, "payer").Token), "get_restricted"},
			// The links are the payer's.
			"trader": {bearer(trader.Token), "get_trader"},
		} {
			got := send(t, "GET", address, "", test.headers)
			if got.status != 200 {
				t.Errorf("%s %s: %s", name, path, got)
				continue
			}
			g.golden(t, test.file, got, orderID)
		}
	}
}

func TestCallback(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	s := newShop(t, g.first().WebhookSecret)
	orderID := newOrder()
	created := g.create(t, g.first(), object{"orderId": orderID, "callbackUri": s.URL})
	id := created.text("data.id")
	previous := "pending"
	// Any status may follow any other; the same again is no change.
	for i, status := range []string{"failed", "completed", "appeal", "cancelled", "pending", "completed"} {
		for _, queued := range []bool{true, false} {
			got := g.callback(t, id, fmt.Sprintf(`{"status":%q,"providerPaymentId":"p-1","reason":"because"}`, status))
			want := fmt.Sprintf(
				`{"message":"Payment status updated","data":{"id":%s,"uuid":%q,"orderId":%q,"status":%q,"callbackQueued":%t}}`,
				id,
				created.text("data.uuid"),
				orderID,
				status,
				queued,
			)
			if got.status != 200 || got.raw != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
		e := s.await(t, orderID, i+1)
		var found bool
		for _, e := range e {
			found = found ||
				e.Data.Status == strings.ToUpper(status) && e.Meta.PreviousStatus == strings.ToUpper(previous) &&
					e.Meta.Sequence == i+1 && e.Meta.Reason != nil && *e.Meta.Reason == "because"
		}
		if !found {
			t.Errorf("no event of %s after %s: %+v", status, previous, e)
		}
		previous = status
	}
	read := send(t, "GET", g.BaseURL+payments+"/"+id, "", signed(g.first(), ""))
	if read.text("data.status") != "completed" || read.text("data.statusReason") != "because" ||
		read.text("data.statusUpdatedAt") == read.text("data.createdAt") {
		t.Errorf("read %s", read)
	}
	g.moved(t, id, "cashbox available 15.51791025", "platform available 0.45506272", "trader available -15.97297297",
		"trader reserved 0.00000000")
}

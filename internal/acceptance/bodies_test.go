package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gateway.example/internal/testenv"
)

// raw is a JSON value as it is to be sent, digits and escapes included.
type raw = json.RawMessage

// endpoint is a call with a JSON body: a valid body, how it is sent, and how it
// is answered.
type endpoint struct {
	good   func(more object) string
	send   func(t *testing.T, w *instance, body string) answer
	status int
}

const checkouts = "/api/v1/checkout/"

var (
	newPayment = endpoint{order, signedPost(payments), http.StatusOK}
	newPayin   = endpoint{payinOrder, signedPost(payins), http.StatusOK}
	newDeposit = endpoint{depositOrder, signedPost(deposits), http.StatusCreated}
	newCard    = endpoint{func(more object) string { return typedCard(deskCard, more) }, postCard, http.StatusOK}
	newCode    = endpoint{fixed(`{"otp":"1234"}`), postCode, http.StatusOK}
	// These are of what was made for them alone.
	newStatus = endpoint{fixed(`{"status":"failed"}`), func(t *testing.T, w *instance, body string) answer {
		return w.callback(t, w.ids["spare"], body)
	}, http.StatusOK}
	newCancel = endpoint{fixed("{}"), func(t *testing.T, w *instance, body string) answer {
		return signedPost(payins+"/"+w.ids["payin"]+"/cancel")(t, w, body)
	}, http.StatusOK}
	newKey = endpoint{fixed(`{"name":"key"}`), func(t *testing.T, w *instance, body string) answer {
		return send(t, "POST", w.credentials(w.first().MerchantCashboxID), body, bearer(w.user(t, "merchant").Token))
	}, http.StatusCreated}
)

func signedPost(path string) func(*testing.T, *instance, string) answer {
	return func(t *testing.T, w *instance, body string) answer { return w.signedTo(t, path, w.first(), body) }
}

// fixed is a body that is the same each time.
func fixed(body string) func(object) string { return func(object) string { return body } }

// postCard types into a checkout that waits for its card. Once that has one,
// the next call gets another.
func postCard(t *testing.T, w *instance, body string) answer {
	got := w.checkout(t, w.ids["no_card"], "payer-details", body)
	if got.status == http.StatusOK {
		_, w.ids["no_card"] = w.cardPayment(t, nil)
	}
	return got
}

// postCode types into a checkout that has its card and may get a code.
func postCode(t *testing.T, w *instance, body string) answer {
	got := w.checkout(t, w.ids["no_code"], "payer-otp", body)
	if got.status == http.StatusOK {
		_, w.ids["no_code"] = w.entered(t, deskCard, nil)
	}
	return got
}

// body is a valid one with other values, pairs of a name and a JSON text; an
// empty text leaves the field out.
func (e endpoint) body(pairs ...string) string {
	var fields map[string]raw
	if err := json.Unmarshal([]byte(e.good(nil)), &fields); err != nil {
		panic(err)
	}
	if _, calls := fields["callbackUri"]; calls {
		fields["callbackUri"] = raw(`"http://127.0.0.1:1/hook"`) // where nobody listens, which is known at once
	}
	for i := 0; i < len(pairs); i += 2 {
		if fields[pairs[i]] = raw(pairs[i+1]); pairs[i+1] == "" {
			delete(fields, pairs[i])
		}
	}
	parts := make([]string, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, fmt.Sprintf("%q:%s", name, fields[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// noTexts are values of every type but text. Flawed are texts that neither the
// database nor whoever sends them could mean: halves of surrogate pairs, NUL,
// and bytes that are no UTF-8.
var (
	noTexts = []string{"1", "1.5", "true", `["x"]`, "[]", `{"x":"y"}`}
	flawed  = []string{`"a\ud800b"`, `"\udc00"`, `"a\u0000b"`, "\"a\xffb\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\""}
)

// bodyCase is a body, what is wrong in it, and the answer where it is not 422
// for that.
type bodyCase struct {
	body string
	// fields are those that the answer names; with more it may name others
	// besides.
	fields []string
	more   bool
	// value is what the body has in the place of a valid one.
	value string
	// status and code of the answer.
	status int
	code   string
}

// bodyCases are those of a section of wrong.txt.
func (e endpoint) bodyCases(rows [][]string) []bodyCase {
	var all []bodyCase
	for _, row := range rows {
		kind, rest, _ := strings.Cut(row[0], " ")
		switch kind {
		case "+":
			var more map[string]raw
			if err := json.Unmarshal([]byte(rest), &more); err != nil {
				panic(rest)
			}
			var pairs []string
			for name, value := range more {
				pairs = append(pairs, name, string(value))
			}
			all = append(all, wholeCase(e.body(pairs...), row))
		case "=":
			good := e.body()
			body := strings.ReplaceAll(rest, "<good>", good)
			body = strings.ReplaceAll(body, "<open>", strings.TrimSuffix(good, "}"))
			all = append(all, wholeCase(unfolded(body), row))
		default:
			all = append(all, e.fieldCases(row)...)
		}
	}
	return all
}

// wholeCase is a body of a row whose other cells say how it is answered.
func wholeCase(body string, row []string) bodyCase {
	c := bodyCase{body: body, status: http.StatusUnprocessableEntity, code: "validation_failed"}
	if len(row) > 1 {
		named, more := strings.CutSuffix(row[1], "+")
		c.fields, c.more = slices.Sorted(slices.Values(strings.Fields(named))), more
	}
	if len(row) > 2 {
		status, code, _ := strings.Cut(row[2], " ")
		c.status, _ = strconv.Atoi(status)
		c.code = code
	}
	return c
}

// fieldCases are a valid body with other values of one field.
func (e endpoint) fieldCases(row []string) []bodyCase {
	field, named, other := strings.Cut(row[0], " > ")
	if !other {
		named = field
	}
	var all []bodyCase
	for _, cell := range row[1:] {
		for _, value := range valuesOf(cell) {
			value = unfolded(value)
			outer, inner, nested := strings.Cut(field, ".")
			whole := value
			if nested {
				names := strings.Split(inner, ".")
				for _, name := range slices.Backward(names) {
					whole = fmt.Sprintf(`{%q:%s}`, name, whole)
				}
			}
			c := wholeCase(e.body(outer, whole), []string{"", named})
			c.value = value
			all = append(all, c)
		}
	}
	return all
}

// valuesOf are the values that a cell stands for; the empty text leaves the
// field out.
func valuesOf(cell string) []string {
	if cell == "<none>" {
		return []string{""}
	}
	for short, values := range map[string][]string{"<no text>": noTexts, "<flawed>": flawed} {
		if strings.Contains(cell, short) {
			var all []string
			for _, value := range values {
				all = append(all, strings.ReplaceAll(cell, short, value))
			}
			return all
		}
	}
	return []string{cell}
}

// wrong is what of an answer is not as it should be.
func (c bodyCase) wrong(got answer) string {
	if got.status != c.status || got.text("code") != c.code {
		return fmt.Sprintf("%.500s; want %d %s", got, c.status, c.code)
	}
	fields := got.fields()
	if c.more {
		foreign := func(field string) bool { return !slices.Contains(c.fields, field) }
		fields = slices.DeleteFunc(fields, foreign)
	}
	if !slices.Equal(fields, c.fields) {
		return fmt.Sprintf("%.500s; want it to name %v", got, c.fields)
	}
	messages, _ := got.at("errors").(object)
	for field, said := range messages {
		if list, ok := said.([]any); !ok || len(list) == 0 {
			return fmt.Sprintf("%s has no message: %s", field, got)
		}
	}
	if text := strings.Trim(c.value, `"`); len(text) > 7 && strings.Contains(got.raw, text) {
		return "it quotes what is wrong: " + got.raw
	}
	return ""
}

// tryBodies sends the bodies of a section, and returns how many there were.
func (g *instance) tryBodies(t *testing.T, e endpoint, rows [][]string) int {
	t.Helper()
	all := e.bodyCases(rows)
	for _, c := range all {
		testenv.Want(t, c.wrong(e.send(t, g, c.body)), "", "%.200q", c.body)
	}
	return len(all)
}

// Every body of testdata/wrong.txt is refused, naming exactly what is wrong in
// it, and changes nothing; what stands just inside a limit, or may be left out,
// is taken.
func bodies(t *testing.T, g *instance) {
	g.ids["spare"] = g.create(t, g.first(), nil).text("data.id")
	g.ids["payin"] = g.createPayin(t, g.first()).text("data.id")
	g.ids["failed"] = g.failed(t)
	_, g.ids["no_card"] = g.cardPayment(t, nil)
	_, g.ids["no_code"] = g.entered(t, deskCard, nil)
	endpoints := map[string]endpoint{
		"callback": newStatus, "key": newKey, "card": newCard, "code": newCode, "appeal": newAppeal,
	}
	sections := tables(t, "wrong.txt")
	for title, c := range creations {
		endpoints[title] = c.endpoint
		wrong, taken := describedTexts(title)
		sections[title] = append(sections[title], wrong...)
		sections[title+" taken"] = append(sections[title+" taken"], taken...)
	}
	before, tried := g.rows(t), 0
	for title, e := range endpoints {
		t.Run(title, func(t *testing.T) {
			tried += g.tryBodies(t, e, sections[title])
			bodies := sections["bodies"]
			switch title {
			case "appeal": // is no JSON
				return
			case "card", "code": // without any body there is no type of it either
				bodies = bodies[1:]
			}
			tried += g.tryBodies(t, e, bodies)
		})
	}
	t.Run("cancel", func(t *testing.T) {
		tried += g.tryBodies(t, newCancel, sections["bodies"][2:]) // these take an empty one
	})
	testenv.Want(t, g.rows(t), before, "%s became", before)
	for title, e := range endpoints {
		for _, c := range e.bodyCases(sections[title+" taken"]) {
			e.send(t, g, c.body).want(t, fmt.Sprintf("%.200q", c.body), e.status)
			tried++
		}
	}
	t.Logf("%d bodies", tried)
}

// describedMessages are messages of docs/openapi.json as far as tests go by
// them.
type describedMessages map[string]struct {
	Required   []string
	Properties map[string]struct {
		Type            any
		MaxLength       int
		Enum            []any
		Pattern, Format string
	}
}

var messages = sync.OnceValue(func() describedMessages {
	content, err := os.ReadFile("../../docs/openapi.json")
	var all struct {
		Components struct{ Schemas describedMessages }
	}
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		panic(err)
	}
	return all.Components.Schemas
})

// creations are the sections of wrong.txt whose bodies create something: by
// which message, where, and what it is.
var creations = map[string]struct {
	endpoint
	request, path, shown string
}{
	"payment": {newPayment, "CreatePaymentRequest", payments, "Payment"},
	"payin":   {newPayin, "CreatePayinRequest", payins, "Payin"},
	"deposit": {newDeposit, "CreateDepositRequest", deposits, "Deposit"},
}

// describedTexts are rows for the texts that a creation describes: what is
// wrong in any text, and what any that says no more of itself takes. Those of
// wrong.txt come on top.
func describedTexts(title string) (wrong, taken [][]string) {
	message := messages()[creations[title].request]
	for _, name := range slices.Sorted(maps.Keys(message.Properties)) {
		text := message.Properties[name]
		if !strings.Contains(fmt.Sprint(text.Type), "string") {
			continue
		}
		bad := []string{name, "<no text>", "<flawed>", `"<9*60000>"`, `"<ж*30000>"`}
		good := []string{name}
		plain := text.Enum == nil && text.Pattern == "" && text.Format == ""
		switch needed := slices.Contains(message.Required, name); {
		case needed:
			bad = append(bad, "<none>", "null", `""`)
		case plain:
			good = append(good, "<none>", "null")
		}
		if n := text.MaxLength; n > 0 && plain {
			bad = append(bad, fmt.Sprintf(`"<x*%d>"`, n+1), fmt.Sprintf(`"<ж*%d>"`, n+1))
			good = append(good, fmt.Sprintf(`"<x*%d>"`, n), fmt.Sprintf(`"<ж*%d>"`, n))
		}
		wrong, taken = append(wrong, bad), append(taken, good)
	}
	return wrong, taken
}

// What a creation is sent is in its answer, and in what is read later, wherever
// both have a text of that name.
func TestSentIsShown(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for title, c := range creations {
		shown := messages()[c.shown].Properties
		sent := object{}
		for name, text := range messages()[c.request].Properties {
			if _, both := shown[name]; !both || text.Enum != nil || text.MaxLength == 0 || name == "orderId" {
				continue
			}
			sent[name] = "Some text"
			if text.Format == "uri" {
				sent[name] = "https://shop.example/thanks"
			}
		}
		got := c.send(t, g, c.good(sent)).must(t, title, c.status)
		read := g.readBy(t, g.first(), c.path+"/"+got.text("data.id"))
		for name, value := range sent {
			testenv.Want(t, got.text("data."+name), fmt.Sprint(value), "%s is created with %s", title, name)
			testenv.Want(t, read.text("data."+name), fmt.Sprint(value), "%s is read with %s", title, name)
		}
	}
}

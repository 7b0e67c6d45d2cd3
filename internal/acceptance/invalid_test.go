package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// raw is a JSON value as it is to be sent, digits and escapes included.
type raw = json.RawMessage

// put writes a body whose fields are the given ones, each value as it stands.
func put(fields map[string]raw) string {
	parts := make([]string, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, fmt.Sprintf("%q:%s", name, fields[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// good are the fields of a valid creation.
func good() map[string]raw {
	return map[string]raw{
		"orderId": raw(`"never"`), "amount": raw(`"1500.00"`), "currency": raw(`"RUB"`), "method": raw(`"sbp"`),
		"callbackUri": raw(`"https://shop.example/hook"`),
	}
}

// bad is a body and the fields it must be refused for.
type bad struct {
	body   string
	fields []string
}

// instead is a valid creation but for one field; a nil value leaves it out.
func instead(field, value string, wrong ...string) bad {
	fields := good()
	fields[field] = raw(value)
	if value == "" {
		delete(fields, field)
	}
	if len(wrong) == 0 {
		wrong = []string{field}
	}
	return bad{body: put(fields), fields: wrong}
}

// flawed are strings that are none the database or the caller could mean.
var flawed = map[string]string{
	"lone surrogate": `"a\ud800b"`, "low surrogate": `"\udc00"`, "NUL": `"a\u0000b"`, "invalid UTF-8": "\"a\xffb\"",
	"overlong UTF-8": "\"\xc0\xaf\"", "surrogate in UTF-8": "\"\xed\xa0\x80\"",
}

// notStrings are values of every other type.
var notStrings = map[string]string{
	"integer": "1", "fraction": "1.5", "boolean": "true", "list": `["x"]`, "empty list": "[]",
	"object": `{"x":"y"}`,
}

// badCreations are refused with 422 validation_failed, naming exactly these fields.
func badCreations() map[string]bad {
	all := map[string]bad{}
	add := func(name string, b bad) { all[name] = b }
	nested := func(parent, field, value, wrong string) bad {
		return instead(parent, fmt.Sprintf(`{%q:%s}`, field, value), wrong)
	}
	for name, value := range notStrings {
		for _, field := range []string{"orderId", "currency", "callbackUri", "method", "description"} {
			add(field+" "+name, instead(field, value))
		}
		for _, field := range []string{"userId", "userIp", "fullName", "type"} {
			add("payer."+field+" "+name, nested("payer", field, value, "payer."+field))
		}
		add("rubCollect.method "+name, nested("rubCollect", "method", value, "rubCollect.method"))
	}
	for name, value := range flawed {
		for _, field := range []string{"orderId", "amount", "currency", "callbackUri", "method", "description", "foreign"} {
			add(field+" "+name, instead(field, value))
		}
		for _, field := range []string{"userId", "userIp", "fullName", "type", "foreign"} {
			add("payer."+field+" "+name, nested("payer", field, value, "payer."+field))
		}
		add("rubCollect.method "+name, nested("rubCollect", "method", value, "rubCollect.method"))
		add("deep inside "+name, instead("foreign", `{"a":[1,{"b":`+value+`}]}`, "foreign.a[1].b"))
	}
	for _, field := range []string{"orderId", "amount", "currency", "callbackUri", "method"} {
		add(field+" missing", instead(field, ""))
		add(field+" null", instead(field, "null"))
		add(field+" empty", instead(field, `""`))
		add(field+" huge", instead(field, `"`+strings.Repeat("9", 60_000)+`"`))
	}
	for field, limit := range map[string]int{"orderId": 255, "description": 255} {
		add(field+" one past the limit", instead(field, `"`+strings.Repeat("x", limit+1)+`"`))
		add(field+" one letter past the limit", instead(field, `"`+strings.Repeat("ж", limit+1)+`"`))
	}
	add("orderId blank", instead("orderId", `" \t\n "`))
	addAmounts(add)
	addChoices(add)
	addDuplicates(add)
	for _, value := range []string{`"x"`, "null", "{}", "1", `""`, "false"} {
		add("merchantName "+value, instead("merchantName", value))
	}
	for _, value := range []string{`"x"`, "1", "true", "[]"} {
		add("payer "+value, instead("payer", value))
		add("rubCollect "+value, instead("rubCollect", value))
		add("payer.payments "+value, nested("payer", "payments", value, "payer.payments"))
	}
	for _, field := range []string{"successful", "expired"} {
		for _, value := range []string{"-1", "1.5", "1.0", "1e3", `"1"`, "true", "[]", "{}", "9223372036854775808"} {
			add("payer.payments."+field+" "+value,
				nested("payer", "payments", fmt.Sprintf(`{%q:%s}`, field, value), "payer.payments."+field))
		}
	}
	for _, value := range []string{`""`, `"::1"`, `"256.0.0.1"`, `"1.2.3"`, `"1.2.3.4.5"`, `"01.2.3.4"`, `" 1.2.3.4"`, `"1.2.3.4/8"`, `"::ffff:1.2.3.4"`} {
		add("payer.userIp "+value, nested("payer", "userIp", value, "payer.userIp"))
	}
	add("everything wrong", bad{
		`{"orderId":1,"amount":0,"currency":"XXX","callbackUri":"http://shop.example","method":"cash","description":2,"ratePercent":"x","merchantName":1,"payer":{"userIp":"x","payments":{"expired":-1}}}`,
		[]string{
			"amount", "callbackUri", "currency", "description", "merchantName", "method", "orderId",
			"payer.payments.expired", "payer.userIp", "ratePercent",
		},
	})
	add("nothing given", bad{"{}", []string{"amount", "callbackUri", "currency", "method", "orderId"}})
	return all
}

func addAmounts(add func(string, bad)) {
	for _, value := range []string{
		"0", "0.99", `"0.99"`, "-1", `"-1"`, `"+1"`, "1.001", `"1.001"`, "1e2", `"1e2"`, "1E+0", `"NaN"`, `"Infinity"`, `" 1"`, `"1 "`, `"1,5"`,
		`"1 500"`, `"0x10"`, `".5"`, `"1."`, `"٣"`, "true", "[]", "{}", `["1"]`, "1000000000000", `"1000000000000.00"`, "1.000000000000000000001",
		"99999999999999999999999999", "1e400", "-0", `"1\n"`, `"１"`,
	} {
		add("amount "+value, instead("amount", value))
	}
	for _, value := range []string{"-1", "100.0001", "101", "0.00001", "4.55555", `"4.5"`, "true", "[]", "{}", "1e1", "-0", "1000000000000"} {
		add("ratePercent "+value, instead("ratePercent", value))
	}
}

func addChoices(add func(string, bad)) {
	for _, value := range []string{`"USD"`, `"rub"`, `"RUB "`, `"₽"`, `"643"`} {
		add("currency "+value, instead("currency", value))
	}
	for _, value := range []string{`"SBP"`, `"cash"`, `"sbp "`, `"iban"`, `"c2c"`, `"quasi_ecom"`} {
		add("method "+value, instead("method", value))
	}
	for _, value := range []string{`"sim"`, `"SBP"`, `"mtstpay"`} {
		add("rubCollect.method "+value, instead("rubCollect", `{"method":`+value+`}`, "rubCollect.method"))
	}
	for _, value := range []string{
		`"shop.example"`, `"http://shop.example/"`, `"ftp://shop.example/"`, `"//shop.example"`, `"https://"`, `"https:///hook"`,
		`"https://user:pass@shop.example/"`, `"https://localhost/"`, `"https://127.0.0.1/"`, `"https://[::1]/"`, `"https://10.0.0.1/"`,
		`"https://192.168.0.1/"`, `"https://169.254.169.254/latest"`, `"https://[::ffff:169.254.169.254]/"`, `"https://[fe80::1]/"`,
		`"http://10.0.0.1/"`, `"javascript:alert(1)"`, `"https://exa mple/"`,
	} {
		add("callbackUri "+value, instead("callbackUri", value))
	}
	nested := good()
	nested["currency"], nested["method"], nested["rubCollect"] = raw(`"AZN"`), raw(`"c2c"`), raw(`{"method":"card"}`)
	add("rubCollect for AZN", bad{put(nested), []string{"rubCollect", "rubCollect.method"}})
}

func addDuplicates(add func(string, bad)) {
	body := put(good())
	for name, value := range good() {
		add(name+" twice", bad{strings.TrimSuffix(body, "}") + fmt.Sprintf(",%q:%s}", name, value), []string{name}})
	}
	add("a foreign field twice", bad{strings.TrimSuffix(body, "}") + `,"x":1,"x":1}`, []string{"x"}})
	add("a name spelled twice", bad{strings.TrimSuffix(body, "}") + `,"\u006frderId":"other"}`, []string{"orderId"}})
	add("payer.userId twice", instead("payer", `{"userId":"a","userId":"b"}`, "payer.userId"))
}

// badBodies are no JSON object at all, or no text: each is refused for the body as a whole.
func badBodies(valid string) map[string]string {
	return map[string]string{
		"empty":               "",
		"blank":               " \n",
		"null":                "null",
		"a list":              "[" + valid + "]",
		"a string":            `"x"`,
		"a number":            "1",
		"true":                "true",
		"an open brace":       "{",
		"cut short":           valid[:len(valid)-1],
		"trailing comma":      strings.TrimSuffix(valid, "}") + ",}",
		"trailing letter":     valid + "x",
		"trailing object":     valid + " {}",
		"trailing NUL":        valid + "\x00",
		"byte order mark":     "\ufeff" + valid,
		"single quotes":       "{'orderId':'x'}",
		"bare name":           `{orderId:"x"}`,
		"a comment":           "/**/" + valid,
		"NaN":                 `{"amount":NaN}`,
		"leading zero":        `{"amount":01}`,
		"raw control":         "{\"orderId\":\"a\nb\"}",
		"bad escape":          `{"orderId":"\x41"}`,
		"XML":                 "<order/>",
		"deep list":           strings.Repeat("[", 30_000),
		"deep object":         strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"deep in a field":     `{"x":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "}",
		"form":                "orderId=1&amount=2",
		"a lone invalid byte": "\xff",
	}
}

// Every bad creation and callback is a 4xx that names what is wrong, and changes nothing. The
// sandbox is the test's own, so that what is in its tables is too.
func TestBadInputChangesNothing(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box := g.first()
	id := g.create(t, box, nil).text("data.id")
	const rows = `select (select count(*) from payment)::text || ' ' || (select count(*) from payment_key) || ' ' ||
		(select count(*) from transfer) || ' ' || (select count(*) from payment_history) || ' ' || (select count(*) from webhook_event)
		|| ' ' || (select string_agg(status || coalesce(provider_payment_id, ''), ',') from payment)`
	before := g.texts(t, rows)[0]

	t.Run("creations", func(t *testing.T) {
		for name, b := range badCreations() {
			checkInvalid(t, name, g.post(t, box, b.body), b.fields)
		}
		for name, body := range badBodies(put(good())) {
			checkBody(t, name, g.post(t, box, body))
		}
	})
	t.Run("callbacks", func(t *testing.T) {
		for name, b := range badCallbacks() {
			checkInvalid(t, name, g.callback(t, id, b.body), b.fields)
		}
		for name, body := range badBodies(`{"status":"failed"}`) {
			checkBody(t, name, g.callback(t, id, body))
		}
	})
	t.Run("transport", func(t *testing.T) { badTransport(t, g, id) })
	t.Run("paths", func(t *testing.T) { badPaths(t, g, id) })
	t.Run("Connect", func(t *testing.T) { badConnect(t, g, number(id)) })
	t.Run("refusals", func(t *testing.T) { refusals(t, g) })
	if after := g.texts(t, rows)[0]; after != before {
		t.Errorf("rows before: %s; after: %s", before, after)
	}
}

// checkBody wants the body named; that what should be in it is missing may be said too.
func checkBody(t *testing.T, name string, got answer) {
	t.Helper()
	if got.status != http.StatusUnprocessableEntity || got.text("code") != "validation_failed" ||
		!slices.Contains(got.fields(), "body") {
		t.Errorf("%s: %.500s; want 422 for the body", name, got)
	}
}

func checkInvalid(t *testing.T, name string, got answer, fields []string) {
	t.Helper()
	if got.status != http.StatusUnprocessableEntity || got.text("code") != "validation_failed" ||
		!slices.Equal(got.fields(), fields) {
		t.Errorf("%s: %.500s; want 422 for %v", name, got, fields)
	}
	wrong, _ := got.at("errors").(object)
	for field, messages := range wrong {
		if list, ok := messages.([]any); !ok || len(list) == 0 {
			t.Errorf("%s: %s has no message", name, field)
		}
	}
}

func badCallbacks() map[string]bad {
	all := map[string]bad{}
	for name, value := range notStrings {
		all["status "+name] = bad{`{"status":` + value + `}`, []string{"status"}}
		for _, field := range []string{"providerPaymentId", "reason"} {
			all[field+" "+name] = bad{fmt.Sprintf(`{"status":"failed",%q:%s}`, field, value), []string{field}}
		}
	}
	for name, value := range flawed {
		all["status "+name] = bad{`{"status":` + value + `}`, []string{"status"}}
		for _, field := range []string{"providerPaymentId", "reason", "foreign"} {
			all[field+" "+name] = bad{fmt.Sprintf(`{"status":"failed",%q:%s}`, field, value), []string{field}}
		}
	}
	for _, value := range []string{"null", `""`, `"PENDING"`, `"Completed"`, `"done"`, `" failed"`, `"expired"`, `"` + strings.Repeat("x", 60_000) + `"`} {
		all[fmt.Sprintf("status %.20s", value)] = bad{`{"status":` + value + `}`, []string{"status"}}
	}
	for _, field := range []string{"providerPaymentId", "reason"} {
		all[field+" huge"] = bad{
			fmt.Sprintf(`{"status":"failed",%q:%q}`, field, strings.Repeat("x", 60_000)),
			[]string{field},
		}
		all[field+" twice"] = bad{fmt.Sprintf(`{"status":"failed",%[1]q:"a",%[1]q:"b"}`, field), []string{field}}
	}
	all["nothing given"] = bad{"{}", []string{"status"}}
	all["status twice"] = bad{`{"status":"failed","status":"failed"}`, []string{"status"}}
	all["all wrong"] = bad{
		`{"status":1,"providerPaymentId":2,"reason":3}`,
		[]string{"providerPaymentId", "reason", "status"},
	}
	return all
}

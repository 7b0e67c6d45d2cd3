package acceptance

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// goodPayin are the fields of a valid payout, goodDeposit those of a valid deposit.
func goodPayin() map[string]raw {
	return map[string]raw{
		"orderId":     raw(`"never"`),
		"amount":      raw(`"1500.00"`),
		"currency":    raw(`"RUB"`),
		"method":      raw(`"sbp"`),
		"callbackUri": raw(`"https://shop.example/hook"`),
		"address":     raw(`"+79991234567"`),
		"recipient":   raw(`"Ivan Petrov"`),
	}
}

func goodDeposit() map[string]raw {
	return map[string]raw{
		"amount": raw(`"250.5"`), "network": raw(`"TRC20"`), "address": raw(`"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"`),
		"idempotencyKey": raw(`"7d444840-9dc0-11d1-b245-5ffdce74fad2"`),
	}
}

// cases collects bad bodies: a good one with one field, or several, set otherwise.
type cases struct {
	good func() map[string]raw
	all  map[string]bad
}

func (c cases) with(more map[string]string, wrong ...string) {
	fields := c.good()
	for field, value := range more {
		if fields[field] = raw(value); value == "" {
			delete(fields, field)
		}
	}
	c.all[fmt.Sprintf("%.200q", fmt.Sprint(more))] = bad{put(fields), wrong}
}

func (c cases) field(field string, values ...string) {
	for _, value := range values {
		c.with(map[string]string{field: value}, field)
	}
}

// texts are what every string field refuses, and a required one besides.
func (c cases) texts(required bool, fields ...string) {
	for _, field := range fields {
		for _, value := range notStrings {
			c.field(field, value)
		}
		for _, value := range flawed {
			c.field(field, value)
		}
		if required {
			c.field(field, "", "null", `""`)
		}
		c.field(field, `"`+strings.Repeat("9", 60_000)+`"`)
	}
}

func badPayins() map[string]bad {
	c := cases{goodPayin, map[string]bad{}}
	c.texts(true, "orderId", "currency", "callbackUri", "recipient", "method", "address")
	c.texts(false, "code", "bankName", "userId", "userIp")
	for _, field := range []string{"orderId", "recipient", "code", "bankName", "userId"} {
		c.field(field, `"`+strings.Repeat("x", 256)+`"`, `"`+strings.Repeat("ж", 256)+`"`)
	}
	c.field("orderId", `" \t\n "`)
	c.field("recipient", `" \t\n "`)
	c.field("amount", "", "null", `""`, "0", "0.99", `"0.99"`, "-1", `"-1"`, `"+1"`, "1.001", `"1.001"`, "1e2", `"1e2"`,
		`"NaN"`, `" 1"`, `"1 "`, `"1,5"`, `".5"`, `"1."`, `"٣"`, "true", "[]", "{}", `["1"]`, "1000000000000",
		`"1000000000000.00"`, "1e400", "-0", `"１"`)
	c.field("currency", `"USD"`, `"AZN"`, `"rub"`, `"RUB "`, `"643"`)
	c.field("method", `"SBP"`, `"sim"`, `"card"`, `"quasi_ecom"`, `"sbp "`)
	c.field("callbackUri", `"http://shop.example/"`, `"https://localhost/"`, `"https://169.254.169.254/"`,
		`"https://[::1]/"`, `"https://10.0.0.1/"`, `"https://user:pass@shop.example/"`, `"ftp://shop.example/"`,
		`"shop.example"`)
	c.field("address", `"79991234567"`, `"+7 999 123-45-67"`, `"+7999"`, `"+79991234567 "`, `"4111111111111111"`,
		`"40817810099910004312"`, `"tel:+79991234567"`)
	for _, value := range []string{`"4111111111111112"`, `"411111111111"`, `"4111 1111 1111 1111"`, `"4081781009991000431"`, `"408178100999100043120"`, `"+79991234567"`} {
		c.with(map[string]string{"method": `"c2c"`, "address": value}, "address")
	}
	c.field("userIp", `""`, `"1.2.3"`, `"256.0.0.1"`, `"1.2.3.4/8"`, `"::1%eth0"`, `":::"`, `" ::1"`, `"1.2.3.4:80"`)
	c.all["nothing given"] = bad{
		"{}",
		[]string{"address", "amount", "callbackUri", "currency", "method", "orderId", "recipient"},
	}
	c.all["all wrong"] = bad{
		`{"orderId":1,"amount":0,"currency":2,"callbackUri":3,"method":4,"address":5,"recipient":6,"code":7,"bankName":8,"userId":9,"userIp":"x"}`,
		[]string{
			"address", "amount", "bankName", "callbackUri", "code", "currency", "method", "orderId", "recipient",
			"userId", "userIp",
		},
	}
	c.twice()
	return c.all
}

func badDeposits() map[string]bad {
	c := cases{goodDeposit, map[string]bad{}}
	c.texts(true, "amount", "network", "address", "idempotencyKey")
	c.texts(false, "currency", "externalReference")
	c.field("amount", "250.5", "0", `"0"`, `"0.00000000"`, `"-1"`, `"+1"`, `"1e2"`, `"1.000000001"`, `"1000000000000"`,
		`"NaN"`, `" 1"`, `".5"`, `"1."`)
	c.field("network", `"trc20"`, `"TRC-20"`, `"SOL"`, `"TRC20 "`)
	c.field("currency", `""`, `"usdt"`, `"USDC"`, `"RUB"`)
	c.field("address", `"T"`, `"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"`, `"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"`,
		`"112D2adLM3UKy4Z4giRbReR6gjWuvHUqB"`)
	for _, network := range []string{"ERC20", "BEP20", "POLYGON", "ARBITRUM"} {
		for _, value := range []string{`"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"`, `"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"`, `"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"`} {
			c.with(map[string]string{"network": `"` + network + `"`, "address": value}, "address")
		}
	}
	c.field("externalReference", `"`+strings.Repeat("x", 257)+`"`, `"`+strings.Repeat("ж", 257)+`"`)
	c.field("idempotencyKey", `"x"`, `"7d4448409dc011d1b2455ffdce74fad2"`, `"{7d444840-9dc0-11d1-b245-5ffdce74fad2}"`,
		`"7d444840-9dc0-11d1-b245-5ffdce74fad"`, `"urn:uuid:7d444840-9dc0-11d1-b245-5ffdce74fad2"`,
		`"7d444840-9dc0-11d1-b245-5ffdce74fadg"`)
	c.field("merchantCashboxId", `"1"`, "1.5", "1.0", "1e3", "true", "[]", "{}", "9223372036854775808")
	c.all["nothing given"] = bad{"{}", []string{"address", "amount", "idempotencyKey", "network"}}
	c.all["all wrong"] = bad{
		`{"merchantCashboxId":"x","amount":1,"network":2,"currency":3,"address":4,"externalReference":5,"idempotencyKey":6}`,
		[]string{
			"address", "amount", "currency", "externalReference", "idempotencyKey", "merchantCashboxId", "network",
		},
	}
	c.twice()
	return c.all
}

// twice adds every field given twice.
func (c cases) twice() {
	body := strings.TrimSuffix(put(c.good()), "}")
	for name, value := range c.good() {
		c.all[name+" twice"] = bad{body + fmt.Sprintf(",%q:%s}", name, value), []string{name}}
	}
	c.all["a foreign field twice"] = bad{body + `,"x":1,"x":1}`, []string{"x"}}
}

// Every bad payout and deposit is a 422 that names what is wrong, and changes nothing.
func TestBadPayinsAndDepositsChangeNothing(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box := g.first()
	id := g.createPayin(t, box, nil).text("data.id")
	const rows = `select (select count(*) from payin)::text || ' ' || (select count(*) from payin_key) || ' ' ||
		(select count(*) from transfer) || ' ' || (select count(*) from payin_history) || ' ' || (select count(*) from webhook_event)
		|| ' ' || (select count(*) from deposit) || ' ' || (select count(*) from deposit_history) || (select string_agg(status, ',') from payin)`
	before := g.texts(t, rows)[0]
	for name, b := range badPayins() {
		got := g.postPayin(t, box, b.body)
		checkInvalid(t, "payin "+name, got, b.fields)
		if strings.Contains(got.raw, "4111111111111112") || strings.Contains(got.raw, "9991234567") {
			t.Errorf("payin %s: the requisite is in the answer %s", name, got)
		}
	}
	for name, body := range badBodies(put(goodPayin())) {
		checkBody(t, "payin "+name, g.postPayin(t, box, body))
	}
	for name, b := range badDeposits() {
		checkInvalid(t, "deposit "+name, g.postDeposit(t, box, b.body), b.fields)
	}
	for name, body := range badBodies(put(goodDeposit())) {
		checkBody(t, "deposit "+name, g.postDeposit(t, box, body))
	}
	bodies := badBodies("{}")
	maps.DeleteFunc(
		bodies,
		func(_, body string) bool { return strings.Trim(body, " \n") == "" },
	) // nothing has to be sent
	for name, body := range bodies {
		checkBody(t, "cancel "+name, send(t, "POST", g.BaseURL+payins+"/"+id+"/cancel", body, signed(box, body)))
	}
	for _, path := range []string{payins, deposits} {
		large := pad("{}", bodyLimit+1)
		send(t, "POST", g.BaseURL+path, large,
			signed(box, large)).want(t, fmt.Sprintf("%s, large", path), 413, "code", "body_too_large")
		body := "{}"
		send(t, "POST", g.BaseURL+path, body,
			with(signed(box, body), "Content-Type", "text/plain")).want(t, fmt.Sprintf("%s, as text", path), 415)
	}
	// Without any rate a payout has no price; the order id stays free.
	noRate := payinOrder(nil)
	g.exec(t, "create table kept as select * from rate")
	g.exec(t, "delete from rate")
	g.postPayin(t, box, noRate).want(t, "without a rate", 503, "code", "rate_unavailable")
	if after := g.texts(t, rows)[0]; after != before {
		t.Errorf("rows before: %s; after: %s", before, after)
	}
	g.exec(t, "insert into rate select * from kept")
	if got := g.postPayin(t, box, noRate); got.status != 200 || got.header.Get("Idempotent-Replay") != "" {
		t.Errorf("with a rate again: %s", got)
	}
}

// What stands just inside a limit, or may be left out, is taken.
func TestPayinAndDepositEdges(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	long := func(letter string, length int) string { return `"` + strings.Repeat(letter, length) + `"` }
	for _, more := range []map[string]string{
		{"orderId": `"` + longOrder("ж", 255) + `"`}, {"recipient": long("ж", 255)}, {"code": long("x", 255)}, {"bankName": long("ж", 255)},
		{"userId": long("x", 255)}, {"code": "null", "bankName": "null", "userId": "null", "userIp": "null"}, {"code": `""`}, {"amount": "1"}, {"amount": `"1.5"`},
		{"userIp": `"203.0.113.9"`}, {"userIp": `"2001:db8::1"`}, {"foreign": `{"a":[1]}`}, {"callbackUri": `"http://127.0.0.1:1/hook"`},
		{"method": `"c2c"`, "address": `"4111111111111111"`}, {"method": `"c2c"`, "address": `"40817810099910004312"`}, {"address": `"+12025550123"`},
	} {
		fields := goodPayin()
		fields["orderId"] = raw(`"` + newOrder() + `"`)
		for field, value := range more {
			fields[field] = raw(value)
		}
		g.postPayin(t, g.first(), put(fields)).want(t, fmt.Sprintf("payin %v", more), 200)
	}
	for i, more := range []map[string]string{
		{"amount": `"0.00000001"`}, {"amount": `"999999999999.99999999"`}, {"externalReference": long("ж", 256)}, {"externalReference": "null", "currency": "null"},
		{"merchantCashboxId": "null"}, {"externalReference": `""`}, {"network": `"ARBITRUM"`, "address": `"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"`},
	} {
		fields := goodDeposit()
		fields["idempotencyKey"] = raw(fmt.Sprintf(`"7d444840-9dc0-11d1-b245-5ffdce74fa%02d"`, i))
		for field, value := range more {
			fields[field] = raw(value)
		}
		g.postDeposit(t, g.first(), put(fields)).want(t, fmt.Sprintf("deposit %v", more), 201)
	}
}

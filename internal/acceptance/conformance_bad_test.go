package acceptance

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// badIDs are none that a record has.
var badIDs = []string{
	"0", "-1", "+1", "01", "1.0", "1e3", "x", "null", "%00", "%ff", "%20", "1%2F2", "9223372036854775807",
	"9223372036854775808", strings.Repeat("9", 300), "01890a5d-ac96-774b-bcce-b302099a8057",
}

// badPathsOf: wherever a path names a record, what names none is 404 and changes nothing.
func badPathsOf(t *testing.T, w *instance) {
	for _, id := range badIDs {
		for _, c := range []struct {
			path string
			call call
		}{
			{"balance", signedGet("/api/v1/cashboxes/"+id+"/balance", firstKey)},
			{"deposit", signedGet(deposits+"/"+id, firstKey)},
			{"payment", signedGet(payments+"/"+id, firstKey)},
			{"payin", signedGet(payins+"/"+id, firstKey)},
			{"cancel", cancelPayin(id)},
			{"callback", callbackOf(id, `{"status":"failed"}`)},
			{"appeal", appealOf(id, "x")},
			{"keys", tokenGet(cashboxKeys(id), "merchant")},
			{"resend", resendOf(id)},
			{"checkout", bareRequest(http.MethodGet, checkouts+id, "", nil)},
			{"card", bareRequest(http.MethodPost, checkouts+id+"/payer-details", newCard.body(), nil)},
			{"code", bareRequest(http.MethodPost, checkouts+id+"/payer-otp", newCode.body(), nil)},
			{"cancel a checkout", bareRequest(http.MethodPost, checkouts+id+"/cancel", "", nil)},
		} {
			t.Run(fmt.Sprintf("%s %.30s", c.path, id),
				func(t *testing.T) { refused(c.call, 404, "not_found").run(t, w) })
		}
	}
}

// hugeTexts: no text is too long to be answered: it is taken, or refused by its name.
func hugeTexts(t *testing.T, w *instance) {
	for _, e := range []struct {
		name string
		endpoint
		fields []string
	}{
		{"payment", newPayment, []string{"orderId", "currency", "callbackUri", "method", "description"}},
		{"payin", newPayin, []string{"orderId", "currency", "callbackUri", "method", "address", "recipient", "code", "bankName", "userId", "userIp"}},
		{"deposit", newDeposit, []string{"network", "currency", "address", "externalReference", "idempotencyKey", "amount"}},
		{"callback", newStatus, []string{"status", "reason", "providerPaymentId"}},
		{"key", newKey, []string{"name"}},
		{"card", newCard, []string{"pan", "expMonth", "expYear", "cvv", "cardHolder"}},
		{"code", newCode, []string{"otp"}},
	} {
		for _, field := range e.fields {
			t.Run(e.name+" "+field,
				func(t *testing.T) { e.rejects(field, quoted("9", 30_000), quoted("ж", 30_000)).run(t, w) })
		}
	}
	address := strconv.Quote("https://shop.example/" + strings.Repeat("x", 30_000))
	for name, e := range map[string]endpoint{"payment": newPayment, "payin": newPayin} {
		t.Run(name+" long address", func(t *testing.T) { e.rejects("callbackUri", address).run(t, w) })
	}
	for _, field := range []string{"userId", "fullName", "type", "userIp"} {
		t.Run("payer "+field, func(t *testing.T) {
			for _, letter := range []string{"x", "ж"} {
				long := fmt.Sprintf(`{%q:%s}`, field, quoted(letter, 30_000))
				newPayment.rejectsAs("payer", "payer."+field, long).run(t, w)
			}
		})
	}
}

// hugeQueries are refused by the name of what is huge.
func hugeQueries(t *testing.T, w *instance) {
	long := strings.Repeat("9", 30_000)
	cabinet := func(query string) call { return tokenGet(payments+"?"+query, "payer") }
	for name, c := range map[string]call{
		"limit": cabinet("limit=" + long), "cursor": cabinet("cursor=" + long), "status": cabinet("status=" + long), "from": cabinet("from=" + long),
		"to": cabinet("to=" + long), "orderId": signedGet(payments+"?orderId="+long, firstKey),
		"method": signedGet(payments+"?orderId=x&method="+long, firstKey),
	} {
		t.Run(name, func(t *testing.T) { refused(c, 422, "validation_failed", name).run(t, w) })
	}
	for name, value := range map[string]string{"limit": "5", "cursor": "1", "status": "failed", "from": "2026-01-01T00:00:00Z", "orderId": "x"} {
		twice := cabinet(name + "=" + value + "&" + name + "=" + value)
		t.Run(name+" twice", func(t *testing.T) { refused(twice, 422, "validation_failed", name).run(t, w) })
	}
	for _, query := range []string{"limit=%zz", "%", "=&&=", ";", "limit=1;status=failed"} {
		t.Run("broken "+query, func(t *testing.T) {
			if got := cabinet(query)(t, w); got.status >= 500 {
				t.Error(got)
			}
		})
	}
}

// hugeHeaders prove nobody. Over 32 KiB of them are 431 before anything is looked at.
func hugeHeaders(t *testing.T, w *instance) {
	long := strings.Repeat("x", 20_000)
	good := signed(w.first(), "{}")
	for _, name := range []string{"X-Merchant-Key-Id", "X-Merchant-Secret", "Signature"} {
		t.Run(name, func(t *testing.T) {
			refused(bareRequest(http.MethodPost, payments, "{}", with(good, name, long)), 403,
				"invalid_signature").run(t, w)
		})
	}
	refused(bareRequest(http.MethodGet, payments, "", bearer(long)), 401, "unauthenticated").run(t, w)
}

// cashboxesOfDeposits that are none.
func cashboxesOfDeposits(t *testing.T, w *instance) {
	for _, id := range []string{"0", "-1", "999999", "9223372036854775807"} {
		refused(newDeposit.with("merchantCashboxId", id), 404, "not_found").run(t, w)
	}
}

// badInput is what the documents say of no single field: a 4xx for everything, and nothing changed.
func badInput(t *testing.T, w *instance) {
	for name, run := range map[string]func(*testing.T, *instance){
		"paths": badPathsOf, "texts": hugeTexts, "queries": hugeQueries, "headers": hugeHeaders, "cashboxes": cashboxesOfDeposits,
	} {
		t.Run(name, func(t *testing.T) { run(t, w) })
	}
	for name, c := range map[string]endpoint{
		"payment": newPayment, "payin": newPayin, "deposit": newDeposit, "callback": newStatus, "key": newKey, "card": newCard, "code": newCode,
	} {
		t.Run("bodies of "+name, func(t *testing.T) {
			before := w.rows(t)
			for label, body := range badBodies(c.body()) {
				if body != "" { // without a body there is no content type either
					checkBody(t, label, c.send(t, w, c.keyID, body))
				}
			}
			if after := w.rows(t); after != before {
				t.Errorf("%s became %s", before, after)
			}
		})
	}
}

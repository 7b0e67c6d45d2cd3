package acceptance

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

var (
	phone      = matching(`^\+79\d{9}$`)
	cardNumber = matching(`^\d{16}$`)
	iban       = matching(`^MN\d{18}$`)

	paymentFields = []string{
		"id", "uuid", "orderId", "description", "status", "amount", "currency", "method", "expiresAt", "requisite",
		"paymentPageUrl", "extra", "ledger", "createdAt", "statusUpdatedAt", "statusReason", "returnUrl",
		"payerClaimedAt",
	}
	hiddenLedger  = []string{"profitUsdt", "spreadPlatformUsdt", "baseRateRubPerUsdt", "sellerRateMarkupPercent"}
	visibleLedger = []string{
		"requisitePhone", "requisiteFullName", "bank", "transferMethod", "sms", "amountUsdt", "spreadTraderUsdt",
		"rateUnavailable",
	}
	ledgerFields = slices.Concat(visibleLedger, hiddenLedger)
	listFields   = []string{
		"id", "uuid", "order_id", "amount", "currency", "status", "payment_snapshot", "requisite_snapshot", "ledger",
		"created_at", "status_updated_at",
	}
)

// hiddenOf are the paths of the four hidden fields of a ledger.
func hiddenOf(ledger string) []string {
	var paths []string
	for _, name := range hiddenLedger {
		paths = append(paths, ledger+"."+name)
	}
	return paths
}

// inLists checks a field of both lists' items.
func inLists(name string, k kind) check {
	return all(field("list", "data.0."+name, k), field("signed list", "data.0."+name, k))
}

// payerField is a text within payer.
func payerField(name string, taken ...string) check {
	within := func(value string) string { return fmt.Sprintf(`{%q:%s}`, name, value) }
	checks := []check{
		newPayment.rejectsAs("payer", "payer."+name, within("1"), within("true"), within("[]"), within("{}"),
			within(`"a\u0000b"`)),
	}
	for _, value := range taken {
		checks = append(checks, newPayment.takes("payer", within(value)))
	}
	return all(checks...)
}

func orderIsTrimmed(t *testing.T, w *instance) {
	orderID := newOrder()
	gives(newPayment.with("orderId", strconv.Quote(" \t"+orderID+"\n ")), 200, is("data.orderId", orderID)).run(t, w)
}

// orderRepeats: the same order id and method are the same payment; another method's or merchant's
// is another.
func orderRepeats(t *testing.T, w *instance) {
	orderID := newOrder()
	made := newPayment.with("orderId", strconv.Quote(orderID))(t, w)
	id := made.text("data.id")
	if made.header.Get("Idempotent-Replay") != "" {
		t.Error("a first call is marked as a repeat")
	}
	same := func(keyID string, pairs ...string) answer {
		return newPayment.by(keyID).with(append([]string{"orderId", strconv.Quote(orderID)}, pairs...)...)(t, w)
	}
	for _, again := range []answer{same(firstKey), same(firstKey, "amount", "7"), same("sandbox-payments-only")} {
		if again.status != 200 || again.text("data.id") != id || again.header.Get("Idempotent-Replay") != "true" {
			t.Errorf("a repeat: %v %s", again.header, again)
		}
	}
	if mismatch := same(firstKey, "amount", "7").header.Get("Idempotent-Mismatch"); mismatch != "amount" {
		t.Errorf("another amount: mismatch %q", mismatch)
	}
	for _, other := range []answer{same(firstKey, "method", `"card"`), same("sandbox-second-rub")} {
		if other.status != 200 || other.text("data.id") == id || other.header.Get("Idempotent-Replay") != "" {
			t.Errorf("another payment: %v %s", other.header, other)
		}
	}
}

// boxOf is a key whose cashbox takes the currency.
var boxOf = map[string]string{"RUB": firstKey, "AZN": "sandbox-azn", "TRY": "sandbox-try", "MNT": "sandbox-mnt"}

func currencies(t *testing.T, w *instance) {
	for currency, keyID := range boxOf {
		method := "c2c"
		if currency == "RUB" {
			method = "sbp"
		}
		gives(newPayment.by(keyID).with("currency", strconv.Quote(currency), "method", strconv.Quote(method)), 200,
			is("data.currency", currency)).run(t, w)
	}
}

// channels are the methods with a requisite, and what the requisite is.
var channels = []struct {
	currency, method, kind, how string
	value                       kind
}{
	{"RUB", "sbp", "sbp", "sbp", phone},
	{"RUB", "sim", "phone", "sim", phone},
	{"RUB", "card", "card", "card2card", cardNumber},
	{"AZN", "c2c", "card", "card2card", cardNumber},
	{"TRY", "c2c", "card", "card2card", cardNumber},
	{"MNT", "c2c", "card", "card2card", cardNumber},
	{"MNT", "iban", "iban", "iban", iban},
}

func methods(t *testing.T, w *instance) {
	for _, c := range channels {
		gives(
			newPayment.by(boxOf[c.currency]).
				with("currency", strconv.Quote(c.currency), "method", strconv.Quote(c.method)),
			200,
			is("data.method", c.method),
			is("data.requisite.type", c.kind),
			is("data.requisite.method", c.how),
			has("data.requisite.value", c.value),
			has("data.paymentPageUrl", aText),
			lacks("data.checkoutUrl", "data.quasiEcom"),
		).run(t, w)
	}
}

// methodTable: what it knows is taken, or refused for the cashbox; what it does not know is no
// method.
func methodTable(t *testing.T, w *instance) {
	methods(t, w)
	cardMethodsHaveLinks(t, w)
	resendOutOfStep(t, w)
	known := map[string][]string{
		"RUB": {"sbp", "sim", "card", "mtstpay"},
		"AZN": {"quasi_ecom", "c2c"},
		"TRY": {"quasi_ecom", "c2c"},
		"MNT": {"c2c", "iban"},
		"KZT": {"c2c"},
		"UZS": {"c2c"},
	}
	for currency, methods := range known {
		for _, method := range []string{"sbp", "sim", "card", "mtstpay", "quasi_ecom", "c2c", "iban"} {
			c := newPayment.by("sandbox-second-rub").
				with("currency", strconv.Quote(currency), "method", strconv.Quote(method))
			switch {
			case !slices.Contains(methods, method):
				refused(c, 422, "validation_failed", "method").run(t, w)
			case currency != "RUB":
				refused(c, 403, "merchant_collect_method_disabled").run(t, w)
			}
		}
	}
}

// markupPriority takes the levels away one by one, of a merchant that nothing else here looks at.
func markupPriority(t *testing.T, w *instance) {
	const ofSecond = " where cashbox_id = (select cashbox_id from api_key where key_id = 'sandbox-second-rub')"
	applied := func(want string, pairs ...string) {
		t.Helper()
		err := testenv.Eventually(func() error { // what is known of a merchant may be a second old
			got := newPayment.by("sandbox-second-rub").with(pairs...)(t, w)
			if applied, _ := find(got.body, "data.ledger.sellerRateMarkupPercent"); !exactly(want)(applied) {
				return fmt.Errorf("%s; want %s percent", got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	w.exec(t, "update merchant set rate_percent = 3 where id = 2")
	w.exec(t, "update trader set rate_percent = 2")
	applied("10", "ratePercent", "10")
	applied("4.5")
	w.exec(t, "update cashbox_method set margin_percent = null"+ofSecond)
	applied("3")
	w.exec(t, "update merchant set rate_percent = null where id = 2")
	applied("2")
	w.exec(t, "update trader set rate_percent = null")
	applied("0")
	w.exec(t, "update cashbox_method set margin_percent = 4.5"+ofSecond)
	applied("4.5")
}

// validity is the decided one of each method.
func validity(t *testing.T, w *instance) {
	minutes := map[string]time.Duration{
		"sbp": 15, "sim": 15, "card": 20, "c2c": 20, "iban": 30, "mtstpay": 15,
		"quasi_ecom": 15,
	}
	of := func(currency, method string) {
		got := newPayment.by(boxOf[currency]).
			with("currency", strconv.Quote(currency), "method", strconv.Quote(method))(t, w)
		m := matcher{t: t, createdAt: got.text("data.createdAt")}
		if !m.after((minutes[method] * time.Minute).String()[:3], got.text("data.expiresAt")) {
			t.Errorf("%s %s: %s", currency, method, got)
		}
	}
	for _, c := range channels {
		of(c.currency, c.method)
	}
	for _, c := range cardMethods {
		of(c.currency, c.method)
	}
}

// requisiteIsSnapshot: what is edited later changes nothing of it.
func requisiteIsSnapshot(t *testing.T, w *instance) {
	w.exec(t, "update requisite set bank = 'Another Bank', holder = 'Nobody'")
	got := signedGet("/api/v1/payments/{payment}", firstKey)(t, w)
	w.exec(t, "update requisite set bank = 'Sample Bank', holder = 'Ivan P.'")
	for _, name := range []string{"type", "method", "value", "holder", "bank"} {
		if path := "data.requisite." + name; got.text(path) != w.fixture(t, "payment").text(path) {
			t.Errorf("%s is now %s", path, got.text(path))
		}
	}
}

// linkOpens a page with the amount, of either kind of payment, as no id does.
func linkOpens(t *testing.T, w *instance) {
	byCard, _ := w.cardPayment(t, nil)
	for _, kind := range []struct {
		made               answer
		link, path, amount string
	}{{w.fixture(t, "payment"), "data.paymentPageUrl", "/r/", "1500"}, {byCard, "data.checkoutUrl", "/pay/", "100"}} {
		made, link := kind.made, kind.made.text(kind.link)
		for _, id := range []string{made.text("data.id"), made.text("data.uuid")} {
			if strings.HasSuffix(link, "/"+id) {
				t.Errorf("%s ends with an id", link)
			}
			if page, err := trySend(http.MethodGet, w.PayURL+kind.path+id, "", nil); err != nil ||
				page.status != http.StatusNotFound {
				t.Errorf("the id opens a page: %d %v", page.status, err)
			}
		}
		shown := w.page(t, link).Find(".amount").First().Text()
		if amount := regexp.MustCompile(`\D`).ReplaceAllString(shown, ""); amount != kind.amount {
			t.Errorf("%s shows the amount %q", kind.path, shown)
		}
	}
}

func ledgerIsTexts(t *testing.T, w *instance) {
	for _, name := range ledgerFields {
		k := either(aText, null)
		switch name {
		case "sellerRateMarkupPercent":
			k = aNumber
		case "rateUnavailable":
			k = boolean
		}
		field("payment", "data.ledger."+name, k).run(t, w)
	}
}

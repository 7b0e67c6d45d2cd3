package acceptance

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

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

package portals_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A rate that is set is restated with its distance; beyond the band it waits for a second operator.
func TestSetRatePage(t *testing.T) {
	b := portaltest.Parallel(t)
	watched(b)
	one := treasurer(t, b, "one")
	set := func(value, distance string) portaltest.Answer {
		t.Helper()
		sure := one.Get(t, "/operator/rates/set/confirm?currency=RUB&validMinutes=60&fiatPerUsdt="+value)
		wantIn(t, value+": nothing of", sure.Text(), distance, "100.00")
		return one.Post(t, "/operator/rates/set", hidden(sure.Page(t))...)
	}
	wantIn(t, "beyond the band", set("105.01", "+5.01 %").To(), "/operator/approvals/")
	want(t, "within the band: to", set("95", "−5.00 %").To(), "/operator/rates")
	want(t, "the rate", testenv.Must(rate.Current(t.Context(), b.Queries(), "RUB", b.Clock.Now()))(t).FiatPerUSDT, "95")
	wantIn(t, "the page", one.Get(t, "/operator/rates").Text(), "USDT/RUB", "95.00", "By hand", "±5", "No rate")
}

// feed are the fields of one of an address.
func feed(address string) []string {
	return []string{
		"currency", "RUB", "enabled", "on", "url", address, "pointer", "/rate", "priority", "1", "pollSeconds", "60",
		"timeoutMs", "5000", "bandPercent", "3", "dayBandPercent", "10", "freshSeconds", "300",
	}
}

// A feed is made, shown with its health and the day's chart, and changed.
func TestFeedPages(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	form := feed("https://rates.example/v1?key=hunter2")
	sent := func(path string, form []string) portaltest.Answer {
		return one.Post(t, path, hidden(one.Page(t, path), form...)...)
	}
	a := sent("/operator/rates/feeds/new", append(form[:len(form)-1:len(form)-1], "0"))
	wantAnswer(t, "a wrong feed", a, http.StatusUnprocessableEntity)
	wantIn(t, "what was typed", a.Body, "hunter2")
	want(t, "a new feed", sent("/operator/rates/feeds/new", form).To(), "/operator/rates")
	for i, value := range []string{"99", "101.5"} {
		noError(t, b.Queries().RateObservationAdd(t.Context(), db.RateObservationAddParams{
			FeedID: 1, Now: b.Clock.Now().Add(time.Duration(i-2) * time.Hour),
			FiatPerUSDT: decimal.RequireFromString(value),
		}))
	}
	b.Exec(t, `update rate_feed set good_at = $1, failed_at = $1, failures = 3, last_error = $2`, b.Clock.Now(), evil)
	a = one.Get(t, "/operator/rates")
	wantIn(t, "the page", a.Text(), "rates.example", evil, "±3")
	wantIn(t, "the chart", words(a.Page(t).Find(".plot")), "99.00", "101.50", "±3 % of the rate in use")
	wantNot(t, "what strangers wrote is not escaped, or the key shows", a.Body, evil, "hunter2")
	want(t, "two values far from each other are points", a.Page(t).Find(".plot circle").Length(), 2)
	form[3] = "off"
	want(t, "changed", sent("/operator/rates/feeds/1", form).To(), "/operator/rates")
}

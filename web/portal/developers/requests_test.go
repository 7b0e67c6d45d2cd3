package developers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/requestlog"
	"gateway.example/web/portal/portaltest"
)

// ask writes a request of the first merchant into the log, as one that has just been answered.
func ask(t testing.TB, b *portaltest.Bundle, log *requestlog.Log, status int, code, id string) {
	t.Helper()
	log.Add(requestlog.Entry{
		MerchantID: b.Merchant.ID, KeyID: b.Merchant.KeyID, Method: "POST", Path: "/api/v1/payments", Status: status,
		Code: code, RequestID: id, Took: 12340 * time.Microsecond,
	})
	noError(t, log.Flush(t.Context()))
}

// Requests are found by status, code, key, day and id, and another merchant finds none of them.
func TestRequests(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	stranger := b.Stranger(t)
	log := requestlog.New(b.Pool, b.Clock, prometheus.NewRegistry())
	const path = "/merchant/developers/requests"
	if text := words(p.Page(t, path).Find("main .empty")); !strings.HasPrefix(text, "No requests in the last days.") {
		t.Errorf("of none: %s", text)
	}
	ask(t, b, log, 403, "invalid_signature", "id-1")
	b.Clock.Advance(48 * time.Hour)
	ask(t, b, log, 422, "validation_failed", "id-2")
	ask(t, b, log, 500, "internal_error", "4111111111111111")
	ask(t, b, log, 200, "", "id-4")
	listed := func(query string) string {
		var all []string
		p.Page(t, path+query).Find("tbody .badge").Each(func(_ int, s *goquery.Selection) {
			all = append(all, s.Text())
		})
		return strings.Join(all, " ")
	}
	today, earlier := b.Clock.Now().Format(time.DateOnly), b.Clock.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	for query, found := range map[string]string{
		"":                               "200 500 422 403",
		"?status=4xx":                    "422 403",
		"?status=4xx&status=5xx":         "500 422 403",
		"?status=2xx":                    "200",
		"?code=invalid_signature":        "403",
		"?key=" + b.Merchant.KeyID:       "200 500 422 403",
		"?key=another":                   "",
		"?q=id-2":                        "422",
		"?q=4111111111111111":            "",
		"?from=" + today:                 "200 500 422",
		"?to=" + earlier:                 "403",
		"?status=5xx&from=" + today:      "500",
		"?from=2020-01-01&to=2020-01-02": "",
	} {
		want(t, query, listed(query), found)
	}
	want(t, "a wrong status", p.Get(t, path+"?status=999").Code, http.StatusUnprocessableEntity)
	want(t, "a long code", p.Get(t, path+"?code="+strings.Repeat("x", 65)).Code, http.StatusUnprocessableEntity)
	row := words(p.Page(t, path+"?q=id-1").Find("tbody"))
	wantIn(t, "a row", row, "403 POST /api/v1/payments invalid_signature "+b.Merchant.KeyID+" id-1 12.3 ms")
	hidden := words(p.Page(t, path+"?status=5xx").Find("tbody"))
	if strings.Contains(hidden, "4111") || !strings.Contains(hidden, "Not kept: it looked like a card number") {
		t.Errorf("an id that looks like a card number: %s", hidden)
	}
	for _, query := range []string{"", "?q=id-2", "?key=" + b.Merchant.KeyID} {
		want(t, "a stranger's list", stranger.Page(t, path+query).Find("tbody tr").Length(), 0)
	}
}

// The list is read in pages, there and back.
func TestRequestPages(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	log := requestlog.New(b.Pool, b.Clock, prometheus.NewRegistry())
	for range 120 {
		ask(t, b, log, 200, "", "many")
	}
	page := p.Page(t, "/merchant/developers/requests?status=2xx")
	for _, rows := range []int{50, 50, 20} {
		want(t, "rows", page.Find("tbody tr").Length(), rows)
		if next, there := page.Find("a[rel=next]").Attr("href"); there {
			page = p.Page(t, next)
		}
	}
	want(t, "beyond the end", page.Find("a[rel=next]").Length(), 0)
	want(t, "back", p.Page(t, page.Find("a[rel=prev]").AttrOr("href", "")).Find("tbody tr").Length(), 50)
	want(t, "no such place", p.Get(t, "/merchant/developers/requests?after=x").Code, http.StatusNotFound)
}

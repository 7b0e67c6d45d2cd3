package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

func (g *instance) operator(t testing.TB) portalv1connect.OperatorServiceClient {
	t.Helper()
	for _, user := range g.Users {
		if user.Kind == "operator" {
			return portalv1connect.NewOperatorServiceClient(withToken(user.Token), g.BaseURL)
		}
	}
	t.Fatal("no operator")
	return nil
}

// An operator's feed is polled by the running gateway, payments are made at what it brings, and the
// operator's own rate goes before it.
func TestRates(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	operator := g.operator(t)
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"rates":[{"a/b":"93.125"}]}`))
	}))
	t.Cleanup(feed.Close)
	sent := &portalv1.RateFeed{
		Currency: "RUB", Enabled: true, Priority: 3, Url: feed.URL + "/?key=feedkey",
		Pointer: "/rates/0/a~1b", PollSeconds: 1, TimeoutMs: 30_000, BandPercent: "10",
		DayBandPercent: "12.5", FreshSeconds: 3600,
	}
	set := called(t, operator.SetRateFeed, &portalv1.SetRateFeedRequest{Feed: sent})
	id := set.GetData().GetFeedId()
	sent.FeedId = &id
	if got := set.GetData(); got.String() != sent.String() || id == 0 {
		t.Errorf("set %v, want %v", got, sent)
	}
	source := fmt.Sprint("feed:", id)
	testenv.Until(t, "the rate has its new source", func() bool {
		rate := g.rates(t)[0]
		return rate.GetSource() == source
	})
	if rate := g.rates(t)[0]; rate.GetCurrency() != "RUB" || rate.GetFiatPerUsdt() != "93.125" ||
		rate.GetPriority() != 3 || !rate.GetInUse() ||
		rate.GetStaleAt().AsTime().Sub(rate.GetObservedAt().AsTime()) != time.Hour {
		t.Errorf("in use: %v", rate)
	}
	g.awaitSettings(t)
	created := g.create(t, g.first(), object{"amount": "1000"})
	if created.text("data.extra.fiatPerUsdt") != "93.125" {
		t.Errorf("created at %s", created)
	}
	g.wantExplained(t, created.text("data.id"), source, "93.125")

	seconds := int64(600)
	byHand := called(t, operator.SetRate,
		&portalv1.SetRateRequest{Currency: "RUB", FiatPerUsdt: "90", ValidSeconds: &seconds})
	if rate := byHand.GetData(); rate.GetSource() != "operator" || rate.GetFiatPerUsdt() != "90.00" ||
		!rate.GetInUse() || rate.GetStaleAt().AsTime().Sub(rate.GetObservedAt().AsTime()) != 10*time.Minute {
		t.Errorf("set by hand: %v", rate)
	}
	g.awaitSettings(t)
	created = g.create(t, g.first(), object{"amount": "1001"})
	g.wantExplained(t, created.text("data.id"), "operator", "90.00")
	g.wantRateLog(t)
}

// rates lists the rates of RUB, the one in use first.
func (g *instance) rates(t *testing.T) []*portalv1.Rate {
	t.Helper()
	list := called(t, g.operator(t).ListRates, &portalv1.ListRatesRequest{})
	var rates []*portalv1.Rate
	for _, rate := range list.GetRates() {
		if rate.GetCurrency() == "RUB" {
			rates = append(rates, rate)
		}
	}
	if feeds := list.GetFeeds(); len(feeds) != 1 || feeds[0].Error != nil || len(rates) == 0 {
		t.Fatalf("listed %v", list)
	}
	return rates
}

func (g *instance) wantExplained(t *testing.T, paymentID, source, base string) {
	t.Helper()
	answer := called(t, g.operator(t).ExplainRate, &portalv1.ExplainRateRequest{PaymentId: number(paymentID)})
	m := answer
	if m.GetPaymentId() != number(paymentID) || m.GetRateSource() != source || m.GetRateUnavailable() ||
		m.GetRateObservedAt() == nil || m.GetMarkupSource() != "cashbox_method" || len(m.GetSteps()) != 9 ||
		m.GetSteps()[0].GetName() != "baseRate" || m.GetSteps()[0].GetValue() != base {
		t.Errorf("explained %v", m)
	}
	asked := called(t, g.operator(t).QuoteRate, &portalv1.QuoteRateRequest{Currency: "RUB", Amount: "1000"})
	if q := asked; q.GetPaymentId() != 0 || q.GetRateSource() != source || q.GetMarkupSource() != "configuration" ||
		len(q.GetSteps()) != 9 || q.GetSteps()[0].GetValue() != base {
		t.Errorf("quoted %v", q)
	}
}

// wantRateLog wants both changes in the log of settings, and the feed's key nowhere. It stops the
// gateway.
func (g *instance) wantRateLog(t *testing.T) {
	t.Helper()
	changes := called(t, g.operator(t).ListSettingChanges, &portalv1.ListSettingChangesRequest{})
	data := changes.GetData()
	if len(data) != 2 || data[0].GetSubject() != "rate" || data[0].GetSubjectKey() != "RUB" ||
		data[1].GetSubject() != "rate_feed" {
		t.Errorf("log %v", data)
	}
	scraped := fetched(t, "GET", g.OpsURL+"/metrics", "", nil)
	metrics := scraped.raw
	if !strings.Contains(metrics, `gateway_rate_fresh{currency="RUB"} 1`) ||
		strings.Contains(metrics, `polls_total{result="good"} 0`) {
		t.Error("the metrics say nothing of rates")
	}
	noError(t, g.stop())
	if logged := changes.String() + metrics + g.stderr.String(); strings.Contains(logged, "feedkey") {
		t.Error("the key in the feed's address was logged")
	}
}

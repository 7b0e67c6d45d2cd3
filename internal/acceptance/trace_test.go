package acceptance

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/testenv"
)

// collector takes spans as OpenTelemetry's does, by OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracepb.Span
	// keys are the values of the header Api-Key that came.
	keys []string
	// whole is all that came, as text.
	whole strings.Builder
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &tracepb.TracesData{} // the same bytes as the request of the export
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, request) != nil {
			t.Errorf("%s is no export of spans", r.URL.Path)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.take(request, r.Header.Get("Api-Key"))
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(request *tracepb.TracesData, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys = append(c.keys, key)
	c.whole.WriteString(prototext.Format(request))
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
}

// variables have a gateway send its spans here, so many milliseconds after they
// ended.
func (c *collector) variables(delay string) map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=collector-key",
		"OTEL_BSP_SCHEDULE_DELAY": delay,
	}
}

// find is every span that fits.
func (c *collector) find(fits func(*tracepb.Span) bool) []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.spans), func(s *tracepb.Span) bool { return !fits(s) })
}

// named are the spans of a name.
func (c *collector) named(name string) []*tracepb.Span {
	return c.find(func(s *tracepb.Span) bool { return s.GetName() == name })
}

// one is the only span of a name.
func (c *collector) one(t *testing.T, name string) *tracepb.Span {
	t.Helper()
	found := c.named(name)
	testenv.Need(t, len(found) == 1, "%d spans %q", len(found), name)
	return found[0]
}

func traceID(s *tracepb.Span) string { return hex.EncodeToString(s.GetTraceId()) }

// attribute is the text or the number of a span's attribute, "" where it has
// none.
func attribute(s *tracepb.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			if text := a.GetValue().GetStringValue(); text != "" {
				return text
			}
			return fmt.Sprint(a.GetValue().GetIntValue())
		}
	}
	return ""
}

// linked reports whether a span has a link to another.
func linked(from, to *tracepb.Span) bool {
	return slices.ContainsFunc(from.GetLinks(), func(l *tracepb.Span_Link) bool {
		return string(l.GetSpanId()) == string(to.GetSpanId()) && string(l.GetTraceId()) == string(to.GetTraceId())
	})
}

// below are the names of the spans that a span is the parent of, at any
// distance.
func (c *collector) below(of *tracepb.Span) []string {
	var names []string
	for _, child := range c.find(func(s *tracepb.Span) bool { return string(s.GetParentSpanId()) == string(of.GetSpanId()) }) {
		names = append(names, child.GetName())
		names = append(names, c.below(child)...)
	}
	return names
}

// The trace of a payment's creation goes on with its completion, which another
// request brings about, and with the webhook. The requests are linked to it.
// Spans name statements and routes, and hold no secret, no link and nothing of
// what callers sent. All have arrived when the program has ended.
func TestTraceOfPayment(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	plan := fresh(t)
	plan.variables = c.variables("600000")
	v := plan.start(t)
	s := newShop(t, v.first().WebhookSecret)
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	body := order(object{"callbackUri": s.URL, "orderId": "order-of-the-trace"})
	headers := with(signed(v.first(), body), "Traceparent", "00-"+theirs+"-00f067aa0ba902b7-01")
	created := send(t, http.MethodPost, v.BaseURL+payments, body, with(headers, "Tracestate", "shop=state-of-the-shop"))
	id := created.text("data.id")
	noError(t, v.confirm(t, id))
	s.await(t, "order-of-the-trace")
	link := created.text("data.paymentPageUrl")
	for _, address := range []string{link, link + "?query=of-the-payer", v.PortalURL + "/sign-in"} {
		_ = fetched(t, http.MethodGet, address, "", nil)
	}
	testenv.Until(t, "the attempt is written down", func() bool { // a moment after its answer
		return v.count(t, "select count(*) from webhook_attempt") != 0
	})
	v.stderr.await(t, `"trace_id"`)
	noError(t, v.stop())

	requests := c.find(func(s *tracepb.Span) bool { return attribute(s, "http.route") == payments })
	testenv.Need(t, len(requests) == 1, "%d requests for the creation", len(requests))
	creation, completion, attempt := requests[0], c.one(t, "payment completed"), c.one(t, "webhook attempt")
	for _, span := range []*tracepb.Span{completion, attempt} {
		testenv.Check(t, traceID(span) == traceID(creation), "%q is in another trace than the creation", span.GetName())
	}
	testenv.Check(t, traceID(creation) != theirs && len(creation.GetLinks()) == 1 &&
		hex.EncodeToString(creation.GetLinks()[0].GetTraceId()) == theirs, "the caller's trace is not a link")
	testenv.Check(t, attribute(creation, "http.response.status_code") == "200" &&
		attribute(completion, "gateway.payment_id") == id && attribute(attempt, "gateway.outcome") == "delivered",
		"attributes: %v %v %v", creation, completion, attempt)
	confirmed := c.find(func(s *tracepb.Span) bool { return linked(s, completion) })
	testenv.Check(t, len(confirmed) == 1 && linked(completion, confirmed[0]) &&
		traceID(confirmed[0]) != traceID(creation), "%d requests are linked to the completion", len(confirmed))
	for span, statement := range map[*tracepb.Span]string{creation: "PaymentInsert", completion: "PaymentMove"} {
		names := c.below(span)
		testenv.Check(t, slices.Contains(names, statement) && (slices.Contains(names, "WebhookEventInsert") ||
			span != completion), "below %q: %q", span.GetName(), names)
	}
	testenv.Check(t, strings.Contains(v.stderr.String(), traceID(creation)), "the log does not name the trace")
	confirming := c.find(func(s *tracepb.Span) bool { return strings.HasSuffix(s.GetName(), "TraderService/ConfirmReceived") })
	testenv.Check(t, len(confirming) >= 2, "no span of the procedure inside that of its request: %v", confirming)
	c.holdsNothing(t, v, link, created.text("data.uuid"))
}

// holdsNothing looks for secrets, links and what callers sent in all that was
// exported.
func (c *collector) holdsNothing(t *testing.T, v *instance, link, uuid string) {
	unwanted := []string{
		path.Base(link), uuid, "order-of-the-trace", "state-of-the-shop",
		"of-the-payer", "collector-key", "insert into", "select ", "healthz", "readyz", "metrics",
	}
	for _, box := range v.Cashboxes {
		unwanted = append(unwanted, box.Secret, strings.TrimPrefix(box.WebhookSecret, "whsec_"), box.KeyID)
	}
	for _, user := range v.Users {
		unwanted = append(unwanted, user.Token, user.Password)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range unwanted {
		testenv.Check(t, text != "" && !strings.Contains(c.whole.String(), text), "a span holds %q", text)
	}
	testenv.Check(t, len(c.keys) != 0 && !slices.Contains(c.keys, ""), "the collector was not told its key")
}

// A collector that cannot be reached costs calls nothing and the log one line,
// and does not hold up the end.
func TestCollectorAway(t *testing.T) {
	t.Parallel()
	plan := fresh(t)
	plan.variables = map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + freeAddr() + "/key-in-the-path", "OTEL_BSP_SCHEDULE_DELAY": "50",
		"OTEL_EXPORTER_OTLP_TIMEOUT": "500",
	}
	v := plan.start(t)
	const line = "traces cannot be sent to the collector"
	testenv.Until(t, "the collector is missed", func() bool {
		v.create(t, v.first(), nil)
		return strings.Contains(v.stderr.String(), line)
	})
	for range 20 {
		v.create(t, v.first(), nil)
		time.Sleep(20 * time.Millisecond) // another export each time
	}
	noError(t, v.stop())
	testenv.Want(t, strings.Count(v.stderr.String(), line), 1, "lines")
	testenv.Check(t, !strings.Contains(v.stderr.String(), "key-in-the-path"), "the log has the collector's path")
}

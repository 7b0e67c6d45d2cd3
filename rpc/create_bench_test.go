package rpc_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/prototext"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/rest"
	"gateway.example/rpc/sign"
)

// BenchmarkCreate is a signed creation through everything between net/http's
// connection and the service: log, metrics, door, limits and codec.
func BenchmarkCreate(b *testing.B) {
	d := dbtest.New(b)
	m := d.NewMerchant(b, dbtest.MerchantOpts{})
	handler := createHandler(b, d)
	raw := createRequest(m)
	reader := bytes.NewReader(raw)
	in := bufio.NewReader(reader)
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(raw)
		in.Reset(reader)
		r, err := http.ReadRequest(in)
		if err != nil {
			b.Fatal(err)
		}
		r.RemoteAddr = "203.0.113.7:4711"
		clear(w.header)
		handler.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			b.Fatal(w.status)
		}
	}
}

func createHandler(b *testing.B, d *dbtest.DB) http.Handler {
	b.Helper()
	keys := auth.NewKeys(d.Pool, nil, auth.DefaultHeaders(), auth.Config{Secret: applicationSecret})
	limits := limit.New(d.Pool)
	testenv.Must(d.Pool.Exec(b.Context(), "update rate_limit set calls = 1000000000, per_seconds = 1 where name = 'key'"))(b)
	testenv.NoError(b, limits.Load(b.Context()))
	payment := &gatewayv1.Payment{}
	testenv.NoError(b, prototext.Unmarshal(testenv.Must(os.ReadFile("rest/testdata/payment.textproto"))(b), payment))
	services := servicesWith(made{payment: payment}, portalv1connect.UnimplementedAuthServiceHandler{})
	door := testenv.Must(rpc.NewDoor(keys, nil, limits, services))(b)
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	return edge.NewObserver(log, prometheus.NewRegistry(), keys.LoggableID, nil).Observe(rest.New(services, door.Guard))
}

func createRequest(m dbtest.Merchant) []byte {
	body := []byte(`{"orderId":"bench-000000000001","amount":"1500.00","currency":"RUB","method":"sbp",` +
		`"callbackUri":"http://127.0.0.1:4711/hook","description":"Order of the bench","payer":{"userId":"user-bench-000000000001",` +
		`"userIp":"203.0.113.7","fullName":"Ivan Petrov","type":"trusted","payments":{"successful":3,"expired":0}}}`)
	return fmt.Appendf(nil, "POST /api/v1/payments HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"X-Merchant-Key-Id: %s\r\nX-Merchant-Secret: %s\r\nSignature: %s\r\n\r\n%s",
		len(body), m.KeyID, m.Secret, sign.Signature(m.Secret, body), body)
}

// sink is where an answer goes.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }

// made answers every creation with the same payment.
type made struct {
	gatewayv1connect.UnimplementedPaymentServiceHandler
	payment *gatewayv1.Payment
}

func (m made) CreatePayment(
	context.Context, *gatewayv1.CreatePaymentRequest,
) (*gatewayv1.CreatePaymentResponse, error) {
	return &gatewayv1.CreatePaymentResponse{Message: "Payment created", Data: m.payment}, nil
}

package rpc_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/rest"
	"gateway.example/rpc/sign"
)

// BenchmarkCreate is a signed creation through everything between net/http's connection and the
// service: log, metrics, door, limits and codec.
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
	_, err := d.Pool.Exec(b.Context(), "update rate_limit set calls = 1000000000, per_seconds = 1 where name = 'key'")
	noError(b, err)
	noError(b, limits.Load(b.Context()))
	services := servicesWith(made{}, portalv1connect.UnimplementedAuthServiceHandler{})
	door, err := rpc.NewDoor(keys, nil, limits, services)
	noError(b, err)
	routes := rest.New(rest.Services{
		Payment: services.Payment, Payin: services.Payin, Deposit: services.Deposit, Cashbox: services.Cashbox,
		Checkout: services.Checkout, Events: services.Events, Messages: services.Messages,
		Operator: services.Operator, Credential: services.Credential,
	}, door.Guard)
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	return edge.NewObserver(log, prometheus.NewRegistry(), keys.LoggableID, nil).Observe(routes)
}

func createRequest(m dbtest.Merchant) []byte {
	body := []byte(`{"orderId":"bench-000000000001","amount":"1500.00","currency":"RUB","method":"sbp",` +
		`"callbackUri":"http://127.0.0.1:4711/hook","description":"Order of the bench","payer":{"userId":"user-bench-000000000001",` +
		`"userIp":"203.0.113.7","fullName":"Ivan Petrov","type":"trusted","payments":{"successful":3,"expired":0}}}`)
	return fmt.Appendf(
		nil,
		"POST /api/v1/payments HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
			"X-Merchant-Key-Id: %s\r\nX-Merchant-Secret: %s\r\nSignature: %s\r\n\r\n%s",
		len(body),
		m.KeyID,
		m.Secret,
		sign.Signature(m.Secret, body),
		body,
	)
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
}

func (made) CreatePayment(
	context.Context, *connect.Request[gatewayv1.CreatePaymentRequest],
) (*connect.Response[gatewayv1.CreatePaymentResponse], error) {
	at := timestamppb.New(time.Date(2026, 11, 20, 21, 59, 3, 0, time.UTC))
	text := func(s string) *string { return &s }
	return connect.NewResponse(&gatewayv1.CreatePaymentResponse{Message: "Payment created", Data: &gatewayv1.Payment{
		Id:          42,
		Uuid:        "0198f2c1-7d30-7a51-9c6e-3f1f6a1b2c3d",
		OrderId:     "bench-000000000001",
		Description: text("Order of the bench"),
		Status:      "pending",
		Amount:      "1500.00",
		Currency:    "RUB",
		Method:      "sbp",
		ExpiresAt:   at,
		Requisite: &gatewayv1.Requisite{
			Type:   "sbp",
			Method: "sbp",
			Value:  "+79990001122",
			Holder: text("Ivan P."),
			Bank:   text("Sample Bank"),
		},
		PaymentPageUrl: text("http://127.0.0.1:8081/r/AZjywX0welGcbj8fahssPWdQb3Jyb3QgdGhlIGxhenk"),
		Extra: &gatewayv1.Extra{
			FiatPerUsdt:    text("90.00"),
			MarginPercent:  text("4.5"),
			Rate:           text("16.26016260"),
			CryptoCurrency: text("USDT"),
		},
		Ledger: &gatewayv1.Ledger{
			RequisitePhone:          text("+79990001122"),
			RequisiteFullName:       text("Ivan P."),
			Bank:                    text("Sample Bank"),
			TransferMethod:          text("sbp"),
			AmountUsdt:              text("16.26016260"),
			ProfitUsdt:              text("0.40650406"),
			SpreadTraderUsdt:        text("0.16666666"),
			SpreadPlatformUsdt:      text("0.23983740"),
			BaseRateRubPerUsdt:      text("90.00"),
			SellerRateMarkupPercent: text("4.5"),
		},
		CreatedAt:       at,
		StatusUpdatedAt: at,
	}}), nil
}

package webhook_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/rpc/webhook"
)

// An endpoint that verifies webhooks, and delivers what was paid whole. It
// answers with 200 also to types of events that it does not know.
func Example() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // of the cashbox; here one that everybody knows
	orders := map[string]string{"order-1": "1500.00"}

	endpoint := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		event, err := webhook.Verify(r.Header, body, secret)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if event.Type != webhook.TypePaymentStatusUpdated || event.Data.Status != "COMPLETED" {
			return
		}
		came := event.Data.Amount // what was asked for
		if event.Meta.ReceivedAmount != nil {
			came = *event.Meta.ReceivedAmount
		}
		if came != orders[event.Data.OrderID] { // have a person look at it
			fmt.Println("hold", event.Data.OrderID)
			return
		}
		fmt.Println("deliver", event.Data.OrderID)
	}

	const body = `{"type":"payment.status.updated","eventId":"1","createdAt":"2026-11-20T12:05:00.123Z",
		"data":{"uuid":"2","orderId":"order-1","status":"COMPLETED","amount":"1500.00","currency":"RUB"}}`
	less := strings.Replace(body, `"RUB"}`, `"RUB"},"meta":{"receivedAmount":"15.00"}`, 1)
	for sent, signed := range map[string]string{body: body, less: less, body + " ": body} {
		request := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(sent))
		sign(request.Header, secret, signed)
		answer := httptest.NewRecorder()
		endpoint(answer, request)
		fmt.Println(answer.Code)
	}
	// Unordered output:
	// deliver order-1
	// 200
	// hold order-1
	// 200
	// 400
}

// sign signs a webhook as the gateway does.
func sign(header http.Header, secret, body string) {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		panic(err)
	}
	now := time.Now()
	signature, err := signer.Sign("1", now, []byte(body))
	if err != nil {
		panic(err)
	}
	header.Set("webhook-id", "1")
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("webhook-signature", signature)
}

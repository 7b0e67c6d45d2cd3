package webhook

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
)

// secret, and a webhook signed with it: the example of the Standard Webhooks
// specification.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func specified() (http.Header, []byte, time.Time) {
	header := http.Header{}
	header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set("webhook-timestamp", "1614265330")
	header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	return header, []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)
}

func sleepUntil(at time.Time) { time.Sleep(time.Until(at)) }

// The vectors that all clients share.
func TestVectors(t *testing.T) {
	t.Parallel()
	content := testenv.Must(os.ReadFile("../sign/testdata/vectors.json"))(t)
	var vectors struct {
		Webhooks []struct {
			Name, ID, Timestamp, Body, Signature string
			Secrets                              []string
			Now                                  int64
			Valid                                bool
		}
	}
	testenv.NoError(t, json.Unmarshal(content, &vectors))
	testenv.Need(t, len(vectors.Webhooks) != 0, "no vectors")
	for _, v := range vectors.Webhooks {
		synctest.Test(t, func(t *testing.T) {
			sleepUntil(time.Unix(v.Now, 0))
			header := http.Header{}
			header.Set("webhook-id", v.ID)
			header.Set("webhook-timestamp", v.Timestamp)
			header.Set("webhook-signature", v.Signature)
			_, err := Verify(header, []byte(v.Body), v.Secrets...)
			testenv.Check(t, (err == nil) == v.Valid, "%s: %v; want valid: %t", v.Name, err, v.Valid)
		})
	}
}

// Why a webhook is not believed.
func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another secret"))
	for name, test := range map[string]struct {
		change  func(http.Header)
		secrets []string
		want    error
	}{
		"as it was":       {secrets: []string{secret}},
		"another secret":  {secrets: []string{other}, want: ErrSignature},
		"no secret":       {want: ErrSecret},
		"not base64":      {secrets: []string{secret, "whsec_%"}, want: ErrSecret},
		"an empty secret": {secrets: []string{"whsec_"}, want: ErrSecret},
		"no time":         {change: set("webhook-timestamp", "now"), secrets: []string{secret}, want: ErrTimestamp},
		"no signature":    {change: set("webhook-signature", ""), secrets: []string{secret}, want: ErrHeader},
	} {
		synctest.Test(t, func(t *testing.T) {
			header, body, at := specified()
			sleepUntil(at)
			if test.change != nil {
				test.change(header)
			}
			_, err := Verify(header, body, test.secrets...)
			testenv.Check(t, errors.Is(err, test.want), "%s: %v; want %v", name, err, test.want)
		})
	}
}

func set(name, value string) func(http.Header) {
	return func(h http.Header) { h.Set(name, value) }
}

// signedNow signs a body as the gateway does, with another library.
func signedNow(t testing.TB, body []byte) http.Header {
	t.Helper()
	signer := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
	signature := testenv.Must(signer.Sign("event-1", time.Now(), body))(t)
	return http.Header{
		"Webhook-Id": {"event-1"}, "Webhook-Timestamp": {strconv.FormatInt(time.Now().Unix(), 10)},
		"Webhook-Signature": {signature},
	}
}

// The fields of events, as the contract has them.
func TestVerifyReads(t *testing.T) {
	t.Parallel()
	body := []byte(`{"type":"payment.status.updated","eventId":"e","createdAt":"2026-11-20T12:05:00.123Z",` +
		`"data":{"uuid":"u","orderId":"o","status":"COMPLETED","amount":"1500.00","currency":"RUB",` +
		`"payerRequisites":{"cardLast4":"4242"}},"meta":{"id":1,"previousStatus":"PENDING","reason":null,"sequence":2}}`)
	event, err := Verify(signedNow(t, body), body, secret)
	testenv.NoError(t, err)
	created := time.Date(2026, 11, 20, 12, 5, 0, 123e6, time.UTC)
	testenv.Check(t, event.Type == TypePaymentStatusUpdated && event.EventID == "e" && event.CreatedAt.Equal(created),
		"event %+v", event)
	data := event.Data
	testenv.Check(t, data.UUID == "u" && data.OrderID == "o" && data.Status == "COMPLETED" && data.Amount == "1500.00" &&
		data.Currency == "RUB" && data.PayerRequisites.CardLast4 == "4242", "data %+v", data)
	testenv.Check(t, event.Meta.PreviousStatus == "PENDING" && event.Meta.Reason == nil && event.Meta.Sequence == 2,
		"meta %+v", event.Meta)
	body = []byte(`{"type":"deposit.status.updated","data":{"id":31,"status":"CONFIRMED","transactionHash":null},"meta":{"id":"31"}}`)
	event, err = Verify(signedNow(t, body), body, secret)
	testenv.Check(t, err == nil && event.Data.ID == "31" && event.Data.Status == "CONFIRMED", "a deposit's: %+v, %v", event, err)
	body = []byte(`{"type":"payin.status.updated","data":{"id":"u","orderId":"o"}}`)
	event, err = Verify(signedNow(t, body), body, secret)
	testenv.Check(t, err == nil && event.Data.ID == "u" && event.Data.OrderID == "o", "a payout's: %+v, %v", event, err)
	_, err = Verify(signedNow(t, []byte("{")), []byte("{"), secret)
	testenv.Check(t, err != nil, "a body that is no JSON was read")
}

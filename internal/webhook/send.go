package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"code.dny.dev/ssrf"

	"gateway.example/internal/db"
	"gateway.example/internal/outbound"
	"gateway.example/internal/webhook/signing"
)

const (
	answerTimeout = 15 * time.Second
	answerKept    = 2 << 10
)

// sign adds the signatures with every secret that is valid now.
func (d *Deliverer) sign(header http.Header, at time.Time, event db.WebhookDeliveriesDueRow) error {
	secrets, err := d.secrets(event, d.clock.Now())
	if err != nil {
		return err
	}
	return signing.Sign(header, event.EventID.String(), at, event.Body, secrets)
}

// secrets are the cashbox's valid signing secrets, the newest first. An older
// one that cannot be decrypted is left out: receivers that already use the
// newest do not need it.
func (d *Deliverer) secrets(event db.WebhookDeliveriesDueRow, now time.Time) ([]string, error) {
	newest, err := d.vault.Open(event.WebhookSecret, signing.SecretPlace(event.CashboxID))
	if err != nil {
		return nil, err
	}
	secrets := []string{string(newest)}
	for i, sealed := range event.PreviousSecrets {
		if !event.PreviousUntil[i].After(now) {
			continue
		}
		if previous, err := d.vault.Open(sealed, signing.SecretPlace(event.CashboxID)); err == nil &&
			len(previous) > 0 {
			secrets = append(secrets, string(previous))
		}
	}
	return secrets, nil
}

// result is the result of one attempt.
type result struct {
	at       time.Time
	duration time.Duration
	// code is 0 if there was no answer; then problem says why.
	code    int
	answer  []byte
	problem string
	// unsigned is why the event could not be signed. Further attempts fail
	// too until an operator has repaired that.
	unsigned error
	// retryAfter is how long the endpoint asks to wait before the next
	// attempt.
	retryAfter time.Duration
}

// send makes one attempt, and puts whatever goes wrong into its result. It
// stores nothing. An event that cannot be signed is not sent. The signature has
// the real time, the result the gateway's.
func (d *Deliverer) send(ctx context.Context, event db.WebhookDeliveriesDueRow) result {
	began := time.Now()
	r := result{at: d.clock.Now()}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, event.URL, bytes.NewReader(event.Body))
	if err != nil {
		r.problem = "the request could not be made"
		return r
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gateway-webhook/1")
	if r.unsigned = d.sign(request.Header, began, event); r.unsigned != nil {
		r.problem = "the event could not be signed"
		return r
	}
	response, err := d.client.Do(request)
	if err != nil {
		r.problem = problem(err)
	} else {
		defer func() { _ = response.Body.Close() }()
		r.code, r.retryAfter = response.StatusCode, outbound.RetryAfter(response.Header, time.Now())
		r.answer, _ = io.ReadAll(io.LimitReader(response.Body, answerKept))
	}
	r.duration = time.Since(began)
	return r
}

// problem tells the merchant why there was no answer, without an address of the
// gateway's or anything about its inner network.
func problem(err error) string {
	var timeout net.Error
	var dns *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork):
		return "the address is not allowed"
	case errors.As(err, &dns):
		return "the host name could not be resolved"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no answer within %d s", answerTimeout/time.Second)
	case errors.As(err, &wrapped) && errors.Is(wrapped.Err, io.EOF):
		return "the connection was closed without an answer"
	default:
		return "the connection failed"
	}
}

func (r result) delivered() bool { return r.code >= 200 && r.code < 300 }

//rule:which answers end a webhook
func (r result) status(last bool) string {
	switch {
	case r.delivered():
		return statusDelivered
	case r.code == http.StatusGone, r.unsigned != nil, last:
		return statusDead
	default:
		return statusPending
	}
}

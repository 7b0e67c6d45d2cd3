package webhook

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

func TestDeliver(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, func(w http.ResponseWriter, _ int) {
		time.Sleep(20 * time.Millisecond)
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("thanks"))
	})
	id := b.add(t, r.URL+"/hook?shop=1")
	attempt := b.await(t, id, 1)[0]

	got := r.All()[0]
	testenv.Check(t, got.Method == http.MethodPost && string(got.Body) == sampleBody &&
		got.Header.Get("Content-Type") == "application/json", "%s %s %s", got.Method, got.Header.Get("Content-Type"),
		got.Body)
	testenv.Want(t, got.Header.Get("webhook-id"), id.String(), "webhook-id")
	// Verify also refuses a webhook-timestamp off the wall clock; the
	// test's clock is ten years away.
	verifies(t, b.secret, got)
	plain := testenv.Must(signing.Signature(b.secret, got.Body))(t)
	testenv.Want(t, got.Header.Get("Signature"), plain, "Signature")
	testenv.Check(t, attempt.StatusCode != nil && *attempt.StatusCode == http.StatusAccepted && attempt.Error == nil &&
		string(attempt.Answer) == "thanks", "kept %+v", attempt)
	testenv.Check(t, attempt.At.Equal(b.clock.Now()) && attempt.DurationMs >= 20 && attempt.DurationMs <= 15_000,
		"at %s, took %d ms", attempt.At, attempt.DurationMs)
	testenv.Want(t, b.status(t, id), statusDelivered, "the event is")
}

func verifies(t *testing.T, secret string, got testenv.Sent) {
	t.Helper()
	verifier := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
	testenv.NoError(t, verifier.Verify(got.Body, got.Header))
}

// An event and its delivery exist exactly if the transaction of the change
// commits.
func TestOutboxRollsBack(t *testing.T) {
	b := setup(t)
	broken := errors.New("broken")
	event := b.event(b.merchant, "https://example.com/")
	err := db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		testenv.NoError(t, db.Run(t.Context(), q, event.Insert()...))
		return broken
	})
	testenv.Need(t, errors.Is(err, broken), "%v", err)
	b.relayAll(t)
	rows := b.Count(t, `select (select count(*) from webhook_event) + (select count(*) from webhook_delivery)`)
	testenv.Want(t, rows, 0, "rows are left")
}

// A process that lost its lease on the way may make a delivery that another has
// made: both attempts are kept, and the first one to be written down decides.
func TestTwiceAtOnce(t *testing.T) {
	b := setup(t)
	r, asked, answer := twoAtOnce(t)
	id := b.add(t, r.URL)
	<-asked
	b.Exec(t, "update webhook_endpoint set leased_until = now(), due_at = now(), holder = null")
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
	<-asked
	answer[1] <- http.StatusOK
	b.await(t, id, 1)
	answer[0] <- http.StatusInternalServerError
	b.await(t, id, 2)
	_, _, queued := b.queued(t, id)
	testenv.Check(t, !queued && b.status(t, id) == statusDelivered, "the event is %s, queued %t", b.status(t, id), queued)
}

// What cannot be signed is given up at once, where it can be seen: among the
// dead, with an attempt that says why, and counted. Once the secret is right,
// it can be sent again.
func TestUnsignableIsDead(t *testing.T) {
	t.Parallel()
	for name, sealed := range map[string]func(*bundle) []byte{
		"not sealed by us": func(*bundle) []byte { return []byte("not sealed by us") },
		"no secret":        func(*bundle) []byte { return []byte{} },
		"not a secret":     func(b *bundle) []byte { return b.seal("%%% no base64 %%%") },
		"another vault key's": func(b *bundle) []byte {
			other := testenv.Must(vault.New(bytes.Repeat([]byte{9}, vault.KeySize)))(t)
			return other.Seal([]byte(b.secret), signing.SecretPlace(b.merchant.CashboxID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			r := newReceiver(t, codes(http.StatusOK))
			b.setSecret(t, sealed(b))
			id := b.add(t, r.URL)
			attempt := b.await(t, id, 1)[0]
			testenv.Check(t, attempt.Error != nil && *attempt.Error == "the event could not be signed" &&
				attempt.StatusCode == nil && b.status(t, id) == statusDead, "%s, attempt %+v", b.status(t, id), attempt)
			_, _, queued := b.queued(t, id)
			testenv.Check(t, !queued, "it is queued still")
			testenv.Until(t, "it is counted, which comes after it is kept", func() bool {
				return b.metric(t, "gateway_webhook_attempts_total dead") == 1
			})
			dead, err := b.Queries().
				WebhookEventDead(t.Context(), db.WebhookEventDeadParams{BeforeNumber: 1 << 60, Page: 10})
			testenv.Check(t, err == nil && len(dead) == 1, "%d dead, %v", len(dead), err)
			testenv.Want(t, len(r.All()), 0, "it was sent unsigned")
			b.setSecret(t, b.seal(b.secret))
			b.again(t, id)
			b.await(t, id, 2)
			verifies(t, b.secret, r.All()[0])
		})
	}
}

// seal seals a text as the secret of the bundle's cashbox.
func (b *bundle) seal(text string) []byte {
	return b.vault.Seal([]byte(text), signing.SecretPlace(b.merchant.CashboxID))
}

// setSecret has the bundle's cashbox sign by what is sealed.
func (b *bundle) setSecret(t *testing.T, sealed []byte) {
	t.Helper()
	testenv.NoError(t, b.Queries().CashboxSetWebhookSecret(t.Context(), db.CashboxSetWebhookSecretParams{
		ID: b.merchant.CashboxID, WebhookSecret: sealed,
	}))
}

// An endpoint gets one place, and more with each answer; while it does not
// answer, it keeps what it has, and nobody waits for it.
func TestSlowEndpointDelaysNobody(t *testing.T) {
	b := setup(t)
	release := make(chan struct{})
	const before = 30
	slow := newReceiver(t, func(_ http.ResponseWriter, nth int) {
		if nth > before {
			<-release
		}
	})
	quick := newReceiver(t, codes(http.StatusOK))
	b.flood(t, b.merchant, slow.URL, before+2*perEndpoint)
	testenv.Until(t, "the slow endpoint has all its places in use",
		func() bool { return len(slow.All()) == before+perEndpoint })
	for range 3 {
		b.await(t, b.add(t, quick.URL), 1)
	}
	testenv.Want(t, len(slow.All()), before+perEndpoint, "were sent")
	close(release)
	testenv.Until(t, "the slow endpoint has everything", func() bool { return len(slow.All()) == before+2*perEndpoint })
}

// rotate makes a new secret as the merchant would, and returns the one before.
func (b *bundle) rotate(t *testing.T) (old string, until time.Time) {
	t.Helper()
	old = b.secret
	var err error
	b.secret, until, err = b.events.RotateSecret(t.Context(), b.merchant.User(caller.Owner), b.merchant.CashboxID)
	testenv.NoError(t, err)
	return old, until
}

// Only its own merchant gives a cashbox another secret.
func TestRotateOfAnother(t *testing.T) {
	b := quiet(t)
	stranger := b.newMerchant(t).User(caller.Owner)
	_, _, err := b.events.RotateSecret(t.Context(), stranger, b.merchant.CashboxID)
	dbtest.WantCode(t, err, "cashbox_access_denied")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_secret_previous"), 0, "secrets are replaced")
}

func refuses(t *testing.T, secret string, got testenv.Sent) {
	t.Helper()
	verifier := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
	testenv.Check(t, verifier.Verify(got.Body, got.Header) != nil, "a secret signs that no longer should")
}

// signatures counts those of the Standard Webhooks.
func signatures(got testenv.Sent) int {
	return len(strings.Fields(got.Header.Get(standardwebhooks.HeaderWebhookSignature)))
}

// For 24 hours after a rotation both secrets sign, so that receivers can change
// over; Signature is under the newest.
func TestRotation(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	old, until := b.rotate(t)
	testenv.Check(t, old != b.secret && strings.HasPrefix(b.secret, "whsec_"),
		"the new secret is %s, after %s", b.secret, old)
	testenv.Check(t, until.Equal(b.clock.Now().Add(24*time.Hour)), "the old one signs until %s", until)
	during := b.sent(t, r)
	verifies(t, b.secret, during)
	verifies(t, old, during)
	plain, _ := signing.Signature(b.secret, during.Body)
	testenv.Check(t, during.Header.Get("Signature") == plain && signatures(during) == 2,
		"%d signatures, Signature %s", signatures(during), during.Header.Get("Signature"))

	b.clock.Advance(24*time.Hour - time.Millisecond)
	verifies(t, old, b.sent(t, r))
	b.clock.Advance(time.Millisecond)
	after := b.sent(t, r)
	verifies(t, b.secret, after)
	refuses(t, old, after)
	testenv.Want(t, signatures(after), 1, "signatures")
}

// Whoever rotates again, say because an answer was lost, still verifies with
// what was in use before: every secret signs for 24 hours after it was
// replaced, and then no more.
func TestRotatedAgain(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	first, _ := b.rotate(t)
	b.clock.Advance(23 * time.Hour)
	second, _ := b.rotate(t)
	got := b.sent(t, r)
	for _, secret := range []string{b.secret, second, first} {
		verifies(t, secret, got)
	}
	b.clock.Advance(time.Hour)
	got = b.sent(t, r)
	verifies(t, b.secret, got)
	verifies(t, second, got)
	refuses(t, first, got)
}

// What was read before a rotation is not sent with the secret of before for
// long, however slowly the endpoint takes it.
func TestRotationIsNoticed(t *testing.T) {
	b := setup(t)
	const count = 5
	answer := make(chan struct{}, count)
	r := newReceiver(t, func(http.ResponseWriter, int) { <-answer })
	b.flood(t, b.merchant, r.URL, count)
	testenv.Until(t, "the first is sent", func() bool { return len(r.All()) == 1 })
	old, _ := b.rotate(t)
	time.Sleep(goodFor)
	for range count {
		answer <- struct{}{}
	}
	testenv.Until(t, "all are sent", func() bool { return len(r.All()) == count })
	for n, got := range r.All() {
		if n == 0 {
			verifies(t, old, got)
			continue
		}
		verifies(t, b.secret, got)
	}
}

// The signatures of an event are bounded, and so are rotations: which are
// possible again when the oldest has ended.
func TestRotatedTooOften(t *testing.T) {
	b := setup(t)
	for range maxPrevious {
		b.rotate(t)
		b.clock.Advance(time.Minute)
	}
	_, _, err := b.events.RotateSecret(t.Context(), b.merchant.User(caller.Owner), b.merchant.CashboxID)
	refused := fault.As(err)
	testenv.Need(t, refused != nil && refused.Code == "rate_limited" && refused.RetryAfter == 24*time.Hour-maxPrevious*time.Minute,
		"%v", err)
	b.clock.Advance(refused.RetryAfter)
	b.rotate(t)
	got := b.sent(t, newReceiver(t, codes(http.StatusOK)))
	verifies(t, b.secret, got)
	testenv.Want(t, signatures(got), maxPrevious+1, "signatures")
}

// A cashbox without a secret, or with one that no longer opens, is made whole
// by a rotation: the new secret signs alone.
func TestRotationWithoutASecretBefore(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(b *bundle) []byte{
		"none":       func(*bundle) []byte { return []byte{} },
		"unreadable": func(*bundle) []byte { return []byte("not sealed by us") },
		"empty":      func(b *bundle) []byte { return b.seal("") }, // by which anybody could sign
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.setSecret(t, before(b))
			b.rotate(t)
			r := newReceiver(t, codes(http.StatusOK))
			got := b.sent(t, r)
			verifies(t, b.secret, got)
			testenv.Want(t, signatures(got), 1, "signatures")
			second, _ := b.rotate(t)
			got = b.sent(t, r)
			verifies(t, second, got)
			verifies(t, b.secret, got)
		})
	}
}

// The secret itself is nowhere but in the answer.
func TestSecretIsSealed(t *testing.T) {
	b := setup(t)
	b.rotate(t)
	kept := b.Text(t, "select to_jsonb(c)::text || encode(webhook_secret, 'escape') from cashbox c where id = $1",
		b.merchant.CashboxID)
	testenv.Check(t, !strings.Contains(kept, strings.TrimPrefix(b.secret, "whsec_")), "the secret can be read")
}

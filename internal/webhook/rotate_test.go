package webhook

import (
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook/signing"
)

// rotate makes a new secret as the merchant would, and returns the one before.
func (b *bundle) rotate(t *testing.T) (old string, until time.Time) {
	t.Helper()
	old = b.secret
	var err error
	b.secret, until, err = b.events.RotateSecret(t.Context(), portal(b.merchant.ID), b.merchant.CashboxID)
	noError(t, err)
	return old, until
}

func refuses(t *testing.T, secret string, got received) {
	t.Helper()
	verifier := must(standardwebhooks.NewWebhook(secret))(t)
	if verifier.Verify(got.body, got.header) == nil {
		t.Error("a secret signs that no longer should")
	}
}

// signatures counts those of the Standard Webhooks.
func signatures(got received) int {
	return len(strings.Fields(got.header.Get(standardwebhooks.HeaderWebhookSignature)))
}

// For 24 hours after a rotation both secrets sign, so that receivers can change over; Signature is under the newest.
func TestRotation(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	old, until := b.rotate(t)
	if old == b.secret || !strings.HasPrefix(b.secret, "whsec_") {
		t.Errorf("the new secret is %s, after %s", b.secret, old)
	}
	if !until.Equal(b.clock.Now().Add(24 * time.Hour)) {
		t.Errorf("the old one signs until %s", until)
	}
	deliver := func() received {
		b.await(t, b.add(t, r.URL), 1)
		got := r.all()
		return got[len(got)-1]
	}
	during := deliver()
	verifies(t, b.secret, during)
	verifies(t, old, during)
	if plain, _ := signing.Signature(b.secret, during.body); during.header.Get("Signature") != plain ||
		signatures(during) != 2 {
		t.Errorf("%d signatures, Signature %s", signatures(during), during.header.Get("Signature"))
	}

	b.clock.Advance(24*time.Hour - time.Millisecond)
	verifies(t, old, deliver())
	b.clock.Advance(time.Millisecond)
	after := deliver()
	verifies(t, b.secret, after)
	refuses(t, old, after)
	testenv.Want(t, signatures(after), 1, "signatures")
}

// Whoever rotates again, say because an answer was lost, still verifies with what was in use
// before: every secret signs for 24 hours after it was replaced, and then no more.
func TestRotatedAgain(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusOK))
	first, _ := b.rotate(t)
	b.clock.Advance(23 * time.Hour)
	second, _ := b.rotate(t)
	b.await(t, b.add(t, r.URL), 1)
	for _, secret := range []string{b.secret, second, first} {
		verifies(t, secret, r.all()[0])
	}
	b.clock.Advance(time.Hour)
	b.await(t, b.add(t, r.URL), 1)
	verifies(t, b.secret, r.all()[1])
	verifies(t, second, r.all()[1])
	refuses(t, first, r.all()[1])
}

// What was read before a rotation is not sent with the secret of before for long, however slowly the endpoint takes it.
func TestRotationIsNoticed(t *testing.T) {
	b := setup(t)
	const count = 5
	answer := make(chan struct{}, count)
	r := newReceiver(t, func(http.ResponseWriter, int) { <-answer })
	b.flood(t, b.merchant, r.URL, count)
	testenv.Until(t, "the first is sent", func() bool { return len(r.all()) == 1 })
	old, _ := b.rotate(t)
	time.Sleep(goodFor)
	for range count {
		answer <- struct{}{}
	}
	testenv.Until(t, "all are sent", func() bool { return len(r.all()) == count })
	for n, got := range r.all() {
		if n == 0 {
			verifies(t, old, got)
			continue
		}
		verifies(t, b.secret, got)
	}
}

// The signatures of an event are bounded, and so are rotations: which are possible again when the oldest has ended.
func TestRotatedTooOften(t *testing.T) {
	b := setup(t)
	for range maxPrevious {
		b.rotate(t)
		b.clock.Advance(time.Minute)
	}
	_, _, err := b.events.RotateSecret(t.Context(), portal(b.merchant.ID), b.merchant.CashboxID)
	refused := fault.As(err)
	if refused == nil || refused.Code != "rate_limited" || refused.RetryAfter != 24*time.Hour-maxPrevious*time.Minute {
		t.Fatalf("%v", err)
	}
	b.clock.Advance(refused.RetryAfter)
	b.rotate(t)
	r := newReceiver(t, codes(http.StatusOK))
	b.await(t, b.add(t, r.URL), 1)
	verifies(t, b.secret, r.all()[0])
	testenv.Want(t, signatures(r.all()[0]), maxPrevious+1, "signatures")
}

// A cashbox without a secret, or with one that no longer opens, is made whole by a rotation: the
// new secret signs alone.
func TestRotationWithoutASecretBefore(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(b *bundle) []byte{
		"none":       func(*bundle) []byte { return []byte{} },
		"unreadable": func(*bundle) []byte { return []byte("not sealed by us") },
		"empty":      func(b *bundle) []byte { return b.seal(t, "") }, // by which anybody could sign
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.setSecret(t, before(b))
			b.rotate(t)
			r := newReceiver(t, codes(http.StatusOK))
			b.await(t, b.add(t, r.URL), 1)
			verifies(t, b.secret, r.all()[0])
			testenv.Want(t, signatures(r.all()[0]), 1, "signatures")
			second, _ := b.rotate(t)
			b.await(t, b.add(t, r.URL), 1)
			verifies(t, second, r.all()[1])
			verifies(t, b.secret, r.all()[1])
		})
	}
}

// The secret itself is nowhere but in the answer.
func TestSecretIsSealed(t *testing.T) {
	b := setup(t)
	b.rotate(t)
	kept := b.Text(t, "select to_jsonb(c)::text || encode(webhook_secret, 'escape') from cashbox c where id = $1",
		b.merchant.CashboxID)
	if strings.Contains(kept, strings.TrimPrefix(b.secret, "whsec_")) {
		t.Error("the secret can be read")
	}
}

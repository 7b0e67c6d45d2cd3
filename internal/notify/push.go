package notify

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"code.dny.dev/ssrf"
	"github.com/SherClockHolmes/webpush-go"

	"gateway.example/internal/outbound"
)

// PushSender sends to browsers through their vendors' push services. Browsers
// name the service's address, so every address is checked as those of webhooks
// are.
type PushSender struct {
	client    *http.Client
	addresses *outbound.Addresses
	// PublicKey is the key with which browsers subscribe.
	PublicKey  string
	privateKey string
	contact    string
}

// NewPush makes the sender. The contact is an address of pages or of mail by
// which the push services find who runs the gateway.
func NewPush(publicKey, privateKey, contact string, addresses *outbound.Addresses) *PushSender {
	return &PushSender{addresses.Client(sendWithin), addresses, publicKey, privateKey, contact}
}

// PushKeys makes a pair of keys. Browsers' subscriptions are valid only for the
// keys they were made with.
func PushKeys() (public, private string, err error) {
	private, public, err = webpush.GenerateVAPIDKeys()
	return public, private, err
}

func (*PushSender) Channel() Channel { return Push }

// pushed is the JSON that the page's service worker reads.
type pushed struct {
	Title string `json:"title"`
	Path  string `json:"path"`
	Tag   string `json:"tag"`
	// Open is the number that the app's icon shows.
	Open *int64 `json:"open,omitempty"`
}

func (s *PushSender) Send(ctx context.Context, address string, m Message) error {
	var subscription webpush.Subscription
	if err := json.Unmarshal([]byte(address), &subscription); err != nil {
		return &Refusal{Why: addressWrong, Gone: true}
	}
	body, err := json.Marshal(pushed{Title: m.Text, Path: m.Path, Tag: string(m.Kind), Open: m.Open})
	if err != nil {
		return err
	}
	about, _ := AboutOf(m.Kind)
	answer, err := webpush.SendNotificationWithContext(ctx, body, &subscription, &webpush.Options{
		HTTPClient: s.client, Subscriber: s.contact, TTL: int(about.Lasts.Seconds()), Urgency: webpush.UrgencyHigh,
		VAPIDPublicKey: s.PublicKey, VAPIDPrivateKey: s.privateKey,
	})
	if errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) {
		return &Refusal{Why: pushNotAllowed, Gone: true}
	}
	if err != nil {
		return &Refusal{Why: pushSilent}
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<10))
	return answered(answer)
}

// answered says why the browser's service has not taken a message; nil if it
// has.
func answered(answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusNotFound || code == http.StatusGone:
		return &Refusal{Why: pushEnded, Gone: true}
	case code == http.StatusForbidden: // by RFC 8292 the subscription was made with another key, and stays so
		return &Refusal{Why: pushOtherKey, Gone: true}
	default:
		return &Refusal{Why: pushRefused, After: outbound.RetryAfter(answer.Header, time.Now())}
	}
}

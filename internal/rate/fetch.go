package rate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"code.dny.dev/ssrf"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
	"gateway.example/internal/strictjson"
)

const (
	// maxAnswer is how many bytes of an answer are read, after
	// decompression.
	maxAnswer = 1 << 20
	// maxLiteral is the longest accepted number. It is rounded to 8
	// decimals.
	maxLiteral   = 64
	maxRedirects = 3
	maxIdle      = 16
)

// refusal is why a poll brought no rate.
type refusal struct {
	// result is the metric's label.
	result string
	// text is for the operator. It quotes neither the address, whose query
	// may contain a key, nor anything of the answer except a number:
	// otherwise a feed could be used to read what else the gateway can
	// reach.
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(result, format string, args ...any) error {
	return &refusal{result: result, text: fmt.Sprintf(format, args...)}
}

var errRedirect = errors.New("redirects too often, or to another host")

// Addresses decides which addresses feeds may have, as outbound.Addresses does.
type Addresses interface {
	// Check says what is wrong with an address, or "".
	Check(address string) string
	// Dial connects, if the IP address that is really dialled is allowed.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

// newClient makes the client that polls. It uses no proxy, because a proxy
// would connect in its place. It follows redirects only on the same host and
// scheme, because otherwise the feed's owner would choose which address is
// called.
func newClient(addresses Addresses) *http.Client {
	return &http.Client{
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme || len(via) > maxRedirects {
				return errRedirect
			}
			return nil
		},
		Transport: outbound.Transport(&http.Transport{
			DialContext:            addresses.Dial,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           maxIdle,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 16 << 10,
		}),
	}
}

// fetch asks a feed for its value, within the feed's timeout. The error is a
// *refusal.
func (p *Poller) fetch(ctx context.Context, feed db.RateFeed) (decimal.Decimal, error) {
	// Another configuration may have allowed this address when it was set.
	if wrong := p.addresses.Check(feed.URL); wrong != "" {
		return decimal.Zero, refuse(resultUnreachable, "the address %s", wrong)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(feed.TimeoutMs)*time.Millisecond)
	defer cancel()
	document, err := get(ctx, p.client, feed.URL)
	if err != nil && ctx.Err() != nil {
		return decimal.Zero, refuse(resultUnreachable, "did not answer within %d ms", feed.TimeoutMs)
	}
	if err != nil {
		return decimal.Zero, err
	}
	return read(document, feed.Pointer)
}

// get fetches a document of at most maxAnswer bytes. Its errors are *refusal,
// in words for operators. Only the status 200 is an answer. How long it may
// take, the context says.
func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, refuse(resultUnreachable, "the address is not valid")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "gateway")
	response, err := client.Do(request)
	if err != nil {
		return nil, refuse(resultUnreachable, "%s", unreachable(err))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, refuse(resultUnreachable, "answered with status %d", response.StatusCode)
	}
	document, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, refuse(resultUnreachable, "broke off in the middle of its answer")
	case len(document) > maxAnswer:
		return nil, refuse(resultInvalid, "the answer is larger than %d bytes", maxAnswer)
	}
	return document, nil
}

// unreachable describes a network error without the addresses that its text
// would quote.
func unreachable(err error) string {
	var (
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
		operation   *net.OpError
	)
	switch {
	case errors.Is(err, errRedirect):
		return errRedirect.Error()
	case errors.As(err, &lookup):
		return "the host's name is not known"
	case errors.As(err, &certificate):
		return "the host's certificate is not trusted"
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return "the host's address is not public"
	case errors.As(err, &operation):
		return "no connection: " + operation.Err.Error()
	}
	return "gave no answer"
}

// read extracts the value from an answer.
func read(document []byte, pointer string) (decimal.Decimal, error) {
	v, err := strictjson.Parse(document)
	if err != nil {
		return decimal.Zero, refuse(resultInvalid, "the answer is not JSON: %s", err)
	}
	v, ok := lookup(v, pointer)
	if !ok {
		return decimal.Zero, refuse(resultInvalid, "the answer has nothing at the pointer")
	}
	if v.Kind != strictjson.Number && v.Kind != strictjson.String || v.Flaw != "" {
		return decimal.Zero, refuse(resultInvalid, "what is at the pointer is neither a number nor a string")
	}
	if len(v.Text) > maxLiteral {
		return decimal.Zero, refuse(resultInvalid, "the value is longer than %d characters", maxLiteral)
	}
	value, err := money.Parse(v.Text, maxLiteral)
	if err != nil {
		return decimal.Zero, refuse(resultInvalid, "the value %s", err)
	}
	if value = value.Round(money.USDTDecimals); value.LessThan(minFiat) || value.GreaterThan(maxFiat) {
		return decimal.Zero, refuse(resultInvalid, "the value is not between %s and %s", minFiat, maxFiat)
	}
	return value, nil
}

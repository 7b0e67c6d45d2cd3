package acquirer

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"code.dny.dev/ssrf"
	"github.com/google/uuid"

	"gateway.example/internal/card"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
	"gateway.example/internal/tracing"
)

// HTTP calls a trader's processor as the package comment describes.
type HTTP struct {
	client        *http.Client
	url           string
	keyID, secret string
}

var _ Acquirer = (*HTTP)(nil)

// Headers of the calls.
const (
	headerKey       = "X-Acquirer-Key"
	headerTimestamp = "X-Acquirer-Timestamp"
	headerSignature = "X-Acquirer-Signature"
)

const (
	maxAnswer = 64 << 10
	// firstPause is how long is waited before a call is made again; each
	// later one is twice as long.
	firstPause = 200 * time.Millisecond
)

// newClient makes a client that follows no redirect, which would hand the card
// to somebody else. An operator names the address, so the one that is dialled
// is judged again.
func newClient(addresses *outbound.Addresses) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: outbound.Transport(&http.Transport{
			DialContext:            addresses.Dial,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    16,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 16 << 10,
		}),
	}
}

type requestBody struct {
	AttemptID uuid.UUID `json:"attemptId"`
	Amount    string    `json:"amount,omitempty"`
	Currency  string    `json:"currency,omitempty"`
	Card      *cardBody `json:"card,omitempty"`
	Number    int32     `json:"number,omitempty"`
	Code      string    `json:"code,omitempty"`
}

type cardBody struct {
	PAN      string  `json:"pan"`
	ExpMonth string  `json:"expMonth"`
	ExpYear  string  `json:"expYear"`
	CVV      string  `json:"cvv"`
	Holder   *string `json:"holder,omitempty"`
}

type answerBody struct {
	AttemptID uuid.UUID `json:"attemptId"`
	State     State     `json:"state"`
	Reason    string    `json:"reason"`
	Codes     int32     `json:"codes"`
}

// Authorize implements Acquirer.
func (h *HTTP) Authorize(ctx context.Context, a Attempt, c card.Card, cvv CVV) (Answer, error) {
	return h.call(ctx, "authorize", requestBody{
		AttemptID: a.ID, Amount: money.Fiat(a.Amount), Currency: a.Currency,
		Card: &cardBody{
			PAN:      c.PAN.Digits(),
			ExpMonth: fmt.Sprintf("%02d", c.Expiry.Month()),
			ExpYear:  strconv.Itoa(c.Expiry.Year()),
			CVV:      cvv.reveal(),
			Holder:   c.Holder,
		},
	})
}

// SubmitCode implements Acquirer.
func (h *HTTP) SubmitCode(ctx context.Context, id uuid.UUID, number int32, code Code) (Answer, error) {
	return h.call(ctx, "code", requestBody{AttemptID: id, Number: number, Code: code.reveal()})
}

// ResendCode implements Acquirer.
func (h *HTTP) ResendCode(ctx context.Context, id uuid.UUID, number int32) (Answer, error) {
	return h.call(ctx, "resend", requestBody{AttemptID: id, Number: number})
}

// Result implements Acquirer.
func (h *HTTP) Result(ctx context.Context, id uuid.UUID) (Answer, error) {
	return h.call(ctx, "result", requestBody{AttemptID: id})
}

// Void implements Acquirer.
func (h *HTTP) Void(ctx context.Context, id uuid.UUID) (Answer, error) {
	return h.call(ctx, "void", requestBody{AttemptID: id})
}

// call repeats a call until it is answered or its time is over.
func (h *HTTP) call(ctx context.Context, name string, body requestBody) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	content, err := json.Marshal(body)
	if err != nil {
		return Answer{}, errors.New("encode call")
	}
	for pause := firstPause; ; pause *= 2 {
		answer, err := h.once(ctx, name, body.AttemptID, content)
		if err == nil {
			return answer, nil
		}
		select {
		case <-ctx.Done():
			return Answer{}, err
		case <-time.After(pause):
		}
	}
}

// once makes a call once. Its errors contain neither the address nor any part
// of the bodies.
func (h *HTTP) once(ctx context.Context, name string, id uuid.UUID, content []byte) (_ Answer, err error) {
	ctx, span := tracing.Call(ctx, "acquirer "+name)
	defer func() {
		tracing.Failed(span, err != nil)
		span.End()
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/"+name, bytes.NewReader(content))
	if err != nil {
		return Answer{}, errors.New("the processor's address is not valid")
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	signature := h.sign(timestamp, name, string(content))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(headerKey, h.keyID)
	request.Header.Set(headerTimestamp, timestamp)
	request.Header.Set(headerSignature, signature)
	response, err := h.client.Do(request)
	if errors.Is(err, ssrf.ErrProhibitedIP) {
		return Answer{}, errors.New("the processor's address is not allowed")
	}
	if err != nil {
		return Answer{}, errors.New("the processor gave no answer")
	}
	defer func() { _ = response.Body.Close() }()
	span.SetAttributes(tracing.Status.Int(response.StatusCode))
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return Answer{}, errors.New("the processor broke off in its answer")
	}
	if response.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("the processor answered with status %d", response.StatusCode)
	}
	if !hmac.Equal([]byte(response.Header.Get(headerSignature)), []byte(h.sign(signature, string(answer)))) {
		return Answer{}, errors.New("the processor's answer is not signed as it should be")
	}
	return readAnswer(answer, id)
}

// sign is the signature of lines.
func (h *HTTP) sign(lines ...string) string {
	mac := hmac.New(sha256.New, []byte(h.secret))
	for i, line := range lines {
		if i > 0 {
			_, _ = mac.Write([]byte("\n"))
		}
		_, _ = mac.Write([]byte(line))
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// readAnswer reads an answer whose signature was checked. One with an unknown
// state, of another attempt or with a negative number of codes is an error,
// which leaves the result open: it never becomes a state. No error quotes the
// answer.
func readAnswer(content []byte, id uuid.UUID) (Answer, error) {
	var body answerBody
	if err := json.Unmarshal(content, &body); err != nil {
		return Answer{}, errors.New("the processor's answer is not what was agreed on")
	}
	switch body.State {
	case Unknown, Pending, CodeNeeded, Approved, Declined, Voided:
	default:
		return Answer{}, errors.New("the processor's answer has no state we know")
	}
	if body.AttemptID != id || body.Codes < 0 {
		return Answer{}, errors.New("the processor's answer is about something else")
	}
	return Answer{State: body.State, Reason: knownReason(body), Codes: body.Codes}, nil
}

func knownReason(body answerBody) string {
	switch {
	case body.State != Declined:
		return ""
	case body.Reason == InsufficientFunds, body.Reason == CardExpired, body.Reason == LimitExceeded:
		return body.Reason
	}
	return CardDeclined
}

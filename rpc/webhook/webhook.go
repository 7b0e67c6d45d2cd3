// Package webhook is the receiver's side of the gateway's webhooks: it verifies
// and reads them, for Go users. It imports nothing but the standard library.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the time of a webhook may be from the receiver's clock.
const Tolerance = 5 * time.Minute

// Why a webhook must not be believed. Answer it with 400.
var (
	ErrHeader    = errors.New("webhook: a header is missing")
	ErrTimestamp = errors.New("webhook: webhook-timestamp is not within five minutes of now")
	ErrSignature = errors.New("webhook: webhook-signature is by none of the secrets")
)

// ErrSecret is the receiver's mistake: a secret is not whsec_ and base64, or
// none was given.
var ErrSecret = errors.New("webhook: a secret must be whsec_ and base64")

// Types of events. Later versions may send others: answer those with 200. Of
// their data an Event has what fits.
const (
	TypePaymentStatusUpdated = "payment.status.updated"
	TypePayerClaimed         = "payment.payer.claimed"
	TypeCodeResend           = "payment.quasi_ecom.code_resend"
	TypePayinStatusUpdated   = "payin.status.updated"
	TypeDepositStatusUpdated = "deposit.status.updated"
	TypeWithdrawalUpdated    = "withdrawal.status.updated"
)

// known are the types that Data is made for.
var known = []string{
	TypePaymentStatusUpdated, TypePayerClaimed, TypeCodeResend, TypePayinStatusUpdated, TypeDepositStatusUpdated,
	TypeWithdrawalUpdated,
}

// Event is a webhook that the gateway signed.
type Event struct {
	Type string `json:"type"`
	// EventID is the same each time the event is sent.
	EventID   string    `json:"eventId"`
	CreatedAt time.Time `json:"createdAt"`
	Data      Data      `json:"data"`
	// Meta is not part of the stable contract: its fields may change.
	Meta Meta `json:"meta"`
}

// Data is about a payment, a payout, a deposit or a withdrawal. Fields that the
// type does not have are empty.
type Data struct {
	// UUID is the payment's; code_resend has it as ID.
	UUID string `json:"uuid"`
	// ID is the payout's, also a UUID; of a deposit or a withdrawal it is a
	// number.
	ID      string `json:"id"`
	OrderID string `json:"orderId"`
	// Status is in upper case, such as COMPLETED.
	Status string `json:"status"`
	// Amount is decimal, with two decimals.
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	// Method is the payout's.
	Method string `json:"method"`
	// FrozenUSDT is the payout's, with eight decimals.
	FrozenUSDT string `json:"frozenUsdt"`
	// PayerRequisites are nil until a card was entered.
	PayerRequisites *PayerRequisites `json:"payerRequisites"`
	// RequestedBy and QuasiEcom belong to code_resend.
	RequestedBy string     `json:"requestedBy"`
	QuasiEcom   *QuasiEcom `json:"quasiEcom"`
	// TransactionHash is that of a deposit's or withdrawal's transaction,
	// or "".
	TransactionHash string `json:"transactionHash"`
}

// UnmarshalJSON reads ids of both forms: those of deposits and withdrawals are
// numbers.
func (d *Data) UnmarshalJSON(text []byte) error {
	type plain Data
	read := struct {
		*plain
		ID json.RawMessage `json:"id"`
	}{plain: (*plain)(d)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if id := strings.Trim(string(read.ID), `"`); id != "null" {
		d.ID = id
	}
	return nil
}

// PayerRequisites describe the payer's card.
type PayerRequisites struct {
	CardLast4 string `json:"cardLast4"`
	// CardHolder is empty if none was given.
	CardHolder string `json:"cardHolder"`
}

// QuasiEcom is the state of a card payment after a code was asked for again.
type QuasiEcom struct {
	Phase            string    `json:"phase"`
	CodeResendCount  int       `json:"codeResendCount"`
	CodeResendMax    int       `json:"codeResendMax"`
	AttemptsLeft     int       `json:"attemptsLeft"`
	CodeResendLastBy string    `json:"codeResendLastBy"`
	CodeResendLastAt time.Time `json:"codeResendLastAt"`
}

// Meta is about the change that the event reports.
type Meta struct {
	PreviousStatus string `json:"previousStatus"`
	// Reason is nil if the change has none.
	Reason *string `json:"reason"`
	// Sequence counts the events of one payment or payout from 1 without
	// gaps.
	Sequence int `json:"sequence"`
	// ReceivedAmount is what came of a payment, where somebody said.
	ReceivedAmount *string `json:"receivedAmount"`
	// Late tells that a payment was completed after its time had run out.
	Late bool `json:"late"`
	// Case is how it stands with another amount that came of a payment:
	// open, taken, waiting, returned or ended; "" is no case.
	Case string `json:"case"`
	// ReturnOf is the payment whose money a payout returns, or 0.
	ReturnOf int64 `json:"returnOf"`
	// Metadata is what you noted; nil is nothing.
	Metadata map[string]string `json:"metadata"`
}

// Verify returns the event of a webhook that was signed with one of the secrets
// within the last five minutes. The body must be as it was received. Give both
// secrets while you change from one to the other. The same event may come more
// than once: remember its EventID.
func Verify(headers http.Header, body []byte, secrets ...string) (Event, error) {
	var event Event
	keys, err := decoded(secrets)
	if err != nil {
		return event, err
	}
	if err := verify(headers, body, keys); err != nil {
		return event, err
	}
	err = json.Unmarshal(body, &event)
	if err != nil && (event.Type == "" || slices.Contains(known, event.Type)) {
		return event, fmt.Errorf("webhook: read the body: %w", err)
	}
	return event, nil
}

// decoded are the keys of all secrets, which may have the prefix whsec_ or not.
// One that cannot be decoded makes the whole call fail, with an error that does
// not quote it.
func decoded(secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, ErrSecret
	}
	var keys [][]byte
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, ErrSecret // without the cause, which may quote the secret
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// verify checks that one of the signatures was made with one of the keys: while
// a secret is changed, events are signed with the old and the new one. The time
// is part of what is signed, and is checked so that nobody can send an old
// event again.
func verify(headers http.Header, body []byte, keys [][]byte) error {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	signatures := headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return ErrHeader
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > Tolerance {
		return ErrTimestamp
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for got := range strings.FieldsSeq(signatures) {
			if hmac.Equal([]byte(want), []byte(got)) {
				return nil
			}
		}
	}
	return ErrSignature
}

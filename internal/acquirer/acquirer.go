// Package acquirer calls the processors that charge cards. Checkout knows the
// interface alone; behind it are the sandbox's acquirer, with a book of its
// own, and traders' processors over HTTP.
//
// # Attempts
//
// An attempt is one try to charge one card, and bears an id of ours. Every call
// names it, and may come again: the answer is how the attempt stands, whichever
// call asks.
//
// # A processor over HTTP
//
// A processor is an https address with a key id and a secret. We POST JSON to
// <address>/<call>:
//
//	authorize  {"attemptId", "amount", "currency", "card": {"pan", "expMonth", "expYear", "cvv", "holder"?}}
//	code       {"attemptId", "number", "code"}     number counts the attempt's codes from 1
//	resend     {"attemptId", "number"}             have the bank send a code again; number counts these from 1
//	result     {"attemptId"}
//	void       {"attemptId"}                       undo; of an attempt not known, see that it never begins
//
// and it answers 200 with
//
//	{"attemptId", "state", "reason"?, "codes"?}
//
// where state is unknown (never heard of), pending, code_needed, approved,
// declined or voided; reason, of a declined one, is card_declined,
// insufficient_funds, card_expired, limit_exceeded, or what else it likes,
// which we take for card_declined; codes is the number of the last code it has
// received. A code that was wrong is code_needed with codes at that code's
// number. A void that comes too late is answered approved.
//
// Both ways are signed, in lower-case hex HMAC-SHA256 under the secret. A
// request carries X-Acquirer-Key (the key id), X-Acquirer-Timestamp (Unix
// seconds) and X-Acquirer-Signature over
//
//	<timestamp> LF <call> LF <body>
//
// and the answer X-Acquirer-Signature over
//
//	<the request's signature> LF <body>
//
// so that an answer fits one request only. A processor should refuse timestamps
// more than five minutes off. A call that gets no answer, a status other than
// 200, or an answer with a wrong signature or attemptId is made again, with the
// same attempt, until ten seconds have gone by. What stays open after that is
// asked about by result.
package acquirer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/card"
)

// State is the state of an attempt at its acquirer.
type State string

const (
	Unknown    State = "unknown"
	Pending    State = "pending"
	CodeNeeded State = "code_needed"
	Approved   State = "approved"
	Declined   State = "declined"
	Voided     State = "voided"
)

// Reasons of a declined attempt.
const (
	CardDeclined      = "card_declined"
	InsufficientFunds = "insufficient_funds"
	CardExpired       = "card_expired"
	LimitExceeded     = "limit_exceeded"
)

// Answer is an acquirer's report on an attempt.
type Answer struct {
	State State
	// Reason is why the attempt was declined.
	Reason string
	// Codes is the number of the last code it has received.
	Codes int32
}

// Attempt is a charge of a card that is to be made.
type Attempt struct {
	ID       uuid.UUID
	Amount   decimal.Decimal
	Currency string
}

// Timeout bounds every call.
const Timeout = 10 * time.Second

// Acquirer charges cards. Every method may be called again with the same
// attempt. After an error nobody knows whether the call arrived; Result finds
// out.
type Acquirer interface {
	Authorize(ctx context.Context, a Attempt, c card.Card, cvv CVV) (Answer, error)
	SubmitCode(ctx context.Context, id uuid.UUID, number int32, code Code) (Answer, error)
	ResendCode(ctx context.Context, id uuid.UUID, number int32) (Answer, error)
	Result(ctx context.Context, id uuid.UUID) (Answer, error)
	// Void undoes an attempt. After the answer Voided, an Authorize that
	// arrives late has no effect.
	Void(ctx context.Context, id uuid.UUID) (Answer, error)
}

// ErrNone says that the trader has no acquirer.
var ErrNone = errors.New("the trader has no acquirer")

// ErrOffline is returned instead of ErrNone if the directory is offline.
var ErrOffline = fmt.Errorf("%w: the gateway is offline", ErrNone)

package checkout

import (
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/fault"
)

// Phase is the phase of a checkout while its payment is pending.
type Phase string

const (
	AwaitingDetails Phase = "awaiting_payer_details"
	AwaitingBank    Phase = "awaiting_trader_bank_sms"
	AwaitingCode    Phase = "awaiting_payer_otp"
	AwaitingConfirm Phase = "awaiting_trader_confirm"
)

var Phases = []Phase{AwaitingDetails, AwaitingBank, AwaitingCode, AwaitingConfirm}

// The limits of resends count the merchant's and the trader's together.
const (
	MaxResends  = 3
	resendPause = 45 * time.Second
)

// maxRejected is the number of wrong codes after which the payment fails.
const maxRejected = 3

// Who asked for a resend.
const (
	byMerchant = "merchant"
	byTrader   = "trader"
)

// The last failure, as lastError tells the payer.
const (
	errorCodeRejected = "code_rejected"
	// errorUnavailable: the card or the code did not reach the acquirer, so
	// the payer types it again.
	errorUnavailable = "acquirer_unavailable"
)

var (
	errWrongStep       = fault.New(fault.Refused, "checkout_wrong_step", "The checkout is not at this step.")
	errClosed          = fault.New(fault.Refused, "checkout_closed", "The payment has ended; the checkout is closed.")
	errResendWrongStep = fault.New(fault.Refused, "code_resend_wrong_step", "A code cannot be asked for again at this step.")
	errResendExhausted = fault.New(fault.Refused, "code_resend_exhausted", "The code was asked for again as often as may be.")
)

// errTooEarly is the error that says when the next resend is allowed.
func errTooEarly(next, now time.Time) error {
	return &fault.Error{
		Kind:          fault.TooManyRequests,
		Code:          "code_resend_too_early",
		Message:       "It is too early to ask for the code again.",
		RetryAfter:    next.Sub(now),
		NextAllowedAt: &next,
	}
}

// State is the state of a checkout. Its methods are the moves between phases:
// each returns the state after the move, or an error if the move is not
// possible.
type State struct {
	Phase Phase
	// CodeAsked says that a code was asked for with this card.
	CodeAsked bool
	// Rejected counts the wrong codes.
	Rejected int32
	// Declined counts the declined cards.
	Declined int32
	Resends  int32
	// ResentBy and ResentAt are about the last resend; nil before the
	// first.
	ResentBy *string
	ResentAt *time.Time
	// LastError is a code, or nil.
	LastError *string
	// AttemptID is the last attempt, and AttemptOver says that it has
	// ended.
	AttemptID   uuid.UUID
	AttemptOver bool
}

func initial() State { return State{Phase: AwaitingDetails, AttemptOver: true} }

// cardEntered takes a card. after is the attempt that the payer knew of when
// they entered it, or "" if that is not known.
func (s State) cardEntered(attempt uuid.UUID, after string) (State, error) {
	if s.Phase != AwaitingDetails || after != "" && after != s.AttemptID.String() {
		return s, errWrongStep
	}
	s.Phase, s.CodeAsked, s.LastError = AwaitingBank, false, nil
	s.AttemptID, s.AttemptOver = attempt, false
	return s, nil
}

// cardLost ends an attempt that did not get through: the payer types the card
// again.
func (s State) cardLost() State {
	s.Phase, s.AttemptOver, s.LastError = AwaitingDetails, true, new(errorUnavailable)
	return s
}

// ended ends an attempt and keeps the phase.
func (s State) ended() State {
	s.AttemptOver = true
	return s
}

// codeNeeded: the acquirer says that the bank has sent a code.
func (s State) codeNeeded() State {
	if s.Phase != AwaitingDetails {
		s.Phase, s.CodeAsked = AwaitingCode, true
	}
	return s
}

// codeRequested: the trader asks for a code. Asking again after a code was
// given is a resend.
func (s State) codeRequested() (State, error) {
	if s.Phase == AwaitingDetails || s.Phase == AwaitingConfirm && s.CodeAsked {
		return s, errWrongStep
	}
	return s.codeNeeded(), nil
}

// codeNotNeeded: the trader says that no code will come.
func (s State) codeNotNeeded() (State, error) {
	if s.Phase == AwaitingDetails {
		return s, errWrongStep
	}
	s.Phase, s.CodeAsked, s.LastError = AwaitingConfirm, false, nil
	return s, nil
}

// codeGiven takes a code, even before one was asked for.
func (s State) codeGiven() (State, error) {
	if s.Phase != AwaitingBank && s.Phase != AwaitingCode {
		return s, errWrongStep
	}
	s.Phase, s.CodeAsked, s.LastError = AwaitingConfirm, true, nil
	return s, nil
}

// codeLost takes back a code that did not get through.
func (s State) codeLost() State {
	if s.Phase != AwaitingDetails {
		s.Phase, s.LastError = AwaitingCode, new(errorUnavailable)
	}
	return s
}

// codeRejected counts a wrong code and reports whether it was the last one
// allowed.
func (s State) codeRejected() (State, bool) {
	s = s.codeNeeded()
	s.Rejected++
	s.LastError = new(errorCodeRejected)
	return s, s.Rejected >= maxRejected
}

// resent asks for the code again. If no resend is left, it says that rather
// than that it is too early.
func (s State) resent(by string, now time.Time) (State, error) {
	switch next := s.NextAllowedAt(); {
	case s.Phase == AwaitingDetails:
		return s, errResendWrongStep
	case s.Resends >= MaxResends:
		return s, errResendExhausted
	case next != nil && now.Before(*next):
		return s, errTooEarly(*next, now)
	}
	s.Phase, s.CodeAsked, s.LastError = AwaitingCode, true, nil
	s.Resends++
	s.ResentBy, s.ResentAt = &by, &now
	return s, nil
}

// NextAllowedAt is when the pause after the last resend ends; nil before the
// first.
func (s State) NextAllowedAt() *time.Time {
	if s.ResentAt == nil {
		return nil
	}
	next := s.ResentAt.Add(resendPause)
	return &next
}

// ResendsLeft is how many resends are left.
func (s State) ResendsLeft() int32 { return MaxResends - s.Resends }

// CodesLeft is how many codes may still be entered.
func (s State) CodesLeft() int32 { return maxRejected - s.Rejected }

// Package fault has the type of error that callers see: a kind that decides the
// status, a stable code, a message fit for strangers, and the wrong fields.
// Every other error is internal, and rpc and web hide its text.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is what went wrong in the terms of a transport. edge and rpc map it to
// an HTTP status and a Connect code.
type Kind int

// The kinds, each with the HTTP status it becomes.
const (
	Unauthenticated  Kind = iota + 1 // 401
	Forbidden                        // 403
	NotFound                         // 404
	MethodNotAllowed                 // 405
	Conflict                         // 409
	TooLarge                         // 413
	UnsupportedMedia                 // 415
	Invalid                          // 422 with fields
	Refused                          // 422 without fields
	TooManyRequests                  // 429
	Unavailable                      // 503
)

// Error is an error that the caller sees. Its message never contains a secret
// or card data.
type Error struct {
	Kind    Kind
	Code    string
	Message string
	// Fields are, for Invalid, the wrong fields by path, each with what is
	// wrong.
	Fields Fields
	// RetryAfter is how long to wait before the same call can succeed; zero
	// if that is not known.
	RetryAfter time.Duration
	// NextAllowedAt is that time, where the contract shows it.
	NextAllowedAt *time.Time
	// Signature explains a wrong signature to a caller whose secret was
	// right.
	Signature *Signature
	// ProposalID is the proposal that was made instead; 0 is none.
	ProposalID int64
}

// ExpectedSignature describes a signature's form. The right signature itself is
// never shown.
const ExpectedSignature = "64 hex characters"

// Signature is what a caller learns about a signature that does not match. It
// never contains the right one.
type Signature struct {
	// ReceivedBytes is the length of the text that the signature should
	// cover, and BodySHA256 its hash, to compare with what was signed.
	ReceivedBytes int
	BodySHA256    string
	// Hint is what is probably wrong, and what to do.
	Hint string
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Is reports whether target has the same code, so that errors.Is(err,
// fault.ErrX) works on copies.
func (e *Error) Is(target error) bool {
	var other *Error
	return errors.As(target, &other) && other.Code == e.Code
}

// New returns a fault.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Newf is New with a formatted message.
func Newf(kind Kind, code, format string, args ...any) *Error {
	return New(kind, code, fmt.Sprintf(format, args...))
}

// Doing says of an error in doing what it came. It is nil for no error.
func Doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// As returns the fault inside err, or nil.
func As(err error) *Error {
	var f *Error
	errors.As(err, &f)
	return f
}

// Faults that several packages return.
var (
	ErrNotFound             = New(NotFound, "not_found", "No such resource.")
	ErrUnauthenticated      = New(Unauthenticated, "unauthenticated", "A valid bearer token is required.")
	ErrTokenKindNotAllowed  = New(Forbidden, "token_kind_not_allowed", "This token's kind may not call this method.")
	ErrRoleNotAllowed       = New(Forbidden, "role_not_allowed", "Your role does not include this.")
	ErrViewOnly             = New(Forbidden, "view_only", "You are looking as somebody else: nothing can be changed.")
	ErrFactorMissing        = New(Conflict, "factor_missing", "No second factor is set up.")
	ErrFactorNeeded         = New(Forbidden, "factor_needed", "Confirm first that it is you, with your second factor.")
	ErrCashboxAccessDenied  = New(Forbidden, "cashbox_access_denied", "The cashbox or record belongs to another merchant.")
	ErrPortalTokenRequired  = New(Forbidden, "merchant_portal_token_required", "A token of the merchant portal is required.")
	ErrScopeRequired        = New(Forbidden, "merchant_scope_required", "The key lacks the scope this call needs.")
	ErrBindingRequired      = New(Forbidden, "merchant_binding_required", "The key is not bound to a merchant.")
	ErrOutcomeUnknown       = New(Unavailable, "outcome_unknown", "The outcome is unknown; repeat the call to learn it.")
	ErrExternalSecretNotSet = New(Unavailable, "external_payments_secret_not_configured",
		"The external payments secret is not configured on the server.")
	ErrIdempotencyConflict = New(Conflict, "idempotency_key_conflict", "The idempotency key was used for something else.")
	ErrCashboxBalance      = New(Refused, "insufficient_cashbox_balance", "The cashbox does not hold that much available.")
	ErrUnsupportedMedia    = New(UnsupportedMedia, "unsupported_media_type", "The body's type is not supported here.")
	ErrBusy                = New(Unavailable, "busy", "The service is busy; repeat the call.").After(time.Second)

	errRateLimited = New(TooManyRequests, "rate_limited", "Too many requests; come back later.")
)

// RateLimited refuses a call that comes too often, and says when it may come
// again.
func RateLimited(wait time.Duration) *Error { return errRateLimited.After(wait) }

// Saying returns the same fault with another message.
func (e *Error) Saying(message string) *Error {
	said := *e
	said.Message = message
	return &said
}

// About returns the same fault with details about a wrong signature.
func (e *Error) About(s Signature) *Error {
	told := *e
	told.Message, told.Signature = e.Message+" "+s.Hint, &s
	return &told
}

// After returns the same fault with RetryAfter set.
func (e *Error) After(wait time.Duration) *Error {
	later := *e
	later.RetryAfter = wait
	return &later
}

package acquirer

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/card"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// Sandbox is the acquirer of a sandbox. The number of a test card decides its
// result; for any other card the trader decides. It stores no card.
type Sandbox struct {
	q     *db.Queries
	clock clock.Clock
}

func NewSandbox(pool db.Pool, c clock.Clock) *Sandbox {
	return &Sandbox{q: db.New(pool), clock: c}
}

var _ Acquirer = (*Sandbox)(nil)

// The scripts of attempts.
const (
	scriptApprove = "approve"
	scriptCode    = "code"
	scriptDesk    = "desk"
)

// magic maps test cards to their scripts. They take any expiry and any CVV.
var magic = map[string]string{
	"4242424242424242": scriptApprove,
	"5555555555554444": scriptApprove,
	"4000002500003155": scriptCode,
	"4000000000000002": CardDeclined,
	"4000000000009995": InsufficientFunds,
}

const (
	// thinks is how long an answer takes.
	thinks = time.Second
	// rightCode is the only code that is accepted.
	rightCode = "123456"
)

// Authorize implements Acquirer.
func (s *Sandbox) Authorize(ctx context.Context, a Attempt, c card.Card, _ CVV) (Answer, error) {
	script, known := magic[c.PAN.Digits()]
	if !known {
		script = scriptDesk
	}
	err := s.q.SandboxAttemptInsert(ctx, db.SandboxAttemptInsertParams{
		AttemptID: a.ID, Currency: a.Currency, Amount: a.Amount, Script: script, AnswersAt: s.clock.Now().Add(thinks),
	})
	if err != nil {
		return Answer{}, fmt.Errorf("open attempt: %w", err)
	}
	return s.Result(ctx, a.ID)
}

// SubmitCode implements Acquirer.
func (s *Sandbox) SubmitCode(ctx context.Context, id uuid.UUID, number int32, code Code) (Answer, error) {
	err := s.q.SandboxAttemptCode(ctx, db.SandboxAttemptCodeParams{
		AttemptID: id, Number: number, CodeRight: code.reveal() == rightCode,
	})
	if err != nil {
		return Answer{}, fmt.Errorf("take code: %w", err)
	}
	return s.Result(ctx, id)
}

// ResendCode implements Acquirer.
func (s *Sandbox) ResendCode(ctx context.Context, id uuid.UUID, number int32) (Answer, error) {
	if err := s.q.SandboxAttemptResend(ctx, db.SandboxAttemptResendParams{AttemptID: id, Number: number}); err != nil {
		return Answer{}, fmt.Errorf("resend code: %w", err)
	}
	return s.Result(ctx, id)
}

// Void implements Acquirer.
func (s *Sandbox) Void(ctx context.Context, id uuid.UUID) (Answer, error) {
	if err := s.q.SandboxAttemptVoid(ctx, db.SandboxAttemptVoidParams{AttemptID: id, Now: s.clock.Now()}); err != nil {
		return Answer{}, fmt.Errorf("void attempt: %w", err)
	}
	return s.Result(ctx, id)
}

// Result implements Acquirer.
func (s *Sandbox) Result(ctx context.Context, id uuid.UUID) (Answer, error) {
	row, err := s.q.SandboxAttemptGet(ctx, id)
	if db.NoRows(err) {
		return Answer{State: Unknown}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("read attempt: %w", err)
	}
	return s.answerFor(row), nil
}

// answerFor is what the simulated processor says of an attempt now, by its
// script. A void wins over every script. Without a magic card the attempt stays
// pending, for a trader to decide at their desk.
func (s *Sandbox) answerFor(row db.SandboxAcquirer) Answer {
	answer := Answer{State: Pending, Codes: row.Codes}
	thinking := s.clock.Now().Before(row.AnswersAt)
	switch {
	case row.Voided:
		answer.State = Voided
	case row.Script == scriptDesk:
	case row.Script == scriptCode:
		answer.State = codeState(row, thinking)
	case thinking:
	case row.Script == scriptApprove:
		answer.State = Approved
	default:
		answer.State, answer.Reason = Declined, row.Script
	}
	return answer
}

// codeState is the state of an attempt that needs a code. A code that comes
// early is checked once the answer is due.
func codeState(row db.SandboxAcquirer, thinking bool) State {
	switch {
	case thinking:
		return Pending
	case row.CodeRight:
		return Approved
	}
	return CodeNeeded
}

package model_test

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/card"
	"gateway.example/internal/money"
)

// modelBank is the acquirer behind every desk: the world outside, with a book of its own, in which the walk decides.
// The line to it can be cut.
type modelBank struct {
	mu      sync.Mutex
	line    modelLine
	delay   *modelDelay
	charges map[uuid.UUID]*modelCharge
	calls   []modelBankCall
}

// modelDelay keeps the next card or code on its way: before it comes to the bank, or its answer
// before it comes back. here is closed once it is on its way, and the walk closes free.
type modelDelay struct {
	before     bool
	here, free chan struct{}
}

// modelCharge is what the bank has booked of an attempt.
type modelCharge struct {
	pan, amount, currency string
	state                 acquirer.State
	reason                string
	codes, resends        int32
	// final charges are settled, and cannot be undone any more; slow ones are undone only when it is asked for twice.
	final, slow bool
}

// modelLine says where the line to the bank is cut.
type modelLine int

const (
	lineWhole modelLine = iota
	// lineCutBefore loses the calls, lineCutAfter the answers.
	lineCutBefore
	lineCutAfter
)

// modelBankCall is a call to the bank: what was asked about which attempt, and what was answered,
// if anything was heard.
type modelBankCall struct {
	id       uuid.UUID
	question string
	answer   acquirer.Answer
	heard    bool
}

// What the bank is asked. askedNothing is in a card or a code that it is given.
const (
	askedNothing = ""
	askedResult  = "result"
	askedVoid    = "void"
	askedResend  = "resend"
)

// modelCard is a card as payers type it.
type modelCard struct{ pan, holder string }

// What becomes of a card its number says: these are approved at once, of these the bank asks a
// code, these it declines, and of the others it thinks until the walk has it decide.
var (
	pansApproved = []string{"4242424242424242", "5555555555554444"}
	panFinal     = "4000000000000010"
	panCode      = "4000002500003155"
	panDeclined  = "4000000000000002"
	panNoFunds   = "4000000000009995"
	panExpired   = "4000000000000069"
	panOverLimit = "4000000000000077"
	pansDeclined = map[string]string{
		panDeclined: acquirer.CardDeclined, panNoFunds: acquirer.InsufficientFunds,
		panExpired: acquirer.CardExpired, panOverLimit: acquirer.LimitExceeded,
	}
	panPending = "4111111111111111"
	panSlow    = "4000000000000028"
)

// The code that is right, one that is wrong, one that the bank takes its time to look at, and one that is too short.
const codeRight, codeWrong, codeSlow, codeShort = "123456", "000000", "7777", "12"

var _ acquirer.Acquirer = (*modelBank)(nil)

// For implements checkout.Acquirers: every trader's acquirer is this one.
func (b *modelBank) For(context.Context, int64) (acquirer.Acquirer, int64, error) { return b, 0, nil }

func (b *modelBank) Began(context.Context, int64) (acquirer.Acquirer, error) { return b, nil }

var errCutLine = errors.New("the line is cut")

// answer is a call to the bank: do is what it does about the charge, nil if it knows of none.
func (b *modelBank) answer(id uuid.UUID, question string, do func(c *modelCharge)) (acquirer.Answer, error) {
	delay := b.delayed(question)
	if delay != nil && delay.before {
		delay.wait()
	}
	answer, err := b.book(id, question, do)
	if delay != nil && !delay.before {
		delay.wait()
	}
	return answer, err
}

func (d *modelDelay) wait() {
	close(d.here)
	<-d.free
}

func (b *modelBank) book(id uuid.UUID, question string, do func(c *modelCharge)) (acquirer.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	call := modelBankCall{id: id, question: question, answer: acquirer.Answer{State: acquirer.Unknown}}
	if b.line != lineCutBefore {
		do(b.charges[id])
		if c := b.charges[id]; c != nil {
			call.answer = acquirer.Answer{State: c.state, Reason: c.reason, Codes: c.codes}
		}
	}
	call.heard = b.line == lineWhole
	b.calls = append(b.calls, call)
	if !call.heard {
		return acquirer.Answer{}, errCutLine
	}
	return call.answer, nil
}

// delayed is the delay of a call, if it is to have one.
func (b *modelBank) delayed(question string) *modelDelay {
	b.mu.Lock()
	defer b.mu.Unlock()
	delay := b.delay
	if question != askedNothing {
		return nil
	}
	b.delay = nil
	return delay
}

// hold has the next card or code come late.
func (b *modelBank) hold(before bool) *modelDelay {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delay = &modelDelay{before: before, here: make(chan struct{}), free: make(chan struct{})}
	return b.delay
}

// Authorize implements acquirer.Acquirer.
func (b *modelBank) Authorize(
	_ context.Context, a acquirer.Attempt, entered card.Card, _ acquirer.CVV,
) (acquirer.Answer, error) {
	return b.answer(a.ID, askedNothing, func(c *modelCharge) {
		if c == nil {
			b.charges[a.ID] = newModelCharge(entered.PAN.Digits(), money.Fiat(a.Amount), a.Currency)
		}
	})
}

func newModelCharge(pan, amount, currency string) *modelCharge {
	c := &modelCharge{pan: pan, amount: amount, currency: currency, state: acquirer.Pending, slow: pan == panSlow}
	switch reason, declined := pansDeclined[pan]; {
	case declined:
		c.state, c.reason = acquirer.Declined, reason
	case pan == pansApproved[0], pan == pansApproved[1]:
		c.state = acquirer.Approved
	case pan == panFinal:
		c.state, c.final = acquirer.Approved, true
	case pan == panCode:
		c.state = acquirer.CodeNeeded
	}
	return c
}

// undecided: the bank thinks, or waits for a code.
func (c *modelCharge) undecided() bool {
	return c.state == acquirer.Pending || c.state == acquirer.CodeNeeded
}

// SubmitCode implements acquirer.Acquirer. A code has no form outside its package; reflection sees what would go out.
func (b *modelBank) SubmitCode(
	_ context.Context, id uuid.UUID, number int32, code acquirer.Code,
) (acquirer.Answer, error) {
	digits := reflect.ValueOf(code).Field(0).Elem().String()
	return b.answer(id, askedNothing, func(c *modelCharge) {
		if c == nil || !c.undecided() || number <= c.codes {
			return
		}
		c.codes = number
		switch {
		case c.state == acquirer.CodeNeeded && digits == codeRight:
			c.state = acquirer.Approved
		case digits == codeSlow:
			c.state = acquirer.Pending
		}
	})
}

// ResendCode implements acquirer.Acquirer.
func (b *modelBank) ResendCode(_ context.Context, id uuid.UUID, number int32) (acquirer.Answer, error) {
	return b.answer(id, askedResend, func(c *modelCharge) {
		if c != nil {
			c.resends = max(c.resends, number)
		}
	})
}

// Result implements acquirer.Acquirer.
func (b *modelBank) Result(_ context.Context, id uuid.UUID) (acquirer.Answer, error) {
	return b.answer(id, askedResult, func(*modelCharge) {})
}

// Void implements acquirer.Acquirer. What was never heard of never begins.
func (b *modelBank) Void(_ context.Context, id uuid.UUID) (acquirer.Answer, error) {
	return b.answer(id, askedVoid, func(c *modelCharge) {
		switch {
		case c == nil:
			b.charges[id] = &modelCharge{state: acquirer.Voided}
		case c.state == acquirer.Declined, c.final:
		case c.slow && c.undecided():
			c.slow = false
		default:
			c.state = acquirer.Voided
		}
	})
}

// cut sets where the line is cut from now on.
func (b *modelBank) cut(where modelLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line = where
}

// busy reports whether there was a call since called was last asked.
func (b *modelBank) busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.calls) > 0
}

// called are the calls since it was last asked, and makes the line whole.
func (b *modelBank) called() []modelBankCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	calls := b.calls
	b.calls, b.line = nil, lineWhole
	return calls
}

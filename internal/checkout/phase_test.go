package checkout

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/fault"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var phases = []Phase{AwaitingDetails, AwaitingBank, AwaitingCode, AwaitingConfirm}

const (
	details = AwaitingDetails
	bank    = AwaitingBank
	code    = AwaitingCode
	confirm = AwaitingConfirm

	wrongStep = "checkout_wrong_step"
	wrongSend = "code_resend_wrong_step"
)

// at is a state in a phase, as a payment comes there: with an attempt, but for the first.
func at(phase Phase) State {
	return State{Phase: phase, AttemptOver: phase == AwaitingDetails, CodeAsked: phase == AwaitingCode}
}

// Every move from every phase, as the package comment draws them: the phase after it, or the code
// of the refusal.
func TestMoves(t *testing.T) {
	t.Parallel()
	always := func(move func(State) State) func(State) (State, error) {
		return func(s State) (State, error) { return move(s), nil }
	}
	for name, test := range map[string]struct {
		move func(State) (State, error)
		// want is what comes of each phase, in their order.
		want [4]string
	}{
		"card entered": {
			func(s State) (State, error) { return s.cardEntered(uuid.UUID{1}) }, [4]string{string(bank), wrongStep, wrongStep, wrongStep},
		},
		"card lost":        {always(State.cardLost), [4]string{string(details), string(details), string(details), string(details)}},
		"acquirer asks":    {always(State.codeNeeded), [4]string{string(details), string(code), string(code), string(code)}},
		"trader asks":      {State.codeRequested, [4]string{wrongStep, string(code), string(code), string(code)}},
		"code not needed":  {State.codeNotNeeded, [4]string{wrongStep, string(confirm), string(confirm), string(confirm)}},
		"code given":       {State.codeGiven, [4]string{wrongStep, string(confirm), string(confirm), wrongStep}},
		"code lost":        {always(State.codeLost), [4]string{string(details), string(code), string(code), string(code)}},
		"code rejected":    {func(s State) (State, error) { s, _ = s.codeRejected(); return s, nil }, [4]string{string(details), string(code), string(code), string(code)}},
		"merchant resends": {func(s State) (State, error) { return s.resent(byMerchant, noon) }, [4]string{wrongSend, string(code), string(code), string(code)}},
		"trader resends":   {func(s State) (State, error) { return s.resent(byTrader, noon) }, [4]string{wrongSend, string(code), string(code), string(code)}},
		"attempt ended":    {always(State.ended), [4]string{string(details), string(bank), string(code), string(confirm)}},
	} {
		for i, from := range phases {
			got, err := test.move(at(from))
			outcome := string(got.Phase)
			if f := fault.As(err); f != nil {
				outcome = f.Code
				if got != at(from) {
					t.Errorf("%s in %s: refused, and yet changed to %+v", name, from, got)
				}
			}
			if outcome != test.want[i] {
				t.Errorf("%s in %s: %s, want %s", name, from, outcome, test.want[i])
			}
		}
	}
}

// What moves carry with them besides the phase.
func TestMovesKeepCount(t *testing.T) {
	t.Parallel()
	id := uuid.UUID{7}
	s, _ := initial().cardEntered(id)
	if s.AttemptOver || s.AttemptID != id || s.CodeAsked {
		t.Errorf("a card: %+v", s)
	}
	if s = s.cardLost(); !s.AttemptOver || *s.LastError != "acquirer_unavailable" {
		t.Errorf("lost: %+v", s)
	}
	if s, _ = s.cardEntered(id); s.LastError != nil {
		t.Errorf("a card after a lost one: %+v", s)
	}
	// After a code was given the trader asks once more by a resend alone; after it was not needed
	// they may ask.
	given, _ := s.codeGiven()
	if _, err := given.codeRequested(); fault.As(err) == nil || fault.As(err).Code != wrongStep {
		t.Errorf("asked again after a code: %v", err)
	}
	notNeeded, _ := s.codeNeeded().codeNotNeeded()
	if again, err := notNeeded.codeRequested(); err != nil || again.Phase != AwaitingCode {
		t.Errorf("asked after not needed: %+v %v", again, err)
	}
	// The third wrong code is the last.
	for n := int32(1); n <= 3; n++ {
		var last bool
		if s, last = s.codeRejected(); last != (n == 3) || s.Rejected != n || *s.LastError != "code_rejected" {
			t.Errorf("wrong code %d: last %t, %+v", n, last, s)
		}
	}
}

// Merchant and trader share one counter and one pause of 45 s; that none is left is said first.
func TestResends(t *testing.T) {
	t.Parallel()
	s := at(AwaitingBank)
	if s.NextAllowedAt() != nil || s.ResendsLeft() != 3 {
		t.Errorf("before the first: %v, %d left", s.NextAllowedAt(), s.ResendsLeft())
	}
	now := noon
	for n, by := range []string{byMerchant, byTrader, byMerchant} {
		var err error
		if s, err = s.resent(by, now); err != nil {
			t.Fatal(err)
		}
		if s.Resends != int32(n+1) || *s.ResentBy != by || !s.ResentAt.Equal(now) || s.ResendsLeft() != int32(2-n) {
			t.Errorf("resend %d: %+v", n+1, s)
		}
		early := now.Add(44999 * time.Millisecond)
		_, err = s.resent(byTrader, early)
		want := "code_resend_too_early"
		if n == 2 {
			want = "code_resend_exhausted"
		}
		f := fault.As(err)
		if f == nil || f.Code != want {
			t.Errorf("again after 44.999 s: %v, want %s", err, want)
		}
		if n < 2 && (f.RetryAfter != time.Millisecond || !f.NextAllowedAt.Equal(now.Add(45*time.Second))) {
			t.Errorf("to wait %v until %v", f.RetryAfter, f.NextAllowedAt)
		}
		now = now.Add(45 * time.Second)
	}
	if _, err := s.resent(byMerchant, now); fault.As(err).Code != "code_resend_exhausted" {
		t.Errorf("the fourth: %v", err)
	}
}

func TestMaskOrder(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"order-12345": "or***45", "1234567": "12***67", "123456": "***", "1": "***", "": "***", "заказ-77": "за***77",
	} {
		if got := maskOrder(id); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}

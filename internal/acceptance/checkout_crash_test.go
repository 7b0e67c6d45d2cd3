package acceptance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// How far a call has come when the gateway is killed.
type moment int

const (
	// anywhere: it has just been sent to the gateway; the kill meets it wherever it is.
	anywhere moment = iota
	// lost: the processor never heard of it, until it comes out of the network late.
	lost
	// held: the processor has it in its book, and its answer is on the way.
	held
	// answered: the answer has just been sent. It may be committed, or not.
	answered
)

func (m moment) String() string { return [...]string{"anywhere", "lost", "held", "answered"}[m] }

// trial is a payment whose call to its processor is cut short.
type trial struct {
	// digit is the first of its card: what becomes of it at the processor.
	digit string
	// call is the one cut short; code is what is typed when that is a code.
	call, code string
	at         moment
	// early is a code typed while the card is still on its way.
	early string
	// then is how the payer finds their checkout afterwards: phase and lastError, or a status; ""
	// is not foreseen.
	then string
	// end is how the payer or the clock ends the payment while its charge is under way; else they
	// pay on.
	end string

	pan, id, token string
	gate           *gate
	late           object
}

func (r *trial) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s of a card %s… %s %s %s %s", r.call, r.digit, r.at, r.code, r.early, r.end))
}

const (
	cardAgain = "awaiting_payer_details acquirer_unavailable"
	codeAgain = "awaiting_payer_otp acquirer_unavailable"
	codeFirst = "awaiting_payer_otp <nil>"
	codeWrong = "awaiting_payer_otp code_rejected"
	rightCode = "12345678"
	wrongCode = "87654320"
)

// trials are every call at every moment, and the charges that come to payments which have ended
// meanwhile.
func trials() []*trial {
	const card, code = "authorize", "code"
	return []*trial{
		{digit: "5", call: card, at: lost, then: cardAgain},
		{digit: "5", call: card, at: held, then: "completed"},
		{digit: "5", call: card, at: answered, then: "completed"},
		{digit: "5", call: card, at: anywhere},
		{digit: "4", call: card, at: lost, early: rightCode, then: cardAgain},
		{digit: "4", call: card, at: held, then: codeFirst},
		{digit: "4", call: card, at: answered, then: codeFirst},
		{digit: "4", call: code, code: rightCode, at: lost, then: codeAgain},
		{digit: "4", call: code, code: rightCode, at: held, then: "completed"},
		{digit: "4", call: code, code: rightCode, at: answered, then: "completed"},
		{digit: "4", call: code, code: rightCode, at: anywhere},
		{digit: "4", call: code, code: wrongCode, at: held, then: codeWrong},
		{digit: "4", call: code, code: wrongCode, at: answered, then: codeWrong},
		{digit: "6", call: card, at: held, end: "cancelled"},
		{digit: "6", call: card, at: held, end: "expired"},
		{digit: "3", call: card, at: held, end: "cancelled"},
	}
}

// Killed between a card and its answer, or between a code and its answer, the gateway finds out
// what became of it, or has the payer type again. Whatever happened when, the processor's book has
// one charge for a completed payment and none that stands for any other, save one that cannot be
// undone, which an operator is told of.
func TestKilledAtCheckout(t *testing.T) {
	t.Parallel()
	v := restartable(t)
	p := newCardProcessor(t, nil)
	v.setProcessor(t, p)
	var all []*trial
	for range testenv.Pick(t, 1, 3) {
		round := trials()
		all = append(all, round...)
		v.killAmid(t, p, round)
		for _, r := range round {
			v.looks(t, r)
		}
		// A call may take that long: before, nobody asks after it.
		v.advance(t, 16*time.Second)
		for _, r := range round {
			if r.end == "" {
				v.findsItsWay(t, p, r)
			}
		}
		// Whoever has not paid by now has run out of time.
		v.pass(t, 15*time.Minute)
		v.advance(t, time.Minute) // the processor is asked again about what has just expired
		for _, r := range round {
			v.agrees(t, p, r)
		}
		v.wantAudit(t)
	}
	v.toldOnce(t, all)
	v.conflictsAreListed(t, all)
	n := v.count(t, "select count(*) from payment_card where coalesce(pan, expiry, holder) is not null")
	testenv.Check(t, n == 0, "%d cards are still sealed", n)
	for _, r := range all {
		testenv.Check(t, !strings.Contains(v.stderr.String(), r.pan), "%s: its number was logged", r)
	}
}

// killAmid brings every trial to its moment, all at once, kills the gateway and starts it again.
func (v *instance) killAmid(t *testing.T, p *cardProcessor, round []*trial) {
	t.Helper()
	for _, r := range round {
		v.approach(t, p, r)
	}
	var typing sync.WaitGroup
	for _, r := range round {
		if r.gate != nil {
			typing.Go(func() { v.typeIn(r) })
		}
	}
	for _, r := range round {
		v.awaitGate(t, r)
	}
	for _, r := range round {
		if r.at == answered {
			close(r.gate.open)
		}
		if r.at == anywhere {
			typing.Go(func() { v.typeIn(r) })
		}
	}
	time.Sleep(time.Duration(rand.IntN(15_000)) * time.Microsecond)
	v.kill()
	typing.Wait()
	v.start(t)
}

// approach creates a trial's payment and goes up to the call that will be cut short.
func (v *instance) approach(t *testing.T, p *cardProcessor, r *trial) {
	t.Helper()
	r.pan = randomPAN(r.digit)
	var created answer
	created, r.token = v.cardPayment(t, nil)
	r.id = created.text("data.id")
	if r.call == "code" {
		v.checkout(t, r.token, "payer-details", typedCard(r.pan, nil))
		v.awaitCheckout(t, r.token, "phase", "awaiting_payer_otp")
	}
	if r.at != anywhere {
		r.gate = p.close(r.pan, r.call, r.at != lost)
	}
}

// typeIn makes the call; the gateway may be gone before it answers.
func (v *instance) typeIn(r *trial) {
	step, body := "payer-details", typedCard(r.pan, nil)
	if r.call == "code" {
		step, body = "payer-otp", fmt.Sprintf(`{"otp":%q}`, r.code)
	}
	_, _ = trySend(http.MethodPost, v.BaseURL+"/api/v1/checkout/"+r.token+"/"+step, body, nil)
}

func (v *instance) awaitGate(t *testing.T, r *trial) {
	t.Helper()
	if r.gate == nil {
		return
	}
	select {
	case r.late = <-r.gate.reached:
	case <-time.After(testenv.Patience):
		t.Fatalf("%s does not come to its processor", r)
	}
	if r.early != "" {
		v.checkout(t, r.token, "payer-otp", fmt.Sprintf(`{"otp":%q}`, r.early))
	}
}

// looks is the payer at their page again, right after the start. They may cancel.
func (v *instance) looks(t *testing.T, r *trial) {
	t.Helper()
	step, statuses := "", "pending completed"
	if r.end == "cancelled" {
		step, statuses = "cancel", "cancelled"
	}
	got := v.checkout(t, r.token, step, "")
	testenv.Check(t, got.status == 200 && strings.Contains(statuses, got.text("data.paymentStatus")),
		"%s: at first %s", r, got)
}

// findsItsWay has the payer see what became of their call, and go on.
func (v *instance) findsItsWay(t *testing.T, p *cardProcessor, r *trial) {
	t.Helper()
	noError(t, testenv.Eventually(func() error {
		got := v.checkout(t, r.token, "", "")
		shown := got.text("data.phase") + " " + got.text("data.lastError")
		if got.text("data.isTerminal") == "true" {
			shown = got.text("data.paymentStatus")
		}
		if r.then != "" && shown != r.then {
			return fmt.Errorf("%s: %s; want %s", r, got, r.then)
		}
		return nil
	}))
	if r.at == lost { // what was lost on the way comes out of the network now
		p.take(r.call, r.late)
	}
	v.paysOn(t, r)
}

// paysOn types whatever the checkout asks for until it has ended.
func (v *instance) paysOn(t *testing.T, r *trial) {
	t.Helper()
	noError(t, testenv.Eventually(func() error {
		got := v.checkout(t, r.token, "", "")
		switch {
		case got.text("data.paymentStatus") == "completed":
			return nil
		case got.text("data.isTerminal") == "true":
			return testenv.Never(fmt.Errorf("%s: %s", r, got))
		case got.text("data.phase") == "awaiting_payer_details":
			v.checkout(t, r.token, "payer-details", typedCard(r.pan, nil))
		case got.text("data.phase") == "awaiting_payer_otp":
			v.checkout(t, r.token, "payer-otp", fmt.Sprintf(`{"otp":%q}`, rightCode))
		}
		return fmt.Errorf("%s: %s", r, got)
	}))
}

// agrees compares a payment with the processor's book.
func (v *instance) agrees(t *testing.T, p *cardProcessor, r *trial) {
	t.Helper()
	want := map[string]struct{ status, reason string }{
		"": {"completed", "<nil>"}, "cancelled": {"cancelled", "<nil>"}, "expired": {"failed", "expired"},
	}[r.end]
	read := send(t, http.MethodGet, v.BaseURL+payments+"/"+r.id, "", signed(v.box(t, "sandbox-azn"), ""))
	testenv.Check(t, read.text("data.status") == want.status && read.text("data.statusReason") == want.reason,
		"%s: %s; want %v", r, read, want)
	stands := 0
	if r.end == "" || r.digit == "3" {
		stands = 1
	}
	noError(t, testenv.Eventually(func() error {
		charged, kept, wrong := p.ofCard(r.pan)
		switch {
		case charged != 1:
			return testenv.Never(fmt.Errorf("%s: charged %d times", r, charged))
		case r.code == wrongCode && wrong != 1:
			return testenv.Never(fmt.Errorf("%s: %d wrong codes", r, wrong))
		case kept != stands:
			return fmt.Errorf("%s: %d charges stand, want %d", r, kept, stands)
		}
		return nil
	}))
}

// toldOnce reads the merchant's feed: one event for each payment, of its end. (Deliveries that the
// kill cut short take the job queue a minute: TestKilled waits for those.)
func (v *instance) toldOnce(t *testing.T, all []*trial) {
	t.Helper()
	told := map[string][]answer{}
	for _, sent := range feed(t, v.merchantDesk(v.user(t, "merchant").Token)) {
		e := answer{raw: sent.GetBody(), body: decoded(sent.GetBody())}
		told[e.text("data.uuid")] = append(told[e.text("data.uuid")], e)
	}
	for _, r := range all {
		status := map[string]string{"": "COMPLETED", "cancelled": "CANCELLED", "expired": "FAILED"}[r.end]
		uuid := v.texts(t, "select uuid::text from payment where id = $1::text::bigint", r.id)[0]
		got := told[uuid]
		testenv.Check(t, len(got) == 1 && got[0].text("meta.sequence") == "1" && got[0].text("data.status") == status,
			"%s: events %v", r, got)
	}
}

// conflictsAreListed waits until an operator is told of each charge that came too late to be
// undone, and of no other.
func (v *instance) conflictsAreListed(t *testing.T, all []*trial) {
	t.Helper()
	want := map[string]bool{}
	for _, r := range all {
		if r.digit == "3" {
			want[r.id] = true
		}
	}
	noError(t, testenv.Eventually(func() error {
		list, err := v.operator(t).
			ListCardConflicts(t.Context(), connect.NewRequest(&portalv1.ListCardConflictsRequest{}))
		if err != nil {
			return testenv.Never(err)
		}
		got := list.Msg.GetData()
		for _, c := range got {
			if !want[fmt.Sprint(c.GetPaymentId())] || c.GetPaymentStatus() != "cancelled" ||
				c.GetAttemptState() != "approved" {
				return testenv.Never(fmt.Errorf("conflict %v", c))
			}
		}
		if len(got) != len(want) {
			return errors.New("not all conflicts are listed")
		}
		return nil
	}))
}

package model_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
)

// checkoutThat picks a card payment, by preference one that is wanted, or nil
// where there is none yet.
func checkoutThat(wanted func(*modelWalk, *modelPayment) bool) func(*modelWalk, modelStep) *modelPayment {
	return some((*gatewayModel).byCard, func(w *modelWalk, _ modelStep, p *modelPayment) bool { return wanted(w, p) })
}

// byCard are the payments that are paid by entering a card.
func (m *gatewayModel) byCard() []*modelPayment {
	return slices.DeleteFunc(slices.Clone(m.payments), func(p *modelPayment) bool { return p.checkout == nil })
}

// checkoutIn picks a card payment, by preference an open one in one of these
// phases.
func checkoutIn(phases ...string) func(*modelWalk, modelStep) *modelPayment {
	return checkoutThat(func(w *modelWalk, p *modelPayment) bool { return p.refusePayer(w.model.now, phases...) == "" })
}

func (w *modelWalk) linkOf(p *modelPayment) string { return w.links.Token(uuid.MustParse(p.uuid)) }

// modelPANs are the cards that payers have, as often as they stand here.
var modelPANs = slices.Concat(pansApproved, slices.Sorted(maps.Keys(pansDeclined)), []string{
	panFinal, panSlow, panCode, panCode, panCode, panCode, panCode, panCode, panPending, panPending, panPending,
	panPending, panPending,
})

func (w *modelWalk) cardOf(s modelStep) modelCard {
	return modelCard{pickModel(modelPANs, s.n[1]), pickModel([]string{"ANNA B", ""}, s.n[2])}
}

func (c modelCard) details() checkout.Details {
	return checkout.Details{
		Entry: card.Entry{PAN: c.pan, ExpMonth: "12", ExpYear: "2099", Holder: c.holder}, CVV: "123",
		Address: "192.0.2.1",
	}
}

// cutBy is where a step cuts the line to the bank: mostly nowhere.
func cutBy(n int) modelLine {
	return []modelLine{0: lineCutBefore, 1: lineCutAfter, 11: lineWhole}[n%12]
}

// enter has a payer enter a card. The line may be cut before or after the bank
// booked it.
func (w *modelWalk) enter(s modelStep, p *modelPayment) {
	entered, want := w.cardOf(s), p.refusePayer(w.model.now, phaseDetails)
	ctx, injury := w.injured()
	w.bank.cut(cutBy(s.n[3]))
	view, err := w.checkouts.SubmitDetails(ctx, w.linkOf(p), entered.details())
	calls := w.bank.called()
	if injury.fired {
		w.cutShort(injury, p, view, err, w.entering(p, entered, calls)...)
		return
	}
	if want != "" {
		w.refusedSilently("card "+want, p, err, want, calls)
		return
	}
	if err != nil || len(calls) != 1 {
		fail("%s: a card is entered with %d calls of the bank: %w", p.origin(), len(calls), orNone(err))
	}
	playParts(w.entering(p, entered, calls))
	w.sameView(p, view)
}

// refusedSilently wants a refusal, of which the bank has heard nothing.
func (w *modelWalk) refusedSilently(outcome string, p *modelPayment, err error, want string, calls []modelBankCall) {
	w.tell(outcome, p.origin())
	wantCode(err, want)
	if len(calls) > 0 {
		fail("the bank is called though nothing came of it: %+v", calls)
	}
}

// modelCodes are the codes that payers give, as often as they stand here. The
// last is none in form.
var modelCodes = []string{
	codeRight, codeRight, codeWrong, codeWrong, codeWrong, codeWrong, codeWrong, codeWrong, codeWrong, codeSlow, "",
	codeShort,
}

// someCoded picks a card payment whose payer may give a code, asked for or not.
func someCoded(w *modelWalk, s modelStep) *modelPayment {
	if s.n[3]%4 == 0 {
		return checkoutIn(phaseBank)(w, s)
	}
	return checkoutIn(phaseCode)(w, s)
}

// giveCode has a payer give a code, or none.
func (w *modelWalk) giveCode(s modelStep, p *modelPayment) {
	otp := pickModel(modelCodes, s.n[1])
	want, changes := p.refuseCode(otp, w)
	ctx, injury := w.injured()
	w.bank.cut(cutBy(s.n[2] % 6))
	view, err := w.checkouts.SubmitCode(ctx, w.linkOf(p), otp)
	calls := w.bank.called()
	var parts []modelPart
	if changes {
		parts = w.coding(p, calls)
	}
	switch {
	case injury.fired && want != "validation_failed":
		w.cutShort(injury, p, view, err, parts...)
		return
	case injury.fired:
		return
	case want != "":
		w.refusedSilently("code "+want, p, err, want, calls)
		return
	case err != nil:
		fail("%s: a code: %w", p.origin(), err)
	case !changes:
		w.tell("code not needed", p.origin())
	}
	playParts(parts)
	w.sameView(p, view)
}

// refuseCode is why a code is refused, and whether, if it is not, it is handed
// over: without one nothing changes, unless one was asked for.
func (p *modelPayment) refuseCode(otp string, w *modelWalk) (want string, changes bool) {
	switch closed := p.closed(w.model.now); {
	case otp == codeShort, otp == "" && !closed && p.phaseShown() == phaseCode:
		return "validation_failed", false
	case otp == "":
		return p.refusePayer(w.model.now, phaseBank, phaseConfirm), false
	default:
		return p.refusePayer(w.model.now, phaseBank, phaseCode), true
	}
}

// payerCancel is the payer's taking back of the payment.
func (w *modelWalk) payerCancel(_ modelStep, p *modelPayment) {
	ctx, injury := w.injured()
	want := unless(!p.closed(w.model.now), "checkout_closed")
	view, err := w.checkouts.Cancel(ctx, w.linkOf(p))
	w.steppedView(p, injury, view, err, want, func() {
		w.tell("payer cancelled", p.origin())
		w.model.move(p, "cancelled", "payer", nil, nil)
	})
}

// look reads a checkout by its link.
func (w *modelWalk) look(_ modelStep, p *modelPayment) {
	w.tell("looked", p.origin())
	w.sameView(p, given(w.checkouts.Get(w.ctx, w.linkOf(p))))
}

// lookAtCheckout compares where a card payment's checkout stands, its attempts,
// its card and what operators are told of it.
func (p *modelPayment) lookAtCheckout(w *modelWalk, b *pgx.Batch) {
	if p.checkout == nil {
		return
	}
	var phase, last4, attempts, conflicts string
	var rejected, resends, declined int
	var by, last *string
	var at *time.Time
	var sealed, holder bool
	lookAtOne(b, `
		select coalesce(case when p.status <> 'pending' or not c.attempt_over then c.phase end, 'awaiting_payer_details'),
			coalesce(c.codes_rejected, 0), coalesce(c.resends, 0), c.resent_by, c.resent_at,
			c.last_error, coalesce(c.declined, 0), coalesce(k.last4, ''), k.pan is not null, k.holder is not null,
			(select coalesce(string_agg(a.id::text || case when a.status in ('authorising', 'open') then ' under way'
				when a.status = 'undoing' then ' taken back' else '' end, ', ' order by a.created_at, a.id), '')
				from card_attempt a where a.merchant_id = p.merchant_id and a.payment_id = p.id),
			(select coalesce(string_agg(x.attempt_id::text, ', ' order by x.attempt_id), '')
				from card_conflict x where x.merchant_id = $1 and x.payment_id = $2)
		from payment p left join checkout c on c.merchant_id = p.merchant_id and c.payment_id = p.id
		left join payment_card k on k.merchant_id = p.merchant_id and k.payment_id = p.id
		where p.merchant_id = $1 and p.id = $2`, []any{p.merchantID, p.id},
		[]any{&phase, &rejected, &resends, &by, &at, &last, &declined, &last4, &sealed, &holder, &attempts, &conflicts},
		func() {
			c := p.checkout
			wantAttempts, wantConflicts := c.texts()
			w.chargedOnce(p)
			sameFields("the checkout of "+p.origin().String(), []modelField{
				{"phase", phase, p.wantPhase(phase)}, {"wrong codes", rejected, c.rejected}, {"declined", declined, c.declined},
				{"resends", resends, c.resends}, {"resent by", by, c.resentBy}, {"resent at", at, c.resentAt},
				{"last error", last, c.lastError}, {"last4", last4, c.last4}, {"card kept", sealed, c.sealed},
				{"holder kept", holder, c.sealed && c.holder != ""}, {"attempts", attempts, wantAttempts},
				{"conflicts", conflicts, wantConflicts},
			})
		})
}

// count adds the rows there are of a checkout.
func (c *modelCheckout) count(counts map[string]int) {
	if c == nil || c.last() == nil {
		return
	}
	counts["checkout"]++
	counts["payment_card"]++
	counts["card_attempt"] += len(c.attempts)
	for _, a := range c.attempts {
		if a.listed {
			counts["card_conflict"]++
		}
	}
}

// texts are its attempts, and how those stand of which the bank is to be asked;
// and those that are an operator's.
func (c *modelCheckout) texts() (attempts, conflicts string) {
	var all, listed []string
	for _, a := range c.attempts {
		text := a.id.String()
		if a.listed {
			listed = append(listed, text)
		}
		if a.status == attemptUnderWay || a.status == attemptTakenBack {
			text += " " + a.status
		}
		all = append(all, text)
	}
	slices.Sort(listed)
	return strings.Join(all, ", "), strings.Join(listed, ", ")
}

// chargedOnce wants no payer charged twice: of the charges that stand at the
// bank all but one are to be undone, or an operator's. What the bank has booked
// is the payment's amount.
func (w *modelWalk) chargedOnce(p *modelPayment) {
	standing := 0
	for _, a := range p.checkout.attempts {
		charge := w.bank.charges[a.id]
		if charge == nil || charge.state == acquirer.Voided {
			continue
		}
		if charge.amount != fiatText(p.amount) || charge.currency != p.currency {
			fail("%s: the bank has booked %s %s", p.origin(), charge.amount, charge.currency)
		}
		if charge.state == acquirer.Approved && (a.status == attemptUnderWay || a.status == attemptCharged) {
			standing++
		}
	}
	if standing > 1 {
		fail("%s is charged %d times", p.origin(), standing)
	}
}

// closeBooks has the bank decide about everything, and asks it until there is
// nothing left to ask. Then its book and ours must agree.
func (w *modelWalk) closeBooks() {
	n := 0
	for _, p := range w.model.byCard() {
		for _, c := range w.undecided(p) {
			if n++; n%2 == 0 {
				c.state = acquirer.Approved
			} else {
				c.state, c.reason = acquirer.Declined, acquirer.CardDeclined
			}
		}
	}
	w.untilSettled()
	conflicts := map[uuid.UUID]bool{} // the attempts that an operator is told to look into
	for cursor, more := (*string)(nil), true; more; more = cursor != nil {
		list, next, err := w.checkouts.ListConflicts(w.ctx, modelOperator, nil, cursor)
		must(err)
		for _, c := range list {
			conflicts[c.AttemptID] = true
		}
		cursor = next
	}
	for _, p := range w.model.byCard() {
		w.compareBooks(p, conflicts)
	}
}

func (w *modelWalk) untilSettled() {
	for range modelRounds {
		w.touched = w.touched[:0]
		w.pass(modelAsked)
		asked := w.askBank(lineWhole, 1)
		w.verify()
		if len(asked) == 0 && len(w.model.unsettled()) == 0 {
			return
		}
	}
	fail("the bank is asked without end")
}

// compareBooks wants, of what is no operator's: no charge against a payment
// that ended unpaid; one for each that its acquirer completed; and none missing
// without an operator's knowing where somebody's word completed it.
func (w *modelWalk) compareBooks(p *modelPayment, conflicts map[uuid.UUID]bool) {
	standing, excused := 0, false
	for _, a := range p.checkout.attempts {
		if conflicts[a.id] != a.listed {
			fail("%s: attempt %s is an operator's: %t", p.origin(), a.id, conflicts[a.id])
		}
		excused = excused || a.listed || a.seldom(w.model.now)
		if w.bank.charges[a.id].state == acquirer.Approved && !a.listed {
			standing++
		}
	}
	least, most := 0, 0
	if p.status == "completed" || p.status == "appeal" {
		most = 1
	}
	byBank := p.moves[len(p.moves)-1].actor == "acquirer"
	if p.status == "completed" && (byBank || len(p.checkout.attempts) > 0 && !excused) {
		least = 1
	}
	if standing < least || standing > most {
		fail("%s is %s with %d charges", p.origin(), p.status, standing)
	}
}

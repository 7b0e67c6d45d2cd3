package model_test

import (
	"fmt"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/payout"
)

// somePayout picks a payout for the step to be about, by preference one that is wanted, or nil where there is none yet.
func (w *modelWalk) somePayout(n int, wanted func(*modelPayout) bool) *modelPayout {
	return pickRecord(w, n, w.model.payouts, wanted)
}

// payoutIn picks a payout, by preference one of a status.
func (w *modelWalk) payoutIn(s modelStep, status string) *modelPayout {
	return w.somePayout(s.n[0], func(p *modelPayout) bool { return p.status == status })
}

// modelKept is a record that a step can be about: by the number of the step that made it.
type modelKept interface {
	comparable
	modelRecord
	maker() int
}

// pickRecord picks one of a list for the step to be about: two times in three of those that are wanted, if any. What the
// step was about when it was first played it is about again.
func pickRecord[T modelKept](w *modelWalk, n int, list []T, wanted func(T) bool) T {
	from := list
	if w.now.ref == 0 && n%3 > 0 {
		from = slices.DeleteFunc(slices.Clone(list), func(r T) bool { return !wanted(r) })
	}
	if len(from) == 0 {
		from = list
	}
	i := w.refer(n/3, len(from), func(i int) int { return from[i].maker() })
	if i < 0 {
		var none T
		return none
	}
	w.touch(from[i])
	return from[i]
}

func (w *modelWalk) take(s modelStep) error {
	p := w.payoutIn(s, "waiting")
	if p == nil {
		return nil
	}
	trader := pickModel(w.model.traders, s.n[1])
	ctx, injury := w.injured(s)
	offer, err := w.payouts.Take(ctx, trader.Caller, p.uuid)
	done, wrong := w.judged(injury, err, w.model.refuseTake(p, trader))
	if !done || wrong != nil {
		return wrong
	}
	w.movedPayout(p, "processing")
	w.model.take(p, trader)
	return p.judgeOffer(injury, offer)
}

// judgeOffer wants a trader shown the whole requisite of the payout they took, and what they get
// for it.
func (p *modelPayout) judgeOffer(i *injury, offer payout.Offer) error {
	if i.lost() {
		return nil
	}
	reward := offer.RewardUSDT.Shift(8).String()
	if offer.Address != p.address || offer.Recipient != p.recipient || reward != strconv.FormatInt(p.traderPart, 10) {
		return fmt.Errorf("%s: offered for %q, %q at %s, not %d", p.origin(), offer.Address, offer.Recipient, reward,
			p.traderPart)
	}
	return p.same(offer.Payin)
}

// movedPayout tells of a move that is about to be made in the model.
func (w *modelWalk) movedPayout(p *modelPayout, to string) {
	w.tell("payout "+p.status+"-"+to, p.origin())
}

// takeBoth has two traders take a payout at once: one of those who can gets it.
func (w *modelWalk) takeBoth(s modelStep) error {
	p := w.payoutIn(s, "waiting")
	if p == nil {
		return nil
	}
	takers := []*modelTrader{pickModel(w.model.traders, s.n[1]), pickModel(w.model.traders, s.n[1]+1)}
	_, errs := atOnce(len(takers), func(i int) (payout.Offer, error) {
		return w.payouts.Take(w.ctx, takers[i].Caller, p.uuid)
	})
	w.tell("payout taken by two", p.origin())
	var able, took []*modelTrader
	for i, trader := range takers {
		want := w.model.refuseTake(p, trader)
		if want == "" {
			able = append(able, trader)
			want = "payin_not_waiting"
		}
		if slices.Contains(p.gaveBack, trader) && errUnlessCode(errs[i], "payin_not_waiting") == nil {
			continue // the other one was there first
		}
		if errs[i] == nil {
			took = append(took, trader)
		} else if wrong := errUnlessCode(errs[i], want); wrong != nil {
			return wrong
		}
	}
	if len(took) != min(len(able), 1) {
		return fmt.Errorf("%d of %d traders took %s", len(took), len(able), p.origin())
	}
	for _, trader := range took {
		if w.model.refuseTake(p, trader) != "" {
			return fmt.Errorf("trader %d cannot take %s", trader.ID, p.origin())
		}
		w.movedPayout(p, "processing")
		w.model.take(p, trader)
	}
	return nil
}

// finish is the word of a trader, mostly the one who took the payout: paid, or not to be paid.
func (w *modelWalk) finish(s modelStep) error {
	p := w.payoutIn(s, "processing")
	if p == nil {
		return nil
	}
	trader := p.trader
	if trader == nil || s.n[1]%6 == 0 {
		trader = pickModel(w.model.traders, s.n[3])
	}
	text := modelText("word " + strconv.Itoa(s.n[4]%10))
	to, call := "completed", w.payouts.Complete
	reason, proof := (*string)(nil), text
	if s.n[2]%3 == 0 {
		if s.n[4]%3 == 0 { // only what was paid takes a word
			text = nil
		}
		to, call, reason, proof = "failed", w.payouts.Fail, text, nil
	}
	want := refuseTaker(p, trader)
	ctx, injury := w.injured(s)
	offer, err := call(ctx, trader.Caller, p.uuid, text)
	done, wrong := w.judged(injury, err, want)
	if !done || wrong != nil {
		return wrong
	}
	w.movedPayout(p, to)
	w.model.endPayout(p, to, trader.Caller.Actor(), reason, proof)
	return p.judgeOffer(injury, offer)
}

// refuseTaker is why a trader cannot end or give back a payout, "" if they can.
func refuseTaker(p *modelPayout, trader *modelTrader) string {
	switch {
	case p.trader != trader:
		return "not_found"
	case p.status != "processing":
		return "payin_not_processing"
	}
	return ""
}

// giveBack lets go of a payout that was taken: its trader does, or an operator does it for them.
func (w *modelWalk) giveBack(s modelStep) error {
	p := w.payoutIn(s, "processing")
	if p == nil {
		return nil
	}
	reason := modelText("cannot pay " + strconv.Itoa(s.n[4]%10))
	ctx, injury := w.injured(s)
	want, actor := "", modelOperator.Actor()
	var err error
	if s.n[2]%3 == 0 {
		if p.status != "processing" {
			want = "payin_not_processing"
		}
		_, err = w.payouts.Reclaim(ctx, modelOperator, p.uuid, reason)
	} else {
		trader := p.trader
		if trader == nil || s.n[1]%6 == 0 {
			trader = pickModel(w.model.traders, s.n[3])
		}
		want, actor = refuseTaker(p, trader), trader.Caller.Actor()
		_, err = w.payouts.GiveBack(ctx, trader.Caller, p.uuid, reason)
	}
	done, wrong := w.judged(injury, err, want)
	if done && wrong == nil {
		w.movedPayout(p, "waiting")
		w.model.giveBack(p, actor, reason)
	}
	return wrong
}

// reverse is an operator's turning a completed payout into a failed one, whatever became of its
// money.
func (w *modelWalk) reverse(s modelStep) error {
	p := w.payoutIn(s, "completed")
	if p == nil {
		return nil
	}
	want := ""
	if p.status != "completed" {
		want = "payin_not_completed"
	}
	reason := modelText("never arrived " + strconv.Itoa(s.n[4]%10))
	ctx, injury := w.injured(s)
	_, err := w.payouts.Reverse(ctx, modelOperator, p.uuid, reason)
	return w.endedPayout(p, injury, err, want, "failed", modelOperator.Actor(), reason, nil)
}

// withdraw is the merchant's taking a payout back, by their key or in their portal.
func (w *modelWalk) withdraw(s modelStep) error {
	p := w.payoutIn(s, "waiting")
	if p == nil {
		return nil
	}
	merchant := pickModel(w.model.merchants, s.n[1])
	if s.n[2]%6 > 0 {
		merchant = w.merchantOf(p.merchantID)
	}
	who := merchant.Caller
	if s.n[3]%2 == 0 {
		who = caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 9, MerchantID: merchant.ID}
	}
	want := ""
	switch {
	case merchant.ID != p.merchantID:
		want = "cashbox_access_denied"
	case p.status != "waiting":
		want = "payin_not_waiting"
	}
	ctx, injury := w.injured(s)
	_, err := w.payouts.Cancel(ctx, who, p.uuid)
	return w.endedPayout(p, injury, err, want, "cancelled", who.Actor(), nil, nil)
}

// endedPayout judges a call that should have ended a payout.
func (w *modelWalk) endedPayout(
	p *modelPayout, i *injury, err error, want, to, actor string, reason, proof *string,
) error {
	done, wrong := w.judged(i, err, want)
	if done && wrong == nil {
		w.movedPayout(p, to)
		w.model.endPayout(p, to, actor, reason, proof)
	}
	return wrong
}

// resolve is an operator's word on a payout in processing, by preference one whose time is over.
func (w *modelWalk) resolve(s modelStep) error {
	overdue := func(p *modelPayout) bool { return p.status == "processing" && !p.expires.After(w.model.now) }
	p := w.somePayout(s.n[0], overdue)
	if p == nil {
		return nil
	}
	r := payout.Resolution{Outcome: pickModel([]string{"completed", "failed"}, s.n[1])}
	if s.n[3]%2 == 0 || r.Outcome == "completed" {
		r.Reason, r.ProofReference = modelText("looked into"), modelText("proof "+strconv.Itoa(s.n[3]%9))
	}
	want := ""
	if p.status != "processing" {
		want = "payin_not_processing"
	}
	if overdue(p) {
		w.tell("payout overdue", p.origin())
	}
	ctx, injury := w.injured(s)
	_, err := w.payouts.Resolve(ctx, modelOperator, p.uuid, r)
	return w.endedPayout(p, injury, err, want, r.Outcome, modelOperator.Actor(), r.Reason, r.ProofReference)
}

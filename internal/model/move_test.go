package model_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
)

var modelStatuses = []string{"pending", "completed", "failed", "cancelled", "appeal"}

// move is the application's word on a payment: any status may follow any other; the same again is
// no change.
func (w *modelWalk) move(s modelStep) error {
	p := w.some(s.n[0])
	if p == nil {
		return nil
	}
	w.touch(p)
	application := caller.Caller{Kind: caller.Application}
	update := payment.Update{Status: pickModel(modelStatuses, s.n[1])}
	if s.n[2]%3 == 0 {
		update.Reason = modelText("reason " + strconv.Itoa(s.n[2]%100))
	}
	if s.n[3]%4 == 0 {
		update.ProviderPaymentID = modelText("provider-" + strconv.Itoa(s.n[3]%100))
	}
	if s.n[4]%50 == 0 {
		_, _, err := w.service.UpdateStatus(w.ctx, application, p.id, payment.Update{Status: "paid"})
		return errUnlessInvalid(err, []string{"status"})
	}
	ctx, injury := w.injured(s)
	got, queued, err := w.service.UpdateStatus(ctx, application, p.id, update)
	changes := update.Status != p.status
	return w.moved(p, injury, got, err, func() error {
		w.tell(p.status+"-"+update.Status, "payment ", p.id)
		if changes {
			if p.appeal != nil && (p.status == "failed" || p.status == "appeal") {
				w.tell("appeal followed the application", p.origin())
			}
			w.model.move(p, update.Status, "application", update.Reason, update.ProviderPaymentID)
		}
		if err == nil && queued != changes {
			return fmt.Errorf("callbackQueued is %t", queued)
		}
		return nil
	})
}

// moved judges a call on one payment; apply is what it means to the model.
func (w *modelWalk) moved(p *modelPayment, i *injury, got payment.Payment, err error, apply func() error) error {
	if i.aborted() {
		return w.abortedAsItShould(i, err)
	}
	if i.lost() {
		if wrong := errUnlessUnknown(err); wrong != nil {
			return wrong
		}
		w.tell("lost " + w.now.op)
		if got, err = w.service.Get(
			w.ctx,
			caller.Caller{Kind: caller.Operator, Role: caller.Admin},
			strconv.FormatInt(p.id, 10),
		); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("payment %d: %w", p.id, err)
	}
	if wrong := apply(); wrong != nil {
		return wrong
	}
	return w.same(p, got)
}

func (w *modelWalk) confirm(s modelStep) error {
	return w.traderMove(
		s,
		"completed",
		nil,
		func(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
			return w.service.Confirm(ctx, who, id)
		},
	)
}

func (w *modelWalk) cancel(s modelStep) error {
	reason := modelText("trader " + strconv.Itoa(s.n[2]%10))
	return w.traderMove(
		s,
		"cancelled",
		reason,
		func(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
			return w.service.Cancel(ctx, who, id, reason)
		},
	)
}

// traderMove is a trader's word: on their own payments, and while they are pending.
func (w *modelWalk) traderMove(s modelStep, to string, reason *string,
	call func(context.Context, caller.Caller, int64) (payment.Payment, error),
) error {
	p := w.some(s.n[0])
	if p == nil {
		return nil
	}
	w.touch(p)
	trader := p.requisite.trader
	if s.n[1]%6 == 0 {
		trader = w.model.traders[s.n[3]%len(w.model.traders)]
	}
	want := ""
	switch {
	case trader != p.requisite.trader:
		want = "not_found"
	case p.status != "pending":
		want = "payment_not_pending"
	}
	ctx, injury := w.injured(s)
	got, err := call(ctx, trader.Caller, p.id)
	if want != "" && !injury.fired {
		w.tell(want, to, " payment ", p.id)
		return errUnlessCode(err, want)
	}
	return w.moved(p, injury, got, err, func() error {
		w.tell("trader "+to, "payment ", p.id)
		w.model.move(p, to, trader.Caller.Actor(), reason, nil)
		return nil
	})
}

// claim is the payer's word that they have paid: it is kept once, and of a payment that is paid by
// a card there is none.
func (w *modelWalk) claim(s modelStep) error {
	wanted := func(p *modelPayment) bool { return p.status == "pending" && p.checkout == nil && p.claimed == nil }
	if s.n[1]%4 == 0 {
		wanted = func(p *modelPayment) bool { return p.claimed != nil }
	}
	p := pickRecord(w, s.n[0], w.model.payments, wanted, func(p *modelPayment) int { return p.step })
	if p == nil {
		return nil
	}
	w.touch(p)
	want := ""
	switch {
	case p.checkout != nil:
		want = "not_found"
	case p.claimed == nil && p.closed(w.model.now):
		want = "payment_not_pending"
	}
	ctx, injury := w.injured(s)
	got, err := w.service.Claim(ctx, uuid.MustParse(p.uuid))
	if want != "" && !injury.fired {
		w.tell("claim "+want, p.origin())
		return errUnlessCode(err, want)
	}
	return w.moved(p, injury, got, err, func() error {
		if p.claimed != nil {
			w.tell("claimed again", p.origin(), " ", p.status)
			return nil
		}
		w.tell("claimed", p.origin())
		w.model.claim(p)
		return nil
	})
}

// duel confirms and cancels a payment at once: one of the two gets through, if any.
func (w *modelWalk) duel(s modelStep) error {
	p := w.some(s.n[0])
	if p == nil {
		return nil
	}
	w.touch(p)
	who := p.requisite.trader.Caller
	var confirmed, cancelled error
	var wg sync.WaitGroup
	wg.Go(func() { _, confirmed = w.service.Confirm(w.ctx, who, p.id) })
	wg.Go(func() { _, cancelled = w.service.Cancel(w.ctx, who, p.id, nil) })
	wg.Wait()
	w.tell("duel", "payment ", p.id)
	switch {
	case p.status != "pending":
		return errors.Join(
			errUnlessCode(confirmed, "payment_not_pending"),
			errUnlessCode(cancelled, "payment_not_pending"),
		)
	case confirmed == nil:
		w.model.move(p, "completed", who.Actor(), nil, nil)
		return errUnlessCode(cancelled, "payment_not_pending")
	default:
		w.model.move(p, "cancelled", who.Actor(), nil, nil)
		return errors.Join(cancelled, errUnlessCode(confirmed, "payment_not_pending"))
	}
}

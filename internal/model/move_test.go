package model_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	application := caller.Caller{Kind: caller.Application}
	update := payment.Update{Status: pickModel(modelStatuses, s.n[1])}
	if s.n[2]%3 == 0 {
		update.Reason = modelText("reason " + strconv.Itoa(s.n[2]%100))
	}
	if s.n[3]%4 == 0 {
		update.ProviderPaymentID = modelText("provider-" + strconv.Itoa(s.n[3]%100))
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
		} else if update.ProviderPaymentID != nil && !injury.lost() {
			p.provider = update.ProviderPaymentID
		} else if update.ProviderPaymentID != nil { // whoever does not learn the outcome repeats the call
			_, _, err := w.service.UpdateStatus(w.ctx, application, p.id, update)
			p.provider = update.ProviderPaymentID
			return err
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
			w.ctx, caller.Caller{Kind: caller.Operator, Role: caller.Admin}, strconv.FormatInt(p.id, 10),
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
	return w.traderMove(s, "completed", nil, w.service.Confirm)
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
	p := pickRecord(w, s.n[0], w.model.payments, wanted)
	if p == nil {
		return nil
	}
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
	who := p.requisite.trader.Caller
	refusal := ""
	if p.status != "pending" {
		refusal = "payment_not_pending"
	}
	move := func(to string) func() { return func() { w.model.move(p, to, who.Actor(), nil, nil) } }
	w.tell("duel", "payment ", p.id)
	return rivalsAtOnce([]modelRival{{
		refusal: refusal, late: "payment_not_pending", apply: move("completed"),
		call: func() error { return errOf(w.service.Confirm(w.ctx, who, p.id)) },
	}, {
		refusal: refusal, late: "payment_not_pending", apply: move("cancelled"),
		call: func() error { return errOf(w.service.Cancel(w.ctx, who, p.id, nil)) },
	}})
}

func (w *modelWalk) expire(s modelStep) error {
	ctx, injury := w.injured(s)
	count, err := w.service.Expire(ctx)
	return swept(w, modelSweep[*modelPayment]{
		what: "expired", due: w.model.expired(), apply: w.model.expire,
		done: "select status = 'failed' from payment where id = $1",
	}, injury, count, err)
}

func (w *modelWalk) settle(s modelStep) error {
	ctx, injury := w.injured(s)
	count, err := w.service.Settle(ctx)
	return swept(w, modelSweep[*modelPayment]{
		what: "settled", due: w.model.settleable(), apply: w.model.settle,
		done: "select not rate_unavailable from payment where id = $1",
	}, injury, count, err)
}

func (w *modelWalk) expirePayouts(s modelStep) error {
	ctx, injury := w.injured(s)
	count, err := w.payouts.Expire(ctx)
	return swept(w, modelSweep[*modelPayout]{
		what: "payout expired", due: w.model.expiredPayouts(), apply: w.model.expirePayout,
		done: "select status = 'expired' from payin where id = $1",
	}, injury, count, err)
}

// modelSweep is what a sweep should do.
type modelSweep[T modelSource] struct {
	what  string
	due   []T
	apply func(T)
	// done asks the database whether one was done, by id.
	done string
}

// swept judges a sweep, which takes one record a transaction. A sweep cut short has done some of
// them; each must be done wholly or not at all, and which were is read from the database. The next
// process's sweep does the rest.
func swept[T interface {
	modelSource
	modelRecord
}](w *modelWalk, sweep modelSweep[T], i *injury, count int, err error) error {
	for _, p := range sweep.due {
		w.touch(p)
	}
	if i.fired {
		w.tell(sweep.what+" cut short", i.kind, " at ", i.seen)
		if i.failed != nil || err == nil {
			return fmt.Errorf("a sweep cut short answers %w (%w)", orNone(err), orNone(i.failed))
		}
		// What failed is put off for a while of real time, but not by the next process.
		if err := w.restart(); err != nil {
			return err
		}
	} else if err != nil || count != len(sweep.due) {
		return fmt.Errorf("%s %d, not %d: %w", sweep.what, count, len(sweep.due), orNone(err))
	}
	for _, p := range sweep.due {
		done := true
		if i.fired {
			if err := w.check.QueryRow(w.ctx, sweep.done, p.origin().id).Scan(&done); err != nil {
				return err
			}
		}
		if done {
			w.tell(sweep.what, p.origin())
			sweep.apply(p)
		}
	}
	return nil
}

// modelHistory is what is to be found in a record's history: who moved it where and why.
type modelHistory struct{ moves []modelMove }

type modelMove struct {
	actor, from, to string
	reason          *string
	at              time.Time
}

// begin notes the creation, move a later change.
func (h *modelHistory) begin(actor, status string, at time.Time) {
	h.moves = append(h.moves, modelMove{actor: actor, to: status, at: at})
}

func (m modelMove) String() string {
	return fmt.Sprintf("%s %s %s %s %s", m.actor, m.from, m.to, deref(m.reason), m.at.UTC().Format(time.RFC3339Nano))
}

// lookAtHistory wants the number of moves and, word by word, the last two.
func lookAtHistory(b *pgx.Batch, kind string, merchantID, id int64, h *modelHistory) {
	b.Queue(fmt.Sprintf(`
		select (count(*) over ())::int, actor, coalesce(from_status, ''), to_status, reason, at
		from %[1]s_history where merchant_id = $1 and %[1]s_id = $2 order by id desc limit 2`, kind), merchantID, id,
	).Query(func(rows pgx.Rows) error {
		var count int
		var found []string
		var m modelMove
		_, err := pgx.ForEachRow(rows, []any{&count, &m.actor, &m.from, &m.to, &m.reason, &m.at}, func() error {
			found = append(found, m.String())
			return nil
		})
		if err != nil {
			return err
		}
		var want []string
		for i := len(h.moves) - 1; i >= 0 && len(want) < 2; i-- {
			want = append(want, h.moves[i].String())
		}
		if got, want := strings.Join(found, ", "), strings.Join(want, ", "); count != len(h.moves) || got != want {
			return fmt.Errorf("history of %s %d: %d moves, the last: %s; not %d: %s", kind, id, count, got,
				len(h.moves), want)
		}
		return nil
	})
}

package model_test

import "fmt"

func (w *modelWalk) expire(s modelStep) error {
	ctx, injury := w.injured(s)
	count, err := w.service.Expire(ctx)
	return swept(w, modelSweep[*modelPayment]{
		what:  "expired",
		due:   w.model.expired(),
		apply: w.model.expire,
		done:  "select status = 'failed' from payment where id = $1",
	}, injury, count, err)
}

func (w *modelWalk) settle(s modelStep) error {
	ctx, injury := w.injured(s)
	count, err := w.service.Settle(ctx)
	return swept(w, modelSweep[*modelPayment]{
		what:  "settled",
		due:   w.model.settleable(),
		apply: w.model.settle,
		done:  "select not rate_unavailable from payment where id = $1",
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

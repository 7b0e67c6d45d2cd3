package model_test

import (
	"errors"
	"fmt"
	"sync"

	"gateway.example/internal/payout"
)

// modelRival is one of two who want to move a payout at the same time.
type modelRival struct {
	call func() error
	// refusal is why they could not, even alone; late is what the second of two is told.
	refusal, late string
	apply         func()
}

// duelPayout has a merchant take back what a trader takes, or a trader complete what an operator
// ends as failed: one of the two gets through, if any.
func (w *modelWalk) duelPayout(s modelStep) error {
	p := w.somePayout(s.n[0], (*modelPayout).open)
	if p == nil {
		return nil
	}
	w.touch(p)
	w.tell("payout duel", p.origin())
	rivals := w.rivalsForWaiting(p, pickModel(w.model.traders, s.n[1]))
	if p.trader != nil {
		rivals = w.rivalsForProcessing(p)
	}
	errs := make([]error, len(rivals))
	var wg sync.WaitGroup
	for i, r := range rivals {
		wg.Go(func() { errs[i] = r.call() })
	}
	wg.Wait()
	return judgeRivals(rivals, errs)
}

func judgeRivals(rivals []modelRival, errs []error) error {
	var wrong []error
	able, moved := 0, 0
	for i, r := range rivals {
		switch {
		case r.refusal != "":
			wrong = append(wrong, errUnlessCode(errs[i], r.refusal))
			continue
		case errs[i] != nil:
			wrong = append(wrong, errUnlessCode(errs[i], r.late))
		default:
			if moved++; moved == 1 {
				r.apply()
			}
		}
		able++
	}
	if moved != min(able, 1) {
		wrong = append(wrong, fmt.Errorf("%d of %d at once got through", moved, able))
	}
	return errors.Join(wrong...)
}

func (w *modelWalk) rivalsForWaiting(p *modelPayout, trader *modelTrader) []modelRival {
	merchant := w.merchantOf(p.merchantID).Caller
	withdraw := modelRival{
		late: "payin_not_waiting",
		call: func() error { _, err := w.payouts.Cancel(w.ctx, merchant, p.uuid); return err },
		apply: func() {
			w.movedPayout(p, "cancelled")
			w.model.endPayout(p, "cancelled", merchant.Actor(), nil, nil)
		},
	}
	if p.status != "waiting" {
		withdraw.refusal = "payin_not_waiting"
	}
	return []modelRival{withdraw, {
		refusal: w.model.refuseTake(p, trader), late: "payin_not_waiting",
		call: func() error { _, err := w.payouts.Take(w.ctx, trader.Caller, p.uuid); return err },
		apply: func() {
			w.movedPayout(p, "processing")
			w.model.take(p, trader)
		},
	}}
}

func (w *modelWalk) rivalsForProcessing(p *modelPayout) []modelRival {
	refusal := ""
	if p.status != "processing" {
		refusal = "payin_not_processing"
	}
	end := func(to, actor string, proof *string) func() {
		return func() {
			w.movedPayout(p, to)
			w.model.endPayout(p, to, actor, nil, proof)
		}
	}
	proof := modelText("at the same time")
	return []modelRival{{
		refusal: refusal, late: "payin_not_processing", apply: end("completed", p.trader.Caller.Actor(), proof),
		call: func() error { _, err := w.payouts.Complete(w.ctx, p.trader.Caller, p.uuid, proof); return err },
	}, {
		refusal: refusal, late: "payin_not_processing", apply: end("failed", modelOperator.Actor(), nil),
		call: func() error {
			_, err := w.payouts.Resolve(w.ctx, modelOperator, p.uuid, payout.Resolution{Outcome: "failed"})
			return err
		},
	}}
}

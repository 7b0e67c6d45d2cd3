package model_test

import (
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/audit"
	"gateway.example/internal/ledger"
)

// audit proves everything at once: the gateway's own audit, and the model against all tables.
func (w *modelWalk) audit() error {
	violations, err := audit.Everything(w.ctx, w.db.Pool)
	if err != nil {
		return err
	}
	if len(violations) > 0 {
		return fmt.Errorf("audit: %v", violations)
	}
	for account, units := range w.model.accounts {
		balance, err := ledger.Balance(w.ctx, w.db.Queries(), account)
		if err != nil || !balance.Equal(decimal.New(units, -8)) {
			return fmt.Errorf(
				"%s %d: ledger.Balance %s, not %d: %w",
				account.Owner,
				account.OwnerID,
				balance,
				units,
				orNone(err),
			)
		}
	}
	b := &pgx.Batch{}
	w.lookAtCounts(b)
	w.lookAtSlots(b)
	return w.check.SendBatch(w.ctx, b).Close()
}

// counts are how many rows each table must have: what a refused or an aborted step left behind
// would be too many.
func (w *modelWalk) counts() map[string]int {
	m := w.model
	counts := map[string]int{
		"payment": len(m.payments), "payment_key": len(m.keys), "payin": len(m.payouts), "payin_key": len(m.payoutKeys),
		"deposit": len(m.deposits), "setting_change": m.settings,
	}
	for _, p := range m.payments {
		counts["webhook_event"] += len(p.events)
		counts["payment_history"] += len(p.moves)
		if p.appeal != nil {
			counts["appeal"]++
			counts["(select distinct payment_id from appeal_chunk) as files"]++
		}
		p.checkout.count(counts)
	}
	for _, p := range m.payouts {
		counts["webhook_event"] += len(p.events)
		counts["payin_history"] += len(p.moves)
	}
	for _, d := range m.deposits {
		counts["deposit_history"] += len(d.moves)
	}
	// Exactly what is pending is queued.
	counts[`(select 1 from webhook_event e full join webhook_delivery d on d.merchant_id = e.merchant_id and d.event_id = e.id
		where coalesce(e.status = 'pending', false) <> coalesce(d.round = e.round, false)) as astray`] = 0
	return counts
}

func (w *modelWalk) lookAtCounts(b *pgx.Batch) {
	for table, want := range w.counts() {
		b.Queue("select count(*) from " + table).QueryRow(func(row pgx.Row) error {
			var count int
			if err := row.Scan(&count); err != nil {
				return err
			}
			if count != want {
				return fmt.Errorf("%s has %d rows, not %d", table, count, want)
			}
			return nil
		})
	}
}

// lookAtSlots compares all reservations; that no two share requisite and amount is their key.
func (w *modelWalk) lookAtSlots(b *pgx.Batch) {
	b.Queue("select requisite_id, (amount * 100)::bigint, payment_id, free_at = 'infinity' from requisite_slot where free_at > $1",
		w.model.now).
		Query(func(rows pgx.Rows) error {
			count := 0
			var slot modelSlot
			var payment int64
			var held bool
			_, err := pgx.ForEachRow(rows, []any{&slot.requisite, &slot.amount, &payment, &held}, func() error {
				count++
				if hold, _ := w.model.held(slot); hold.payment != payment || hold.free.IsZero() != held {
					return fmt.Errorf("slot %v: payment %d, held %t; not %v", slot, payment, held, hold)
				}
				return nil
			})
			for slot := range w.model.slots {
				if _, held := w.model.held(slot); held {
					count--
				}
			}
			if err == nil && count != 0 {
				err = fmt.Errorf("%d reservations too many", count)
			}
			return err
		})
}

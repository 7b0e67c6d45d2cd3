package model_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// modelRecord is something a step may have changed.
type modelRecord interface {
	// look queues the questions that tell whether the database has of it what the model has.
	look(w *modelWalk, b *pgx.Batch)
}

// touch notes what the present step may have changed.
func (w *modelWalk) touch(records ...modelRecord) {
	for _, r := range records {
		if !slices.Contains(w.touched, r) {
			w.touched = append(w.touched, r)
		}
	}
}

// verify compares with the model after a step, all in one round trip: every balance, everything
// there is of the records the step was about, and the delivery jobs, once the relay has queued
// them.
func (w *modelWalk) verify() error {
	w.told = w.told[:0]
	if err := w.hooks.relay.Run(w.ctx); err != nil {
		return err
	}
	b := &pgx.Batch{}
	w.lookAtBalances(b)
	for _, r := range w.touched {
		r.look(w, b)
	}
	w.lookAtDeliveries(b)
	return w.check.SendBatch(w.ctx, b).Close()
}

func (w *modelWalk) lookAtBalances(b *pgx.Batch) {
	b.Queue(`
		select a.id, (b.balance * 1e8)::bigint + coalesce(w.units, 0),
			b.balance < 0 and not b.overdrawn and a.owner_kind <> 'external'
		from account a left join account_balance b on b.account_id = a.id left join (
			select account_id, (sum(amount) * 1e8)::bigint as units from account_pending group by account_id
		) w on w.account_id = a.id`,
	).Query(func(rows pgx.Rows) error {
		found := map[int64]int64{}
		var id, units int64
		var short bool
		_, err := pgx.ForEachRow(rows, []any{&id, &units, &short}, func() error {
			found[id] = units
			if short {
				return fmt.Errorf("account %d is short though nobody forced it", id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return w.verifyBalances(found)
	})
}

// verifyBalances wants the model's balances, of which the reserved ones must be what is open.
func (w *modelWalk) verifyBalances(found map[int64]int64) error {
	sum, open := int64(0), w.model.open()
	for account, units := range w.model.accounts {
		if found[account.ID()] != units {
			return fmt.Errorf(
				"%s %d, reserved %t: balance %d, not %d",
				account.Owner,
				account.OwnerID,
				account.Reserved,
				found[account.ID()],
				units,
			)
		}
		if account.Reserved && open[account] != units {
			return fmt.Errorf("%s %d: reserved %d, open are %d", account.Owner, account.OwnerID, units, open[account])
		}
	}
	for _, units := range found {
		sum += units
	}
	if sum != 0 {
		return fmt.Errorf("all accounts together hold %d", sum)
	}
	return nil
}

// open are the reserved balances as they follow from what is open: traders' holds, payouts,
// insurance.
func (m *gatewayModel) open() map[ledger.Account]int64 {
	sums := map[ledger.Account]int64{}
	for _, p := range m.payments {
		if p.status == "pending" || p.status == "appeal" || p.due() {
			sums[ledger.Reserved(ledger.Trader, p.requisite.trader.ID)] += p.hold
		}
	}
	for _, p := range m.payouts {
		if p.open() {
			sums[ledger.Reserved(ledger.Cashbox, p.box.id)] += p.frozen
		}
	}
	for _, merchant := range m.merchants {
		for _, box := range merchant.boxes {
			sums[ledger.Reserved(ledger.Cashbox, box.id)] += box.insurance
		}
	}
	return sums
}

// lookAtDeliveries wants a delivery queued for each new event.
func (w *modelWalk) lookAtDeliveries(b *pgx.Batch) {
	b.Queue("select event_id from webhook_delivery where attempts = 0").Query(func(rows pgx.Rows) error {
		queued, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil {
			return err
		}
		for _, id := range w.told {
			if !slices.Contains(queued, id) {
				return fmt.Errorf("event %s is not queued", id)
			}
		}
		return nil
	})
}

// hear notes a new event, which must have a job.
func (w *modelWalk) hear(id uuid.UUID) { w.told = append(w.told, id) }

func (p *modelPayment) look(w *modelWalk, b *pgx.Batch) {
	b.Queue("select * from payment where merchant_id = $1 and id = $2", p.merchantID, p.id).
		Query(func(rows pgx.Rows) error {
			row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[db.Payment])
			if err == nil {
				err = w.sameRow(p, row)
			}
			return in("the database", err)
		})
	lookAtHistory(b, "payment", p.merchantID, p.id, &p.modelHistory)
	p.lookAround(w, b)
	p.lookAtAppeal(b)
	p.lookAtCheckout(w, b)
	lookAtEvents(w, b, p)
}

// in says where an error was found, if there is one.
func in(where string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("in %s: %w", where, err)
}

// lookAround compares a payment's due settlement and its reservation.
func (p *modelPayment) lookAround(w *modelWalk, b *pgx.Batch) {
	b.Queue(`
		select exists (select 1 from settlement_due where merchant_id = $1 and payment_id = $2),
			s.payment_id, to_char(s.free_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.MS')
		from (select) as one left join requisite_slot s on s.requisite_id = $3 and s.amount = $4 and s.free_at > $5`,
		p.merchantID, p.id, p.requisite.id, decimal.New(p.amount, -2), w.model.now,
	).QueryRow(func(row pgx.Row) error {
		var due bool
		var holder *int64
		var free *string
		if err := row.Scan(&due, &holder, &free); err != nil {
			return err
		}
		if due != p.due() {
			return fmt.Errorf("payment %d: due for settlement: %t", p.id, due)
		}
		hold, held := w.model.held(p.slot())
		if held != (holder != nil) || held && (*holder != hold.payment || !sameFree(free, hold.free)) {
			return fmt.Errorf("payment %d: reservation of %v until %s, not %v", p.id, orZero(holder), deref(free), hold)
		}
		return nil
	})
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// sameFree compares when a slot is free: infinity has no text in the database's words, and is zero
// in the model's.
func sameFree(free *string, want time.Time) bool {
	if want.IsZero() {
		return free == nil || *free == ""
	}
	return free != nil && *free == want.Format("2006-01-02 15:04:05.000")
}

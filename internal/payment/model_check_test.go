package payment_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
	"gateway/internal/ledger"
)

// verify compares with the model after a step: every balance, and all there is of the payments the step was about.
func (w *modelWalk) verify() error {
	if err := w.verifyBalances(); err != nil {
		return err
	}
	var told []uuid.UUID
	for _, p := range w.touched {
		events, err := w.verifyPayment(p)
		if err != nil {
			return err
		}
		told = append(told, events...)
	}
	return w.verifyJobs(told)
}

func (w *modelWalk) verifyBalances() error {
	rows, err := w.check.Query(w.ctx, `
		select a.id, ((a.balance + coalesce((select sum(w.amount) from account_pending w where w.account_id = a.id), 0)) * 1e8)::bigint,
			a.balance < 0 and not a.overdrawn and a.owner_kind <> 'external'
		from account a`)
	if err != nil {
		return err
	}
	found, sum := map[int64]int64{}, int64(0)
	var id, units int64
	var short bool
	_, err = pgx.ForEachRow(rows, []any{&id, &units, &short}, func() error {
		found[id], sum = units, sum+units
		if short {
			return fmt.Errorf("account %d is short though nobody forced it", id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for account, units := range w.model.accounts {
		if found[account.ID()] != units {
			return fmt.Errorf("%s %d, reserved %t: balance %d, not %d", account.Owner, account.OwnerID, account.Reserved,
				found[account.ID()], units)
		}
	}
	if sum != 0 {
		return fmt.Errorf("all accounts together hold %d", sum)
	}
	return nil
}

// verifyPayment answers the ids of the events that are new.
func (w *modelWalk) verifyPayment(p *modelPayment) ([]uuid.UUID, error) {
	row, err := db.New(w.db.Pool).PaymentFind(w.ctx, p.id)
	if err != nil {
		return nil, err
	}
	if err := w.same(p, row); err != nil {
		return nil, fmt.Errorf("in the database: %w", err)
	}
	if err := w.verifyRest(p); err != nil {
		return nil, fmt.Errorf("payment %d: %w", p.id, err)
	}
	ids, err := w.verifyEvents(p)
	if err != nil {
		return nil, fmt.Errorf("payment %d: %w", p.id, err)
	}
	return ids, nil
}

// verifyRest compares what stands around a payment's row: history, due settlement, reservation.
func (w *modelWalk) verifyRest(p *modelPayment) error {
	var moves int
	var last string
	var due bool
	var holder *int64
	var free *string
	err := w.check.QueryRow(w.ctx, `
		select (select count(*) from payment_history where merchant_id = $1 and payment_id = $2),
			(select concat_ws(' ', actor, from_status, to_status, to_json(reason)) from payment_history
				where merchant_id = $1 and payment_id = $2 order by id desc limit 1),
			exists (select from settlement_due where merchant_id = $1 and payment_id = $2),
			s.payment_id, to_char(s.free_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.MS')
		from (select) as one left join requisite_slot s on s.requisite_id = $3 and s.amount = $4 and s.free_at > $5`,
		p.merchantID, p.id, p.requisite.id, decimal.New(p.amount, -2), w.model.now).Scan(&moves, &last, &due, &holder, &free)
	if err != nil {
		return err
	}
	want := p.actor + " " + p.status
	if n := len(p.events); n > 0 {
		want = p.actor + " " + p.events[n-1].from + " " + p.status
		if p.reason != nil {
			want += " " + deref(p.reason)
		}
	}
	hold, held := w.model.held(p.slot())
	switch {
	case moves != len(p.events)+1 || last != want:
		return fmt.Errorf("history has %d rows up to %q, not %d up to %q", moves, last, len(p.events)+1, want)
	case due != p.due():
		return fmt.Errorf("due for settlement: %t", due)
	case held != (holder != nil) || held && (*holder != hold.payment || !sameFree(free, hold.free)):
		return fmt.Errorf("reservation of %v until %s, not %v", orZero(holder), deref(free), hold)
	}
	return nil
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// sameFree compares when a slot is free: infinity has no text in the database's words, and is zero in the model's.
func sameFree(free *string, want time.Time) bool {
	if want.IsZero() {
		return free == nil || *free == ""
	}
	return free != nil && *free == want.Format("2006-01-02 15:04:05.000")
}

// verifyEvents wants exactly one event for each change since the last look, numbered on without a gap.
func (w *modelWalk) verifyEvents(p *modelPayment) ([]uuid.UUID, error) {
	rows, err := w.check.Query(w.ctx, `
		select id, sequence, cashbox_id, type, url, body from webhook_event
		where merchant_id = $1 and subject = 'payment' and subject_id = $2 and sequence > $3 order by sequence`,
		p.merchantID, p.id, p.seen)
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	var id uuid.UUID
	var sequence int
	var box int64
	var kind, url string
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&id), &sequence, &box, &kind, &url, &body}, func() error {
		if p.seen++; sequence != p.seen || p.seen > len(p.events) {
			return fmt.Errorf("event %d is there, %d was to come of %d", sequence, p.seen, len(p.events))
		}
		if box != p.box.id || kind != "payment.status.updated" || url != p.callback {
			return fmt.Errorf("event %d: cashbox %d, type %s, to %s", sequence, box, kind, url)
		}
		ids = append(ids, id)
		w.hooks.expect(id, p, body)
		return p.verifyBody(id, sequence, body)
	})
	if err == nil && p.seen != len(p.events) {
		err = fmt.Errorf("%d events, not %d", p.seen, len(p.events))
	}
	return ids, err
}

// verifyBody compares a webhook with the document's: interface, "Events".
func (p *modelPayment) verifyBody(id uuid.UUID, sequence int, body []byte) error {
	event := p.events[sequence-1]
	want, err := json.Marshal(map[string]any{
		"type": "payment.status.updated", "eventId": id, "createdAt": event.at.Format("2006-01-02T15:04:05.000Z"),
		"data": map[string]any{
			"uuid": p.uuid, "orderId": p.order, "status": strings.ToUpper(event.to),
			"amount": fmt.Sprintf("%d.%02d", p.amount/100, p.amount%100), "currency": p.currency,
		},
		"meta": map[string]any{
			"id": p.id, "method": p.method, "previousStatus": strings.ToUpper(event.from), "reason": event.reason,
			"sequence": sequence,
		},
	})
	if err != nil {
		return err
	}
	var got any
	if err := json.Unmarshal(body, &got); err != nil {
		return err
	}
	if sorted, _ := json.Marshal(got); !bytes.Equal(sorted, want) {
		return fmt.Errorf("event says %s, not %s", sorted, want)
	}
	return nil
}

// verifyJobs wants one delivery job for each new event and no other.
func (w *modelWalk) verifyJobs(told []uuid.UUID) error {
	rows, err := w.check.Query(w.ctx,
		"select id, coalesce(args->>'event_id', kind) from river_job where id > $1 and kind = 'webhook' order by id", w.lastJob)
	if err != nil {
		return err
	}
	jobs := map[string]int{}
	var event string
	_, err = pgx.ForEachRow(rows, []any{&w.lastJob, &event}, func() error {
		jobs[event]++
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range told {
		if jobs[id.String()] != 1 {
			return fmt.Errorf("event %s has %d jobs", id, jobs[id.String()])
		}
	}
	if len(jobs) != len(told) {
		return fmt.Errorf("%d events, %d delivery jobs", len(told), len(jobs))
	}
	return nil
}

// audit proves everything at once: the gateway's own audit, and the model against all tables.
func (w *modelWalk) audit() error {
	violations, err := ledger.Audit(w.ctx, w.db.Pool)
	if err != nil {
		return err
	}
	if len(violations) > 0 {
		return fmt.Errorf("audit: %v", violations)
	}
	sums := map[ledger.Account]int64{}
	events := 0
	for _, p := range w.model.payments {
		events += len(p.events)
		if account := ledger.Reserved(ledger.Trader, p.requisite.trader.ID); p.position()[account] != 0 {
			sums[account] += p.hold
		}
	}
	for account, units := range w.model.accounts {
		balance, err := ledger.Balance(w.ctx, w.db.Queries(), account)
		if err != nil || !balance.Equal(decimal.New(units, -8)) {
			return fmt.Errorf("%s %d: ledger.Balance %s, not %d: %w", account.Owner, account.OwnerID, balance, units, orNone(err))
		}
		if account.Reserved && sums[account] != units {
			return fmt.Errorf("%s %d: reserved %d, open holds %d", account.Owner, account.OwnerID, units, sums[account])
		}
	}
	return errors.Join(w.auditCounts(events), w.auditSlots())
}

func (w *modelWalk) auditCounts(events int) error {
	payments := len(w.model.payments)
	for table, want := range map[string]int{
		"payment": payments, "payment_key": len(w.model.keys), "payment_history": payments + events, "webhook_event": events,
		"river_job": events,
	} {
		var count int
		if err := w.check.QueryRow(w.ctx, "select count(*) from "+table).Scan(&count); err != nil {
			return err
		}
		if count != want {
			return fmt.Errorf("%s has %d rows, not %d", table, count, want)
		}
	}
	return nil
}

// auditSlots compares all reservations; that no two share requisite and amount is their key.
func (w *modelWalk) auditSlots() error {
	rows, err := w.check.Query(w.ctx,
		"select requisite_id, (amount * 100)::bigint, payment_id, free_at = 'infinity' from requisite_slot where free_at > $1",
		w.model.now)
	if err != nil {
		return err
	}
	count := 0
	var slot modelSlot
	var payment int64
	var held bool
	_, err = pgx.ForEachRow(rows, []any{&slot.requisite, &slot.amount, &payment, &held}, func() error {
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
}

package model_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// modelRecord is something a step may have changed.
type modelRecord interface {
	// look queues the questions that tell whether the database has of it
	// what the model has.
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

// verify compares with the model after a step, all in one round trip: every
// balance, everything there is of the records the step was about, and the
// delivery jobs, once the relay has queued them.
func (w *modelWalk) verify() {
	w.told = w.told[:0]
	must(w.hooks.relay.Run(w.ctx))
	b := &pgx.Batch{}
	w.lookAtMoney(b)
	w.lookAtBalances(b)
	for _, r := range w.touched {
		r.look(w, b)
	}
	lookAt(b, "select event_id from webhook_delivery where attempts = 0", nil, func(rows pgx.Rows) {
		queued := given(pgx.CollectRows(rows, pgx.RowTo[uuid.UUID]))
		for _, id := range w.told {
			if !slices.Contains(queued, id) {
				fail("event %s is not queued", id)
			}
		}
	})
	must(w.check.SendBatch(w.ctx, b).Close())
}

// lookAt queues a question, and what its answer is judged by.
func lookAt(b *pgx.Batch, sql string, args []any, judge func(rows pgx.Rows)) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		judge(rows)
		return nil
	})
}

// each does something with every row, once it is scanned.
func each(rows pgx.Rows, do func(), into ...any) {
	must(testenv.ErrOf(pgx.ForEachRow(rows, into, func() error {
		do()
		return nil
	})))
}

// lookAtOne queues a question about one row, scans it, and judges it.
func lookAtOne(b *pgx.Batch, sql string, args, into []any, judge func()) {
	b.Queue(sql, args...).QueryRow(func(row pgx.Row) error {
		must(row.Scan(into...))
		judge()
		return nil
	})
}

// lookAtMoney wants money that came for no payment to be where it is in the
// model.
func (w *modelWalk) lookAtMoney(b *pgx.Batch) {
	lookAt(b, "select id, state, coalesce(payment_id, 0) from arrival", nil, func(rows pgx.Rows) {
		var id, of int64
		var state string
		each(rows, func() {
			for _, a := range w.model.moneys {
				if a.id == id && (a.state != state || a.payment != of) {
					fail("money %d is %s of %d, not %s of %d", id, state, of, a.state, a.payment)
				}
			}
		}, &id, &state, &of)
	})
}

// lookAtBalances wants the model's balances, of which the reserved ones must be
// what is open.
func (w *modelWalk) lookAtBalances(b *pgx.Batch) {
	lookAt(b, `
		select a.id, (b.balance * 1e8)::bigint + coalesce(w.units, 0),
			b.balance < 0 and not b.overdrawn and a.owner_kind <> 'external'
		from account a left join account_balance b on b.account_id = a.id left join (
			select account_id, (sum(amount) * 1e8)::bigint as units from account_pending group by account_id
		) w on w.account_id = a.id`, nil, func(rows pgx.Rows) {
		found := map[int64]int64{}
		var id, units int64
		var short bool
		sum, open := int64(0), w.model.open()
		each(rows, func() {
			sum += units
			if found[id] = units; short {
				fail("account %d is short though nobody forced it", id)
			}
		}, &id, &units, &short)
		for account, units := range w.model.accounts {
			if found[account.ID()] != units || account.Reserved && open[account] != units {
				fail("%s %d, reserved %t: balance %d, not %d, and open are %d", account.Owner, account.OwnerID, account.Reserved,
					found[account.ID()], units, open[account])
			}
		}
		if sum != 0 {
			fail("all accounts together hold %d", sum)
		}
	})
}

// open are the reserved balances as they follow from what is open: traders'
// holds, payouts, withdrawals, insurance.
func (m *gatewayModel) open() map[ledger.Account]int64 {
	sums := map[ledger.Account]int64{}
	for _, p := range m.payments {
		if p.status == "pending" || p.status == "appeal" || p.due() {
			sums[ledger.Reserved(ledger.Trader, p.requisite.trader.ID)] += p.hold
		}
	}
	for _, p := range m.payouts {
		if p.open() {
			sums[p.holder()] += p.frozen
		}
	}
	for _, l := range m.leaves {
		for account, units := range l.position() {
			if account.Reserved {
				sums[account] += units
			}
		}
	}
	for _, merchant := range m.merchants {
		for _, box := range merchant.boxes {
			sums[ledger.Reserved(ledger.Cashbox, box.id)] += box.insurance
		}
	}
	return sums
}

// lookAtRow compares the row of a record in its own table, and more of it than
// readers are shown.
func lookAtRow[T any](b *pgx.Batch, table string, id int64, want, more modelFields) {
	maps.Copy(want, more)
	lookAt(b, "select * from "+table+" where id = $1", []any{id}, func(rows pgx.Rows) {
		row := given(pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T]))
		wantFields(fmt.Sprint("the row of ", table, " ", id), row, want)
	})
}

func (p *modelPayment) look(w *modelWalk, b *pgx.Batch) {
	lookAtRow[db.Payment](b, "payment", p.id, p.shown().renamed("ClaimedAt", "PayerClaimedAt"), modelFields{
		"CallbackURI": p.callback, "ProviderPaymentID": p.provider, "MarkupSource": p.source, "HoldUSDT": usdt(p.hold),
		"DifferenceUSDT": usdt(p.difference),
	})
	lookAtHistory(b, "payment", p.merchantID, p.id, &p.modelHistory)
	p.lookAround(w, b)
	p.lookAtAppeal(b)
	p.lookAtCheckout(w, b)
	lookAtEvents(w, b, p)
}

// modelFields are what is to be found of a record, by the names of its fields.
type modelFields map[string]any

func (f modelFields) renamed(from, to string) modelFields {
	f[to] = f[from]
	delete(f, from)
	return f
}

// wantFields ends the step at the first field of what is found that differs
// from what it is to be.
func wantFields(record, found any, want modelFields) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got := reflect.ValueOf(found).FieldByName(name)
		if !got.IsValid() {
			fail("%T has no %s", found, name)
		}
		sameFields(record, []modelField{{name, got.Interface(), want[name]}})
	}
}

// modelField is what is found of a record, and what is to be.
type modelField struct {
	name      string
	got, want any
}

// sameFields ends the step at the first field that differs.
func sameFields(record any, fields []modelField) {
	for _, f := range fields {
		if got, want := said(f.got), said(f.want); got != want {
			fail("%s: %s is %q, not %q", record, f.name, got, want)
		}
	}
}

// differing are the names of the fields that differ.
func differing(fields []modelField) (names []string) {
	for _, f := range fields {
		if said(f.got) != said(f.want) {
			names = append(names, f.name)
		}
	}
	return names
}

// said is a value as it is compared: a time in UTC, and null where there is
// none.
func said(value any) string {
	switch v := value.(type) {
	case *string:
		if v != nil {
			return strconv.Quote(*v)
		}
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case decimal.NullDecimal:
		if v.Valid {
			return v.Decimal.String()
		}
		return "null"
	}
	switch of := reflect.ValueOf(value); {
	case of.Kind() != reflect.Pointer:
		return fmt.Sprint(value)
	case of.IsNil():
		return "null"
	default:
		return said(of.Elem().Interface())
	}
}

// lookAround compares a payment's due settlement and its reservation.
func (p *modelPayment) lookAround(w *modelWalk, b *pgx.Batch) {
	var due bool
	var holder int64
	var free string // infinity has no text, and is zero in the model's words
	lookAtOne(b, `
		select exists (select 1 from settlement_due where merchant_id = $1 and payment_id = $2),
			coalesce(s.payment_id, 0), coalesce(to_char(s.free_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.MS'), '')
		from (select) as one left join requisite_slot s on s.requisite_id = $3 and s.amount = $4 and s.free_at > $5`,
		[]any{p.merchantID, p.id, p.requisite.id, decimal.New(p.missing(), -2), w.model.now}, []any{&due, &holder, &free},
		func() {
			hold, held := w.model.held(p.slot())
			from := ""
			if !held {
				hold.payment = 0
			} else if !hold.free.IsZero() {
				from = hold.free.Format("2006-01-02 15:04:05.000")
			}
			sameFields(p.origin(), []modelField{
				{"due", due, p.due()}, {"reserved for", holder, hold.payment}, {"free from", free, from},
			})
		})
}

// audit proves everything at once: the gateway's own audit, and the model
// against all tables.
func (w *modelWalk) audit() {
	if violations := given(audit.Everything(w.ctx, w.db.Pool)); len(violations) > 0 {
		fail("audit: %v", violations)
	}
	for account, units := range w.model.accounts {
		balance := given(ledger.Balance(w.ctx, w.db.Queries(), account))
		sameFields(account, []modelField{{"ledger.Balance", balance.Shift(8), units}})
	}
	b := &pgx.Batch{}
	for table, want := range w.counts() {
		var count int
		lookAtOne(b, "select count(*) from "+table, nil, []any{&count}, func() {
			if count != want {
				fail("%s has %d rows, not %d", table, count, want)
			}
		})
	}
	w.lookAtSlots(b)
	w.chain.look(w, b)
	w.lookAtMessages(b)
	must(w.check.SendBatch(w.ctx, b).Close())
}

// counts are how many rows each table must have: what a refused or an aborted
// step left behind would be too many.
func (w *modelWalk) counts() map[string]int {
	m := w.model
	counts := map[string]int{
		"payment": len(m.payments), "payment_key": len(m.keys), "payin": len(m.payouts), "payin_key": len(m.payoutKeys),
		"deposit": len(m.deposits), "setting_change": m.settings,
		"withdrawal": len(m.leaves), "withdrawal_hand_over": len(m.handOvers),
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
	for _, l := range m.leaves {
		counts["webhook_event"] += len(l.events)
		counts["withdrawal_history"] += len(l.moves)
	}
	// Exactly what is pending is queued.
	counts[`(select 1 from webhook_event e full join webhook_delivery d
		on d.merchant_id = e.merchant_id and d.event_id = e.id
		where coalesce(e.status = 'pending', false) <> coalesce(d.round = e.round, false)) as astray`] = 0
	return counts
}

// lookAtAll wants the rows of a query, each a name and what is found of it, to
// be these and no others.
func lookAtAll(b *pgx.Batch, what, sql string, args []any, want map[string]string) {
	lookAt(b, sql, args, func(rows pgx.Rows) {
		left := maps.Clone(want)
		var name, found string
		each(rows, func() {
			if wanted, is := left[name]; !is || found != wanted {
				fail("%s %s: %q, not %q", what, name, found, wanted)
			}
			delete(left, name)
		}, &name, &found)
		if len(left) > 0 {
			fail("%s: missing are %v", what, left)
		}
	})
}

// lookAtSlots compares all reservations; that no two share requisite and amount
// is their key.
func (w *modelWalk) lookAtSlots(b *pgx.Batch) {
	want := map[string]string{}
	for slot := range w.model.slots {
		if hold, held := w.model.held(slot); held {
			want[fmt.Sprint(slot.requisite, " ", slot.amount)] = fmt.Sprint(hold.payment, " ", hold.free.IsZero())
		}
	}
	lookAtAll(b, "the slot", `select concat_ws(' ', requisite_id, (amount * 100)::bigint),
		concat_ws(' ', payment_id, (free_at = 'infinity')::text) from requisite_slot where free_at > $1`, []any{w.model.now}, want)
}

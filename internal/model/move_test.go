package model_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

var modelStatuses = []string{"pending", "completed", "failed", "cancelled", "appeal"}

// move is the application's word on a payment: any status may follow any other;
// the same again is no change.
func (w *modelWalk) move(s modelStep, p *modelPayment) {
	update := payment.Update{Status: pickModel(modelStatuses, s.n[1])}
	if s.n[2]%3 == 0 {
		update.Reason = new("reason " + strconv.Itoa(s.n[2]%100))
	}
	if s.n[3]%4 == 0 {
		update.ProviderPaymentID = new("provider-" + strconv.Itoa(s.n[3]%100))
	}
	ctx, injury := w.injured()
	got, queued, err := w.service.UpdateStatus(ctx, modelApplication, p.id, update)
	changes := update.Status != p.status
	w.moved(p, injury, got, err, refusedAs{}, func() {
		w.tell(p.status+"-"+update.Status, "payment ", p.id)
		if changes {
			if p.appeal != nil && (p.status == "failed" || p.status == "appeal") {
				w.tell("appeal followed the application", p.origin())
			}
			w.model.move(p, update.Status, "application", update.Reason, update.ProviderPaymentID)
		} else if update.ProviderPaymentID != nil {
			p.provider = update.ProviderPaymentID
			if injury.lost() { // whoever does not learn the outcome repeats the call
				_, _, err := w.service.UpdateStatus(w.ctx, modelApplication, p.id, update)
				must(err)
			}
		}
		if err == nil && queued != changes {
			fail("callbackQueued is %t", queued)
		}
	})
}

// refusedAs is how it is told that a call is refused, and the code, "" where it
// is not.
type refusedAs struct{ what, code string }

// moved judges a call on one payment; apply is what it means to the model,
// unless it is to be refused.
func (w *modelWalk) moved(p *modelPayment, i *injury, got payment.Payment, err error, want refusedAs, apply func()) {
	switch {
	case want.code != "" && !i.fired:
		w.tell(want.what+want.code, p.origin())
		wantCode(err, want.code)
		return
	case i.aborted():
		w.aborted(i, err)
		return
	}
	if i.lost() {
		wantUnknown(err)
		w.tell("lost " + w.now.op)
		got = given(w.service.Get(w.ctx, modelOperator, strconv.FormatInt(p.id, 10)))
	} else {
		must(err)
	}
	apply()
	p.same(got)
}

func (w *modelWalk) confirm(s modelStep, p *modelPayment) {
	refusal, reason := p.confirmable(w.model, p.missing())
	came := p.wholeArrival()
	refusal = cmp.Or(refusal, p.beyond(w.model, "completed", reason != nil, came))
	w.traderMove(s, p, "completed", refusal, reason, came, w.service.Confirm)
}

// cancellable is why neither trader nor payer may cancel the payment, "" if
// they may.
func (p *modelPayment) cancellable() string {
	return cmp.Or(unless(p.status == "pending", "payment_not_pending"), unless(p.counted() == 0, "payment_part_came"))
}

func (w *modelWalk) cancel(s modelStep, p *modelPayment) {
	reason := new("trader " + strconv.Itoa(s.n[2]%10))
	w.traderMove(s, p, "cancelled", p.cancellable(), reason, nil,
		func(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
			return w.service.Cancel(ctx, who, id, reason)
		})
}

// traderMove is a trader's word: on their own payments, unless it is refused.
func (w *modelWalk) traderMove(s modelStep, p *modelPayment, to, want string, reason *string, came *modelArrival,
	call func(context.Context, caller.Caller, int64) (payment.Payment, error),
) {
	trader := p.requisite.trader
	if s.n[1]%6 == 0 {
		trader = pickModel(w.model.traders, s.n[3])
	}
	if trader != p.requisite.trader {
		want = "not_found"
	}
	ctx, injury := w.injured()
	got, err := call(ctx, trader.Caller, p.id)
	w.moved(p, injury, got, err, refusedAs{"", want}, func() {
		if p.status != "pending" {
			w.tell("late", p.origin())
		}
		w.tell("trader "+to, "payment ", p.id)
		w.model.say(p, came)
		w.model.moveWith(p, to, trader.Caller.Actor(), reason, nil, came, "")
	})
}

// claim is the payer's word that they have paid: it is kept once, and of a
// payment that is paid by a card there is none.
func (w *modelWalk) claim(_ modelStep, p *modelPayment) {
	want := ""
	switch {
	case p.checkout != nil:
		want = "not_found"
	case p.claimed == nil && p.closed(w.model.now):
		want = "payment_not_pending"
	}
	ctx, injury := w.injured()
	got, err := w.service.Claim(ctx, uuid.MustParse(p.uuid))
	w.moved(p, injury, got, err, refusedAs{"claim ", want}, func() {
		if p.claimed != nil {
			w.tell("claimed again", p.origin(), " ", p.status)
			return
		}
		w.tell("claimed", p.origin())
		w.model.claim(p)
	})
}

// duel confirms and cancels a payment at once: one of the two gets through, if
// any.
func (w *modelWalk) duel(_ modelStep, p *modelPayment) {
	who, late := p.requisite.trader.Caller, "payment_not_pending"
	refusal, reason := p.confirmable(w.model, p.missing())
	came := p.wholeArrival()
	refusal = cmp.Or(refusal, p.beyond(w.model, "completed", reason != nil, came))
	move := func(to string, reason *string) func() {
		return func() {
			if to != "completed" {
				came = nil
			}
			w.model.say(p, came)
			w.model.moveWith(p, to, who.Actor(), reason, nil, came, "")
		}
	}
	w.tell("duel", "payment ", p.id)
	rivalsAtOnce([]modelRival{
		{refusal: refusal, late: late, apply: move("completed", reason), call: func() error {
			return testenv.ErrOf(w.service.Confirm(w.ctx, who, p.id))
		}},
		{refusal: p.cancellable(), late: late, lateFirst: true, apply: move("cancelled", nil), call: func() error {
			return testenv.ErrOf(w.service.Cancel(w.ctx, who, p.id, nil))
		}},
	})
}

func (w *modelWalk) expire(modelStep) {
	swept(w, "expired", w.service.Expire, those(w.model.payments, w.model.expired), w.model.expire,
		"select status = 'failed' from payment where id = $1")
}

func (w *modelWalk) settle(modelStep) {
	// Completed payments that wait for a rate, and whose currency has a
	// fresh one.
	ready := func(p *modelPayment) bool { return p.due() && w.model.fresh(p.currency) }
	swept(w, "settled", w.service.Settle, those(w.model.payments, ready), w.model.settle,
		"select not rate_unavailable from payment where id = $1")
}

func (w *modelWalk) expirePayouts(modelStep) {
	over := func(p *modelPayout) bool { return p.status == "waiting" && !p.expires.After(w.model.now) }
	expire := func(p *modelPayout) { w.model.endPayout(p, "expired", "system", nil, nil) }
	swept(w, "payout expired", w.payouts.Expire, those(w.model.payouts, over), expire,
		"select status = 'expired' from payin where id = $1")
}

// swept has what is due swept, one record a transaction. A sweep cut short has
// done some of them; each must be done wholly or not at all, and done asks the
// database, by id, whether one was. The next process's sweep does the rest.
// Rows that go together are each tried again by themselves: where there is no
// error, all are done.
func swept[T interface {
	modelSource
	modelRecord
}](w *modelWalk, what string, sweep func(context.Context) (int, error), due []T, apply func(T), done string) {
	ctx, i := w.injured()
	count, err := sweep(ctx)
	for _, p := range due {
		w.touch(p)
	}
	if i.fired {
		w.tell(what+" cut short", i.kind, " at ", i.seen)
		if i.failed != nil {
			fail("a sweep cut short answers %w (%w)", orNone(err), i.failed)
		}
		// What failed is put off for a while of real time, but not by
		// the next process.
		w.restart()
	} else if err != nil || count != len(due) {
		fail("%s %d, not %d: %w", what, count, len(due), orNone(err))
	}
	for _, p := range due {
		is := true
		if i.fired {
			must(w.check.QueryRow(w.ctx, done, p.origin().id).Scan(&is))
		}
		if err == nil && !is {
			fail("%s: one of %d is not, without an error", what, len(due))
		}
		if is {
			w.tell(what, p.origin())
			apply(p)
		}
	}
}

// modelHistory is how a record stands, since when and why, and what is to be
// found in its history: who moved it where and why.
type modelHistory struct {
	status      string
	reason      *string
	at, created time.Time
	moves       []modelMove
}

func (h *modelHistory) history() *modelHistory { return h }

// modelMoved is a record with a history, whose money stands where its status
// says.
type modelMoved interface {
	modelPosition
	history() *modelHistory
}

type modelMove struct {
	actor, from, to string
	reason          *string
	at              time.Time
}

// begin is the creation of a record.
func (m *gatewayModel) begin(r modelMoved, actor, status string) {
	r.history().created = m.now
	m.carry(r, status, actor, nil)
}

// carry takes a record to another status: its history, and its money.
func (m *gatewayModel) carry(r modelMoved, to, actor string, reason *string) {
	h := r.history()
	h.moves = append(h.moves, modelMove{actor, h.status, to, reason, m.now})
	m.shift(r, func() { h.status, h.reason, h.at = to, reason, m.now })
}

func (m modelMove) String() string {
	return fmt.Sprintf("%s %s %s %s %s", m.actor, m.from, m.to, said(m.reason), said(m.at))
}

// lookAtHistory wants the number of moves and, word by word, the last two.
func lookAtHistory(b *pgx.Batch, kind string, merchantID, id int64, h *modelHistory) {
	lookAtMoves(b, kind, fmt.Sprintf("merchant_id = %d and %s_id", merchantID, kind), id, h)
}

// lookAtMoves is lookAtHistory of those for whom the key is the record's id.
func lookAtMoves(b *pgx.Batch, kind, key string, id int64, h *modelHistory) {
	sql := fmt.Sprintf(`
		select (count(*) over ())::int, actor, coalesce(from_status, ''), to_status, reason, at
		from %s_history where %s = $1 order by id desc limit 2`, kind, key)
	lookAt(b, sql, []any{id}, func(rows pgx.Rows) {
		var count int
		var found, want []string
		var m modelMove
		each(rows, func() { found = append(found, m.String()) }, &count, &m.actor, &m.from, &m.to, &m.reason, &m.at)
		for i := len(h.moves) - 1; i >= 0 && len(want) < 2; i-- {
			want = append(want, h.moves[i].String())
		}
		if count != len(h.moves) || !slices.Equal(found, want) {
			fail("history of %s %d: %d moves, the last: %q; not %d: %q", kind, id, count, found, len(h.moves), want)
		}
	})
}

// modelEvent is one webhook the merchant must be told of.
type modelEvent struct {
	from, to string
	reason   *string
	at       time.Time
	// card is what it shows of the card entered, if any was.
	card map[string]any
	// resend, if not 0, is the how-manieth resend of a code it tells of, in
	// place of a change.
	resend int
	modelTold
	// claim tells that the payer says they have paid, in place of a change.
	claim bool
}

// modelNews are the events of a record, numbered from 1.
type modelNews struct {
	events []modelEvent
	// seen is how many of them were found in the database already.
	seen int
}

func (n *modelNews) news() *modelNews { return n }

// modelSource is a record that merchants are told of.
type modelSource interface {
	news() *modelNews
	origin() modelAddress
	// data is what a webhook says of the record besides its status, and
	// what it is called in meta.
	data() (data map[string]any, id any)
	// tellMore adds to an event's meta what only such records tell.
	tellMore(meta map[string]any, e modelEvent)
}

// modelAddress says what a record's events are about and where they go.
type modelAddress struct {
	merchantID, id  int64
	subject, method string
	box             *modelBox
	callback        string
}

func (a modelAddress) String() string { return fmt.Sprintf("%s %d", a.subject, a.id) }

// lookAtEvents wants exactly one event for each change since the last look,
// numbered on without a gap.
func lookAtEvents(w *modelWalk, b *pgx.Batch, s modelSource) {
	from, n := s.origin(), s.news()
	lookAt(b, `
		select id, sequence, cashbox_id, type, url, body from webhook_event
		where merchant_id = $1 and subject = $2 and subject_id = $3 and sequence > $4 order by sequence`,
		[]any{from.merchantID, from.subject, from.id, n.seen}, func(rows pgx.Rows) {
			var id uuid.UUID
			var sequence int
			var box int64
			var kind, url string
			var body []byte
			each(rows, func() {
				if n.seen++; sequence != n.seen || n.seen > len(n.events) {
					fail("%s: event %d is there, %d was to come of %d", from, sequence, n.seen, len(n.events))
				}
				sameFields(from, []modelField{
					{"cashbox", box, from.box.id}, {"type", kind, n.events[sequence-1].kind(from)}, {"url", url, from.callback},
				})
				w.told = append(w.told, id)
				w.hooks.expect(id, from, body)
				verifyBody(s, id, sequence, body)
			}, (*[16]byte)(&id), &sequence, &box, &kind, &url, &body)
			if n.seen != len(n.events) {
				fail("%s: %d events, not %d", from, n.seen, len(n.events))
			}
		})
}

// verifyBody compares a webhook with the document's: interface, "Events", and
// what the decisions say of payouts'.
func verifyBody(s modelSource, id uuid.UUID, sequence int, body []byte) {
	event, from := s.news().events[sequence-1], s.origin()
	data, number := s.data()
	data["status"] = strings.ToUpper(event.to)
	all := map[string]any{
		"type": event.kind(from), "eventId": id, "createdAt": event.at.Format(modelTime), "data": data,
		"meta": map[string]any{
			"id": number, "method": from.method, "previousStatus": strings.ToUpper(event.from), "reason": event.reason,
			"sequence": sequence,
		},
	}
	s.tellMore(all["meta"].(map[string]any), event)
	event.tellCard(all, data)
	var got any
	must(json.Unmarshal(body, &got))
	want, sorted := given(json.Marshal(all)), given(json.Marshal(got))
	if !bytes.Equal(sorted, want) {
		fail("%s: event says %s, not %s", from, sorted, want)
	}
}

const modelTime = "2006-01-02T15:04:05.000Z"

func (e modelEvent) kind(from modelAddress) string {
	if e.resend > 0 {
		return "payment.quasi_ecom.code_resend"
	}
	if e.claim {
		return "payment.payer.claimed"
	}
	return from.subject + ".status.updated"
}

// tellCard adds what card payments' events say besides: the card, or a trader's
// resend.
func (e modelEvent) tellCard(all, data map[string]any) {
	if e.card != nil {
		data["payerRequisites"] = e.card
	}
	if e.resend == 0 {
		return
	}
	data["id"], data["requestedBy"] = data["uuid"], "trader"
	delete(data, "uuid")
	all["id"], all["order_id"] = data["id"], data["orderId"]
	data["quasiEcom"] = map[string]any{
		"phase": phaseCode, "codeResendCount": e.resend, "codeResendMax": modelResends,
		"attemptsLeft": modelResends - e.resend, "codeResendLastBy": "trader",
		"codeResendLastAt": e.at.Format(modelTime),
	}
}

// fiatText and usdtText write amounts as the contract does: two decimals and
// eight.
func fiatText(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }
func usdtText(n int64) string { return fmt.Sprintf("%d.%08d", n/1e8, n%1e8) }

// fiat and usdt are amounts as they are stored, and rounded is a rate.
func fiat(n int64) decimal.Decimal          { return decimal.New(n, -2) }
func usdt(n int64) decimal.Decimal          { return decimal.New(n, -8) }
func rounded(rate *big.Rat) decimal.Decimal { return decimal.RequireFromString(rate.FloatString(8)) }

func (p *modelPayment) origin() modelAddress {
	return modelAddress{p.merchantID, p.id, "payment", p.method, p.box, p.callback}
}

func (p *modelPayment) data() (map[string]any, any) {
	return map[string]any{
		"uuid": p.uuid, "orderId": p.order, "amount": fiatText(p.amount), "currency": p.currency,
	}, p.id
}

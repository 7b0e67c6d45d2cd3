package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
)

// modelEvent is one webhook the merchant must be told of.
type modelEvent struct {
	from, to string
	reason   *string
	at       time.Time
	// card is what it shows of the card entered, if any was.
	card map[string]any
	// resend, if not 0, is the how-manieth resend of a code it tells of, in place of a change.
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
	// data is what a webhook says of the record besides its status, and what it is called in meta.
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

// lookAtEvents wants exactly one event for each change since the last look, numbered on without a gap.
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

// verifyBody compares a webhook with the document's: interface, "Events", and what the decisions say of payouts'.
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

// tellCard adds what card payments' events say besides: the card, or a trader's resend.
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

// fiatText and usdtText write amounts as the contract does: two decimals and eight.
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

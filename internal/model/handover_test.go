package model_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/chain"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// handOver asks for the list after the last one, or after an earlier one, which is the same list as before.
func (w *modelWalk) handOver(s modelStep) {
	lists := w.model.handOvers
	had, past := len(lists), int64(0)
	if s.n[0]%5 == 0 && had > 0 {
		had = s.n[1] % len(lists)
	}
	if had > 0 {
		past = lists[had-1].id
	}
	var approved []*modelLeave
	for _, l := range w.model.leaves {
		if l.status == "approved" {
			approved = append(approved, l)
		}
	}
	ctx, injury := w.injured()
	got, err := w.withdrawals.Export(ctx, modelOperator, past)
	if !w.judged(injury, err, unless(had < len(lists) || len(approved) > 0, "withdrawal_nothing_approved")) {
		return
	}
	for _, err := range testenv.AtOnce(3, func(int) error { // whoever asks again gets the same
		again, err := w.withdrawals.Export(w.ctx, modelOperator, past)
		if err == nil && injury.lost() {
			return nil
		}
		if err == nil && again.Document != got.Document {
			err = fmt.Errorf("another list after %d: %s", past, again.Document)
		}
		return err
	}) {
		must(err)
	}
	got = given(w.withdrawals.Export(w.ctx, modelOperator, past))
	if had < len(lists) {
		w.tell("handed over again", got.ID)
		sameFields("list", []modelField{{"document", got.Document, lists[had].document}})
		return
	}
	w.tell("handed over", got.ID, " ", len(approved))
	w.model.handOvers = append(lists, modelHandOver{got.ID, got.Document})
	w.handed(got, approved)
}

// handed wants all that was approved on a new list, in order, and nothing else.
func (w *modelWalk) handed(got withdrawal.HandOver, approved []*modelLeave) {
	var document struct{ Lines []modelPayLine }
	must(json.Unmarshal([]byte(got.Document), &document))
	if len(document.Lines) != len(approved) {
		fail("the list has %v, %d are approved", document.Lines, len(approved))
	}
	for i, l := range approved {
		sameFields(fmt.Sprint("line of ", l.id), []modelField{
			{"", document.Lines[i], modelPayLine{l.id, l.address, usdtText(l.amount)}},
		})
		l.line, l.list = document.Lines[i], &got.ID
		w.moveLeave(l, "handed_over", modelOperator.Actor(), nil)
	}
}

// sign is the signer outside: they pay what a list says, once, now and then wrongly, from the platform's address or
// another, and report the transaction.
func (w *modelWalk) sign(s modelStep, l *modelLeave) {
	handed := l.status == "handed_over"
	if handed && (l.pays == nil || l.stopped != "" && l.hash == l.pays.Hash) {
		units := decimal.RequireFromString(l.line.Amount).Shift(8).IntPart()
		to := given(chain.Read(modelNetwork, l.line.Address))
		if s.n[1]%5 == 0 {
			units -= 100
		}
		l.pays = w.chain.transfer(s.id, pickModel([]chain.Raw{modelOursRaw, modelForeign}, s.n[2]), to, units)
		w.tell("signed", l.id, " pays ", units)
	}
	hash := modelDigest("nothing", s.id)
	if l.pays != nil {
		hash = l.pays.Hash
	}
	ctx, injury := w.injured()
	_, err := w.withdrawals.ReportHash(ctx, modelOperator, l.id, strings.ToUpper(hash))
	if w.judged(injury, err, unless(handed, "withdrawal_not_handed_over")) {
		l.hash, l.stopped = hash, ""
	}
}

// paidBy reports whether a transfer is what was to be paid.
func (l *modelLeave) paidBy(t *modelTransfer) bool { return t.Hash == l.hash && t.units == l.amount }

// known reports whether the gateway has what the transfer has moved.
func (t *modelTransfer) known() bool { return t.named || t.goes() && t.state == "final" }

// settled is what the watcher makes of the transfers that it has seen.
func (w *modelWalk) settled() {
	for _, l := range w.model.leaves {
		if l.status != "handed_over" || l.stopped != "" || l.pays == nil || l.hash != l.pays.Hash || !l.pays.known() {
			continue
		}
		if w.touch(l); l.paidBy(l.pays) {
			w.moveLeave(l, "completed", "system", nil)
			continue
		}
		w.tell("leave stopped", l.id)
		l.stopped = usdtText(l.pays.units) + " to " + l.address
	}
}

// failLeave is two operators' word that a withdrawal was not paid. They know what the signer has done, but for what the
// gateway has seen itself.
func (w *modelWalk) failLeave(s modelStep, l *modelLeave) {
	d := withdrawal.Decision{ID: l.id, Reason: "never sent", Hash: l.hash}
	want := unless(l.status == "handed_over", "withdrawal_not_handed_over")
	if want == "" && l.pays != nil && l.pays.units == l.amount {
		if !l.paidBy(l.pays) || !l.pays.goes() || !l.pays.stands() {
			return
		}
		want = "withdrawal_paid"
	}
	if s.n[1]%7 == 0 && l.status == "handed_over" {
		d.Hash, want = "another", "withdrawal_hash_changed"
	}
	ctx, injury := w.injured()
	err := w.bySecond(ctx, func(s *withdrawal.Service) error { return testenv.ErrOf(s.Fail(ctx, modelSecond, d)) })
	if w.judged(injury, err, want) {
		w.moveLeave(l, "failed", modelSecond.Actor(), &d.Reason)
	}
}

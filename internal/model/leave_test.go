package model_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

const (
	modelLeaveFee   = 1_50000000
	modelLeaveDaily = 400_00000000
)

// modelLeave is a withdrawal: what its owner asks to leave for an address of
// theirs.
type modelLeave struct {
	modelStepped
	id            int64
	key           modelKey
	who           modelOwner
	amount        int64
	address       string
	callback      string
	list          *int64
	hash, stopped string
	// pays is the transfer by which the signer outside has paid it last,
	// and line what the list says of it.
	pays *modelTransfer
	line modelPayLine
	modelHistory
	modelNews
}

// modelOwner has a withdrawal: a merchant with the cashbox that pays, or a
// trader.
type modelOwner struct {
	caller  caller.Caller
	account ledger.Account
	box     *modelBox
}

// modelPayLine is what a list has the signer pay.
type modelPayLine struct {
	ID              int64
	Address, Amount string
}

// modelHandOver is a list for the signer.
type modelHandOver struct {
	id       int64
	document string
}

// leaveAddress is a withdrawal's address in every book.
func leaveAddress(n int) chain.Raw { return chain.Raw{byte(1 + n%2), 9, 9} }

func addModelLeaving(t testing.TB, d *dbtest.DB, m *gatewayModel) {
	t.Helper()
	d.Exec(t, "insert into receiving_address (network, address) values ($1, $2)", modelNetwork, modelOurs)
	d.Exec(t, "insert into withdrawal_terms (network, enabled, fee, min_amount, daily_amount) values ($1, true, $2, 1, $3)",
		modelNetwork, decimal.New(modelLeaveFee, -8), decimal.New(modelLeaveDaily, -8))
	network, _ := chain.Find(modelNetwork)
	add := func(kind string, owner int64) {
		for n := range 2 {
			d.Exec(t, `insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
				values ($1, $2, $3, $4, 'Ours', 'test', $5, $5)`, kind, owner, modelNetwork, network.Write(leaveAddress(n)), dbtest.Start)
		}
	}
	for _, merchant := range m.merchants {
		add("merchant", merchant.ID)
	}
	for _, trader := range m.traders {
		add("trader", trader.ID)
	}
}

type modelLeaveAsk struct {
	modelStepped
	who      modelOwner
	order    string
	literal  string
	amount   int64
	address  string
	callback string
}

var modelLeaveAmounts = []struct {
	literal string
	amount  int64
}{
	{"1", 1_00000000}, {"10.5", 10_50000000}, {"3.333333", 3_33333300}, {"40", 40_00000000}, {"150", 150_00000000},
	{"000020.10", 20_10000000}, {"400", 400_00000000},
}

func (w *modelWalk) leaveAsk(s modelStep) modelLeaveAsk {
	network, _ := chain.Find(modelNetwork)
	amount := pickModel(modelLeaveAmounts, s.n[2])
	a := modelLeaveAsk{
		modelStepped: modelStepped{s.id}, order: "leave-" + strconv.Itoa(s.n[5]), literal: amount.literal, amount: amount.amount,
		address: network.Write(leaveAddress(s.n[3])), callback: w.hooks.address(s.n[4] % 2),
	}
	if s.n[0]%3 == 0 {
		trader := pickModel(w.model.traders, s.n[1])
		a.who = modelOwner{caller: trader.Caller, account: ledger.Available(ledger.Trader, trader.ID)}
		return a
	}
	box := w.someBox(modelStep{n: [6]int{s.n[0], s.n[1]}})
	merchant := w.model.merchants[slices.IndexFunc(w.model.merchants, func(m *modelMerchant) bool { return slices.Contains(m.boxes, box) })]
	a.who = modelOwner{caller: merchant.Caller, account: ledger.Available(ledger.Cashbox, box.id), box: box}
	return a
}

func (a modelLeaveAsk) key() modelKey {
	if a.who.box == nil {
		return modelKey{channel: fmt.Sprint("trader ", a.who.caller.TraderID), order: a.order}
	}
	return modelKey{channel: fmt.Sprint("merchant ", a.who.caller.MerchantID), order: a.order}
}

func (a modelLeaveAsk) request() withdrawal.Request {
	r := withdrawal.Request{
		Amount: a.literal, Network: modelNetwork, Address: a.address, OrderID: a.order, CallbackURI: a.callback,
	}
	if a.who.box != nil {
		r.CashboxID = &a.who.box.id
	}
	return r
}

func (w *modelWalk) leave(s modelStep) { w.leaving(w.leaveAsk(s)).make(w) }

func (w *modelWalk) rushLeaves(s modelStep) { w.leaving(w.leaveAsk(s)).rush(w) }

// leaveAgain asks for an earlier withdrawal once more, or nearly.
func (w *modelWalk) leaveAgain(s modelStep) {
	a, ok := askedBefore(w, s, w.asks.leaves)
	if !ok {
		return
	}
	other := w.leaveAsk(s)
	a.step = s.id
	switch s.n[5] % 4 {
	case 0:
		a.amount, a.literal = other.amount, other.literal
	case 1:
		a.address, a.callback = other.address, other.callback
	}
	w.leaving(a).make(w)
}

func (w *modelWalk) leaving(a modelLeaveAsk) modelCreation[withdrawal.Withdrawal] {
	w.asks.leaves = append(w.asks.leaves, a)
	judge := func(l *modelLeave, got withdrawal.Withdrawal) {
		w.touch(l)
		wantFields(l.origin(), got, l.shown())
	}
	return modelCreation[withdrawal.Withdrawal]{
		what:   "leave ",
		expect: func() modelExpectation { return w.model.expectLeave(a) },
		call: func(ctx context.Context) (modelMade[withdrawal.Withdrawal], error) {
			c, err := w.withdrawals.Request(ctx, a.who.caller, a.request())
			return modelMade[withdrawal.Withdrawal]{c.Withdrawal, c.Replay, c.Mismatch}, err
		},
		same: func(got withdrawal.Withdrawal) { judge(w.model.leaveKeys[a.key()], got) },
		adopt: func(_ modelExpectation, got withdrawal.Withdrawal) {
			w.tell("leave created", got.ID, fmt.Sprintf(" %s %s", a.literal, a.who.account.Owner.Of(a.who.account.OwnerID)))
			judge(w.model.createLeave(a, got.ID), got)
		},
	}
}

// expectLeave says what becomes of a request: its order id is first, then the
// day's limit, then what there is.
func (m *gatewayModel) expectLeave(a modelLeaveAsk) modelExpectation {
	if l := m.leaveKeys[a.key()]; l != nil {
		return modelExpectation{replay: true, mismatch: differing([]modelField{
			{"amount", l.amount, a.amount}, {"merchantCashboxId", l.who.account, a.who.account}, {"address", l.address, a.address},
			{"callbackUri", l.callback, a.callback},
		})}
	}
	day := a.amount
	for _, l := range m.leaves {
		if l.key.channel == a.key().channel && !l.givenBack() && !l.created.Before(m.now.UTC().Truncate(24*time.Hour)) {
			day += l.amount
		}
	}
	switch available := m.accounts[a.who.account]; {
	case day > modelLeaveDaily:
		return modelExpectation{code: "withdrawal_daily_limit"}
	case available < a.amount+modelLeaveFee && a.who.box == nil:
		return modelExpectation{code: "insufficient_trader_balance"}
	case available < a.amount+modelLeaveFee:
		return modelExpectation{code: "insufficient_cashbox_balance"}
	}
	return modelExpectation{box: a.who.box}
}

func (m *gatewayModel) createLeave(a modelLeaveAsk, id int64) *modelLeave {
	l := &modelLeave{
		modelStepped: a.modelStepped, id: id, key: a.key(), who: a.who, amount: a.amount, address: a.address,
		callback: a.callback,
	}
	m.begin(l, a.who.caller.Actor(), "requested")
	m.leaves, m.leaveKeys[l.key] = append(m.leaves, l), l
	return l
}

func (l *modelLeave) givenBack() bool {
	return l.status == "rejected" || l.status == "failed" || l.status == "cancelled"
}

// position: what is open is reserved; what was paid has left, and its fee is
// the platform's.
func (l *modelLeave) position() map[ledger.Account]int64 {
	held := l.who.account
	held.Reserved = true
	switch {
	case l.status == "" || l.givenBack():
		return nil
	case l.status == "completed":
		return map[ledger.Account]int64{
			l.who.account: -l.amount - modelLeaveFee, ledger.Available(ledger.External, 0): l.amount,
			ledger.Available(ledger.Platform, 0): modelLeaveFee,
		}
	}
	return map[ledger.Account]int64{l.who.account: -l.amount - modelLeaveFee, held: l.amount + modelLeaveFee}
}

// moveLeave carries a withdrawal to another status: its history, the merchant's
// webhook, the money.
func (w *modelWalk) moveLeave(l *modelLeave, to, actor string, reason *string) {
	w.touch(l)
	w.tell("leave "+l.status+"-"+to, l.id)
	if l.who.box != nil {
		l.events = append(l.events, modelEvent{from: l.status, to: to, reason: reason, at: w.model.now})
	}
	w.model.carry(l, to, actor, reason)
	l.stopped = ""
}

// bySecond makes a call as the approval of what another operator has proposed.
func (w *modelWalk) bySecond(ctx context.Context, call func(*withdrawal.Service) error) error {
	return db.InTx(ctx, w.pool, func(tx pgx.Tx, _ *db.Queries) error { return call(w.withdrawals.Approved(tx)) })
}

// approveLeave takes two operators: one alone is refused.
func (w *modelWalk) approveLeave(_ modelStep, l *modelLeave) {
	want := cmp.Or(unless(l.status == "requested", "withdrawal_not_requested"),
		unless(w.model.accounts[l.who.account] >= 0, "withdrawal_owner_owes"))
	_, err := w.withdrawals.Approve(w.ctx, modelOperator, l.id)
	wantCode(err, cmp.Or(want, "second_operator_required"))
	ctx, injury := w.injured()
	err = w.bySecond(ctx, func(s *withdrawal.Service) error { return testenv.ErrOf(s.Approve(ctx, modelSecond, l.id)) })
	if w.judged(injury, err, want) {
		w.moveLeave(l, "approved", modelSecond.Actor(), nil)
	}
}

func (w *modelWalk) rejectLeave(_ modelStep, l *modelLeave) {
	reason := new("not yours")
	ctx, injury := w.injured()
	_, err := w.withdrawals.Reject(ctx, modelOperator, l.id, *reason)
	if w.judged(injury, err, unless(l.status == "requested" || l.status == "approved", "withdrawal_not_open")) {
		w.moveLeave(l, "rejected", modelOperator.Actor(), reason)
	}
}

// owner is somebody who may take a withdrawal back.
func (l *modelLeave) owner() caller.Caller {
	if l.who.box == nil {
		return l.who.caller
	}
	return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 9, MerchantID: l.who.caller.MerchantID}
}

func (w *modelWalk) cancelLeave(_ modelStep, l *modelLeave) {
	ctx, injury := w.injured()
	_, err := w.withdrawals.Cancel(ctx, l.owner(), l.id)
	if w.judged(injury, err, unless(l.status == "requested", "withdrawal_not_requested")) {
		w.moveLeave(l, "cancelled", l.owner().Actor(), nil)
	}
}

// duelLeave has its owner take a withdrawal back while operators approve and
// reject it: what comes first is done, and of what was approved the rest may
// follow.
func (w *modelWalk) duelLeave(_ modelStep, l *modelLeave) {
	before, reason := l.status, new("not yours")
	errs := testenv.AtOnce(3, func(i int) (err error) {
		switch i {
		case 0:
			_, err = w.withdrawals.Cancel(w.ctx, l.owner(), l.id)
		case 1:
			_, err = w.withdrawals.Reject(w.ctx, modelOperator, l.id, *reason)
		default:
			err = w.bySecond(w.ctx, func(s *withdrawal.Service) error { return testenv.ErrOf(s.Approve(w.ctx, modelSecond, l.id)) })
		}
		return err
	})
	w.tell("leave duel", l.id)
	if errs[2] == nil {
		w.moveLeave(l, "approved", modelSecond.Actor(), nil)
	}
	if errs[1] == nil {
		w.moveLeave(l, "rejected", modelOperator.Actor(), reason)
	}
	if errs[0] == nil {
		w.moveLeave(l, "cancelled", l.owner().Actor(), nil)
	}
	// What is open is ended by exactly one, and what is not by none.
	wantCode(errs[2], "", "withdrawal_not_requested", "withdrawal_owner_owes")
	wantCode(errs[0], "", "withdrawal_not_requested")
	wantCode(errs[1], "", "withdrawal_not_open")
	if open := before == "requested" || before == "approved"; open != (errs[0] == nil != (errs[1] == nil)) ||
		before != "requested" && (errs[0] == nil || errs[2] == nil) || errs[0] == nil && errs[2] == nil {
		fail("withdrawal %d, %s: %w, %w, %w", l.id, before, orNone(errs[0]), orNone(errs[1]), orNone(errs[2]))
	}
}

func (l *modelLeave) look(w *modelWalk, b *pgx.Batch) {
	lookAtRow[db.Withdrawal](b, "withdrawal", l.id, l.shown().renamed("Reason", "StatusReason").renamed("Hash", "TransactionHash"), nil)
	lookAtMoves(b, "withdrawal", "withdrawal_id", l.id, &l.modelHistory)
	if l.who.box != nil {
		lookAtEvents(w, b, l)
	}
}

// shown is what readers are shown of a withdrawal.
func (l *modelLeave) shown() modelFields {
	return modelFields{
		"ID": l.id, "OrderID": l.key.order, "Amount": usdt(l.amount), "Fee": usdt(modelLeaveFee), "Network": modelNetwork,
		"Address": l.address, "CallbackURI": l.callback, "Status": l.status, "Reason": l.reason, "CreatedAt": l.created,
		"StatusAt": l.at, "HandOverID": l.list, "Hash": optionalModel(l.hash), "Mismatch": optionalModel(l.stopped),
	}
}

func (l *modelLeave) origin() modelAddress {
	return modelAddress{l.who.caller.MerchantID, l.id, "withdrawal", "", l.who.box, l.callback}
}

func (l *modelLeave) data() (map[string]any, any) {
	return map[string]any{
		"id": l.id, "orderId": l.key.order, "amount": usdtText(l.amount), "fee": usdtText(modelLeaveFee), "currency": "USDT",
		"network": modelNetwork, "address": l.address, "transactionHash": optionalModel(l.hash),
	}, strconv.FormatInt(l.id, 10)
}

// tellMore: a withdrawal has no method.
func (*modelLeave) tellMore(meta map[string]any, _ modelEvent) { delete(meta, "method") }

// handOver asks for the list after the last one, or after an earlier one, which
// is the same list as before.
func (w *modelWalk) handOver(s modelStep) {
	lists := w.model.handOvers
	had, past := len(lists), int64(0)
	if s.n[0]%5 == 0 && had > 0 {
		had = s.n[1] % len(lists)
	}
	if had > 0 {
		past = lists[had-1].id
	}
	approved := those(w.model.leaves, func(l *modelLeave) bool {
		return l.status == "approved" && w.model.accounts[l.who.account] >= 0 // whoever owes gets nothing
	})
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

// handed wants all that was approved of who owes nothing on a new list, in
// order, and nothing else.
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

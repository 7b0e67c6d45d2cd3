package model_test

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/deposit"
	"gateway.example/internal/ledger"
)

var modelDepositAmounts = []struct {
	literal string
	amount  int64
}{
	{"25", 25_00000000},
	{"40.5", 40_50000000},
	{"0.00000001", 1},
	{"3.33333333", 3_33333333},
	{"100.10000000", 100_10000000},
	{"500", 500_00000000},
	{"012", 12_00000000},
}

var modelDepositAddresses = []struct{ network, address string }{
	{"TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}, {"TRC20", "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"},
	{"ERC20", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}, {"POLYGON", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{"BEP20", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"},
}

func (w *modelWalk) depositAsk(s modelStep) modelDepositAsk {
	amount, to := pickModel(modelDepositAmounts, s.n[3]), pickModel(modelDepositAddresses, s.n[4])
	a := modelDepositAsk{
		step: s.id, merchant: s.n[1] % len(w.model.merchants), literal: amount.literal, amount: amount.amount,
		network: to.network, address: to.address, key: fmt.Sprintf("0193a1b2-0000-7000-8000-%012d", s.n[5]),
	}
	a.cashbox = w.depositCashbox(s, a.merchant)
	if s.n[4]%2 == 0 {
		a.reference = modelText("reference " + strconv.Itoa(s.n[4]))
	}
	return a
}

// depositCashbox is mostly one of the merchant's own, said or not; else somebody else's, or none.
func (w *modelWalk) depositCashbox(s modelStep, merchant int) *int64 {
	id := pickModel(w.model.merchants[merchant].boxes, s.n[2]/12).id
	switch s.n[2] % 12 {
	case 0:
		id = pickModel(w.model.merchants[(merchant+1)%len(w.model.merchants)].boxes, s.n[2]/12).id
	case 1:
		id = 1 << 40
	case 2, 3, 4:
		return nil
	}
	return &id
}

func (w *modelWalk) deposit(s modelStep) error { return w.depositAs(w.depositAsk(s), s) }

// depositAgain asks for an earlier deposit once more, or nearly.
func (w *modelWalk) depositAgain(s modelStep) error {
	i := w.refer(s.n[0], len(w.depositAsks), func(i int) int { return w.depositAsks[i].step })
	if i < 0 {
		return nil
	}
	a, other := w.depositAsks[i], w.depositAsk(s)
	a.step = s.id
	switch s.n[5] % 6 {
	case 0:
		a.amount, a.literal = other.amount, other.literal
	case 1:
		a.network, a.address = other.network, other.address
	case 2:
		a.cashbox = w.depositCashbox(s, a.merchant)
	case 3:
		a.merchant = other.merchant
	}
	return w.depositAs(a, s)
}

func (w *modelWalk) depositAs(a modelDepositAsk, s modelStep) error {
	w.depositAsks = append(w.depositAsks, a)
	want := w.model.expectDeposit(a)
	who := w.model.merchants[a.merchant].Caller
	ctx, injury := w.injured(s)
	got, err := w.accounts.Create(ctx, who, a.request())
	done, wrong := w.judged(injury, err, want.code)
	switch {
	case wrong != nil || injury.aborted():
		return wrong
	case want.code == "validation_failed":
		return errUnlessInvalid(err, []string{"merchantCashboxId"})
	case !done:
		return nil
	case injury.lost():
		if got, err = w.accounts.Create(w.ctx, who, a.request()); err != nil || !got.Replay {
			return fmt.Errorf("the repeat of a lost answer is a replay: %t, %w", got.Replay, orNone(err))
		}
		got.Replay = want.replay != nil
	}
	return w.judgeDeposit(a, want, got)
}

func (w *modelWalk) judgeDeposit(a modelDepositAsk, want modelDepositExpectation, got deposit.Created) error {
	if got.Replay != (want.replay != nil) || !slices.Equal(got.Mismatch, want.mismatch) {
		return fmt.Errorf("replay %t, mismatch %v; want %t, %v", got.Replay, got.Mismatch, want.replay != nil,
			want.mismatch)
	}
	d := want.replay
	if d == nil {
		d = w.model.createDeposit(a, want.box, got.Deposit.ID, w.model.merchants[a.merchant].Caller.Actor())
		w.tell("deposit created", d.id, fmt.Sprintf(" %+v", a))
	} else {
		w.tell("deposit replayed", d.id, fmt.Sprint(" mismatch ", want.mismatch))
	}
	w.touch(d)
	return d.same(got.Deposit)
}

func (w *modelWalk) someDeposit(s modelStep) *modelDeposit {
	return pickRecord(w, s.n[0], w.model.deposits, func(d *modelDeposit) bool { return d.status == "pending" })
}

// confirmDeposit is an operator's word, or that of three at once: one credits.
func (w *modelWalk) confirmDeposit(s modelStep) error {
	d := w.someDeposit(s)
	if d == nil {
		return nil
	}
	if s.injury == 0 && s.n[1]%3 == 0 {
		return w.confirmTogether(d)
	}
	ctx, injury := w.injured(s)
	_, err := w.accounts.Confirm(ctx, modelOperator, d.id)
	return w.endedDeposit(d, injury, err, "confirmed", nil)
}

func (w *modelWalk) endedDeposit(d *modelDeposit, i *injury, err error, to string, reason *string) error {
	done, wrong := w.judged(i, err, d.refuseEnd())
	if done && wrong == nil {
		w.tell("deposit "+to, d.id)
		w.model.endDeposit(d, to, modelOperator.Actor(), reason)
	}
	return wrong
}

// refuseEnd is why a deposit can be neither confirmed nor rejected, "" if it can.
func (d *modelDeposit) refuseEnd() string {
	if d.status != "pending" {
		return "deposit_not_pending"
	}
	return ""
}

func (w *modelWalk) confirmTogether(d *modelDeposit) error {
	_, errs := atOnce(3, func(int) (deposit.Deposit, error) {
		return w.accounts.Confirm(w.ctx, modelOperator, d.id)
	})
	w.tell("deposit confirmed by three", d.id)
	first := max(slices.Index(errs, nil), 0)
	if wrong := w.endedDeposit(d, &injury{}, errs[first], "confirmed", nil); wrong != nil {
		return wrong
	}
	for _, err := range slices.Delete(errs, first, first+1) {
		if wrong := errUnlessCode(err, "deposit_not_pending"); wrong != nil {
			return wrong
		}
	}
	return nil
}

func (w *modelWalk) rejectDeposit(s modelStep) error {
	d := w.someDeposit(s)
	if d == nil {
		return nil
	}
	var reason *string
	if s.n[1]%2 == 0 {
		reason = modelText("nothing came")
	}
	ctx, injury := w.injured(s)
	_, err := w.accounts.Reject(ctx, modelOperator, d.id, reason)
	return w.endedDeposit(d, injury, err, "rejected", reason)
}

type modelDeposit struct {
	// step is the one that created it.
	step             int
	id, merchantID   int64
	box              *modelBox
	amount           int64
	network, address string
	key              string
	reference        *string
	status           string
	at, created      time.Time
	modelHistory
}

// modelDepositKey is what an idempotency key is unique in: the merchant.
type modelDepositKey struct {
	merchant int
	key      string
}

// modelDepositAsk is a deposit somebody asks for: always of a valid shape, but for a cashbox that
// is not said.
type modelDepositAsk struct {
	// step is the one that asked.
	step     int
	merchant int
	// cashbox is nil for the key's own.
	cashbox          *int64
	literal          string
	amount           int64
	network, address string
	key              string
	reference        *string
}

func (a modelDepositAsk) request() deposit.Request {
	return deposit.Request{
		CashboxID: a.cashbox, Amount: a.literal, Network: a.network, Address: a.address, ExternalReference: a.reference,
		IdempotencyKey: a.key,
	}
}

// modelDepositExpectation is what the creation of a deposit must answer.
type modelDepositExpectation struct {
	// code is the refusal's, "" for none.
	code     string
	replay   *modelDeposit
	mismatch []string
	box      *modelBox
}

// expectDeposit says what becomes of a creation: whose the cashbox is first, then the idempotency
// key.
func (m *gatewayModel) expectDeposit(a modelDepositAsk) modelDepositExpectation {
	box, code := m.depositBox(a)
	if code != "" {
		return modelDepositExpectation{code: code}
	}
	d := m.depositKeys[modelDepositKey{a.merchant, a.key}]
	switch {
	case d == nil:
		return modelDepositExpectation{box: box}
	case d.box != box:
		return modelDepositExpectation{code: "idempotency_key_conflict"}
	}
	want := modelDepositExpectation{replay: d}
	for _, field := range []struct {
		name    string
		differs bool
	}{{"amount", d.amount != a.amount}, {"network", d.network != a.network}, {"address", d.address != a.address}} {
		if field.differs {
			want.mismatch = append(want.mismatch, field.name)
		}
	}
	return want
}

func (m *gatewayModel) depositBox(a modelDepositAsk) (*modelBox, string) {
	own := m.merchants[a.merchant]
	if a.cashbox == nil {
		if own.unbound {
			return nil, "validation_failed"
		}
		return own.boxes[0], ""
	}
	for _, merchant := range m.merchants {
		for _, box := range merchant.boxes {
			switch {
			case box.id == *a.cashbox && merchant == own:
				return box, ""
			case box.id == *a.cashbox:
				return nil, "cashbox_access_denied"
			}
		}
	}
	return nil, "not_found"
}

func (m *gatewayModel) createDeposit(a modelDepositAsk, box *modelBox, id int64, actor string) *modelDeposit {
	d := &modelDeposit{
		step: a.step, id: id, merchantID: m.merchants[a.merchant].ID, box: box, amount: a.amount, network: a.network,
		address: a.address, key: a.key, reference: a.reference, status: "pending", at: m.now, created: m.now,
	}
	d.begin(actor, "pending", m.now)
	m.depositKeys[modelDepositKey{a.merchant, a.key}] = d
	m.deposits = append(m.deposits, d)
	return d
}

// position: what is confirmed has come in from outside.
func (d *modelDeposit) position() map[ledger.Account]int64 {
	if d.status != "confirmed" {
		return nil
	}
	return map[ledger.Account]int64{
		ledger.Available(ledger.External, 0): -d.amount, ledger.Available(ledger.Cashbox, d.box.id): d.amount,
	}
}

func (m *gatewayModel) endDeposit(d *modelDeposit, to, actor string, reason *string) {
	d.moves = append(d.moves, modelMove{actor, d.status, to, reason, m.now})
	m.shift(d, func() { d.status, d.at = to, m.now })
}

func (d *modelDeposit) maker() int { return d.step }

func (d *modelDeposit) look(_ *modelWalk, b *pgx.Batch) {
	lookAtRow(b, "deposit", d.merchantID, d.id, d.sameRow)
	lookAtHistory(b, "deposit", d.merchantID, d.id, &d.modelHistory)
}

// sameRow compares a deposit's row with the model's.
func (d *modelDeposit) sameRow(row db.Deposit) error {
	shown := deposit.Deposit{
		ID: row.ID, CashboxID: row.CashboxID, Status: row.Status, Amount: row.Amount, Network: row.Network,
		Address: row.Address, ExternalReference: row.ExternalReference, IdempotencyKey: row.IdempotencyKey,
		CreatedAt: row.CreatedAt, StatusAt: row.StatusAt,
	}
	if row.MerchantID != d.merchantID {
		return fmt.Errorf("deposit %d is merchant %d's, not %d's", d.id, row.MerchantID, d.merchantID)
	}
	return d.same(shown)
}

// same compares a deposit, as readers are shown it, with the model's.
func (d *modelDeposit) same(got deposit.Deposit) error {
	units := func(n int64) string { return strconv.FormatInt(n, 10) }
	return sameFields("deposit "+units(d.id), []modelField{
		{"id", units(got.ID), units(d.id)},
		{"cashbox", units(got.CashboxID), units(d.box.id)},
		{"status", got.Status, d.status},
		{"amount", got.Amount.Shift(8).String(), units(d.amount)},
		{"network", got.Network, d.network},
		{"address", got.Address, d.address},
		{"externalReference", deref(got.ExternalReference), deref(d.reference)},
		{"idempotencyKey", got.IdempotencyKey.String(), d.key},
		{"statusUpdatedAt", got.StatusAt.UTC().String(), d.at.String()},
		{"createdAt", got.CreatedAt.UTC().String(), d.created.String()},
	})
}

package model_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/deposit"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

var modelDepositAmounts = []struct {
	literal string
	amount  int64
}{
	{"25", 25_00000000}, {"40.5", 40_50000000}, {"0.00000001", 1}, {"3.33333333", 3_33333333},
	{"100.10000000", 100_10000000}, {"500", 500_00000000}, {"012", 12_00000000},
}

var modelDepositAddresses = []struct{ network, address string }{
	{"TRC20", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}, {modelNetwork, modelOurs},
	{"ERC20", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}, {"POLYGON", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	{"BEP20", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"}, {modelNetwork, modelOurs}, {modelNetwork, modelOurs},
	{modelNetwork, modelOurs},
}

func (w *modelWalk) depositAsk(s modelStep) modelDepositAsk {
	amount, to := pickModel(modelDepositAmounts, s.n[3]), pickModel(modelDepositAddresses, s.n[4])
	a := modelDepositAsk{
		modelAsker: modelAsker{modelStepped{s.id}, s.n[1] % len(w.model.merchants)},
		literal:    amount.literal, amount: amount.amount, network: to.network, address: to.address,
		key: fmt.Sprintf("0193a1b2-0000-7000-8000-%012d", s.n[5]),
	}
	a.cashbox = w.depositCashbox(s, a.merchant)
	if s.n[4]%2 == 0 {
		a.reference = new("reference " + strconv.Itoa(s.n[4]))
	}
	return a
}

// depositCashbox is mostly one of the merchant's own, said or not; else
// somebody else's, or none.
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

func (w *modelWalk) deposit(s modelStep) { w.depositCreation(w.depositAsk(s)).make(w) }

// depositAgain asks for an earlier deposit once more, or nearly.
func (w *modelWalk) depositAgain(s modelStep) {
	a, ok := askedBefore(w, s, w.asks.deposits)
	if !ok {
		return
	}
	other := w.depositAsk(s)
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
	w.depositCreation(a).make(w)
}

func (w *modelWalk) depositCreation(a modelDepositAsk) modelCreation[deposit.Deposit] {
	w.asks.deposits = append(w.asks.deposits, a)
	who := w.model.merchants[a.merchant].Caller
	judge := func(d *modelDeposit, got deposit.Deposit) {
		w.touch(d)
		wantFields(fmt.Sprint("deposit ", d.id), got, d.shown())
	}
	return modelCreation[deposit.Deposit]{
		what:   "deposit ",
		expect: func() modelExpectation { return w.model.expectDeposit(a) },
		call: func(ctx context.Context) (modelMade[deposit.Deposit], error) {
			c, err := w.accounts.Create(ctx, who, a.request())
			return modelMade[deposit.Deposit]{c.Deposit, c.Replay, c.Mismatch}, err
		},
		same: func(got deposit.Deposit) {
			judge(w.model.depositKeys[modelKey{merchant: a.merchant, order: a.key}], got)
		},
		adopt: func(want modelExpectation, got deposit.Deposit) {
			w.tell("deposit created", got.ID, fmt.Sprintf(" %+v", a))
			judge(w.model.createDeposit(a, want.box, got.ID, who.Actor()), got)
		},
	}
}

// confirmDeposit is an operator's word, or that of three at once: one credits.
func (w *modelWalk) confirmDeposit(s modelStep, d *modelDeposit) {
	if s.injury == 0 && s.n[1]%3 == 0 {
		errs := testenv.AtOnce(3, func(int) error { return testenv.ErrOf(w.accounts.Confirm(w.ctx, modelOperator, d.id)) })
		w.tell("deposit confirmed by three", d.id)
		first := max(slices.Index(errs, nil), 0)
		w.endedDeposit(d, &injury{}, errs[first], "confirmed", nil)
		for _, err := range slices.Delete(errs, first, first+1) {
			wantCode(err, "deposit_not_pending")
		}
		return
	}
	ctx, injury := w.injured()
	_, err := w.accounts.Confirm(ctx, modelOperator, d.id)
	w.endedDeposit(d, injury, err, "confirmed", nil)
}

func (w *modelWalk) endedDeposit(d *modelDeposit, i *injury, err error, to string, reason *string) {
	if w.judged(i, err, unless(d.status == "pending", "deposit_not_pending")) {
		w.tell("deposit "+to, d.id)
		w.model.carry(d, to, modelOperator.Actor(), reason)
	}
}

func (w *modelWalk) rejectDeposit(_ modelStep, d *modelDeposit) {
	reason := new("nothing came")
	ctx, injury := w.injured()
	_, err := w.accounts.Reject(ctx, modelOperator, d.id, reason)
	w.endedDeposit(d, injury, err, "rejected", reason)
}

type modelDeposit struct {
	modelStepped
	id, merchantID   int64
	box              *modelBox
	amount           int64
	network, address string
	key              string
	reference        *string
	modelHistory
}

// modelDepositAsk is a deposit somebody asks for: always of a valid shape, but
// for a cashbox that is not said.
type modelDepositAsk struct {
	modelAsker
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

// expectDeposit says what becomes of a creation: whose the cashbox is first,
// then the idempotency key.
func (m *gatewayModel) expectDeposit(a modelDepositAsk) modelExpectation {
	box, code := m.depositBox(a)
	if code != "" {
		return modelExpectation{code: code, fields: []string{"merchantCashboxId"}}
	}
	d := m.depositKeys[modelKey{merchant: a.merchant, order: a.key}]
	switch {
	case d == nil:
		return modelExpectation{box: box}
	case d.box != box:
		return modelExpectation{code: "idempotency_key_conflict"}
	}
	return modelExpectation{replay: true, mismatch: differing([]modelField{
		{"amount", d.amount, a.amount}, {"network", d.network, a.network}, {"address", d.address, a.address},
	})}
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
		modelStepped: a.modelStepped, id: id, merchantID: m.merchants[a.merchant].ID, box: box, amount: a.amount,
		network: a.network, address: a.address, key: a.key, reference: a.reference,
	}
	m.begin(d, actor, "pending")
	m.depositKeys[modelKey{merchant: a.merchant, order: a.key}] = d
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

func (d *modelDeposit) look(_ *modelWalk, b *pgx.Batch) {
	lookAtRow[db.Deposit](b, "deposit", d.id, d.shown(), modelFields{"MerchantID": d.merchantID})
	lookAtHistory(b, "deposit", d.merchantID, d.id, &d.modelHistory)
}

// shown is what readers are shown of a deposit.
func (d *modelDeposit) shown() modelFields {
	return modelFields{
		"ID": d.id, "CashboxID": d.box.id, "Status": d.status, "Amount": usdt(d.amount), "Network": d.network, "Address": d.address,
		"ExternalReference": d.reference, "IdempotencyKey": d.key, "StatusAt": d.at, "CreatedAt": d.created,
	}
}

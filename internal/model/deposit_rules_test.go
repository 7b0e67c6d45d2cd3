package model_test

import (
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/deposit"
	"gateway.example/internal/ledger"
)

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

func (d *modelDeposit) look(_ *modelWalk, b *pgx.Batch) {
	b.Queue("select * from deposit where merchant_id = $1 and id = $2", d.merchantID, d.id).
		Query(func(rows pgx.Rows) error {
			row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[db.Deposit])
			if err == nil {
				err = d.sameRow(row)
			}
			return in("the database", err)
		})
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

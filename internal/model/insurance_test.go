package model_test

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/ledger"
)

// someBox picks a cashbox, three times in four of the first two merchants.
func (w *modelWalk) someBox(s modelStep) (*modelMerchant, *modelBox) {
	merchant := w.model.merchants[s.n[0]%2]
	if s.n[0]%4 == 0 {
		merchant = pickModel(w.model.merchants, s.n[0]/4)
	}
	return merchant, pickModel(merchant.boxes, s.n[1])
}

// insure sets a cashbox's insurance: to a part of what it has available, all of it, or more, or
// lower than it was.
func (w *modelWalk) insure(s modelStep) error {
	_, box := w.someBox(s)
	w.touch(box)
	available := w.model.accounts[ledger.Available(ledger.Cashbox, box.id)]
	sum := box.insurance
	switch s.n[2] % 8 {
	case 0:
		sum += max(available, 0) / 100 * int64(s.n[3]%30)
	case 1:
		sum += max(available, 0)
	case 2:
		sum += max(available, 0) + 1
	case 3, 4, 5:
		sum = sum / 100 * int64(s.n[3]%100)
	case 6:
		sum = 0
	}
	more, want := sum-box.insurance, ""
	if more > 0 && more > available {
		want = "insufficient_cashbox_balance"
	}
	ctx, injury := w.injured(s)
	_, err := w.settings.SetInsurance(ctx, modelOperator, box.id, usdtText(sum))
	done, wrong := w.judged(injury, err, want)
	if !done || wrong != nil {
		return wrong
	}
	switch {
	case more > 0:
		w.tell("insured", "cashbox ", box.id, " ", sum)
	case more < 0:
		w.tell("insurance lowered", "cashbox ", box.id, " ", sum)
	}
	w.model.insure(box, sum)
	return nil
}

func (b *modelBox) position() map[ledger.Account]int64 {
	return map[ledger.Account]int64{
		ledger.Available(ledger.Cashbox, b.id): -b.insurance, ledger.Reserved(ledger.Cashbox, b.id): b.insurance,
	}
}

func (m *gatewayModel) insure(box *modelBox, sum int64) {
	if sum != box.insurance {
		m.settings++
	}
	m.shift(box, func() { box.insurance = sum })
}

func (b *modelBox) look(_ *modelWalk, batch *pgx.Batch) {
	batch.Queue("select (insurance_usdt * 1e8)::bigint from cashbox where id = $1", b.id).
		QueryRow(func(row pgx.Row) error {
			var sum int64
			if err := row.Scan(&sum); err != nil {
				return err
			}
			if sum != b.insurance {
				return fmt.Errorf("cashbox %d: insurance %d, not %d", b.id, sum, b.insurance)
			}
			return nil
		})
}

// balance reads a cashbox's balance as its merchant does, or another one.
func (w *modelWalk) balance(s modelStep) error {
	merchant, box := w.someBox(s)
	who, want := merchant.Caller, ""
	switch other := pickModel(w.model.merchants, s.n[2]); {
	case s.n[3]%8 == 0 && other != merchant:
		who, want = other.Caller, "cashbox_access_denied"
	case !box.bridged:
		want = "cashbox_without_trader_bridge"
	}
	got, err := w.accounts.Balance(w.ctx, who, box.id)
	w.tell("balance", want)
	if want != "" || err != nil {
		return errUnlessCode(err, want)
	}
	available, reserved := w.model.accounts[ledger.Available(ledger.Cashbox, box.id)], w.model.accounts[ledger.Reserved(ledger.Cashbox, box.id)]
	for _, part := range []struct {
		name string
		got  int64
		want int64
	}{
		{"available", got.Available.Shift(8).IntPart(), available}, {"reserved", got.Reserved.Shift(8).IntPart(), reserved},
		{"total", got.Total.Shift(8).IntPart(), available + reserved},
		{"insured", got.Insurance.Shift(8).IntPart(), box.insurance},
	} {
		if part.got != part.want {
			return fmt.Errorf("balance of cashbox %d: %s %d, not %d", box.id, part.name, part.got, part.want)
		}
	}
	return nil
}

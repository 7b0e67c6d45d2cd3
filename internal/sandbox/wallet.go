package sandbox

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/withdrawal"
)

// Wallet sends USDT on the networks of a sandbox, both as a merchant who
// deposits and as the outside signer who pays withdrawals.
type Wallet struct {
	pool        db.Pool
	deposits    *deposit.Service
	withdrawals *withdrawal.Service
}

// NewWallet makes the wallet.
func NewWallet(pool db.Pool, deposits *deposit.Service, withdrawals *withdrawal.Service) *Wallet {
	return &Wallet{pool: pool, deposits: deposits, withdrawals: withdrawals}
}

// treasurer is the operator as whom the signer reports.
var treasurer = caller.Caller{Kind: caller.Operator, Role: caller.Admin}

// elsewhere is the address from which USDT are sent.
var elsewhere = chain.Raw{19: 1}

var (
	errNothingWaits = fault.New(fault.Refused, "deposit_not_pending", "The deposit is no longer pending.")
	errNotToBePaid  = fault.New(fault.Refused, "withdrawal_not_handed_over",
		"The withdrawal was not handed over, or has ended.")
)

// Deposit sends the USDT that a deposit waits for, once.
func (w *Wallet) Deposit(ctx context.Context, id int64) error {
	d, err := w.deposits.Get(ctx, treasurer, id)
	if err != nil {
		return err
	}
	if d.Status != "pending" {
		return errNothingWaits
	}
	on, _ := chain.Find(d.Network)
	return send(ctx, w.pool, on, sent{
		hash: digest("deposit", id), from: on.Write(elsewhere), to: d.Address, amount: d.Amount,
	})
}

// Pay pays a withdrawal that was handed over, and reports its transaction. The
// hash depends only on the withdrawal, so paying again sends nothing.
func (w *Wallet) Pay(ctx context.Context, id int64) error {
	found, err := w.withdrawals.Get(ctx, treasurer, id)
	if err != nil {
		return err
	}
	if found.Status != withdrawal.HandedOver {
		return errNotToBePaid
	}
	on, _ := chain.Find(found.Network)
	from, err := db.New(w.pool).SandboxReceiving(ctx, on.Name)
	if db.NoRows(err) {
		from, err = on.Write(elsewhere), nil
	}
	if err != nil {
		return fmt.Errorf("find the paying address: %w", err)
	}
	paid := sent{hash: digest("withdrawal", id), from: from, to: found.Address, amount: found.Amount}
	if err := send(ctx, w.pool, on, paid); err != nil {
		return err
	}
	_, err = w.withdrawals.ReportHash(ctx, treasurer, id, paid.hash)
	return err
}

// Latest are the latest transfers of all networks, the newest first.
func (w *Wallet) Latest(ctx context.Context, most int32) ([]db.SandboxTransferLatestRow, error) {
	return db.New(w.pool).SandboxTransferLatest(ctx, most)
}

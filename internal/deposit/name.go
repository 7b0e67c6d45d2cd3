package deposit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Name stores the transaction by which, as its merchant says, the USDT of a
// pending deposit are sent. It replaces a transaction that was named before. So
// the transfer is found whatever its amount is. Naming confirms nothing.
func (s *Service) Name(ctx context.Context, who caller.Caller, id int64, transaction string) (Deposit, error) {
	if err := needMerchant(who, caller.MerchantDeposits); err != nil {
		return Deposit{}, err
	}
	found, err := s.seen(ctx, who, id)
	if err != nil {
		return Deposit{}, err
	}
	network, _ := chain.Find(found.Network)
	hash, f := network.Hash(transaction), fault.Decoded(ctx)
	if f.Required("transactionHash", transaction) {
		f.Check(hash != "", "transactionHash", "must be the 64 hexadecimal digits of a transaction")
	}
	if err := f.Err(); err != nil {
		return Deposit{}, err
	}
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.DepositLock(ctx, db.DepositLockParams{MerchantID: found.MerchantID, ID: id})
		if err != nil {
			return fmt.Errorf("lock deposit: %w", err)
		}
		if locked.Status != depositPending {
			return errDepositNotPending
		}
		return s.claim(ctx, q, who, locked, hash)
	})
	if err != nil {
		return Deposit{}, err
	}
	return s.Get(ctx, who, id)
}

// claim stores a transaction as that of a locked deposit. It refuses a
// transaction of another deposit, and a deposit that has another transfer.
func (s *Service) claim(ctx context.Context, q *db.Queries, who caller.Caller, d db.Deposit, hash string) error {
	attached, err := q.DepositTransfersOf(ctx, []int64{d.ID})
	if err != nil {
		return fmt.Errorf("read the transfer of a deposit: %w", err)
	}
	for _, t := range attached {
		if t.TransactionHash != hash {
			return errTransferTaken
		}
	}
	if err := s.mayName(ctx, q, d); err != nil {
		return err
	}
	taken, err := taken(ctx, q, d, hash)
	if err != nil {
		return err
	}
	if err := q.DepositClaimDrop(ctx, d.ID); err != nil {
		return fmt.Errorf("drop what was named: %w", err)
	}
	set, err := q.DepositClaimSet(ctx, db.DepositClaimSetParams{
		Network: d.Network, TransactionHash: hash, MerchantID: d.MerchantID, DepositID: d.ID, Actor: who.Actor(), Now: s.clock.Now(),
	})
	if err == nil && (taken || set == 0) {
		return fault.Fields{"transactionHash": {"is of another deposit already"}}.Err()
	}
	return err
}

// mayName limits how many pending deposits of a merchant may have a transaction
// that was named within namedWithin.
func (s *Service) mayName(ctx context.Context, q *db.Queries, d db.Deposit) error {
	lately, err := q.DepositClaimsLately(ctx, db.DepositClaimsLatelyParams{
		MerchantID: d.MerchantID, DepositID: d.ID, Since: s.clock.Now().Add(-namedWithin),
	})
	if err != nil {
		return fmt.Errorf("list what is named: %w", err)
	}
	if len(lately) < namedMost {
		return nil
	}
	pending, err := q.DepositsPending(ctx, db.DepositsPendingParams{MerchantID: d.MerchantID, Ids: lately})
	if err != nil {
		return fmt.Errorf("count what is named: %w", err)
	}
	if pending >= namedMost {
		return errNamesFull
	}
	return nil
}

// taken reports whether a transaction has transfers and all of them belong to
// other deposits. Rejected deposits do not count; a name that such a deposit
// has is deleted.
func taken(ctx context.Context, q *db.Queries, d db.Deposit, hash string) (bool, error) {
	rejected := func(id int64) (bool, error) {
		other, err := q.DepositFind(ctx, id)
		return other.Status == depositRejected, err
	}
	claim, err := q.DepositClaimOf(ctx, db.DepositClaimOfParams{Network: d.Network, TransactionHash: hash})
	if db.IgnoreNoRows(err) != nil {
		return false, fmt.Errorf("look for a name: %w", err)
	}
	if err == nil && claim.DepositID != d.ID {
		gone, err := rejected(claim.DepositID)
		if err != nil {
			return false, fmt.Errorf("read who has named a transaction: %w", err)
		}
		if gone {
			if err := q.DepositClaimDrop(ctx, claim.DepositID); err != nil {
				return false, fmt.Errorf("drop a name: %w", err)
			}
		}
	}
	rows, err := q.DepositTransactionFor(ctx, db.DepositTransactionForParams{Network: d.Network, TransactionHash: hash})
	if err != nil {
		return false, fmt.Errorf("look for a transaction: %w", err)
	}
	for _, row := range rows {
		if row == nil || *row == d.ID {
			return false, nil
		}
		if free, err := rejected(*row); free || err != nil {
			return false, err
		}
	}
	return len(rows) > 0, nil
}

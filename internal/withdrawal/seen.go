package withdrawal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

// Seen is a final transfer of USDT that was seen on a chain, in the transaction
// that pays a withdrawal.
type Seen struct {
	To     string
	Amount decimal.Decimal
	// At is when its block was made or, of a transfer from an address that
	// is watched, when it was read.
	At time.Time
}

// since is the time from which on a transfer can pay a withdrawal that was
// handed over. One from before paid something else. A network's clock may be
// behind ours.
func since(w db.Withdrawal) time.Time { return w.StatusAt.Add(-5 * time.Minute) }

const (
	// watcher is who completes withdrawals by what was seen.
	watcher = "system"
	// seenAtOnce is how many withdrawals are looked at a time.
	seenAtOnce = 500
)

// Settle completes the withdrawals whose transactions are final on their
// chains.
func (s *Service) Settle(ctx context.Context) error {
	rows, err := s.q.WithdrawalsSeen(ctx, seenAtOnce)
	if err != nil {
		return fmt.Errorf("look for transfers of withdrawals: %w", err)
	}
	var failed []error
	for len(rows) > 0 {
		w, seen := rows[0].Withdrawal, []Seen(nil)
		for len(rows) > 0 && rows[0].Withdrawal.ID == w.ID {
			seen, rows = append(seen, Seen{To: rows[0].ToAddress, Amount: rows[0].Amount, At: rows[0].SeenAt}), rows[1:]
		}
		failed = append(failed, s.See(ctx, w.ID, optional.Value(w.TransactionHash), seen))
	}
	return errors.Join(failed...)
}

// hashesAtOnce is how many transactions of a network are looked for at a time.
const hashesAtOnce = 100

// Hashes implements chain.Named: a signer may pay from an address that nobody
// watches.
func (s *Service) Hashes(ctx context.Context, network string) ([]string, error) {
	return s.q.WithdrawalHashes(ctx, db.WithdrawalHashesParams{Network: network, Most: hashesAtOnce})
}

// Empty implements chain.Named: a transaction that has failed, or has moved
// another token, pays nothing.
func (s *Service) Empty(ctx context.Context, network, hash string) error {
	id, err := s.q.WithdrawalByHash(ctx, db.WithdrawalByHashParams{Network: network, TransactionHash: hash})
	if err != nil {
		return db.IgnoreNoRows(err) // another transaction was named meanwhile
	}
	err = s.inLocked(ctx, id, errNotHandedOver, []Status{HandedOver}, func(q *db.Queries, w db.Withdrawal) error {
		if optional.Value(w.TransactionHash) != hash {
			return nil
		}
		return q.WithdrawalSetMismatch(ctx, db.WithdrawalSetMismatchParams{ID: id, Mismatch: "0 USDT"})
	})
	if errors.Is(err, errNotHandedOver) {
		return nil
	}
	return err
}

// See tells of the transfers of a transaction that is to pay a withdrawal. One
// that is what was to be paid completes it. If none is, it stops until
// operators have decided. The same again changes nothing.
func (s *Service) See(ctx context.Context, id int64, hash string, seen []Seen) error {
	err := s.inLocked(ctx, id, errNotHandedOver, []Status{HandedOver}, func(q *db.Queries, w db.Withdrawal) error {
		if len(seen) == 0 || optional.Value(w.TransactionHash) != hash {
			return nil // another transaction was named meanwhile
		}
		var wrong []string
		for _, t := range seen {
			if t.At.Before(since(w)) {
				wrong = append(wrong, fmt.Sprintf("%s to %s at %s, before the hand-over", money.USDT(t.Amount), t.To, t.At.UTC().Format(time.DateTime)))
				continue
			}
			if strings.EqualFold(w.Address, t.To) && w.Amount.Equal(t.Amount) {
				_, err := s.move(ctx, q, w, change{to: Completed, actor: watcher})
				return err
			}
			wrong = append(wrong, money.USDT(t.Amount)+" to "+t.To)
		}
		return q.WithdrawalSetMismatch(ctx, db.WithdrawalSetMismatchParams{
			ID: w.ID, Mismatch: strings.Join(wrong[:min(len(wrong), maxNamed)], ", "),
		})
	})
	if errors.Is(err, errNotHandedOver) {
		return nil
	}
	return err
}

// maxNamed is how many transfers a mismatch names.
const maxNamed = 5

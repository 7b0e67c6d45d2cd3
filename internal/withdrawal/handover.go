package withdrawal

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
)

// maxHandOver is how many withdrawals one list may have.
const maxHandOver = 200

// errNothing says that there is nothing to hand over.
var errNothing = fault.New(fault.Refused, "withdrawal_nothing_approved", "No withdrawal is approved.")

// HandOver is a signed list of withdrawals to be paid.
type HandOver struct {
	ID        int64
	CreatedAt time.Time
	CreatedBy string
	Count     int
	Amount    decimal.Decimal
	// Document is the signed list; HandOvers leaves it empty.
	Document string
}

func handOverOf(row db.WithdrawalHandOver) HandOver {
	return HandOver{
		ID: row.ID, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy, Count: int(row.Count), Amount: row.Amount,
		Document: row.Document,
	}
}

// Export returns the list that follows the one that the signer got last; past
// is its number, or 0. If there is no such list yet, it is made from the
// approved withdrawals. A signer who loses an answer asks again with the same
// number and gets the same list. So each withdrawal is on exactly one list, and
// no list is lost.
func (s *Service) Export(ctx context.Context, who caller.Caller, past int64) (HandOver, error) {
	if err := who.Admit(ctx, caller.OperatorMoney); err != nil {
		return HandOver{}, err
	}
	var made db.WithdrawalHandOver
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		if err := q.WithdrawalHandOverTurn(ctx); err != nil {
			return fmt.Errorf("wait for another list: %w", err)
		}
		var err error
		if made, err = q.WithdrawalHandOverNext(ctx, past); !db.NoRows(err) {
			return err
		}
		made, err = s.handOver(ctx, q, who)
		return err
	})
	return handOverOf(made), err
}

// payable are the first approved withdrawals whose owners owe nothing, however
// many of those who owe stand before them.
func payable(ctx context.Context, q *db.Queries) (list []db.Withdrawal, err error) {
	for after := int64(0); len(list) < maxHandOver; {
		approved, err := q.WithdrawalsApproved(ctx, db.WithdrawalsApprovedParams{AfterID: after, Most: int32(maxHandOver - len(list))})
		if err != nil || len(approved) == 0 {
			return list, fault.Doing("read what is approved", err)
		}
		for _, w := range approved {
			owes, err := owes(ctx, q, w)
			if err != nil {
				return nil, err
			}
			if after = w.ID; !owes {
				list = append(list, w)
			}
		}
	}
	return list, nil
}

// handOver makes a list of the approved withdrawals, at most maxHandOver. Those
// of owners who owe stay approved.
func (s *Service) handOver(ctx context.Context, q *db.Queries, who caller.Caller) (db.WithdrawalHandOver, error) {
	list, err := payable(ctx, q)
	switch {
	case err != nil:
		return db.WithdrawalHandOver{}, err
	case len(list) == 0:
		return db.WithdrawalHandOver{}, errNothing
	}
	made := db.WithdrawalHandOver{CreatedAt: s.clock.Now(), CreatedBy: who.Actor(), Count: int32(len(list))}
	if made.ID, err = q.WithdrawalHandOverID(ctx); err != nil {
		return made, fmt.Errorf("number a list: %w", err)
	}
	lines := make([]any, 0, len(list))
	for _, w := range list {
		made.Amount = made.Amount.Add(w.Amount)
		lines = append(lines, map[string]any{
			"id": w.ID, "network": w.Network, "asset": "USDT", "address": w.Address, "amount": money.USDT(w.Amount),
		})
	}
	document, err := s.signer.Sign(map[string]any{
		"withdrawals": made.ID, "created_at": made.CreatedAt.UTC().Format(time.RFC3339Nano), "count": len(list),
		"amount": money.USDT(made.Amount),
	}, lines)
	if err != nil {
		return made, fmt.Errorf("sign a list: %w", err)
	}
	made.Document = string(document)
	if err := q.WithdrawalHandOverInsert(ctx, db.WithdrawalHandOverInsertParams(made)); err != nil {
		return made, fmt.Errorf("keep a list: %w", err)
	}
	for _, w := range list {
		if _, err := s.move(ctx, q, w, change{to: HandedOver, actor: who.Actor(), handOver: made.ID}); err != nil {
			return made, err
		}
	}
	return made, nil
}

// ToHandOver is how many withdrawals are approved and on no list.
func (s *Service) ToHandOver(ctx context.Context, who caller.Caller) (int64, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return 0, err
	}
	count, err := s.q.WithdrawalsToHandOver(ctx)
	return count, fault.Doing("count what is approved", err)
}

type HandOverPage struct{ db.Page }

// HandOvers lists the lists, the newest first, without their documents.
func (s *Service) HandOvers(ctx context.Context, who caller.Caller, page HandOverPage) ([]HandOver, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	rows, cursor, err := db.ListPage(ctx, s.reads, fault.Decoded(ctx), page.Page, "list hand-overs",
		func(q *db.Queries, before int64, rows int32) ([]db.WithdrawalHandOverListRow, error) {
			return q.WithdrawalHandOverList(ctx, db.WithdrawalHandOverListParams{BeforeID: before, Page: rows})
		}, func(r db.WithdrawalHandOverListRow) int64 { return r.ID })
	list := db.Each(rows, func(row db.WithdrawalHandOverListRow) HandOver {
		return HandOver{ID: row.ID, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy, Count: int(row.Count), Amount: row.Amount}
	})
	return list, cursor, err
}

// HandOver reads a list with its document.
func (s *Service) HandOver(ctx context.Context, who caller.Caller, id int64) (HandOver, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return HandOver{}, err
	}
	row, err := s.q.WithdrawalHandOverGet(ctx, id)
	if err != nil {
		return HandOver{}, db.Missing(err, fault.ErrNotFound, "read a list")
	}
	return handOverOf(row), nil
}

// ReportHash stores the transaction that pays a withdrawal. Another one may
// replace it until the withdrawal has ended.
func (s *Service) ReportHash(ctx context.Context, who caller.Caller, id int64, hash string) (Withdrawal, error) {
	if err := who.Need(caller.OperatorMoney); err != nil {
		return Withdrawal{}, err
	}
	f := fault.Decoded(ctx)
	if f.Required("transactionHash", hash) {
		f.Check(chain.Network{}.Hash(hash) != "", "transactionHash", "must be the 64 hexadecimal digits of a transaction")
	}
	if err := f.Err(); err != nil {
		return Withdrawal{}, err
	}
	var after db.Withdrawal
	err := s.inLocked(ctx, id, errNotHandedOver, []Status{HandedOver}, func(q *db.Queries, w db.Withdrawal) error {
		network, _ := chain.Find(w.Network)
		var err error
		after, err = q.WithdrawalSetHash(ctx, db.WithdrawalSetHashParams{ID: id, TransactionHash: network.Hash(hash)})
		return err
	})
	if db.IsUniqueViolation(err) {
		return Withdrawal{}, fault.Fields{"transactionHash": {"pays another withdrawal already"}}.Err()
	}
	if err != nil {
		return Withdrawal{}, err
	}
	return fromRow(after), nil
}

package deposit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
)

var (
	errDepositNotPending = fault.New(fault.Refused, "deposit_not_pending", "The deposit is no longer pending.")
	errVanished          = errTransferDiffer.Saying("The transfer by which this was proposed has vanished. Look again.")
)

// Confirm credits a pending deposit to its cashbox after an operator has seen
// the USDT arrive. Of several confirmations at the same time one wins.
func (s *Service) Confirm(ctx context.Context, who caller.Caller, id int64) (Deposit, error) {
	return s.ConfirmBy(ctx, who, id, 0)
}

// ConfirmBy is Confirm as long as the network shows a transfer, by which the
// operators have seen the USDT arrive; 0 is none.
func (s *Service) ConfirmBy(ctx context.Context, who caller.Caller, id, transfer int64) (Deposit, error) {
	return s.moveDeposit(ctx, who, id, transfer, depositConfirmed, nil)
}

// Reject ends a pending deposit without a credit. The merchant is told the
// reason.
func (s *Service) Reject(ctx context.Context, who caller.Caller, id int64, reason *string) (Deposit, error) {
	return s.moveDeposit(ctx, who, id, 0, depositRejected, reason)
}

const maxReason = 255

// moveDeposit confirms or rejects a deposit under its lock. Its status, history
// and webhook, and the credit of a confirmed one, are committed together. One
// that was decided meanwhile is refused, so none is credited twice.
func (s *Service) moveDeposit(
	ctx context.Context, who caller.Caller, id, transfer int64, status string, reason *string,
) (Deposit, error) {
	if err := who.Need(caller.OperatorMoney); err != nil {
		return Deposit{}, err
	}
	found, err := s.findDeposit(ctx, id)
	if err != nil {
		return Deposit{}, err
	}
	f := fault.Decoded(ctx)
	if status == depositRejected {
		f.Required("reason", strings.TrimSpace(optional.Value(reason)))
	}
	f.OptionalMaxLength("reason", reason, maxReason)
	if err := f.Err(); err != nil {
		return Deposit{}, err
	}
	var after db.Deposit
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.DepositLock(ctx, db.DepositLockParams{MerchantID: found.MerchantID, ID: found.ID})
		if err != nil {
			return fmt.Errorf("lock deposit: %w", err)
		}
		if locked.Status != depositPending {
			return errDepositNotPending
		}
		now := s.clock.Now()
		if status == depositConfirmed {
			err = s.mayCredit(ctx, q, who, locked, transfer, now)
		} else {
			err = q.DepositClaimDrop(ctx, locked.ID)
		}
		if err != nil {
			return err
		}
		params := db.DepositMoveParams{MerchantID: locked.MerchantID, ID: locked.ID, Status: status, Now: now}
		if after, err = q.DepositMove(ctx, params); err != nil {
			return fmt.Errorf("move deposit: %w", err)
		}
		if err := recordDeposit(ctx, q, after, who, &locked.Status, reason); err != nil {
			return err
		}
		if err := tell(ctx, q, after, reason); err != nil {
			return err
		}
		return credit(ctx, q, after)
	})
	return fromRow(after), err
}

// mayCredit refuses to credit an amount other than the one that arrived, and
// one whose transfer has vanished since it was seen. It requires a second
// operator for more than one may credit alone.
//
//rule:which deposits an operator may credit, and which take two
func (s *Service) mayCredit(
	ctx context.Context, q *db.Queries, who caller.Caller, d db.Deposit, transfer int64, at time.Time,
) error {
	came, err := q.DepositTransfersOf(ctx, []int64{d.ID})
	if err != nil {
		return fmt.Errorf("read the transfer of a deposit: %w", err)
	}
	for _, t := range came {
		if !credited(t.Amount).Equal(d.Amount) {
			return errTransferDiffer
		}
	}
	stands := func(t db.DepositTransfersOfRow) bool { return t.ID == transfer && !vanished(t.State) }
	if transfer != 0 && !slices.ContainsFunc(came, stands) {
		return errVanished
	}
	return s.FourEyes.Moving(ctx, q, foureyes.Movement{
		OperatorID: who.ID, Owner: ledger.Cashbox.Of(d.CashboxID), Amount: d.Amount, At: at,
	})
}

func recordDeposit(ctx context.Context, q *db.Queries, d db.Deposit, who caller.Caller, from, reason *string) error {
	return recordDepositBy(ctx, q, d, who.Actor(), from, reason)
}

func recordDepositBy(ctx context.Context, q *db.Queries, d db.Deposit, actor string, from, reason *string) error {
	err := q.DepositHistoryInsert(ctx, db.DepositHistoryInsertParams{
		MerchantID: d.MerchantID, DepositID: d.ID, At: d.StatusAt, Actor: actor,
		FromStatus: from, ToStatus: d.Status, Reason: reason,
	})
	return fault.Doing("record deposit", err)
}

// credit books the USDT of a confirmed deposit, from outside to its cashbox.
func credit(ctx context.Context, q *db.Queries, d db.Deposit) error {
	if d.Status != depositConfirmed {
		return nil
	}
	cause := ledger.Cause{Kind: "deposit", Subject: subject, SubjectID: d.ID, At: d.StatusAt}
	return ledger.Post(ctx, q, cause, ledger.Transfer{
		Debit:  ledger.Available(ledger.External, 0),
		Credit: ledger.Available(ledger.Cashbox, d.CashboxID),
		Amount: d.Amount,
	})
}

// Page asks for a page of deposits, newest first.
type Page struct {
	db.Page
	// Status is the status of the deposits; nil is any.
	Status *string
}

// List lists deposits to operators. The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Deposit, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	return s.page(ctx, fault.Decoded(ctx), page, func(q *db.Queries, before int64, rows int32) ([]db.Deposit, error) {
		return q.DepositList(ctx, db.DepositListParams{BeforeID: before, Status: page.Status, Page: rows})
	})
}

// page reads a page of deposits, with the transfer of each.
func (s *Service) page(
	ctx context.Context, f fault.Fields, page Page, query func(q *db.Queries, before int64, rows int32) ([]db.Deposit, error),
) ([]Deposit, *string, error) {
	f.Check(page.Status == nil || slices.Contains(Statuses, *page.Status), "status", "must be pending, confirmed or rejected")
	rows, cursor, err := db.ListPage(ctx, s.reads, f, page.Page, "list deposits", query, func(d db.Deposit) int64 { return d.ID })
	if err != nil {
		return nil, nil, err
	}
	list, shown := make([]Deposit, len(rows)), make([]*Deposit, len(rows))
	for i, row := range rows {
		list[i] = fromRow(row)
		shown[i] = &list[i]
	}
	return list, cursor, s.withTransfers(ctx, shown...)
}

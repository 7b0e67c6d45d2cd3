package payout

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
)

const (
	// fileTimeout limits making the payouts of a file, and fileBatch is how
	// many of them one round trip makes.
	fileTimeout = time.Minute
	fileBatch   = 200
)

var (
	errFileFlawed = fault.New(fault.Refused, "payout_file_flawed",
		"Rows of the file are wrong, so nothing was made of it.")
	// ErrFileCosts refuses to freeze more than the caller has seen in the
	// preview.
	ErrFileCosts = fault.New(fault.Refused, "payout_file_costs_more",
		"The rate has changed, and the payouts cost more than was shown; nothing was made.")
)

type MadeFile struct {
	File File
	// Replay says that the payouts were made before, so that nothing was
	// made now.
	Replay bool
}

// Shown is what the caller has seen in the preview: the key, and how much is to
// be frozen, which must not be exceeded.
type Shown struct {
	KeyID      int64
	FrozenUSDT string
}

// MakeFile makes all payouts of a file in one transaction, or none. It is
// idempotent: another call, at the same time or later, makes nothing and
// returns Replay.
func (s *Service) MakeFile(ctx context.Context, who caller.Caller, id int64, shown Shown) (MadeFile, error) {
	if err := who.Need(caller.MerchantPayOut); err != nil {
		return MadeFile{}, err
	}
	f := fault.Decoded(ctx)
	most := fault.Read(f, "frozenUsdt", shown.FrozenUSDT, money.ParseUSDT)
	f.Check(shown.KeyID > 0, "keyId", "is required")
	if err := f.Err(); err != nil {
		return MadeFile{}, err
	}
	row, err := s.fileRow(ctx, who, id)
	if err != nil {
		return MadeFile{}, err
	}
	if row.MadeAt != nil {
		return MadeFile{File: fromFileRow(row), Replay: true}, nil
	}
	t, err := s.tableOf(ctx, row)
	if err != nil {
		return MadeFile{}, err
	}
	var made MadeFile
	err = db.AwaitClaim(ctx, fileTimeout, func(ctx context.Context) error {
		return db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) (err error) {
			made, err = s.makeFile(ctx, tx, q, who, id, t, shown.KeyID, most)
			return err
		})
	})
	return made, err
}

// makeFile makes the payouts of a file in the caller's transaction, under the
// file's lock, or returns Replay. It checks the file again by the settings of
// this moment: if it would freeze more than most, or by another key than was
// shown, it makes nothing. After an error the transaction must be rolled back.
func (s *Service) makeFile(
	ctx context.Context, tx pgx.Tx, q *db.Queries, who caller.Caller, id int64, t table, keyID int64, most decimal.Decimal,
) (MadeFile, error) {
	row, err := q.PayoutFileLock(ctx, db.PayoutFileLockParams{MerchantID: who.MerchantID, ID: id})
	switch {
	case db.NoRows(err):
		return MadeFile{}, fault.ErrNotFound
	case err != nil:
		return MadeFile{}, fmt.Errorf("lock a file of payouts: %w", err)
	case row.MadeAt != nil:
		return MadeFile{File: fromFileRow(row), Replay: true}, nil
	case row.KeyID != keyID: // somebody has sent the same file for another key meanwhile
		return MadeFile{}, ErrFileCosts
	}
	preview, drafts, lines, err := s.draftFile(ctx, q, who, row.KeyID, t)
	switch {
	case err != nil:
		return MadeFile{}, err
	case len(preview.Flaws) > 0:
		return MadeFile{}, errFileFlawed
	case preview.Refused != nil:
		return MadeFile{}, preview.Refused
	case preview.FrozenUSDT.GreaterThan(most):
		return MadeFile{}, ErrFileCosts
	}
	if err := claimAll(ctx, tx, drafts); err != nil {
		return MadeFile{}, err
	}
	if err := s.insertAll(ctx, tx, drafts); err != nil {
		return MadeFile{}, err
	}
	now := s.clock.Now()
	made := db.PayoutFileMadeParams{
		ID: id, MadeAt: &now, MadeBy: new(who.Actor()), Payouts: new(int32(len(drafts))),
		Amount: decimal.NewNullDecimal(preview.Amount), FrozenUSDT: decimal.NewNullDecimal(preview.FrozenUSDT),
	}
	if err := q.PayoutFileRowsInsert(ctx, rowsOf(row, drafts, lines)); err != nil {
		return MadeFile{}, fmt.Errorf("note the rows of a file: %w", err)
	}
	if err := q.PayoutFileMade(ctx, made); err != nil {
		return MadeFile{}, fmt.Errorf("note that a file is made: %w", err)
	}
	row.MadeAt, row.MadeBy, row.Payouts, row.Amount, row.FrozenUSDT = made.MadeAt, made.MadeBy, made.Payouts, made.Amount, made.FrozenUSDT
	return MadeFile{File: fromFileRow(row)}, s.debitAll(ctx, tx, q, row, now)
}

func rowsOf(file db.PayoutFile, drafts []*draft, lines []line) db.PayoutFileRowsInsertParams {
	rows := db.PayoutFileRowsInsertParams{MerchantID: file.MerchantID, FileID: file.ID}
	for i, d := range drafts {
		rows.Lines, rows.PayoutIds = append(rows.Lines, int32(lines[i].number)), append(rows.PayoutIds, d.id)
	}
	return rows
}

// claimAll claims the order ids in an order that is the same for every file, so
// that two files never deadlock.
func claimAll(ctx context.Context, tx pgx.Tx, drafts []*draft) error {
	sorted := slices.Clone(drafts)
	slices.SortFunc(sorted, func(a, b *draft) int {
		return strings.Compare(a.Method+" "+a.OrderID, b.Method+" "+b.OrderID)
	})
	for batch := range slices.Chunk(sorted, fileBatch) {
		ids := make([]*int64, len(batch))
		queries := make([]db.Query, 0, len(batch))
		for i, d := range batch {
			key := db.PayoutKeyInsertParams{MerchantID: d.who.MerchantID, Channel: d.Method, OrderID: d.OrderID}
			queries = append(queries, db.OneOrNone(&ids[i], (*db.Queries).PayoutKeyInsert, key).Held(db.ErrClaimed))
		}
		if err := db.Pipeline(ctx, tx, queries...); err != nil {
			return fmt.Errorf("claim order ids: %w", err)
		}
		for i, id := range ids {
			if id == nil { // used since the file was checked
				return errFileFlawed
			}
			batch[i].id = *id
		}
	}
	return nil
}

// insertAll inserts payouts and the transfers that freeze their cost. The debit
// of their whole cost is made afterwards, by debitAll.
func (s *Service) insertAll(ctx context.Context, tx pgx.Tx, drafts []*draft) error {
	for batch := range slices.Chunk(drafts, fileBatch) {
		var queries []db.Query
		for _, d := range batch {
			params, err := s.row(d)
			if err != nil {
				return err
			}
			queries = append(queries, s.inserts(d, params, new(db.Payout))...)
		}
		if err := db.Pipeline(ctx, tx, queries...); err != nil {
			return fmt.Errorf("insert payouts: %w", err)
		}
	}
	return nil
}

// debitAll adds a file to what its key has paid out today, and takes its cost
// from the cashbox. This comes at the very end, so that other payouts of the
// cashbox wait only for the commit.
func (s *Service) debitAll(ctx context.Context, tx pgx.Tx, q *db.Queries, file db.PayoutFile, now time.Time) error {
	if err := withinKey(ctx, q, file.KeyID, file.Amount.Decimal, now); err != nil {
		return err
	}
	cause := ledger.Cause{Kind: "freeze", Subject: subject, At: now}
	freeze := ledger.Plan(cause, false, ledger.Held(ledger.Cashbox, file.CashboxID, file.FrozenUSDT.Decimal)...)
	if err := db.Pipeline(ctx, tx, freeze.Debits...); err != nil {
		return fmt.Errorf("freeze: %w", err)
	}
	if !freeze.Covered() {
		return errBalance
	}
	return nil
}

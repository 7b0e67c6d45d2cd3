package books

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/export"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/report"
)

// exportPage is how many lines of a file are read at a time. Each part has a
// short transaction of its own.
const exportPage = 2_000

// StatementFilter selects an account and a part of its statement.
type StatementFilter struct {
	// Paging is as for any list. Its cursors belong to one statement.
	report.Paging
	// Account is the account. A trader may see their own available and
	// reserved accounts, a merchant those of its cashboxes, an operator
	// every account. For a trader the owner is always the trader, and only
	// Reserved is read.
	Account ledger.Account
	// From (inclusive) and To (exclusive) bound the time. If From is zero,
	// it is 30 days before To; if To is zero, there is no upper bound.
	From, To time.Time
	// OldestFirst reverses the order, which is otherwise the newest first.
	OldestFirst bool
}

// Statement is part of an account's statement.
type Statement struct {
	Account ledger.Account
	// From and To are the bounds; To is zero if there is no upper bound.
	From, To time.Time
	// Opening is the balance at From, and Closing the balance at To.
	Opening, Closing decimal.Decimal
	// Page has the lines, in the order asked for. A transfer that took a
	// few seconds to commit may appear among lines that were read before.
	report.Page[StatementLine]
}

// StatementLine is one movement to or from the account.
type StatementLine struct {
	// TransferID identifies the line.
	TransferID int64
	At         time.Time
	// Kind is the kind of the transfer, such as hold, freeze, funding or
	// pending-completed.
	Kind string
	// Subject is what the transfer is about: payment, payin, deposit,
	// trader_funding or insurance. SubjectID is its id, and SubjectUUID the
	// uuid of a payment or payout.
	Subject     string
	SubjectID   int64
	SubjectUUID uuid.UUID
	// Debit is the amount taken from the account, or Credit the amount
	// added to it; the other one is zero.
	Debit, Credit decimal.Decimal
	// Other is the account on the other side.
	Other ledger.Account
	// Balance is the balance of the account after this line.
	Balance decimal.Decimal
}

// Alongside reports whether two movements are parts of one event.
func (l StatementLine) Alongside(other StatementLine) bool {
	return l.At.Equal(other.At) && l.Kind == other.Kind && l.Subject == other.Subject && l.SubjectID == other.SubjectID
}

// Statement lists the movements of an account with the balance after each.
func (s *Service) Statement(ctx context.Context, who caller.Caller, f StatementFilter) (Statement, error) {
	f, err := s.owned(ctx, who, f)
	if err != nil {
		return Statement{}, err
	}
	found := fault.Decoded(ctx)
	limit := f.Size(found)
	at, known := parsePosition(f.Cursor)
	found.Check(f.Cursor == "" || known, "cursor", "is not a cursor of ours")
	found.Check(f.To.IsZero() || !f.To.Before(f.From), "to", "must not be before from")
	if err := found.Err(); err != nil {
		return Statement{}, err
	}
	return s.statement(ctx, f, at, limit)
}

// owned decides which account is meant, checks that the caller may see it, and
// fills in the bounds.
func (s *Service) owned(ctx context.Context, who caller.Caller, f StatementFilter) (StatementFilter, error) {
	if err := who.Need(caller.TraderMoney, caller.MerchantMoney, caller.OperatorRead); err != nil {
		return f, err
	}
	switch who.Kind {
	case caller.Trader:
		f.Account.Owner, f.Account.OwnerID = ledger.Trader, who.TraderID
	case caller.MerchantPortal:
		owner, err := s.q.CashboxOwner(ctx, f.Account.OwnerID)
		if db.IgnoreNoRows(err) != nil {
			return f, fmt.Errorf("find cashbox: %w", err)
		}
		if f.Account.Owner != ledger.Cashbox || err != nil || owner.MerchantID != who.MerchantID {
			return f, fault.ErrCashboxAccessDenied
		}
	default:
	}
	if f.From.IsZero() {
		end := f.To
		if end.IsZero() {
			end = s.clock.Now()
		}
		f.From = end.Add(-byItself)
	}
	return f, nil
}

// position is a place in a statement: after the transfer with this id, among
// those made at this time.
type position struct {
	at time.Time
	id int64
}

// never is later than the time of every transfer.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// start is the position before everything that was made at this time or later.
func start(at time.Time) position { return position{at: at} }

func (p position) String() string {
	return strconv.FormatInt(p.at.UnixMicro(), 10) + "-" + strconv.FormatInt(p.id, 10)
}

func parsePosition(cursor string) (position, bool) {
	micros, id, two := strings.Cut(cursor, "-")
	at, atErr := strconv.ParseInt(micros, 10, 64)
	number, idErr := strconv.ParseInt(id, 10, 64)
	if !two || atErr != nil || idErr != nil || at < 0 || at > never.UnixMicro() {
		return position{}, false
	}
	return position{at: time.UnixMicro(at).UTC(), id: number}, true
}

// statement reads a page and the balances around it.
func (s *Service) statement(ctx context.Context, f StatementFilter, at position, limit int) (Statement, error) {
	account := f.Account.ID()
	end := never
	if !f.To.IsZero() {
		end = f.To
	}
	// Reading down means towards the older lines.
	down := f.OldestFirst == f.Backward
	switch {
	case f.Cursor != "":
	case down:
		at = start(end)
	default:
		at = start(f.From)
	}
	result := Statement{Account: f.Account, From: f.From, To: f.To}
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.Transfer, error) {
		var err error
		if result.Opening, err = balanceAt(ctx, q, account, start(f.From)); err != nil {
			return nil, err
		}
		if result.Closing, err = balanceAt(ctx, q, account, start(end)); err != nil {
			return nil, err
		}
		return q.Statement(ctx, db.StatementParams{
			AccountID: account, FromAt: f.From, UntilAt: end, Backward: !down, At: at.at, ID: at.id, Page: int32(limit) + 1,
		})
	})
	if err != nil {
		return Statement{}, fmt.Errorf("read statement: %w", err)
	}
	result.neighbours(rows, f, limit)
	rows = rows[:min(len(rows), limit)]
	if !down {
		slices.Reverse(rows) // now the newest are first
	}
	if result.Items, err = s.statementLines(ctx, account, rows); err != nil {
		return Statement{}, err
	}
	if f.OldestFirst {
		slices.Reverse(result.Items)
	}
	return result, nil
}

// neighbours sets the cursors of the previous and the next page. The rows are
// in the order in which they were read, and there is one more than the page has
// if more follow.
func (s *Statement) neighbours(rows []db.Transfer, f StatementFilter, limit int) {
	place := func(row db.Transfer) *string { return new(position{row.CreatedAt, row.ID}.String()) }
	var on, back *string
	if len(rows) > limit {
		on = place(rows[limit-1])
	}
	switch {
	case f.Cursor == "":
	case len(rows) > 0:
		back = place(rows[0])
	default: // the row at the cursor itself is on the page before
		back = f.turned()
	}
	s.Next, s.Previous = on, back
	if f.Backward {
		s.Next, s.Previous = back, on
	}
}

// turned is the cursor for going back from an empty page, so that the row at
// the filter's own cursor is included.
func (f StatementFilter) turned() *string {
	at, _ := parsePosition(f.Cursor)
	if f.OldestFirst == f.Backward { // it was read downwards, and upwards is after
		at.id--
	} else {
		at.id++
	}
	return new(at.String())
}

// statementLines turns rows, the newest first, into lines with their balances
// and names.
func (s *Service) statementLines(ctx context.Context, account int64, rows []db.Transfer) ([]StatementLine, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	names, err := s.names(ctx, rows)
	if err != nil {
		return nil, err
	}
	balance, err := balanceAt(ctx, s.q, account, position{rows[0].CreatedAt, rows[0].ID})
	if err != nil {
		return nil, err
	}
	lines := make([]StatementLine, 0, len(rows))
	for _, row := range rows {
		line := StatementLine{
			TransferID: row.ID, At: row.CreatedAt, Kind: row.Kind, Subject: row.Subject, SubjectID: row.SubjectID,
			SubjectUUID: names[subject{row.Subject, row.SubjectID}], Balance: balance,
		}
		if row.CreditAccount == account {
			line.Credit, balance = row.Amount, balance.Sub(row.Amount)
			line.Other = ledger.AccountOf(row.DebitAccount)
		} else {
			line.Debit, balance = row.Amount, balance.Add(row.Amount)
			line.Other = ledger.AccountOf(row.CreditAccount)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// balanceAt is the balance of an account at a position: the balance at the end
// of the last closed day before it, plus what was moved since.
func balanceAt(ctx context.Context, q *db.Queries, account int64, p position) (decimal.Decimal, error) {
	kept, err := q.AccountDayBefore(ctx, db.AccountDayBeforeParams{AccountID: account, Day: db.DayOf(p.at)})
	if db.IgnoreNoRows(err) != nil {
		return decimal.Zero, fmt.Errorf("read balance: %w", err)
	}
	after := time.Unix(0, 0)
	if err == nil {
		after = kept.Day.AddDate(0, 0, 1)
	}
	moved, err := q.StatementMoved(ctx, db.StatementMovedParams{
		AccountID: account, AfterAt: after, UntilAt: p.at, UntilID: p.id,
	})
	if err != nil {
		return decimal.Zero, fmt.Errorf("read balance: %w", err)
	}
	return kept.Balance.Add(moved), nil
}

// subject is what a transfer is about.
type subject struct {
	kind string
	id   int64
}

// names finds the uuids of the payments and payouts that transfers are about.
func (s *Service) names(ctx context.Context, rows []db.Transfer) (map[subject]uuid.UUID, error) {
	ids := map[string][]int64{}
	for _, row := range rows {
		ids[row.Subject] = append(ids[row.Subject], row.SubjectID)
	}
	var payments []db.ReportPaymentNamesRow
	var payouts []db.ReportPayoutNamesRow
	err := db.Pipeline(ctx, s.reads,
		db.One(&payments, (*db.Queries).ReportPaymentNames, ids[db.SubjectPayment]),
		db.One(&payouts, (*db.Queries).ReportPayoutNames, ids[db.SubjectPayout]))
	if err != nil {
		return nil, fmt.Errorf("read the names of subjects: %w", err)
	}
	names := make(map[subject]uuid.UUID, len(payments)+len(payouts))
	for _, p := range payments {
		names[subject{db.SubjectPayment, p.ID}] = p.UUID
	}
	for _, p := range payouts {
		names[subject{db.SubjectPayout, p.ID}] = p.UUID
	}
	return names, nil
}

// ExportStatement writes a statement as CSV, the oldest line first, and ignores
// the filter's paging. Times are in the given time zone. The last line says how
// many rows there are: without it the file is incomplete.
func (s *Service) ExportStatement(
	ctx context.Context, who caller.Caller, f StatementFilter, w io.Writer, zone *time.Location,
) error {
	f, err := s.owned(ctx, who, f)
	if err != nil {
		return err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return err
	}
	f.Paging, f.OldestFirst = report.Paging{}, true
	out := export.New(w, zone, "at", "transfer_id", "kind", "subject", "subject_id", "subject_uuid", "debit_usdt",
		"credit_usdt", "balance_usdt")
	for at := (position{}); ; {
		part, err := s.statement(ctx, f, at, exportPage)
		if err != nil {
			return err
		}
		for _, line := range part.Items {
			out.Row(line.At, line.TransferID, line.Kind, line.Subject, line.SubjectID, line.SubjectUUID,
				moved(line.Debit), moved(line.Credit), export.USDT(&line.Balance))
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if part.Next == nil {
			return out.End()
		}
		f.Cursor = *part.Next
		at, _ = parsePosition(f.Cursor)
	}
}

// moved is an amount moved in one direction, empty if it is zero.
func moved(d decimal.Decimal) export.Number {
	if d.IsZero() {
		return ""
	}
	return export.USDT(&d)
}

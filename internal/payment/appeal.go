package payment

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/attachment"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// The refusals of an appeal, in the order in which they are checked.
var (
	errAppealExists     = fault.New(fault.Conflict, "appeal_already_exists", "The payment has an appeal already.")
	errAppealNotFailed  = fault.New(fault.Refused, "appeal_payment_not_failed", "Only a failed payment can be appealed.")
	errAppealReturned   = fault.New(fault.Refused, "appeal_money_returned", "What came for the payment goes back to its payer.")
	errAppealTooLate    = fault.New(fault.Refused, "appeal_window_closed", "The payment failed more than 24 hours ago.")
	errAppealTraderNone = fault.New(fault.Refused, "appeal_trader_required", "The payment has no trader who could look into it.")
)

const (
	appealWindow  = 24 * time.Hour
	maxReason     = 2000
	appealReview  = "in_review"
	appealClosed  = "closed"
	appealDone    = string(Completed)
	appealRefused = string(Failed)
)

// AppealRequest is an appeal as it was sent; missing parts are nil.
type AppealRequest struct {
	Reason, FileName *string
	// File is read in pieces, and again if the transaction is repeated.
	File *io.SectionReader
}

type AppealRecord struct {
	ID int64
	// Status is open, in_review, completed, failed or closed.
	Status    string
	StatusAt  time.Time
	CreatedAt time.Time
	Reason    string
	// FileName is the name that the merchant gave. People get KeptName.
	FileName string
	FileType string
	// FileSize is in bytes.
	FileSize int64
	// Statement refers to the bank statement that a refusal is based on.
	// Only operators see it; see Resolution.
	Statement *string
	Payment   Payment
}

// appealFromRows joins an appeal and its payment. The file itself is in neither
// row.
func (s *Service) appealFromRows(row db.Appeal, p db.Payment) AppealRecord {
	return AppealRecord{
		ID:        row.ID,
		Status:    row.Status,
		StatusAt:  row.StatusAt,
		CreatedAt: row.CreatedAt,
		Reason:    row.Reason,
		FileName:  row.FileName,
		FileType:  row.FileType,
		FileSize:  row.FileSize,
		Statement: row.Statement,
		Payment:   s.FromRow(p),
	}
}

// OpenAppeal stores a merchant's appeal of a failed payment; there is only one
// for a payment. The payment stays failed until an operator reviews the appeal.
func (s *Service) OpenAppeal(
	ctx context.Context,
	who caller.Caller,
	paymentID int64,
	r AppealRequest,
) (AppealRecord, error) {
	if err := mayAppeal(who); err != nil {
		return AppealRecord{}, err
	}
	found, err := s.Get(ctx, who, strconv.FormatInt(paymentID, 10))
	if err != nil {
		return AppealRecord{}, err
	}
	return s.openAppeal(ctx, who, found, r)
}

// mayAppeal checks that the caller is a merchant's key, or a user of its portal
// with the capability.
func mayAppeal(who caller.Caller) error {
	if who.Kind == caller.MerchantPortal {
		return who.Need(caller.MerchantAppeal)
	}
	return who.NeedMerchant(caller.ScopePayments)
}

// openAppeal opens an appeal of a payment. Its callers have checked that the
// caller may appeal.
func (s *Service) openAppeal(
	ctx context.Context,
	who caller.Caller,
	found Payment,
	r AppealRequest,
) (AppealRecord, error) {
	params, err := r.validate(ctx)
	if err != nil {
		return AppealRecord{}, err
	}
	params.MerchantID, params.PaymentID, params.Actor = found.MerchantID, found.ID, who.Actor()
	opened := AppealRecord{}
	err = s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		params.CreatedAt = s.clock.Now()
		if err := s.appealable(ctx, db.New(tx), p, params.CreatedAt); err != nil {
			return err
		}
		q := db.New(tx)
		content, size, err := attachment.WithoutMetadata(r.File, params.FileType)
		if err != nil {
			return fmt.Errorf("read file of appeal: %w", err)
		}
		params.FileSize = size
		err = attachment.Store(ctx, q, content, size, func(ctx context.Context, number int32, piece []byte) error {
			return q.AppealChunkInsert(ctx, db.AppealChunkInsertParams{
				MerchantID: p.MerchantID, PaymentID: p.ID, Number: number, Content: piece,
			})
		})
		if err != nil {
			return err
		}
		row, err := q.AppealInsert(ctx, params)
		opened = s.appealFromRows(row, p)
		return err
	})
	return opened, err
}

// appealable returns why a locked payment cannot be appealed, or nil.
func (s *Service) appealable(ctx context.Context, q *db.Queries, p db.Payment, now time.Time) error {
	exists, err := q.AppealExists(ctx, db.AppealExistsParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	switch {
	case err != nil:
		return fmt.Errorf("look for an appeal: %w", err)
	case exists:
		return errAppealExists
	}
	return s.FromRow(p).refusesAppeal(now)
}

// refusesAppeal returns why the payment cannot be appealed, whether or not it
// was before.
//
//rule:when a payment can be appealed
func (p Payment) refusesAppeal(now time.Time) error {
	switch {
	case p.Status != Failed:
		return errAppealNotFailed
	case p.Returned():
		return errAppealReturned
	case now.After(p.StatusAt.Add(appealWindow)):
		return errAppealTooLate
	case p.TraderID == 0:
		return errAppealTraderNone
	}
	return nil
}

// TakesAppeal reports whether the payment may be appealed now. It does not
// check whether it was appealed before.
func (p Payment) TakesAppeal(now time.Time) bool { return p.refusesAppeal(now) == nil }

// validate checks the reason and the file of an appeal. It does not limit the
// file's size, which whoever received it has done, and says nothing of whether
// the payment can be appealed: appealable does, under the lock.
func (r AppealRequest) validate(ctx context.Context) (db.AppealInsertParams, error) {
	f := fault.Decoded(ctx)
	reason := strings.TrimSpace(optional.Value(r.Reason))
	if f.Required("reason", reason) {
		f.MaxLength("reason", optional.Value(r.Reason), maxReason)
	}
	f.Check(r.File != nil || f.Wrong("file"), "file", "is required")
	params := db.AppealInsertParams{Reason: optional.Value(r.Reason)}
	if r.File == nil {
		return params, f.Err()
	}
	params.FileName = optional.Value(r.FileName)
	var err error
	if params.FileType, err = attachment.Check(f, params.FileName, r.File, attachment.Proofs); err != nil {
		return params, err
	}
	return params, f.Err()
}

// moveAppeal keeps the status of an appeal in step with its payment: in review
// while the payment is in appeal, then completed or failed as the payment is.
// Moves from pending and cancelled are not about an appeal, unless they begin a
// review: for nearly all payments this adds no query.
func moveAppeal(from, to db.Payment, now time.Time) []db.Query {
	status := appealClosed
	switch Status(to.Status) {
	case Appeal:
		status = appealReview
	case Completed:
		status = appealDone
	case Failed:
		status = appealRefused
	case Pending, Cancelled:
	}
	if was := Status(from.Status); (was == Pending || was == Cancelled) && Status(to.Status) != Appeal {
		return nil
	}
	return []db.Query{db.Do((*db.Queries).AppealFollow, db.AppealFollowParams{
		MerchantID: to.MerchantID, PaymentID: to.ID, Status: status, StatusAt: now,
	})}
}

// KeptName is the merchant's name of the file, made safe to show and to save.
// Operators get it in place of FileName.
func (a AppealRecord) KeptName() string { return attachment.KeptName(a.FileName, a.FileType) }

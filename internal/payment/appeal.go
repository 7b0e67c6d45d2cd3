package payment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
	"github.com/jackc/pgx/v5"

	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// Refusals of an appeal, in the order they are checked.
var (
	errAppealExists     = fault.New(fault.Conflict, "appeal_already_exists", "The payment has an appeal already.")
	errAppealNotFailed  = fault.New(fault.Refused, "appeal_payment_not_failed", "Only a failed payment can be appealed.")
	errAppealTooLate    = fault.New(fault.Refused, "appeal_window_closed", "The payment failed more than 24 hours ago.")
	errAppealTraderNone = fault.New(fault.Refused, "appeal_trader_required", "The payment has no trader who could look into it.")
)

const (
	appealWindow  = 24 * time.Hour
	maxReason     = 2000
	maxFileName   = 255
	appealPiece   = 256 << 10
	appealReview  = "in_review"
	appealClosed  = "closed"
	appealDone    = string(Completed)
	appealRefused = string(Failed)
)

// fileTypes are the media types an appeal's file may have. What it has is found in its content.
var fileTypes = []string{"application/pdf", "image/png", "image/jpeg", "image/webp", "video/mp4"}

// AppealRequest is an appeal as it was sent; nil is a part that was not.
type AppealRequest struct {
	Reason, FileName *string
	File             []byte
}

// AppealRecord is an appeal and the payment it is about.
type AppealRecord struct {
	db.Appeal
	Payment Payment
}

// OpenAppeal records a merchant's appeal of a failed payment, once for good. The payment stays failed until an operator
// looks into it.
func (s *Service) OpenAppeal(ctx context.Context, caller auth.Caller, paymentID int64, r AppealRequest) (AppealRecord, error) {
	if err := caller.NeedMerchant(auth.ScopePayments); err != nil {
		return AppealRecord{}, err
	}
	found, err := s.Get(ctx, caller, strconv.FormatInt(paymentID, 10))
	if err != nil {
		return AppealRecord{}, err
	}
	params, err := r.validate(ctx)
	if err != nil {
		return AppealRecord{}, err
	}
	params.MerchantID, params.PaymentID, params.Actor = found.MerchantID, found.ID, caller.Actor()
	opened := AppealRecord{}
	err = s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		opened.Payment, params.CreatedAt = Payment{p}, s.clock.Now()
		if err := appealable(ctx, db.New(tx), p, params.CreatedAt); err != nil {
			return err
		}
		return db.Pipeline(ctx, tx, append(storeFile(ctx, p, r.File), func(q *db.Queries) (err error) {
			opened.Appeal, err = q.AppealInsert(ctx, params)
			return err
		})...)
	})
	return opened, err
}

// appealable says why a locked payment cannot be appealed, or nil.
func appealable(ctx context.Context, q *db.Queries, p db.Payment, now time.Time) error {
	exists, err := q.AppealExists(ctx, db.AppealExistsParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	switch {
	case err != nil:
		return fmt.Errorf("look for an appeal: %w", err)
	case exists:
		return errAppealExists
	case Status(p.Status) != Failed:
		return errAppealNotFailed
	case now.After(p.StatusAt.Add(appealWindow)):
		return errAppealTooLate
	case p.TraderID == 0:
		return errAppealTraderNone
	}
	return nil
}

// storeFile writes the file in pieces.
func storeFile(ctx context.Context, p db.Payment, file []byte) []db.Query {
	var queries []db.Query
	for piece := range slices.Chunk(file, appealPiece) {
		number := int32(len(queries))
		queries = append(queries, func(q *db.Queries) error {
			return q.AppealChunkInsert(ctx, db.AppealChunkInsertParams{
				MerchantID: p.MerchantID, PaymentID: p.ID, Number: number, Content: piece,
			})
		})
	}
	return queries
}

func (r AppealRequest) validate(ctx context.Context) (db.AppealInsertParams, error) {
	f := fault.Decoded(ctx)
	reason := strings.TrimSpace(text(r.Reason))
	if f.Required("reason", reason) {
		f.Check(utf8.RuneCountInString(text(r.Reason)) <= maxReason, "reason", "must be at most %d characters", maxReason)
	}
	f.Check(r.File != nil || f.Wrong("file"), "file", "is required")
	params := db.AppealInsertParams{Reason: text(r.Reason), FileSize: int64(len(r.File))}
	if r.File == nil {
		return params, f.Err()
	}
	f.Check(len(r.File) > 0, "file", "must not be empty")
	params.FileName = checkFileName(f, text(r.FileName))
	if len(r.File) > 0 {
		params.FileType = fileType(r.File)
		f.Check(params.FileType != "", "file", "must be a PDF, PNG, JPEG, WebP or MP4 file")
	}
	return params, f.Err()
}

// checkFileName takes any name that can be shown on one line: it is never used as a path.
func checkFileName(f fault.Fields, name string) string {
	length := utf8.RuneCountInString(name)
	f.Check(length >= 1 && length <= maxFileName, "file", "must have a name of 1 to %d characters", maxFileName)
	f.Check(!strings.ContainsFunc(name, unicode.IsControl), "file", "must have a name without control characters")
	return name
}

// fileType is the media type found in a file's content, or "" for one an appeal does not take.
func fileType(content []byte) string {
	found := mimetype.Detect(content)
	for _, known := range fileTypes {
		if found.Is(known) {
			return known
		}
	}
	return ""
}

// moveAppeal keeps the appeal of a payment that moves, if it has one, in step with it: in review while the payment is in
// appeal, and then decided as the payment is. It costs the moves of other payments nothing.
func moveAppeal(ctx context.Context, from, to db.Payment, now time.Time) []db.Query {
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
	if Status(from.Status) != Failed && Status(from.Status) != Appeal && Status(to.Status) != Appeal {
		return nil
	}
	return []db.Query{func(q *db.Queries) error {
		return q.AppealFollow(ctx, db.AppealFollowParams{
			MerchantID: to.MerchantID, PaymentID: to.ID, Status: status, StatusAt: now,
		})
	}}
}

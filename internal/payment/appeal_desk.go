package payment

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/attachment"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/sensitive"
)

var (
	errAppealNotOpen   = fault.New(fault.Refused, "appeal_not_open", "The appeal is not open any more.")
	errAppealNotReview = fault.New(fault.Refused, "appeal_not_in_review", "The appeal is not in review.")
)

const appealOpen = "open"

var appealStatuses = []string{appealOpen, appealReview, appealDone, appealRefused, appealClosed}

// ListAppeals lists appeals for an operator, the newest first. The cursor is
// nil on the last page.
func (s *Service) ListAppeals(ctx context.Context, who caller.Caller, page Page) ([]AppealRecord, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	f.Check(page.Status == nil || slices.Contains(appealStatuses, *page.Status), "status",
		"must be open, in_review, completed, failed or closed")
	rows, cursor, err := db.ListPage(ctx, s.reads, f, page.Page, "list appeals",
		func(q *db.Queries, before int64, rows int32) ([]db.AppealListRow, error) {
			return q.AppealList(ctx, db.AppealListParams{BeforeID: before, Status: page.Status, Page: rows})
		}, func(row db.AppealListRow) int64 { return row.Appeal.ID })
	list := db.Each(rows, func(row db.AppealListRow) AppealRecord { return s.appealFromRows(row.Appeal, row.Payment) })
	return list, cursor, err
}

// ReviewAppeal begins the review of an open appeal. Its payment, which must
// still be failed, moves to appeal, and the trader's USDT are held again.
func (s *Service) ReviewAppeal(ctx context.Context, who caller.Caller, id int64) (AppealRecord, error) {
	found, err := s.findAppeal(ctx, who, caller.OperatorCases, id)
	if err != nil {
		return AppealRecord{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return AppealRecord{}, err
	}
	return s.moveAppealed(ctx, found, appealOpen, errAppealNotOpen, change{to: Appeal, actor: who.Actor()},
		func(*db.Queries, db.Payment) error { return nil }) // nothing is moved yet
}

// AppealDecision is the decision about one appeal, in the form in which a
// proposal for a second operator stores it.
type AppealDecision struct {
	ID         int64
	Resolution Resolution
	// Came is what had come of the payment when the decision was proposed.
	Came string `json:",omitempty"`
}

// Proposed is the resolution as it was proposed: about what had come then.
func (d AppealDecision) Proposed() Resolution {
	r := d.Resolution
	r.Came = &d.Came
	return r
}

// Resolution is how an appeal is decided: completed or failed, and why. A
// refusal names the line of the trader's bank statement that proves it, or says
// why there is none.
type Resolution struct {
	Outcome           string
	Reason, Statement *string
	// Came is the amount that has come of the payment, as whoever decides
	// has seen it, or "" if nothing had. Nil is whatever has come by then.
	Came *string `json:"-"`
}

// ResolveAppeal decides an appeal in review, with money and webhook: its
// payment fails, or is completed for what was asked, even if its trader has
// reported another amount. A refusal takes a reason, which the merchant is
// told, and a line of the trader's bank statement, which the merchant is not.
func (s *Service) ResolveAppeal(ctx context.Context, who caller.Caller, id int64, r Resolution) (AppealRecord, error) {
	found, err := s.findAppeal(ctx, who, caller.OperatorCases, id)
	if err != nil {
		return AppealRecord{}, err
	}
	f := fault.Decoded(ctx)
	if f.Required("outcome", r.Outcome) {
		f.Check(r.Outcome == string(Completed) || r.Outcome == string(Failed), "outcome", "must be completed or failed")
	}
	if r.Outcome == string(Failed) {
		f.Required("reason", strings.TrimSpace(optional.Value(r.Reason)))
		f.Required("statement", strings.TrimSpace(optional.Value(r.Statement)))
	}
	f.OptionalMaxLength("reason", r.Reason, maxText)
	f.OptionalMaxLength("statement", r.Statement, maxText)
	if err := f.Err(); err != nil {
		return AppealRecord{}, err
	}
	c := change{to: Status(r.Outcome), actor: who.Actor(), reason: r.Reason}
	return s.moveAppealed(ctx, found, appealReview, errAppealNotReview, c, func(q *db.Queries, p db.Payment) error {
		came := optional.Value(fiatOrNull(p.ReceivedAmount))
		if r.Came != nil && *r.Came != came {
			return ErrCameSince
		}
		if c.to == Failed { // what was held is given back
			return q.AppealStatement(ctx, db.AppealStatementParams{
				MerchantID: found.MerchantID, PaymentID: found.PaymentID, Statement: r.Statement,
			})
		}
		err := s.config.FourEyes.Moving(ctx, q, foureyes.Movement{
			OperatorID: who.ID, Owner: ledger.Cashbox.Of(p.CashboxID), Amount: p.HoldUSDT, At: s.clock.Now(),
		})
		return foureyes.WithAction(err, foureyes.ResolveAppeal, AppealDecision{id, r, came})
	})
}

func (s *Service) findAppeal(
	ctx context.Context, who caller.Caller, needed caller.Capability, id int64,
) (db.Appeal, error) {
	if err := who.Need(needed); err != nil {
		return db.Appeal{}, err
	}
	found, err := s.q.AppealFind(ctx, id)
	return found, db.Missing(err, fault.ErrNotFound, "find appeal")
}

// moveAppealed moves the payment of an appeal, which must have the wanted
// status; the status of the appeal follows. The appeal cannot change while the
// payment is locked, so of several decisions at the same time one wins.
func (s *Service) moveAppealed(
	ctx context.Context,
	a db.Appeal,
	wanted string,
	refusal error,
	c change,
	may func(*db.Queries, db.Payment) error,
) (AppealRecord, error) {
	after := AppealRecord{}
	err := s.inLocked(ctx, a.MerchantID, a.PaymentID, func(tx pgx.Tx, p db.Payment) error {
		q := db.New(tx)
		now, err := q.AppealFind(ctx, a.ID)
		if err != nil {
			return fmt.Errorf("read appeal: %w", err)
		}
		if now.Status != wanted {
			return refusal
		}
		if err := may(q, p); err != nil {
			return err
		}
		moved, err := s.move(ctx, tx, p, c)
		if err != nil {
			return err
		}
		row, err := q.AppealFind(ctx, a.ID)
		after = s.appealFromRows(row, moved)
		return err
	})
	return after, err
}

// AppealFile is an appeal's file. Its name is KeptName, and its media type is
// that of its content.
type AppealFile struct {
	Name, Type string
	Content    []byte
}

// ReadAppealFile reads an appeal's file for an operator, or for a user of the
// appealing merchant's portal.
func (s *Service) ReadAppealFile(ctx context.Context, who caller.Caller, id int64) (AppealFile, error) {
	needed := caller.OperatorRead
	if who.Kind == caller.MerchantPortal {
		needed = caller.MerchantRead
	}
	found, err := s.findAppeal(ctx, who, needed, id)
	if err == nil && who.Kind == caller.MerchantPortal && found.MerchantID != who.MerchantID {
		err = fault.ErrNotFound
	}
	if err != nil {
		return AppealFile{}, err
	}
	if found.FilePurgedAt != nil {
		return AppealFile{}, attachment.ErrPurged
	}
	pieces, err := s.q.AppealChunkList(ctx, db.AppealChunkListParams{MerchantID: found.MerchantID, PaymentID: found.PaymentID})
	if err != nil {
		return AppealFile{}, fmt.Errorf("read appeal file: %w", err)
	}
	subject := sensitive.Subject{Kind: "appeal", Key: strconv.FormatInt(id, 10), What: "file"}
	return AppealFile{
		Name:    attachment.KeptName(found.FileName, found.FileType),
		Type:    found.FileType,
		Content: bytes.Join(pieces, nil),
	}, sensitive.Record(ctx, s.q, who, s.clock.Now(), subject)
}

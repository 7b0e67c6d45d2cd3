package payment

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

type Update struct {
	Status            string
	ProviderPaymentID *string
	Reason            *string
}

// UpdateStatus sets a payment's status for the application; any status may
// follow any other. It reports whether a webhook was queued: reporting the
// present status again changes nothing and queues none. The provider's id is
// stored in any case, because a trader often confirms before the bank does.
//
//rule:which status the payer's application may set
func (s *Service) UpdateStatus(ctx context.Context, who caller.Caller, id int64, u Update) (Payment, bool, error) {
	if who.Kind != caller.Application {
		return Payment{}, false, fault.ErrTokenKindNotAllowed
	}
	found, err := s.q.PaymentFind(ctx, id)
	if err != nil {
		return Payment{}, false, db.Missing(err, fault.ErrNotFound, "find payment")
	}
	if err := u.validate(ctx); err != nil {
		return Payment{}, false, err
	}
	queued := false
	after, err := s.changeStatus(ctx, found, func(_ *db.Queries, p db.Payment) (*change, error) {
		if queued = p.Status != u.Status; !queued {
			return nil, nil //nolint:nilnil // the same status again is no change
		}
		return &change{
			to:                Status(u.Status),
			actor:             who.Actor(),
			reason:            u.Reason,
			providerPaymentID: u.ProviderPaymentID,
		}, nil
	})
	said := u.ProviderPaymentID
	if err == nil && !queued && said != nil && (after.ProviderPaymentID == nil || *after.ProviderPaymentID != *said) {
		provided := db.PaymentProvidedParams{MerchantID: after.MerchantID, ID: after.ID, ProviderPaymentID: said}
		err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
			after, err = q.PaymentProvided(ctx, provided)
			return err
		})
	}
	return s.FromRow(after), queued, err
}

func (u Update) validate(ctx context.Context) error {
	f := fault.Decoded(ctx)
	if f.Required("status", u.Status) {
		checkStatus(f, u.Status)
	}
	f.OptionalMaxLength("providerPaymentId", u.ProviderPaymentID, maxText)
	f.OptionalMaxLength("reason", u.Reason, maxText)
	return f.Err()
}

// Confirm completes a payment when its trader says that the transfer has
// arrived. Only the status decides, and not the clock: an overdue payment can
// be confirmed for as long as it is pending.
func (s *Service) Confirm(ctx context.Context, who caller.Caller, id int64) (Payment, error) {
	return s.ConfirmReceived(ctx, who, id, nil)
}

// Cancel cancels a pending payment for its trader, unless a part of it has
// come.
func (s *Service) Cancel(ctx context.Context, who caller.Caller, id int64, reason *string) (Payment, error) {
	found, err := s.findTraders(ctx, who, id)
	if err != nil {
		return Payment{}, err
	}
	f := fault.Decoded(ctx)
	f.OptionalMaxLength("reason", reason, maxText)
	if err := f.Err(); err != nil {
		return Payment{}, err
	}
	after, err := s.changeStatus(ctx, found, func(_ *db.Queries, p db.Payment) (*change, error) {
		switch {
		case Status(p.Status) != Pending:
			return nil, ErrNotPending
		case counted(p).IsPositive():
			return nil, ErrPartCame
		}
		return &change{to: Cancelled, actor: who.Actor(), reason: reason}, nil
	})
	return s.FromRow(after), err
}

// findTraders finds a payment that is assigned to the calling trader, who may
// end it.
func (s *Service) findTraders(ctx context.Context, who caller.Caller, id int64) (db.Payment, error) {
	if err := who.Need(caller.TraderWork); err != nil {
		return db.Payment{}, err
	}
	return s.findFor(ctx, who, strconv.FormatInt(id, 10))
}

type Page struct {
	db.Page
	// Status filters by status; nil is any.
	Status *string
}

func checkStatus(f fault.Fields, status string) {
	f.Check(known(status), "status", "must be pending, completed, failed, cancelled or appeal")
}

// ListAssigned lists the payments assigned to a trader. The cursor is nil on
// the last page.
func (s *Service) ListAssigned(ctx context.Context, who caller.Caller, page Page) ([]Payment, *string, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, nil, err
	}
	return s.page(ctx, fault.Decoded(ctx), page, "list payments", func(q *db.Queries, before int64, rows int32) ([]db.Payment, error) {
		return q.PaymentListByTrader(ctx, db.PaymentListByTraderParams{
			TraderID: who.TraderID, Status: page.Status, BeforeID: before, Page: rows,
		})
	})
}

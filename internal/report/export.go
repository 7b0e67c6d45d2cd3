package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/export"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
)

// exportPage is how many rows an export reads at a time, and exportLeast how
// many while the database is busy. So no transaction takes longer than reading
// so many.
const (
	exportPage  = 2_000
	exportLeast = 250
)

// ExportPayments writes the payments of a filter as CSV, the newest first; the
// filter's paging does not apply. Times are in the zone. Sums in USDT are those
// that were moved, so a payment that is not completed has none. The last line
// has the number of rows: a file without it is not complete.
func (s *Service) ExportPayments(
	ctx context.Context, who caller.Caller, f Filter, w io.Writer, zone *time.Location,
) error {
	if err := who.Need(caller.TraderMoney, caller.MerchantMoney, caller.OperatorRead); err != nil {
		return err
	}
	f.Paging = Paging{}
	if _, err := f.check(ctx, payment.Statuses); err != nil {
		return err
	}
	c := scopeOf(who, f)
	read := func(at window) (Page[PaymentItem], error) { return s.paymentItems(ctx, who, c, at) }
	return exportNamed(ctx, s, who, newFile(w, zone, who, paymentColumns), read,
		func(p PaymentItem, names Names) paymentRow {
			if p.Status != payment.Completed { // nothing has moved
				p.Sums = payment.Sums{}
			}
			return paymentRow{p, names}
		})
}

// ExportPayouts writes the payouts of a filter, in the way of ExportPayments.
// Sums in USDT are those that are frozen or were moved, so a payout that ended
// unpaid has none. A return that failed has what its trader gave to the
// cashbox, as sums below 0.
func (s *Service) ExportPayouts(
	ctx context.Context, who caller.Caller, f Filter, w io.Writer, zone *time.Location,
) error {
	if err := who.Need(caller.TraderMoney, caller.MerchantMoney, caller.OperatorRead); err != nil {
		return err
	}
	f.Paging = Paging{}
	if _, err := f.check(ctx, payout.Statuses); err != nil {
		return err
	}
	c := scopeOf(who, f)
	read := func(at window) (Page[PayoutItem], error) {
		rows, err := s.payoutRows(ctx, c, at)
		return turned(rows, func(row db.Payout) PayoutItem { return payoutItem(who, row) }), err
	}
	return exportNamed(ctx, s, who, newFile(w, zone, who, payoutColumns), read,
		func(p PayoutItem, names Names) payoutRow {
			row := payoutRow{PayoutItem: p, names: names}
			if who.SeesOrder() {
				row.frozen = &p.FrozenUSDT
			}
			switch p.Status {
			case payout.Failed, payout.Cancelled, payout.Expired:
				row.endUnpaid()
			case payout.Waiting, payout.Processing, payout.Completed:
			}
			return row
		})
}

// exportNamed exports a list with the names of merchants and traders, which are
// read once for each page.
func exportNamed[O Owned, R any](
	ctx context.Context, s *Service, who caller.Caller, out file[R], read func(window) (Page[O], error), row func(O, Names) R,
) error {
	return writeAll(ctx, out.Table, read, func(items []O) error {
		names, err := NamesOf(ctx, s, who, items)
		if err != nil {
			return err
		}
		for _, item := range items {
			out.write(row(item, names))
		}
		return nil
	})
}

// writeAll reads a list page by page to its end. If the database is too busy
// for a page, it asks for half as many rows, because a file that ends in the
// middle is of no use.
func writeAll[R any](
	ctx context.Context, out *export.Table, read func(window) (Page[R], error), write func([]R) error,
) error {
	at := window{below: math.MaxInt64, limit: exportPage}
	for {
		page, err := read(at)
		if errors.Is(err, fault.ErrBusy) && at.limit > exportLeast {
			at.limit /= 2
			continue
		}
		if err != nil {
			return err
		}
		if err := write(page.Items); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if page.Next == nil {
			return out.End()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if at, err = at.on(*page.Next); err != nil {
			return err
		}
	}
}

// on is the window that begins after a page's end.
func (w window) on(cursor string) (window, error) {
	next, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil {
		return w, fmt.Errorf("go on with a list: %w", err)
	}
	return w.at(next), nil
}

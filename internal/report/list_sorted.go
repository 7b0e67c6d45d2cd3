package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// paymentsByAmount reads a page of payments by amount. The cursor is the last
// payment's id.
func (s *Service) paymentsByAmount(ctx context.Context, t paymentTable, w window) (Page[db.Payment], error) {
	sign := decimal.NewFromInt(1)
	if w.sort == Greatest {
		sign = decimal.NewFromInt(-1)
	}
	after, err := s.amountOf(ctx, t, w.cursor)
	if err != nil {
		return Page[db.Payment]{}, err
	}
	var stopped *mark
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.Payment, error) {
		var all []db.Payment
		stopped = nil // the function may be called a second time
		for _, branch := range t.branches() {
			rows, err := q.ReportPaymentsByAmount(ctx, t.amountParams(branch, w, sign, after))
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				all = append(all, db.Payment(row))
			}
			stop, err := t.stop(ctx, q, branch, w)
			if err != nil {
				return nil, err
			}
			stopped = w.nearer(stopped, stop)
		}
		return all, nil
	})
	if err != nil {
		return Page[db.Payment]{}, fmt.Errorf("list payments by amount: %w", err)
	}
	slices.SortFunc(rows, func(a, b db.Payment) int {
		return cmp.Or(a.Amount.Mul(sign).Cmp(b.Amount.Mul(sign)), cmp.Compare(a.ID, b.ID))
	})
	page := Page[db.Payment]{Items: rows[:min(len(rows), w.limit)]}
	if len(rows) > w.limit {
		page.Next = cursorOf(rows[w.limit-1].ID)
	}
	if stopped != nil {
		page.SearchedBackTo = &stopped.at
	}
	return page, nil
}

// amountOf reads the amount of the payment after which the list continues; it
// is not valid at the beginning of the list.
func (s *Service) amountOf(ctx context.Context, t paymentTable, cursor int64) (decimal.NullDecimal, error) {
	if cursor == 0 {
		return decimal.NullDecimal{}, nil
	}
	last, err := s.q.PaymentFind(ctx, cursor)
	if db.NoRows(err) || err == nil && !t.has(last.MerchantID, &last.TraderID) {
		return decimal.NullDecimal{}, fault.Fields{"cursor": {"is not a cursor of ours"}}.Err()
	}
	return decimal.NewNullDecimal(last.Amount), err
}

// amountParams are the parameters of a list by time, and where the list by
// amount continues. Both must find the same payments.
func (t paymentTable) amountParams(
	branch *string, w window, sign decimal.Decimal, after decimal.NullDecimal,
) db.ReportPaymentsByAmountParams {
	p := t.params(branch, w)
	return db.ReportPaymentsByAmountParams{
		Statuses: p.Statuses, CreatedFrom: p.CreatedFrom, CreatedTo: p.CreatedTo, CashboxID: p.CashboxID,
		Method: p.Method, Currency: p.Currency, MinAmount: p.MinAmount, MaxAmount: p.MaxAmount, Sought: p.Sought,
		Last4: p.Last4, SumFrom: p.SumFrom, SumTo: p.SumTo, Part: p.Part, Above: p.Above, Below: p.Below,
		Requisites: p.Requisites, After: after, Sign: sign, AfterID: w.cursor, Page: p.Page, MerchantID: p.MerchantID,
		TraderID: p.TraderID, Status: p.Status, Payer: p.Payer, Scan: p.Scan, Ids: p.Ids,
	}
}

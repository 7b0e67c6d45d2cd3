package payment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Query asks for payments: interface, "GET /api/v1/payments".
type Query struct {
	Page
	// OrderID is what a merchant's key looks up; Method keeps to one of its channels.
	OrderID, Method *string
	// From and To bound the creation: from then on, and before then.
	From, To *time.Time
}

// List lists a cabinet user's payments, the newest first, or those a merchant made under one order
// id. The cursor is nil on the last page, and always for a merchant: an order id has one payment a
// method.
func (s *Service) List(ctx context.Context, who caller.Caller, query Query) ([]Payment, *string, error) {
	switch who.Kind {
	case caller.Cabinet:
		return s.listByPayer(ctx, who, query)
	case caller.MerchantKey:
		list, err := s.listByOrder(ctx, who, query)
		return list, nil, err
	default:
		return nil, nil, fault.ErrTokenKindNotAllowed
	}
}

// payers are the names by which merchants' payments name a cabinet user as their payer: the login
// or the id.
func payers(who caller.Caller) []string {
	return []string{who.Login, strconv.FormatInt(who.ID, 10)}
}

// listByPayer finds the payments of the user's merchants whose payer is the user.
func (s *Service) listByPayer(ctx context.Context, who caller.Caller, query Query) ([]Payment, *string, error) {
	f := fault.Decoded(ctx)
	limit, before := query.bounds(f)
	f.Check(query.From == nil || query.To == nil || !query.To.Before(*query.From), "to", "must not be before from")
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.Payment, error) {
		return q.PaymentListByPayer(ctx, db.PaymentListByPayerParams{
			Payers:      payers(who),
			MerchantIds: who.MerchantIDs,
			BeforeID:    before,
			Page:        limit + 1,
			Status:      query.Status,
			OrderID:     query.OrderID,
			Method:      query.Method,
			CreatedFrom: query.From,
			CreatedTo:   query.To,
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list payments: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(p db.Payment) int64 { return p.ID })
	return fromRows(rows), cursor, nil
}

func (s *Service) listByOrder(ctx context.Context, who caller.Caller, query Query) ([]Payment, error) {
	if err := who.NeedMerchant(caller.ScopePayments); err != nil {
		return nil, err
	}
	f := fault.Decoded(ctx)
	orderID := f.RequiredText("orderId", text(query.OrderID), maxText)
	channels := channels(query.Method)
	f.Check(len(channels) > 0 || f.Wrong("method"), "method", "is not a known method")
	if err := f.Err(); err != nil {
		return nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.Payment, error) {
		return q.PaymentListByOrder(ctx, db.PaymentListByOrderParams{
			MerchantID: who.MerchantID, Channels: channels, OrderID: orderID,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list payments: %w", err)
	}
	return fromRows(rows), nil
}

// channels are the names of the methods, or only the given one: with them the look-up is by key,
// however many payments the merchant has.
func channels(wanted *string) []string {
	var names []string
	for _, method := range catalogue.Methods {
		if wanted == nil || *wanted == method.Name {
			names = append(names, method.Name)
		}
	}
	return names
}

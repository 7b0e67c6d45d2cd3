package payment

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/optional"
)

// Query asks for payments: interface, "GET /api/v1/payments".
type Query struct {
	Page
	db.Span
	// OrderID filters by order id; each method has at most one payment with
	// it. Method filters by method.
	OrderID, Method *string
	// Metadata filters by one pair; it is for merchants' keys.
	Metadata metadata.Set
}

// List lists the payments of a cabinet user, or of the key's merchant, the
// newest first. The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, query Query) ([]Payment, *string, error) {
	switch who.Kind {
	case caller.Cabinet:
		return s.listByPayer(ctx, who, query)
	case caller.MerchantKey:
		return s.listByMerchant(ctx, who, query)
	default:
		return nil, nil, fault.ErrTokenKindNotAllowed
	}
}

// payers are the names by which payments may name a cabinet user as their
// payer: login and id.
func payers(who caller.Caller) []string {
	return []string{who.Login, strconv.FormatInt(who.ID, 10)}
}

// listByPayer finds the payments at the user's merchants that name the user as
// their payer.
func (s *Service) listByPayer(ctx context.Context, who caller.Caller, query Query) ([]Payment, *string, error) {
	f := fault.Decoded(ctx)
	query.Check(f)
	f.Check(len(query.Metadata) == 0, "metadata", "is for the lists of merchants' keys")
	return s.page(ctx, f, query.Page, "list payments", func(q *db.Queries, before int64, rows int32) ([]db.Payment, error) {
		return listOfPayer(ctx, q, who, db.PaymentListByPayerParams{
			BeforeID: before, Page: rows, Status: query.Status, OrderID: query.OrderID, Method: query.Method,
			CreatedFrom: query.From, CreatedTo: query.To,
		})
	})
}

func (s *Service) page(
	ctx context.Context, f fault.Fields, page Page, doing string,
	query func(q *db.Queries, before int64, rows int32) ([]db.Payment, error),
) ([]Payment, *string, error) {
	if page.Status != nil {
		checkStatus(f, *page.Status)
	}
	rows, cursor, err := db.ListPage(ctx, s.reads, f, page.Page, doing, query, func(p db.Payment) int64 { return p.ID })
	return db.Each(rows, s.FromRow), cursor, err
}

// listOfPayer reads a page for each name and merchant, so that none reads more
// rows than it needs, and merges the newest. A payment has one payer, so none
// comes twice.
func listOfPayer(
	ctx context.Context, q *db.Queries, who caller.Caller, params db.PaymentListByPayerParams,
) ([]db.Payment, error) {
	var all []db.Payment
	for _, name := range payers(who) {
		for _, merchantID := range who.MerchantIDs {
			params.Payer, params.MerchantID = name, merchantID
			rows, err := q.PaymentListByPayer(ctx, params)
			if err != nil {
				return nil, err
			}
			all = append(all, rows...)
		}
	}
	slices.SortFunc(all, func(a, b db.Payment) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(len(all), int(params.Page))], nil
}

// listByMerchant lists payments of a key's merchant. An order id finds at most
// one for each method, and cannot be combined with metadata.
func (s *Service) listByMerchant(ctx context.Context, who caller.Caller, query Query) ([]Payment, *string, error) {
	if err := who.NeedMerchant(caller.ScopePayments); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	query.Check(f)
	if query.OrderID != nil {
		orderID := f.RequiredText("orderId", *query.OrderID, maxText)
		query.OrderID = &orderID
	}
	pair := metadata.Wanted(f, query.Metadata)
	f.Check(pair == nil || query.OrderID == nil, "metadata", "cannot be given beside orderId")
	channels := channels(query.Method)
	f.Check(len(channels) > 0 || f.Wrong("method"), "method", "%s",
		fault.OneOf(optional.Value(query.Method), catalogue.Names(catalogue.Methods)))
	return s.page(ctx, f, query.Page, "list payments", func(q *db.Queries, before int64, rows int32) ([]db.Payment, error) {
		if query.OrderID != nil {
			return q.PaymentListByOrder(ctx, db.PaymentListByOrderParams{
				MerchantID: who.MerchantID, Channels: channels, OrderID: *query.OrderID, BelowID: before,
				CreatedFrom: query.From, CreatedTo: query.To, Status: query.Status,
			})
		}
		return query.ofMerchant(ctx, q, who.MerchantID, pair, before, rows)
	})
}

// ofMerchant reads a page of a merchant's payments, the newest first, by a pair
// of metadata if there is one. The period becomes a range of ids first, so that
// older and newer payments need not be read.
func (query Query) ofMerchant(
	ctx context.Context, q *db.Queries, merchantID int64, pair *metadata.Pair, before int64, page int32,
) ([]db.Payment, error) {
	above, below, err := query.IDs(ctx, q, subject, 0, before)
	if err != nil {
		return nil, err
	}
	if pair != nil {
		return q.PaymentListByPair(ctx, db.PaymentListByPairParams{
			MerchantID: merchantID, Pair: pair.ID(), AboveID: above, BelowID: below, CreatedFrom: query.From,
			CreatedTo: query.To, Status: query.Status, Method: query.Method, Page: page,
		})
	}
	return q.PaymentListByMerchant(ctx, db.PaymentListByMerchantParams{
		MerchantID:  merchantID,
		AboveID:     above,
		BelowID:     below,
		CreatedFrom: query.From,
		CreatedTo:   query.To,
		Status:      query.Status,
		Method:      query.Method,
		Page:        page,
	})
}

// channels are the names of all methods, or only the given one. With them the
// query finds an order by key, however many payments the merchant has.
func channels(wanted *string) []string {
	var names []string
	for _, method := range catalogue.Methods {
		if wanted == nil || *wanted == method.Name {
			names = append(names, method.Name)
		}
	}
	return names
}

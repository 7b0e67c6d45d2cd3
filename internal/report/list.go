package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
)

// Filter selects from what a caller may list. The zero value selects everything
// of the last 30 days.
type Filter struct {
	Paging
	// Status selects these of payment.Statuses or payout.Statuses; none is
	// any.
	Status []string
	// Method and Currency select one; "" is any.
	Method, Currency string
	// From and To limit the creation: at or after From, and before To. A
	// zero From is 30 days before To; a zero To is no limit.
	From, To time.Time
	// MinAmount and MaxAmount limit the amount in the currency; zero is no
	// limit.
	MinAmount, MaxAmount decimal.Decimal
	// CashboxID selects a cashbox, and MerchantID and TraderID what is
	// theirs; zero is any. For merchants and traders it is always their
	// own.
	CashboxID, MerchantID, TraderID int64
	// Overdue selects payouts that should have been paid by now; it is for
	// payouts only.
	Overdue bool
	// Metadata selects what has a pair. It requires a merchant; nil is any.
	Metadata *metadata.Pair
	// Search finds one thing: a uuid, an id, an amount, or the last four
	// digits of a requisite or card. Merchants and operators can also
	// search for a payer, an order id, or at least three characters of one;
	// operators and traders for a whole requisite. What has exactly the
	// uuid, id or order id is shown even if the rest of the filter excludes
	// it.
	Search string
}

const (
	// windowDefault is how far back a list goes if no beginning is given.
	windowDefault = 30 * 24 * time.Hour
	maxSearch     = 200
	maxFilter     = 64
	// digitsShown is how many digits of a card or requisite are shown; so
	// many may be searched for.
	digitsShown = 4
)

// PaymentItem is a payment in a list. Fields that its caller may not see are
// empty.
type PaymentItem struct {
	payment.Payment
	// Sums are the caller's part of the calculation.
	Sums payment.Sums
	// CardLast4 has the last digits of the card that was entered for a card
	// payment, or "".
	CardLast4 string
}

// Payments lists, the newest first, a trader's or a merchant's own payments,
// and for an operator all.
func (s *Service) Payments(ctx context.Context, who caller.Caller, f Filter) (Page[PaymentItem], error) {
	if err := who.Need(caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return Page[PaymentItem]{}, err
	}
	w, err := f.check(ctx, payment.Statuses)
	if err != nil {
		return Page[PaymentItem]{}, err
	}
	return s.paymentItems(ctx, who, scopeOf(who, f), w)
}

// paymentItems reads a page of payments as the caller may see them.
func (s *Service) paymentItems(ctx context.Context, who caller.Caller, c scope, w window) (Page[PaymentItem], error) {
	rows, err := s.paymentRows(ctx, c, w)
	if err != nil {
		return Page[PaymentItem]{}, err
	}
	cards, err := s.cardsShown(ctx, rows.Items)
	if err != nil {
		return Page[PaymentItem]{}, err
	}
	return turned(rows, func(row db.Payment) PaymentItem {
		p := s.payments.FromRow(row)
		return PaymentItem{Payment: p.For(who), Sums: p.SumsFor(who), CardLast4: cards[row.ID]}
	}), nil
}

// check validates a filter and reads its paging.
func (f Filter) check(ctx context.Context, statuses []string) (window, error) {
	found := fault.Decoded(ctx)
	w := f.Paging.check(found)
	for _, status := range f.Status {
		found.Check(slices.Contains(statuses, status), "status", "must be one of %v", statuses)
	}
	found.MaxLength("search", f.Search, maxSearch)
	found.MaxLength("method", f.Method, maxFilter)
	found.MaxLength("currency", f.Currency, maxFilter)
	found.Check(f.From.IsZero() || f.To.IsZero() || !f.To.Before(f.From), "to", "must not be before from")
	return w, found.Err()
}

// scope is a filter together with the caller for whom it is applied.
type scope struct {
	Filter
	who caller.Caller
}

// scopeOf limits a filter to what the caller may list.
func scopeOf(who caller.Caller, f Filter) scope {
	switch who.Kind {
	case caller.Trader:
		f.TraderID, f.MerchantID, f.CashboxID = who.TraderID, 0, 0
	case caller.MerchantPortal:
		f.TraderID, f.MerchantID = 0, who.MerchantID
	default:
	}
	return scope{Filter: f, who: who}
}

// paymentPage reads a page of payments, within a scope that is already limited
// to what the caller may list. The period and the metadata become ids first,
// which bound what is read.
func (s *Service) paymentPage(ctx context.Context, t paymentTable, w window) (Page[db.Payment], error) {
	var err error
	if t.created, w, err = s.bound(ctx, db.SubjectPayment, t.Filter, w); err != nil {
		return Page[db.Payment]{}, err
	}
	if t.ids, err = s.paired(ctx, db.SubjectPayment, t.scope, w); err != nil {
		return Page[db.Payment]{}, err
	}
	if w.sort.byAmount() {
		return s.paymentsByAmount(ctx, t, w)
	}
	page, err := read(ctx, s, t, t.branches(), w)
	return page, fault.Doing("list payments", err)
}

// has reports whether something of a merchant and a trader is within the scope.
func (c scope) has(merchantID int64, traderID *int64) bool {
	return (c.MerchantID == 0 || c.MerchantID == merchantID) &&
		(c.TraderID == 0 || traderID != nil && c.TraderID == *traderID)
}

// created is a period of creation: at or after from, and before to.
type created struct{ from, to time.Time }

// endOr returns the end of a period; for an open end that is a time in the far
// future.
func endOr(to time.Time) time.Time {
	if to.IsZero() {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return to
}

// createdWithin is the filter's period, with both ends set.
func (s *Service) createdWithin(f Filter) created {
	c := created{from: f.From, to: endOr(f.To)}
	if c.from.IsZero() {
		end := f.To
		if end.IsZero() {
			end = s.clock.Now()
		}
		c.from = end.Add(-windowDefault)
	}
	return c
}

// bound finds the ids of what was created in the filter's period.
func (s *Service) bound(ctx context.Context, subject string, f Filter, w window) (created, window, error) {
	c := s.createdWithin(f)
	var err error
	w.above, w.below, err = db.Span{From: &c.from, To: &c.to}.IDs(ctx, s.q, subject, w.above, w.below)
	return c, w, err
}

// statusIndexed are the statuses whose rows an index has separately, for the
// list of a trader, of a merchant, and of everybody.
type statusIndexed struct{ trader, merchant, all []string }

var (
	paymentIndexed = statusIndexed{
		trader:   payment.Statuses,
		merchant: []string{"pending", "failed", "cancelled", "appeal"},
		all:      []string{"failed", "cancelled", "appeal"},
	}
	payoutIndexed = statusIndexed{trader: payout.Statuses, merchant: payout.Statuses, all: payout.Statuses}
)

// branchesBy returns the statuses that are read separately, each through its
// index. If a status has no index, or none is asked for, it returns a single
// nil: the list is read as one.
func (c scope) branchesBy(indexed statusIndexed) []*string {
	by := indexed.all
	switch {
	case c.TraderID != 0:
		by = indexed.trader
	case c.MerchantID != 0:
		by = indexed.merchant
	}
	var branches []*string
	for _, status := range slices.Compact(slices.Sorted(slices.Values(c.Status))) {
		if !slices.Contains(by, status) {
			return []*string{nil}
		}
		branches = append(branches, &status)
	}
	if len(branches) == 0 {
		return []*string{nil}
	}
	return branches
}

// amount is a limit of an amount; zero is no limit.
func amount(d decimal.Decimal) decimal.NullDecimal {
	return decimal.NullDecimal{Decimal: d, Valid: !d.IsZero()}
}

type paymentTable struct {
	scope
	sought
	created created
	payer   *string
	// requisites are the requisites whose payments are listed; none is any.
	requisites []int64
	// ids are the payments that have the filter's metadata; nil is any.
	ids []int64
}

func (t paymentTable) branches() []*string {
	if t.payer != nil {
		return []*string{nil}
	}
	return t.branchesBy(paymentIndexed)
}

func (paymentTable) id(p db.Payment) int64 { return p.ID }

func (t paymentTable) list(ctx context.Context, q *db.Queries, branch *string, w window) ([]db.Payment, error) {
	rows, err := q.ReportPayments(ctx, t.params(branch, w))
	return db.Each(rows, func(row db.ReportPaymentsRow) db.Payment { return db.Payment(row) }), err
}

// params are the parameters of the query of a branch.
func (t paymentTable) params(branch *string, w window) db.ReportPaymentsParams {
	params := db.ReportPaymentsParams{
		CreatedFrom: t.created.from, CreatedTo: t.created.to, CashboxID: optional.Of(t.CashboxID), Method: optional.Of(t.Method),
		Currency: optional.Of(t.Currency), MinAmount: amount(t.MinAmount), MaxAmount: amount(t.MaxAmount),
		Sought: t.any(), Last4: t.last4, SumFrom: t.from, SumTo: t.to, Part: t.part,
		Page: int32(w.limit) + 1, Above: w.above, Below: w.below, MerchantID: optional.Of(t.MerchantID),
		TraderID: optional.Of(t.TraderID), Status: branch, Payer: t.payer, Scan: scanMost, Requisites: t.requisites,
		Ids: t.ids, Backward: w.backward,
	}
	if branch == nil && len(t.Status) > 0 {
		params.Statuses = t.Status
	}
	return params
}

func (t paymentTable) stop(ctx context.Context, q *db.Queries, branch *string, w window) (*mark, error) {
	row, err := q.ReportPaymentsStop(ctx, db.ReportPaymentsStopParams{
		Above: w.above, Below: w.below, MerchantID: optional.Of(t.MerchantID), TraderID: optional.Of(t.TraderID), Status: branch,
		Payer: t.payer, Past: scanMost - 1, Ids: t.ids, Backward: w.backward,
	})
	return stopped(row.ID, row.CreatedAt, err)
}

// stopped is the row at which a search stopped; no row means that it has read
// everything.
func stopped(id int64, at time.Time, err error) (*mark, error) {
	if db.NoRows(err) {
		return nil, nil //nolint:nilnil // it came to the end
	}
	return &mark{id: id, at: at}, err
}

// cardsShown reads the last digits of the cards that were entered for payments,
// by the payments' ids.
func (s *Service) cardsShown(ctx context.Context, rows []db.Payment) (map[int64]string, error) {
	var wanted db.ReportCardsShownParams
	for _, p := range rows {
		if p.RequisiteType == nil {
			wanted.MerchantIds = append(wanted.MerchantIds, p.MerchantID)
			wanted.PaymentIds = append(wanted.PaymentIds, p.ID)
		}
	}
	cards := map[int64]string{}
	if len(wanted.PaymentIds) == 0 {
		return cards, nil
	}
	found, err := s.q.ReportCardsShown(ctx, wanted)
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	for _, c := range found {
		cards[c.PaymentID] = c.Last4
	}
	return cards, nil
}

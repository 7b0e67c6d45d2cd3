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

// Filter keeps to some of what a caller may list. Its zero value is everything of the last 30 days.
type Filter struct {
	Paging
	// Status keeps to these; none is any.
	Status []string
	// Method and Currency keep to one; "" is any.
	Method, Currency string
	// From and To bound the creation: from then on, and before then. A From that is zero is 30 days
	// before To; a To that is zero is no bound.
	From, To time.Time
	// MinAmount and MaxAmount bound the amount in the currency; zero is no bound.
	MinAmount, MaxAmount decimal.Decimal
	// CashboxID keeps to a cashbox, MerchantID and TraderID to theirs; zero is any. Merchants and
	// traders see their own whatever these say.
	CashboxID, MerchantID, TraderID int64
	// Overdue keeps to payouts whose time to be paid has passed; it is for payouts alone.
	Overdue bool
	// Metadata keeps to what has a pair, of a merchant; nil is any.
	Metadata *metadata.Pair
	// Search looks for one thing: a uuid, an id, an amount, or the last four digits of a requisite or card; for
	// merchants and operators also a payer, or an order id or three characters or more of one; for operators and traders
	// the whole of a requisite. What a uuid, an id or a whole order id finds is shown whatever else the filter says.
	Search string
}

// PaymentFilter keeps to some payments. Statuses are those of payment.Statuses.
type PaymentFilter = Filter

// PayoutFilter keeps to some payouts. Statuses are those of payout.Statuses.
type PayoutFilter = Filter

const (
	// windowDefault is how far back a list goes by itself.
	windowDefault = 30 * 24 * time.Hour
	maxSearch     = 200
	maxFilter     = 64
	// digitsShown is how many digits of a card or requisite are shown, and so may be looked for.
	digitsShown = 4
)

// PaymentItem is a payment in a list, as its caller sees it: what is not for them is empty.
type PaymentItem struct {
	payment.Payment
	// Sight is what the caller sees of the calculation.
	Sight payment.Sight
	// CardLast4 is of the card entered for a card payment, or "".
	CardLast4 string
}

// Payments lists a trader's or a merchant's own payments, or to an operator all, the newest first.
func (s *Service) Payments(ctx context.Context, who caller.Caller, f PaymentFilter) (Page[PaymentItem], error) {
	if err := who.Need(caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return Page[PaymentItem]{}, err
	}
	w, err := f.check(ctx, payment.Statuses)
	if err != nil {
		return Page[PaymentItem]{}, err
	}
	return s.paymentItems(ctx, who, scopeOf(who, f), w)
}

// paymentItems reads a page as the caller may see it.
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
		return PaymentItem{Payment: p.Shown(who), Sight: p.Seen(who), CardLast4: cards[row.ID]}
	}), nil
}

// check settles what is wrong with a filter and reads its paging.
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

// scope is what a list is of: whose, and which of theirs.
type scope struct {
	Filter
	who caller.Caller
}

// scopeOf keeps a filter to what the caller may list.
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
	if err != nil {
		return page, fmt.Errorf("list payments: %w", err)
	}
	return page, nil
}

// has tells whether something of a merchant and a trader is within the scope.
func (c scope) has(merchantID int64, traderID *int64) bool {
	return (c.MerchantID == 0 || c.MerchantID == merchantID) &&
		(c.TraderID == 0 || traderID != nil && c.TraderID == *traderID)
}

// created is when what is listed was created: from then on, and before then.
type created struct{ from, to time.Time }

// endOr is the end of a time that may be open: then it is the last there is.
func endOr(to time.Time) time.Time {
	if to.IsZero() {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return to
}

// createdWithin is the filter's time, both ends known.
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

// bound finds the ids of what was created within the filter's time.
func (s *Service) bound(ctx context.Context, subject string, f Filter, w window) (created, window, error) {
	c := s.createdWithin(f)
	var err error
	w.above, w.below, err = db.Span{From: &c.from, To: &c.to}.IDs(ctx, s.q, subject, w.above, w.below)
	return c, w, err
}

// statusIndexed are the statuses whose rows an index lists apart from all others, for a trader, a
// merchant, and everybody.
type statusIndexed struct{ trader, merchant, all []string }

var (
	paymentIndexed = statusIndexed{
		trader:   payment.Statuses,
		merchant: []string{"pending", "failed", "cancelled", "appeal"},
		all:      []string{"failed", "cancelled", "appeal"},
	}
	payoutIndexed = statusIndexed{trader: payout.Statuses, merchant: payout.Statuses, all: payout.Statuses}
)

// branches are the statuses to be listed each by its index, or one nil where they are not, and are
// looked for among all.
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

// amount is a bound of an amount.
func amount(d decimal.Decimal) decimal.NullDecimal {
	return decimal.NullDecimal{Decimal: d, Valid: !d.IsZero()}
}

// paymentTable reads payments.
type paymentTable struct {
	scope
	sought
	created created
	payer   *string
	// requisites are those whose payments are wanted; none is any.
	requisites []int64
	// ids are those that have the pair of the filter; nil is any.
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

// params are those of the query of a branch.
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

// stopped is where a search stopped; no row is nowhere.
func stopped(id int64, at time.Time, err error) (*mark, error) {
	if db.NoRows(err) {
		return nil, nil //nolint:nilnil // it came to the end
	}
	return &mark{id: id, at: at}, err
}

// cardsShown are the last digits of the cards entered for payments, by their ids.
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

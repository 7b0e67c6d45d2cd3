package report

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// paymentRows reads a page: what the search names, or else what it is like.
func (s *Service) paymentRows(ctx context.Context, c scope, w window) (Page[db.Payment], error) {
	exact, err := s.paymentsNamed(ctx, c)
	t := paymentTable{scope: c, sought: c.sought()}
	if err != nil || len(exact) > 0 && !t.number() {
		return Page[db.Payment]{Items: exact}, err
	}
	if c.Search != "" && t.last4 == nil {
		if err := s.about(ctx, &t); err != nil {
			return Page[db.Payment]{}, err
		}
		if t.none() {
			return Page[db.Payment]{Items: exact}, nil
		}
	}
	if t.part != nil && c.onlySearch() {
		begun, err := s.paymentsBegun(ctx, c)
		if err != nil {
			return Page[db.Payment]{}, err
		}
		exact = append(exact, besides(exact, begun, t.id)...)
	}
	page, err := s.paymentPage(ctx, t, w)
	return beginWith(page, exact, w, t.id), err
}

// about finds what a search is about that names no payment outright: a requisite or a payer, who are looked for alone.
func (s *Service) about(ctx context.Context, t *paymentTable) (err error) {
	if t.MerchantID == 0 {
		t.requisites, err = s.q.RequisitesOfValue(ctx, s.payments.RequisiteHashes(t.Search))
		if err != nil || len(t.requisites) > 0 {
			t.sought = sought{}
			return err
		}
		t.requisites = nil
	}
	if t.who.Kind == caller.Trader {
		return nil
	}
	payer := db.ReportPayerKnownParams{Payer: &t.Search, MerchantID: optional.Of(t.MerchantID)}
	known, err := s.q.ReportPayerKnown(ctx, payer)
	if known {
		t.payer, t.sought = &t.Search, sought{}
	}
	return err
}

// beginWith puts what a search names outright before the first page of what else it may mean.
func beginWith[R any](page Page[R], exact []R, w window, id func(R) int64) Page[R] {
	page.Items = besides(exact, page.Items, id)
	if w.cursor == 0 {
		page.Items = append(exact, page.Items...)
	}
	return page
}

// besides are the rows that are not among others.
func besides[R any](others, rows []R, id func(R) int64) []R {
	return slices.DeleteFunc(rows, func(row R) bool {
		return slices.ContainsFunc(others, func(other R) bool { return id(other) == id(row) })
	})
}

var amountForm = regexp.MustCompile(`^\d{1,12}([.,]\d{1,2})?$`)

// sought is what a search may mean that names nothing outright; nil is that it does not mean that.
type sought struct {
	// last4 is the end of a card or requisite, or an id.
	last4 *string
	// from and to bound amounts: of a whole number also those with a fraction.
	from, to decimal.NullDecimal
	// part is what an order id has in it, in lower case.
	part *string
}

// partLeast is how many characters of an order id are looked for.
const partLeast = 3

func (c scope) sought() sought {
	var s sought
	if lastDigits(c.Search) {
		s.last4 = &c.Search
	}
	if text := strings.ReplaceAll(c.Search, " ", ""); amountForm.MatchString(text) {
		from := decimal.RequireFromString(strings.ReplaceAll(text, ",", "."))
		to := from
		if from.Exponent() == 0 {
			to = from.Add(decimal.New(99, -2))
		}
		s.from, s.to = decimal.NewNullDecimal(from), decimal.NewNullDecimal(to)
	}
	if c.who.Kind != caller.Trader && utf8.RuneCountInString(c.Search) >= partLeast {
		s.part = new(strings.ToLower(c.Search))
	}
	return s
}

// number tells that an amount may be meant.
func (s sought) number() bool { return s.from.Valid }

// any tells that rows are looked at for what is sought.
func (s sought) any() bool { return s.last4 != nil || s.number() || s.part != nil }

// none tells that nothing can be found by looking at payments.
func (t paymentTable) none() bool { return !t.any() && t.payer == nil && len(t.requisites) == 0 }

// onlySearch tells that a list is kept to nothing but a search, and to whose it is.
func (f Filter) onlySearch() bool {
	return len(f.Status) == 0 && f.Method == "" && f.Currency == "" && f.From.IsZero() && f.To.IsZero() &&
		f.MinAmount.IsZero() && f.MaxAmount.IsZero() && f.CashboxID == 0 && !f.Overdue && f.Metadata == nil
}

// begunMost is how many are shown whose order ids begin with what is sought, before all that have it in them.
const begunMost = 20

// paymentsBegun are payments whose order ids begin with what is sought, however old they are.
func (s *Service) paymentsBegun(ctx context.Context, c scope) ([]db.Payment, error) {
	merchants, err := s.ordersOf(ctx, c)
	if err != nil || len(merchants) == 0 {
		return nil, err
	}
	begins, beyond := db.Begins(c.Search)
	found, err := s.q.ReportPaymentsBegun(ctx, db.ReportPaymentsBegunParams{
		Merchants: merchants, Begins: begins, Beyond: beyond, Page: begunMost,
	})
	return slices.DeleteFunc(found, func(p db.Payment) bool { return !c.has(p.MerchantID, &p.TraderID) }), err
}

// payoutsBegun are payouts whose order ids begin with what is sought.
func (s *Service) payoutsBegun(ctx context.Context, c scope) ([]db.Payin, error) {
	merchants, err := s.ordersOf(ctx, c)
	if err != nil || len(merchants) == 0 {
		return nil, err
	}
	begins, beyond := db.Begins(c.Search)
	found, err := s.q.ReportPayinsBegun(ctx, db.ReportPayinsBegunParams{
		Merchants: merchants, Begins: begins, Beyond: beyond, Page: begunMost,
	})
	return slices.DeleteFunc(found, func(p db.Payin) bool { return !c.has(p.MerchantID, p.TraderID) }), err
}

// paymentsNamed are the payments that a search names outright, if the caller may see them.
func (s *Service) paymentsNamed(ctx context.Context, c scope) ([]db.Payment, error) {
	var found []db.Payment
	one := func(p db.Payment, err error) error {
		if err == nil && c.has(p.MerchantID, &p.TraderID) {
			found = append(found, p)
		}
		return db.IgnoreNoRows(err)
	}
	if id, err := uuid.Parse(c.Search); err == nil {
		return found, one(s.q.PaymentFindByUUID(ctx, id))
	}
	if id, err := strconv.ParseInt(c.Search, 10, 64); err == nil && !lastDigits(c.Search) {
		if err := one(s.q.PaymentFind(ctx, id)); err != nil || len(found) > 0 {
			return found, err
		}
	}
	merchants, err := s.ordersOf(ctx, c)
	if err != nil || len(merchants) == 0 {
		return found, err
	}
	return s.q.ReportPaymentsByOrder(ctx, db.ReportPaymentsByOrderParams{
		Merchants: merchants, Channels: methods(), OrderID: c.Search,
	})
}

// ordersOf are the merchants among whose orders a search looks: traders are not told what was ordered.
func (s *Service) ordersOf(ctx context.Context, c scope) ([]int64, error) {
	switch {
	case c.Search == "" || c.who.Kind == caller.Trader:
		return nil, nil
	case c.MerchantID != 0:
		return []int64{c.MerchantID}, nil
	}
	return s.q.MerchantIDs(ctx)
}

func methods() []string {
	return db.Each(catalogue.Methods, func(method catalogue.Method) string { return method.Name })
}

// lastDigits tells whether a search is for the digits of a requisite or card that are shown.
func lastDigits(search string) bool {
	if len(search) != digitsShown {
		return false
	}
	_, err := strconv.ParseUint(search, 10, 64)
	return err == nil
}

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

	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

// paymentRows reads a page: the payments that the search names exactly, and
// those that match it.
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

// about finds out whether a search is for a requisite or a payer. If it is,
// only that is searched for.
func (s *Service) about(ctx context.Context, t *paymentTable) (err error) {
	if t.MerchantID == 0 {
		t.requisites, err = s.q.RequisitesOfValue(ctx, s.payments.RequisiteHashes(t.Search))
		if err != nil || len(t.requisites) > 0 {
			t.sought = sought{}
			return err
		}
		t.requisites = nil
	}
	if !t.who.SeesOrder() {
		return nil
	}
	payer := db.ReportPayerKnownParams{Payer: &t.Search, MerchantID: optional.Of(t.MerchantID)}
	known, err := s.q.ReportPayerKnown(ctx, payer)
	if known {
		t.payer, t.sought = &t.Search, sought{}
	}
	return err
}

// beginWith puts the rows that a search names exactly in front of the first
// page of the other matches.
func beginWith[R any](page Page[R], exact []R, w window, id func(R) int64) Page[R] {
	page.Items = besides(exact, page.Items, id)
	first := w.cursor == 0 || page.Previous == nil && !w.sort.byAmount() // a list by amount never tells
	if first {
		page.Items = append(exact, page.Items...)
	}
	return page
}

// besides returns the rows that are not among others.
func besides[R any](others, rows []R, id func(R) int64) []R {
	return slices.DeleteFunc(rows, func(row R) bool {
		return slices.ContainsFunc(others, func(other R) bool { return id(other) == id(row) })
	})
}

var amountForm = regexp.MustCompile(`^\d{1,12}([.,]\d{1,2})?$`)

// sought is what a search may be for, if it names nothing exactly. A nil field
// means that it is not for that.
type sought struct {
	// last4 is the end of a card or requisite, or an id.
	last4 *string
	// from and to limit the amount. A whole number also finds amounts with
	// a fraction.
	from, to decimal.NullDecimal
	// part is contained in an order id, in lower case.
	part *string
}

// partLeast is the least number of characters by which order ids are searched.
const partLeast = 3

// sought is everything that a search may be for; 1234 may be the end of a card,
// an amount and a part of an order id. Order ids are searched only for those
// who see them.
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
	if c.who.SeesOrder() && utf8.RuneCountInString(c.Search) >= partLeast {
		s.part = new(strings.ToLower(c.Search))
	}
	return s
}

// number reports whether the search may be for an amount.
func (s sought) number() bool { return s.from.Valid }

// any reports whether rows have to be read to find what is sought.
func (s sought) any() bool { return s.last4 != nil || s.number() || s.part != nil }

// none reports whether reading payments cannot find anything.
func (t paymentTable) none() bool { return !t.any() && t.payer == nil && len(t.requisites) == 0 }

// onlySearch reports whether the filter has nothing but a search and an owner.
func (f Filter) onlySearch() bool {
	return len(f.Status) == 0 && f.Method == "" && f.Currency == "" && f.From.IsZero() && f.To.IsZero() &&
		f.MinAmount.IsZero() && f.MaxAmount.IsZero() && f.CashboxID == 0 && !f.Overdue && f.Metadata == nil
}

// begunMost is how many payments or payouts are shown whose order ids begin
// with the searched text. They come before all that contain it.
const begunMost = 20

// paymentsBegun lists payments whose order ids begin with the searched text,
// however old they are.
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

// payoutsBegun lists payouts whose order ids begin with the searched text,
// however old they are.
func (s *Service) payoutsBegun(ctx context.Context, c scope) ([]db.Payout, error) {
	merchants, err := s.ordersOf(ctx, c)
	if err != nil || len(merchants) == 0 {
		return nil, err
	}
	begins, beyond := db.Begins(c.Search)
	found, err := s.q.ReportPayoutsBegun(ctx, db.ReportPayoutsBegunParams{
		Merchants: merchants, Begins: begins, Beyond: beyond, Page: begunMost,
	})
	return slices.DeleteFunc(found, func(p db.Payout) bool { return !c.has(p.MerchantID, p.TraderID) }), err
}

// paymentsNamed lists the payments that a search names exactly, if the caller
// may see them.
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

// ordersOf lists the merchants among whose order ids a search looks. For
// traders there are none, because they may not see order ids.
func (s *Service) ordersOf(ctx context.Context, c scope) ([]int64, error) {
	switch {
	case c.Search == "" || !c.who.SeesOrder():
		return nil, nil
	case c.MerchantID != 0:
		return []int64{c.MerchantID}, nil
	}
	return s.q.MerchantIDs(ctx)
}

func methods() []string {
	return db.Each(catalogue.Methods, func(method catalogue.Method) string { return method.Name })
}

// lastDigits reports whether a search is for the last digits of a requisite or
// card.
func lastDigits(search string) bool {
	if len(search) != digitsShown {
		return false
	}
	_, err := strconv.ParseUint(search, 10, 64)
	return err == nil
}

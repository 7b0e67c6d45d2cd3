package report

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/internal/work"
)

// PayoutItem is a payout in a list. Fields that its caller may not see are
// empty.
type PayoutItem struct {
	payout.Payout
	// RewardUSDT is what the trader who took the payout gets for completing
	// it; nil for merchants, and before it is taken.
	RewardUSDT *decimal.Decimal
	// kept is what the cashbox got from the trader, of a return that
	// failed.
	kept decimal.Decimal
}

// Payouts lists, the newest first, the payouts that a trader took, a merchant's
// own, and for an operator all.
func (s *Service) Payouts(ctx context.Context, who caller.Caller, f Filter) (Page[PayoutItem], error) {
	if err := who.Need(caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return Page[PayoutItem]{}, err
	}
	w, err := f.check(ctx, payout.Statuses)
	if err != nil {
		return Page[PayoutItem]{}, err
	}
	rows, err := s.payoutRows(ctx, scopeOf(who, f), w)
	return turned(rows, func(row db.Payout) PayoutItem { return payoutItem(who, row) }), err
}

func payoutItem(who caller.Caller, row db.Payout) PayoutItem {
	item := PayoutItem{Payout: payout.FromRow(row).For(who)}
	if reward := payout.Reward(row); reward.Valid && who.SeesTrader() {
		item.RewardUSDT = &reward.Decimal
	}
	if row.ReturnOf != nil && item.Status == payout.Failed {
		item.kept = row.FrozenUSDT
	}
	return item
}

// payoutRows reads a page: the payouts that the search names exactly, or else
// those that match it.
func (s *Service) payoutRows(ctx context.Context, c scope, w window) (Page[db.Payout], error) {
	exact, err := s.payoutsNamed(ctx, c)
	t := payoutTable{scope: c, sought: c.sought(), now: s.clock.Now()}
	if err != nil || len(exact) > 0 && !t.number() || c.Search != "" && !t.any() {
		return Page[db.Payout]{Items: exact}, err
	}
	if t.part != nil && c.onlySearch() {
		begun, err := s.payoutsBegun(ctx, c)
		if err != nil {
			return Page[db.Payout]{}, err
		}
		exact = append(exact, besides(exact, begun, t.id)...)
	}
	if c.Overdue {
		t.Status = []string{string(payout.Processing)}
	}
	page, err := s.payoutPage(ctx, t, w)
	return beginWith(page, exact, w, t.id), err
}

func (s *Service) payoutPage(ctx context.Context, t payoutTable, w window) (Page[db.Payout], error) {
	var err error
	if t.created, w, err = s.bound(ctx, db.SubjectPayout, t.Filter, w); err != nil {
		return Page[db.Payout]{}, err
	}
	if t.ids, err = s.paired(ctx, db.SubjectPayout, t.scope, w); err != nil {
		return Page[db.Payout]{}, err
	}
	page, err := read(ctx, s, t, t.branchesBy(payoutIndexed), w)
	return page, fault.Doing("list payouts", err)
}

// payoutsNamed lists the payouts that a search names exactly, if the caller may
// see them.
func (s *Service) payoutsNamed(ctx context.Context, c scope) ([]db.Payout, error) {
	var found []db.Payout
	one := func(p db.Payout, err error) error {
		if err == nil && c.has(p.MerchantID, p.TraderID) {
			found = append(found, p)
		}
		return db.IgnoreNoRows(err)
	}
	if id, err := uuid.Parse(c.Search); err == nil {
		return found, one(s.q.PayoutFind(ctx, id))
	}
	if id, err := strconv.ParseInt(c.Search, 10, 64); err == nil && !lastDigits(c.Search) {
		if err := one(s.q.ReportPayoutByID(ctx, id)); err != nil || len(found) > 0 {
			return found, err
		}
	}
	merchants, err := s.ordersOf(ctx, c)
	if err != nil || len(merchants) == 0 {
		return found, err
	}
	return s.q.ReportPayoutsByOrder(ctx, db.ReportPayoutsByOrderParams{
		Merchants: merchants, Channels: methods(), OrderID: c.Search,
	})
}

type payoutTable struct {
	scope
	sought
	created created
	now     time.Time
	// ids are the payouts that have the filter's metadata; nil is any.
	ids []int64
}

func (payoutTable) id(p db.Payout) int64 { return p.ID }

// list reads one row more than the page. With branch it reads the payouts of
// that one status, without it those of all the statuses of the filter. It looks
// at no more than scanMost rows, however few of them fit the filter.
func (t payoutTable) list(ctx context.Context, q *db.Queries, branch *string, w window) ([]db.Payout, error) {
	params := db.ReportPayoutsParams{
		CreatedFrom: t.created.from, CreatedTo: t.created.to, CashboxID: optional.Of(t.CashboxID), Method: optional.Of(t.Method),
		Currency: optional.Of(t.Currency), MinAmount: amount(t.MinAmount), MaxAmount: amount(t.MaxAmount),
		Sought: t.any(), Last4: t.last4, SumFrom: t.from, SumTo: t.to, Part: t.part,
		Page: int32(w.limit) + 1, Above: w.above, Below: w.below, MerchantID: optional.Of(t.MerchantID),
		TraderID: optional.Of(t.TraderID), Status: branch, Scan: scanMost,
		Ids: t.ids, Backward: w.backward,
	}
	if t.Overdue {
		params.TakenUntil, params.ExpiredBy = new(t.now.Add(-work.OverdueAfter)), &t.now
	}
	if branch == nil && len(t.Status) > 0 {
		params.Statuses = t.Status
	}
	rows, err := q.ReportPayouts(ctx, params)
	return db.Each(rows, func(row db.ReportPayoutsRow) db.Payout { return db.Payout(row) }), err
}

func (t payoutTable) stop(ctx context.Context, q *db.Queries, branch *string, w window) (*mark, error) {
	row, err := q.ReportPayoutsStop(ctx, db.ReportPayoutsStopParams{
		Above: w.above, Below: w.below, MerchantID: optional.Of(t.MerchantID), TraderID: optional.Of(t.TraderID), Status: branch,
		Past: scanMost - 1, Ids: t.ids, Backward: w.backward,
	})
	return stopped(row.ID, row.CreatedAt, err)
}

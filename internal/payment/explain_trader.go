package payment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/routing"
)

// RequisiteExplanation says why a requisite gets payments, or why not.
type RequisiteExplanation struct {
	RequisiteID      int64
	Currency, Method string
	// Free says that a payment of Amount could get the requisite now.
	Free bool
	// Amount is the smallest amount that the requisite takes. The rules are
	// checked for it.
	Amount decimal.Decimal
	// Drops are all rules that keep the payment away, in the order in which
	// they are checked.
	Drops []routing.Drop
	// Hold is how much would be held for Amount, at the present rate and on
	// the trader's own terms; a merchant's terms may change it by a part of
	// the spread. Available is what the trader has. Neither is valid if the
	// caller may not see the trader's money, and without a rate Hold is not
	// valid.
	Hold, Available decimal.NullDecimal
	// NoRate says that the currency never had a rate, so that nobody gets
	// payments in it.
	NoRate bool
	// OutsidePlatform says that the platform's limits of the currency end
	// below Amount.
	OutsidePlatform bool
	// Taken says that some merchant takes payments by the method now.
	Taken bool
	// LastUsedAt is when a payment last got the requisite, or nil if that
	// was over a week ago.
	LastUsedAt *time.Time
}

// Gets reports whether the requisite gets payments. A taken slot does not
// count: a requisite with an open payment of one amount still gets payments of
// other amounts.
func (e RequisiteExplanation) Gets() bool {
	kept := slices.ContainsFunc(e.Drops, func(d routing.Drop) bool { return d.Rule != routing.SlotTaken })
	return !kept && !e.NoRate && !e.OutsidePlatform && e.Taken
}

// smallest is the least amount of a payment.
var smallest = decimal.NewFromInt(1)

// ExplainForTrader says whether a payment could get a requisite of the caller's
// trader now; id 0 asks about all of them. The requisite of another trader is
// not found. It applies the same rules as creating a payment does.
func (s *Service) ExplainForTrader(
	ctx context.Context, who caller.Caller, requisiteID int64,
) ([]RequisiteExplanation, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return nil, err
	}
	return s.explainTrader(ctx, who.TraderID, requisiteID, who.May(caller.TraderMoney))
}

// ExplainTrader tells operators, for all requisites of a trader, what
// ExplainForTrader tells the trader. For a trader without requisites and for
// one who does not exist the list is empty.
func (s *Service) ExplainTrader(ctx context.Context, who caller.Caller, traderID int64) ([]RequisiteExplanation, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	return s.explainTrader(ctx, traderID, 0, true)
}

// explainTrader judges the requisites of a trader by the settings of this
// moment. Its callers have checked that the caller may read them, and whether
// also the trader's money.
func (s *Service) explainTrader(
	ctx context.Context, traderID, requisiteID int64, money bool,
) ([]RequisiteExplanation, error) {
	if _, err := s.settings.Renew(ctx); err != nil {
		return nil, err
	}
	x := explainer{s: s, now: s.clock.Now(), money: money}
	standings, err := s.settings.Requisites().Stand(ctx, s.q, traderID, requisiteID, x.asked)
	if err != nil {
		return nil, err
	}
	if requisiteID != 0 && len(standings) == 0 {
		return nil, fault.ErrNotFound
	}
	var list []RequisiteExplanation
	for _, standing := range standings {
		list = append(list, x.explain(standing))
	}
	return list, s.addLastUse(ctx, standings, list)
}

// explainer explains the requisites of one trader at one time.
type explainer struct {
	s   *Service
	now time.Time
	// money says that the caller may see the trader's money.
	money bool
}

// draft is the smallest payment that a requisite takes by a method, for a
// merchant without terms of its own.
func (x explainer) draft(currency, method string, amount decimal.Decimal) *draft {
	o := order{Request: Request{Currency: currency}, amount: decimal.Max(amount, smallest)}
	o.method, _ = catalogue.Find(catalogue.Payments(currency), method)
	d := x.s.draft(caller.Caller{}, o)
	d.now, d.shop = x.now, &inforce.Shop{}
	if d.limit != nil {
		d.amount = decimal.Max(d.amount, d.limit.MinAmount)
	}
	return d
}

func (x explainer) asked(
	currency, method string, amount decimal.Decimal,
) (routing.Want, func(routing.Candidate) decimal.Decimal) {
	d := x.draft(currency, method, amount)
	if d.baseErr != nil {
		return d.want(), func(routing.Candidate) decimal.Decimal { return decimal.Zero }
	}
	return d.want(), d.hold
}

// explain says whether a payment could get a requisite, and why not. Without
// money it tells neither what the trader has nor what would be held, nor that
// as the numbers of a rule.
func (x explainer) explain(standing routing.Standing) RequisiteExplanation {
	w := standing.Want
	_, rateErr := x.s.settings.Rate(w.Currency, x.now)
	limit := x.s.settings.Limit(w.Currency)
	e := RequisiteExplanation{
		RequisiteID: standing.ID, Currency: w.Currency, Method: w.Method, Amount: w.Amount, Drops: standing.Drops,
		NoRate: rateErr != nil, Taken: x.s.settings.Taken(w.Method, w.Currency),
		OutsidePlatform: limit != nil && w.Amount.GreaterThan(limit.MaxAmount),
	}
	e.Free = len(e.Drops) == 0 && !e.NoRate && !e.OutsidePlatform
	if x.money {
		e.Available = decimal.NewNullDecimal(standing.Available)
		e.Hold = decimal.NullDecimal{Decimal: standing.Hold, Valid: !e.NoRate}
		return e
	}
	for i := range e.Drops {
		if e.Drops[i].Rule == routing.TraderShort {
			e.Drops[i].Limit, e.Drops[i].Used = decimal.NullDecimal{}, decimal.NullDecimal{}
		}
	}
	return e
}

// addLastUse adds to the list when each requisite was last used. The standings
// must be of one trader. For what was used before the days that are kept it
// adds nothing.
func (s *Service) addLastUse(ctx context.Context, standings []routing.Standing, list []RequisiteExplanation) error {
	var params db.RequisiteUsesParams
	for _, standing := range standings {
		params.TraderID = standing.TraderID
		params.Ids, params.Days = append(params.Ids, standing.ID), append(params.Days, standing.Day)
	}
	rows, err := s.q.RequisiteUses(ctx, params)
	if err != nil {
		return fmt.Errorf("read the last use of requisites: %w", err)
	}
	used := map[int64]*time.Time{}
	for _, row := range rows {
		if row.UsedAt.Unix() > 0 {
			used[row.ID] = &row.UsedAt
		}
	}
	for i := range list {
		list[i].LastUsedAt = used[list[i].RequisiteID]
	}
	return nil
}

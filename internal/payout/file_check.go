package payout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/rate"
)

// Key is an API key by which the payouts of a file are made: they are paid from
// the key's cashbox, and the key's daily limit applies.
type Key struct {
	ID, CashboxID           int64
	Name, Cashbox, Currency string
	// Limit is how much the key may pay out in a day; if it is not valid
	// there is no limit. Used is what was asked for today.
	Limit decimal.NullDecimal
	Used  decimal.Decimal
}

// Left is how much more the key may pay out today; if it is not valid there is
// no limit.
func (k Key) Left() decimal.NullDecimal {
	if !k.Limit.Valid {
		return k.Limit
	}
	return decimal.NewNullDecimal(decimal.Max(k.Limit.Decimal.Sub(k.Used), decimal.Zero))
}

// keysMost is how many keys Keys lists at most.
const keysMost = 200

// Keys lists the keys of the caller's merchant that may make payouts.
func (s *Service) Keys(ctx context.Context, who caller.Caller) ([]Key, error) {
	if err := who.Need(caller.MerchantMoney); err != nil {
		return nil, err
	}
	return s.keys(ctx, s.q, who, nil)
}

// keys lists the keys that may make payouts now, or of them the one with the
// id. The list is empty if that one may not. Used is not locked: withinKey
// decides when the money is frozen.
func (s *Service) keys(ctx context.Context, q *db.Queries, who caller.Caller, id *int64) ([]Key, error) {
	now := time.Now() // keys expire by real time, also where the clock is simulated
	rows, err := q.PayoutKeys(ctx, db.PayoutKeysParams{
		MerchantID: who.MerchantID, ID: id, Day: keyDay(s.clock.Now()), Now: &now, Most: keysMost,
	})
	if err != nil {
		return nil, fmt.Errorf("list keys of payouts: %w", err)
	}
	return db.Each(rows, func(row db.PayoutKeysRow) Key {
		return Key{
			ID: row.ID, CashboxID: row.CashboxID, Name: row.Name, Cashbox: row.Cashbox, Currency: row.Currency,
			Limit: row.PayoutDailyLimit, Used: row.Used,
		}
	}), nil
}

// Flaw is what is wrong with a field of a line.
type Flaw struct {
	Line    int
	Field   string
	Reasons []string
}

// Preview shows what the payouts of a file would be if they were made now.
type Preview struct {
	Key Key
	// Payouts is the number of rows that ask for one, and Amount the sum
	// that these pay out.
	Payouts int
	Amount  decimal.Decimal
	// Rate is the price of one USDT in the currency, FrozenUSDT the cost of
	// all rows without a flaw, and Available what the cashbox has.
	Rate, FrozenUSDT, Available decimal.Decimal
	Flaws                       []Flaw
	// Refused is why no payouts can be made although the rows are right, or
	// nil.
	Refused *fault.Error
}

// Good reports whether the payouts could be made.
func (p Preview) Good() bool { return len(p.Flaws) == 0 && p.Refused == nil }

// draftFile checks a file by the present settings, and plans a payout of a key
// for each row.
func (s *Service) draftFile(
	ctx context.Context, q *db.Queries, who caller.Caller, keyID int64, t table,
) (Preview, []*draft, []line, error) {
	keys, err := s.keys(ctx, q, who, &keyID)
	if err != nil {
		return Preview{}, nil, nil, err
	}
	if len(keys) == 0 {
		return Preview{Refused: errDisabled}, nil, nil, nil
	}
	preview := Preview{Key: keys[0]}
	lines, err := t.lines(ctx, preview.Key.Currency, s.addresses)
	if err != nil {
		return preview, nil, nil, err
	}
	drafts, err := s.drafts(ctx, q, who, &preview, lines)
	if err != nil {
		return preview, nil, nil, err
	}
	preview.add(lines)
	preview.Available, err = ledger.Balance(ctx, q, ledger.Available(ledger.Cashbox, preview.Key.CashboxID))
	if err != nil {
		return preview, nil, nil, fmt.Errorf("read the cashbox's balance: %w", err)
	}
	preview.Refused = preview.refusal()
	return preview, drafts, lines, nil
}

// refusal is why no payout of the file can be made, though each of them is
// good.
func (p *Preview) refusal() *fault.Error {
	left := p.Key.Left()
	switch {
	case p.Rate.IsZero():
		return errNoRate
	case left.Valid && p.Amount.GreaterThan(left.Decimal):
		return errKeyLimit
	case p.FrozenUSDT.GreaterThan(p.Available):
		return fault.ErrCashboxBalance.Saying("The cashbox does not hold the USDT that these payouts freeze.")
	}
	return nil
}

// drafts plans the payouts of a file, and adds to its lines the flaws that are
// found by the surroundings.
func (s *Service) drafts(
	ctx context.Context, q *db.Queries, who caller.Caller, preview *Preview, lines []line,
) ([]*draft, error) {
	now := s.clock.Now()
	known, err := s.surroundings(ctx, q, who, preview.Key, lines, now)
	if err != nil {
		return nil, err
	}
	if known.baseErr == nil {
		preview.Rate = known.base.FiatPerUSDT
	}
	who.CashboxID = &preview.Key.CashboxID
	drafts := make([]*draft, 0, len(lines))
	seen := map[[2]string]int{}
	for _, one := range lines {
		o := one.order
		d := &draft{order: o, who: who, now: now, base: known.base, baseErr: known.baseErr, box: known.boxes[o.Method]}
		drafts = append(drafts, d)
		id := [2]string{o.Method, o.OrderID}
		if first, twice := seen[id]; twice && o.OrderID != "" {
			one.found.Add("orderId", "is that of line %d, too", first)
		} else {
			seen[id] = one.number
		}
		one.found.Check(!known.taken[id], "orderId", "was used for a payout before")
		one.found.Check(o.Currency == preview.Key.Currency || one.found.Wrong("currency"), "currency", "is not that of the key's cashbox")
		if len(one.found) > 0 {
			continue
		}
		if at := slices.IndexFunc(s.marks(o), func(mark string) bool { return known.blocked[mark] }); at >= 0 {
			d.blocked = s.marks(o)[at]
		}
		if refused := fault.As(d.refusal()); refused != nil && refused.Code != errNoRate.Code {
			for field, reasons := range refused.Fields {
				one.found[field] = append(one.found[field], reasons...)
			}
		}
		preview.Amount = preview.Amount.Add(o.amount)
		if known.baseErr == nil && d.box != nil {
			preview.FrozenUSDT = preview.FrozenUSDT.Add(rate.QuotePayout(o.amount, d.base.FiatPerUSDT, d.box.MarkupPercent).Frozen)
		}
	}
	return drafts, nil
}

// surroundings are what decides about the payouts of a file in addition to its
// own rows.
type surroundings struct {
	base    rate.Base
	baseErr error
	// boxes are the cashbox's settings by method, taken are the order ids
	// by method that are already used, and blocked are the blocked marks.
	boxes   map[string]*db.CashboxForPayoutRow
	taken   map[[2]string]bool
	blocked map[string]bool
}

// surroundings reads what decides about the payouts of a file, in statements
// whose number grows with the methods and not with the rows. It locks nothing:
// when the payouts are made, claimAll judges the order ids again, and debitAll
// the key's limit and the balance.
func (s *Service) surroundings(
	ctx context.Context, q *db.Queries, who caller.Caller, k Key, lines []line, now time.Time,
) (surroundings, error) {
	known := surroundings{boxes: map[string]*db.CashboxForPayoutRow{}, taken: map[[2]string]bool{}, blocked: map[string]bool{}}
	var methods, orders, marks []string
	for _, one := range lines {
		if !slices.Contains(methods, one.order.Method) && !one.found.Wrong("method") {
			methods = append(methods, one.order.Method)
		}
		orders = append(orders, one.order.OrderID)
		marks = append(marks, s.marks(one.order)...)
	}
	for _, method := range methods {
		box, err := q.CashboxForPayout(ctx, db.CashboxForPayoutParams{
			MerchantID: who.MerchantID, CashboxID: &k.CashboxID, Method: method, Currency: k.Currency,
		})
		if err != nil {
			return known, fmt.Errorf("read how the cashbox pays out: %w", err)
		}
		known.boxes[method] = &box
	}
	var rates rate.Rates
	if err := db.Run(ctx, q, rate.Read(&rates, &k.Currency)); err != nil {
		return known, fmt.Errorf("read the rate: %w", err)
	}
	known.base, known.baseErr = rates.InUse(now)
	taken, err := q.PayoutKeysTaken(ctx, db.PayoutKeysTakenParams{MerchantID: who.MerchantID, Channels: methods, OrderIds: orders})
	if err != nil {
		return known, fmt.Errorf("look for used order ids: %w", err)
	}
	for _, one := range taken {
		known.taken[[2]string{one.Channel, one.OrderID}] = true
	}
	blocked, err := q.PayersBlocked(ctx, db.PayersBlockedParams{MerchantID: who.MerchantID, Marks: marks, Now: now})
	if err != nil {
		return known, fmt.Errorf("look whom is not paid out to: %w", err)
	}
	for _, mark := range blocked {
		known.blocked[mark] = true
	}
	return known, nil
}

// add adds the flaws of the lines, in the order of lines and columns.
func (p *Preview) add(lines []line) {
	p.Payouts = len(lines)
	for _, one := range lines {
		fields := make([]string, 0, len(one.found))
		for field := range one.found {
			fields = append(fields, field)
		}
		slices.SortFunc(fields, func(a, b string) int { return slices.Index(FileColumns, a) - slices.Index(FileColumns, b) })
		for _, field := range fields {
			p.Flaws = append(p.Flaws, Flaw{one.number, field, one.found[field]})
		}
	}
}

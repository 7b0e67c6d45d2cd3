package figures

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// TrendDays are the lengths that a trend may have, in days; 1 means the last 24
// hours.
var TrendDays = []int{1, 7, 30, 90}

// funnelMost is how many payments a funnel is made of at most.
const funnelMost = 2_000

// The numbers by which PaymentHourSlots and PaymentDaySlots name the whole
// period, and the period before it.
const (
	slotWhole  = -1
	slotBefore = 0
)

// TrendFilter selects the payments of a trend.
type TrendFilter struct {
	// Days is one of TrendDays. If it is more than one, they are days of
	// the time zone, and today is the last.
	Days int
	Zone *time.Location
	// Currency selects one currency; "" means the one with the most
	// payments. Method selects one method; "" means all.
	Currency, Method string
}

// Trend is how the payments of a currency developed, by the time of their
// creation. If an operator asks for no currency, it is of all currencies
// together, and has no amount.
type Trend struct {
	// At is when it was read, and From is when the period begins.
	At, From time.Time
	Currency string
	// Currencies are all currencies with payments in this period or in the
	// one before, the most used first.
	Currencies []string
	// Now is the whole period, and Before the period of the same length
	// before it.
	Now, Before Figures
	// Slots are the hours of the last 24, quarters of the day for seven
	// days, or days. They have counts only, no amount and no median.
	Slots []HourFigures
	// Methods are the methods of the currency, whichever method the filter
	// selects.
	Methods []MethodFigures
	Funnel  Funnel
	// Volumes are what the completed payments were settled for, the most
	// used currency first; only for callers who may see money.
	Volumes []Volume
}

// Volume is a sum in a currency.
type Volume struct {
	Currency string
	Amount   decimal.Decimal
}

// Funnel is how many payments reached each step.
type Funnel struct {
	// Payments is the number of payments that were examined, the newest
	// ones; Capped tells that there are more.
	Payments int64
	Capped   bool
	// Opened are the payments whose page was opened or that went further; 0
	// if no page was opened. Claimed are those that the payer said to have
	// paid, or that are paid; 0 if no payer said so.
	Opened, Claimed, Paid int64
	Unpaid                []Unpaid
}

// Unpaid is a reason why payments ended unpaid: their status and its reason,
// which may be a text that somebody wrote.
type Unpaid struct {
	Status, Reason string
	Payments       int64
}

// Trend tells a merchant about its payments, and an operator about all. Only a
// merchant's trend has a funnel.
func (s *Service) Trend(ctx context.Context, who caller.Caller, f TrendFilter) (Trend, error) {
	needs := caller.OperatorRead
	if who.Kind == caller.MerchantPortal {
		needs = caller.MerchantRead
	}
	if err := who.Need(needs); err != nil {
		return Trend{}, err
	}
	found := fault.Decoded(ctx)
	found.Check(slices.Contains(TrendDays, f.Days), "days", "must be 1, 7, 30 or 90")
	if err := found.Err(); err != nil {
		return Trend{}, err
	}
	t := Trend{At: s.clock.Now()}
	starts := f.starts(t.At)
	t.From = starts[0]
	// The present hour is not over yet, but the hour it is compared with
	// counts as a whole.
	until := t.At.Add(time.Hour)
	before, beforeUntil := clock.Midnight(t.From, -f.Days), t.At.In(f.Zone).AddDate(0, 0, -f.Days)
	if f.Days == 1 { // hours, of which a day in the zone may have 23 or 25
		before, beforeUntil = t.From.Add(-day), t.At.Add(-day)
	}
	beforeUntil = beforeUntil.Truncate(time.Hour).Add(time.Hour)
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.PaymentHourSlotsRow, error) {
		if who.Kind == caller.Operator {
			return q.PaymentHourSlots(ctx, db.PaymentHourSlotsParams{
				Starts: starts, StartsAt: t.From, UntilAt: until, FromAt: before, BeforeUntil: beforeUntil,
			})
		}
		params := db.PaymentDaySlotsParams{MerchantID: who.MerchantID, Starts: starts, StartsAt: t.From, UntilAt: until}
		cover(&params, slotWhole, t.From, until)
		cover(&params, slotBefore, before, beforeUntil)
		rows, err := q.PaymentDaySlots(ctx, params)
		return db.Each(rows, func(row db.PaymentDaySlotsRow) db.PaymentHourSlotsRow {
			return db.PaymentHourSlotsRow(row)
		}), err
	})
	if err != nil {
		return Trend{}, fmt.Errorf("read trend: %w", err)
	}
	for _, start := range starts {
		t.Slots = append(t.Slots, HourFigures{At: start})
	}
	t.count(rows, f, who)
	if who.Kind == caller.MerchantPortal {
		err = s.funnel(ctx, who, f, &t)
	}
	return t, err
}

// cover makes the query read a period by the days of UTC that lie in it as a
// whole, and by the hours before and after them.
func cover(p *db.PaymentDaySlotsParams, slot int32, from, until time.Time) {
	hours := func(from, until time.Time) {
		p.HourSlots, p.HourFroms, p.HourUntils = append(p.HourSlots, slot), append(p.HourFroms, from), append(p.HourUntils, until)
	}
	first, end := from.Add(day-1).Truncate(day), until.Truncate(day)
	if !first.Before(end) {
		hours(from, until)
		return
	}
	hours(from, first)
	p.DaySlots, p.DayFroms, p.DayUntils = append(p.DaySlots, slot), append(p.DayFroms, first), append(p.DayUntils, end)
	hours(end, until)
}

// starts are when the slots begin.
func (f TrendFilter) starts(now time.Time) []time.Time {
	var starts []time.Time
	if f.Days == 1 {
		for at := now.Truncate(time.Hour).Add(-23 * time.Hour); !at.After(now); at = at.Add(time.Hour) {
			starts = append(starts, at)
		}
		return starts
	}
	hours := 24
	if f.Days <= 7 {
		hours = 6
	}
	year, month, day := now.In(f.Zone).Date()
	for ago := f.Days - 1; ago >= 0; ago-- {
		for hour := 0; hour < 24; hour += hours {
			starts = append(starts, clock.On(year, month, day-ago, time.Duration(hour)*time.Hour, f.Zone))
		}
	}
	return starts
}

// count adds up the rows.
func (t *Trend) count(rows []db.PaymentHourSlotsRow, f TrendFilter, who caller.Caller) {
	money := who.Kind == caller.Operator || who.May(caller.MerchantMoney)
	t.currencies(rows, money)
	mixed := f.Currency == "" && who.Kind == caller.Operator
	if t.Currency = f.Currency; t.Currency == "" && len(t.Currencies) > 0 && !mixed {
		t.Currency = t.Currencies[0]
	}
	var methods Overview
	for _, row := range rows {
		if mixed || row.Currency == t.Currency {
			t.add(&methods, row, f, money && !mixed)
		}
	}
	t.Methods = methods.Methods
	slices.SortFunc(t.Methods, func(a, b MethodFigures) int {
		return cmp.Or(cmp.Compare(b.Payments, a.Payments), cmp.Compare(a.Method, b.Method))
	})
}

// currencies lists those of the rows, the most used first, and for those who
// may see money how much was paid in each.
func (t *Trend) currencies(rows []db.PaymentHourSlotsRow, money bool) {
	used, volumes := map[string]int64{}, map[string]decimal.Decimal{}
	for _, row := range rows {
		if row.Slot == slotWhole || row.Slot == slotBefore {
			used[row.Currency] += row.Payments
		}
		if row.Slot == slotWhole && row.Status == "completed" {
			volumes[row.Currency] = volumes[row.Currency].Add(row.Amount)
		}
	}
	t.Currencies = slices.SortedFunc(maps.Keys(used), func(a, b string) int {
		return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b))
	})
	for _, currency := range t.Currencies {
		if volume, known := volumes[currency]; known && money {
			t.Volumes = append(t.Volumes, Volume{currency, volume})
		}
	}
}

// add counts a row in the period before, in the whole period, or in its slot,
// where amounts do not count. methods gets the whole period of every method,
// also of those that the filter leaves out.
func (t *Trend) add(methods *Overview, row db.PaymentHourSlotsRow, f TrendFilter, money bool) {
	one := db.PaymentHourListRow{Status: row.Status, Span: row.Span, Payments: row.Payments, Amount: row.Amount}
	if row.Slot == slotWhole {
		methods.method(row.Method, row.Currency).add(one, money)
	}
	switch {
	case f.Method != "" && f.Method != row.Method:
	case row.Slot == slotBefore:
		t.Before.add(one, money)
	case row.Slot == slotWhole:
		t.Now.add(one, money)
	default:
		t.Slots[row.Slot-1].add(one, false)
	}
}

// funnel examines the newest payments of the trend.
func (s *Service) funnel(ctx context.Context, who caller.Caller, f TrendFilter, t *Trend) error {
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportFunnelRow, error) {
		above, _, err := (db.Span{From: &t.From}).IDs(ctx, q, db.SubjectPayment, 0, 0)
		if err != nil {
			return nil, err
		}
		return q.ReportFunnel(ctx, db.ReportFunnelParams{
			MerchantID: who.MerchantID, Above: above, Scan: funnelMost, FromAt: t.From,
		})
	})
	if err != nil {
		return fmt.Errorf("read funnel: %w", err)
	}
	var seen, said, opened int64
	for _, row := range rows {
		seen += row.Payments
		if row.Currency == t.Currency && (f.Method == "" || f.Method == row.Method) {
			said, opened = said+row.Said, opened+row.Opened-row.Claimed
			t.Funnel.add(row)
		}
	}
	t.Funnel.Capped = seen >= funnelMost
	if opened == 0 && said == 0 {
		t.Funnel.Opened = 0
	}
	if said == 0 {
		t.Funnel.Claimed = 0
	}
	return nil
}

// add counts payments of one status and reason. Opened and Claimed count them
// whatever became of them, and those that are pending or in an appeal are
// neither paid nor unpaid.
func (f *Funnel) add(row db.ReportFunnelRow) {
	f.Payments += row.Payments
	f.Opened, f.Claimed = f.Opened+row.Opened, f.Claimed+row.Claimed
	switch row.Status {
	case "completed":
		f.Paid += row.Payments
	case "failed", "cancelled":
		at := slices.IndexFunc(f.Unpaid, func(u Unpaid) bool { return u.Status == row.Status && u.Reason == row.Reason })
		if at < 0 {
			at, f.Unpaid = len(f.Unpaid), append(f.Unpaid, Unpaid{Status: row.Status, Reason: row.Reason})
		}
		f.Unpaid[at].Payments += row.Payments
	}
}

package portal

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/books"
	"gateway.example/web/chart"
	"gateway.example/web/portal/say"
)

// IncomeBy is the name by which the platform's income is grouped: the merchant,
// the method or the day.
func (v *Visit) IncomeBy(i books.Income, by string) string {
	switch by {
	case "merchant":
		return Titled(i.Merchant, i.MerchantID)
	case "method":
		name := v.MethodName(i.Method) + ", " + i.Currency
		if i.Subject == SubjectPayout {
			name = v.Say(say.PayoutsOf, name)
		}
		return name
	}
	return i.Day.Format(time.DateOnly)
}

// stackMost is how many merchants or methods a chart of income shows
// separately; the rest is one stack.
const stackMost = 5

// IncomeChart shows the income of each UTC day, stacked by merchant or by
// method.
func (v *Visit) IncomeChart(list []books.Income, by string, from, to time.Time) chart.Chart {
	c := chart.Chart{
		Title: v.Say(say.IncomeByDay), Kind: chart.Stacked, Write: v.USDT, Axis: v.Shell.Plain,
		Slot: v.Say(say.DayLabel), Numbers: v.Say(say.ShowNumbers),
	}
	shell := v.Shell
	shell.Zone = time.UTC
	days := max(1, int(to.Sub(from).Hours()/24))
	for at := from; at.Before(to); at = at.AddDate(0, 0, 1) {
		slot := chart.Slot{Name: shell.Day(at)}
		if len(c.Slots)%max(1, days/6) == 0 {
			slot.Tick = slot.Name
		}
		c.Slots = append(c.Slots, slot)
	}
	sums := SumIncome(list, func(i books.Income) string { return v.IncomeBy(i, by) })
	SortIncome(sums)
	places := map[string]int{}
	for at, sum := range sums {
		name := sum.Name
		if places[name] = min(at, stackMost); at > stackMost {
			continue
		}
		if at == stackMost {
			name = v.Say(say.Others)
		}
		c.Series = append(c.Series, chart.Series{Name: name, Values: make([]*decimal.Decimal, len(c.Slots))})
	}
	for _, i := range list {
		at := int(i.Day.Sub(from).Hours() / 24)
		if at < 0 || at >= len(c.Slots) {
			continue
		}
		value := &c.Series[places[v.IncomeBy(i, by)]].Values[at]
		sum := i.Net()
		if *value != nil {
			sum = sum.Add(**value)
		}
		*value = &sum
	}
	return c
}

// IncomeSum is a sum of income.
type IncomeSum struct {
	Name             string
	Earned, Reversed decimal.Decimal
	// Volume is the turnover from which it was earned; not valid if that is
	// not known for all of it.
	Volume decimal.NullDecimal
}

// Net is the income less what was reversed.
func (s IncomeSum) Net() decimal.Decimal { return s.Earned.Sub(s.Reversed) }

// Margin is the net income in percent of the turnover.
func (s IncomeSum) Margin() (percent decimal.Decimal, known bool) {
	if !s.Volume.Valid || !s.Volume.Decimal.IsPositive() {
		return decimal.Zero, false
	}
	return s.Net().Mul(decimal.NewFromInt(100)).DivRound(s.Volume.Decimal, 2), true
}

// SumIncome groups income by a name, in the order in which the names first
// appear.
func SumIncome(list []books.Income, name func(books.Income) string) []IncomeSum {
	var sums []IncomeSum
	places := map[string]int{}
	for _, i := range list {
		name := name(i)
		at, known := places[name]
		if !known {
			at, sums = len(sums), append(sums, IncomeSum{Name: name, Volume: decimal.NewNullDecimal(decimal.Zero)})
			places[name] = at
		}
		sum := &sums[at]
		sum.Earned, sum.Reversed = sum.Earned.Add(i.Earned), sum.Reversed.Add(i.Reversed)
		sum.Volume.Decimal, sum.Volume.Valid = sum.Volume.Decimal.Add(i.Volume.Decimal), sum.Volume.Valid && i.Volume.Valid
	}
	return sums
}

// SortIncome sorts the highest sums first.
func SortIncome(sums []IncomeSum) {
	slices.SortFunc(sums, func(a, b IncomeSum) int { return cmp.Or(b.Net().Cmp(a.Net()), cmp.Compare(a.Name, b.Name)) })
}

package chart

import (
	"github.com/shopspring/decimal"
)

// scale is the range of a chart's values and the lines drawn across it.
type scale struct {
	low, high decimal.Decimal
	lines     []decimal.Decimal
}

// most is how many steps a scale has at most, so that there are up to four
// lines.
const most = 3

// scaleOf finds a scale that has all values.
func (c Chart) scaleOf() scale {
	low, high, seen := decimal.Zero, decimal.Zero, false
	see := func(d decimal.Decimal) {
		if !seen && c.Kind == Lines {
			low, high = d, d
		}
		low, high, seen = decimal.Min(low, d), decimal.Max(high, d), true
	}
	for at := range c.Slots {
		sum := decimal.Zero
		for _, series := range c.Series {
			if value := series.at(at); value != nil {
				if sum = sum.Add(*value); c.Kind == Stacked {
					see(sum) // a later loss takes the stack down again
				} else {
					see(*value)
				}
			}
		}
	}
	return nice(low, high, c.Whole)
}

// nice rounds a range to lines at 1, 2 or 5 times a power of ten.
func nice(low, high decimal.Decimal, whole bool) scale {
	if low.Equal(high) {
		// A single value lies in the middle; nothing but zeros on the
		// lowest line.
		room := decimal.Max(low.Abs().Shift(-2), decimal.New(1, -8))
		if low.IsZero() {
			high = decimal.NewFromInt(1)
		} else {
			low, high = low.Sub(room), high.Add(room)
		}
	}
	step := stepOf(low, high)
	if one := decimal.NewFromInt(1); whole && step.LessThan(one) {
		step = one
	}
	s := scale{low: low.Div(step).Floor().Mul(step), high: high.Div(step).Ceil().Mul(step)}
	for line := s.low; !line.GreaterThan(s.high); line = line.Add(step) {
		s.lines = append(s.lines, line)
	}
	return s
}

// stepOf is the least distance of lines with which a range has few enough of
// them.
func stepOf(low, high decimal.Decimal) decimal.Decimal {
	for exponent := int32(-8); ; exponent++ {
		for _, digit := range []int64{1, 2, 5} {
			step := decimal.New(digit, exponent)
			count := high.Div(step).Ceil().Sub(low.Div(step).Floor())
			if count.LessThanOrEqual(decimal.NewFromInt(most)) {
				return step
			}
		}
	}
}

// y is where a value lies, in pixels from above.
func (s scale) y(d decimal.Decimal) float64 {
	return height * s.high.Sub(d).InexactFloat64() / s.high.Sub(s.low).InexactFloat64()
}

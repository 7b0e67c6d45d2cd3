package directory

import (
	"context"
	"time"
	_ "time/tzdata" // zones must be known also where the machine has none

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
)

// Limits are changes of a requisite's limits, the operators' or the trader's
// own. Nil leaves a limit as it is; empty or 0 clears it. Daily limits count by
// the operators' day, whatever the zone of a trader's own hours.
type Limits struct {
	MinAmount, MaxAmount *string
	TimeZone             *string
	DailyCount           *int32
	DailySum             *string
	OpenPayments         *int32
	WorkFrom, WorkUntil  *string
	// Weight can be set by operators only.
	Weight *int32
}

// read checks the limits that are given, and returns them together with the
// columns that store them, whose names begin with a prefix.
func (l Limits) read(f fault.Fields, prefix string) (given RequisiteLimits, columns map[string]any) {
	given = RequisiteLimits{
		MinAmount:  optionalAmount(f, "limits.minAmount", optional.Value(l.MinAmount)),
		MaxAmount:  optionalAmount(f, "limits.maxAmount", optional.Value(l.MaxAmount)),
		DailyCount: count(f, "limits.dailyCount", l.DailyCount), OpenPayments: count(f, "limits.openPayments", l.OpenPayments),
		DailySum: optionalAmount(f, "limits.dailySum", optional.Value(l.DailySum)),
	}
	f.Check(!given.DailySum.Valid || given.DailySum.Decimal.IsPositive(), "limits.dailySum", "must be more than 0")
	columns = map[string]any{}
	keep := func(column string, is bool, value any) {
		if is {
			columns[prefix+column] = value
		}
	}
	keep("min_amount", l.MinAmount != nil, given.MinAmount)
	keep("max_amount", l.MaxAmount != nil, given.MaxAmount)
	keep("daily_count", l.DailyCount != nil, given.DailyCount)
	keep("daily_sum", l.DailySum != nil, given.DailySum)
	keep("open_payments", l.OpenPayments != nil, given.OpenPayments)
	keep("time_zone", l.TimeZone != nil, optional.Of(optional.Value(l.TimeZone)))
	from, until := optional.Value(l.WorkFrom), optional.Value(l.WorkUntil)
	if from != "" || until != "" { // both are given, or both are cleared
		checkClock(f, "limits.workFrom", from)
		checkClock(f, "limits.workUntil", until)
		f.Check(from != until, "limits.workUntil", "must differ from workFrom")
	}
	hours := l.WorkFrom != nil || l.WorkUntil != nil
	keep("work_from", hours, optional.Of(from))
	keep("work_until", hours, optional.Of(until))
	return given, columns
}

// set checks the limits that operators set, and returns them together with
// their columns.
func (l Limits) set(f fault.Fields) (given RequisiteLimits, columns map[string]any) {
	given, columns = l.read(f, "")
	f.Check(l.MinAmount == nil || *l.MinAmount != "", "limits.minAmount", "cannot be cleared")
	f.Check(l.MaxAmount == nil || *l.MaxAmount != "", "limits.maxAmount", "cannot be cleared")
	if l.Weight != nil {
		weight := setting.Requisite.Find("weight")
		weight.Name = "limits.weight"
		weight.Between(f, *l.Weight)
		columns["weight"] = *l.Weight
	}
	return given, columns
}

const wrongZone = "is not a known time zone"

// checkZone requires an IANA name of a known time zone.
func checkZone(f fault.Fields, zone *string) {
	if zone == nil {
		return
	}
	_, err := time.LoadLocation(*zone)
	f.Check(err == nil && *zone != "" && *zone != "Local", "limits.timeZone", wrongZone)
}

// checkCounted is checkZone for a zone in which days are counted: the database
// has to know it, too, and Go reads a name as a path, which it need not be.
func (s *Settings) checkCounted(ctx context.Context, f fault.Fields, zone *string) error {
	checkZone(f, zone)
	if zone == nil || f.Wrong("limits.timeZone") {
		return nil
	}
	err := s.q.ZoneTry(ctx, db.ZoneTryParams{Zone: *zone, Now: s.clock.Now()})
	if db.IsWrongValue(err) {
		f.Add("limits.timeZone", wrongZone)
		return nil
	}
	return fault.Doing("try a time zone", err)
}

// count reads a number of payments; 0 is no limit.
func count(f fault.Fields, field string, n *int32) *int32 {
	if n == nil || *n == 0 {
		return nil
	}
	f.Check(*n > 0, field, "must be at least 0")
	return n
}

const wrongOrder = "maxAmount must not be less than minAmount; they are %s and %s unless set"

// orderField is the field to name when the maximum is below the minimum: the
// one of the two that was given.
func (l Limits) orderField() string {
	if l.MaxAmount == nil {
		return "limits.minAmount"
	}
	return "limits.maxAmount"
}

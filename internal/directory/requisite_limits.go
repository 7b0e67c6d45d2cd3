package directory

import (
	"time"
	_ "time/tzdata" // zones must be known also where the machine has none

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
)

// Limits are the limits of a requisite. Nil leaves one as it is; empty, or 0, clears it.
type Limits struct {
	MinAmount, MaxAmount *string
	TimeZone             *string
	DailyCount           *int32
	DailySum             *string
	OpenPayments         *int32
	WorkFrom, WorkUntil  *string
	Weight               *int32
}

// params checks the limits, and says what they come to in SQL.
func (l Limits) params(f fault.Fields) db.RequisiteUpdateParams {
	p := db.RequisiteUpdateParams{
		MinAmount: optionalAmount(f, "limits.minAmount", optional.Value(l.MinAmount)),
		MaxAmount: optionalAmount(f, "limits.maxAmount", optional.Value(l.MaxAmount)),
		TimeZone:  l.TimeZone, Weight: l.Weight,
		SetDailyCount: l.DailyCount != nil, DailyCount: count(f, "limits.dailyCount", l.DailyCount),
		SetDailySum: l.DailySum != nil, DailySum: optionalAmount(f, "limits.dailySum", optional.Value(l.DailySum)),
		SetOpenPayments: l.OpenPayments != nil, OpenPayments: count(f, "limits.openPayments", l.OpenPayments),
		SetHours: l.WorkFrom != nil || l.WorkUntil != nil,
	}
	f.Check(l.MinAmount == nil || *l.MinAmount != "", "limits.minAmount", "cannot be cleared")
	f.Check(l.MaxAmount == nil || *l.MaxAmount != "", "limits.maxAmount", "cannot be cleared")
	f.Check(!p.DailySum.Valid || p.DailySum.Decimal.IsPositive(), "limits.dailySum", "must be more than 0")
	if l.Weight != nil {
		weight := setting.Requisite.Find("weight")
		weight.Name = "limits.weight"
		weight.Between(f, *l.Weight)
	}
	l.hours(f, &p)
	return p
}

// checkZone wants a zone by its IANA name.
func checkZone(f fault.Fields, zone *string) {
	if zone == nil {
		return
	}
	_, err := time.LoadLocation(*zone)
	f.Check(err == nil && *zone != "" && *zone != "Local", "limits.timeZone", "is not a known time zone")
}

// hours come together or are cleared together.
func (l Limits) hours(f fault.Fields, p *db.RequisiteUpdateParams) {
	from, until := optional.Value(l.WorkFrom), optional.Value(l.WorkUntil)
	if !p.SetHours || from == "" && until == "" {
		return
	}
	checkClock(f, "limits.workFrom", from)
	checkClock(f, "limits.workUntil", until)
	f.Check(from != until, "limits.workUntil", "must differ from workFrom")
	p.WorkFrom, p.WorkUntil = &from, &until
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

// orderField is the one of the two amounts that was given, where their order is wrong.
func (l Limits) orderField() string {
	if l.MaxAmount == nil {
		return "limits.minAmount"
	}
	return "limits.maxAmount"
}

package directory

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

var errOperatorOff = fault.New(fault.Refused, "requisite_off_by_operator",
	"An operator has switched the requisite off; only they can switch it on.")

// OwnLimits are the limits that a trader sets for a requisite. Nil keeps one; empty, or 0, clears it.
type OwnLimits struct {
	MinAmount, MaxAmount *string
	DailyCount           *int32
	DailySum             *string
	OpenPayments         *int32
	// WorkFrom and WorkUntil are set or cleared together, in TimeZone. Daily limits keep counting by
	// the operators' day.
	WorkFrom, WorkUntil, TimeZone *string
}

// OwnUpdate changes the fields that are set.
type OwnUpdate struct {
	Enabled *bool
	Limits  OwnLimits
}

// UpdateOwnRequisite changes a trader's own settings of their requisite, and returns it. Limits may
// not be looser than the operators', which hold too. Payments already made keep the requisite. It
// does not return the change itself, because traders may see only part of it.
func (s *Settings) UpdateOwnRequisite(
	ctx context.Context, who caller.Caller, id int64, u OwnUpdate,
) (OwnRequisite, error) {
	if err := who.Need(caller.TraderRequisites); err != nil {
		return OwnRequisite{}, err
	}
	f := fault.Decoded(ctx)
	params := u.params(f)
	if err := f.Err(); err != nil {
		return OwnRequisite{}, err
	}
	params.ID = id
	c := Change{
		At: s.clock.Now(), Actor: who.Actor(), Subject: "requisite", SubjectKey: strconv.FormatInt(id, 10),
	}
	_, err := db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read: func(q *db.Queries) ([]byte, error) {
			// A requisite never changes its owner, so this needs no lock.
			if _, err := q.RequisiteOwn(ctx, db.RequisiteOwnParams{ID: id, TraderID: who.TraderID}); err != nil {
				return nil, err
			}
			return q.RequisiteSetting(ctx, id)
		},
		Apply: func(q *db.Queries) error {
			row, err := q.RequisiteOwn(ctx, db.RequisiteOwnParams{ID: id, TraderID: who.TraderID})
			if err != nil {
				return fmt.Errorf("read requisite: %w", err)
			}
			if err := within(row, params); err != nil {
				return err
			}
			return q.RequisiteUpdateOwn(ctx, params)
		},
	})
	if db.IsCheckViolation(err) {
		return OwnRequisite{}, fault.Fields{u.Limits.orderField(): {"maxAmount must not be less than minAmount"}}.Err()
	}
	if err != nil {
		return OwnRequisite{}, err
	}
	return s.OwnRequisite(ctx, who, id)
}

// MaxOwnUpdates is how many requisites may be changed at once.
const MaxOwnUpdates = 100

// UpdateOwnRequisites changes several requisites of a trader alike, each by itself: what one does not allow is said of it, and the
// others are changed. It returns what was refused, by the ids. What would be refused of every one changes none.
func (s *Settings) UpdateOwnRequisites(
	ctx context.Context, who caller.Caller, ids []int64, u OwnUpdate,
) (map[int64]*fault.Error, error) {
	if err := who.Need(caller.TraderRequisites); err != nil {
		return nil, err
	}
	f := fault.Decoded(ctx)
	f.Check(len(ids) > 0, "ids", "must not be empty")
	f.Check(len(ids) <= MaxOwnUpdates, "ids", "must be at most %d", MaxOwnUpdates)
	u.params(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	refused := map[int64]*fault.Error{}
	for _, id := range ids {
		_, err := s.UpdateOwnRequisite(ctx, who, id, u)
		var wrong *fault.Error
		switch {
		case err == nil:
		case errors.As(err, &wrong) && wrong.Kind != fault.NotFound:
			refused[id] = wrong
		default:
			return refused, err
		}
	}
	return refused, nil
}

// orderField is the field to blame for a wrong order: the one that was given.
func (l OwnLimits) orderField() string {
	return Limits{MinAmount: l.MinAmount, MaxAmount: l.MaxAmount}.orderField()
}

// params checks the given fields and turns them into SQL's terms.
func (u OwnUpdate) params(f fault.Fields) db.RequisiteUpdateOwnParams {
	l := u.Limits
	p := db.RequisiteUpdateOwnParams{
		Enabled:      u.Enabled,
		SetMinAmount: l.MinAmount != nil, MinAmount: optionalAmount(f, "limits.minAmount", optional.Value(l.MinAmount)),
		SetMaxAmount: l.MaxAmount != nil, MaxAmount: optionalAmount(f, "limits.maxAmount", optional.Value(l.MaxAmount)),
		SetDailyCount: l.DailyCount != nil, DailyCount: count(f, "limits.dailyCount", l.DailyCount),
		SetDailySum: l.DailySum != nil, DailySum: optionalAmount(f, "limits.dailySum", optional.Value(l.DailySum)),
		SetOpenPayments: l.OpenPayments != nil, OpenPayments: count(f, "limits.openPayments", l.OpenPayments),
		SetTimeZone: l.TimeZone != nil,
	}
	f.Check(!p.DailySum.Valid || p.DailySum.Decimal.IsPositive(), "limits.dailySum", "must be more than 0")
	if l.TimeZone != nil && *l.TimeZone != "" {
		checkZone(f, l.TimeZone)
		p.TimeZone = l.TimeZone
	}
	var clocks db.RequisiteUpdateParams
	clocks.SetHours = l.WorkFrom != nil || l.WorkUntil != nil
	Limits{WorkFrom: l.WorkFrom, WorkUntil: l.WorkUntil}.hours(f, &clocks)
	p.SetHours, p.WorkFrom, p.WorkUntil = clocks.SetHours, clocks.WorkFrom, clocks.WorkUntil
	return p
}

// isDesk reports whether a requisite is for card checkout. It has no value.
func isDesk(row db.Requisite) bool { return row.Sealed == nil }

// within refuses limits looser than the operators' limits of the locked requisite.
func within(row db.Requisite, p db.RequisiteUpdateOwnParams) error {
	if p.Enabled != nil && *p.Enabled && !row.Enabled {
		return errOperatorOff
	}
	f := fault.Fields{}
	between(f, "limits.minAmount", p.MinAmount, row)
	between(f, "limits.maxAmount", p.MaxAmount, row)
	f.Check(!p.DailySum.Valid || !row.DailySum.Valid || p.DailySum.Decimal.LessThanOrEqual(row.DailySum.Decimal),
		"limits.dailySum", "must be at most %s, which the operator has set", money.Fiat(row.DailySum.Decimal))
	atMost(f, "limits.dailyCount", p.DailyCount, row.DailyCount)
	atMost(f, "limits.openPayments", p.OpenPayments, row.OpenPayments)
	f.Check(p.OpenPayments == nil || !isDesk(row), "limits.openPayments", openNotForDesks)
	return f.Err()
}

func between(f fault.Fields, field string, amount decimal.NullDecimal, row db.Requisite) {
	inside := !amount.Decimal.LessThan(row.MinAmount) && !amount.Decimal.GreaterThan(row.MaxAmount)
	f.Check(!amount.Valid || inside, field, "must be between %s and %s, which the operator has set",
		money.Fiat(row.MinAmount), money.Fiat(row.MaxAmount))
}

func atMost(f fault.Fields, field string, own, set *int32) {
	f.Check(own == nil || set == nil || *own <= *set, field, "must be at most %d, which the operator has set", optional.Value(set))
}

// SetBreak begins or ends a break of the caller's trader. During a break their requisites get no new
// payments; open payments stay.
func (s *Settings) SetBreak(ctx context.Context, who caller.Caller, on bool) error {
	if err := checkOwn(ctx, who, caller.TraderWork); err != nil {
		return err
	}
	c := Change{
		At: s.clock.Now(), Actor: who.Actor(), Subject: "trader", SubjectKey: strconv.FormatInt(who.TraderID, 10),
	}
	_, err := db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read:  func(q *db.Queries) ([]byte, error) { return q.TraderSetting(ctx, who.TraderID) },
		Apply: func(q *db.Queries) error {
			return q.TraderSetBreak(ctx, db.TraderSetBreakParams{ID: who.TraderID, OnBreak: on})
		},
	})
	return err
}

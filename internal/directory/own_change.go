package directory

import (
	"context"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/setting"
)

var errOperatorOff = fault.New(fault.Refused, "requisite_off_by_operator",
	"An operator has switched the requisite off; only they can switch it on.")

// OwnUpdate changes the fields that are set.
type OwnUpdate struct {
	Enabled *bool
	Limits  Limits
}

// UpdateOwnRequisite changes a trader's own settings of their requisite, and
// returns it. Limits may not be looser than the operators', which apply as
// well. Payments that already have the requisite keep it. The change itself is
// not returned, because traders may see only part of it.
func (s *Settings) UpdateOwnRequisite(
	ctx context.Context, who caller.Caller, id int64, u OwnUpdate,
) (OwnRequisite, error) {
	c, err := s.change(who, caller.TraderRequisites, setting.Requisite.Name, strconv.FormatInt(id, 10))
	if err != nil {
		return OwnRequisite{}, err
	}
	f := fault.Decoded(ctx)
	limits, columns := u.read(f)
	if err := f.Err(); err != nil {
		return OwnRequisite{}, err
	}
	_, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read: func(q *db.Queries) ([]byte, error) {
			// A requisite never changes its owner, so this needs no
			// lock.
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
			if err := u.within(row, limits); err != nil {
				return err
			}
			return q.Set(ctx, setting.Requisite.Name, id, columns)
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

// UpdateOwnRequisites makes the same change to several requisites of a trader,
// each in its own transaction. If a requisite does not allow the change, the
// error is returned under its id, and the others are changed. A change that is
// invalid for every requisite changes none, and so does an id that is not
// found.
func (s *Settings) UpdateOwnRequisites(
	ctx context.Context, who caller.Caller, ids []int64, u OwnUpdate,
) (map[int64]*fault.Error, error) {
	if err := who.Need(caller.TraderRequisites); err != nil {
		return nil, err
	}
	f := fault.Decoded(ctx)
	f.Check(len(ids) > 0, "ids", "must not be empty")
	f.Check(len(ids) <= MaxOwnUpdates, "ids", "must be at most %d", MaxOwnUpdates)
	u.read(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if _, err := s.OwnRequisite(ctx, who, id); err != nil {
			return nil, err
		}
	}
	refused := map[int64]*fault.Error{}
	for _, id := range ids {
		_, err := s.UpdateOwnRequisite(ctx, who, id, u)
		if wrong := fault.As(err); wrong != nil {
			refused[id] = wrong
		} else if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// read checks the update, and returns its limits and all its columns.
func (u OwnUpdate) read(f fault.Fields) (given RequisiteLimits, columns map[string]any) {
	given, columns = u.Limits.read(f, "own_")
	if optional.Value(u.Limits.TimeZone) != "" {
		checkZone(f, u.Limits.TimeZone)
	}
	if u.Enabled != nil {
		columns["own_enabled"] = *u.Enabled
	}
	return given, columns
}

// isDesk reports whether a requisite is for card checkout. It has no value.
func isDesk(row db.Requisite) bool { return row.Sealed == nil }

// within refuses limits that are looser than those that operators set for the
// locked requisite.
func (u OwnUpdate) within(row db.Requisite, given RequisiteLimits) error {
	if optional.Value(u.Enabled) && !row.Enabled {
		return errOperatorOff
	}
	f := fault.Fields{}
	between(f, "limits.minAmount", given.MinAmount, row)
	between(f, "limits.maxAmount", given.MaxAmount, row)
	f.Check(!given.DailySum.Valid || !row.DailySum.Valid || given.DailySum.Decimal.LessThanOrEqual(row.DailySum.Decimal),
		"limits.dailySum", "must be at most %s, which the operator has set", money.Fiat(row.DailySum.Decimal))
	atMost(f, "limits.dailyCount", given.DailyCount, row.DailyCount)
	atMost(f, "limits.openPayments", given.OpenPayments, row.OpenPayments)
	f.Check(given.OpenPayments == nil || !isDesk(row), "limits.openPayments", openNotForDesks)
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

// SetBreak begins or ends a break of the caller's trader. During a break their
// requisites get no new payments; open payments stay.
func (s *Settings) SetBreak(ctx context.Context, who caller.Caller, on bool) error {
	c, err := s.change(who, caller.TraderWork, setting.Trader.Name, strconv.FormatInt(who.TraderID, 10))
	if err != nil {
		return err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return err
	}
	_, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read:  func(q *db.Queries) ([]byte, error) { return q.TraderSetting(ctx, who.TraderID) },
		Apply: func(q *db.Queries) error {
			return q.TraderSetBreak(ctx, db.TraderSetBreakParams{ID: who.TraderID, OnBreak: on})
		},
	})
	return err
}

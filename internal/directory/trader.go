package directory

import (
	"context"
	"fmt"
	"strconv"
	"time"
	_ "time/tzdata" // zones must be known also where the machine has none

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/requisite"
	"gateway.example/internal/setting"
)

// UpdateTrader renames a trader, switches them on or off, or sets their terms.
func (s *Settings) UpdateTrader(
	ctx context.Context, who caller.Caller, u TraderUpdate,
) (done Changed[Trader], err error) {
	c, err := s.change(who, setting.Trader.Needs, setting.Trader.Name, strconv.FormatInt(u.ID, 10))
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	columns := setting.Trader.Read(f, u)
	c.Reason = because(f, u.Reason, u.Enabled)
	if err := f.Err(); err != nil {
		return done, err
	}
	read := func(q *db.Queries) ([]byte, error) { return q.TraderSetting(ctx, u.ID) }
	return became[Trader](db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  u.Seen,
		Read:  read,
		Apply: func(q *db.Queries) error {
			if err := s.terms(ctx, q, c, read, setting.Trader.Terms(u)); err != nil {
				return foureyes.Want(err, foureyes.UpdateTrader, u)
			}
			return q.Set(ctx, setting.Trader.Name, u.ID, columns)
		},
	}))
}

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
		MinAmount: optionalAmount(f, "limits.minAmount", deref(l.MinAmount)),
		MaxAmount: optionalAmount(f, "limits.maxAmount", deref(l.MaxAmount)),
		TimeZone:  l.TimeZone, Weight: l.Weight,
		SetDailyCount: l.DailyCount != nil, DailyCount: count(f, "limits.dailyCount", l.DailyCount),
		SetDailySum: l.DailySum != nil, DailySum: optionalAmount(f, "limits.dailySum", deref(l.DailySum)),
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
	from, until := deref(l.WorkFrom), deref(l.WorkUntil)
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

// NewRequisite is a requisite to add to a trader.
type NewRequisite struct {
	TraderID                int64
	Currency, Method, Value string
	Holder, Bank            *string
	Limits                  Limits
}

// The limits of a requisite that names none.
const (
	defaultMin = "1"
	defaultMax = "999999999999.99"
)

// CreateRequisite adds a requisite to a trader.
func (s *Settings) CreateRequisite(
	ctx context.Context, who caller.Caller, n NewRequisite,
) (done Changed[Requisite], err error) {
	c, err := s.change(who, setting.Requisite.Needs, setting.Requisite.Name, "")
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	limits := n.Limits.params(f)
	if !limits.MinAmount.Valid {
		limits.MinAmount = optionalAmount(f, "", defaultMin)
	}
	if !limits.MaxAmount.Valid {
		limits.MaxAmount = optionalAmount(f, "", defaultMax)
	}
	f.Check(
		limits.MinAmount.Decimal.LessThanOrEqual(limits.MaxAmount.Decimal),
		n.Limits.orderField(),
		wrongOrder,
		defaultMin,
		defaultMax,
	)
	if err := s.checkRequisite(ctx, f, n); err != nil {
		return done, err
	}
	if err := s.FourEyes.Always(); err != nil {
		took, readErr := s.q.TraderHasPayments(ctx, n.TraderID)
		if readErr != nil {
			return done, fmt.Errorf("read the trader's payments: %w", readErr)
		}
		if took { // payers' money would go elsewhere from now on
			return done, foureyes.Want(err, foureyes.CreateRequisite, n)
		}
	}
	c, err = db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			id, err := InsertRequisite(ctx, q, s.requisites, n.Value, db.RequisiteInsertParams{
				TraderID:  n.TraderID,
				Currency:  n.Currency,
				Method:    n.Method,
				Holder:    n.Holder,
				Bank:      n.Bank,
				MinAmount: limits.MinAmount.Decimal,
				MaxAmount: limits.MaxAmount.Decimal,
				Now:       c.At,
			})
			if db.NoRows(err) {
				return 0, fault.Fields{"traderId": {"is not a trader"}}.Err()
			}
			if err != nil {
				return 0, fmt.Errorf("insert requisite: %w", err)
			}
			limits.ID = id
			return id, q.RequisiteUpdate(ctx, limits)
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) { return q.RequisiteSetting(ctx, id) },
	})
	return db.Settled(c, err, func() (Requisite, error) { return s.Requisite(ctx, who, limits.ID) })
}

// CheckProposed checks a requisite that the caller's trader proposes for themselves. Desks that take cards are operators' to make.
func (s *Settings) CheckProposed(ctx context.Context, who caller.Caller, n NewRequisite) error {
	if err := who.Need(caller.TraderRequisites); err != nil {
		return err
	}
	f := fault.Decoded(ctx)
	f.Required("value", n.Value)
	f.OptionalMaxLength("holder", n.Holder, maxProposed)
	f.OptionalMaxLength("bank", n.Bank, maxProposed)
	if err := f.Err(); err != nil {
		return err
	}
	return s.checkRequisite(ctx, f, n)
}

// maxProposed is how long the names may be that a trader proposes.
const maxProposed = 100

func (s *Settings) checkRequisite(ctx context.Context, f fault.Fields, n NewRequisite) error {
	method, known := catalogue.Find(catalogue.Payments(n.Currency), n.Method)
	kind := method.RequisiteType
	f.Check(known, "method", "is not a method for %s", n.Currency)
	if kind != "" {
		wrong := requisite.Of(kind).Wrong(n.Value)
		f.Check(wrong == "", "value", "%s", wrong)
	}
	if known && kind == "" {
		if err := s.checkDesk(ctx, f, n); err != nil {
			return err
		}
	}
	checkZone(f, n.Limits.TimeZone)
	return f.Err()
}

const wrongOrder = "maxAmount must not be less than minAmount; they are %s and %s unless set"

// orderField is the one of the two amounts that was given, where their order is wrong.
func (l Limits) orderField() string {
	if l.MaxAmount == nil {
		return "limits.minAmount"
	}
	return "limits.maxAmount"
}

const openNotForDesks = "is not for card methods"

// checkDesk checks a desk that takes cards: a requisite of a card method, which has no value. Any
// number of payments may be open on it.
func (s *Settings) checkDesk(ctx context.Context, f fault.Fields, n NewRequisite) error {
	f.Check(n.Value == "", "value", "must be empty: a payer of this method enters a card")
	f.Check(n.Limits.OpenPayments == nil || *n.Limits.OpenPayments == 0, "limits.openPayments", openNotForDesks)
	if s.CardsWithoutAcquirer {
		return nil
	}
	_, err := s.q.AcquirerPresent(ctx, n.TraderID)
	f.Check(!db.NoRows(err), "traderId", "has no acquirer to take cards with")
	if db.NoRows(err) {
		return nil
	}
	return err
}

// RequisiteUpdate changes the fields that are set.
type RequisiteUpdate struct {
	ID           int64
	Enabled      *bool
	Holder, Bank *string
	Limits       Limits
	Reason       string
	Seen         string
}

// UpdateRequisite changes a requisite. Payments made keep the one they were given.
func (s *Settings) UpdateRequisite(
	ctx context.Context, who caller.Caller, u RequisiteUpdate,
) (done Changed[Requisite], err error) {
	c, err := s.change(who, setting.Requisite.Needs, setting.Requisite.Name, strconv.FormatInt(u.ID, 10))
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	params := u.Limits.params(f)
	if params.OpenPayments != nil {
		isDesk, err := s.q.RequisiteIsDesk(ctx, u.ID)
		if err != nil && !db.NoRows(err) {
			return done, err
		}
		f.Check(!isDesk, "limits.openPayments", openNotForDesks)
	}
	checkZone(f, u.Limits.TimeZone)
	c.Reason = because(f, u.Reason, u.Enabled)
	if err := f.Err(); err != nil {
		return done, err
	}
	params.ID, params.Enabled, params.Holder, params.Bank = u.ID, u.Enabled, u.Holder, u.Bank
	c, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  u.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.RequisiteSetting(ctx, u.ID) },
		Apply: func(q *db.Queries) error { return q.RequisiteUpdate(ctx, params) },
	})
	if db.IsCheckViolation(err) {
		return done, fault.Fields{u.Limits.orderField(): {"maxAmount must not be less than minAmount"}}.Err()
	}
	return db.Settled(c, err, func() (Requisite, error) { return s.Requisite(ctx, who, u.ID) })
}

package directory

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/requisite"
	"gateway.example/internal/setting"
)

type NewRequisite struct {
	TraderID                int64
	Currency, Method, Value string
	Holder, Bank            *string
	Limits                  Limits
}

// The limits of a new requisite for which none are given.
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
	limits, columns := n.limits(f)
	if err := s.checkRequisite(ctx, f, n); err != nil {
		return done, err
	}
	if err := s.mayAdd(ctx, n); err != nil {
		return done, err
	}
	var made int64
	c, err = db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			if made, err = s.addRequisite(ctx, q, n, limits, c.At); err != nil {
				return 0, err
			}
			return made, q.Set(ctx, setting.Requisite.Name, made, columns)
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) { return q.RequisiteSetting(ctx, id) },
	})
	return db.Settled(c, err, func() (Requisite, error) { return s.Requisite(ctx, who, made) })
}

// limits are the limits of a new requisite, with defaults for amounts that are
// not given.
func (n NewRequisite) limits(f fault.Fields) (given RequisiteLimits, columns map[string]any) {
	given, columns = n.Limits.set(f)
	if !given.MinAmount.Valid {
		given.MinAmount = optionalAmount(f, "", defaultMin)
	}
	if !given.MaxAmount.Valid {
		given.MaxAmount = optionalAmount(f, "", defaultMax)
	}
	ordered := given.MinAmount.Decimal.LessThanOrEqual(given.MaxAmount.Decimal)
	f.Check(ordered, n.Limits.orderField(), wrongOrder, defaultMin, defaultMax)
	return given, columns
}

// mayAdd requires a second operator if the trader has had payments or could get
// one with the USDT that they have, because from then on payers' money may go
// elsewhere.
func (s *Settings) mayAdd(ctx context.Context, n NewRequisite) error {
	if s.FourEyes.Always() == nil {
		return nil
	}
	took, err := s.q.TraderHasPayments(ctx, n.TraderID)
	if err != nil {
		return fmt.Errorf("read the trader's payments: %w", err)
	}
	has, err := s.balance(ctx, ledger.Trader, n.TraderID)
	if db.IgnoreNoRows(err) != nil { // who is no trader has no account
		return fmt.Errorf("read the trader's balance: %w", err)
	}
	if took || has.Available.IsPositive() {
		return foureyes.WithAction(foureyes.ErrSecondOperator, foureyes.CreateRequisite, n)
	}
	return nil
}

// addRequisite writes a requisite with its amounts, and returns its id.
func (s *Settings) addRequisite(
	ctx context.Context, q *db.Queries, n NewRequisite, limits RequisiteLimits, now time.Time,
) (int64, error) {
	id, err := InsertRequisite(ctx, q, s.requisites, n.Value, db.RequisiteInsertParams{
		TraderID: n.TraderID, Currency: n.Currency, Method: n.Method, Holder: n.Holder, Bank: n.Bank,
		MinAmount: limits.MinAmount.Decimal, MaxAmount: limits.MaxAmount.Decimal, Now: now,
	})
	if db.NoRows(err) {
		return 0, fault.Fields{"traderId": {"is not a trader"}}.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("insert requisite: %w", err)
	}
	return id, nil
}

// InsertRequisite writes a requisite, with its value encrypted for its id. A
// desk for card payments has no value.
func InsertRequisite(
	ctx context.Context,
	q *db.Queries,
	safe *requisite.Safe,
	value string,
	params db.RequisiteInsertParams,
) (id int64, err error) {
	if params.ID, err = q.RequisiteNextID(ctx); err != nil {
		return 0, fmt.Errorf("take the id of a requisite: %w", err)
	}
	if value != "" {
		sealed := safe.Seal(params.ID, params.Currency, value)
		params.Sealed, params.Hash, params.Last4 = sealed.Value, sealed.Hash, &sealed.Last4
	}
	return q.RequisiteInsert(ctx, params)
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

// UpdateRequisite changes a requisite. Payments that already have it keep the
// copy they were made with.
func (s *Settings) UpdateRequisite(
	ctx context.Context, who caller.Caller, u RequisiteUpdate,
) (done Changed[Requisite], err error) {
	c, err := s.change(who, setting.Requisite.Needs, setting.Requisite.Name, strconv.FormatInt(u.ID, 10))
	if err != nil {
		return done, err
	}
	f := fault.Decoded(ctx)
	limits, columns := u.Limits.set(f)
	if limits.OpenPayments != nil {
		isDesk, err := s.q.RequisiteIsDesk(ctx, u.ID)
		if err != nil && !db.NoRows(err) {
			return done, err
		}
		f.Check(!isDesk, "limits.openPayments", openNotForDesks)
	}
	for column, text := range map[string]*string{"holder": u.Holder, "bank": u.Bank} {
		if text != nil {
			columns[column] = *text
		}
	}
	if u.Enabled != nil {
		columns["enabled"] = *u.Enabled
	}
	if err := s.checkCounted(ctx, f, u.Limits.TimeZone); err != nil {
		return done, err
	}
	c.Reason = because(f, u.Reason, u.Enabled)
	if err := f.Err(); err != nil {
		return done, err
	}
	c, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  u.Seen,
		Read:  func(q *db.Queries) ([]byte, error) { return q.RequisiteSetting(ctx, u.ID) },
		Apply: func(q *db.Queries) error { return q.Set(ctx, setting.Requisite.Name, u.ID, columns) },
	})
	if db.IsCheckViolation(err) {
		return done, fault.Fields{u.Limits.orderField(): {"maxAmount must not be less than minAmount"}}.Err()
	}
	return db.Settled(c, err, func() (Requisite, error) { return s.Requisite(ctx, who, u.ID) })
}

// CheckProposed checks a requisite that the caller's trader proposes for
// themselves. Only operators can add a desk for card payments.
func (s *Settings) CheckProposed(ctx context.Context, who caller.Caller, n NewRequisite) error {
	if err := who.Need(caller.TraderPropose); err != nil {
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

// maxProposed is the maximum length of the names in a proposal.
const maxProposed = 100

// checkRequisite checks the method, the form of the value and the time zone of
// a new requisite, besides what f has already. It does not ask who else has
// that value, nor whether a second operator has to approve.
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
	if err := s.checkCounted(ctx, f, n.Limits.TimeZone); err != nil {
		return err
	}
	return f.Err()
}

const openNotForDesks = "is not for card methods"

// checkDesk checks a desk for card payments: a requisite of a card method,
// which has no value. Any number of payments may be open on it.
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

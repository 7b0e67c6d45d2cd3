// Package routing chooses which requisite a payment gets and reserves it, or says that there is none. Among those free,
// the one used longest ago comes first.
package routing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
)

// Want is what a payment needs of a requisite.
type Want struct {
	PaymentID int64
	Currency  string
	Method    string
	Amount    decimal.Decimal
	Now       time.Time
	// Desk asks for a desk that takes cards: it has no slots, so that any number of equal amounts go to one.
	Desk bool
}

// Requisite is a chosen requisite, with its trader's terms.
type Requisite struct {
	ID                 int64
	TraderID           int64
	Value              string
	Holder             *string
	Bank               *string
	TraderRatePercent  decimal.NullDecimal
	TraderSharePercent decimal.Decimal
	// OpenPayments is how many payments may be open on it at a time, or nil.
	OpenPayments *int32
	// Day is the day of the requisite's own zone that the payment counts towards.
	Day time.Time
}

// ErrNone says that no requisite is free for the payment.
var ErrNone = errors.New("no requisite is available")

// lockWait bounds one wait for a busy requisite. Whoever waits tries again as long as a candidate remains.
const lockWait = "2s"

// Booking is what is written together with the reservation of a chosen requisite, and undone with it where the requisite
// turns out not to be had. The zero Booking writes nothing.
type Booking struct {
	Queries []db.Query
	// Short tells, after the queries were made, whether the trader lacks the USDT.
	Short func() bool
}

// Choice is one payment's way to a requisite.
type Choice struct {
	want Want
	// short lists the traders found without the USDT.
	short []int64
	// looked tells that a candidate was looked for and not yet tried: found, or nil where all are busy or none is there.
	looked bool
	found  *Requisite
}

// NewChoice begins a choice.
func NewChoice(want Want) *Choice { return &Choice{want: want, short: []int64{}} }

// For names the payment, once it has its id.
func (c *Choice) For(paymentID int64) { c.want.PaymentID = paymentID }

// First locks the best candidate ahead of Reserve, in a pipeline with other queries, which come before. Everything a
// reservation does happens behind one savepoint, the lock included: a row locked before a savepoint and changed after it
// carries a multixact, and an index scan can never leave its dead versions behind.
func (c *Choice) First(ctx context.Context) []db.Query {
	return []db.Query{func(q *db.Queries) error { return q.Savepoint(ctx) }, c.look(ctx)}
}

// look locks the best candidate that nobody else has locked.
func (c *Choice) look(ctx context.Context) db.Query {
	return func(q *db.Queries) error {
		row, err := q.RequisiteChoose(ctx, db.RequisiteChooseParams{
			Currency: c.want.Currency, Method: c.want.Method, Amount: c.want.Amount, Now: c.want.Now, WithoutTraders: c.short,
		})
		c.looked, c.found = true, nil
		if err == nil {
			found := Requisite(row)
			c.found = &found
		}
		return db.IgnoreNoRows(err)
	}
}

// Reserve locks a requisite, takes its slot and its place in the day's limits, and makes the booking that goes with it. A
// slot or limit that was just reached, or a trader short of USDT, excludes that candidate, and the next is tried: ErrNone
// means that a fresh look found nobody. What was reserved stays locked until the transaction ends.
func (c *Choice) Reserve(ctx context.Context, tx pgx.Tx, book func(Requisite) Booking) (Requisite, error) {
	for {
		requisite, err := c.lock(ctx, tx)
		if err != nil {
			return Requisite{}, err
		}
		if requisite == nil {
			continue
		}
		reserved, err := c.reserve(ctx, tx, *requisite, book(*requisite))
		if err != nil {
			return Requisite{}, err
		}
		if reserved {
			return *requisite, nil
		}
	}
}

// lock locks the best candidate. Nil without an error means: look again.
func (c *Choice) lock(ctx context.Context, tx pgx.Tx) (*Requisite, error) {
	if !c.looked {
		if err := db.Pipeline(ctx, tx, c.First(ctx)...); err != nil {
			return nil, fmt.Errorf("choose a requisite: %w", err)
		}
	}
	c.looked = false
	if c.found != nil {
		return c.found, nil
	}
	return c.await(ctx, tx)
}

// again gives back all that the last try took or waited for, and looks afresh.
func (c *Choice) again(ctx context.Context, tx pgx.Tx) error {
	q := db.New(tx)
	if err := q.RollbackToSavepoint(ctx); err != nil {
		return fmt.Errorf("give a requisite back: %w", err)
	}
	if err := c.look(ctx)(q); err != nil {
		return fmt.Errorf("choose a requisite: %w", err)
	}
	return nil
}

// await tells busy from none: where a candidate exists but others are just using it, it waits for that one.
func (c *Choice) await(ctx context.Context, tx pgx.Tx) (*Requisite, error) {
	requisite, err := c.lockOne(ctx, tx)
	switch {
	case err == nil:
		return requisite, nil
	case db.IsLockTimeout(err):
		return nil, c.again(ctx, tx) // busy is not none
	case db.NoRows(err):
		return nil, ErrNone
	}
	return nil, fmt.Errorf("wait for a requisite: %w", err)
}

func (c *Choice) lockOne(ctx context.Context, tx pgx.Tx) (*Requisite, error) {
	if _, err := tx.Exec(ctx, "set local lock_timeout = '"+lockWait+"'"); err != nil {
		return nil, err
	}
	row, err := db.New(tx).RequisiteAwait(ctx, db.RequisiteAwaitParams{
		Currency: c.want.Currency, Method: c.want.Method, Amount: c.want.Amount, Now: c.want.Now, WithoutTraders: c.short,
	})
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "set local lock_timeout = 0"); err != nil {
		return nil, err
	}
	requisite := Requisite(row)
	return &requisite, nil
}

// reserve takes slot and day of a locked requisite and makes the booking, in one round trip. If one of them is not to be
// had it gives everything back and looks for the next candidate.
func (c *Choice) reserve(ctx context.Context, tx pgx.Tx, r Requisite, booking Booking) (bool, error) {
	taken := c.want.Desk
	var counted int64
	var queries []db.Query
	if !c.want.Desk {
		queries = append(queries, TakeSlot(ctx, r.ID, r.OpenPayments, c.want, &taken))
	}
	queries = append(queries,
		func(q *db.Queries) (err error) {
			counted, err = q.RequisiteUse(ctx, db.RequisiteUseParams{ID: r.ID, Now: c.want.Now, Amount: c.want.Amount})
			return err
		})
	if err := db.Pipeline(ctx, tx, append(queries, booking.Queries...)...); err != nil {
		return false, fmt.Errorf("reserve requisite: %w", err)
	}
	short := booking.Short != nil && booking.Short()
	if taken && counted > 0 && !short {
		return true, nil
	}
	if short {
		c.short = append(c.short, r.TraderID)
	}
	return false, c.again(ctx, tx)
}

// TakeSlot reserves requisite and amount for a payment; taken stays false where another payment has them, or where as
// many payments are open as may be.
func TakeSlot(ctx context.Context, requisiteID int64, open *int32, want Want, taken *bool) db.Query {
	return func(q *db.Queries) error {
		rows, err := q.SlotTake(ctx, db.SlotTakeParams{
			RequisiteID: requisiteID, Amount: want.Amount, PaymentID: want.PaymentID, Now: want.Now, OpenPayments: open,
		})
		*taken = rows > 0
		return err
	}
}

// FreeSlot gives the payment's slot back from the given time on. A slot that has gone to another payment stays there.
func FreeSlot(ctx context.Context, requisiteID int64, want Want, from time.Time) db.Query {
	return func(q *db.Queries) error {
		return q.SlotFree(ctx, db.SlotFreeParams{
			RequisiteID: requisiteID, Amount: want.Amount, PaymentID: want.PaymentID, FreeAt: from, Now: want.Now,
		})
	}
}

// CountDay counts a payment towards its requisite's day again, or no longer.
func CountDay(ctx context.Context, requisiteID int64, day time.Time, amount decimal.Decimal, counts bool) db.Query {
	return func(q *db.Queries) error {
		if counts {
			return q.RequisiteDayAdd(ctx, db.RequisiteDayAddParams{RequisiteID: requisiteID, Day: day, Amount: amount})
		}
		return q.RequisiteDayTake(ctx, db.RequisiteDayTakeParams{RequisiteID: requisiteID, Day: day, Amount: amount})
	}
}

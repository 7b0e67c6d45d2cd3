package payment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

// errArrivalTaken refuses a transfer that counts towards a payment already.
var errArrivalTaken = fault.New(fault.Conflict, "arrival_taken", "This money belongs to a payment already.")

// earlyMoney is how long before a payment was made its transfer may have
// arrived by the bank's clock, which may be slow.
const earlyMoney = 5 * time.Minute

// nearPercent is by how many percent a transfer that is offered may differ from
// the missing amount, because of a bank's fee or a payer's mistake.
var nearPercent = decimal.NewFromInt(5)

// FreeArrivals asks for a page of the transfers that count towards no payment,
// the newest first.
type FreeArrivals struct {
	db.Page
	// Amount filters by the exact amount, and Words by the payer and the
	// note. "" does not filter.
	Amount, Words string
}

// ListFree lists the transfers to the caller's trader that count towards no
// payment, the newest first. The cursor is nil on the last page.
func (s *Service) ListFree(ctx context.Context, who caller.Caller, page FreeArrivals) ([]Arrival, *string, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	amount := decimal.NullDecimal{}
	if page.Amount != "" {
		amount = decimal.NewNullDecimal(fault.Read(f, "amount", page.Amount, fiat))
	}
	f.MaxLength("words", page.Words, maxText)
	rows, cursor, err := db.ListPage(ctx, s.reads, f, page.Page, "list what came",
		func(q *db.Queries, before int64, rows int32) ([]db.Arrival, error) {
			return q.ArrivalList(ctx, db.ArrivalListParams{
				TraderID: who.TraderID, BeforeID: before, Amount: amount, Words: like.Replace(strings.TrimSpace(page.Words)), Page: rows,
			})
		}, func(row db.Arrival) int64 { return row.ID })
	return db.Each(rows, arrivalFrom), cursor, err
}

// like escapes the special characters of a LIKE pattern.
var like = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func fiat(literal string) (decimal.Decimal, error) { return money.Parse(literal, money.FiatDecimals) }

// KeepMoney stores a transfer to a requisite of the caller's trader that
// belongs to no payment.
func (s *Service) KeepMoney(ctx context.Context, who caller.Caller, requisiteID int64, said Came) (Arrival, error) {
	if err := who.Need(caller.TraderWork); err != nil {
		return Arrival{}, err
	}
	return s.keepMoney(ctx, who, KeptFor{TraderID: who.TraderID, RequisiteID: requisiteID}, said)
}

// KeptFor is the trader and the requisite that a transfer went to. Currency is
// that of the bank's message; "" is any.
type KeptFor struct {
	TraderID, RequisiteID int64
	Currency              string
}

// KeepFor is KeepMoney for a transfer that a bank's message reports. Operators,
// who read messages as well, may call it. A second call for the same message
// gets arrival_taken.
func (s *Service) KeepFor(ctx context.Context, who caller.Caller, to KeptFor, said Came) (Arrival, error) {
	if err := who.Need(caller.TraderWork, caller.OperatorCases); err != nil {
		return Arrival{}, err
	}
	if who.Kind == caller.Trader && to.TraderID != who.TraderID {
		return Arrival{}, fault.ErrNotFound
	}
	return s.keepMoney(ctx, who, to, said)
}

// keepMoney stores money that belongs to no payment, for callers who may act
// for the trader; the requisite must be the trader's. The money of a bank's
// message is stored once. Without a message nothing tells a repeated call from
// a second transfer, and both are stored.
func (s *Service) keepMoney(ctx context.Context, who caller.Caller, to KeptFor, said Came) (Arrival, error) {
	f, now := fault.Decoded(ctx), s.clock.Now()
	w := wordOf(f, said, now)
	if amount := optional.Value(said.Amount); f.Required("amount", amount) {
		w.amount = fault.Read(f, "amount", amount, fiat)
		f.Check(f.Wrong("amount") || w.amount.IsPositive(), "amount", "must be more than 0")
	}
	if err := f.Err(); err != nil {
		return Arrival{}, err
	}
	own, err := s.q.RequisiteOwn(ctx, db.RequisiteOwnParams{ID: to.RequisiteID, TraderID: to.TraderID})
	if err != nil {
		return Arrival{}, db.Missing(err, fault.ErrNotFound, "read requisite")
	}
	if to.Currency != "" && to.Currency != own.Currency {
		return Arrival{}, fault.Fields{"requisiteId": {"must be one in the currency of the message"}}.Err()
	}
	if w.at == nil {
		w.at = &now
	}
	var row db.Arrival
	err = db.InTx(ctx, s.in, func(_ pgx.Tx, q *db.Queries) error {
		row, err = q.ArrivalPut(ctx, db.ArrivalPutParams{
			TraderID: to.TraderID, RequisiteID: to.RequisiteID, Currency: own.Currency, Amount: w.amount, CameAt: *w.at,
			Payer: w.payer, Note: w.note, MessageID: w.messageID, Actor: who.Actor(), CreatedAt: now,
		})
		return err
	})
	if db.Violated(err) == "arrival_message" {
		return Arrival{}, errArrivalTaken
	}
	return arrivalFrom(row), err
}

// Fitting lists the free transfers that may belong to a payment, the nearest
// amount first. They went to the payment's requisite after, or shortly before,
// the payment was made, and their amount is at most 5% off the missing amount.
// The list is empty for the merchant's users; the payment's trader and
// operators see it.
func (s *Service) Fitting(ctx context.Context, who caller.Caller, id string) ([]Arrival, error) {
	p, err := s.findFor(ctx, who, id)
	if err != nil || who.Kind == caller.MerchantPortal || cardCheckout(p) || Status(p.Status) == Completed {
		return nil, err
	}
	missing := s.FromRow(p).Missing()
	off := missing.Mul(nearPercent).Div(decimal.NewFromInt(100))
	rows, err := s.q.ArrivalsFitting(ctx, db.ArrivalsFittingParams{
		RequisiteID: *p.RequisiteID, Amount: missing, Least: missing.Sub(off), Most: missing.Add(off),
		Since: p.CreatedAt.Add(-earlyMoney),
	})
	if err != nil {
		return nil, fmt.Errorf("look for money that fits: %w", err)
	}
	return db.Each(rows, arrivalFrom), nil
}

// fits marks the payments of a desk for which a free transfer of exactly the
// missing amount has arrived.
func fits(ctx context.Context, q *db.Queries, desk []DeskPayment) error {
	var asked db.ArrivalsAtParams
	for _, p := range desk {
		if !p.CardCheckout() {
			asked.Requisites, asked.Amounts = append(asked.Requisites, *p.RequisiteID), append(asked.Amounts, p.Missing())
		}
	}
	if len(asked.Requisites) == 0 {
		return nil
	}
	rows, err := q.ArrivalsAt(ctx, asked)
	if err != nil {
		return fmt.Errorf("look for money that fits: %w", err)
	}
	for i, p := range desk {
		desk[i].Fits = !p.CardCheckout() && slices.ContainsFunc(rows, func(row db.ArrivalsAtRow) bool {
			return row.RequisiteID == *p.RequisiteID && row.Amount.Equal(p.Missing()) && !row.LastAt.Before(p.CreatedAt.Add(-earlyMoney))
		})
	}
	return nil
}

// DeskStamps returns a number for each trader. It changes when a transfer that
// the desk may offer arrives or is attached.
func (s *Service) DeskStamps(ctx context.Context, traderIDs []int64) (map[int64]uint64, error) {
	rows, err := s.q.ArrivalStamps(ctx, traderIDs)
	return db.Stamps(rows), fault.Doing("read the stamps of what came", err)
}

// Attachment is a free transfer and the payment towards which it is to count.
type Attachment struct{ ArrivalID, PaymentID int64 }

// Attach makes a free transfer count towards a payment of the same trader, as
// if its trader had reported it. A transfer can be attached once. The payment
// must be pending, in appeal, expired so recently that it may be completed
// late, or failed with an open appeal. The trader or an operator may call it.
func (s *Service) Attach(ctx context.Context, who caller.Caller, arrivalID, paymentID int64) (Payment, error) {
	if err := who.Need(caller.TraderWork, caller.OperatorCases); err != nil {
		return Payment{}, err
	}
	found, err := s.findFor(ctx, who, strconv.FormatInt(paymentID, 10))
	if err != nil {
		return Payment{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Payment{}, err
	}
	// An approval is within a transaction, in which no second connection
	// may be free.
	if _, approved := s.in.(pgx.Tx); !approved {
		if _, err := s.settings.Renew(ctx); err != nil {
			return Payment{}, err
		}
	}
	var after db.Payment
	err = s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		q := db.New(tx)
		a, err := q.ArrivalLock(ctx, db.ArrivalLockParams{ID: arrivalID, TraderID: p.TraderID})
		switch {
		case db.NoRows(err):
			return fault.ErrNotFound
		case err != nil:
			return fmt.Errorf("lock what came: %w", err)
		case a.State != string(ArrivalFree):
			return errArrivalTaken
		case a.Currency != p.Currency || cardCheckout(p):
			return fault.Fields{"paymentId": {"must be a payment in the currency of what came, and not by card"}}.Err()
		}
		c, err := s.attachable(ctx, q, p, who, a.Amount)
		if err != nil {
			return err
		}
		c.said = &word{amount: a.Amount, payer: a.Payer, note: a.Note, messageID: a.MessageID, arrivalID: a.ID}
		if err := s.arrive(p, c, a.Amount); err != nil {
			return err
		}
		err = s.attachingAlone(ctx, q, who, p, *c)
		if err := foureyes.WithAction(err, foureyes.AttachArrival, Attachment{arrivalID, p.ID}); err != nil {
			return err
		}
		after, err = s.move(ctx, tx, p, *c)
		return err
	})
	return s.FromRow(after), err
}

// attachable returns the change that attaching a transfer makes, or why the
// payment accepts none.
func (s *Service) attachable(
	ctx context.Context, q *db.Queries, p db.Payment, who caller.Caller, amount decimal.Decimal,
) (*change, error) {
	c := &change{to: Completed, actor: who.Actor()}
	switch Status(p.Status) {
	case Appeal:
		return c, dispute(ctx, q, p, c)
	case Failed:
		if err := dispute(ctx, q, p, c); err != nil {
			return nil, err
		}
		if c.disputed {
			c.late, c.reason = true, new(reasonLate)
			return c, nil
		}
	case Pending, Completed, Cancelled:
	}
	return s.confirmed(ctx, q, p, who, amount)
}

package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
)

const (
	// PayerMost is how many payments of a payer are examined, the newest
	// ones.
	PayerMost = 1000
	// payerShown is how many of the payments, and of the failed ones, are
	// listed.
	payerShown = 10
	maxPayer   = 255
)

// Payer is what a merchant's payer is known by, from their last payments.
type Payer struct {
	MerchantID int64
	// Count is how many payments were examined. More says that there are
	// older ones.
	Count int
	More  bool
	// FirstAt and LastAt are when the oldest and the newest of them were
	// made.
	FirstAt, LastAt time.Time
	// Sums are by currency. Cards are the cards that were entered, the
	// latest first.
	Sums  []PayerSum
	Cards []PayerCard
	// Latest are the newest payments, and Failures the newest of those that
	// failed or were cancelled.
	Latest, Failures []PayerPayment
}

// PayerSum sums up a payer's payments in a currency.
type PayerSum struct {
	Currency              string
	Count, Paid, Open     int
	PaidAmount, MaxAmount decimal.Decimal
}

// Ended is how many payments are no longer open.
func (s PayerSum) Ended() int { return s.Count - s.Open }

// PayerCard is a card that was entered for payments of a payer.
type PayerCard struct {
	Brand, Last4 string
	Count, Paid  int
	LastAt       time.Time
}

// PayerPayment is one of a payer's payments.
type PayerPayment struct {
	ID       int64
	OrderID  string
	Status   payment.Status
	Reason   string
	Currency string
	// Amount was asked for, and Settled is what a completed payment was
	// settled for.
	Amount, Settled decimal.Decimal
	CreatedAt       time.Time
	Brand, CardEnds string
}

// Payer tells what is known of a payer. Users of a merchant always get their
// own merchant's payer; operators get the named merchant's. A payer without
// payments is not found.
func (s *Service) Payer(ctx context.Context, who caller.Caller, merchantID int64, user string) (Payer, error) {
	if err := who.Need(caller.MerchantRead, caller.OperatorRead); err != nil {
		return Payer{}, err
	}
	found := fault.Decoded(ctx)
	found.MaxLength("userId", user, maxPayer)
	if err := found.Err(); err != nil {
		return Payer{}, err
	}
	if who.Kind == caller.MerchantPortal {
		merchantID = who.MerchantID
	}
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportPayerPaymentsRow, error) {
		return q.ReportPayerPayments(ctx, db.ReportPayerPaymentsParams{
			Payer: &user, MerchantID: merchantID, Most: PayerMost + 1,
		})
	})
	if err != nil {
		return Payer{}, fmt.Errorf("read a payer's payments: %w", err)
	}
	if len(rows) == 0 {
		return Payer{}, fault.ErrNotFound
	}
	p := Payer{MerchantID: merchantID, More: len(rows) > PayerMost}
	for _, row := range rows[:min(len(rows), PayerMost)] {
		p.add(PayerPayment{
			ID: row.ID, OrderID: row.OrderID, Status: payment.Status(row.Status), Reason: optional.Value(row.StatusReason),
			Currency: row.Currency, Amount: row.Amount, Settled: row.Settled, CreatedAt: row.CreatedAt, Brand: optional.Value(row.Brand), CardEnds: optional.Value(row.Last4),
		})
	}
	slices.SortFunc(p.Sums, func(a, b PayerSum) int { return b.Count - a.Count })
	return p, nil
}

// add counts a payment, which is older than all counted before.
func (p *Payer) add(one PayerPayment) {
	if p.Count == 0 {
		p.LastAt = one.CreatedAt
	}
	p.Count, p.FirstAt = p.Count+1, one.CreatedAt
	if len(p.Latest) < payerShown {
		p.Latest = append(p.Latest, one)
	}
	failed := one.Status == payment.Failed || one.Status == payment.Cancelled
	if failed && len(p.Failures) < payerShown {
		p.Failures = append(p.Failures, one)
	}
	paid := one.Status == payment.Completed
	sum := entryOf(&p.Sums, func(s PayerSum) bool { return s.Currency == one.Currency }, PayerSum{Currency: one.Currency})
	sum.add(one, paid, !paid && !failed)
	if one.CardEnds == "" {
		return
	}
	card := entryOf(&p.Cards, func(c PayerCard) bool { return c.Brand == one.Brand && c.Last4 == one.CardEnds },
		PayerCard{Brand: one.Brand, Last4: one.CardEnds, LastAt: one.CreatedAt})
	card.Count++
	if paid {
		card.Paid++
	}
}

func (s *PayerSum) add(one PayerPayment, paid, open bool) {
	s.Count++
	s.MaxAmount = decimal.Max(s.MaxAmount, one.Amount)
	if paid {
		s.Paid, s.PaidAmount = s.Paid+1, s.PaidAmount.Add(one.Settled)
	}
	if open {
		s.Open++
	}
}

// entryOf finds the entry of a list that is meant, or appends otherwise.
func entryOf[T any](list *[]T, is func(T) bool, otherwise T) *T {
	at := slices.IndexFunc(*list, is)
	if at < 0 {
		*list, at = append(*list, otherwise), len(*list)
	}
	return &(*list)[at]
}

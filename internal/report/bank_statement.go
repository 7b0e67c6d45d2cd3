package report

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/bankstatement"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// longestStatement is how long a bank's statement may go over: more is read in parts.
const longestStatement = 100 * 24 * time.Hour

// comparedMost is how many payments of a trader's time are looked at: all are in memory at once.
const comparedMost = 100_000

// StatementFile is a bank's statement to compare with a trader's payments. Traders compare with their own.
type StatementFile struct {
	TraderID int64
	// RequisiteID is whose statement it is; 0 is that of all the trader's requisites.
	RequisiteID int64
	Content     []byte
	// Zone is that of the statement's times.
	Zone *time.Location
}

// Compared is a bank's statement beside the payments of its time.
type Compared struct {
	// From and Until are when its first and its last movement were.
	From, Until time.Time
	// In is what came in, the oldest first, with its payment where there is one. Out counts what went out.
	In  []ComparedLine
	Out int
	// Missing are completed payments that are not on it, the oldest first.
	Missing []payment.Payment
}

// ComparedLine is what came in, and the payment that it is.
type ComparedLine struct {
	bankstatement.Line
	Payment *payment.Payment
}

// CompareStatement finds which of a bank's movements are payments, which are none, and which completed payments the bank
// does not know. Nothing of the statement is kept.
func (s *Service) CompareStatement(ctx context.Context, who caller.Caller, file StatementFile) (Compared, error) {
	if err := who.Need(caller.TraderMoney, caller.OperatorRead); err != nil {
		return Compared{}, err
	}
	f := fault.Decoded(ctx)
	if f.Check(len(file.Content) <= bankstatement.MaxSize, "file", "is larger than %d MB", bankstatement.MaxSize>>20); f.Err() != nil {
		return Compared{}, f.Err()
	}
	if err := s.mayCompare(ctx, who, &file); err != nil {
		return Compared{}, err
	}
	lines, err := bankstatement.Read(file.Content, file.Zone)
	if err != nil {
		return Compared{}, fault.Fields{"file": {err.Error()}}.Err()
	}
	slices.SortStableFunc(lines, func(a, b bankstatement.Line) int { return a.At.Compare(b.At) })
	last := lines[len(lines)-1]
	c := Compared{From: lines[0].At, Until: last.At}
	if !last.Timed { // all of the day
		c.Until = last.At.AddDate(0, 0, 1).Add(-time.Millisecond)
	}
	if c.Until.Sub(c.From) > longestStatement {
		return Compared{}, fault.Fields{"file": {"goes over more than 100 days"}}.Err()
	}
	payments, err := s.paymentsBetween(ctx, who, file, c.From.AddDate(0, 0, -2), c.Until.AddDate(0, 0, 1))
	if err != nil {
		return Compared{}, err
	}
	parts, err := s.partsOf(ctx, payments)
	if err != nil {
		return Compared{}, err
	}
	c.put(lines, payments, parts)
	return c, nil
}

// partsOf are the amounts in which came what did not come at once, by payment. Of one that was completed without a word on what
// came since, nobody has said the rest of what was asked for.
func (s *Service) partsOf(ctx context.Context, payments []payment.Payment) (map[int64][]decimal.Decimal, error) {
	var ids []int64
	for _, p := range payments {
		if p.ReceivedAmount.Valid || p.Status == payment.Completed {
			ids = append(ids, p.ID)
		}
	}
	parts := map[int64][]decimal.Decimal{}
	if len(ids) == 0 {
		return parts, nil
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.ArrivalPartsOfRow, error) { return q.ArrivalPartsOf(ctx, ids) })
	for _, row := range rows {
		parts[row.PaymentID] = append(parts[row.PaymentID], row.Amount)
	}
	for _, p := range payments {
		came := parts[p.ID]
		if len(came) == 0 || p.ReceivedAmount.Valid {
			continue
		}
		if rest := p.Amount.Sub(decimal.Sum(came[0], came[1:]...)); rest.IsPositive() {
			parts[p.ID] = append(came, rest)
		}
	}
	return parts, err
}

// mayCompare settles whose payments are looked at: a requisite must be that trader's.
func (s *Service) mayCompare(ctx context.Context, who caller.Caller, file *StatementFile) error {
	if who.Kind == caller.Trader {
		file.TraderID = who.TraderID
	}
	if file.TraderID == 0 {
		return fault.Fields{"traderId": {"is required"}}.Err()
	}
	if file.RequisiteID == 0 {
		return nil
	}
	_, err := db.List(ctx, s.reads, func(q *db.Queries) ([]struct{}, error) {
		_, err := q.RequisiteOwn(ctx, db.RequisiteOwnParams{ID: file.RequisiteID, TraderID: file.TraderID})
		return nil, err
	})
	if db.NoRows(err) {
		return fault.ErrNotFound
	}
	return err
}

func (c *Compared) put(lines []bankstatement.Line, payments []payment.Payment, parts map[int64][]decimal.Decimal) {
	var asked []bankstatement.Payment
	var of []*payment.Payment
	for i := range payments {
		p := &payments[i]
		came := parts[p.ID] // the bank knows nothing of what was asked for
		switch {
		case len(came) > 0:
		case p.ReceivedAmount.Valid:
			came = []decimal.Decimal{p.ReceivedAmount.Decimal}
		default:
			came = []decimal.Decimal{p.Amount}
		}
		for _, amount := range came {
			asked = append(asked, bankstatement.Payment{Amount: amount, CreatedAt: p.CreatedAt, Paid: p.Status == payment.Completed})
			of = append(of, p)
		}
	}
	whose := map[int]*payment.Payment{}
	for i, line := range bankstatement.Match(lines, asked) {
		p := of[i]
		if line >= 0 {
			whose[line] = p
			continue
		}
		// What was asked for before the statement begins may be on the one before, or on the next.
		if p.Status != payment.Completed || p.CreatedAt.Before(c.From) || p.StatusAt.After(c.Until) {
			continue
		}
		if last := len(c.Missing) - 1; last < 0 || c.Missing[last].ID != p.ID {
			c.Missing = append(c.Missing, *p)
		}
	}
	for i, line := range lines {
		if line.Amount.IsPositive() {
			c.In = append(c.In, ComparedLine{line, whose[i]})
		} else {
			c.Out++
		}
	}
}

// paymentsBetween are a trader's payments that were created in a time, the oldest first.
func (s *Service) paymentsBetween(
	ctx context.Context, who caller.Caller, file StatementFile, from, to time.Time,
) ([]payment.Payment, error) {
	all := scopeOf(who, Filter{TraderID: file.TraderID, From: from, To: to})
	var payments []payment.Payment
	at := window{below: math.MaxInt64, limit: exportPage}
	for looked := 0; ; looked += exportPage {
		if looked >= comparedMost {
			return nil, fault.Fields{"file": {"has too many payments in its time: send a shorter period"}}.Err()
		}
		page, err := s.paymentRows(ctx, all, at)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Items {
			if file.RequisiteID == 0 || row.RequisiteID != nil && *row.RequisiteID == file.RequisiteID {
				payments = append(payments, s.payments.FromRow(row).Shown(who))
			}
		}
		if page.Next == nil {
			slices.Reverse(payments)
			return payments, nil
		}
		if at, err = at.on(*page.Next); err != nil {
			return nil, err
		}
	}
}

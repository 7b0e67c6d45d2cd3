package report

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/bankstatement"
	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/sheet"
)

// longestStatement is the longest period of a bank statement that is accepted.
const longestStatement = 100 * 24 * time.Hour

// comparedMost is how many of a trader's payments are compared, because all of
// them are in memory at once.
const comparedMost = 100_000

// StatementFile is a bank statement to compare with a trader's payments. For a
// trader, TraderID is always their own.
type StatementFile struct {
	TraderID int64
	// RequisiteID is the requisite whose statement it is; 0 stands for all
	// requisites of the trader.
	RequisiteID int64
	Content     []byte
	// Zone is the time zone of the times in the statement.
	Zone *time.Location
}

// Compared is a bank statement next to the payments of its period.
type Compared struct {
	// From and Until are the times of its first and its last line.
	From, Until time.Time
	// In are the incoming transfers, the oldest first, each with its
	// payment if there is one. Out counts the outgoing ones.
	In  []ComparedLine
	Out int
	// Missing are the completed payments that are not in the statement, the
	// oldest first.
	Missing []payment.Payment
}

type ComparedLine struct {
	bankstatement.Line
	Payment *payment.Payment
}

// CompareStatement finds which lines of a bank statement are payments and which
// are not, and which completed payments are not in the statement. Nothing of
// the statement is stored.
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
	lines, err := bankstatement.Read(ctx, file.Content, file.Zone)
	switch {
	case errors.Is(err, sheet.ErrBusy):
		return Compared{}, fault.ErrBusy
	case err != nil:
		return Compared{}, fault.Fields{"file": {err.Error()}}.Err()
	}
	slices.SortStableFunc(lines, func(a, b bankstatement.Line) int { return a.At.Compare(b.At) })
	last := lines[len(lines)-1]
	c := Compared{From: lines[0].At, Until: last.At}
	if !last.Timed { // a date without a time means the whole day
		c.Until = clock.Midnight(last.At, 1).Add(-time.Millisecond)
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

// partsOf lists, by payment, the amounts of payments that arrived in parts. If
// such a payment was completed without a report of its last part, the rest of
// the amount asked for is added as that part.
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

// mayCompare checks whose payments are compared: a requisite must belong to the
// trader.
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

// put matches payments with lines, and keeps what is left on either side. The
// payments are ordered by time, and reach beyond the statement. One that came
// in parts is missing if any of its parts is.
func (c *Compared) put(lines []bankstatement.Line, payments []payment.Payment, parts map[int64][]decimal.Decimal) {
	var asked []bankstatement.Payment
	var of []*payment.Payment
	for i := range payments {
		p := &payments[i]
		came := parts[p.ID] // the bank knows only the amounts that arrived
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
		// A payment from before the statement begins may be in the
		// previous statement, and one that was completed after its end
		// in the next.
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

// paymentsBetween lists a trader's payments that were created in a period, the
// oldest first.
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
				payments = append(payments, s.payments.FromRow(row).For(who))
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

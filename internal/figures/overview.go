package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/waits"
)

const (
	day = 24 * time.Hour
	// week is the period of an overview.
	week = 7 * day
	// endpointsWithin is how far back deliveries are read, and
	// endpointsMost is of how many events.
	endpointsWithin = time.Hour
	endpointsMost   = 300
	// cashboxesMost is how many cashboxes an overview shows.
	cashboxesMost = 100
)

// Overview shows a merchant's current situation.
type Overview struct {
	// At is when it was read, and From is the beginning of today in the
	// reader's time zone.
	At, From time.Time
	// Today has one entry for each currency with payments today or on the
	// same day last week.
	Today []DayFigures
	// Methods are the methods used in the last seven days. Hours are all
	// hours of these days, the oldest first.
	Methods []MethodFigures
	Hours   []HourFigures
	// Endpoints are the endpoints to which deliveries failed in the last
	// hour; set only for callers who may read events.
	Endpoints []EndpointFailures
	// Queues are the queues in which something waits.
	Queues []waits.Count
	// Balances are the balances of the cashboxes; set only for callers who
	// may see money.
	Balances []CashboxBalance
}

// Figures are counts of payments, by the time of their creation.
type Figures struct {
	// Payments are all payments, Completed the paid ones, and Ended the
	// paid, failed and cancelled ones.
	Payments, Completed, Ended int64
	// Amount is what the completed payments were settled for; nil for
	// callers who may not see money, and for sums across currencies.
	Amount *decimal.Decimal
	// spans count the completed payments by their time to pay.
	spans [26]int64
}

// DayFigures are the figures of today in one currency, and those of the same
// day last week up to the same hour.
type DayFigures struct {
	Currency      string
	Now, LastWeek Figures
}

type MethodFigures struct {
	Method, Currency string
	Figures
}

type HourFigures struct {
	At time.Time
	Figures
}

// EndpointFailures counts the failed deliveries to one host.
type EndpointFailures struct {
	Host               string
	Attempts, Failures int64
	// LastAt is when the last delivery failed, and LastStatus the status of
	// the response; 0 if there was no response.
	LastAt     time.Time
	LastStatus int
	// CashboxID is the cashbox whose delivery failed last.
	CashboxID int64
}

// CashboxBalance is the balance of a cashbox in USDT. Insurance is a part of
// Reserved.
type CashboxBalance struct {
	CashboxID                             int64
	Name                                  string
	Total, Available, Reserved, Insurance decimal.Decimal
}

// Success is the percentage of ended payments that were completed, with one
// decimal; nil if none has ended.
func (f Figures) Success() *decimal.Decimal {
	if f.Ended == 0 {
		return nil
	}
	return new(decimal.NewFromInt(f.Completed*100).DivRound(decimal.NewFromInt(f.Ended), 1))
}

// Median is the median time to pay of the completed payments, from their
// creation. It is an estimate: within one span of the counts, times are taken
// as evenly spread. It is zero if no payment is completed.
func (f Figures) Median() time.Duration {
	var below int64
	for span, count := range f.spans {
		if count > 0 && 2*(below+count) >= f.Completed {
			from, to := spanOf(span)
			// Half of all, less those in the spans before, of those
			// in this one.
			return (from + (to-from)*time.Duration(f.Completed-2*below)/time.Duration(2*count)).Round(time.Second)
		}
		below += count
	}
	return 0
}

// spanOf is where a span begins and ends. The last span is treated as a single
// point.
func spanOf(span int) (from, to time.Duration) {
	if span > 0 {
		from = time.Duration(spanBounds[span-1]) * time.Second
	}
	if span == len(spanBounds) {
		return from, from
	}
	return from, time.Duration(spanBounds[span]) * time.Second
}

// add counts a row's payments by their status. What is pending or in an appeal
// counts in Payments alone. money says that the caller may see amounts, of
// which only those of completed payments are added.
func (f *Figures) add(row db.PaymentHourListRow, money bool) {
	f.Payments += row.Payments
	switch row.Status {
	case "completed":
		f.Completed, f.Ended = f.Completed+row.Payments, f.Ended+row.Payments
		if row.Span >= 0 {
			f.spans[row.Span] += row.Payments
		}
		if money {
			f.Amount = new(optional.Value(f.Amount).Add(row.Amount))
		}
	case "failed", "cancelled":
		f.Ended += row.Payments
	}
}

// Overview tells a merchant its current situation: today in the given time zone
// compared with the same day last week, the last seven days by method and by
// hour, and what waits or fails. Hours are whole hours of UTC and belong to the
// day in which they begin. Figures are a few seconds behind.
func (s *Service) Overview(ctx context.Context, who caller.Caller, zone *time.Location) (Overview, error) {
	if err := who.Admit(ctx, caller.MerchantRead); err != nil {
		return Overview{}, err
	}
	o, err := s.standing(ctx, who)
	if err != nil {
		return Overview{}, err
	}
	o.From = clock.Midnight(o.At.In(zone), 0)
	hours, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.PaymentHourListRow, error) {
		return q.PaymentHourList(ctx, db.PaymentHourListParams{
			MerchantID: who.MerchantID, FromAt: clock.Midnight(o.From, -7), UntilAt: o.At.Add(time.Hour),
		})
	})
	if err != nil {
		return Overview{}, fmt.Errorf("read overview: %w", err)
	}
	o.count(hours, who.May(caller.MerchantMoney))
	return o, nil
}

// Standing tells a merchant what waits, what fails and its balances: an
// overview without figures of payments.
func (s *Service) Standing(ctx context.Context, who caller.Caller) (Overview, error) {
	if err := who.Admit(ctx, caller.MerchantRead); err != nil {
		return Overview{}, err
	}
	return s.standing(ctx, who)
}

// standing is Standing for a caller who may read it. What waits and the
// balances are read one after the other, not in one snapshot.
func (s *Service) standing(ctx context.Context, who caller.Caller) (Overview, error) {
	o := Overview{At: s.clock.Now()}
	_, err := db.List(ctx, s.reads, func(q *db.Queries) ([]struct{}, error) {
		if err := o.endpoints(ctx, q, who); err != nil {
			return nil, err
		}
		var err error
		o.Queues, err = waits.In(ctx, q, who, o.At, waits.OwnAppeals, waits.OwnDeposits, waits.Overdue, waits.DeadEvents)
		return nil, err
	})
	if err != nil {
		return Overview{}, fmt.Errorf("read what waits: %w", err)
	}
	o.Balances, err = s.balances(ctx, who)
	return o, err
}

// count adds up the hours.
func (o *Overview) count(rows []db.PaymentHourListRow, money bool) {
	weekAgo := o.At.Add(-week).Truncate(time.Hour).Add(time.Hour)
	for at := weekAgo; !at.After(o.At); at = at.Add(time.Hour) {
		o.Hours = append(o.Hours, HourFigures{At: at})
	}
	lastFrom, lastUntil := clock.Midnight(o.From, -7), o.At.In(o.From.Location()).AddDate(0, 0, -7)
	for _, row := range rows {
		if !row.Hour.Before(o.From) {
			o.today(row.Currency).Now.add(row, money)
		} else if !row.Hour.Before(lastFrom) && !row.Hour.After(lastUntil) {
			o.today(row.Currency).LastWeek.add(row, money)
		}
		if at := int(row.Hour.Sub(weekAgo) / time.Hour); !row.Hour.Before(weekAgo) && at < len(o.Hours) {
			o.Hours[at].add(row, false)
			o.method(row.Method, row.Currency).add(row, money)
		}
	}
	slices.SortFunc(o.Today, func(a, b DayFigures) int { return cmp.Compare(a.Currency, b.Currency) })
	slices.SortFunc(o.Methods, func(a, b MethodFigures) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Method, b.Method))
	})
}

func (o *Overview) today(currency string) *DayFigures {
	at := slices.IndexFunc(o.Today, func(f DayFigures) bool { return f.Currency == currency })
	if at < 0 {
		at = len(o.Today)
		o.Today = append(o.Today, DayFigures{Currency: currency})
	}
	return &o.Today[at]
}

func (o *Overview) method(method, currency string) *MethodFigures {
	at := slices.IndexFunc(o.Methods, func(f MethodFigures) bool { return f.Method == method && f.Currency == currency })
	if at < 0 {
		at = len(o.Methods)
		o.Methods = append(o.Methods, MethodFigures{Method: method, Currency: currency})
	}
	return &o.Methods[at]
}

// endpoints finds the endpoints to which deliveries fail.
func (o *Overview) endpoints(ctx context.Context, q *db.Queries, who caller.Caller) error {
	if !who.May(caller.MerchantEvents) {
		return nil
	}
	rows, err := q.ReportEndpoints(ctx, db.ReportEndpointsParams{
		MerchantID: who.MerchantID, Most: endpointsMost, Since: o.At.Add(-endpointsWithin),
	})
	for _, row := range rows {
		o.Endpoints = append(o.Endpoints, EndpointFailures{
			Host: row.Host, Attempts: row.Attempts, Failures: row.Failures,
			LastAt: row.LastAt, LastStatus: int(row.LastStatus), CashboxID: row.LastCashboxID,
		})
	}
	return err
}

// balances reads the balances of the merchant's cashboxes.
func (s *Service) balances(ctx context.Context, who caller.Caller) ([]CashboxBalance, error) {
	if !who.May(caller.MerchantMoney) {
		return nil, nil
	}
	boxes, err := s.q.ReportCashboxes(ctx, db.ReportCashboxesParams{MerchantID: who.MerchantID, Most: cashboxesMost})
	if err != nil {
		return nil, fmt.Errorf("read cashboxes: %w", err)
	}
	rows, queries := make([]db.CashboxBalanceRow, len(boxes)), []db.Query(nil)
	for i, box := range boxes {
		queries = append(queries, db.One(&rows[i], (*db.Queries).CashboxBalance, db.CashboxBalanceParams{
			ID:        box.ID,
			Available: ledger.Available(ledger.Cashbox, box.ID).ID(),
			Reserved:  ledger.Reserved(ledger.Cashbox, box.ID).ID(),
		}))
	}
	if err := db.Pipeline(ctx, s.reads, queries...); err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	list := make([]CashboxBalance, 0, len(boxes))
	for i, box := range boxes {
		list = append(list, CashboxBalance{
			CashboxID: box.ID, Name: box.Name, Total: rows[i].Available.Add(rows[i].Reserved),
			Available: rows[i].Available, Reserved: rows[i].Reserved, Insurance: rows[i].InsuranceUSDT,
		})
	}
	return list, nil
}

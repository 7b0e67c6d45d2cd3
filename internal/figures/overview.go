package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/waits"
)

const (
	day = 24 * time.Hour
	// week is how far back an overview looks.
	week = 7 * day
	// endpointsWithin is how far back deliveries are looked at, and endpointsMost of how many events.
	endpointsWithin = time.Hour
	endpointsMost   = 300
	// cashboxesMost is how many cashboxes an overview shows.
	cashboxesMost = 100
)

// Overview is how a merchant stands.
type Overview struct {
	// At is when it was read, From the beginning of today in the reader's zone.
	At, From time.Time
	// Today has each currency in which there were payments today or on the same day last week.
	Today []DayFigures
	// Methods are those of the last seven days, and Hours each hour of them, the oldest first.
	Methods []MethodFigures
	Hours   []HourFigures
	// Endpoints are those where deliveries of the last hour failed; only for who reads events.
	Endpoints []EndpointFailures
	// Queues are those in which something waits.
	Queues []waits.Count
	// Balances are those of cashboxes; only for who sees money.
	Balances []CashboxBalance
}

// Figures are counts of payments, by the time of their creation.
type Figures struct {
	// Payments are all, Completed those that were paid, and Ended those, the failed and the cancelled.
	Payments, Completed, Ended int64
	// Amount is the sum of the completed; nil for who does not see money, and across currencies.
	Amount *decimal.Decimal
	// spans count the completed by their time to pay.
	spans [26]int64
}

// DayFigures are those of today in one currency, and of the same day last week up to the same hour.
type DayFigures struct {
	Currency      string
	Now, LastWeek Figures
}

// MethodFigures are those of a method in a currency.
type MethodFigures struct {
	Method, Currency string
	Figures
}

// HourFigures are those of an hour.
type HourFigures struct {
	At time.Time
	Figures
}

// EndpointFailures are the deliveries to a host that failed.
type EndpointFailures struct {
	Host               string
	Attempts, Failures int64
	// LastAt is when the last one failed, LastStatus what was answered then; 0 is no answer.
	LastAt     time.Time
	LastStatus int
	// CashboxID is the cashbox whose delivery failed last.
	CashboxID int64
}

// CashboxBalance is what a cashbox has, in USDT. Insurance is a part of Reserved.
type CashboxBalance struct {
	CashboxID                             int64
	Name                                  string
	Total, Available, Reserved, Insurance decimal.Decimal
}

// Success is how many of a hundred ended payments were completed, with one decimal; nil where none
// has ended.
func (f Figures) Success() *decimal.Decimal {
	if f.Ended == 0 {
		return nil
	}
	return new(decimal.NewFromInt(f.Completed*100).DivRound(decimal.NewFromInt(f.Ended), 1))
}

// Median is the time to pay that half of the completed payments kept within, from their creation, as
// far as the spans tell they are counted by: within one, times are taken as evenly spread. It is zero
// where none is completed.
func (f Figures) Median() time.Duration {
	var below int64
	for span, count := range f.spans {
		if count > 0 && 2*(below+count) >= f.Completed {
			from, to := spanOf(span)
			// Half of all, less those in the spans before, of those in this one.
			return (from + (to-from)*time.Duration(f.Completed-2*below)/time.Duration(2*count)).Round(time.Second)
		}
		below += count
	}
	return 0
}

// spanOf is where a span begins and ends. The last one is taken to be one point.
func spanOf(span int) (from, to time.Duration) {
	if span > 0 {
		from = time.Duration(spanBounds[span-1]) * time.Second
	}
	if span == len(spanBounds) {
		return from, from
	}
	return from, time.Duration(spanBounds[span]) * time.Second
}

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

// Overview tells a merchant how it stands: today in the given zone against the same day last week,
// the last seven days by method and by hour, and what waits or fails. Hours are whole hours of UTC,
// and belong to the day in which they begin. Figures follow what happens after a few seconds.
func (s *Service) Overview(ctx context.Context, who caller.Caller, zone *time.Location) (Overview, error) {
	if err := who.Admit(ctx, caller.MerchantRead); err != nil {
		return Overview{}, err
	}
	o, err := s.standing(ctx, who)
	if err != nil {
		return Overview{}, err
	}
	local := o.At.In(zone)
	o.From = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone)
	hours, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.PaymentHourListRow, error) {
		return q.PaymentHourList(ctx, db.PaymentHourListParams{
			MerchantID: who.MerchantID, FromAt: o.From.AddDate(0, 0, -7), UntilAt: o.At.Add(time.Hour),
		})
	})
	if err != nil {
		return Overview{}, fmt.Errorf("read overview: %w", err)
	}
	o.count(hours, who.May(caller.MerchantMoney))
	return o, nil
}

// Standing tells a merchant what waits, what fails and what it has: an overview without figures of payments.
func (s *Service) Standing(ctx context.Context, who caller.Caller) (Overview, error) {
	if err := who.Admit(ctx, caller.MerchantRead); err != nil {
		return Overview{}, err
	}
	return s.standing(ctx, who)
}

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

// count adds up hours.
func (o *Overview) count(rows []db.PaymentHourListRow, money bool) {
	weekAgo := o.At.Add(-week).Truncate(time.Hour).Add(time.Hour)
	for at := weekAgo; !at.After(o.At); at = at.Add(time.Hour) {
		o.Hours = append(o.Hours, HourFigures{At: at})
	}
	lastFrom, lastUntil := o.From.AddDate(0, 0, -7), o.At.In(o.From.Location()).AddDate(0, 0, -7)
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

// endpoints finds where deliveries fail.
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

// balances reads what the merchant's cashboxes have.
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

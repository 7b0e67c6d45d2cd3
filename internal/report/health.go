package report

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
)

const (
	// HealthDays is how far back the health of endpoints looks, and healthEvents how many events.
	HealthDays   = 7
	healthEvents = 5000
	failuresMost = 20
	// DeadMost is how many dead events are counted.
	DeadMost = 10_000
)

// Health is how attempts to deliver a merchant's latest events went.
type Health struct {
	Cashboxes []CashboxHealth
	// Failures are the last attempts that failed, the newest first.
	Failures []Failure
}

// CashboxHealth sums up the attempts of a cashbox.
type CashboxHealth struct {
	CashboxID int64
	// Attempts is how many there were, Taken how many of them were answered with 2xx.
	Attempts, Taken int32
	// Median is how long half of the answered ones took at most.
	Median time.Duration
}

// Failure is an attempt that was not answered with 2xx. Answer is what the answer began with,
// whatever its bytes are; without an answer, Error says why.
type Failure struct {
	EventID    uuid.UUID
	Type       string
	CashboxID  int64
	At         time.Time
	Duration   time.Duration
	StatusCode *int32
	Answer     []byte
	Error      *string
}

// Health sums up how a merchant's endpoints took its events of the last days.
func (s *Service) Health(ctx context.Context, who caller.Caller) (Health, error) {
	if err := who.Admit(ctx, caller.MerchantEvents); err != nil {
		return Health{}, err
	}
	since := s.clock.Now().AddDate(0, 0, -HealthDays)
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportHealthRow, error) {
		return q.ReportHealth(ctx, db.ReportHealthParams{MerchantID: who.MerchantID, Since: since, Most: healthEvents})
	})
	if err != nil {
		return Health{}, fmt.Errorf("sum up attempts: %w", err)
	}
	failed, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportFailuresRow, error) {
		return q.ReportFailures(ctx, db.ReportFailuresParams{
			MerchantID: who.MerchantID, Since: since, Most: healthEvents, Page: failuresMost,
		})
	})
	if err != nil {
		return Health{}, fmt.Errorf("list failed attempts: %w", err)
	}
	var h Health
	for _, row := range rows {
		h.Cashboxes = append(h.Cashboxes, CashboxHealth{
			CashboxID: row.CashboxID, Attempts: row.Attempts, Taken: row.Taken, Median: milliseconds(row.MedianMs),
		})
	}
	for _, row := range failed {
		h.Failures = append(h.Failures, Failure{
			EventID:    row.ID,
			Type:       row.Type,
			CashboxID:  row.CashboxID,
			At:         row.At,
			Duration:   milliseconds(row.DurationMs),
			StatusCode: row.StatusCode,
			Answer:     row.Answer,
			Error:      row.Error,
		})
	}
	return h, nil
}

func milliseconds(n int32) time.Duration { return time.Duration(n) * time.Millisecond }

// DeadEndpoint is an address with events that were given up.
type DeadEndpoint struct {
	URL    string
	Events int
}

// DeadAddress is an address of a merchant with events that were given up.
type DeadAddress struct {
	MerchantID int64
	Merchant   string
	DeadEndpoint
}

// DeadAddresses counts dead events by merchant and address for operators, as DeadEndpoints does for a
// merchant. MerchantID keeps to one; 0 is all.
func (s *Service) DeadAddresses(
	ctx context.Context, who caller.Caller, merchantID int64, from, to time.Time,
) ([]DeadAddress, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.ReportDeadEverywhereRow, error) {
		return q.ReportDeadEverywhere(ctx, db.ReportDeadEverywhereParams{
			MerchantID: optional.Of(merchantID), CreatedFrom: from, CreatedTo: endOr(to), Most: DeadMost,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count dead events: %w", err)
	}
	return db.Each(rows, func(row db.ReportDeadEverywhereRow) DeadAddress {
		return DeadAddress{row.MerchantID, row.Name, DeadEndpoint{URL: row.URL, Events: int(row.Events)}}
	}), nil
}

// failingMost is how many endpoints are listed that fail.
const failingMost = 100

// FailingEndpoint is an endpoint at which deliveries fail and are tried again.
type FailingEndpoint struct {
	MerchantID int64
	Merchant   string
	// Host and port, which is all of the address that failures have in common.
	Host string
	// Waiting is how many deliveries failed and wait, Attempts how often that one was tried which was tried most, and NextAt
	// when the next attempt is.
	Waiting  int64
	Attempts int
	NextAt   time.Time
}

// Failing lists the endpoints that fail now, for operators; those first for which most waits, at most 100.
func (s *Service) Failing(ctx context.Context, who caller.Caller) ([]FailingEndpoint, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.ReportFailingRow, error) {
		return q.ReportFailing(ctx, failingMost)
	})
	if err != nil {
		return nil, fmt.Errorf("list endpoints that fail: %w", err)
	}
	return db.Each(rows, func(row db.ReportFailingRow) FailingEndpoint {
		return FailingEndpoint{
			MerchantID: row.MerchantID, Merchant: row.Merchant, Host: row.Host, Waiting: row.Waiting,
			Attempts: int(row.Attempts), NextAt: row.NextAt,
		}
	}), nil
}

// DeadEndpoints counts a merchant's dead events by their address, the most first: those created from
// then on, and before then; zero leaves that end open. No more than DeadMost are counted.
func (s *Service) DeadEndpoints(ctx context.Context, who caller.Caller, from, to time.Time) ([]DeadEndpoint, error) {
	if err := who.Admit(ctx, caller.MerchantEvents); err != nil {
		return nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.ReportDeadEndpointsRow, error) {
		return q.ReportDeadEndpoints(ctx, db.ReportDeadEndpointsParams{
			MerchantID: who.MerchantID, CreatedFrom: from, CreatedTo: endOr(to), Most: DeadMost,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count dead events: %w", err)
	}
	return db.Each(rows, func(row db.ReportDeadEndpointsRow) DeadEndpoint {
		return DeadEndpoint{URL: row.URL, Events: int(row.Events)}
	}), nil
}

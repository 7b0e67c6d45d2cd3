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
	// HealthDays is how many days back the health of endpoints goes, and
	// healthEvents how many events at most.
	HealthDays   = 7
	healthEvents = 5000
	failuresMost = 20
	// DeadMost is the number at which counting dead events stops.
	DeadMost = 10_000
)

// Health sums up the attempts to deliver a merchant's latest events.
type Health struct {
	Cashboxes []CashboxHealth
	// Failures are the last attempts that failed, the newest first.
	Failures []Failure
}

type CashboxHealth struct {
	CashboxID int64
	// Attempts is how many there were, and Taken how many of them got an
	// answer with 2xx.
	Attempts, Taken int32
	// Median is the median duration of the attempts that got an answer.
	Median time.Duration
}

// Failure is an attempt that got no answer with 2xx. Answer is the beginning of
// the answer's body, as raw bytes. If there was no answer, Error says why.
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

// Health sums up how a merchant's endpoints accepted its events of the last
// days.
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

// DeadEndpoint is an address that has dead events.
type DeadEndpoint struct {
	URL    string
	Events int
}

// DeadAddress is an address of a merchant that has dead events.
type DeadAddress struct {
	MerchantID int64
	Merchant   string
	DeadEndpoint
}

// DeadAddresses counts dead events by merchant and address for operators, in
// the way of DeadEndpoints. A MerchantID of 0 means all merchants.
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

// failingMost is how many failing endpoints are listed.
const failingMost = 100

// FailingEndpoint is an endpoint at which deliveries fail and will be attempted
// again.
type FailingEndpoint struct {
	MerchantID int64
	Merchant   string
	// Host is the host and port, which is what failing deliveries have in
	// common.
	Host string
	// Waiting is how many failed deliveries wait for another attempt.
	// Attempts is the highest number of attempts among them, and NextAt is
	// when the next attempt is due.
	Waiting  int64
	Attempts int
	NextAt   time.Time
}

// Failing lists, for operators, the endpoints that fail now, at most
// failingMost. Those with the most waiting deliveries come first.
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

// DeadEndpoints counts a merchant's dead events by address, the highest count
// first. It counts events created at or after from and before to; a zero time
// leaves that end open. It counts at most DeadMost.
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

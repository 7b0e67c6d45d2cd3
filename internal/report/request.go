package report

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/requestlog"
)

// RequestFilter selects some of a merchant's requests. Statuses are classes:
// 2xx, 3xx, 4xx and 5xx. From and To limit when requests arrived. A search is
// for a request id; the rest of the filter does not apply to it.
type RequestFilter struct {
	Filter
	// Code is that of an error, and KeyID is an API key; "" is any.
	Code, KeyID string
}

// RequestItem is a request that used, or named, an API key of a merchant.
type RequestItem struct {
	ID int64
	At time.Time
	// Path is the pattern of a documented path, or a procedure of Connect.
	Method, Path string
	Status       int
	// Code is the error's code; "" if there was none.
	Code  string
	KeyID string
	// RequestID is the answer's X-Request-Id; "" if it looked like a
	// secret.
	RequestID string
	Took      time.Duration
}

// requestClasses are the first digits of statuses.
var requestClasses = map[string]int16{"2xx": 2, "3xx": 3, "4xx": 4, "5xx": 5}

// RequestClasses are the statuses by which requests can be filtered.
func RequestClasses() []string { return []string{"2xx", "3xx", "4xx", "5xx"} }

// Requests lists what a merchant's programs asked of the API in the last days,
// the newest first.
func (s *Service) Requests(ctx context.Context, who caller.Caller, f RequestFilter) (Page[RequestItem], error) {
	if err := who.Need(caller.MerchantEvents); err != nil {
		return Page[RequestItem]{}, err
	}
	found := fault.Decoded(ctx)
	found.MaxLength("code", f.Code, maxFilter)
	found.MaxLength("keyId", f.KeyID, maxSearch)
	w, err := f.check(fault.WithDecoded(ctx, found), RequestClasses())
	if err != nil {
		return Page[RequestItem]{}, err
	}
	f.Filter = scopeOf(who, f.Filter).Filter
	if f.Search != "" {
		return s.requestsNamed(ctx, f)
	}
	t := requestTable{RequestFilter: f}
	for _, class := range f.Status {
		t.classes = append(t.classes, requestClasses[class])
	}
	if t.came, w, err = s.boundRequests(ctx, f, w); err != nil {
		return Page[RequestItem]{}, err
	}
	page, err := read(ctx, s, t, []*string{nil}, w)
	return turned(page, requestItem), fault.Doing("list requests", err)
}

// requestsNamed finds a merchant's requests by their X-Request-Id, the newest
// first. The other filters do not count, and there is no next page.
func (s *Service) requestsNamed(ctx context.Context, f RequestFilter) (Page[RequestItem], error) {
	params := db.ReportRequestsNamedParams{MerchantID: f.MerchantID, RequestID: f.Search, Page: limitMost}
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportRequestsNamedRow, error) {
		return q.ReportRequestsNamed(ctx, params)
	})
	if err != nil {
		return Page[RequestItem]{}, fmt.Errorf("find requests: %w", err)
	}
	return Page[RequestItem]{Items: db.Each(rows, func(row db.ReportRequestsNamedRow) RequestItem {
		return requestItem(db.ReportRequestsRow(row))
	})}, nil
}

// writtenWithin is longer than requests wait to be written. So the order of ids
// differs from the order of time by at most this time.
const writtenWithin = 10 * time.Minute

// boundRequests finds the ids of the requests that arrived in the filter's
// period.
func (s *Service) boundRequests(ctx context.Context, f RequestFilter, w window) (created, window, error) {
	c := created{from: f.From, to: endOr(f.To)}
	if kept := s.clock.Now().Add(-requestlog.KeepFor); c.from.Before(kept) {
		c.from = kept
	}
	if f.From.IsZero() && f.To.IsZero() {
		return c, w, nil // older requests are removed anyway, except for a few
	}
	w, err := numbers{
		last: func() (int64, error) { return s.q.ReportRequestLast(ctx, f.MerchantID) },
		from: func(id int64) (mark, error) {
			row, err := s.q.ReportRequestAtOrAfter(ctx, db.ReportRequestAtOrAfterParams{MerchantID: f.MerchantID, ID: id})
			return mark{row.ID, row.At}, err
		},
	}.bound(w, c, f.Filter, writtenWithin)
	if err != nil {
		err = fmt.Errorf("bound requests: %w", err)
	}
	return c, w, err
}

type requestTable struct {
	RequestFilter
	came    created
	classes []int16
}

func (requestTable) id(row db.ReportRequestsRow) int64 { return row.ID }

func (t requestTable) list(
	ctx context.Context, q *db.Queries, _ *string, w window,
) ([]db.ReportRequestsRow, error) {
	return q.ReportRequests(ctx, db.ReportRequestsParams{
		MerchantID: t.MerchantID, Above: w.above, Below: w.below, Scan: scanMost, CameFrom: t.came.from,
		CameTo: t.came.to, Classes: t.classes, Code: optional.Of(t.Code), KeyID: optional.Of(t.KeyID), Page: int32(w.limit) + 1,
		Backward: w.backward,
	})
}

func (t requestTable) stop(ctx context.Context, q *db.Queries, _ *string, w window) (*mark, error) {
	row, err := q.ReportRequestsStop(ctx, db.ReportRequestsStopParams{
		MerchantID: t.MerchantID, Above: w.above, Below: w.below, Past: scanMost - 1, Backward: w.backward,
	})
	return stopped(row.ID, row.At, err)
}

func requestItem(row db.ReportRequestsRow) RequestItem {
	return RequestItem{
		ID: row.ID, At: row.At, Method: row.Method, Path: row.Path, Status: int(row.Status), Code: row.Code,
		KeyID: row.KeyID, RequestID: row.RequestID, Took: time.Duration(row.DurationUs) * time.Microsecond,
	}
}

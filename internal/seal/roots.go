package seal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// FormatRoots names the format of the published file of pages.
const FormatRoots = "gateway-ledger-roots-1"

const (
	monthForm = "2006-01"
	// newestPages is how many pages the file has if no month is asked for.
	newestPages = 31
	// Caches may keep the newest pages for minutes, and those of a past
	// month for a day.
	freshFor, pastFor = 5 * time.Minute, day
)

// Roots are published pages, by day.
type Roots struct {
	Format string `json:"format"`
	// Months are all months that have pages; it is set if no month was
	// asked for.
	Months []string `json:"months,omitempty"`
	Pages  []Page   `json:"pages"`
}

// Published returns the file of the newest pages, or of the pages of a month
// such as 2026-11, and how long caches may keep it.
func (s *Service) Published(ctx context.Context, month string) (file []byte, keep time.Duration, err error) {
	roots, keep := Roots{Format: FormatRoots, Pages: []Page{}}, freshFor
	var rows []db.LedgerPage
	if month == "" {
		rows, err = s.newest(ctx, &roots)
	} else {
		rows, keep, err = s.month(ctx, month)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, row := range rows {
		roots.Pages = append(roots.Pages, pageOf(row))
	}
	if file, err = json.Marshal(roots); err != nil {
		return nil, 0, fmt.Errorf("write the pages: %w", err)
	}
	return append(file, '\n'), keep, nil
}

// newest reads the newest pages, and sets the months that have any. Without
// pages it returns nothing.
func (s *Service) newest(ctx context.Context, roots *Roots) ([]db.LedgerPage, error) {
	last, err := s.q.LedgerPageLast(ctx)
	if db.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the last page: %w", err)
	}
	if roots.Months, err = s.q.LedgerPageMonths(ctx); err != nil {
		return nil, fmt.Errorf("read the months: %w", err)
	}
	return s.between(ctx, last.Day.AddDate(0, 0, 1-newestPages), last.Day.AddDate(0, 0, 1))
}

// month reads the pages of a month, and how long caches may keep them: longer
// once its last day is sealed, because then nothing is added. What is not
// written as a month is not found.
func (s *Service) month(ctx context.Context, month string) ([]db.LedgerPage, time.Duration, error) {
	first, err := time.Parse(monthForm, month)
	if err != nil || first.Format(monthForm) != month {
		return nil, 0, fault.ErrNotFound
	}
	next := first.AddDate(0, 1, 0)
	rows, err := s.between(ctx, first, next)
	keep := freshFor
	if len(rows) > 0 && rows[len(rows)-1].Day.AddDate(0, 0, 1).Equal(next) {
		keep = pastFor
	}
	return rows, keep, err
}

func (s *Service) between(ctx context.Context, from, until time.Time) ([]db.LedgerPage, error) {
	rows, err := s.q.LedgerPageBetween(ctx, db.LedgerPageBetweenParams{FromDay: from, UntilDay: until})
	return rows, fault.Doing("read pages", err)
}

// ParseRoots reads a published file.
func ParseRoots(file []byte) (Roots, error) {
	var roots Roots
	if err := json.Unmarshal(file, &roots); err != nil {
		return roots, fmt.Errorf("read the published pages: %w", err)
	}
	if roots.Format != FormatRoots {
		return roots, fmt.Errorf("the published pages are not of the format %s", FormatRoots)
	}
	return roots, nil
}

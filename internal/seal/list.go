package seal

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// State is the result of verifying a page.
type State string

// The states of pages. They do not say whether the ledger still has the
// transfers of a page: the audit verifies that.
const (
	// Valid: what was signed is what is stored, and the page follows the
	// one before.
	Valid State = "valid"
	// Changed: the page or its totals are not what was hashed.
	Changed State = "changed"
	// Unchained: the page does not follow the one of the day before.
	Unchained State = "unchained"
	// Unsigned: the signature was not made with any of the gateway's keys.
	Unsigned State = "unsigned"
)

type SealedDay struct {
	Page
	// At is when it was sealed.
	At time.Time
	// Sums are the totals whose hash is in the page.
	Sums  Totals
	State State
	// AuditedAt is when the last audit that read the day's transfers began,
	// or nil. Violations is how many violations of any rule it found.
	AuditedAt  *time.Time
	Violations int64
}

// Paging asks for a page of the list of days, newest first. Its cursor is a
// day.
type Paging = db.Page

// Days lists sealed days for operators, the newest first. The cursor is nil on
// the last page.
func (s *Service) Days(ctx context.Context, who caller.Caller, p Paging) ([]SealedDay, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	limit, before, err := bounds(p, fault.Decoded(ctx))
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.q.LedgerPageList(ctx, db.LedgerPageListParams{Before: before, Page: limit + 1})
	if err != nil {
		return nil, nil, fmt.Errorf("read pages: %w", err)
	}
	keys, err := s.keys(ctx)
	if err != nil {
		return nil, nil, err
	}
	audits, err := s.q.LedgerAudits(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read audits: %w", err)
	}
	days := make([]SealedDay, 0, len(rows))
	for i, row := range rows[:min(len(rows), int(limit))] {
		d, err := s.sealedDay(ctx, row, rows[i+1:], keys)
		if err != nil {
			return nil, nil, err
		}
		d.audited(audits, p.Cursor == nil && i == 0)
		days = append(days, d)
	}
	if len(rows) <= int(limit) {
		return days, nil, nil
	}
	return days, &days[limit-1].Day, nil
}

func bounds(p Paging, f fault.Fields) (limit int32, before time.Time, err error) {
	limit, before = p.Size(f), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if p.Cursor != nil {
		before, err = time.Parse(time.DateOnly, *p.Cursor)
		f.Check(err == nil, "cursor", "is not a cursor of ours")
	}
	return limit, before, f.Err()
}

// sealedDay verifies a page; older are the pages that follow it in the list.
func (s *Service) sealedDay(
	ctx context.Context, row db.LedgerPage, older []db.LedgerPage, keys attest.Keys,
) (d SealedDay, err error) {
	d.Page, d.At = pageOf(row), row.SealedAt
	if d.Sums, err = totalsOf(row.Totals); err != nil {
		return d, err
	}
	decided, err := s.q.LedgerSealGet(ctx, row.Day)
	if err != nil {
		return d, fmt.Errorf("read what a page is made of: %w", err)
	}
	signed, _ := keys.Signed(d.Kid, d.signed(), d.Signature)
	switch {
	case Hash(sha256.Sum256(d.signed())) != d.Hash || d.Sums.hash(decided.Salt) != d.Totals:
		d.State = Changed
	case len(older) > 0 && !follows(pageOf(older[0]), d.Page):
		d.State = Unchained
	case !signed:
		d.State = Unsigned
	default:
		d.State = Valid
	}
	return d, nil
}

// follows reports whether a page is that of the next day and is chained to the
// page before.
func follows(before, page Page) bool {
	return before.after() == page.Day && page.Previous == before.Hash
}

// audited sets the last audit that read the day's transfers: a full audit reads
// all days, and any other only the last day.
func (d *SealedDay) audited(audits []db.LedgerAuditsRow, last bool) {
	for _, a := range audits {
		reads := a.Scope == "full" || last
		if reads && a.ProvenAt.After(d.At) && (d.AuditedAt == nil || a.ProvenAt.After(*d.AuditedAt)) {
			d.AuditedAt, d.Violations = &a.ProvenAt, a.Violations
		}
	}
}

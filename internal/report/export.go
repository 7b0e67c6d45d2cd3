package report

import (
	"context"
	"io"
	"time"

	"gateway.example/internal/caller"
)

// ExportPayments writes the payments of a filter as CSV, the newest first, whatever its paging says.
// Times are in the zone. The last line says how many rows there are: without it the file is not
// whole.
func (s *Service) ExportPayments(
	ctx context.Context, who caller.Caller, f PaymentFilter, w io.Writer, zone *time.Location,
) error {
	return errUnfinished
}

// ExportPayouts writes the payouts of a filter as ExportPayments does payments.
func (s *Service) ExportPayouts(
	ctx context.Context, who caller.Caller, f PayoutFilter, w io.Writer, zone *time.Location,
) error {
	return errUnfinished
}

// ExportStatement writes a statement as ExportPayments does payments, the oldest line first.
func (s *Service) ExportStatement(
	ctx context.Context, who caller.Caller, f StatementFilter, w io.Writer, zone *time.Location,
) error {
	return errUnfinished
}

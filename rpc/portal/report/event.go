package report

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListEvents(
	ctx context.Context, m *portalv1.ReportServiceListEventsRequest,
) (*portalv1.ListReportEventsResponse, error) {
	filter := report.EventFilter{Type: m.GetType(), Filter: report.Filter{
		Paging: paging(m),
		Status: m.GetStatus(), Search: m.GetSearch(),
		From: rpc.Moment(m.GetFrom()), To: rpc.Moment(m.GetTo()),
	}}
	page, err := s.Reports.Events(ctx, caller.From(ctx), filter)
	out := &portalv1.ListReportEventsResponse{
		NextCursor: page.Next, PreviousCursor: page.Previous, SearchedBackTo: rpc.OptionalTime(page.SearchedBackTo),
	}
	for _, e := range page.Items {
		out.Data = append(out.Data, &portalv1.ReportEvent{
			EventId: e.ID.String(), Number: optional.Of(e.Number), Type: e.Type, Subject: e.Subject,
			SubjectId: e.SubjectID, Sequence: e.Sequence, Url: e.URL, CreatedAt: rpc.Timestamp(e.CreatedAt),
			Status: e.Status, Attempts: e.Attempts, LastStatusCode: e.LastCode,
		})
	}
	return out, err
}

package report

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListEvents implements the service.
func (s *Service) ListEvents(
	ctx context.Context, req *connect.Request[portalv1.ReportServiceListEventsRequest],
) (*connect.Response[portalv1.ListReportEventsResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	filter := report.EventFilter{Type: m.GetType(), Filter: report.Filter{
		Paging: report.Paging{Cursor: m.GetCursor(), Backward: m.GetBackward(), Limit: int(m.GetLimit())},
		Status: m.GetStatus(), Search: m.GetSearch(),
		From: rpc.Moment(found, "from", m.GetFrom()), To: rpc.Moment(found, "to", m.GetTo()),
	}}
	page, err := s.Reports.Events(fault.WithDecoded(ctx, found), caller.From(ctx), filter)
	if err != nil {
		return nil, err
	}
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
	return connect.NewResponse(out), nil
}

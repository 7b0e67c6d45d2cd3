package report

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type RequestLogService struct{ Reports *report.Service }

func (s *RequestLogService) ListRequests(
	ctx context.Context, m *portalv1.ListRequestsRequest,
) (*portalv1.ListRequestsResponse, error) {
	filter := report.RequestFilter{Code: m.GetCode(), KeyID: m.GetKeyId(), Filter: report.Filter{
		Paging: paging(m),
		Status: m.GetStatus(),
		From:   rpc.Moment(m.GetFrom()),
		To:     rpc.Moment(m.GetTo()),
		Search: m.GetRequestId(),
	}}
	page, err := s.Reports.Requests(ctx, caller.From(ctx), filter)
	out := &portalv1.ListRequestsResponse{
		NextCursor: page.Next, PreviousCursor: page.Previous, SearchedBackTo: rpc.OptionalTime(page.SearchedBackTo),
	}
	for _, r := range page.Items {
		out.Data = append(out.Data, &portalv1.LoggedRequest{
			Id: r.ID, At: timestamppb.New(r.At), Method: r.Method, Path: r.Path, Status: int32(r.Status), Code: r.Code,
			KeyId: r.KeyID, RequestId: r.RequestID, DurationMicroseconds: r.Took.Microseconds(),
		})
	}
	return out, err
}

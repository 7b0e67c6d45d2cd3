package report

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// RequestLogService serves portal.v1.RequestLogService.
type RequestLogService struct{ reports *report.Service }

var _ portalv1connect.RequestLogServiceHandler = (*RequestLogService)(nil)

// NewRequestLogService makes the handler.
func NewRequestLogService(reports *report.Service) *RequestLogService {
	return &RequestLogService{reports}
}

// ListRequests implements the service.
func (s *RequestLogService) ListRequests(
	ctx context.Context, req *connect.Request[portalv1.ListRequestsRequest],
) (*connect.Response[portalv1.ListRequestsResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	filter := report.RequestFilter{Code: m.GetCode(), KeyID: m.GetKeyId(), Filter: report.Filter{
		Paging: report.Paging{Cursor: m.GetCursor(), Backward: m.GetBackward(), Limit: int(m.GetLimit())},
		Status: m.GetStatus(),
		From:   rpc.Moment(found, "from", m.GetFrom()),
		To:     rpc.Moment(found, "to", m.GetTo()),
		Search: m.GetRequestId(),
	}}
	page, err := s.reports.Requests(fault.WithDecoded(ctx, found), caller.From(ctx), filter)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListRequestsResponse{
		NextCursor: page.Next, PreviousCursor: page.Previous, SearchedBackTo: rpc.OptionalTime(page.SearchedBackTo),
	}
	for _, r := range page.Items {
		out.Data = append(out.Data, &portalv1.LoggedRequest{
			Id: r.ID, At: timestamppb.New(r.At), Method: r.Method, Path: r.Path, Status: int32(r.Status), Code: r.Code,
			KeyId: r.KeyID, RequestId: r.RequestID, DurationMicroseconds: r.Took.Microseconds(),
		})
	}
	return connect.NewResponse(out), nil
}

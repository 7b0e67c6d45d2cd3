package rpc

import (
	"context"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// A binary message may hold what is no time, and text that cannot be stored:
// the service is told of both, at any depth.
func TestFlawsReachTheService(t *testing.T) {
	t.Parallel()
	var found fault.Fields
	answer := Services{}.answer(func(ctx context.Context, _ connect.AnyRequest) (connect.AnyResponse, error) {
		found = fault.Decoded(ctx)
		return connect.NewResponse(&portalv1.ListReportPaymentsResponse{}), nil
	})
	testenv.Must(answer(t.Context(), connect.NewRequest(&portalv1.ReportServiceListPaymentsRequest{
		Filter: &portalv1.ReportFilter{
			Search: "\x01", From: &timestamppb.Timestamp{Nanos: -1}, To: &timestamppb.Timestamp{Seconds: 1},
		},
	})))(t)
	testenv.Want(t, len(found), 2, "fields")
	testenv.Check(t, found.Wrong("filter.search") && found.Wrong("filter.from"), "%v", found)
}

package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/sensitive"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListSensitiveReads implements the service.
func (s *Service) ListSensitiveReads(
	ctx context.Context, req *connect.Request[portalv1.ListSensitiveReadsRequest],
) (*connect.Response[portalv1.ListSensitiveReadsResponse], error) {
	filter := sensitive.Filter{Subject: req.Msg.Subject, SubjectKey: req.Msg.SubjectKey, UserID: req.Msg.UserId}
	filter.Limit, filter.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.Reads.List(ctx, caller.From(ctx), filter)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListSensitiveReadsResponse{
		Data: rpc.Views(list, sensitiveRead), NextCursor: next,
	}), nil
}

func sensitiveRead(r sensitive.Read) *portalv1.SensitiveRead {
	return &portalv1.SensitiveRead{
		Id: r.ID, At: rpc.Timestamp(r.At), UserId: r.UserID, Login: r.Login, Subject: r.Subject, SubjectKey: r.SubjectKey,
		What: r.What, RequestId: r.RequestID,
	}
}

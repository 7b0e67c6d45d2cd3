package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/sensitive"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListSensitiveReads(
	ctx context.Context, req *portalv1.ListSensitiveReadsRequest,
) (*portalv1.ListSensitiveReadsResponse, error) {
	filter := sensitive.Filter{Subject: req.Subject, SubjectKey: req.SubjectKey, UserID: req.UserId}
	filter.Limit, filter.Cursor = req.Limit, req.Cursor
	list, next, err := s.Reads.List(ctx, caller.From(ctx), filter)
	return &portalv1.ListSensitiveReadsResponse{Data: rpc.Views(list, sensitiveRead), NextCursor: next}, err
}

func sensitiveRead(r sensitive.Read) *portalv1.SensitiveRead {
	return &portalv1.SensitiveRead{
		Id: r.ID, At: rpc.Timestamp(r.At), UserId: r.UserID, Login: r.Login, Subject: r.Subject, SubjectKey: r.SubjectKey,
		What: r.What, RequestId: r.RequestID,
	}
}

package operator

import (
	"context"

	"connectrpc.com/connect"
	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/work"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListWork implements the service.
func (s *Service) ListWork(
	ctx context.Context, _ *connect.Request[portalv1.ListWorkRequest],
) (*connect.Response[portalv1.ListWorkResponse], error) {
	queues, err := s.Work.Queues(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListWorkResponse{}
	for _, queue := range queues {
		one := &portalv1.WorkQueue{Kind: string(queue.Kind), More: queue.More}
		for _, item := range queue.Items {
			one.Items = append(one.Items, workItem(item))
		}
		out.Queues = append(out.Queues, one)
	}
	return connect.NewResponse(out), nil
}

func workItem(item work.Item) *portalv1.WorkItem {
	out := &portalv1.WorkItem{
		SubjectId: item.SubjectID, PaymentId: optional.Of(item.PaymentID), Name: optional.Of(item.Name),
		Since: rpc.OptionalTime(item.Since), Currency: optional.Of(item.Currency), Count: optional.Of(int32(item.Count)),
		Claim: workClaim(item.Claim),
	}
	if item.UUID != uuid.Nil {
		out.Uuid = optional.Of(item.UUID.String())
	}
	if item.Amount != nil {
		amount := money.USDT(*item.Amount)
		if item.Currency != "USDT" {
			amount = item.Amount.StringFixed(2)
		}
		out.Amount = &amount
	}
	return out
}

func workClaim(claim *work.Claim) *portalv1.WorkClaim {
	if claim == nil {
		return nil
	}
	return &portalv1.WorkClaim{
		UserId: claim.UserID, Login: claim.Login, Since: rpc.Timestamp(claim.Since), Mine: claim.Mine, Stale: claim.Stale,
	}
}

// TakeWork implements the service.
func (s *Service) TakeWork(
	ctx context.Context, req *connect.Request[portalv1.TakeWorkRequest],
) (*connect.Response[portalv1.TakeWorkResponse], error) {
	who, kind, id := caller.From(ctx), work.Kind(req.Msg.GetKind()), req.Msg.GetSubjectId()
	if err := s.Work.Take(ctx, who, kind, id, req.Msg.GetOver()); err != nil {
		return nil, err
	}
	claim, err := s.Work.Taken(ctx, who, kind, id)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.TakeWorkResponse{Claim: workClaim(claim)}), nil
}

// ReleaseWork implements the service.
func (s *Service) ReleaseWork(
	ctx context.Context, req *connect.Request[portalv1.ReleaseWorkRequest],
) (*connect.Response[portalv1.ReleaseWorkResponse], error) {
	err := s.Work.Release(ctx, caller.From(ctx), work.Kind(req.Msg.GetKind()), req.Msg.GetSubjectId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ReleaseWorkResponse{}), nil
}

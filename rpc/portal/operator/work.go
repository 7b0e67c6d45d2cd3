package operator

import (
	"context"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/work"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListWork(ctx context.Context, _ *portalv1.ListWorkRequest) (*portalv1.ListWorkResponse, error) {
	queues, err := s.Work.Queues(ctx, caller.From(ctx))
	out := &portalv1.ListWorkResponse{}
	for _, queue := range queues {
		out.Queues = append(out.Queues, &portalv1.WorkQueue{
			Kind: string(queue.Kind), More: queue.More, Items: rpc.Views(queue.Items, workItem),
		})
	}
	return out, err
}

// workItem writes an amount in USDT or in the item's own currency, each with
// its own decimals. What this kind of item does not have is missing, and not 0.
func workItem(item work.Item) *portalv1.WorkItem {
	out := &portalv1.WorkItem{
		SubjectId: item.SubjectID, PaymentId: optional.Of(item.PaymentID), Name: optional.Of(item.Name),
		Since: rpc.OptionalTime(item.Since), Currency: optional.Of(item.Currency), Count: optional.Of(int32(item.Count)),
		Claim: rpc.Maybe(item.Claim, workClaim),
	}
	if item.UUID != uuid.Nil {
		out.Uuid = optional.Of(item.UUID.String())
	}
	out.Amount = rpc.Number(item.Amount, money.Fiat)
	if item.Currency == "USDT" {
		out.Amount = rpc.Number(item.Amount, money.USDT)
	}
	return out
}

func workClaim(claim work.Claim) *portalv1.WorkClaim {
	return &portalv1.WorkClaim{
		UserId: claim.UserID, Login: claim.Login, Since: rpc.Timestamp(claim.Since), Mine: claim.Mine, Stale: claim.Stale,
	}
}

func (s *service) TakeWork(ctx context.Context, req *portalv1.TakeWorkRequest) (*portalv1.TakeWorkResponse, error) {
	who, kind, id := caller.From(ctx), work.Kind(req.GetKind()), req.GetSubjectId()
	if err := s.Work.Take(ctx, who, kind, id, req.GetOver()); err != nil {
		return nil, err
	}
	claim, err := s.Work.Taken(ctx, who, kind, id)
	return &portalv1.TakeWorkResponse{Claim: rpc.Maybe(claim, workClaim)}, err
}

func (s *service) ReleaseWork(
	ctx context.Context, req *portalv1.ReleaseWorkRequest,
) (*portalv1.ReleaseWorkResponse, error) {
	return &portalv1.ReleaseWorkResponse{}, s.Work.Release(ctx, caller.From(ctx), work.Kind(req.GetKind()), req.GetSubjectId())
}

package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *TraderService) ProposeRequisite(
	ctx context.Context, req *portalv1.ProposeRequisiteRequest,
) (*portalv1.ProposeRequisiteResponse, error) {
	p, err := s.Proposals.ProposeRequisite(ctx, caller.From(ctx), directory.NewRequisite{
		Currency: req.GetCurrency(), Method: req.GetMethod(), Value: req.GetValue(),
		Holder: req.Holder, Bank: req.Bank,
	})
	return &portalv1.ProposeRequisiteResponse{Data: proposedRequisite(p)}, err
}

func (s *TraderService) ListProposedRequisites(
	ctx context.Context, _ *portalv1.ListProposedRequisitesRequest,
) (*portalv1.ListProposedRequisitesResponse, error) {
	list, err := s.Proposals.Requisites(ctx, caller.From(ctx))
	return &portalv1.ListProposedRequisitesResponse{Data: rpc.Views(list, proposedRequisite)}, err
}

func proposedRequisite(p proposal.Proposal) *portalv1.ProposedRequisite {
	n, _ := p.Params.(directory.NewRequisite)
	return &portalv1.ProposedRequisite{
		Id: p.ID, Currency: n.Currency, Method: n.Method, Masked: n.Value, Holder: n.Holder, Bank: n.Bank,
		State: string(p.State), CreatedAt: rpc.Timestamp(p.CreatedAt), ExpiresAt: rpc.Timestamp(p.ExpiresAt),
		DecidedAt: rpc.OptionalTime(p.DecidedAt), Reason: optional.Of(p.DecisionReason),
	}
}

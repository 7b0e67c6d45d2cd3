package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ProposeRequisite implements the service.
func (s *TraderService) ProposeRequisite(
	ctx context.Context, req *connect.Request[portalv1.ProposeRequisiteRequest],
) (*connect.Response[portalv1.ProposeRequisiteResponse], error) {
	p, err := s.proposals.ProposeRequisite(ctx, caller.From(ctx), directory.NewRequisite{
		Currency: req.Msg.GetCurrency(), Method: req.Msg.GetMethod(), Value: req.Msg.GetValue(),
		Holder: req.Msg.Holder, Bank: req.Msg.Bank,
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ProposeRequisiteResponse{Data: proposedRequisite(p)}), nil
}

// ListProposedRequisites implements the service.
func (s *TraderService) ListProposedRequisites(
	ctx context.Context, _ *connect.Request[portalv1.ListProposedRequisitesRequest],
) (*connect.Response[portalv1.ListProposedRequisitesResponse], error) {
	list, err := s.proposals.Requisites(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListProposedRequisitesResponse{}
	for _, p := range list {
		out.Data = append(out.Data, proposedRequisite(p))
	}
	return connect.NewResponse(out), nil
}

func proposedRequisite(p proposal.Proposal) *portalv1.ProposedRequisite {
	n, _ := p.Params.(directory.NewRequisite)
	return &portalv1.ProposedRequisite{
		Id: p.ID, Currency: n.Currency, Method: n.Method, Masked: n.Value, Holder: n.Holder, Bank: n.Bank,
		State: string(p.State), CreatedAt: rpc.Timestamp(p.CreatedAt), ExpiresAt: rpc.Timestamp(p.ExpiresAt),
		DecidedAt: rpc.OptionalTime(p.DecidedAt), Reason: optional.Of(p.DecisionReason),
	}
}

package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

// proposed answers with a change of a setting, or with the proposal that was made instead.
func proposed(done proposal.Done, err error) (*connect.Response[portalv1.SettingResponse], error) {
	if err != nil {
		return nil, err
	}
	if done.Proposal != nil {
		return connect.NewResponse(&portalv1.SettingResponse{Proposal: proposalView(*done.Proposal)}), nil
	}
	return portal.SettingResponse(*done.Change)
}

// CorrectBalance implements the service.
func (s *Service) CorrectBalance(
	ctx context.Context, req *connect.Request[portalv1.CorrectBalanceRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	found := fault.Decoded(ctx)
	p := proposal.Payload{
		From: accountID(found, "from", req.Msg.GetFrom()), To: accountID(found, "to", req.Msg.GetTo()),
		Amount: req.Msg.GetAmount(), Reference: req.Msg.GetReference(), Reason: req.Msg.GetReason(),
	}
	return proposed(s.Proposals.Do(fault.WithDecoded(ctx, found), caller.From(ctx), proposal.Correct, p, req.Msg.GetReason()))
}

// accountID is the available account of an owner; nil without one.
func accountID(found fault.Fields, field string, m *portalv1.CorrectionAccount) *int64 {
	if m == nil {
		return nil
	}
	owner, known := ledger.OwnerNamed(m.GetOwner())
	found.Check(known || found.Wrong(field+".owner"), field+".owner", "must be external, platform, cashbox or trader")
	id := ledger.Available(owner, m.GetOwnerId()).ID()
	return &id
}

// ListProposals implements the service.
func (s *Service) ListProposals(
	ctx context.Context, req *connect.Request[portalv1.ListProposalsRequest],
) (*connect.Response[portalv1.ListProposalsResponse], error) {
	page := proposal.Page{All: req.Msg.GetAll()}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Proposals.List(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	others, err := s.Proposals.Others(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListProposalsResponse{NextCursor: cursor, Others: others}
	for _, p := range list {
		out.Data = append(out.Data, proposalView(p))
	}
	return connect.NewResponse(out), nil
}

// ApproveProposal implements the service.
func (s *Service) ApproveProposal(
	ctx context.Context, req *connect.Request[portalv1.ApproveProposalRequest],
) (*connect.Response[portalv1.ProposalResponse], error) {
	p, done, err := s.Proposals.Approve(ctx, caller.From(ctx), req.Msg.GetProposalId())
	res, err := proposalResponse(p, err)
	if err == nil {
		res.Msg.InvitationLink = optional.Of(done.Link)
	}
	return res, err
}

// RefuseProposal implements the service.
func (s *Service) RefuseProposal(
	ctx context.Context, req *connect.Request[portalv1.RefuseProposalRequest],
) (*connect.Response[portalv1.ProposalResponse], error) {
	return proposalResponse(
		s.Proposals.Refuse(ctx, caller.From(ctx), req.Msg.GetProposalId(), req.Msg.GetReason()))
}

func proposalResponse(p proposal.Proposal, err error) (*connect.Response[portalv1.ProposalResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ProposalResponse{Data: proposalView(p)}), nil
}

func proposalView(p proposal.Proposal) *portalv1.Proposal {
	return &portalv1.Proposal{
		ProposalId:     p.ID,
		Action:         string(p.Action),
		Payload:        payloadView(p.Payload),
		Subject:        p.Subject,
		SubjectKey:     p.SubjectKey,
		Reason:         p.Why,
		ProposedBy:     p.Proposer,
		CreatedAt:      rpc.Timestamp(p.CreatedAt),
		ExpiresAt:      rpc.Timestamp(p.ExpiresAt),
		State:          string(p.State),
		DecidedBy:      optional.Of(p.Decider),
		DecidedAt:      rpc.OptionalTime(p.DecidedAt),
		DecisionReason: optional.Of(p.DecisionReason),
		Details:        proposalDetails(p),
	}
}

// proposalDetails are the fields of a proposed action.
func proposalDetails(p proposal.Proposal) []*portalv1.ProposalDetail {
	var list []*portalv1.ProposalDetail
	for _, d := range p.Details() {
		list = append(list, &portalv1.ProposalDetail{Name: d.Name, Value: d.Value})
	}
	return list
}

func payloadView(p proposal.Payload) *portalv1.ProposalPayload {
	return &portalv1.ProposalPayload{
		TraderId: optional.Of(p.TraderID), MerchantCashboxId: optional.Of(p.CashboxID), DepositId: optional.Of(p.DepositID),
		From: correctionAccount(p.From), To: correctionAccount(p.To), Amount: optional.Of(p.Amount),
		Reference: optional.Of(p.Reference), Reason: optional.Of(p.Reason), Currency: optional.Of(p.Currency),
		FiatPerUsdt: optional.Of(p.FiatPerUSDT), ValidSeconds: p.ValidSeconds,
	}
}

func correctionAccount(id *int64) *portalv1.CorrectionAccount {
	if id == nil {
		return nil
	}
	a := ledger.AccountOf(*id)
	return &portalv1.CorrectionAccount{Owner: a.Owner.String(), OwnerId: a.OwnerID}
}

// ListWaitingSettlements implements the service.
func (s *Service) ListWaitingSettlements(
	ctx context.Context, _ *connect.Request[portalv1.ListWaitingSettlementsRequest],
) (*connect.Response[portalv1.ListWaitingSettlementsResponse], error) {
	list, more, err := s.Sums.Waiting(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListWaitingSettlementsResponse{More: more}
	for _, w := range list {
		out.Data = append(out.Data, &portalv1.WaitingSettlement{
			PaymentId: w.PaymentID, Method: w.Method, Currency: w.Currency, Amount: money.Fiat(w.Amount),
			Since: rpc.Timestamp(w.Since),
		})
	}
	return connect.NewResponse(out), nil
}

// GetRateDay implements the service.
func (s *Service) GetRateDay(
	ctx context.Context, _ *connect.Request[portalv1.GetRateDayRequest],
) (*connect.Response[portalv1.GetRateDayResponse], error) {
	who := caller.From(ctx)
	observed, err := s.Rates.Day(ctx, who)
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetRateDayResponse{}
	for _, o := range observed {
		out.Data = append(out.Data, &portalv1.RateObservation{
			FeedId: o.FeedID, Currency: o.Currency, Minute: rpc.Timestamp(o.Minute), FiatPerUsdt: money.Rate(o.FiatPerUSDT),
		})
	}
	bands, err := s.Rates.Bands(ctx, who)
	if err != nil {
		return nil, err
	}
	for _, b := range bands {
		view := &portalv1.RateBand{Currency: b.Currency, Percent: money.Plain(b.Percent)}
		if b.Now.IsPositive() {
			view.Now = optional.Of(money.Rate(b.Now))
		}
		if b.Anchor.IsPositive() {
			view.Anchor = optional.Of(money.Rate(b.Anchor))
		}
		out.Bands = append(out.Bands, view)
	}
	return connect.NewResponse(out), nil
}

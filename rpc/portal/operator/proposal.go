package operator

import (
	"context"

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

// proposed answers with a change of a setting, or with the proposal that was
// made instead.
func proposed(done proposal.Done, err error) (*portalv1.SettingResponse, error) {
	if err != nil {
		return nil, err
	}
	if done.Proposal != nil {
		return &portalv1.SettingResponse{Proposal: proposalView(*done.Proposal)}, nil
	}
	return portal.SettingResponse(*done.Change, nil)
}

func (s *service) CorrectBalance(
	ctx context.Context, req *portalv1.CorrectBalanceRequest,
) (*portalv1.SettingResponse, error) {
	found := fault.Decoded(ctx)
	p := proposal.Payload{
		From: accountID(found, "from", req.GetFrom()), To: accountID(found, "to", req.GetTo()),
		Amount: req.GetAmount(), Reference: req.GetReference(), Reason: req.GetReason(),
	}
	return proposed(s.Proposals.Do(fault.WithDecoded(ctx, found), caller.From(ctx), proposal.Correct, p, req.GetReason()))
}

// accountID is the available account of an owner; nil without one.
func accountID(found fault.Fields, field string, m *portalv1.CorrectionAccount) *int64 {
	if m == nil {
		return nil
	}
	owner, known := ledger.OwnerNamed(m.GetOwner())
	found.Check(known || found.Wrong(field+".owner"), field+".owner", "must be external, platform, cashbox or trader")
	return new(ledger.Available(owner, m.GetOwnerId()).ID())
}

func (s *service) ListProposals(
	ctx context.Context, req *portalv1.ListProposalsRequest,
) (*portalv1.ListProposalsResponse, error) {
	page := proposal.Page{All: req.GetAll()}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Proposals.List(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	others, err := s.Proposals.Others(ctx, caller.From(ctx))
	return &portalv1.ListProposalsResponse{Data: rpc.Views(list, proposalView), NextCursor: cursor, Others: others}, err
}

func (s *service) ApproveProposal(
	ctx context.Context, req *portalv1.ApproveProposalRequest,
) (*portalv1.ProposalResponse, error) {
	p, done, err := s.Proposals.Approve(ctx, caller.From(ctx), req.GetProposalId())
	return &portalv1.ProposalResponse{Data: proposalView(p), InvitationCode: optional.Of(done.Code)}, err
}

func (s *service) RefuseProposal(
	ctx context.Context, req *portalv1.RefuseProposalRequest,
) (*portalv1.ProposalResponse, error) {
	p, err := s.Proposals.Refuse(ctx, caller.From(ctx), req.GetProposalId(), req.GetReason())
	return &portalv1.ProposalResponse{Data: proposalView(p)}, err
}

func (s *service) RevealProposal(
	ctx context.Context, req *portalv1.RevealProposalRequest,
) (*portalv1.RevealProposalResponse, error) {
	value, err := s.Proposals.RequisiteValue(ctx, caller.From(ctx), req.GetProposalId())
	return &portalv1.RevealProposalResponse{Value: value}, err
}

// proposalView is a proposal, open or ended. Details are the fields that its
// action sets, without secrets; who decided it, and why, is missing while it is
// open.
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
		Details:        rpc.Views(p.Details(), proposalDetail),
	}
}

func proposalDetail(d proposal.Detail) *portalv1.ProposalDetail {
	return &portalv1.ProposalDetail{Name: d.Name, Value: d.Value}
}

func payloadView(p proposal.Payload) *portalv1.ProposalPayload {
	return &portalv1.ProposalPayload{
		TraderId: optional.Of(p.TraderID), MerchantCashboxId: optional.Of(p.CashboxID), DepositId: optional.Of(p.DepositID),
		From: rpc.Maybe(p.From, correctionAccount), To: rpc.Maybe(p.To, correctionAccount), Amount: optional.Of(p.Amount),
		Reference: optional.Of(p.Reference), Reason: optional.Of(p.Reason), Currency: optional.Of(p.Currency),
		FiatPerUsdt: optional.Of(p.FiatPerUSDT), ValidSeconds: p.ValidSeconds,
	}
}

func correctionAccount(id int64) *portalv1.CorrectionAccount {
	a := ledger.AccountOf(id)
	return &portalv1.CorrectionAccount{Owner: a.Owner.String(), OwnerId: a.OwnerID}
}

func (s *service) ListWaitingSettlements(
	ctx context.Context, _ *portalv1.ListWaitingSettlementsRequest,
) (*portalv1.ListWaitingSettlementsResponse, error) {
	list, more, err := s.Sums.Waiting(ctx, caller.From(ctx))
	out := &portalv1.ListWaitingSettlementsResponse{More: more}
	for _, w := range list {
		out.Data = append(out.Data, &portalv1.WaitingSettlement{
			PaymentId: w.PaymentID, Method: w.Method, Currency: w.Currency, Amount: money.Fiat(w.Amount),
			Since: rpc.Timestamp(w.Since),
		})
	}
	return out, err
}

func (s *service) GetRateDay(ctx context.Context, _ *portalv1.GetRateDayRequest) (*portalv1.GetRateDayResponse, error) {
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
	return out, nil
}

package report

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/seal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// ProofService serves portal.v1.ProofService.
type ProofService struct{ proofs *seal.Service }

var _ portalv1connect.ProofServiceHandler = (*ProofService)(nil)

// NewProofService makes the handler.
func NewProofService(proofs *seal.Service) *ProofService { return &ProofService{proofs} }

// GetPaymentProof implements the service.
func (s *ProofService) GetPaymentProof(
	ctx context.Context, req *connect.Request[portalv1.GetPaymentProofRequest],
) (*connect.Response[portalv1.ProofResponse], error) {
	return proofResponse(s.proofs.Payment(ctx, caller.From(ctx), req.Msg.GetPaymentId()))
}

// GetPayinProof implements the service.
func (s *ProofService) GetPayinProof(
	ctx context.Context, req *connect.Request[portalv1.GetPayinProofRequest],
) (*connect.Response[portalv1.ProofResponse], error) {
	return proofResponse(s.proofs.Payout(ctx, caller.From(ctx), req.Msg.GetPayinId()))
}

// GetDepositProof implements the service.
func (s *ProofService) GetDepositProof(
	ctx context.Context, req *connect.Request[portalv1.GetDepositProofRequest],
) (*connect.Response[portalv1.ProofResponse], error) {
	return proofResponse(s.proofs.Deposit(ctx, caller.From(ctx), req.Msg.GetDepositId()))
}

// GetWithdrawalProof implements the service.
func (s *ProofService) GetWithdrawalProof(
	ctx context.Context, req *connect.Request[portalv1.GetWithdrawalProofRequest],
) (*connect.Response[portalv1.ProofResponse], error) {
	return proofResponse(s.proofs.Withdrawal(ctx, caller.From(ctx), req.Msg.GetWithdrawalId()))
}

func proofResponse(p seal.Proof, err error) (*connect.Response[portalv1.ProofResponse], error) {
	if err != nil {
		return nil, err
	}
	file, err := p.File()
	if err != nil {
		return nil, err
	}
	out := &portalv1.ProofResponse{File: file, Proven: int32(len(p.Transfers))}
	for _, w := range p.Waiting {
		out.Waiting = append(out.Waiting, &portalv1.WaitingTransfer{
			TransferId: w.ID, SealedAfter: rpc.Timestamp(w.SealedAfter),
		})
	}
	return connect.NewResponse(out), nil
}

// ListSealedDays implements the service.
func (s *ProofService) ListSealedDays(
	ctx context.Context, req *connect.Request[portalv1.ListSealedDaysRequest],
) (*connect.Response[portalv1.ListSealedDaysResponse], error) {
	days, next, err := s.proofs.Days(ctx, caller.From(ctx), seal.Paging{Limit: req.Msg.Limit, Cursor: req.Msg.Cursor})
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListSealedDaysResponse{NextCursor: next}
	for _, d := range days {
		out.Data = append(out.Data, sealedDay(d))
	}
	return connect.NewResponse(out), nil
}

func sealedDay(d seal.SealedDay) *portalv1.SealedDay {
	out := &portalv1.SealedDay{
		Day: d.Day, Transfers: d.Transfers, Entries: 2 * d.Transfers, Root: d.Root.String(), Hash: d.Hash.String(),
		PreviousHash: d.Previous.String(), SealedAt: rpc.Timestamp(d.At), Kid: d.Kid, State: string(d.State),
		AuditedAt: rpc.OptionalTime(d.AuditedAt), AuditViolations: d.Violations,
	}
	for _, k := range d.Sums.Kinds {
		out.Kinds = append(out.Kinds, &portalv1.KindTotal{
			Kind: k.Kind, Transfers: k.Transfers, Amount: money.USDT(k.Amount),
		})
	}
	for _, b := range d.Sums.Balances {
		out.Balances = append(out.Balances, &portalv1.BalanceTotal{
			Owner: b.Owner, Account: b.Account, Amount: money.USDT(b.Amount),
		})
	}
	return out
}

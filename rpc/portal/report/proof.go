package report

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/seal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type ProofService struct{ Proofs *seal.Service }

func (s *ProofService) GetPaymentProof(
	ctx context.Context, req *portalv1.GetPaymentProofRequest,
) (*portalv1.ProofResponse, error) {
	return proofResponse(s.Proofs.Payment(ctx, caller.From(ctx), req.GetPaymentId()))
}

func (s *ProofService) GetPayinProof(
	ctx context.Context, req *portalv1.GetPayinProofRequest,
) (*portalv1.ProofResponse, error) {
	return proofResponse(s.Proofs.Payout(ctx, caller.From(ctx), req.GetPayinId()))
}

func (s *ProofService) GetDepositProof(
	ctx context.Context, req *portalv1.GetDepositProofRequest,
) (*portalv1.ProofResponse, error) {
	return proofResponse(s.Proofs.Deposit(ctx, caller.From(ctx), req.GetDepositId()))
}

func (s *ProofService) GetWithdrawalProof(
	ctx context.Context, req *portalv1.GetWithdrawalProofRequest,
) (*portalv1.ProofResponse, error) {
	return proofResponse(s.Proofs.Withdrawal(ctx, caller.From(ctx), req.GetWithdrawalId()))
}

// proofResponse is a proof as a file that can be checked without the gateway.
// Transfers that are on no sealed page yet are listed beside it, each with the
// time after which its day is sealed.
func proofResponse(p seal.Proof, err error) (*portalv1.ProofResponse, error) {
	if err != nil {
		return nil, err
	}
	file, err := p.File()
	out := &portalv1.ProofResponse{File: file, Proven: int32(len(p.Transfers))}
	for _, w := range p.Waiting {
		out.Waiting = append(out.Waiting, &portalv1.WaitingTransfer{
			TransferId: w.ID, SealedAfter: rpc.Timestamp(w.SealedAfter),
		})
	}
	return out, err
}

func (s *ProofService) ListSealedDays(
	ctx context.Context, req *portalv1.ListSealedDaysRequest,
) (*portalv1.ListSealedDaysResponse, error) {
	days, next, err := s.Proofs.Days(ctx, caller.From(ctx), seal.Paging{Limit: req.Limit, Cursor: req.Cursor})
	return &portalv1.ListSealedDaysResponse{Data: rpc.Views(days, sealedDay), NextCursor: next}, err
}

// sealedDay is the page of a day as it was sealed, with what is known of it
// now: State is the result of verifying the page, and AuditViolations is what
// the last audit found that read its transfers. Each transfer has two entries.
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

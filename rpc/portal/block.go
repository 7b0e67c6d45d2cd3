package portal

import (
	"context"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type BlockService struct{ Settings *directory.Settings }

func (s *BlockService) ListBlocks(
	ctx context.Context, req *portalv1.ListBlocksRequest,
) (*portalv1.ListBlocksResponse, error) {
	search := directory.BlockSearch{Holding: req.GetHolding()}
	search.Limit, search.Cursor = req.Limit, req.Cursor
	list, next, err := s.Settings.Blocks(ctx, caller.From(ctx), search)
	return &portalv1.ListBlocksResponse{Data: rpc.Views(list, blockView), NextCursor: next}, err
}

func (s *BlockService) BlockPayer(
	ctx context.Context, m *portalv1.BlockPayerRequest,
) (*portalv1.BlockPayerResponse, error) {
	made, err := s.Settings.BlockPayer(ctx, caller.From(ctx), directory.NewBlock{
		Kind: block.Kind(m.GetKind()), Value: m.GetValue(), PaymentID: m.GetPaymentId(), MerchantID: m.GetMerchantId(),
		Reason: m.GetReason(), Until: rpc.Instant(m.GetUntil()),
	})
	return &portalv1.BlockPayerResponse{Block: blockView(made)}, err
}

func (s *BlockService) UnblockPayer(
	ctx context.Context, req *portalv1.UnblockPayerRequest,
) (*portalv1.UnblockPayerResponse, error) {
	lifted, err := s.Settings.UnblockPayer(ctx, caller.From(ctx), req.GetId(), req.GetReason())
	return &portalv1.UnblockPayerResponse{Block: blockView(lifted)}, err
}

func blockView(b directory.Block) *portalv1.Block {
	return &portalv1.Block{
		Id: b.ID, Kind: string(b.Kind), Shown: b.Shown, MerchantId: b.MerchantID, Own: b.Own, Reason: b.Reason,
		Until: rpc.OptionalTime(b.Until), CreatedAt: rpc.Timestamp(b.CreatedAt), CreatedBy: b.CreatedBy,
		EndedAt: rpc.OptionalTime(b.EndedAt), EndedBy: b.EndedBy, EndedReason: b.EndedReason,
	}
}

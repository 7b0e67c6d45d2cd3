package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// BlockService serves portal.v1.BlockService.
type BlockService struct{ settings *directory.Settings }

var _ portalv1connect.BlockServiceHandler = (*BlockService)(nil)

// NewBlockService makes the handler.
func NewBlockService(settings *directory.Settings) *BlockService { return &BlockService{settings} }

// ListBlocks implements the service.
func (s *BlockService) ListBlocks(
	ctx context.Context, req *connect.Request[portalv1.ListBlocksRequest],
) (*connect.Response[portalv1.ListBlocksResponse], error) {
	search := directory.BlockSearch{Holding: req.Msg.GetHolding()}
	search.Limit, search.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.settings.Blocks(ctx, caller.From(ctx), search)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListBlocksResponse{Data: rpc.Views(list, blockView), NextCursor: next}), nil
}

// BlockPayer implements the service.
func (s *BlockService) BlockPayer(
	ctx context.Context, req *connect.Request[portalv1.BlockPayerRequest],
) (*connect.Response[portalv1.BlockPayerResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	until := rpc.Instant(found, "until", m.GetUntil())
	made, err := s.settings.BlockPayer(fault.WithDecoded(ctx, found), caller.From(ctx), directory.NewBlock{
		Kind: block.Kind(m.GetKind()), Value: m.GetValue(), PaymentID: m.GetPaymentId(), MerchantID: m.GetMerchantId(),
		Reason: m.GetReason(), Until: until,
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.BlockPayerResponse{Block: blockView(made)}), nil
}

// UnblockPayer implements the service.
func (s *BlockService) UnblockPayer(
	ctx context.Context, req *connect.Request[portalv1.UnblockPayerRequest],
) (*connect.Response[portalv1.UnblockPayerResponse], error) {
	lifted, err := s.settings.UnblockPayer(ctx, caller.From(ctx), req.Msg.GetId(), req.Msg.GetReason())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.UnblockPayerResponse{Block: blockView(lifted)}), nil
}

func blockView(b directory.Block) *portalv1.Block {
	return &portalv1.Block{
		Id: b.ID, Kind: string(b.Kind), Shown: b.Shown, MerchantId: b.MerchantID, Own: b.Own, Reason: b.Reason,
		Until: rpc.OptionalTime(b.Until), CreatedAt: rpc.Timestamp(b.CreatedAt), CreatedBy: b.CreatedBy,
		EndedAt: rpc.OptionalTime(b.EndedAt), EndedBy: b.EndedBy, EndedReason: b.EndedReason,
	}
}

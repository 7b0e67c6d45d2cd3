package portal

import (
	"cmp"
	"context"
	"slices"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// PayoutFileService serves portal.v1.PayoutFileService.
type PayoutFileService struct{ payouts *payout.Service }

var _ portalv1connect.PayoutFileServiceHandler = (*PayoutFileService)(nil)

// NewPayoutFileService makes the handler.
func NewPayoutFileService(payouts *payout.Service) *PayoutFileService {
	return &PayoutFileService{payouts}
}

// ListPayoutKeys implements the service.
func (s *PayoutFileService) ListPayoutKeys(
	ctx context.Context, _ *connect.Request[portalv1.ListPayoutKeysRequest],
) (*connect.Response[portalv1.ListPayoutKeysResponse], error) {
	keys, err := s.payouts.Keys(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListPayoutKeysResponse{Data: rpc.Views(keys, payoutKey)}), nil
}

func payoutKey(k payout.Key) *portalv1.PayoutKey {
	return &portalv1.PayoutKey{
		Id: k.ID, Name: k.Name, MerchantCashboxId: k.CashboxID, Currency: k.Currency, LeftToday: rpc.OptionalFiat(k.Left()),
	}
}

// SendPayoutFile implements the service.
func (s *PayoutFileService) SendPayoutFile(
	ctx context.Context, req *connect.Request[portalv1.SendPayoutFileRequest],
) (*connect.Response[portalv1.PayoutFileResponse], error) {
	who, n := caller.From(ctx), payout.NewFile{KeyID: req.Msg.GetKeyId(), Name: req.Msg.GetName()}
	if err := who.Need(caller.MerchantPayouts); err != nil {
		return nil, err
	}
	var err error
	if n.Content, err = rpc.WholeUpload(ctx, req.Msg.GetFile()); err != nil {
		return nil, err
	}
	sent, err := s.payouts.SendFile(ctx, who, n)
	if err != nil {
		return nil, err
	}
	return s.file(ctx, sent)
}

// GetPayoutFile implements the service.
func (s *PayoutFileService) GetPayoutFile(
	ctx context.Context, req *connect.Request[portalv1.GetPayoutFileRequest],
) (*connect.Response[portalv1.PayoutFileResponse], error) {
	found, err := s.payouts.File(ctx, caller.From(ctx), req.Msg.GetId())
	if err != nil {
		return nil, err
	}
	return s.file(ctx, found)
}

// file shows a file with what would be made of it, or what was.
func (s *PayoutFileService) file(ctx context.Context, f payout.File) (*connect.Response[portalv1.PayoutFileResponse], error) {
	who, out := caller.From(ctx), &portalv1.PayoutFileResponse{Data: payoutFile(f)}
	if f.Made() {
		counts, err := s.payouts.FileProgress(ctx, who, f.ID)
		for status, count := range counts {
			out.Counts = append(out.Counts, &portalv1.PayoutCount{Status: string(status), Payouts: count})
		}
		slices.SortFunc(out.Counts, func(a, b *portalv1.PayoutCount) int { return cmp.Compare(a.Status, b.Status) })
		return connect.NewResponse(out), err
	}
	p, err := s.payouts.PreviewFile(ctx, who, f.ID)
	if err != nil {
		return nil, err
	}
	out.Data.Payouts, out.Data.Amount, out.Data.FrozenUsdt = int32(p.Payouts), money.Fiat(p.Amount), money.USDT(p.FrozenUSDT)
	out.Preview = &portalv1.PayoutFilePreview{
		Good: p.Good(), AvailableUsdt: money.USDT(p.Available), Flaws: rpc.Views(p.Flaws, payoutFlaw),
	}
	if !p.Rate.IsZero() {
		out.Preview.Rate = new(p.Rate.String())
	}
	if p.Refused != nil {
		out.Preview.Refused = &p.Refused.Code
	}
	return connect.NewResponse(out), nil
}

func payoutFile(f payout.File) *portalv1.PayoutFile {
	out := &portalv1.PayoutFile{
		Id: f.ID, Name: f.Name, KeyId: f.KeyID, SentAt: rpc.Timestamp(f.SentAt), MadeAt: rpc.OptionalTime(f.MadeAt),
	}
	if f.Made() {
		out.Payouts, out.Amount, out.FrozenUsdt = int32(f.Payouts), money.Fiat(f.Amount), money.USDT(f.FrozenUSDT)
	}
	return out
}

func payoutFlaw(flaw payout.Flaw) *portalv1.PayoutFileFlaw {
	return &portalv1.PayoutFileFlaw{Line: int32(flaw.Line), Field: flaw.Field, Reasons: flaw.Reasons}
}

// ListPayoutFiles implements the service.
func (s *PayoutFileService) ListPayoutFiles(
	ctx context.Context, req *connect.Request[portalv1.ListPayoutFilesRequest],
) (*connect.Response[portalv1.ListPayoutFilesResponse], error) {
	var page payout.FilePage
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.payouts.Files(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListPayoutFilesResponse{Data: rpc.Views(list, payoutFile), NextCursor: next}), nil
}

// MakeFilePayouts implements the service.
func (s *PayoutFileService) MakeFilePayouts(
	ctx context.Context, req *connect.Request[portalv1.MakeFilePayoutsRequest],
) (*connect.Response[portalv1.PayoutFileResponse], error) {
	made, err := s.payouts.MakeFile(ctx, caller.From(ctx), req.Msg.GetId(), payout.Shown{
		KeyID: req.Msg.GetKeyId(), FrozenUSDT: req.Msg.GetFrozenUsdt(),
	})
	if err != nil {
		return nil, err
	}
	return s.file(ctx, made.File)
}

// ListFilePayouts implements the service.
func (s *PayoutFileService) ListFilePayouts(
	ctx context.Context, req *connect.Request[portalv1.ListFilePayoutsRequest],
) (*connect.Response[portalv1.ListFilePayoutsResponse], error) {
	var page payout.FilePage
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.payouts.FilePayins(ctx, caller.From(ctx), req.Msg.GetId(), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListFilePayoutsResponse{Data: rpc.Views(list, filePayout), NextCursor: next}), nil
}

func filePayout(p payout.FilePayin) *portalv1.FilePayout {
	return &portalv1.FilePayout{Line: int32(p.Line), Payin: rpc.PayinView(p.Payin)}
}

package portal

import (
	"cmp"
	"context"
	"slices"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type PayoutFileService struct{ Payouts *payout.Service }

func (s *PayoutFileService) ListPayoutKeys(
	ctx context.Context, _ *portalv1.ListPayoutKeysRequest,
) (*portalv1.ListPayoutKeysResponse, error) {
	keys, err := s.Payouts.Keys(ctx, caller.From(ctx))
	return &portalv1.ListPayoutKeysResponse{Data: rpc.Views(keys, payoutKey)}, err
}

func payoutKey(k payout.Key) *portalv1.PayoutKey {
	return &portalv1.PayoutKey{
		Id: k.ID, Name: k.Name, MerchantCashboxId: k.CashboxID, Currency: k.Currency, LeftToday: rpc.OptionalFiat(k.Left()),
	}
}

func (s *PayoutFileService) SendPayoutFile(
	ctx context.Context, req *portalv1.SendPayoutFileRequest,
) (*portalv1.PayoutFileResponse, error) {
	who, n := caller.From(ctx), payout.NewFile{KeyID: req.GetKeyId(), Name: req.GetName()}
	if err := who.Need(caller.MerchantPayouts); err != nil {
		return nil, err
	}
	var err error
	if n.Content, err = rpc.WholeUpload(ctx, req.GetFile()); err != nil {
		return nil, err
	}
	sent, err := s.Payouts.SendFile(ctx, who, n)
	return s.file(ctx, sent, err)
}

func (s *PayoutFileService) GetPayoutFile(
	ctx context.Context, req *portalv1.GetPayoutFileRequest,
) (*portalv1.PayoutFileResponse, error) {
	found, err := s.Payouts.File(ctx, caller.From(ctx), req.GetId())
	return s.file(ctx, found, err)
}

// file shows a file that a call gave with what would be made of it, or what
// was.
func (s *PayoutFileService) file(ctx context.Context, f payout.File, err error) (*portalv1.PayoutFileResponse, error) {
	if err != nil {
		return nil, err
	}
	who, out := caller.From(ctx), &portalv1.PayoutFileResponse{Data: payoutFile(f)}
	if f.Made() {
		counts, err := s.Payouts.FileProgress(ctx, who, f.ID)
		for status, count := range counts {
			out.Counts = append(out.Counts, &portalv1.PayoutCount{Status: string(status), Payouts: count})
		}
		slices.SortFunc(out.Counts, func(a, b *portalv1.PayoutCount) int { return cmp.Compare(a.Status, b.Status) })
		return out, err
	}
	p, err := s.Payouts.PreviewFile(ctx, who, f.ID)
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
	return out, nil
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

func (s *PayoutFileService) ListPayoutFiles(
	ctx context.Context, req *portalv1.ListPayoutFilesRequest,
) (*portalv1.ListPayoutFilesResponse, error) {
	var page payout.FilePage
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, next, err := s.Payouts.Files(ctx, caller.From(ctx), page)
	return &portalv1.ListPayoutFilesResponse{Data: rpc.Views(list, payoutFile), NextCursor: next}, err
}

func (s *PayoutFileService) MakeFilePayouts(
	ctx context.Context, req *portalv1.MakeFilePayoutsRequest,
) (*portalv1.PayoutFileResponse, error) {
	made, err := s.Payouts.MakeFile(ctx, caller.From(ctx), req.GetId(), payout.Shown{
		KeyID: req.GetKeyId(), FrozenUSDT: req.GetFrozenUsdt(),
	})
	return s.file(ctx, made.File, err)
}

func (s *PayoutFileService) ListFilePayouts(
	ctx context.Context, req *portalv1.ListFilePayoutsRequest,
) (*portalv1.ListFilePayoutsResponse, error) {
	var page payout.FilePage
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, next, err := s.Payouts.FilePayouts(ctx, caller.From(ctx), req.GetId(), page)
	return &portalv1.ListFilePayoutsResponse{Data: rpc.Views(list, filePayout), NextCursor: next}, err
}

func filePayout(p payout.FilePayout) *portalv1.FilePayout {
	return &portalv1.FilePayout{Line: int32(p.Line), Payin: rpc.PayinView(p.Payout)}
}

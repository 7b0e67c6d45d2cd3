package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/session"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

// UpdateMerchant implements the service.
func (s *Service) UpdateMerchant(
	ctx context.Context, req *connect.Request[portalv1.UpdateMerchantRequest],
) (*connect.Response[portalv1.MerchantResponse], error) {
	u := directory.MerchantUpdate{ID: req.Msg.GetMerchantId(), Seen: req.Msg.GetVersion(), Reason: req.Msg.GetReason()}
	setting.Merchant.Fill(&u, req.Msg)
	c, err := s.Settings.UpdateMerchant(ctx, caller.From(ctx), u)
	return settled(c, err, merchantSet)
}

// UpdateCashbox implements the service.
func (s *Service) UpdateCashbox(
	ctx context.Context, req *connect.Request[portalv1.UpdateCashboxRequest],
) (*connect.Response[portalv1.CashboxResponse], error) {
	c, err := s.Settings.UpdateCashbox(ctx, caller.From(ctx), directory.CashboxUpdate{
		ID: req.Msg.GetMerchantCashboxId(), CollectEnabled: req.Msg.CollectEnabled, TraderID: req.Msg.TraderCashboxId,
		RemoveLogo: req.Msg.GetRemoveLogo(), Name: req.Msg.Name, PageColor: req.Msg.PageColor, FrameOrigin: req.Msg.FrameOrigin,
		ReturnAutomatic: req.Msg.ReturnAutomatic, PayerEvents: req.Msg.PayerEvents, ReturnHosts: returnHosts(req.Msg),
		DepositCallbackURI: req.Msg.DepositCallbackUri, Reason: req.Msg.GetReason(), Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, cashboxSet)
}

// SetCashboxMethod implements the service.
func (s *Service) SetCashboxMethod(
	ctx context.Context, req *connect.Request[portalv1.SetCashboxMethodRequest],
) (*connect.Response[portalv1.CashboxMethodResponse], error) {
	c, err := s.Settings.SetMethod(ctx, caller.From(ctx), directory.CashboxMethod{
		CashboxID: req.Msg.GetMerchantCashboxId(), Name: req.Msg.GetMethod(), Enabled: req.Msg.GetEnabled(),
		MarginPercent: req.Msg.GetMarginPercent(), ValiditySeconds: req.Msg.GetValiditySeconds(),
		ClaimSeconds: req.Msg.ClaimSeconds, Cards: req.Msg.Cards,
		MinAmount: req.Msg.GetMinAmount(), MaxAmount: req.Msg.GetMaxAmount(),
		AmountPolicy: req.Msg.AmountPolicy, TolerancePercent: req.Msg.TolerancePercent,
		ToleranceAmount: req.Msg.ToleranceAmount, DifferenceTo: req.Msg.DifferenceTo, LateSeconds: req.Msg.LateSeconds,
		Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, methodSet)
}

// SetPlatformLimit implements the service.
func (s *Service) SetPlatformLimit(
	ctx context.Context, req *connect.Request[portalv1.SetPlatformLimitRequest],
) (*connect.Response[portalv1.PlatformLimitResponse], error) {
	c, err := s.Settings.SetPlatformLimit(ctx, caller.From(ctx), directory.NewPlatformLimit{
		Currency: req.Msg.GetCurrency(), MinAmount: req.Msg.GetMinAmount(), MaxAmount: req.Msg.GetMaxAmount(),
		Seen: req.Msg.GetVersion(), Reason: req.Msg.GetReason(),
	})
	return settled(c, err, limitSet)
}

// CreateRequisite implements the service.
func (s *Service) CreateRequisite(
	ctx context.Context, req *connect.Request[portalv1.CreateRequisiteRequest],
) (*connect.Response[portalv1.RequisiteResponse], error) {
	c, err := s.Settings.CreateRequisite(ctx, caller.From(ctx), directory.NewRequisite{
		TraderID: req.Msg.GetTraderId(),
		Currency: req.Msg.GetCurrency(),
		Method:   req.Msg.GetMethod(),
		Value:    req.Msg.GetValue(),
		Holder:   req.Msg.Holder,
		Bank:     req.Msg.Bank,
		Limits:   limits(req.Msg.GetLimits()),
	})
	return settled(c, err, requisiteSet)
}

// UpdateRequisite implements the service.
func (s *Service) UpdateRequisite(
	ctx context.Context, req *connect.Request[portalv1.UpdateRequisiteRequest],
) (*connect.Response[portalv1.RequisiteResponse], error) {
	c, err := s.Settings.UpdateRequisite(ctx, caller.From(ctx), directory.RequisiteUpdate{
		ID: req.Msg.GetRequisiteId(), Enabled: req.Msg.Enabled, Holder: req.Msg.Holder, Bank: req.Msg.Bank,
		Limits: limits(req.Msg.GetLimits()), Reason: req.Msg.GetReason(), Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, requisiteSet)
}

func limits(l *portalv1.RequisiteLimits) directory.Limits {
	if l == nil {
		return directory.Limits{}
	}
	return directory.Limits{
		MinAmount:    l.MinAmount,
		MaxAmount:    l.MaxAmount,
		TimeZone:     l.TimeZone,
		DailyCount:   l.DailyCount,
		DailySum:     l.DailySum,
		OpenPayments: l.OpenPayments,
		WorkFrom:     l.WorkFrom,
		WorkUntil:    l.WorkUntil,
		Weight:       l.Weight,
	}
}

// CreateUser implements the service.
func (s *Service) CreateUser(
	ctx context.Context, req *connect.Request[portalv1.CreateUserRequest],
) (*connect.Response[portalv1.UserInvitedResponse], error) {
	return userInvited(s.Users.Create(ctx, caller.From(ctx), session.NewUser{
		Kind: caller.Kind(req.Msg.GetKind()), Role: caller.Role(req.Msg.GetRole()),
		Login: req.Msg.GetLogin(), Password: req.Msg.GetPassword(),
		MerchantID: req.Msg.MerchantId, TraderID: req.Msg.TraderId, MerchantIDs: req.Msg.GetMerchantIds(),
	}))
}

// InviteUser implements the service.
func (s *Service) InviteUser(
	ctx context.Context, req *connect.Request[portalv1.InviteUserRequest],
) (*connect.Response[portalv1.UserInvitedResponse], error) {
	return userInvited(s.Users.Invite(ctx, caller.From(ctx), req.Msg.GetUserId()))
}

func userInvited(
	c directory.Changed[session.User], link string, err error,
) (*connect.Response[portalv1.UserInvitedResponse], error) {
	return settled(c, err, func(change *portalv1.SettingChange, u session.User) *portalv1.UserInvitedResponse {
		return &portalv1.UserInvitedResponse{Change: change, InvitationLink: optional.Of(link), Data: userView(u)}
	})
}

// UpdateUser implements the service.
func (s *Service) UpdateUser(
	ctx context.Context, req *connect.Request[portalv1.UpdateUserRequest],
) (*connect.Response[portalv1.UserResponse], error) {
	c, err := s.Users.Update(ctx, caller.From(ctx), session.UserUpdate{
		ID: req.Msg.GetUserId(), Enabled: req.Msg.Enabled, Password: req.Msg.Password,
		Role: (*caller.Role)(req.Msg.Role), Reason: req.Msg.GetReason(), Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, userSet)
}

// RevokeTokens implements the service.
func (s *Service) RevokeTokens(
	ctx context.Context, req *connect.Request[portalv1.RevokeTokensRequest],
) (*connect.Response[portalv1.UserResponse], error) {
	c, err := s.Users.RevokeTokens(ctx, caller.From(ctx), req.Msg.GetUserId())
	return settled(c, err, userSet)
}

// ListSettingChanges implements the service.
func (s *Service) ListSettingChanges(
	ctx context.Context, req *connect.Request[portalv1.ListSettingChangesRequest],
) (*connect.Response[portalv1.ListSettingChangesResponse], error) {
	page := directory.ChangePage{Subject: req.Msg.Subject, SubjectKey: req.Msg.SubjectKey}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	changes, cursor, err := s.Settings.Changes(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListSettingChangesResponse{NextCursor: cursor}
	for _, c := range changes {
		change, err := portal.SettingChange(c)
		if err != nil {
			return nil, err
		}
		out.Data = append(out.Data, change)
	}
	return connect.NewResponse(out), nil
}

// RemoveLinkPicture implements the service.
func (s *Service) RemoveLinkPicture(
	ctx context.Context, req *connect.Request[portalv1.RemoveLinkPictureRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	change, err := s.PayLinks.RemovePicture(ctx, caller.From(ctx), req.Msg.GetLinkId(), req.Msg.GetReason())
	if err != nil {
		return nil, err
	}
	return portal.SettingResponse(change)
}

// returnHosts are the hosts to set, or nil to keep them.
func returnHosts(m *portalv1.UpdateCashboxRequest) *[]string {
	if m.GetReturnHosts() == nil {
		return nil
	}
	hosts := m.GetReturnHosts().GetHosts()
	return &hosts
}

// SetBank implements the service.
func (s *Service) SetBank(
	ctx context.Context, req *connect.Request[portalv1.SetBankRequest],
) (*connect.Response[portalv1.BankResponse], error) {
	b := req.Msg.GetBank()
	c, err := s.Settings.SetBank(ctx, caller.From(ctx), directory.Bank{
		Currency: b.GetCurrency(), Name: b.GetName(), Methods: b.GetMethods(), Link: b.GetLink(), Steps: b.GetSteps(),
		Source: b.GetSource(), Enabled: b.GetEnabled(), Logo: req.Msg.Logo,
		Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, bankSet)
}

// ListBanks implements the service.
func (s *Service) ListBanks(
	ctx context.Context, req *connect.Request[portalv1.ListBanksRequest],
) (*connect.Response[portalv1.ListBanksResponse], error) {
	list, err := s.Settings.ListBanks(ctx, caller.From(ctx), req.Msg.GetCurrency())
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListBanksResponse{}
	for _, b := range list {
		out.Data = append(out.Data, bankView(b))
	}
	return connect.NewResponse(out), nil
}

func bankView(b directory.Bank) *portalv1.Bank {
	return &portalv1.Bank{
		Currency: b.Currency, Name: b.Name, Methods: b.Methods, Link: b.Link, Steps: b.Steps, Source: b.Source,
		Enabled: b.Enabled, LogoHash: b.LogoHash, Version: b.Version,
	}
}

// settled answers a change of a setting with the new state.
func settled[T, R any](
	c directory.Changed[T], err error, answer func(*portalv1.SettingChange, T) *R,
) (*connect.Response[R], error) {
	if err != nil {
		return nil, err
	}
	change, err := portal.SettingChange(c.SettingChange)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(answer(change, c.Now)), nil
}

func limitSet(c *portalv1.SettingChange, l directory.PlatformLimit) *portalv1.PlatformLimitResponse {
	return &portalv1.PlatformLimitResponse{Change: c, Data: limitView(l)}
}

func bankSet(c *portalv1.SettingChange, b directory.Bank) *portalv1.BankResponse {
	return &portalv1.BankResponse{Change: c, Data: bankView(b)}
}

// ListPlatformLimits implements the service.
func (s *Service) ListPlatformLimits(
	ctx context.Context, _ *connect.Request[portalv1.ListPlatformLimitsRequest],
) (*connect.Response[portalv1.ListPlatformLimitsResponse], error) {
	list, err := s.Settings.PlatformLimits(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListPlatformLimitsResponse{Data: rpc.Views(list, limitView)}), nil
}

func limitView(l directory.PlatformLimit) *portalv1.PlatformLimit {
	return &portalv1.PlatformLimit{
		Currency:  l.Currency,
		MinAmount: money.Fiat(l.MinAmount),
		MaxAmount: money.Fiat(l.MaxAmount),
		Version:   l.Version,
	}
}

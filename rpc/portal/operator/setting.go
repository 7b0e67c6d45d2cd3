package operator

import (
	"context"

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

func (s *service) UpdateMerchant(
	ctx context.Context, req *portalv1.UpdateMerchantRequest,
) (*portalv1.MerchantResponse, error) {
	u := directory.MerchantUpdate{ID: req.GetMerchantId(), Seen: req.GetVersion(), Reason: req.GetReason()}
	setting.Merchant.Fill(&u, req)
	c, err := s.Settings.UpdateMerchant(ctx, caller.From(ctx), u)
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.MerchantResponse{Change: change, Data: merchantView(c.Now)}, err
}

func (s *service) UpdateCashbox(
	ctx context.Context, req *portalv1.UpdateCashboxRequest,
) (*portalv1.CashboxResponse, error) {
	c, err := s.Settings.UpdateCashbox(ctx, caller.From(ctx), directory.CashboxUpdate{
		ID: req.GetMerchantCashboxId(), CollectEnabled: req.CollectEnabled, TraderID: req.TraderCashboxId,
		RemoveLogo: req.GetRemoveLogo(), Name: req.Name, PageColor: req.PageColor, FrameOrigin: req.FrameOrigin,
		ReturnAutomatic: req.ReturnAutomatic, PayerEvents: req.PayerEvents, ReturnHosts: returnHosts(req),
		DepositCallbackURI: req.DepositCallbackUri, Reason: req.GetReason(), Seen: req.GetVersion(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.CashboxResponse{Change: change, Data: cashboxView(c.Now)}, err
}

func (s *service) SetCashboxMethod(
	ctx context.Context, req *portalv1.SetCashboxMethodRequest,
) (*portalv1.CashboxMethodResponse, error) {
	m := directory.CashboxMethod{CashboxID: req.GetMerchantCashboxId(), Name: req.GetMethod(), Seen: req.GetVersion()}
	setting.Method.Fill(&m, req)
	c, err := s.Settings.SetMethod(ctx, caller.From(ctx), m)
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.CashboxMethodResponse{Change: change, Data: methodView(c.Now)}, err
}

func (s *service) SetPlatformLimit(
	ctx context.Context, req *portalv1.SetPlatformLimitRequest,
) (*portalv1.PlatformLimitResponse, error) {
	c, err := s.Settings.SetPlatformLimit(ctx, caller.From(ctx), directory.NewPlatformLimit{
		Currency: req.GetCurrency(), MinAmount: req.GetMinAmount(), MaxAmount: req.GetMaxAmount(),
		Seen: req.GetVersion(), Reason: req.GetReason(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.PlatformLimitResponse{Change: change, Data: limitView(c.Now)}, err
}

func (s *service) CreateRequisite(
	ctx context.Context, req *portalv1.CreateRequisiteRequest,
) (*portalv1.RequisiteResponse, error) {
	c, err := s.Settings.CreateRequisite(ctx, caller.From(ctx), directory.NewRequisite{
		TraderID: req.GetTraderId(),
		Currency: req.GetCurrency(),
		Method:   req.GetMethod(),
		Value:    req.GetValue(),
		Holder:   req.Holder,
		Bank:     req.Bank,
		Limits:   limits(req.GetLimits()),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.RequisiteResponse{Change: change, Data: requisiteOfTrader(c.Now)}, err
}

func (s *service) UpdateRequisite(
	ctx context.Context, req *portalv1.UpdateRequisiteRequest,
) (*portalv1.RequisiteResponse, error) {
	c, err := s.Settings.UpdateRequisite(ctx, caller.From(ctx), directory.RequisiteUpdate{
		ID: req.GetRequisiteId(), Enabled: req.Enabled, Holder: req.Holder, Bank: req.Bank,
		Limits: limits(req.GetLimits()), Reason: req.GetReason(), Seen: req.GetVersion(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.RequisiteResponse{Change: change, Data: requisiteOfTrader(c.Now)}, err
}

func limits(l *portalv1.RequisiteLimits) (set directory.Limits) {
	if l != nil {
		setting.Requisite.Fill(&set, l)
	}
	return set
}

func (s *service) CreateUser(
	ctx context.Context, req *portalv1.CreateUserRequest,
) (*portalv1.UserInvitedResponse, error) {
	return userInvited(s.Users.Create(ctx, caller.From(ctx), session.NewUser{
		Kind: caller.Kind(req.GetKind()), Role: caller.Role(req.GetRole()),
		Login: req.GetLogin(), Password: req.GetPassword(),
		MerchantID: req.MerchantId, TraderID: req.TraderId, MerchantIDs: req.GetMerchantIds(),
	}))
}

func (s *service) InviteUser(
	ctx context.Context, req *portalv1.InviteUserRequest,
) (*portalv1.UserInvitedResponse, error) {
	return userInvited(s.Users.Invite(ctx, caller.From(ctx), req.GetUserId()))
}

func userInvited(c directory.Changed[session.User], link string, err error) (*portalv1.UserInvitedResponse, error) {
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.UserInvitedResponse{Change: change, InvitationLink: optional.Of(link), Data: userView(c.Now)}, err
}

func (s *service) UpdateUser(ctx context.Context, req *portalv1.UpdateUserRequest) (*portalv1.UserResponse, error) {
	c, err := s.Users.Update(ctx, caller.From(ctx), session.UserUpdate{
		ID: req.GetUserId(), Enabled: req.Enabled, Password: req.Password,
		Role: (*caller.Role)(req.Role), Reason: req.GetReason(), Seen: req.GetVersion(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.UserResponse{Change: change, Data: userView(c.Now)}, err
}

func (s *service) RevokeTokens(ctx context.Context, req *portalv1.RevokeTokensRequest) (*portalv1.UserResponse, error) {
	c, err := s.Users.RevokeTokens(ctx, caller.From(ctx), req.GetUserId())
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.UserResponse{Change: change, Data: userView(c.Now)}, err
}

func (s *service) ListSettingChanges(
	ctx context.Context, req *portalv1.ListSettingChangesRequest,
) (*portalv1.ListSettingChangesResponse, error) {
	page := directory.ChangePage{Subject: req.Subject, SubjectKey: req.SubjectKey}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	changes, cursor, err := s.Settings.Changes(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListSettingChangesResponse{NextCursor: cursor}
	for _, c := range changes {
		change, err := portal.SettingChange(c, nil)
		if err != nil {
			return nil, err
		}
		out.Data = append(out.Data, change)
	}
	return out, nil
}

func (s *service) RemoveLinkPicture(
	ctx context.Context, req *portalv1.RemoveLinkPictureRequest,
) (*portalv1.SettingResponse, error) {
	return portal.SettingResponse(s.PayLinks.RemovePicture(ctx, caller.From(ctx), req.GetLinkId(), req.GetReason()))
}

// returnHosts are the hosts to set, or nil to keep them.
func returnHosts(m *portalv1.UpdateCashboxRequest) *[]string {
	if m.GetReturnHosts() == nil {
		return nil
	}
	return new(m.GetReturnHosts().GetHosts())
}

func (s *service) SetBank(ctx context.Context, req *portalv1.SetBankRequest) (*portalv1.BankResponse, error) {
	b := req.GetBank()
	c, err := s.Settings.SetBank(ctx, caller.From(ctx), directory.Bank{
		Currency: b.GetCurrency(), Name: b.GetName(), Methods: b.GetMethods(), Link: b.GetLink(), Steps: b.GetSteps(),
		Source: b.GetSource(), Enabled: b.GetEnabled(), Logo: req.Logo,
		Seen: req.GetVersion(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.BankResponse{Change: change, Data: bankView(c.Now)}, err
}

func (s *service) ListBanks(ctx context.Context, req *portalv1.ListBanksRequest) (*portalv1.ListBanksResponse, error) {
	list, err := s.Settings.ListBanks(ctx, caller.From(ctx), req.GetCurrency())
	return &portalv1.ListBanksResponse{Data: rpc.Views(list, bankView)}, err
}

func bankView(b directory.Bank) *portalv1.Bank {
	return &portalv1.Bank{
		Currency: b.Currency, Name: b.Name, Methods: b.Methods, Link: b.Link, Steps: b.Steps, Source: b.Source,
		Enabled: b.Enabled, LogoHash: b.LogoHash, Version: b.Version,
	}
}

func (s *service) ListPlatformLimits(
	ctx context.Context, _ *portalv1.ListPlatformLimitsRequest,
) (*portalv1.ListPlatformLimitsResponse, error) {
	list, err := s.Settings.PlatformLimits(ctx, caller.From(ctx))
	return &portalv1.ListPlatformLimitsResponse{Data: rpc.Views(list, limitView)}, err
}

func limitView(l directory.PlatformLimit) *portalv1.PlatformLimit {
	return &portalv1.PlatformLimit{
		Currency:  l.Currency,
		MinAmount: money.Fiat(l.MinAmount),
		MaxAmount: money.Fiat(l.MaxAmount),
		Version:   l.Version,
	}
}

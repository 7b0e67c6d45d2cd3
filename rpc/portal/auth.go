package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/edge"
	"gateway.example/internal/session"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type AuthService struct{ Users *session.Service }

func origin(ctx context.Context) session.Origin {
	from := session.Origin{Address: edge.Address(ctx)}
	if call, ok := connect.CallInfoForHandlerContext(ctx); ok {
		from.Agent = call.RequestHeader().Get("User-Agent")
	}
	return from
}

func (s *AuthService) Login(ctx context.Context, req *portalv1.LoginRequest) (*portalv1.LoginResponse, error) {
	credentials := session.Credentials{
		Login: req.GetLogin(), Password: req.GetPassword(), Code: req.GetTotpCode(),
	}
	token, err := s.Users.Login(ctx, credentials, origin(ctx))
	return &portalv1.LoginResponse{
		Token:     token.Bearer,
		Kind:      string(token.Kind),
		ExpiresAt: rpc.Timestamp(token.ExpiresAt),
		State:     string(token.State),
	}, err
}

func (s *AuthService) SecondFactor(
	ctx context.Context, req *portalv1.SecondFactorRequest,
) (*portalv1.TokenResponse, error) {
	return tokenResponse(s.Users.GiveFactor(ctx, session.From(ctx), session.Factor{Code: req.GetCode()}))
}

func tokenResponse(opened session.Opened, err error) (*portalv1.TokenResponse, error) {
	return &portalv1.TokenResponse{Token: opened.Bearer, ExpiresAt: rpc.Timestamp(opened.Session.ExpiresAt)}, err
}

func (s *AuthService) Logout(ctx context.Context, _ *portalv1.LogoutRequest) (*portalv1.LogoutResponse, error) {
	return &portalv1.LogoutResponse{}, s.Users.End(ctx, session.From(ctx))
}

func (s *AuthService) GetSession(
	ctx context.Context, _ *portalv1.GetSessionRequest,
) (*portalv1.GetSessionResponse, error) {
	found, err := s.Users.Show(ctx, session.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetSessionResponse{
		Id: found.ID, Login: found.Caller.Login, Kind: string(found.Caller.Kind), State: string(found.State),
		ExpiresAt: rpc.Timestamp(found.ExpiresAt), Preferences: preferences(found.Preferences),
		Factors: &portalv1.Factors{
			Totp:          found.Factors.TOTP,
			Passkeys:      int32(found.Factors.Passkeys),
			RecoveryCodes: int32(found.Factors.RecoveryCodes),
		},
	}
	if role := string(found.Caller.Role); role != "" {
		out.Role = &role
	}
	for _, capability := range found.Caller.Capabilities() {
		out.Capabilities = append(out.Capabilities, string(capability))
	}
	return out, nil
}

func preferences(p session.Preferences) *portalv1.Preferences {
	out := &portalv1.Preferences{Zone: p.Zone, Theme: p.Theme, Shortcuts: p.Shortcuts}
	if p.Language != "" {
		out.Language = &p.Language
	}
	return out
}

func (s *AuthService) ListSessions(
	ctx context.Context, _ *portalv1.ListSessionsRequest,
) (*portalv1.ListSessionsResponse, error) {
	present := session.From(ctx)
	list, err := s.Users.List(ctx, present.Caller, present.ID)
	out := &portalv1.ListSessionsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.UserSession{
			Id: one.ID, Door: string(one.Door), Current: one.Current, State: string(one.State),
			CreatedAt: rpc.Timestamp(one.CreatedAt), SeenAt: rpc.Timestamp(one.SeenAt), ExpiresAt: rpc.Timestamp(one.ExpiresAt),
			Agent: one.Agent, Address: one.Address,
		})
	}
	return out, err
}

func (s *AuthService) EndSession(
	ctx context.Context, req *portalv1.EndSessionRequest,
) (*portalv1.EndSessionResponse, error) {
	present := session.From(ctx)
	if req.Id == nil {
		return &portalv1.EndSessionResponse{}, s.Users.EndAll(ctx, present.Caller, present.ID)
	}
	return &portalv1.EndSessionResponse{}, s.Users.EndOne(ctx, present.Caller, req.GetId())
}

func (s *AuthService) BeginTotp(
	ctx context.Context, _ *portalv1.BeginTotpRequest,
) (*portalv1.BeginTotpResponse, error) {
	offer, err := s.Users.BeginTOTP(ctx, session.From(ctx))
	return &portalv1.BeginTotpResponse{Secret: offer.Secret, Url: offer.URL}, err
}

func (s *AuthService) ConfirmTotp(
	ctx context.Context, req *portalv1.ConfirmTotpRequest,
) (*portalv1.ConfirmTotpResponse, error) {
	opened, codes, err := s.Users.ConfirmTOTP(ctx, session.From(ctx), req.GetCode())
	return &portalv1.ConfirmTotpResponse{
		Token: opened.Bearer, ExpiresAt: rpc.Timestamp(opened.Session.ExpiresAt), RecoveryCodes: codes,
	}, err
}

func (s *AuthService) RemoveTotp(
	ctx context.Context, _ *portalv1.RemoveTotpRequest,
) (*portalv1.RemoveTotpResponse, error) {
	return &portalv1.RemoveTotpResponse{}, s.Users.RemoveTOTP(ctx, session.From(ctx))
}

func (s *AuthService) RenewRecoveryCodes(
	ctx context.Context, _ *portalv1.RenewRecoveryCodesRequest,
) (*portalv1.RenewRecoveryCodesResponse, error) {
	codes, err := s.Users.RenewRecoveryCodes(ctx, session.From(ctx))
	return &portalv1.RenewRecoveryCodesResponse{RecoveryCodes: codes}, err
}

func (s *AuthService) ChangePassword(
	ctx context.Context, req *portalv1.ChangePasswordRequest,
) (*portalv1.TokenResponse, error) {
	return tokenResponse(s.Users.ChangePassword(ctx, session.From(ctx), req.GetOldPassword(), req.GetNewPassword()))
}

func (s *AuthService) SetPreferences(
	ctx context.Context, req *portalv1.SetPreferencesRequest,
) (*portalv1.SetPreferencesResponse, error) {
	changed, err := s.Users.SetPreferences(ctx, session.From(ctx), session.Preferences{
		Zone:      req.GetZone(),
		Language:  req.GetLanguage(),
		Theme:     req.GetTheme(),
		Shortcuts: req.GetShortcuts(),
	})
	return &portalv1.SetPreferencesResponse{Preferences: preferences(changed.Preferences)}, err
}

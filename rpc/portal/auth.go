package portal

import (
	"context"
	"net/http"

	"connectrpc.com/connect"

	"gateway.example/internal/edge"
	"gateway.example/internal/session"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// AuthService serves portal.v1.AuthService.
type AuthService struct{ users *session.Service }

var _ portalv1connect.AuthServiceHandler = (*AuthService)(nil)

// NewAuthService makes the handler.
func NewAuthService(users *session.Service) *AuthService { return &AuthService{users: users} }

func origin(ctx context.Context, header http.Header) session.Origin {
	return session.Origin{Address: edge.Address(ctx), Agent: header.Get("User-Agent")}
}

// Login implements the service.
func (s *AuthService) Login(
	ctx context.Context, req *connect.Request[portalv1.LoginRequest],
) (*connect.Response[portalv1.LoginResponse], error) {
	credentials := session.Credentials{
		Login: req.Msg.GetLogin(), Password: req.Msg.GetPassword(), Code: req.Msg.GetTotpCode(),
	}
	token, err := s.users.Login(ctx, credentials, origin(ctx, req.Header()))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.LoginResponse{
		Token:     token.Bearer,
		Kind:      string(token.Kind),
		ExpiresAt: rpc.Timestamp(token.ExpiresAt),
		State:     string(token.State),
	}), nil
}

// SecondFactor implements the service.
func (s *AuthService) SecondFactor(
	ctx context.Context, req *connect.Request[portalv1.SecondFactorRequest],
) (*connect.Response[portalv1.TokenResponse], error) {
	return tokenResponse(s.users.GiveFactor(ctx, session.From(ctx), session.Factor{Code: req.Msg.GetCode()}))
}

func tokenResponse(opened session.Opened, err error) (*connect.Response[portalv1.TokenResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.TokenResponse{
		Token: opened.Bearer, ExpiresAt: rpc.Timestamp(opened.Session.ExpiresAt),
	}), nil
}

// Logout implements the service.
func (s *AuthService) Logout(
	ctx context.Context, _ *connect.Request[portalv1.LogoutRequest],
) (*connect.Response[portalv1.LogoutResponse], error) {
	return connect.NewResponse(&portalv1.LogoutResponse{}), s.users.End(ctx, session.From(ctx))
}

// GetSession implements the service.
func (s *AuthService) GetSession(
	ctx context.Context, _ *connect.Request[portalv1.GetSessionRequest],
) (*connect.Response[portalv1.GetSessionResponse], error) {
	found, err := s.users.Show(ctx, session.From(ctx))
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
	return connect.NewResponse(out), nil
}

func preferences(p session.Preferences) *portalv1.Preferences {
	out := &portalv1.Preferences{Zone: p.Zone, Theme: p.Theme, Shortcuts: p.Shortcuts}
	if p.Language != "" {
		out.Language = &p.Language
	}
	return out
}

// ListSessions implements the service.
func (s *AuthService) ListSessions(
	ctx context.Context, _ *connect.Request[portalv1.ListSessionsRequest],
) (*connect.Response[portalv1.ListSessionsResponse], error) {
	present := session.From(ctx)
	list, err := s.users.List(ctx, present.Caller, present.ID)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListSessionsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.UserSession{
			Id: one.ID, Door: string(one.Door), Current: one.Current, State: string(one.State),
			CreatedAt: rpc.Timestamp(one.CreatedAt), SeenAt: rpc.Timestamp(one.SeenAt), ExpiresAt: rpc.Timestamp(one.ExpiresAt),
			Agent: one.Agent, Address: one.Address,
		})
	}
	return connect.NewResponse(out), nil
}

// EndSession implements the service.
func (s *AuthService) EndSession(
	ctx context.Context, req *connect.Request[portalv1.EndSessionRequest],
) (*connect.Response[portalv1.EndSessionResponse], error) {
	present := session.From(ctx)
	if req.Msg.Id == nil {
		return connect.NewResponse(&portalv1.EndSessionResponse{}), s.users.EndAll(ctx, present.Caller, present.ID)
	}
	return connect.NewResponse(&portalv1.EndSessionResponse{}), s.users.EndOne(ctx, present.Caller, req.Msg.GetId())
}

// BeginTotp implements the service.
func (s *AuthService) BeginTotp(
	ctx context.Context, _ *connect.Request[portalv1.BeginTotpRequest],
) (*connect.Response[portalv1.BeginTotpResponse], error) {
	offer, err := s.users.BeginTOTP(ctx, session.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.BeginTotpResponse{Secret: offer.Secret, Url: offer.URL}), nil
}

// ConfirmTotp implements the service.
func (s *AuthService) ConfirmTotp(
	ctx context.Context, req *connect.Request[portalv1.ConfirmTotpRequest],
) (*connect.Response[portalv1.ConfirmTotpResponse], error) {
	opened, codes, err := s.users.ConfirmTOTP(ctx, session.From(ctx), req.Msg.GetCode())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ConfirmTotpResponse{
		Token: opened.Bearer, ExpiresAt: rpc.Timestamp(opened.Session.ExpiresAt), RecoveryCodes: codes,
	}), nil
}

// RemoveTotp implements the service.
func (s *AuthService) RemoveTotp(
	ctx context.Context, _ *connect.Request[portalv1.RemoveTotpRequest],
) (*connect.Response[portalv1.RemoveTotpResponse], error) {
	return connect.NewResponse(&portalv1.RemoveTotpResponse{}), s.users.RemoveTOTP(ctx, session.From(ctx))
}

// RenewRecoveryCodes implements the service.
func (s *AuthService) RenewRecoveryCodes(
	ctx context.Context, _ *connect.Request[portalv1.RenewRecoveryCodesRequest],
) (*connect.Response[portalv1.RenewRecoveryCodesResponse], error) {
	codes, err := s.users.RenewRecoveryCodes(ctx, session.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.RenewRecoveryCodesResponse{RecoveryCodes: codes}), nil
}

// ChangePassword implements the service.
func (s *AuthService) ChangePassword(
	ctx context.Context, req *connect.Request[portalv1.ChangePasswordRequest],
) (*connect.Response[portalv1.TokenResponse], error) {
	return tokenResponse(s.users.ChangePassword(ctx, session.From(ctx), req.Msg.GetOldPassword(), req.Msg.GetNewPassword()))
}

// SetPreferences implements the service.
func (s *AuthService) SetPreferences(
	ctx context.Context, req *connect.Request[portalv1.SetPreferencesRequest],
) (*connect.Response[portalv1.SetPreferencesResponse], error) {
	changed, err := s.users.SetPreferences(ctx, session.From(ctx), session.Preferences{
		Zone:      req.Msg.GetZone(),
		Language:  req.Msg.GetLanguage(),
		Theme:     req.Msg.GetTheme(),
		Shortcuts: req.Msg.GetShortcuts(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SetPreferencesResponse{Preferences: preferences(changed.Preferences)}), nil
}

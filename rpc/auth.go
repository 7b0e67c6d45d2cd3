package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway/internal/auth"
	"gateway/internal/limit"
	portalv1 "gateway/rpc/gen/portal/v1"
	"gateway/rpc/gen/portal/v1/portalv1connect"
)

// AuthService serves portal.v1.AuthService.
type AuthService struct {
	users  *auth.Users
	limits *limit.Limits
}

var _ portalv1connect.AuthServiceHandler = (*AuthService)(nil)

// NewAuthService makes the handler.
func NewAuthService(users *auth.Users, limits *limit.Limits) *AuthService {
	return &AuthService{users: users, limits: limits}
}

// Login implements the service. A sign-in counts as a failure until it has succeeded, so that trying in parallel gains
// nothing.
func (s *AuthService) Login(
	ctx context.Context, req *connect.Request[portalv1.LoginRequest],
) (*connect.Response[portalv1.LoginResponse], error) {
	byLogin, err := s.limits.Count(limit.LoginFailures, req.Msg.GetLogin())
	if err != nil {
		return nil, err
	}
	byAddress, err := s.limits.Count(limit.AddressLoginFailures, addressFrom(ctx))
	if err != nil {
		byLogin.Forgive()
		return nil, err
	}
	token, err := s.users.Login(ctx, auth.Credentials{
		Login: req.Msg.GetLogin(), Password: req.Msg.GetPassword(), Code: req.Msg.GetTotpCode(),
	})
	if err != nil {
		return nil, err
	}
	byLogin.Forgive()
	byAddress.Forgive()
	return connect.NewResponse(&portalv1.LoginResponse{
		Token: token.Bearer, Kind: string(token.Kind), ExpiresAt: timestamp(token.ExpiresAt),
	}), nil
}

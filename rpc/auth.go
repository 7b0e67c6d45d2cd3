package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/auth"
	"gateway.example/internal/edge"
	"gateway.example/internal/limit"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
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

// Login implements the service. A sign-in counts as a failure until it has turned out to be none,
// so that trying in parallel gains nothing. One that is refused without a look at its password
// never is.
func (s *AuthService) Login(
	ctx context.Context, req *connect.Request[portalv1.LoginRequest],
) (*connect.Response[portalv1.LoginResponse], error) {
	credentials := auth.Credentials{
		Login: req.Msg.GetLogin(), Password: req.Msg.GetPassword(), Code: req.Msg.GetTotpCode(),
	}
	if err := credentials.Check(ctx); err != nil {
		return nil, err
	}
	forgive, err := s.countFailure(credentials.Login, edge.Address(ctx))
	if err != nil {
		return nil, err
	}
	token, err := s.users.Login(ctx, credentials)
	if !auth.Guessed(err) {
		forgive()
	}
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.LoginResponse{
		Token: token.Bearer, Kind: string(token.Kind), ExpiresAt: timestamp(token.ExpiresAt),
	}), nil
}

// countFailure counts a sign-in under every rule, or under none where one refuses it. A login that
// nobody has counts like any other, so that the limits do not tell which exist.
func (s *AuthService) countFailure(login, address string) (forgive func(), err error) {
	var counted []limit.Call
	forgive = func() {
		for _, call := range counted {
			call.Forgive()
		}
	}
	for _, by := range []struct {
		rule limit.Rule
		who  string
	}{
		{limit.LoginAddressFailures, address + " " + login}, {limit.LoginFailures, login}, {limit.AddressLoginFailures, address},
	} {
		call, err := s.limits.Count(by.rule, by.who)
		if err != nil {
			forgive()
			return nil, err
		}
		counted = append(counted, call)
	}
	return forgive, nil
}

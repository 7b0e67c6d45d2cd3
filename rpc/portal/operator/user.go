package operator

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func userSet(c *portalv1.SettingChange, u session.User) *portalv1.UserResponse {
	return &portalv1.UserResponse{Change: c, Data: userView(u)}
}

// ListUsers implements the service.
func (s *Service) ListUsers(
	ctx context.Context, req *connect.Request[portalv1.ListUsersRequest],
) (*connect.Response[portalv1.ListUsersResponse], error) {
	m := req.Msg
	search := session.UserSearch{
		Text: m.GetSearch(), On: m.SwitchedOn, Kind: caller.Kind(m.GetKind()), MerchantID: m.GetMerchantId(),
		TraderID: m.GetTraderId(),
	}
	search.Limit, search.Cursor = m.Limit, m.Cursor
	list, next, err := s.Users.Users(ctx, caller.From(ctx), search)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListUsersResponse{Data: rpc.Views(list, userView), NextCursor: next}), nil
}

// GetUser implements the service.
func (s *Service) GetUser(
	ctx context.Context, req *connect.Request[portalv1.GetUserRequest],
) (*connect.Response[portalv1.GetUserResponse], error) {
	u, err := s.Users.User(ctx, caller.From(ctx), req.Msg.GetUserId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetUserResponse{Data: userView(u)}), nil
}

func userView(u session.User) *portalv1.User {
	var seen *timestamppb.Timestamp
	if u.Sessions > 0 {
		seen = rpc.Timestamp(u.SeenAt)
	}
	var awaits *timestamppb.Timestamp
	if u.AwaitsUntil != nil {
		awaits = rpc.Timestamp(*u.AwaitsUntil)
	}
	return &portalv1.User{
		AwaitsUntil: awaits,
		Id:          u.ID,
		Kind:        string(u.Kind),
		Role:        string(u.Role),
		Login:       u.Login,
		Enabled:     u.Enabled,
		MerchantId:  u.MerchantID,
		TraderId:    u.TraderID,
		OfName:      u.OfName,
		MerchantIds: u.MerchantIDs,
		HasPassword: u.HasPassword,
		HasTotp:     u.HasTOTP,
		Passkeys:    int32(u.Passkeys),
		Sessions:    int32(u.Sessions),
		SeenAt:      seen,
		CreatedAt:   rpc.Timestamp(u.CreatedAt),
		Version:     u.Version,
	}
}

package operator

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListUsers(ctx context.Context, m *portalv1.ListUsersRequest) (*portalv1.ListUsersResponse, error) {
	search := session.UserSearch{
		Text: m.GetSearch(), On: m.SwitchedOn, Kind: caller.Kind(m.GetKind()), MerchantID: m.GetMerchantId(),
		TraderID: m.GetTraderId(),
	}
	search.Limit, search.Cursor = m.Limit, m.Cursor
	list, next, err := s.Users.Users(ctx, caller.From(ctx), search)
	return &portalv1.ListUsersResponse{Data: rpc.Views(list, userView), NextCursor: next}, err
}

func (s *service) GetUser(ctx context.Context, req *portalv1.GetUserRequest) (*portalv1.GetUserResponse, error) {
	u, err := s.Users.User(ctx, caller.From(ctx), req.GetUserId())
	return &portalv1.GetUserResponse{Data: userView(u)}, err
}

// userView is a user without anything secret: of a password and of second
// factors it says only that there are any. A user without an open session has
// no SeenAt.
func userView(u session.User) *portalv1.User {
	var seen *timestamppb.Timestamp
	if u.Sessions > 0 {
		seen = rpc.Timestamp(u.SeenAt)
	}
	return &portalv1.User{
		AwaitsUntil: rpc.OptionalTime(u.AwaitsUntil),
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

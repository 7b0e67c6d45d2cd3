package portal

import (
	"context"
	"slices"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/session"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// TeamService serves portal.v1.TeamService.
type TeamService struct{ users *session.Service }

var _ portalv1connect.TeamServiceHandler = (*TeamService)(nil)

// NewTeamService makes the handler.
func NewTeamService(users *session.Service) *TeamService { return &TeamService{users} }

// ListMembers implements the service.
func (s *TeamService) ListMembers(
	ctx context.Context, _ *connect.Request[portalv1.ListMembersRequest],
) (*connect.Response[portalv1.ListMembersResponse], error) {
	members, err := s.users.Team(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListMembersResponse{}
	for _, m := range members {
		out.Data = append(out.Data, memberView(m))
	}
	return connect.NewResponse(out), nil
}

// InviteMember implements the service.
func (s *TeamService) InviteMember(
	ctx context.Context, req *connect.Request[portalv1.InviteMemberRequest],
) (*connect.Response[portalv1.InvitationLinkResponse], error) {
	link, err := s.users.InviteMember(ctx, caller.From(ctx), req.Msg.GetLogin(), caller.Role(req.Msg.GetRole()))
	return invitationLink(link, err)
}

// ReinviteMember implements the service.
func (s *TeamService) ReinviteMember(
	ctx context.Context, req *connect.Request[portalv1.ReinviteMemberRequest],
) (*connect.Response[portalv1.InvitationLinkResponse], error) {
	return invitationLink(s.users.ReinviteMember(ctx, caller.From(ctx), req.Msg.GetMemberId()))
}

func invitationLink(link string, err error) (*connect.Response[portalv1.InvitationLinkResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.InvitationLinkResponse{Link: link}), nil
}

// UpdateMember implements the service.
func (s *TeamService) UpdateMember(
	ctx context.Context, req *connect.Request[portalv1.UpdateMemberRequest],
) (*connect.Response[portalv1.MemberResponse], error) {
	update := session.UserUpdate{ID: req.Msg.GetMemberId(), Enabled: req.Msg.Enabled}
	if req.Msg.Role != nil {
		update.Role = new(caller.Role(req.Msg.GetRole()))
	}
	return s.member(ctx, update.ID, s.users.UpdateMember(ctx, caller.From(ctx), update))
}

// AnswerMember implements the service.
func (s *TeamService) AnswerMember(
	ctx context.Context, req *connect.Request[portalv1.AnswerMemberRequest],
) (*connect.Response[portalv1.MemberResponse], error) {
	id := req.Msg.GetMemberId()
	return s.member(ctx, id, s.users.Consent(ctx, caller.From(ctx), id, req.Msg.GetAccept()))
}

// EndMemberSessions implements the service.
func (s *TeamService) EndMemberSessions(
	ctx context.Context, req *connect.Request[portalv1.EndMemberSessionsRequest],
) (*connect.Response[portalv1.MemberResponse], error) {
	id := req.Msg.GetMemberId()
	return s.member(ctx, id, s.users.EndMember(ctx, caller.From(ctx), id))
}

// member answers a change with the user as they are now.
func (s *TeamService) member(
	ctx context.Context, id int64, err error,
) (*connect.Response[portalv1.MemberResponse], error) {
	if err != nil {
		return nil, err
	}
	members, err := s.users.Team(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(members, func(m session.Member) bool { return m.ID == id })
	if at < 0 {
		return nil, fault.ErrNotFound
	}
	return connect.NewResponse(&portalv1.MemberResponse{Data: memberView(members[at])}), nil
}

func memberView(m session.Member) *portalv1.Member {
	out := &portalv1.Member{
		Id: m.ID, Login: m.Login, Role: string(m.Role), Enabled: m.Enabled, Invited: m.Invited,
		SecondFactor: m.Factor, CreatedAt: rpc.Timestamp(m.CreatedAt), Sessions: int32(m.Sessions),
	}
	if m.Sessions > 0 {
		out.SeenAt = rpc.Timestamp(m.SeenAt)
	}
	if m.AwaitsUntil != nil {
		out.AwaitsUntil = rpc.Timestamp(*m.AwaitsUntil)
	}
	return out
}

// ListTeamChanges implements the service.
func (s *TeamService) ListTeamChanges(
	ctx context.Context, req *connect.Request[portalv1.ListTeamChangesRequest],
) (*connect.Response[portalv1.ListTeamChangesResponse], error) {
	list, more, err := s.users.TeamLog(ctx, caller.From(ctx), req.Msg.GetBeforeId())
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListTeamChangesResponse{}
	for _, c := range list {
		out.Data = append(out.Data, &portalv1.TeamChange{
			Id: c.ID, At: rpc.Timestamp(c.At), Login: c.Login, Subject: c.Subject, Key: c.Key,
			Before: optional.Of(string(c.Before)), After: string(c.After),
		})
	}
	if more {
		out.NextBeforeId = new(list[len(list)-1].ID)
	}
	return connect.NewResponse(out), nil
}

// ListTeamSessions implements the service.
func (s *TeamService) ListTeamSessions(
	ctx context.Context, _ *connect.Request[portalv1.ListTeamSessionsRequest],
) (*connect.Response[portalv1.ListTeamSessionsResponse], error) {
	list, err := s.users.TeamSessions(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListTeamSessionsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.TeamSession{
			Login: one.Login, Door: string(one.Door), CreatedAt: rpc.Timestamp(one.CreatedAt),
			SeenAt: rpc.Timestamp(one.SeenAt), Agent: one.Agent, Address: one.Address,
		})
	}
	return connect.NewResponse(out), nil
}

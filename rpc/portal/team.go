package portal

import (
	"context"
	"slices"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/session"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// teamService serves portal.v1.TeamService.
type teamService struct{ users *session.Service }

// NewTeamService makes the handler.
func NewTeamService(users *session.Service) portalv1connect.TeamServiceHandler {
	return &teamService{users}
}

func (s *teamService) ListMembers(
	ctx context.Context, _ *portalv1.ListMembersRequest,
) (*portalv1.ListMembersResponse, error) {
	members, err := s.users.Team(ctx, caller.From(ctx))
	return &portalv1.ListMembersResponse{Data: rpc.Views(members, memberView)}, err
}

func (s *teamService) InviteMember(
	ctx context.Context, req *portalv1.InviteMemberRequest,
) (*portalv1.InvitationLinkResponse, error) {
	link, err := s.users.InviteMember(ctx, caller.From(ctx), req.GetLogin(), caller.Role(req.GetRole()))
	return invitationLink(link, err)
}

func (s *teamService) ReinviteMember(
	ctx context.Context, req *portalv1.ReinviteMemberRequest,
) (*portalv1.InvitationLinkResponse, error) {
	return invitationLink(s.users.ReinviteMember(ctx, caller.From(ctx), req.GetMemberId()))
}

func invitationLink(link string, err error) (*portalv1.InvitationLinkResponse, error) {
	return &portalv1.InvitationLinkResponse{Link: link}, err
}

func (s *teamService) UpdateMember(
	ctx context.Context, req *portalv1.UpdateMemberRequest,
) (*portalv1.MemberResponse, error) {
	update := session.UserUpdate{ID: req.GetMemberId(), Enabled: req.Enabled}
	if req.Role != nil {
		update.Role = new(caller.Role(req.GetRole()))
	}
	return s.member(ctx, update.ID, s.users.UpdateMember(ctx, caller.From(ctx), update))
}

func (s *teamService) AnswerMember(
	ctx context.Context, req *portalv1.AnswerMemberRequest,
) (*portalv1.MemberResponse, error) {
	id := req.GetMemberId()
	return s.member(ctx, id, s.users.Consent(ctx, caller.From(ctx), id, req.GetAccept()))
}

func (s *teamService) EndMemberSessions(
	ctx context.Context, req *portalv1.EndMemberSessionsRequest,
) (*portalv1.MemberResponse, error) {
	id := req.GetMemberId()
	return s.member(ctx, id, s.users.EndMember(ctx, caller.From(ctx), id))
}

// member answers a change with the user as they are now.
func (s *teamService) member(ctx context.Context, id int64, err error) (*portalv1.MemberResponse, error) {
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
	return &portalv1.MemberResponse{Data: memberView(members[at])}, nil
}

func memberView(m session.Member) *portalv1.Member {
	out := &portalv1.Member{
		Id: m.ID, Login: m.Login, Role: string(m.Role), Enabled: m.Enabled, Invited: m.Invited,
		SecondFactor: m.Factor, CreatedAt: rpc.Timestamp(m.CreatedAt), Sessions: int32(m.Sessions),
		AwaitsUntil: rpc.OptionalTime(m.AwaitsUntil),
	}
	if m.Sessions > 0 {
		out.SeenAt = rpc.Timestamp(m.SeenAt)
	}
	return out
}

func (s *teamService) ListTeamChanges(
	ctx context.Context, req *portalv1.ListTeamChangesRequest,
) (*portalv1.ListTeamChangesResponse, error) {
	list, more, err := s.users.TeamLog(ctx, caller.From(ctx), req.GetBeforeId())
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
	return out, nil
}

func (s *teamService) ListTeamSessions(
	ctx context.Context, _ *portalv1.ListTeamSessionsRequest,
) (*portalv1.ListTeamSessionsResponse, error) {
	list, err := s.users.TeamSessions(ctx, caller.From(ctx))
	out := &portalv1.ListTeamSessionsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.TeamSession{
			Login: one.Login, Door: string(one.Door), CreatedAt: rpc.Timestamp(one.CreatedAt),
			SeenAt: rpc.Timestamp(one.SeenAt), Agent: one.Agent, Address: one.Address,
		})
	}
	return out, err
}

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
)

type TeamService struct{ Users *session.Service }

func (s *TeamService) ListMembers(
	ctx context.Context, _ *portalv1.ListMembersRequest,
) (*portalv1.ListMembersResponse, error) {
	members, err := s.Users.Team(ctx, caller.From(ctx))
	return &portalv1.ListMembersResponse{Data: rpc.Views(members, memberView)}, err
}

func (s *TeamService) InviteMember(
	ctx context.Context, req *portalv1.InviteMemberRequest,
) (*portalv1.InvitationLinkResponse, error) {
	link, err := s.Users.InviteMember(ctx, caller.From(ctx), req.GetLogin(), caller.Role(req.GetRole()))
	return invitationLink(link, err)
}

func (s *TeamService) ReinviteMember(
	ctx context.Context, req *portalv1.ReinviteMemberRequest,
) (*portalv1.InvitationLinkResponse, error) {
	return invitationLink(s.Users.ReinviteMember(ctx, caller.From(ctx), req.GetMemberId()))
}

func invitationLink(link string, err error) (*portalv1.InvitationLinkResponse, error) {
	return &portalv1.InvitationLinkResponse{Link: link}, err
}

func (s *TeamService) UpdateMember(
	ctx context.Context, req *portalv1.UpdateMemberRequest,
) (*portalv1.MemberResponse, error) {
	update := session.UserUpdate{ID: req.GetMemberId(), Enabled: req.Enabled}
	if req.Role != nil {
		update.Role = new(caller.Role(req.GetRole()))
	}
	return s.member(ctx, update.ID, s.Users.UpdateMember(ctx, caller.From(ctx), update))
}

func (s *TeamService) AnswerMember(
	ctx context.Context, req *portalv1.AnswerMemberRequest,
) (*portalv1.MemberResponse, error) {
	id := req.GetMemberId()
	return s.member(ctx, id, s.Users.Consent(ctx, caller.From(ctx), id, req.GetAccept()))
}

func (s *TeamService) EndMemberSessions(
	ctx context.Context, req *portalv1.EndMemberSessionsRequest,
) (*portalv1.MemberResponse, error) {
	id := req.GetMemberId()
	return s.member(ctx, id, s.Users.EndMember(ctx, caller.From(ctx), id))
}

// member answers a change with the user as they are now.
func (s *TeamService) member(ctx context.Context, id int64, err error) (*portalv1.MemberResponse, error) {
	if err != nil {
		return nil, err
	}
	members, err := s.Users.Team(ctx, caller.From(ctx))
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

func (s *TeamService) ListTeamChanges(
	ctx context.Context, req *portalv1.ListTeamChangesRequest,
) (*portalv1.ListTeamChangesResponse, error) {
	list, more, err := s.Users.TeamLog(ctx, caller.From(ctx), req.GetBeforeId())
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

func (s *TeamService) ListTeamSessions(
	ctx context.Context, _ *portalv1.ListTeamSessionsRequest,
) (*portalv1.ListTeamSessionsResponse, error) {
	list, err := s.Users.TeamSessions(ctx, caller.From(ctx))
	out := &portalv1.ListTeamSessionsResponse{}
	for _, one := range list {
		out.Data = append(out.Data, &portalv1.TeamSession{
			Login: one.Login, Door: string(one.Door), CreatedAt: rpc.Timestamp(one.CreatedAt),
			SeenAt: rpc.Timestamp(one.SeenAt), Agent: one.Agent, Address: one.Address,
		})
	}
	return out, err
}

package portal

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// NotificationService serves portal.v1.NotificationService.
type NotificationService struct{ notices *notify.Service }

var _ portalv1connect.NotificationServiceHandler = (*NotificationService)(nil)

// NewNotificationService makes the handler.
func NewNotificationService(notices *notify.Service) *NotificationService {
	return &NotificationService{notices}
}

// GetNotifications implements the service.
func (s *NotificationService) GetNotifications(
	ctx context.Context, _ *connect.Request[portalv1.GetNotificationsRequest],
) (*connect.Response[portalv1.GetNotificationsResponse], error) {
	own, err := s.notices.Own(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetNotificationsResponse{
		Channels: rpc.Views(own.Lines, notificationChannel), Choices: rpc.Views(own.Choices, notificationChoice),
		Sent: rpc.Views(own.Sent, notificationSent), Zone: own.Zone, PushKey: own.PushKey,
	}
	for _, way := range own.Channels {
		out.Ways = append(out.Ways, string(way))
	}
	if own.QuietFrom != nil && own.QuietUntil != nil {
		out.QuietHours = &portalv1.QuietHours{From: ofDay(*own.QuietFrom), Until: ofDay(*own.QuietUntil)}
	}
	if own.MutedUntil != nil {
		out.MutedUntil = timestamppb.New(*own.MutedUntil)
	}
	return connect.NewResponse(out), nil
}

func notificationChannel(l notify.Line) *portalv1.NotificationChannel {
	return &portalv1.NotificationChannel{
		ChannelId: l.ID, Way: string(l.Channel), Label: l.Label, Confirmed: l.Confirmed, Ended: l.Ended,
		CreatedAt: timestamppb.New(l.CreatedAt),
	}
}

func notificationChoice(c notify.Choice) *portalv1.NotificationChoice {
	return &portalv1.NotificationChoice{Kind: string(c.Kind), Way: string(c.Channel), Wanted: c.Wanted}
}

func notificationSent(one notify.Sent) *portalv1.NotificationSent {
	return &portalv1.NotificationSent{
		Way: string(one.Channel), Label: one.Label, Kind: string(one.Kind), Count: int32(one.Count),
		At: timestamppb.New(one.At), Outcome: one.Outcome, Problem: string(one.Problem),
	}
}

// ofDay is a time of the day as people write it.
func ofDay(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// UpdateNotifications implements the service.
func (s *NotificationService) UpdateNotifications(
	ctx context.Context, req *connect.Request[portalv1.UpdateNotificationsRequest],
) (*connect.Response[portalv1.UpdateNotificationsResponse], error) {
	var update notify.Update
	for _, c := range req.Msg.GetChoices() {
		update.Choices = append(update.Choices, notify.Choice{
			Kind: notify.Kind(c.GetKind()), Channel: notify.Channel(c.GetWay()), Wanted: c.GetWanted(),
		})
	}
	if quiet := req.Msg.GetQuietHours(); quiet == nil {
		update.KeepQuiet = true
	} else {
		f := fault.Decoded(ctx)
		update.QuietFrom, update.QuietUntil = minutesOf("quietHours.from", quiet.GetFrom(), f), minutesOf("quietHours.until", quiet.GetUntil(), f)
		if err := f.Err(); err != nil {
			return nil, err
		}
	}
	if err := s.notices.Set(ctx, caller.From(ctx), update); err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.UpdateNotificationsResponse{}), nil
}

// minutesOf reads a time of the day; none is nil.
func minutesOf(field, text string, f fault.Fields) *int {
	if text == "" || f.Wrong(field) {
		return nil
	}
	at, err := time.Parse("15:04", text)
	f.Check(err == nil, field, "must be a time such as 22:00")
	return new(at.Hour()*60 + at.Minute())
}

// LinkTelegram implements the service.
func (s *NotificationService) LinkTelegram(
	ctx context.Context, _ *connect.Request[portalv1.LinkTelegramRequest],
) (*connect.Response[portalv1.LinkTelegramResponse], error) {
	url, err := s.notices.LinkTelegram(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.LinkTelegramResponse{Url: url}), nil
}

// AddMail implements the service.
func (s *NotificationService) AddMail(
	ctx context.Context, req *connect.Request[portalv1.AddMailRequest],
) (*connect.Response[portalv1.AddMailResponse], error) {
	return unless[portalv1.AddMailResponse](s.notices.AddMail(ctx, caller.From(ctx), req.Msg.GetAddress()))
}

// ConfirmMail implements the service.
func (s *NotificationService) ConfirmMail(
	ctx context.Context, req *connect.Request[portalv1.ConfirmMailRequest],
) (*connect.Response[portalv1.ConfirmMailResponse], error) {
	return unless[portalv1.ConfirmMailResponse](s.notices.ConfirmMail(ctx, caller.From(ctx), req.Msg.GetCode()))
}

// AddPush implements the service.
func (s *NotificationService) AddPush(
	ctx context.Context, req *connect.Request[portalv1.AddPushRequest],
) (*connect.Response[portalv1.AddPushResponse], error) {
	return unless[portalv1.AddPushResponse](
		s.notices.AddPush(ctx, caller.From(ctx), req.Msg.GetSubscription(), req.Msg.GetLabel()))
}

// RemoveChannel implements the service.
func (s *NotificationService) RemoveChannel(
	ctx context.Context, req *connect.Request[portalv1.RemoveChannelRequest],
) (*connect.Response[portalv1.RemoveChannelResponse], error) {
	return unless[portalv1.RemoveChannelResponse](s.notices.Remove(ctx, caller.From(ctx), req.Msg.GetChannelId()))
}

// SendTrial implements the service.
func (s *NotificationService) SendTrial(
	ctx context.Context, _ *connect.Request[portalv1.SendTrialRequest],
) (*connect.Response[portalv1.SendTrialResponse], error) {
	return unless[portalv1.SendTrialResponse](s.notices.Try(ctx, caller.From(ctx)))
}

// unless is the empty answer of what has nothing to say, unless it failed.
func unless[M any](err error) (*connect.Response[M], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(new(M)), nil
}

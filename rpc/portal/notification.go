package portal

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type NotificationService struct{ Notices *notify.Service }

func (s *NotificationService) GetNotifications(
	ctx context.Context, _ *portalv1.GetNotificationsRequest,
) (*portalv1.GetNotificationsResponse, error) {
	own, err := s.Notices.Own(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetNotificationsResponse{
		Channels: rpc.Views(own.Lines, notificationChannel), Choices: rpc.Views(own.Choices, notificationChoice),
		Sent: rpc.Views(own.Sent, notificationSent), Zone: own.Zone, PushKey: own.PushKey,
	}
	if own.MutedUntil != nil {
		out.MutedUntil = timestamppb.New(*own.MutedUntil)
	}
	for _, way := range own.Channels {
		out.Ways = append(out.Ways, string(way))
	}
	if own.QuietFrom != nil && own.QuietUntil != nil {
		out.QuietHours = &portalv1.QuietHours{From: ofDay(*own.QuietFrom), Until: ofDay(*own.QuietUntil)}
	}
	return out, nil
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

func (s *NotificationService) UpdateNotifications(
	ctx context.Context, req *portalv1.UpdateNotificationsRequest,
) (*portalv1.UpdateNotificationsResponse, error) {
	var update notify.Update
	for _, c := range req.GetChoices() {
		update.Choices = append(update.Choices, notify.Choice{
			Kind: notify.Kind(c.GetKind()), Channel: notify.Channel(c.GetWay()), Wanted: c.GetWanted(),
		})
	}
	if quiet := req.GetQuietHours(); quiet == nil {
		update.KeepQuiet = true
	} else {
		f := fault.Decoded(ctx)
		update.QuietFrom, update.QuietUntil = minutesOf("quietHours.from", quiet.GetFrom(), f), minutesOf("quietHours.until", quiet.GetUntil(), f)
		if err := f.Err(); err != nil {
			return nil, err
		}
	}
	return &portalv1.UpdateNotificationsResponse{}, s.Notices.Set(ctx, caller.From(ctx), update)
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

func (s *NotificationService) LinkTelegram(
	ctx context.Context, _ *portalv1.LinkTelegramRequest,
) (*portalv1.LinkTelegramResponse, error) {
	url, err := s.Notices.LinkTelegram(ctx, caller.From(ctx))
	return &portalv1.LinkTelegramResponse{Url: url}, err
}

func (s *NotificationService) AddMail(
	ctx context.Context, req *portalv1.AddMailRequest,
) (*portalv1.AddMailResponse, error) {
	return &portalv1.AddMailResponse{}, s.Notices.AddMail(ctx, caller.From(ctx), req.GetAddress())
}

func (s *NotificationService) ConfirmMail(
	ctx context.Context, req *portalv1.ConfirmMailRequest,
) (*portalv1.ConfirmMailResponse, error) {
	return &portalv1.ConfirmMailResponse{}, s.Notices.ConfirmMail(ctx, caller.From(ctx), req.GetCode())
}

func (s *NotificationService) AddPush(
	ctx context.Context, req *portalv1.AddPushRequest,
) (*portalv1.AddPushResponse, error) {
	return &portalv1.AddPushResponse{}, s.Notices.AddPush(ctx, caller.From(ctx), req.GetSubscription(), req.GetLabel())
}

func (s *NotificationService) RemoveChannel(
	ctx context.Context, req *portalv1.RemoveChannelRequest,
) (*portalv1.RemoveChannelResponse, error) {
	return &portalv1.RemoveChannelResponse{}, s.Notices.Remove(ctx, caller.From(ctx), req.GetChannelId())
}

func (s *NotificationService) SendTrial(
	ctx context.Context, _ *portalv1.SendTrialRequest,
) (*portalv1.SendTrialResponse, error) {
	return &portalv1.SendTrialResponse{}, s.Notices.Try(ctx, caller.From(ctx))
}

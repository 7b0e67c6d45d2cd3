package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ExplainRate implements the service.
func (s *Service) ExplainRate(
	ctx context.Context, req *connect.Request[portalv1.ExplainRateRequest],
) (*connect.Response[portalv1.ExplainRateResponse], error) {
	return rateAnswer(s.Sums.Payment(ctx, caller.From(ctx), req.Msg.GetPaymentId()))
}

// QuoteRate implements the service.
func (s *Service) QuoteRate(
	ctx context.Context, req *connect.Request[portalv1.QuoteRateRequest],
) (*connect.Response[portalv1.ExplainRateResponse], error) {
	return rateAnswer(s.Sums.Quote(ctx, caller.From(ctx), rate.Question{
		Currency: req.Msg.GetCurrency(), Amount: req.Msg.GetAmount(), Markup: req.Msg.GetMarkup(),
		TraderShare: req.Msg.GetTraderShare(),
	}))
}

func rateAnswer(answer rate.Answer, err error) (*connect.Response[portalv1.ExplainRateResponse], error) {
	if err != nil {
		return nil, err
	}
	out := &portalv1.ExplainRateResponse{
		PaymentId: answer.PaymentID, RateSource: answer.RateSource,
		RateObservedAt:  rpc.OptionalTime(answer.RateObservedAt),
		RateUnavailable: answer.RateUnavailable, MarkupSource: answer.MarkupSource,
	}
	for _, step := range answer.Steps {
		out.Steps = append(out.Steps, &portalv1.RateStep{Name: step.Name, Formula: step.Formula, Value: step.Value})
	}
	return connect.NewResponse(out), nil
}

// SetRate implements the service.
func (s *Service) SetRate(
	ctx context.Context, req *connect.Request[portalv1.SetRateRequest],
) (*connect.Response[portalv1.SetRateResponse], error) {
	done, err := s.Proposals.Do(ctx, caller.From(ctx), proposal.SetRate, proposal.Payload{
		Currency: req.Msg.GetCurrency(), FiatPerUSDT: req.Msg.GetFiatPerUsdt(), ValidSeconds: req.Msg.ValidSeconds,
	}, req.Msg.GetReason())
	if err != nil {
		return nil, err
	}
	if done.Proposal != nil {
		return connect.NewResponse(&portalv1.SetRateResponse{Proposal: proposalView(*done.Proposal)}), nil
	}
	return connect.NewResponse(&portalv1.SetRateResponse{Data: rateView(*done.Rate)}), nil
}

// SetRateFeed implements the service.
func (s *Service) SetRateFeed(
	ctx context.Context, req *connect.Request[portalv1.SetRateFeedRequest],
) (*connect.Response[portalv1.SetRateFeedResponse], error) {
	m := req.Msg.GetFeed()
	feed, err := s.Rates.SetFeed(ctx, caller.From(ctx), rate.Feed{
		ID:             m.GetFeedId(),
		Currency:       m.GetCurrency(),
		Enabled:        m.GetEnabled(),
		Priority:       m.GetPriority(),
		URL:            m.GetUrl(),
		Pointer:        m.GetPointer(),
		PollSeconds:    m.GetPollSeconds(),
		TimeoutMS:      m.GetTimeoutMs(),
		BandPercent:    m.GetBandPercent(),
		DayBandPercent: m.GetDayBandPercent(),
		FreshSeconds:   m.GetFreshSeconds(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SetRateFeedResponse{Data: feedView(feed)}), nil
}

// ListRates implements the service.
func (s *Service) ListRates(
	ctx context.Context, _ *connect.Request[portalv1.ListRatesRequest],
) (*connect.Response[portalv1.ListRatesResponse], error) {
	rates, feeds, err := s.Rates.List(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListRatesResponse{}
	for _, known := range rates {
		out.Rates = append(out.Rates, rateView(known))
	}
	for _, state := range feeds {
		out.Feeds = append(out.Feeds, &portalv1.RateFeedState{
			Feed: feedView(state.Feed), PolledAt: rpc.OptionalTime(state.PolledAt), Error: state.Error,
			GoodAt: rpc.OptionalTime(state.GoodAt), FailedAt: rpc.OptionalTime(state.FailedAt),
			LastError: optional.Of(state.LastError), Failures: state.Failures,
		})
	}
	return connect.NewResponse(out), nil
}

func rateView(known rate.Known) *portalv1.Rate {
	return &portalv1.Rate{
		Currency:    known.Currency,
		Source:      known.Source,
		Priority:    known.Priority,
		FiatPerUsdt: money.Rate(known.FiatPerUSDT),
		ObservedAt:  rpc.Timestamp(known.ObservedAt),
		StaleAt:     rpc.OptionalTime(known.StaleAt),
		InUse:       known.InUse,
	}
}

func feedView(feed rate.Feed) *portalv1.RateFeed {
	return &portalv1.RateFeed{
		FeedId: &feed.ID, Currency: feed.Currency, Enabled: feed.Enabled, Priority: feed.Priority, Url: feed.URL,
		Pointer: feed.Pointer, PollSeconds: feed.PollSeconds, TimeoutMs: feed.TimeoutMS, BandPercent: feed.BandPercent,
		DayBandPercent: feed.DayBandPercent, FreshSeconds: feed.FreshSeconds,
	}
}

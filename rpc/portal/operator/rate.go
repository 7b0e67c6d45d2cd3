package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ExplainRate(
	ctx context.Context, req *portalv1.ExplainRateRequest,
) (*portalv1.ExplainRateResponse, error) {
	return rateAnswer(s.Sums.Payment(ctx, caller.From(ctx), req.GetPaymentId()))
}

func (s *service) QuoteRate(
	ctx context.Context, req *portalv1.QuoteRateRequest,
) (*portalv1.ExplainRateResponse, error) {
	return rateAnswer(s.Sums.Quote(ctx, caller.From(ctx), rate.Question{
		Currency: req.GetCurrency(), Amount: req.GetAmount(), Markup: req.GetMarkup(),
		TraderShare: req.GetTraderShare(),
	}))
}

func rateAnswer(answer rate.Answer, err error) (*portalv1.ExplainRateResponse, error) {
	out := &portalv1.ExplainRateResponse{
		PaymentId: answer.PaymentID, RateSource: answer.RateSource,
		RateObservedAt:  rpc.OptionalTime(answer.RateObservedAt),
		RateUnavailable: answer.RateUnavailable, MarkupSource: answer.MarkupSource,
	}
	for _, step := range answer.Steps {
		out.Steps = append(out.Steps, &portalv1.RateStep{Name: step.Name, Formula: step.Formula, Value: step.Value})
	}
	return out, err
}

func (s *service) SetRate(ctx context.Context, req *portalv1.SetRateRequest) (*portalv1.SetRateResponse, error) {
	done, err := s.Proposals.Do(ctx, caller.From(ctx), proposal.SetRate, proposal.Payload{
		Currency: req.GetCurrency(), FiatPerUSDT: req.GetFiatPerUsdt(), ValidSeconds: req.ValidSeconds,
	}, req.GetReason())
	if err != nil {
		return nil, err
	}
	if done.Proposal != nil {
		return &portalv1.SetRateResponse{Proposal: proposalView(*done.Proposal)}, nil
	}
	return &portalv1.SetRateResponse{Data: rateView(*done.Rate)}, nil
}

func (s *service) SetRateFeed(
	ctx context.Context, req *portalv1.SetRateFeedRequest,
) (*portalv1.SetRateFeedResponse, error) {
	m := req.GetFeed()
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
	return &portalv1.SetRateFeedResponse{Data: feedView(feed)}, err
}

func (s *service) ListRates(ctx context.Context, _ *portalv1.ListRatesRequest) (*portalv1.ListRatesResponse, error) {
	rates, feeds, err := s.Rates.List(ctx, caller.From(ctx))
	out := &portalv1.ListRatesResponse{Rates: rpc.Views(rates, rateView)}
	for _, state := range feeds {
		out.Feeds = append(out.Feeds, &portalv1.RateFeedState{
			Feed: feedView(state.Feed), PolledAt: rpc.OptionalTime(state.PolledAt), Error: state.Error,
			GoodAt: rpc.OptionalTime(state.GoodAt), FailedAt: rpc.OptionalTime(state.FailedAt),
			LastError: optional.Of(state.LastError), Failures: state.Failures,
		})
	}
	return out, err
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

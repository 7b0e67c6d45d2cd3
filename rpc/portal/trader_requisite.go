package portal

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/internal/setting"
	"gateway.example/internal/timeline"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// deskCounts is where counting stops.
const deskCounts = 100

func (s *TraderService) GetDesk(ctx context.Context, _ *portalv1.GetDeskRequest) (*portalv1.GetDeskResponse, error) {
	who := caller.From(ctx)
	onBreak, err := s.Settings.Break(ctx, who)
	if err != nil {
		return nil, err
	}
	open, err := s.Payments.DeskCount(ctx, who, deskCounts)
	if err != nil {
		return nil, err
	}
	payouts, err := s.Payouts.DeskCounts(ctx, who, deskCounts)
	if err != nil {
		return nil, err
	}
	out := &portalv1.GetDeskResponse{
		OnBreak: onBreak, OpenPayments: int32(open),
		TakenPayins: int32(payouts.Taken), WaitingPayins: int32(payouts.Waiting),
	}
	if who.May(caller.TraderMoney) {
		balance, err := s.Settings.OwnBalance(ctx, who)
		if err != nil {
			return nil, err
		}
		out.AvailableUsdt, out.ReservedUsdt = new(money.USDT(balance.Available)), new(money.USDT(balance.Reserved))
	}
	return out, nil
}

func (s *TraderService) SetBreak(
	ctx context.Context, req *portalv1.SetBreakRequest,
) (*portalv1.SetBreakResponse, error) {
	on := req.GetOnBreak()
	return &portalv1.SetBreakResponse{OnBreak: on}, s.Settings.SetBreak(ctx, caller.From(ctx), on)
}

func (s *TraderService) ListRequisites(
	ctx context.Context, m *portalv1.TraderServiceListRequisitesRequest,
) (*portalv1.TraderServiceListRequisitesResponse, error) {
	if m.Search == nil && m.Limit == nil && m.Cursor == nil {
		list, err := s.Settings.ListOwnRequisites(ctx, caller.From(ctx))
		return &portalv1.TraderServiceListRequisitesResponse{Data: rpc.Views(list, ownRequisite)}, err
	}
	query := directory.OwnQuery{Search: m.GetSearch()}
	query.Limit, query.Cursor = m.Limit, m.Cursor
	list, next, err := s.Settings.OwnPage(ctx, caller.From(ctx), query)
	return &portalv1.TraderServiceListRequisitesResponse{Data: rpc.Views(list, ownRequisite), NextCursor: next}, err
}

func (s *TraderService) UpdateRequisite(
	ctx context.Context, req *portalv1.TraderServiceUpdateRequisiteRequest,
) (*portalv1.TraderServiceUpdateRequisiteResponse, error) {
	own, err := s.Settings.UpdateOwnRequisite(ctx, caller.From(ctx), req.GetRequisiteId(), directory.OwnUpdate{
		Enabled: req.Enabled, Limits: ownLimits(req.GetLimits()),
	})
	return &portalv1.TraderServiceUpdateRequisiteResponse{Data: ownRequisite(own)}, err
}

func ownLimits(l *portalv1.OwnRequisiteLimits) (set directory.Limits) {
	if l != nil {
		setting.Requisite.Fill(&set, l)
	}
	return set
}

// ownRequisite is a requisite for its trader, with three sets of limits: the
// operators', their own, and those that result from both. Value has only the
// last digits if the caller may not see the whole.
func ownRequisite(own directory.OwnRequisite) *portalv1.OwnRequisite {
	return &portalv1.OwnRequisite{
		Id:                own.ID,
		Currency:          own.Currency,
		Method:            own.Method,
		Value:             own.Value,
		Masked:            own.Masked,
		Holder:            own.Holder,
		Bank:              own.Bank,
		Enabled:           own.Enabled,
		EnabledByOperator: own.EnabledByOperator,
		OperatorLimits:    OwnLimits(own.Set),
		OwnLimits:         OwnLimits(own.Own),
		EffectiveLimits:   OwnLimits(own.Effective),
		Use: &portalv1.RequisiteUse{
			Day: own.Use.Day.Format(time.DateOnly), Count: own.Use.Count, Sum: money.Fiat(own.Use.Sum),
			OpenPayments: own.Use.OpenPayments, LastUsedAt: rpc.OptionalTime(own.Use.LastUsedAt),
		},
	}
}

func OwnLimits(l directory.RequisiteLimits) *portalv1.OwnRequisiteLimits {
	return &portalv1.OwnRequisiteLimits{
		MinAmount:    rpc.OptionalFiat(l.MinAmount),
		MaxAmount:    rpc.OptionalFiat(l.MaxAmount),
		DailyCount:   l.DailyCount,
		DailySum:     rpc.OptionalFiat(l.DailySum),
		OpenPayments: l.OpenPayments,
		WorkFrom:     optional.Of(l.WorkFrom),
		WorkUntil:    optional.Of(l.WorkUntil),
		TimeZone:     optional.Of(l.TimeZone),
	}
}

func (s *TraderService) ExplainRequisites(
	ctx context.Context, req *portalv1.ExplainRequisitesRequest,
) (*portalv1.ExplainRequisitesResponse, error) {
	list, err := s.Payments.ExplainForTrader(ctx, caller.From(ctx), req.GetRequisiteId())
	return Explanations(list, err)
}

// Explanations say why requisites get payments, or why not.
func Explanations(list []payment.RequisiteExplanation, err error) (*portalv1.ExplainRequisitesResponse, error) {
	return &portalv1.ExplainRequisitesResponse{Data: rpc.Views(list, explanation)}, err
}

// explanation says whether a requisite gets payments, and if not, all the
// reasons. Both amounts of USDT are missing for a user of the trader who may
// not see money, and HoldUsdt also where there is no rate.
func explanation(e payment.RequisiteExplanation) *portalv1.RequisiteExplanation {
	return &portalv1.RequisiteExplanation{
		RequisiteId:           e.RequisiteID,
		Currency:              e.Currency,
		Method:                e.Method,
		Free:                  e.Free,
		Amount:                money.Fiat(e.Amount),
		HoldUsdt:              rpc.OptionalNumber(e.Hold, money.USDT),
		AvailableUsdt:         rpc.OptionalNumber(e.Available, money.USDT),
		NoRate:                e.NoRate,
		TakenByMerchants:      e.Taken,
		OutsidePlatformLimits: e.OutsidePlatform,
		LastUsedAt:            rpc.OptionalTime(e.LastUsedAt),
		Drops:                 rpc.Views(e.Drops, requisiteDrop),
	}
}

func requisiteDrop(d routing.Drop) *portalv1.RequisiteDrop {
	write := numberOf(d.Rule)
	return &portalv1.RequisiteDrop{
		Rule: string(d.Rule), Limit: rpc.OptionalNumber(d.Limit, write), Used: rpc.OptionalNumber(d.Used, write),
		FreeAt: rpc.OptionalTime(d.FreeAt),
	}
}

// numberOf says how a rule's numbers are formatted: as payments, USDT, or fiat.
func numberOf(rule routing.Rule) func(decimal.Decimal) string {
	switch rule {
	case routing.DailyCount, routing.OpenLimit:
		return decimal.Decimal.String
	case routing.TraderShort:
		return money.USDT
	default:
		return money.Fiat
	}
}

// PassedBy are the requisites that a choice passed by.
func PassedBy(list []timeline.PassedBy) []*portalv1.PassedBy {
	return rpc.Views(list, func(p timeline.PassedBy) *portalv1.PassedBy {
		return &portalv1.PassedBy{Rule: p.Rule, RequisiteIds: p.Requisites}
	})
}

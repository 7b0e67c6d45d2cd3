package report

import (
	"time"

	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/timeline"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func timelineResponse(lines []timeline.Line, err error) (*portalv1.TimelineResponse, error) {
	return &portalv1.TimelineResponse{Data: rpc.Views(lines, timelineLine)}, err
}

// timelineLine is a line of any kind. Which of the parts it has depends on its
// kind, and the service has left out what the caller may not see.
func timelineLine(line timeline.Line) *portalv1.TimelineLine {
	return &portalv1.TimelineLine{
		At:         rpc.Timestamp(line.At),
		Kind:       string(line.Kind),
		Actor:      line.Actor,
		What:       line.What,
		FromStatus: optional.Of(line.From),
		ToStatus:   optional.Of(line.To),
		Reason:     optional.Of(line.Reason),
		Request:    rpc.Maybe(line.Request, timelineRequest),
		Choice:     rpc.Maybe(line.Choice, timelineChoice),
		Rate:       rpc.Maybe(line.Rate, timelineRate),
		Transfer:   rpc.Maybe(line.Transfer, timelineTransfer),
		Webhook:    timelineWebhook(line.What, line.Webhook),
		File:       rpc.Maybe(line.File, timelineFile),
		CardLast4:  optional.Of(line.Last4),
		CardBrand:  optional.Of(line.Brand),
		By:         optional.Of(line.By),
		Page:       optional.Of(line.Page),
		Agent:      optional.Of(line.Agent),

		ReceivedAmount: rpc.OptionalFiat(line.Received),
	}
}

// timelineRequest is what was asked for when a payment or a payout was made.
// Only a payout has an AddressMask: the last digits of the recipient's
// requisite.
func timelineRequest(r timeline.Request) *portalv1.TimelineRequest {
	return &portalv1.TimelineRequest{
		Method:         r.Method,
		Currency:       r.Currency,
		Amount:         money.Fiat(r.Amount),
		ExpiresAt:      rpc.Timestamp(r.ExpiresAt),
		OrderId:        optional.Of(r.OrderID),
		CallbackUri:    optional.Of(r.CallbackURI),
		RequestId:      optional.Of(r.RequestID),
		RequestAddress: optional.Of(r.Address),
		AddressMask:    optional.Of(r.AddressMask),
	}
}

// timelineChoice is which requisite a payment got. Pool, Looked and Passed say
// how it was found, and only operators get them.
func timelineChoice(c timeline.Choice) *portalv1.TimelineChoice {
	return &portalv1.TimelineChoice{
		TraderId:    optional.Of(c.TraderID),
		RequisiteId: optional.Of(c.RequisiteID),
		Type:        optional.Of(c.Type),
		Value:       optional.Of(c.Value),
		Holder:      optional.Of(c.Holder),
		Bank:        optional.Of(c.Bank),
		Pool:        c.Pool,
		Looked:      c.Looked,
		Passed:      portal.PassedBy(c.Passed),
	}
}

// timelineRate is how a sum in USDT was calculated. A number that is missing
// was not known, or is not the caller's to see.
func timelineRate(r timeline.Rate) *portalv1.TimelineRate {
	return &portalv1.TimelineRate{
		Source:        optional.Of(r.Source),
		ObservedAt:    rpc.OptionalTime(r.ObservedAt),
		Unavailable:   r.Unavailable,
		BaseRate:      rpc.Number(r.Base, money.Rate),
		MarkupPercent: rpc.Number(r.Markup, money.Plain),
		MarkupSource:  optional.Of(r.MarkupSource),
		SpotUsdt:      shownUSDT(r.Spot),
		AmountUsdt:    shownUSDT(r.Amount),
		ProfitUsdt:    shownUSDT(r.Profit),
		SharePercent:  rpc.Number(r.SharePercent, money.Plain),
		TraderUsdt:    shownUSDT(r.Trader),
		PlatformUsdt:  shownUSDT(r.Platform),
		HoldUsdt:      shownUSDT(r.Hold),
	}
}

func timelineTransfer(m timeline.Transfer) *portalv1.TimelineTransfer {
	return &portalv1.TimelineTransfer{
		TransferId: m.ID, Kind: m.Kind, Amount: money.USDT(m.Amount), Account: accountView(m.Account),
		Direction: direction(m.Credit), Other: rpc.Maybe(m.Other, accountView),
	}
}

func timelineFile(f timeline.File) *portalv1.TimelineFile {
	return &portalv1.TimelineFile{Number: optional.Of(f.Number), Type: f.Type, Size: f.Size}
}

// timelineWebhook is what a line says of a webhook, or nil for a line about
// something else. Only an attempt has a duration, because an event by itself
// takes no time.
func timelineWebhook(what string, w *timeline.Webhook) *portalv1.TimelineWebhook {
	if w == nil {
		return nil
	}
	out := &portalv1.TimelineWebhook{
		EventId: w.EventID.String(), Type: w.Type, Sequence: w.Sequence, Status: optional.Of(w.Status),
		Url: optional.Of(w.URL), StatusCode: w.StatusCode, Answer: w.Answer, Error: optional.Of(w.Error),
	}
	if what == timeline.WhatAttempt {
		out.DurationMs = new(int32(w.Took / time.Millisecond))
	}
	return out
}

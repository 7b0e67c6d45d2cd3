package portal

import (
	"context"

	"connectrpc.com/connect"
	"github.com/shopspring/decimal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// CreateDevice implements the service.
func (s *TraderService) CreateDevice(
	ctx context.Context, req *connect.Request[portalv1.CreateDeviceRequest],
) (*connect.Response[portalv1.CreateDeviceResponse], error) {
	made, err := s.messages.CreateDevice(ctx, caller.From(ctx), req.Msg.GetName())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CreateDeviceResponse{Device: deviceView(made.Device), Secret: made.Secret}), nil
}

// ListDevices implements the service.
func (s *TraderService) ListDevices(
	ctx context.Context, _ *connect.Request[portalv1.ListDevicesRequest],
) (*connect.Response[portalv1.ListDevicesResponse], error) {
	list, err := s.messages.ListDevices(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListDevicesResponse{Data: rpc.Views(list, deviceView)}), nil
}

// RevokeDevice implements the service.
func (s *TraderService) RevokeDevice(
	ctx context.Context, req *connect.Request[portalv1.RevokeDeviceRequest],
) (*connect.Response[portalv1.RevokeDeviceResponse], error) {
	if err := s.messages.RevokeDevice(ctx, caller.From(ctx), req.Msg.GetDeviceId()); err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.RevokeDeviceResponse{}), nil
}

func deviceView(d bankmessage.Device) *portalv1.Device {
	return &portalv1.Device{
		Id: d.ID, Name: d.Name, Key: d.Key, CreatedAt: rpc.Timestamp(d.CreatedAt), HeardAt: rpc.OptionalTime(d.HeardAt),
		RevokedAt: rpc.OptionalTime(d.RevokedAt),
	}
}

// ListMessages implements the service.
func (s *TraderService) ListMessages(
	ctx context.Context, req *connect.Request[portalv1.ListMessagesRequest],
) (*connect.Response[portalv1.ListMessagesResponse], error) {
	page := bankmessage.Page{Waiting: req.Msg.GetWaiting()}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.messages.List(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListMessagesResponse{Data: rpc.Views(list, MessageView), NextCursor: cursor}), nil
}

// MessageView is a message of a bank.
func MessageView(m bankmessage.Message) *portalv1.BankMessage {
	fiat := func(d *decimal.Decimal) *string {
		if d == nil {
			return nil
		}
		return new(d.StringFixed(money.FiatDecimals))
	}
	decided := func(s string) *string {
		if m.Outcome == "" {
			return nil
		}
		return &s
	}
	return &portalv1.BankMessage{
		Id: m.ID, DeviceId: m.DeviceID, MessageId: m.MessageID, Kind: m.Kind, Sender: m.Sender, Text: m.Text,
		ReceivedAt: rpc.Timestamp(m.ReceivedAt), ArrivedAt: rpc.Timestamp(m.ArrivedAt), Says: string(m.Says), Bank: m.Bank,
		Currency: m.Currency, Account: m.Account, Amount: fiat(m.Amount), Balance: fiat(m.Balance), State: string(m.State),
		Why: m.Why, Gap: fiat(m.Gap), PaymentId: m.PaymentID, DecidedAt: rpc.OptionalTime(m.DecidedAt), DecidedBy: m.DecidedBy,
		TraderId: m.TraderID, Outcome: decided(string(m.Outcome)), Resolution: decided(m.Resolution),
		ResolvedAt: rpc.OptionalTime(m.ResolvedAt),
	}
}

// AssignMessage implements the service.
func (s *TraderService) AssignMessage(
	ctx context.Context, req *connect.Request[portalv1.AssignMessageRequest],
) (*connect.Response[portalv1.MessageDecidedResponse], error) {
	err := s.messages.Assign(ctx, caller.From(ctx), req.Msg.GetMessageId(), req.Msg.GetPaymentId())
	return s.decided(ctx, req.Msg.GetMessageId(), err)
}

// DismissMessage implements the service.
func (s *TraderService) DismissMessage(
	ctx context.Context, req *connect.Request[portalv1.DismissMessageRequest],
) (*connect.Response[portalv1.MessageDecidedResponse], error) {
	return s.decided(ctx, req.Msg.GetMessageId(), s.messages.Dismiss(ctx, caller.From(ctx), req.Msg.GetMessageId()))
}

// ObjectToMessage implements the service.
func (s *TraderService) ObjectToMessage(
	ctx context.Context, req *connect.Request[portalv1.ObjectToMessageRequest],
) (*connect.Response[portalv1.MessageDecidedResponse], error) {
	err := s.messages.Object(ctx, caller.From(ctx), req.Msg.GetMessageId(), req.Msg.GetReason())
	return s.decided(ctx, req.Msg.GetMessageId(), err)
}

// decided answers with a message as it is now.
func (s *TraderService) decided(
	ctx context.Context, id int64, err error,
) (*connect.Response[portalv1.MessageDecidedResponse], error) {
	if err != nil {
		return nil, err
	}
	m, err := s.messages.Get(ctx, caller.From(ctx), id)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.MessageDecidedResponse{Data: MessageView(m)}), nil
}

// ListMessageRules implements the service.
func (s *TraderService) ListMessageRules(
	ctx context.Context, _ *connect.Request[portalv1.ListMessageRulesRequest],
) (*connect.Response[portalv1.ListMessageRulesResponse], error) {
	list, err := s.messages.Rules(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListMessageRulesResponse{Data: rpc.Views(list, ruleView)}), nil
}

func ruleView(r bankmessage.Rule) *portalv1.MessageRule {
	return &portalv1.MessageRule{
		RequisiteId: r.RequisiteID, DeviceId: r.DeviceID, Bank: r.Bank, Account: r.Account, MessageMode: string(r.Mode),
		Most: r.Most.StringFixed(money.FiatDecimals), Since: rpc.Timestamp(r.Since), StoppedBy: r.StoppedBy,
		PrecisionPercent: r.Tally.Precision(), RecallPercent: r.Tally.Recall(),
	}
}

// SetMessageRule implements the service.
func (s *TraderService) SetMessageRule(
	ctx context.Context, req *connect.Request[portalv1.SetMessageRuleRequest],
) (*connect.Response[portalv1.SetMessageRuleResponse], error) {
	m := req.Msg
	err := s.messages.SetRule(ctx, caller.From(ctx), bankmessage.NewRule{
		RequisiteID: m.GetRequisiteId(), DeviceID: m.GetDeviceId(), Bank: m.GetBank(), Account: m.GetAccount(),
		Mode: bankmessage.Mode(m.GetMessageMode()), Most: m.GetMost(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SetMessageRuleResponse{}), nil
}

// ResumeMessages implements the service.
func (s *TraderService) ResumeMessages(
	ctx context.Context, req *connect.Request[portalv1.ResumeMessagesRequest],
) (*connect.Response[portalv1.ResumeMessagesResponse], error) {
	if err := s.messages.Looked(ctx, caller.From(ctx), req.Msg.GetRequisiteId()); err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ResumeMessagesResponse{}), nil
}

package portal

import (
	"context"

	"github.com/shopspring/decimal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *TraderService) CreateDevice(
	ctx context.Context, req *portalv1.CreateDeviceRequest,
) (*portalv1.CreateDeviceResponse, error) {
	made, err := s.Messages.CreateDevice(ctx, caller.From(ctx), req.GetName())
	return &portalv1.CreateDeviceResponse{Device: deviceView(made.Device), Secret: made.Secret}, err
}

func (s *TraderService) ListDevices(
	ctx context.Context, _ *portalv1.ListDevicesRequest,
) (*portalv1.ListDevicesResponse, error) {
	list, err := s.Messages.ListDevices(ctx, caller.From(ctx))
	return &portalv1.ListDevicesResponse{Data: rpc.Views(list, deviceView)}, err
}

func (s *TraderService) RevokeDevice(
	ctx context.Context, req *portalv1.RevokeDeviceRequest,
) (*portalv1.RevokeDeviceResponse, error) {
	return &portalv1.RevokeDeviceResponse{}, s.Messages.RevokeDevice(ctx, caller.From(ctx), req.GetDeviceId())
}

func deviceView(d bankmessage.Device) *portalv1.Device {
	return &portalv1.Device{
		Id: d.ID, Name: d.Name, Key: d.Key, CreatedAt: rpc.Timestamp(d.CreatedAt), HeardAt: rpc.OptionalTime(d.HeardAt),
		RevokedAt: rpc.OptionalTime(d.RevokedAt),
	}
}

func (s *TraderService) ListMessages(
	ctx context.Context, req *portalv1.ListMessagesRequest,
) (*portalv1.ListMessagesResponse, error) {
	page := bankmessage.Page{Waiting: req.GetWaiting()}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Messages.List(ctx, caller.From(ctx), page)
	return &portalv1.ListMessagesResponse{Data: rpc.Views(list, MessageView), NextCursor: cursor}, err
}

func MessageView(m bankmessage.Message) *portalv1.BankMessage {
	fiat := func(d *decimal.Decimal) *string { return rpc.Number(d, money.Fiat) }
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

func (s *TraderService) AssignMessage(
	ctx context.Context, req *portalv1.AssignMessageRequest,
) (*portalv1.MessageDecidedResponse, error) {
	err := s.Messages.Assign(ctx, caller.From(ctx), req.GetMessageId(), req.GetPaymentId())
	return s.decided(ctx, req.GetMessageId(), err)
}

func (s *TraderService) DismissMessage(
	ctx context.Context, req *portalv1.DismissMessageRequest,
) (*portalv1.MessageDecidedResponse, error) {
	return s.decided(ctx, req.GetMessageId(), s.Messages.Dismiss(ctx, caller.From(ctx), req.GetMessageId()))
}

func (s *TraderService) ObjectToMessage(
	ctx context.Context, req *portalv1.ObjectToMessageRequest,
) (*portalv1.MessageDecidedResponse, error) {
	err := s.Messages.Object(ctx, caller.From(ctx), req.GetMessageId(), req.GetReason())
	return s.decided(ctx, req.GetMessageId(), err)
}

// decided answers with a message as it is now.
func (s *TraderService) decided(ctx context.Context, id int64, err error) (*portalv1.MessageDecidedResponse, error) {
	if err != nil {
		return nil, err
	}
	m, err := s.Messages.Get(ctx, caller.From(ctx), id)
	return &portalv1.MessageDecidedResponse{Data: MessageView(m)}, err
}

func (s *TraderService) ListMessageRules(
	ctx context.Context, _ *portalv1.ListMessageRulesRequest,
) (*portalv1.ListMessageRulesResponse, error) {
	list, err := s.Messages.Rules(ctx, caller.From(ctx))
	return &portalv1.ListMessageRulesResponse{Data: rpc.Views(list, ruleView)}, err
}

func ruleView(r bankmessage.Rule) *portalv1.MessageRule {
	return &portalv1.MessageRule{
		RequisiteId: r.RequisiteID, DeviceId: r.DeviceID, Bank: r.Bank, Account: r.Account, MessageMode: string(r.Mode),
		Most: money.Fiat(r.Most), Since: rpc.Timestamp(r.Since), StoppedBy: r.StoppedBy,
		PrecisionPercent: r.Tally.Precision(), RecallPercent: r.Tally.Recall(),
	}
}

func (s *TraderService) SetMessageRule(
	ctx context.Context, m *portalv1.SetMessageRuleRequest,
) (*portalv1.SetMessageRuleResponse, error) {
	err := s.Messages.SetRule(ctx, caller.From(ctx), bankmessage.NewRule{
		RequisiteID: m.GetRequisiteId(), DeviceID: m.GetDeviceId(), Bank: m.GetBank(), Account: m.GetAccount(),
		Mode: bankmessage.Mode(m.GetMessageMode()), Most: m.GetMost(),
	})
	return &portalv1.SetMessageRuleResponse{}, err
}

func (s *TraderService) ResumeMessages(
	ctx context.Context, req *portalv1.ResumeMessagesRequest,
) (*portalv1.ResumeMessagesResponse, error) {
	return &portalv1.ResumeMessagesResponse{}, s.Messages.Looked(ctx, caller.From(ctx), req.GetRequisiteId())
}

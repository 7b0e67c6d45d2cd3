package rpc

import (
	"context"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/edge"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// CheckoutService serves gateway.v1.CheckoutService.
type CheckoutService struct {
	checkouts *checkout.Service
	links     *auth.Links
	payURL    string
}

var _ gatewayv1connect.CheckoutServiceHandler = (*CheckoutService)(nil)

// NewCheckoutService makes the handler. payURL is the address of the hosted pages, without a trailing
// slash.
func NewCheckoutService(checkouts *checkout.Service, links *auth.Links, payURL string) *CheckoutService {
	return &CheckoutService{checkouts: checkouts, links: links, payURL: payURL}
}

// GetCheckout implements the service.
func (s *CheckoutService) GetCheckout(
	ctx context.Context, req *connect.Request[gatewayv1.GetCheckoutRequest],
) (*connect.Response[gatewayv1.CheckoutResponse], error) {
	v, err := s.checkouts.Get(ctx, req.Msg.GetToken())
	return s.response("Checkout", v, err)
}

// SubmitPayerDetails implements the service.
func (s *CheckoutService) SubmitPayerDetails(
	ctx context.Context, req *connect.Request[gatewayv1.SubmitPayerDetailsRequest],
) (*connect.Response[gatewayv1.CheckoutResponse], error) {
	v, err := s.checkouts.SubmitDetails(ctx, req.Msg.GetToken(), checkout.Details{
		Entry: card.Entry{
			PAN:      req.Msg.GetPan(),
			ExpMonth: req.Msg.GetExpMonth(),
			ExpYear:  req.Msg.GetExpYear(),
			Holder:   req.Msg.GetCardHolder(),
		},
		CVV: req.Msg.GetCvv(), Keep: req.Msg.SaveCard == nil || req.Msg.GetSaveCard(), Address: edge.Address(ctx),
	})
	return s.response("Card accepted", v, err)
}

// SubmitPayerOtp implements the service.
func (s *CheckoutService) SubmitPayerOtp(
	ctx context.Context, req *connect.Request[gatewayv1.SubmitPayerOtpRequest],
) (*connect.Response[gatewayv1.CheckoutResponse], error) {
	v, err := s.checkouts.SubmitCode(ctx, req.Msg.GetToken(), req.Msg.GetOtp())
	return s.response("Code accepted", v, err)
}

// CancelCheckout implements the service.
func (s *CheckoutService) CancelCheckout(
	ctx context.Context, req *connect.Request[gatewayv1.CancelCheckoutRequest],
) (*connect.Response[gatewayv1.CheckoutResponse], error) {
	v, err := s.checkouts.Cancel(ctx, req.Msg.GetToken())
	return s.response("Payment cancelled", v, err)
}

func (s *CheckoutService) response(
	message string,
	v checkout.View,
	err error,
) (*connect.Response[gatewayv1.CheckoutResponse], error) {
	if err != nil {
		return nil, err
	}
	out := &gatewayv1.Checkout{
		Amount:           money.Fiat(v.Payment.Amount),
		Currency:         v.Payment.Currency,
		Phase:            string(v.Phase),
		OrderIdMasked:    v.OrderIDMasked,
		ExpiresAt:        Timestamp(v.Payment.ExpiresAt),
		PaymentStatus:    string(v.Payment.Status),
		IsTerminal:       v.Terminal,
		CodeResendCount:  v.Resends,
		CodeResendMax:    checkout.MaxResends,
		AttemptsLeft:     v.ResendsLeft(),
		NextAllowedAt:    OptionalTime(v.NextAllowedAt()),
		CodeResendLastBy: v.ResentBy,
		CodeResendLastAt: OptionalTime(v.ResentAt),
		LastError:        v.LastError,
	}
	if !v.Terminal {
		out.OtpUrl = new(checkoutURL(s.payURL, s.links, v.Payment) + "/code")
	}
	return connect.NewResponse(&gatewayv1.CheckoutResponse{Message: message, Data: out}), nil
}

func checkoutURL(payURL string, links *auth.Links, p payment.Payment) string {
	return payURL + "/pay/" + links.Token(p.UUID)
}

// OptionalTime is Timestamp of a time that may be nil.
func OptionalTime(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return Timestamp(*t)
}

// ResendCode implements gateway.v1.PaymentService.
func (s *PaymentService) ResendCode(
	ctx context.Context, req *connect.Request[gatewayv1.ResendCodeRequest],
) (*connect.Response[gatewayv1.ResendCodeResponse], error) {
	state, err := s.checkouts.Resend(ctx, caller.From(ctx), req.Msg.GetPaymentId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.ResendCodeResponse{
		Message: "Code requested again",
		Data: &gatewayv1.CodeResend{
			Phase:            string(state.Phase),
			AttemptsLeft:     state.ResendsLeft(),
			NextAllowedAt:    OptionalTime(state.NextAllowedAt()),
			CodeResendCount:  state.Resends,
			CodeResendMax:    checkout.MaxResends,
			CodeResendLastBy: state.ResentBy,
			CodeResendLastAt: OptionalTime(state.ResentAt),
		},
	}), nil
}

// Show shows payments to a caller, card payments with the state of their checkout.
func (v PaymentView) Show(
	ctx context.Context,
	who caller.Caller,
	list ...payment.Payment,
) ([]*gatewayv1.Payment, error) {
	readings, err := v.checkouts.Read(ctx, list...)
	if err != nil {
		return nil, err
	}
	shown := make([]*gatewayv1.Payment, 0, len(list))
	for _, p := range list {
		out := v.payment(who, p)
		if r, isCard := readings[p.ID]; isCard {
			v.addCheckout(out, who, p, r)
		}
		shown = append(shown, out)
	}
	return shown, nil
}

func (v PaymentView) addCheckout(out *gatewayv1.Payment, who caller.Caller, p payment.Payment, r checkout.Reading) {
	if p.Seen(who).Link {
		out.CheckoutUrl = new(checkoutURL(v.payURL, v.links, p))
	}
	if p.Method == payment.MethodQuasiEcom {
		out.QuasiEcom = &gatewayv1.QuasiEcom{
			Phase:            string(r.Phase),
			CodeResendCount:  r.Resends,
			CodeResendMax:    checkout.MaxResends,
			AttemptsLeft:     r.ResendsLeft(),
			NextAllowedAt:    OptionalTime(r.NextAllowedAt()),
			CodeResendLastBy: r.ResentBy,
			CodeResendLastAt: OptionalTime(r.ResentAt),
		}
	}
	if r.Card != nil {
		out.PayerRequisites = &gatewayv1.PayerRequisites{CardLast4: r.Card.Last4, CardHolder: r.Card.Holder}
	}
	if who.Kind != caller.Trader && who.Kind != caller.Operator {
		return
	}
	out.CardDesk = &gatewayv1.CardDesk{Phase: string(r.Phase), LastError: r.LastError}
	if r.Card != nil {
		out.CardDesk.Brand, out.CardDesk.CardLast4 = &r.Card.Brand, &r.Card.Last4
	}
}

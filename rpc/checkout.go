package rpc

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/edge"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type CheckoutService struct{ PaymentView }

func (s *CheckoutService) GetCheckout(
	ctx context.Context, req *gatewayv1.GetCheckoutRequest,
) (*gatewayv1.CheckoutResponse, error) {
	v, err := s.Checkouts.Get(ctx, req.GetToken())
	return s.response("Checkout", v, err)
}

func (s *CheckoutService) SubmitPayerDetails(
	ctx context.Context, req *gatewayv1.SubmitPayerDetailsRequest,
) (*gatewayv1.CheckoutResponse, error) {
	v, err := s.Checkouts.SubmitDetails(ctx, req.GetToken(), checkout.Details{
		Entry: card.Entry{
			PAN:      req.GetPan(),
			ExpMonth: req.GetExpMonth(),
			ExpYear:  req.GetExpYear(),
			Holder:   req.GetCardHolder(),
		},
		CVV: req.GetCvv(), Keep: req.SaveCard == nil || req.GetSaveCard(), Address: edge.Address(ctx),
	})
	return s.response("Card accepted", v, err)
}

func (s *CheckoutService) SubmitPayerOtp(
	ctx context.Context, req *gatewayv1.SubmitPayerOtpRequest,
) (*gatewayv1.CheckoutResponse, error) {
	v, err := s.Checkouts.SubmitCode(ctx, req.GetToken(), req.GetOtp())
	said := "Code received"
	if req.GetOtp() == "" {
		said = "No code was given"
	}
	return s.response(said, v, err)
}

func (s *CheckoutService) CancelCheckout(
	ctx context.Context, req *gatewayv1.CancelCheckoutRequest,
) (*gatewayv1.CheckoutResponse, error) {
	v, err := s.Checkouts.Cancel(ctx, req.GetToken())
	return s.response("Payment cancelled", v, err)
}

// response is what a payer's program gets from every call about a checkout. The
// order id is masked, and the address of the code's page is left out once the
// payment has ended.
func (s *CheckoutService) response(
	message string,
	v checkout.View,
	err error,
) (*gatewayv1.CheckoutResponse, error) {
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
		out.OtpUrl = new(s.checkoutURL(v.Payment) + "/code")
	}
	return &gatewayv1.CheckoutResponse{Message: message, Data: out}, nil
}

func (v PaymentView) checkoutURL(p payment.Payment) string {
	return v.PayURL + "/pay/" + v.Links.Token(p.UUID)
}

// OptionalTime is Timestamp of a time that may be nil.
func OptionalTime(t *time.Time) *timestamppb.Timestamp { return Maybe(t, Timestamp) }

func (s *PaymentService) ResendCode(
	ctx context.Context, req *gatewayv1.ResendCodeRequest,
) (*gatewayv1.ResendCodeResponse, error) {
	state, err := s.Checkouts.Resend(ctx, caller.From(ctx), req.GetPaymentId())
	return &gatewayv1.ResendCodeResponse{
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
	}, err
}

// ShowOne shows the caller a payment that a call gave, unless that failed.
func (v PaymentView) ShowOne(ctx context.Context, p payment.Payment, err error) (*gatewayv1.Payment, error) {
	if err != nil {
		return nil, err
	}
	shown, err := v.Show(ctx, caller.From(ctx), p)
	if err != nil {
		return nil, err
	}
	return shown[0], nil
}

// Show shows payments to a caller, card payments with the state of their
// checkout.
func (v PaymentView) Show(
	ctx context.Context,
	who caller.Caller,
	list ...payment.Payment,
) ([]*gatewayv1.Payment, error) {
	readings, err := v.Checkouts.Read(ctx, list...)
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

// addCheckout adds the state of a card's checkout to a payment. The link to the
// checkout is only for those who may act as the payer, and CardDesk, with the
// last error and the card's brand, only for traders and operators.
func (v PaymentView) addCheckout(out *gatewayv1.Payment, who caller.Caller, p payment.Payment, r checkout.Reading) {
	if who.SeesLink() {
		out.CheckoutUrl = new(v.checkoutURL(p))
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

package rpc

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/requisite"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type PaymentService struct {
	Payments *payment.Service
	PaymentView
}

// HeaderReplay marks a repeat of an earlier call; headerMismatch names the
// fields in which it differs.
const (
	HeaderReplay   = "Idempotent-Replay"
	headerMismatch = "Idempotent-Mismatch"
)

type headerKey struct{}

// WithHeader returns a context in which a handler method finds the header of
// its answer.
func WithHeader(ctx context.Context, header http.Header) context.Context {
	return context.WithValue(ctx, headerKey{}, header)
}

// MarkRepeat says in the header of the answer that a call repeats an earlier
// one, and where it differs. An error says neither.
func MarkRepeat(ctx context.Context, replay bool, mismatch []string, err error) {
	header, known := ctx.Value(headerKey{}).(http.Header)
	if err != nil || !known {
		return
	}
	if replay {
		header.Set(HeaderReplay, "true")
	}
	if len(mismatch) > 0 {
		header.Set(headerMismatch, strings.Join(mismatch, ","))
	}
}

func (s *PaymentService) CreatePayment(
	ctx context.Context, req *gatewayv1.CreatePaymentRequest,
) (*gatewayv1.CreatePaymentResponse, error) {
	created, err := s.Payments.Create(ctx, caller.From(ctx), paymentRequest(req))
	shown, err := s.ShowOne(ctx, created.Payment, err)
	MarkRepeat(ctx, created.Replay, created.Mismatch, err)
	return &gatewayv1.CreatePaymentResponse{Message: "Payment created", Data: shown}, err
}

// paymentRequest is what the body asks for, unchecked: the service checks all
// of it and reports every mistake at once. Of a merchant's name it keeps only
// that one was sent, which is refused whatever the name is. Counted tells a
// payer without earlier payments from one of whom nothing was said.
func paymentRequest(m *gatewayv1.CreatePaymentRequest) payment.Request {
	r := payment.Request{
		OrderID:      m.GetOrderId(),
		Amount:       m.GetAmount(),
		Currency:     m.GetCurrency(),
		CallbackURI:  m.GetCallbackUri(),
		Method:       m.Method,
		Description:  m.Description,
		RatePercent:  m.RatePercent,
		ReturnURL:    m.ReturnUrl,
		Metadata:     m.GetMetadata(),
		MerchantName: m.GetMerchantName() != nil,
	}
	if m.GetRubCollect() != nil {
		r.RubCollectMethod = m.GetRubCollect().Method
	}
	if p := m.GetPayer(); p != nil {
		r.Payer = &payment.Payer{
			UserID:     p.UserId,
			UserIP:     p.UserIp,
			FullName:   p.GetFullName(),
			Type:       p.GetType(),
			Counted:    p.GetPayments() != nil,
			Successful: p.GetPayments().GetSuccessful(),
			Expired:    p.GetPayments().GetExpired(),
		}
	}
	return r
}

func (s *PaymentService) GetPayment(
	ctx context.Context, req *gatewayv1.GetPaymentRequest,
) (*gatewayv1.GetPaymentResponse, error) {
	p, err := s.Payments.Get(ctx, caller.From(ctx), req.GetPaymentId())
	shown, err := s.ShowOne(ctx, p, err)
	return &gatewayv1.GetPaymentResponse{Data: shown}, err
}

func (s *PaymentService) UpdatePaymentStatus(
	ctx context.Context, req *gatewayv1.UpdatePaymentStatusRequest,
) (*gatewayv1.UpdatePaymentStatusResponse, error) {
	update := payment.Update{
		Status: req.GetStatus(), ProviderPaymentID: req.ProviderPaymentId, Reason: req.Reason,
	}
	id, err := s.idOf(ctx, req.GetPaymentId(), req.PaymentUuid)
	if err != nil {
		return nil, err
	}
	p, queued, err := s.Payments.UpdateStatus(ctx, caller.From(ctx), id, update)
	return &gatewayv1.UpdatePaymentStatusResponse{
		Message: "Payment status updated",
		Data: &gatewayv1.PaymentStatus{
			Id: p.ID, Uuid: p.UUID.String(), OrderId: p.OrderID, Status: string(p.Status), CallbackQueued: queued,
		},
	}, err
}

// idOf is the id of the payment that a request names by id or uuid.
func (s *PaymentService) idOf(ctx context.Context, id int64, uuid *string) (int64, error) {
	if uuid == nil {
		return id, nil
	}
	return s.Payments.IDOf(ctx, *uuid)
}

type PaymentView struct {
	Checkouts *checkout.Service
	Links     *auth.Links
	// PayURL is the address of the hosted pages, without a trailing slash.
	PayURL string
}

// payment is a payment without what its checkout adds. Sums and metadata are
// what the caller may see, and a requisite is masked for whoever may not see it
// whole. The link to the payer's page is here only if the payment has a
// requisite; addCheckout adds that of a card payment.
func (v PaymentView) payment(who caller.Caller, p payment.Payment) *gatewayv1.Payment {
	seen := p.SumsFor(who)
	out := &gatewayv1.Payment{
		Id: p.ID, Uuid: p.UUID.String(), OrderId: p.OrderID, Description: p.Description, Status: string(p.Status),
		Amount: money.Fiat(p.Amount), Currency: p.Currency, Method: p.Method, ExpiresAt: Timestamp(p.ExpiresAt),
		Extra: extra(seen), Ledger: ledgerView(who, p, seen), CreatedAt: Timestamp(p.CreatedAt),
		StatusUpdatedAt: Timestamp(p.StatusAt), StatusReason: p.StatusReason, ReturnUrl: p.ReturnURL,
		ReceivedAmount: OptionalFiat(p.ReceivedAmount), PayerClaimedAt: OptionalTime(p.ClaimedAt),
	}
	if who.SeesMetadata() {
		out.Metadata = p.Metadata
	}
	if out.Requisite = requisiteView(who, p); out.Requisite != nil && who.SeesLink() {
		out.PaymentPageUrl = new(v.PayURL + "/r/" + v.Links.Token(p.UUID))
	}
	return out
}

// OptionalFiat is an amount, or nil for none.
func OptionalFiat(amount decimal.NullDecimal) *string { return OptionalNumber(amount, money.Fiat) }

// OptionalNumber formats a number, or returns nil.
func OptionalNumber(d decimal.NullDecimal, write func(decimal.Decimal) string) *string {
	if !d.Valid {
		return nil
	}
	return new(write(d.Decimal))
}

// requisiteView is where the payer sends the money, or nil for card checkout.
func requisiteView(who caller.Caller, p payment.Payment) *gatewayv1.Requisite {
	if !p.RequisiteSnapshot() {
		return nil
	}
	return &gatewayv1.Requisite{
		Type: *p.RequisiteType, Method: *p.RequisiteMethod, Value: *p.RequisiteFor(who),
		Holder: p.RequisiteHolder, Bank: p.RequisiteBank,
	}
}

func extra(seen payment.Sums) *gatewayv1.Extra {
	return &gatewayv1.Extra{
		Rate: Number(seen.Amount, money.USDT), CryptoCurrency: new("USDT"),
		FiatPerUsdt: Number(seen.BaseRate, money.Rate), MarginPercent: Number(seen.Markup, money.Plain),
	}
}

// ledgerView is the calculation, as far as the caller may see it.
func ledgerView(who caller.Caller, p payment.Payment, seen payment.Sums) *gatewayv1.Ledger {
	out := &gatewayv1.Ledger{
		RequisiteFullName: p.RequisiteHolder, Bank: p.RequisiteBank, TransferMethod: transferMethod(p),
		AmountUsdt: Number(seen.Amount, money.USDT), SpreadTraderUsdt: Number(seen.SpreadTrader, money.USDT),
		ProfitUsdt: Number(seen.Profit, money.USDT), SpreadPlatformUsdt: Number(seen.SpreadPlatform, money.USDT),
		SellerRateMarkupPercent: Number(seen.Markup, money.Plain),
		RateUnavailable:         p.RateUnavailable, Restricted: seen.Restricted,
	}
	if p.RequisiteType != nil && requisite.Of(*p.RequisiteType).Phone {
		out.RequisitePhone = p.RequisiteFor(who)
	}
	if p.Currency == "RUB" {
		out.BaseRateRubPerUsdt = Number(seen.BaseRate, money.Rate)
	}
	return out
}

// transferMethod joins collect channel and requisite type, or is one of them if
// they are the same.
func transferMethod(p payment.Payment) *string {
	if p.RequisiteType == nil || *p.RequisiteType == p.Method {
		return &p.Method
	}
	return new(p.Method + "/" + *p.RequisiteType)
}

// Number formats a number, or returns nil for nil.
func Number(number *decimal.Decimal, write func(decimal.Decimal) string) *string {
	if number == nil {
		return nil
	}
	return new(write(*number))
}

// Timestamp is a time in an answer, to the millisecond.
func Timestamp(t time.Time) *timestamppb.Timestamp {
	return timestamppb.New(t.Truncate(time.Millisecond))
}

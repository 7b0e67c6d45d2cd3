package payment

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/card"
	"gateway/internal/db"
	"gateway/internal/money"
	"gateway/internal/webhook"
)

// MethodQuasiEcom is the card checkout whose payments show a quasiEcom block, and may be remembered by payer.
const MethodQuasiEcom = "quasi_ecom"

// CardCheckout reports whether the payment is paid by entering a card.
func (p Payment) CardCheckout() bool { return cardCheckout(p.Payment) }

func cardCheckout(p db.Payment) bool { return p.RequisiteType == nil }

// Step is what a step of a checkout does to its payment. The zero Step does nothing.
type Step struct {
	// To is the status to move to, and Reason why; empty is none.
	To     Status
	Reason *string
	Actor  string
	// Resend tells the merchant that the trader asked for the code again.
	Resend *Resend
}

// Resend is how a checkout stands after a code was asked for again.
type Resend struct {
	Phase                string
	Count, Maximum, Left int32
	By                   string
	At                   time.Time
}

// InCheckout runs a step of a checkout in a transaction on its payment, which is locked: one step at a time.
func (s *Service) InCheckout(
	ctx context.Context, merchantID, id int64, fn func(tx pgx.Tx, p Payment) (Step, error),
) (Payment, error) {
	var after db.Payment
	err := s.inLocked(ctx, merchantID, id, func(tx pgx.Tx, p db.Payment) error {
		step, err := fn(tx, Payment{p})
		if after = p; err != nil {
			return err
		}
		if step.Resend != nil {
			if after, err = s.tellResend(ctx, tx, p, *step.Resend); err != nil {
				return err
			}
		}
		if step.To != "" {
			after, err = s.move(ctx, tx, after, change{to: step.To, actor: step.Actor, reason: step.Reason})
		}
		return err
	})
	return Payment{after}, err
}

// OnCardMove has queries run with each move of a card payment, whoever moves it.
func (s *Service) OnCardMove(queries func(to Payment, at time.Time) []db.Query) {
	s.cardMove = queries
}

// cardShown is what a status webhook shows of the card entered for a payment, or nil.
func (s *Service) cardShown(ctx context.Context, tx pgx.Tx, p db.Payment) (*card.Shown, error) {
	if !cardCheckout(p) {
		return nil, nil //nolint:nilnil // no card is no error
	}
	return s.config.Cards.Show(ctx, db.New(tx), p.MerchantID, p.ID)
}

// moveCard keeps or erases the card of a payment that ends, and tells its checkout of every move.
func (s *Service) moveCard(to db.Payment, now time.Time) []db.Query {
	if !cardCheckout(to) {
		return nil
	}
	var queries []db.Query
	switch Status(to.Status) {
	case Completed:
		queries = append(queries, card.Keep(to.MerchantID, to.ID, now))
	case Failed, Cancelled, Appeal:
		queries = append(queries, card.Erase(to.MerchantID, to.ID))
	case Pending:
	}
	if s.cardMove != nil {
		queries = append(queries, s.cardMove(Payment{to}, now)...)
	}
	return queries
}

type payerRequisites struct {
	CardLast4  string  `json:"cardLast4"`
	CardHolder *string `json:"cardHolder,omitempty"`
}

func payerRequisitesOf(shown *card.Shown) *payerRequisites {
	if shown == nil {
		return nil
	}
	return &payerRequisites{CardLast4: shown.Last4, CardHolder: shown.Holder}
}

// The documented webhook of a trader's resend: interface, "Events".
const typeCodeResend = "payment.quasi_ecom.code_resend"

type resendData struct {
	ID          string      `json:"id"`
	OrderID     string      `json:"orderId"`
	Status      string      `json:"status"`
	Amount      string      `json:"amount"`
	Currency    string      `json:"currency"`
	RequestedBy string      `json:"requestedBy"`
	QuasiEcom   resendState `json:"quasiEcom"`
}

type resendState struct {
	Phase            string `json:"phase"`
	CodeResendCount  int32  `json:"codeResendCount"`
	CodeResendMax    int32  `json:"codeResendMax"`
	AttemptsLeft     int32  `json:"attemptsLeft"`
	CodeResendLastBy string `json:"codeResendLastBy"`
	CodeResendLastAt string `json:"codeResendLastAt"`
}

// tellResend numbers and writes the webhook of a trader's resend.
func (s *Service) tellResend(ctx context.Context, tx pgx.Tx, p db.Payment, r Resend) (db.Payment, error) {
	to, err := db.New(tx).PaymentCountEvent(ctx, db.PaymentCountEventParams{MerchantID: p.MerchantID, ID: p.ID})
	if err != nil {
		return p, fmt.Errorf("count event: %w", err)
	}
	event, err := resendEvent(to, r)
	if err != nil {
		return p, err
	}
	if err := event.Insert().Run(ctx, db.New(tx)); err != nil {
		return p, fmt.Errorf("write event: %w", err)
	}
	return to, nil
}

func resendEvent(p db.Payment, r Resend) (webhook.Event, error) {
	status := strings.ToUpper(p.Status)
	data := resendData{
		ID: p.UUID.String(), OrderID: p.OrderID, Status: status, Amount: money.Fiat(p.Amount), Currency: p.Currency,
		RequestedBy: r.By,
		QuasiEcom: resendState{
			Phase: r.Phase, CodeResendCount: r.Count, CodeResendMax: r.Maximum, AttemptsLeft: r.Left,
			CodeResendLastBy: r.By, CodeResendLastAt: r.At.UTC().Truncate(time.Millisecond).Format(webhook.TimeFormat),
		},
	}
	return webhook.Event{
		MerchantID: p.MerchantID, CashboxID: p.CashboxID, Type: typeCodeResend, Subject: subject,
		SubjectID: p.ID, Sequence: p.EventSequence, URL: p.CallbackURI, At: r.At,
	}.Telling(webhook.Contents{
		ID: data.ID, OrderID: data.OrderID, Data: data,
		Meta: statusMeta{ID: p.ID, Method: p.Method, PreviousStatus: status, Sequence: p.EventSequence},
	})
}

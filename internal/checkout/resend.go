package checkout

import (
	"context"
	"strings"
	"time"

	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/webhook"
)

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

// tellResend queues the webhook that the trader asked for the code again.
func tellResend(ctx context.Context, p *payment.Locked, state State, by string) error {
	data := resendData{
		ID:          p.UUID.String(),
		OrderID:     p.OrderID,
		Status:      strings.ToUpper(string(p.Status)),
		Amount:      money.Fiat(p.Amount),
		Currency:    p.Currency,
		RequestedBy: by,
		QuasiEcom: resendState{
			Phase:            string(state.Phase),
			CodeResendCount:  state.Resends,
			CodeResendMax:    MaxResends,
			AttemptsLeft:     state.ResendsLeft(),
			CodeResendLastBy: by,
			CodeResendLastAt: state.ResentAt.UTC().Truncate(time.Millisecond).Format(webhook.TimeFormat),
		},
	}
	return p.QueueEvent(ctx, typeCodeResend, *state.ResentAt, webhook.Contents{ID: data.ID, OrderID: data.OrderID, Data: data})
}

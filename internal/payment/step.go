package payment

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"gateway.example/internal/db"
)

// StepName names an event in a payment's timeline that is not a change of
// status.
type StepName string

const (
	StepPageOpened    StepName = "page_opened"
	StepCardEntered   StepName = "card_entered"
	StepCodeRequested StepName = "code_requested"
	StepCodeResent    StepName = "code_resent"
	StepCodeEntered   StepName = "code_entered"
	StepCodeNotNeeded StepName = "code_not_needed"
	// StepTimeGivenBack extends the payment by the time of an outage in
	// which nobody could pay.
	StepTimeGivenBack StepName = "time_given_back"
	// StepBankMessage is a confirmation by a bank's message.
	StepBankMessage StepName = "bank_message"
	// StepMoneyCame is a transfer in another amount than was asked for, and
	// StepCaseDecided is the decision about it.
	StepMoneyCame   StepName = "money_came"
	StepCaseDecided StepName = "case_decided"
)

// StepDetail is what is stored with a step. It has no secrets, and only the
// last four digits of a card.
type StepDetail struct {
	// Last4 and Brand describe the entered card.
	Last4 string `json:"last4,omitempty"`
	Brand string `json:"brand,omitempty"`
	// By is who asked the payer for the code again: merchant or trader.
	By string `json:"by,omitempty"`
	// Page is the opened page, and Agent the family of the browser.
	Page  string `json:"page,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Message is the id of the bank's message.
	Message int64 `json:"message,omitempty"`
	// Minutes is how many minutes were given back.
	Minutes int `json:"minutes,omitempty"`
	// Amount is what arrived, Payer is who sent it, and Decision is the
	// state of the case: taken, waiting, returned or ended.
	Amount   string `json:"amount,omitempty"`
	Payer    string `json:"payer,omitempty"`
	Decision string `json:"decision,omitempty"`
}

// Step is the query that stores a step of a payment, in the transaction that
// makes it.
func Step(p Payment, at time.Time, actor string, what StepName, detail StepDetail) db.Query {
	return db.Do((*db.Queries).PaymentStepInsert, db.PaymentStepInsertParams{
		MerchantID: p.MerchantID, PaymentID: p.ID, At: at, Actor: actor, What: string(what), Detail: stepJSON(detail),
	})
}

// stepJSON cannot fail: the detail has only texts and numbers.
func stepJSON(detail StepDetail) []byte {
	text, err := json.Marshal(detail)
	if err != nil {
		return []byte("{}")
	}
	return text
}

const (
	// visitsMost is how many visits to pages are stored for a payment.
	visitsMost = 50
	// visitTimeout is how long a page waits at most until the visit is
	// stored.
	visitTimeout = 300 * time.Millisecond
)

// Visited stores that the payer opened a page of a payment. A failure is logged
// only, so that the page is shown anyway.
func (s *Service) Visited(ctx context.Context, p Payment, page, agent string) {
	bounded, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	err := db.New(s.pool).PaymentStepInsertVisit(bounded, db.PaymentStepInsertVisitParams{
		MerchantID: p.MerchantID, PaymentID: p.ID, At: s.clock.Now(), Actor: actorPayer, Most: visitsMost,
		Detail: stepJSON(StepDetail{Page: page, Agent: agent}),
	})
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "the opening of a page was not kept", "payment", p.UUID, "error", err)
	}
}

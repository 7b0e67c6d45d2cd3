package payment

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"gateway.example/internal/db"
)

// StepName is something that happened to a payment besides its changes of status.
type StepName string

// The steps that are stored.
const (
	StepPageOpened    StepName = "page_opened"
	StepCardEntered   StepName = "card_entered"
	StepCodeRequested StepName = "code_requested"
	StepCodeResent    StepName = "code_resent"
	StepCodeEntered   StepName = "code_entered"
	StepCodeNotNeeded StepName = "code_not_needed"
	// StepTimeGivenBack gives back the time of an outage, in which nobody could pay.
	StepTimeGivenBack StepName = "time_given_back"
	// StepBankMessage is the message of a bank that a payment was confirmed by.
	StepBankMessage StepName = "bank_message"
	// StepMoneyCame is another amount than was asked for that came, and StepCaseDecided what was decided about it.
	StepMoneyCame   StepName = "money_came"
	StepCaseDecided StepName = "case_decided"
)

// StepDetail is what is stored with a step. It has no secrets, and only the last four digits of a
// card.
type StepDetail struct {
	// Last4 and Brand describe the entered card.
	Last4 string `json:"last4,omitempty"`
	Brand string `json:"brand,omitempty"`
	// By is who asked for the code again: merchant or trader.
	By string `json:"by,omitempty"`
	// Page is the opened page, and Agent the family of the browser.
	Page  string `json:"page,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Message is the message of the bank that says By.
	Message int64 `json:"message,omitempty"`
	// Minutes is how many were given back.
	Minutes int `json:"minutes,omitempty"`
	// Amount is what came, Payer who sent it, and Decision what became of it: taken, waiting, returned or ended.
	Amount   string `json:"amount,omitempty"`
	Payer    string `json:"payer,omitempty"`
	Decision string `json:"decision,omitempty"`
}

// Step is the query that stores a step of a payment, in the transaction that makes it.
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
	// visitsMost is how many opened pages are stored for a payment.
	visitsMost = 50
	// visitTimeout is how long a page waits until its opening is stored.
	visitTimeout = 300 * time.Millisecond
)

// Visited stores that the payer opened a page of a payment. If that fails, it is logged and the page
// is shown.
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

package payment

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"gateway.example/internal/db"
)

// StepName says what was done about a payment beside its changes of status.
type StepName string

// The steps that are kept.
const (
	StepPageOpened    StepName = "page_opened"
	StepCardEntered   StepName = "card_entered"
	StepCodeRequested StepName = "code_requested"
	StepCodeResent    StepName = "code_resent"
	StepCodeEntered   StepName = "code_entered"
	StepCodeNotNeeded StepName = "code_not_needed"
	// StepTimeGivenBack is the time of an outage, in which nobody could pay.
	StepTimeGivenBack StepName = "time_given_back"
)

// StepDetail is what is kept of a step. Nothing in it is secret, and of a card it has the last four
// digits.
type StepDetail struct {
	// Last4 and Brand are of the card that was entered.
	Last4 string `json:"last4,omitempty"`
	Brand string `json:"brand,omitempty"`
	// By is who had a code sent again: merchant or trader.
	By string `json:"by,omitempty"`
	// Page names the page that was opened, and Agent the family of the browser.
	Page  string `json:"page,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Minutes are those that were given back.
	Minutes int `json:"minutes,omitempty"`
}

// Step is a query that keeps a step of a payment, for the transaction that makes it.
func Step(p Payment, at time.Time, actor string, what StepName, detail StepDetail) db.Query {
	return db.Do((*db.Queries).PaymentStepInsert, db.PaymentStepInsertParams{
		MerchantID: p.MerchantID, PaymentID: p.ID, At: at, Actor: actor, What: string(what), Detail: stepJSON(detail),
	})
}

// stepJSON never fails: the detail is texts alone.
func stepJSON(detail StepDetail) []byte {
	text, err := json.Marshal(detail)
	if err != nil {
		return []byte("{}")
	}
	return text
}

const (
	// visitsMost is how many opened pages are kept of a payment.
	visitsMost = 50
	// visitTimeout bounds how long a page waits for its opening to be kept.
	visitTimeout = 300 * time.Millisecond
)

// Visited keeps that the payer opened a page of a payment. The page is shown also if it could not be
// kept, which is logged.
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

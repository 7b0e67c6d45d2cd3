package timeline

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Kind is what a line of a timeline is about.
type Kind string

// The kinds of lines.
const (
	KindRequest Kind = "request"
	KindChoice  Kind = "choice"
	KindRate    Kind = "rate"
	KindStatus  Kind = "status"
	KindLedger  Kind = "ledger"
	KindCode    Kind = "code"
	KindCard    Kind = "card"
	KindVisit   Kind = "visit"
	KindClaim   Kind = "claim"
	KindReceipt Kind = "receipt"
	KindAppeal  Kind = "appeal"
	KindWebhook Kind = "webhook"
)

// The values of What: the event that a line tells. Other packages put them into
// words.
const (
	// WhatCreated: the payment or payout was requested. Request is set.
	WhatCreated = "created"
	// WhatRequisiteChosen: a payment got its requisite. Choice is set.
	WhatRequisiteChosen = "requisite_chosen"
	// WhatRateFixed: the sum was calculated at a fresh rate, at the
	// creation. WhatRateHeld: only the hold was calculated, at the last
	// known rate. WhatRateSettled: the sum was calculated later. Rate is
	// set.
	WhatRateFixed   = "rate_fixed"
	WhatRateHeld    = "rate_held"
	WhatRateSettled = "rate_settled"
	// WhatStatus: the status changed from From to To; From is "" for the
	// first status. Reason is set.
	WhatStatus = "status"
	// WhatTransfer: USDT were moved. Transfer is set.
	WhatTransfer = "transfer"
	// WhatPageOpened: the payer opened a page. Page and Agent are set.
	WhatPageOpened = "page_opened"
	// WhatCardEntered: the payer entered a card. Last4 and Brand are set.
	WhatCardEntered = "card_entered"
	// The code of a card payment was requested, requested again, entered,
	// or not needed. If it was requested again, By is merchant or trader.
	WhatCodeRequested = "code_requested"
	WhatCodeResent    = "code_resent"
	WhatCodeEntered   = "code_entered"
	WhatCodeNotNeeded = "code_not_needed"
	// WhatTimeGivenBack: the payment got more time because of an outage.
	// Minutes is set.
	WhatTimeGivenBack = "time_given_back"
	// WhatBankMessage: a bank message said that the money arrived. By is
	// the bank, Message the id of the message, and Last4 the last digits of
	// the account.
	WhatBankMessage = "bank_message"
	// WhatMoneyCame: an amount other than the one asked for was received;
	// Received, Currency and Payer are set. WhatCaseDecided: it was decided
	// what happens to it; Decision is taken, waiting, returned or ended,
	// and Received is set.
	WhatMoneyCame   = "money_came"
	WhatCaseDecided = "case_decided"
	// WhatClaimed: the payer says that they paid.
	WhatClaimed = "claimed"
	// WhatReceipt: the payer sent a receipt. File is set.
	WhatReceipt = "receipt_uploaded"
	// WhatAppealOpened: the merchant appealed. Reason and File are set.
	WhatAppealOpened = "appeal_opened"
	// WhatEvent: a webhook was written. WhatAttempt: it was sent. Webhook
	// is set.
	WhatEvent   = "event_written"
	WhatAttempt = "event_attempt"
)

// Line is one thing that happened to a payment or a payout.
type Line struct {
	At   time.Time
	Kind Kind
	// Actor is who did it, such as "key:12", "trader:3", "operator:1",
	// "payer", "acquirer", "application" or "system"; "" if nobody in
	// particular did it.
	Actor string
	// What is one of the constants above.
	What string
	Details
}

// Details are the data of a line. Fields that do not belong to its kind, or
// that the caller may not see, are nil or "".
type Details struct {
	// From and To are statuses; Reason is why.
	From, To, Reason string
	// Received is the amount that was received for a payment, in Currency,
	// if somebody reported it.
	Received decimal.NullDecimal
	Currency string
	// Request is what was asked for.
	Request *Request
	// Choice is which requisite was chosen.
	Choice *Choice
	// Rate is the calculation of the sum.
	Rate *Rate
	// Transfer is a row of the ledger.
	Transfer *Transfer
	// Last4 and Brand are the last digits and the brand of a card.
	Last4, Brand string
	// By is who requested a code again, merchant or trader, or the bank
	// that sent a message.
	By string
	// Page is the name of a page: requisite, cancel, checkout, card, code
	// or forget. Agent is the family of the browser that opened it.
	Page, Agent string
	// Payer is who sent the money, and Decision what was decided about it.
	Payer, Decision string
	// Message is the id of a bank message.
	Message int64
	// Minutes are the minutes added because of an outage.
	Minutes int
	// File is a receipt or the file of an appeal.
	File *File
	// Webhook is an event, or an attempt to deliver one.
	Webhook *Webhook
}

// Request is what was asked for.
type Request struct {
	Method   string
	Currency string
	Amount   decimal.Decimal
	// ExpiresAt is until when it waits for its payer, or for a trader to
	// take it, as of now.
	ExpiresAt time.Time
	// OrderID, CallbackURI, RequestID and Address are not for traders.
	// RequestID is the X-Request-Id of the request and Address its origin;
	// both are "" for payments and payouts created before they were stored.
	OrderID, CallbackURI, RequestID, Address string
	// AddressMask is the last digits of a payout's recipient's requisite.
	AddressMask string
}

// Choice is how a payment got its requisite.
type Choice struct {
	// TraderID and RequisiteID are not for merchants.
	TraderID, RequisiteID int64
	// Type is "" for card checkout; then Value, Holder and Bank are empty
	// as well.
	Type, Value, Holder, Bank string
	// Pool is how many requisites could get payments at that moment, and
	// Looked how many of them were examined before this one was chosen.
	// They are for operators only; nil means unknown.
	Pool, Looked *int32
	// Passed are the requisites that were examined and rejected before it,
	// by rule, at most 100 in all; for operators only.
	Passed []PassedBy
}

// PassedBy are the requisites that one rule rejected.
type PassedBy struct {
	Rule       string
	Requisites []int64
}

// Rate is the calculation of a payment or a payout. Numbers that the caller may
// not see are nil.
type Rate struct {
	// Source and ObservedAt are the source and the time of the base rate.
	Source     string
	ObservedAt *time.Time
	// Unavailable: no rate was fresh, so there is only a hold so far.
	Unavailable bool
	// Base is fiat per USDT. Markup is in percent. MarkupSource is who set
	// it: body, cashbox_method, merchant, trader or configuration; "" for
	// payouts.
	Base, Markup *decimal.Decimal
	MarkupSource string
	// Spot is the amount at the base rate.
	Spot *decimal.Decimal
	// Amount is what the merchant gets for a payment, or what is frozen for
	// a payout. Profit is the whole spread of a payment. SharePercent is
	// the trader's largest share, as a percent of Spot (for a payment) or
	// of the markup (for a payout). Trader and Platform are what each of
	// them gets.
	Amount, Profit, SharePercent, Trader, Platform *decimal.Decimal
	// Hold is the amount reserved from the trader for a payment.
	Hold *decimal.Decimal
}

// Transfer is a transfer of the ledger: Amount of USDT from one account to
// another. Callers other than operators see it once for each account of their
// own that it touches, with Other empty.
type Transfer struct {
	ID int64
	// Kind is the kind of the transfer, such as hold, freeze or
	// pending-completed.
	Kind   string
	Amount decimal.Decimal
	// Account is the account that the line is about. Credit tells that it
	// received the amount; otherwise it paid it.
	Account Account
	Credit  bool
	// Other is the account on the other side.
	Other *Account
}

type Account struct {
	ID int64
	// Owner is external, platform, cashbox or trader.
	Owner   string
	OwnerID int64
	// Reserved tells the reserved account from the available account.
	Reserved bool
}

// File is a file that somebody sent.
type File struct {
	// Number is the number of a receipt, 1 to 3.
	Number int32
	// Type is the media type, detected from the content.
	Type string
	Size int64
}

// Webhook is an event, or an attempt to deliver it.
type Webhook struct {
	EventID  uuid.UUID
	Type     string
	Sequence int32
	// Status (pending, delivered or dead), URL and Body (the first 4096
	// bytes) are set for an event, and empty for an attempt.
	Status, URL string
	Body        []byte
	// StatusCode and the fields below are set for an attempt: the status
	// code of the response, nil if there was none, how long it took, and
	// the first 200 bytes of the response, which come from outside and
	// cannot be trusted. Error says why there was no response.
	StatusCode *int32
	Took       time.Duration
	Answer     []byte
	Error      string
}

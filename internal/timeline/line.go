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

// What names one line's news, for those who put it into words.
const (
	// WhatCreated: it was asked for. Request is set.
	WhatCreated = "created"
	// WhatRequisiteChosen: a payment got its requisite. Choice is set.
	WhatRequisiteChosen = "requisite_chosen"
	// WhatRateFixed: the sum was made at a fresh rate, at the creation. WhatRateHeld: only the hold
	// was, at the last known rate. WhatRateSettled: the sum was made later. Rate is set.
	WhatRateFixed   = "rate_fixed"
	WhatRateHeld    = "rate_held"
	WhatRateSettled = "rate_settled"
	// WhatStatus: from one status to another, or to the first. From, To and Reason are set.
	WhatStatus = "status"
	// WhatTransfer: USDT were moved. Transfer is set.
	WhatTransfer = "transfer"
	// WhatPageOpened: the payer opened a page. Page and Agent are set.
	WhatPageOpened = "page_opened"
	// WhatCardEntered: the payer gave a card. Last4 and Brand are set.
	WhatCardEntered = "card_entered"
	// Of the code of a card payment: asked for, asked for again, given, and not needed. Of one asked
	// for again, By is merchant or trader.
	WhatCodeRequested = "code_requested"
	WhatCodeResent    = "code_resent"
	WhatCodeEntered   = "code_entered"
	WhatCodeNotNeeded = "code_not_needed"
	// WhatTimeGivenBack: the payment got the minutes of an outage back. Minutes is set.
	WhatTimeGivenBack = "time_given_back"
	// WhatBankMessage: a message of a bank said that the money has come. By is the bank, Message its id, and Last4 the account's.
	WhatBankMessage = "bank_message"
	// WhatMoneyCame: another amount came; Received, Currency and Payer are set. WhatCaseDecided: what becomes of it; Decision is taken,
	// waiting, returned or ended, and Received is set.
	WhatMoneyCame   = "money_came"
	WhatCaseDecided = "case_decided"
	// WhatClaimed: the payer says that they have paid.
	WhatClaimed = "claimed"
	// WhatReceipt: the payer sent a receipt. File is set.
	WhatReceipt = "receipt_uploaded"
	// WhatAppealOpened: the merchant appealed. Reason and File are set.
	WhatAppealOpened = "appeal_opened"
	// WhatEvent: a webhook was written. WhatAttempt: it was sent. Webhook is set.
	WhatEvent   = "event_written"
	WhatAttempt = "event_attempt"
)

// Line is one thing that happened to a payment or a payout.
type Line struct {
	At   time.Time
	Kind Kind
	// Actor is who did it, such as "key:12", "trader:3", "operator:1", "payer", "acquirer",
	// "application" or "system"; "" is nobody in particular.
	Actor string
	// What is one of the constants above.
	What string
	Details
}

// Details are what is to be said of a line. What does not belong to it, or is not for the caller,
// is nil or "".
type Details struct {
	// From and To are statuses; Reason is why.
	From, To, Reason string
	// Received is what came of a payment, where somebody said, in Currency.
	Received decimal.NullDecimal
	Currency string
	// Request is what was asked for.
	Request *Request
	// Choice is which requisite was chosen.
	Choice *Choice
	// Rate is how it came to be worth what it is.
	Rate *Rate
	// Transfer is a row of the ledger.
	Transfer *Transfer
	// Last4 and Brand are a card's.
	Last4, Brand string
	// By is who had a code sent again: merchant or trader; or the bank that wrote.
	By string
	// Page is a page's name: requisite, cancel, checkout, card, code or forget. Agent is the family
	// of the browser that opened it.
	Page, Agent string
	// Payer is who sent money, and Decision what becomes of it.
	Payer, Decision string
	// Message is the message of a bank.
	Message int64
	// Minutes are those that were given back after an outage.
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
	// ExpiresAt is until when it waits for its payer, or for a trader who takes it, as it stands now.
	ExpiresAt time.Time
	// OrderID, CallbackURI, RequestID and Address are not for traders. RequestID is the request's
	// X-Request-Id and Address where it came from; both are "" for what was created before they
	// were kept.
	OrderID, CallbackURI, RequestID, Address string
	// AddressMask is the last digits of a payout's recipient's requisite.
	AddressMask string
}

// Choice is how a payment got its requisite.
type Choice struct {
	// TraderID and RequisiteID are not for merchants.
	TraderID, RequisiteID int64
	// Type is "" for card checkout; then nothing of Value, Holder and Bank is set.
	Type, Value, Holder, Bank string
	// Pool is how many requisites could be given payments at that moment, and Looked how many of
	// them were looked at before this one was taken. Operators alone are told; nil is not known.
	Pool, Looked *int32
	// Passed are those that were passed by before it, by the rules, at most 100 in all; operators alone
	// are told.
	Passed []PassedBy
}

// PassedBy are the requisites that a rule dropped.
type PassedBy struct {
	Rule       string
	Requisites []int64
}

// Rate is the calculation of a payment or a payout. A number that is nil is not for the caller.
type Rate struct {
	// Source and ObservedAt are the base rate's.
	Source     string
	ObservedAt *time.Time
	// Unavailable: no rate was fresh, and there is only a hold so far.
	Unavailable bool
	// Base is fiat per USDT. Markup is in percent, MarkupSource who set it: body, cashbox_method,
	// merchant, trader or configuration; "" for payouts.
	Base, Markup *decimal.Decimal
	MarkupSource string
	// Spot is the amount at the base rate.
	Spot *decimal.Decimal
	// Amount is what the merchant gets of a payment, or is frozen for a payout. Profit is the whole
	// spread of a payment, SharePercent the trader's share at most, as a percent of Spot (of a
	// payment) or of the markup (of a payout). Trader and Platform are what each gets.
	Amount, Profit, SharePercent, Trader, Platform *decimal.Decimal
	// Hold is what the trader puts up for a payment.
	Hold *decimal.Decimal
}

// Transfer is a row of the ledger: Amount of USDT from one account to another. A caller other than
// an operator sees a row once for each account of their own that it touches, with Other empty.
type Transfer struct {
	ID int64
	// Kind is why, such as hold, freeze or pending-completed.
	Kind   string
	Amount decimal.Decimal
	// Account is the account in question. Credit tells that it got the amount, otherwise it gave it.
	Account Account
	Credit  bool
	// Other is the other account.
	Other *Account
}

// Account names an account.
type Account struct {
	ID int64
	// Owner is external, platform, cashbox or trader.
	Owner   string
	OwnerID int64
	// Reserved tells the account of what is held from that of what is available.
	Reserved bool
}

// File is a file that somebody sent.
type File struct {
	// Number is a receipt's, 1 to 3.
	Number int32
	// Type is the media type found in the content.
	Type string
	Size int64
}

// Webhook is an event, or an attempt to deliver it.
type Webhook struct {
	EventID  uuid.UUID
	Type     string
	Sequence int32
	// Status and URL are the event's: pending, delivered or dead. Body is what is sent, the first 4096
	// bytes. An attempt has none of these.
	Status, URL string
	Body        []byte
	// Of an attempt: the answer's status code, nil if none came, how long it took, and the first 200
	// bytes of the answer, which a stranger wrote. Error says why none came.
	StatusCode *int32
	Took       time.Duration
	Answer     []byte
	Error      string
}

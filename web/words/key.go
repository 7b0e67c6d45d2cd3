package words

import (
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/message/catalog"
)

// Key names a phrase.
type Key string

// What every page says.
const (
	LanguageLabel Key = "language"
	TestMode      Key = "test mode"
	Simulate      Key = "simulate"
	TestBankTitle Key = "test bank title"
	TestBankText  Key = "test bank text"
	Order         Key = "order"
	Copy          Key = "copy"
	Copied        Key = "copied"
	Offline       Key = "offline"
	Online        Key = "online"
	Som           Key = "som"
	Payment       Key = "payment"
	UnknownTitle  Key = "unknown title"
	UnknownText   Key = "unknown text"
	BrokenTitle   Key = "broken title"
	BrokenText    Key = "broken text"
	ForeignTitle  Key = "foreign title"
	ForeignText   Key = "foreign text"
	TitleOf       Key = "title of"
	AmountLabel   Key = "amount"
	ErrorTitle    Key = "error title"
	ShowAll       Key = "show all"
	CopyAll       Key = "copy all"
	ScanTitle     Key = "scan title"
	ScanText      Key = "scan text"
	Reference     Key = "reference"
	BackToShop    Key = "back to shop"
	BackSoon      Key = "back soon"
	StayHere      Key = "stay here"
	ShareLink     Key = "share link"
)

// What a payment that waits says.
const (
	SendTitle      Key = "send title"
	SendExactly    Key = "send exactly"
	Waiting        Key = "waiting"
	PayBefore      Key = "pay before"
	TimeLeft       Key = "time left"
	MinutesLeft    Key = "minutes left"
	OneMinute      Key = "one minute"
	PhoneNumber    Key = "phone number"
	CardNumber     Key = "card number"
	IBAN           Key = "iban"
	Recipient      Key = "recipient"
	WhyPerson      Key = "why person"
	Bank           Key = "bank"
	HavePaid       Key = "have paid"
	CancelLink     Key = "cancel link"
	SentTitle      Key = "sent title"
	SentText       Key = "sent text"
	SentAgain      Key = "sent again"
	ShowDetails    Key = "show details"
	SentNext       Key = "sent next"
	SentStepCheck  Key = "sent step check"
	SentStepResult Key = "sent step result"
	SentStepLate   Key = "sent step late"
	NotSent        Key = "not sent"
	Unsent         Key = "unsent"
	Held           Key = "held"
	Holding        Key = "holding"
)

// How to pay, step by step.
const (
	OpenBank   Key = "open bank"
	HowToPay   Key = "how to pay"
	OpenSBP    Key = "open sbp"
	EnterPhone Key = "enter phone"
	OpenTopUp  Key = "open top-up"
	EnterTopUp Key = "enter top-up"
	OpenCard   Key = "open card"
	EnterCard  Key = "enter card"
	OpenIBAN   Key = "open iban"
	EnterIBAN  Key = "enter iban"
	CheckName  Key = "check name"
	SendAmount Key = "send amount"
	OnlyExact  Key = "only exact"
)

// How a payment ends.
const (
	CancelTitle    Key = "cancel title"
	CancelText     Key = "cancel text"
	CancelYes      Key = "cancel yes"
	CancelNo       Key = "cancel no"
	CancelTooLate  Key = "cancel too late"
	PaidTitle      Key = "paid title"
	PaidText       Key = "paid text"
	ExpiredTitle   Key = "expired title"
	ExpiredText    Key = "expired text"
	LookingTitle   Key = "looking title"
	LookingText    Key = "looking text"
	ClaimedText    Key = "claimed text"
	FailedTitle    Key = "failed title"
	FailedText     Key = "failed text"
	CancelledTitle Key = "cancelled title"
	CancelledText  Key = "cancelled text"
	AppealTitle    Key = "appeal title"
	AppealText     Key = "appeal text"
	AppealAsked    Key = "appeal asked"
	LateTitle      Key = "late title"
	LateText       Key = "late text"
	CancelSentText Key = "cancel sent text"
	ReceiptTitle   Key = "receipt title"
	AskedFor       Key = "asked for"
	PaidAt         Key = "paid at"
	PaidWith       Key = "paid with"
	PaidTo         Key = "paid to"
	PrintReceipt   Key = "print receipt"
	BackToPayment  Key = "back to payment"
	ProofTitle     Key = "proof title"
	ProofAnother   Key = "proof another"
	ProofText      Key = "proof text"
	ProofHint      Key = "proof hint"
	ProofChoose    Key = "proof choose"
	ProofPick      Key = "proof pick"
	ProofSend      Key = "proof send"
	ProofCount     Key = "proof count"
	ProofFull      Key = "proof full"
	ProofWrong     Key = "proof wrong"
	ProofOver      Key = "proof over"
	LateStepShop   Key = "late step shop"
	LateStepCheck  Key = "late step check"
	LateStepResult Key = "late step result"
)

// A card payment: the card.
const (
	PayTitle      Key = "pay title"
	AmountToPay   Key = "amount to pay"
	WaitingCard   Key = "waiting card"
	Expiry        Key = "expiry"
	ExpiryHint    Key = "expiry hint"
	SecurityCode  Key = "security code"
	SecurityHint  Key = "security hint"
	Holder        Key = "holder"
	MissingNumber Key = "missing number"
	WrongNumber   Key = "wrong number"
	CardNotTaken  Key = "card not taken"
	WrongExpiry   Key = "wrong expiry"
	ExpiredCard   Key = "expired card"
	WrongSecurity Key = "wrong security"
	WrongHolder   Key = "wrong holder"
	CardLost      Key = "card lost"
	SavedCard     Key = "saved card"
	SavedChanged  Key = "saved changed"
	ValidUntil    Key = "valid until"
	OtherCard     Key = "other card"
	ForgetCard    Key = "forget card"
	UseSaved      Key = "use saved"
	StepCard      Key = "step card"
	StepCode      Key = "step code"
	StepResult    Key = "step result"
	CardSafe      Key = "card safe"
	KeepCard      Key = "keep card"
	ForgetTitle   Key = "forget title"
	ForgetText    Key = "forget text"
	ForgetYes     Key = "forget yes"
	DeclinedAgain Key = "declined again"
	NoFundsAgain  Key = "no funds again"
	ExpiredAgain  Key = "expired again"
	LimitAgain    Key = "limit again"
	CardsLeft     Key = "cards left"
)

// A card payment: the code of the payer's bank, and waiting.
const (
	ProcessingTitle Key = "processing title"
	ConfirmingTitle Key = "confirming title"
	ProcessingText  Key = "processing text"
	PayOnce         Key = "pay once"
	HaveCode        Key = "have code"
	CodeTitle       Key = "code title"
	CodeText        Key = "code text"
	CodeEarly       Key = "code early"
	CodeLabel       Key = "code label"
	WaitingCode     Key = "waiting code"
	CodeButton      Key = "code button"
	WrongCode       Key = "wrong code"
	CodeRejected    Key = "code rejected"
	CodesLeft       Key = "codes left"
	CodeSent        Key = "code sent"
	TooEarly        Key = "too early"
	CodeLost        Key = "code lost"
	ResendNone      Key = "resend none"
	ResendNext      Key = "resend next"
	ResendButton    Key = "resend button"
	ResendsByPayer  Key = "resends by payer"
)

// How a card payment ends.
const (
	CardCancelText     Key = "card cancel text"
	CardPaidText       Key = "card paid text"
	CardOverText       Key = "card over text"
	DeclinedText       Key = "declined text"
	NoFundsText        Key = "no funds text"
	CardExpiredText    Key = "card expired text"
	CodesWrongText     Key = "codes wrong text"
	CardAppealText     Key = "card appeal text"
	CardSentCancelText Key = "card sent cancel text"
	CheckingCancelled  Key = "checking cancelled"
	CheckingExpired    Key = "checking expired"
	CheckingTitle      Key = "checking title"
	LimitText          Key = "limit text"
)

// What cannot be done now.
const (
	WaitTitle      Key = "wait title"
	WaitText       Key = "wait text"
	TryAgain       Key = "try again"
	NoCardsTitle   Key = "no cards title"
	CardBrokenText Key = "card broken text"
	NoCardsText    Key = "no cards text"
)

// The page of a payment link.
const (
	LinkBetween     Key = "link between"
	LinkLeast       Key = "link least"
	LinkMost        Key = "link most"
	LinkHow         Key = "link how"
	WaySBP          Key = "way sbp"
	WaySIM          Key = "way sim"
	WayCard         Key = "way card"
	WayIBAN         Key = "way iban"
	WayEcom         Key = "way ecom"
	LinkGo          Key = "link go"
	LinkAmountWrong Key = "link amount wrong"
	LinkWayWrong    Key = "link way wrong"
	LinkEndedTitle  Key = "link ended title"
	LinkEndedText   Key = "link ended text"
	LinkRefused     Key = "link refused"
)

// A sandbox's cards.
const (
	TestCards    Key = "test cards"
	TestPaid     Key = "test paid"
	TestCode     Key = "test code"
	TestDeclined Key = "test declined"
	TestNoFunds  Key = "test no funds"
)

// text is a phrase that depends on nothing.
func text(s string) catalog.Message { return catalog.String(s) }

// counted is a phrase with a number in it. A language lists the forms it has.
func counted(forms ...any) catalog.Message { return plural.Selectf(1, "%d", forms...) }

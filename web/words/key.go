package words

import (
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/message/catalog"
)

// Key names a phrase.
type Key string

// What every page says.
const (
	LanguageLabel  Key = "language"
	TestMode       Key = "test mode"
	Simulate       Key = "simulate"
	Order          Key = "order"
	Copy           Key = "copy"
	Copied         Key = "copied"
	Offline        Key = "offline"
	Som            Key = "som"
	UpdatesItself  Key = "updates itself"
	Payment        Key = "payment"
	UnknownTitle   Key = "unknown title"
	UnknownText    Key = "unknown text"
	BrokenTitle    Key = "broken title"
	BrokenText     Key = "broken text"
	ForeignTitle   Key = "foreign title"
	ForeignText    Key = "foreign text"
	TitleOf        Key = "title of"
	AmountLabel    Key = "amount"
	ContactTheShop Key = "contact the shop"
)

// What a payment that waits says.
const (
	SendTitle   Key = "send title"
	SendExactly Key = "send exactly"
	Waiting     Key = "waiting"
	PayBefore   Key = "pay before"
	TimeLeft    Key = "time left"
	MinutesLeft Key = "minutes left"
	OneMinute   Key = "one minute"
	PhoneNumber Key = "phone number"
	CardNumber  Key = "card number"
	IBAN        Key = "iban"
	Recipient   Key = "recipient"
	Bank        Key = "bank"
	HavePaid    Key = "have paid"
	CancelLink  Key = "cancel link"
	SentTitle   Key = "sent title"
	SentText    Key = "sent text"
	SentAgain   Key = "sent again"
	ShowDetails Key = "show details"
)

// How to pay, step by step.
const (
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
	FailedTitle    Key = "failed title"
	FailedText     Key = "failed text"
	CancelledTitle Key = "cancelled title"
	CancelledText  Key = "cancelled text"
	AppealTitle    Key = "appeal title"
	AppealText     Key = "appeal text"
	LateTitle      Key = "late title"
	LateText       Key = "late text"
)

// text is a phrase that depends on nothing.
func text(s string) catalog.Message { return catalog.String(s) }

// counted is a phrase with a number in it. A language lists the forms it has.
func counted(forms ...any) catalog.Message { return plural.Selectf(1, "%d", forms...) }

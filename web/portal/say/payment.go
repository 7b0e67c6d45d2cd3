package say

// A trader's payments.
var (
	PaymentTitle = Phrase{"Payment № %d", "Платёж № %d"}
	Number       = Phrase{"№", "№"}
	Created      = Phrase{"Created", "Создано"}
	Amount       = Phrase{"Amount", "Сумма"}
	Requisite    = Phrase{"Requisite", "Реквизит"}
	WhatHappened = Phrase{"What happened", "Что произошло"}
	Download     = Phrase{"Download", "Скачать"}
	UUID         = Phrase{"UUID", "UUID"}

	NoneLatelyText = Phrase{"There are older ones.", "Есть более ранние."}
)

// ReasonOf explains why something has its status. Reasons that are not the
// gateway's own are shown as they are.
var ReasonOf = Names{
	"expired":                {"its time ran out", "истекло время"},
	"late":                   {"the money came late", "деньги пришли с опозданием"},
	"difference_not_covered": {"the platform does not cover the difference", "платформа не покрывает разницу"},
	"returned":               {"what came goes back to the payer", "пришедшее возвращается плательщику"},
}.Of

// Proofs that what was moved is in the ledger as it was sealed.
var (
	LedgerProof     = Phrase{"Proof", "Подтверждение"}
	LedgerProofFile = Phrase{"File from the sealed ledger", "Файл из запечатанной книги учёта"}
)

// What happened to a payment, as a file that can be proven.
var (
	EventNamed = Phrase{"Webhook %d", "Вебхук %d"}
	CurlTitle  = Phrase{"Read it through the API", "Запрос через API"}
	CurlText   = Phrase{
		"The same as a program reads it. Put in your key and secret first.",
		"То же, что получает программа. Сначала подставьте ключ и секрет.",
	}
	CopyCurl = Phrase{"Copy as curl", "Скопировать как curl"}
)

// A trader's payouts.
var (
	PayoutTitle = Phrase{"Payout № %d", "Выплата № %d"}
	TakenAt     = Phrase{"Taken", "Взята"}

	ProofLabel = Phrase{"Number of the transfer", "Номер перевода"}
)

// A trader's statement.
var (
	AccountAvailable = Phrase{"Available", "Доступно"}
	AccountReserved  = Phrase{"Held", "Удержано"}
	At               = Phrase{"Time", "Время"}
	About            = Phrase{"For", "Основание"}
	ShortPayment     = Phrase{"Payment № %d", "Платёж № %d"}
)

// MovementOf says why money was moved; it is empty for a reason without a
// phrase.
var MovementOf = Names{
	"hold":       {"Held for a payment", "Удержано под платёж"},
	"freeze":     {"Frozen for a payout", "Заморожено под выплату"},
	"deposit":    {"Deposit", "Пополнение"},
	"insurance":  {"Insurance", "Страховой депозит"},
	"funding":    {"Funded by the operator", "Пополнено оператором"},
	"correction": {"Correction by the operator", "Исправление оператором"},
	"withdrawal": {"Withdrawn by the operator", "Выведено оператором"},
	// The phrase of a change of status names the new status.
	"pending-completed":     {"Payment completed", "Платёж завершён"},
	"pending-failed":        {"Payment failed: no longer held", "Платёж не удался: удержание снято"},
	"pending-cancelled":     {"Payment cancelled: no longer held", "Платёж отменён: удержание снято"},
	"completed-completed":   {"Settled at a fresh rate", "Расчёт по свежему курсу"},
	"processing-completed":  {"Payout completed", "Выплата завершена"},
	"leave":                 {"Held for a withdrawal", "Удержано под вывод"},
	"handed_over-completed": {"Withdrawn", "Выведено"},
	"handed_over-failed":    {"Withdrawal failed: given back", "Вывод не удался: возвращено"},
	"requested-cancelled":   {"Withdrawal taken back", "Вывод отменён"},
	"requested-rejected":    {"Withdrawal rejected: given back", "Вывод отклонён: возвращено"},
	"approved-rejected":     {"Withdrawal rejected: given back", "Вывод отклонён: возвращено"},
	"completed-failed":      {"Reversed", "Отменено после завершения"},
}.orNothing

// HoldEnded says that nothing is held any more for a completed payment.
var HoldEnded = Phrase{"Payment completed: no longer held", "Платёж завершён: удержание снято"}

// StatusMoved says that money was moved because the status changed.
var StatusMoved = Phrase{"%s → %s", "%s → %s"}

// A trader's desk.
var (
	Desk      = Phrase{"Desk", "Стол"}
	WhyNone   = Phrase{"Why do I get no payments?", "Почему нет платежей?"}
	Receiving = Phrase{"Receiving payments", "Приём платежей"}
	Paused    = Phrase{"Paused", "Приём приостановлен"}
	Receive   = Phrase{"Receive payments", "Принимать платежи"}

	Card         = Phrase{"Card", "Карта"}
	Step         = Phrase{"Step", "Шаг"}
	PayerClaims  = Phrase{"Payer says paid", "Плательщик: оплачено"}
	Receipts     = Phrase{"Receipts", "Чеки"}
	Reward       = Phrase{"You get", "Вы получите"}
	Recipient    = Phrase{"Recipient", "Получатель"}
	MethodLabel  = Phrase{"Method", "Метод"}
	MerchantGets = Phrase{"The merchant gets", "Мерчант получит"}

	ConfirmAct     = Phrase{"Money arrived", "Деньги пришли"}
	CancelAct      = Phrase{"Cancel", "Отменить"}
	RequestCodeAct = Phrase{"Ask for the code", "Запросить код"}
	ResendAct      = Phrase{"Send the code again", "Код ещё раз"}
	NoCodeAct      = Phrase{"No code needed", "Код не нужен"}
	TakeAct        = Phrase{"Take", "Взять"}
	CompleteAct    = Phrase{"Paid", "Выплачено"}
	FailAct        = Phrase{"Cannot be paid", "Не выплатить"}
	GiveBackAct    = Phrase{"Give back", "Вернуть"}

	Reason     = Phrase{"Reason", "Причина"}
	ReasonHint = Phrase{"The merchant sees it.", "Её увидит мерчант."}
)

// PhaseOf is the name of a card checkout's phase.
var PhaseOf = Names{
	"awaiting_payer_details":   {"The payer enters a card", "Плательщик вводит карту"},
	"awaiting_trader_bank_sms": {"The bank decides", "Решает банк"},
	"awaiting_payer_otp":       {"The payer enters the code", "Плательщик вводит код"},
	"awaiting_trader_confirm":  {"The bank has the code", "Код у банка"},
}.orNothing

// Method is the name of a payment method. A method without a name has that of
// the API.
var Method = Names{
	"sbp":        {"SBP transfer", "Перевод по СБП"},
	"sim":        {"Phone top-up", "Пополнение телефона"},
	"card":       {"Card transfer", "Перевод на карту"},
	"c2c":        {"Card transfer", "Перевод на карту"},
	"iban":       {"Bank transfer (IBAN)", "Банковский перевод (IBAN)"},
	"mtstpay":    {"Card (MTS Pay)", "Карта (MTS Pay)"},
	"quasi_ecom": {"Card on the page", "Карта на странице"},
}.Of

// Empty reports whether the phrase has no text.
func (p Phrase) Empty() bool { return p == Phrase{} }

// Transfers in another amount than was asked for.
var (
	ByMessage     = Phrase{"bank message %d", "сообщение банка %d"}
	ArrivalReturn = Phrase{"Its return", "Возврат"}
	ArrivalOff    = Phrase{"another amount", "другая сумма"}
	Fitting       = Phrase{"Money that fits", "Подходящие деньги"}
	FittingText   = Phrase{
		"It came to this requisite in this amount or near it, and belongs to no payment yet.",
		"Пришли на этот реквизит, эта сумма или близкая к ней, и пока не относятся ни к какому платежу.",
	}
	Attach = Phrase{"Attach to this payment", "Учесть в этом платеже"}
)

// ArrivalState is the name of an arrival's state.
var ArrivalState = Names{
	"free":     {"belongs to no payment", "не относится к платежу"},
	"kept":     {"counted", "учтено"},
	"returned": {"goes back", "возвращается"},
}.Of

package say

// A merchant's pages.
var (
	Appeals      = Phrase{"Appeals", "Апелляции"}
	Deposits     = Phrase{"Deposits", "Пополнения"}
	BalanceTitle = Phrase{"Balance", "Баланс"}
	Cashbox      = Phrase{"Cashbox", "Касса"}
	AnyCashbox   = Phrase{"Any", "Любая"}
	WrongCashbox = Phrase{"There is no such cashbox.", "Такой кассы нет."}
	Order        = Phrase{"Order", "Заказ"}
)

// The state of something at a moment.
var (
	AsOf        = Phrase{"As it stood at", "Как было на момент"}
	ShowThen    = Phrase{"Show", "Показать"}
	WrongMoment = Phrase{"Write the time as in 2026-11-03T10:15.", "Укажите время в виде 2026-11-03T10:15."}
	WrongBefore = Phrase{"It was created later.", "Тогда этого ещё не было."}
	RequestBody = Phrase{"What is sent", "Что отправляется"}
	AnswerBody  = Phrase{"The answer", "Ответ"}
	LineYouPay  = Phrase{"You pay %s", "Вы платите %s"}
)

// ArrivalsTitle is a trader's page of money that came for no payment.
var ArrivalsTitle = Phrase{"Money without a payment", "Деньги без платежа"}

// LinksTitle is the page of payment links.
var LinksTitle = Phrase{"Payment links", "Платёжные ссылки"}

// What cashboxes hold.
var (
	Currency      = Phrase{"Currency", "Валюта"}
	Total         = Phrase{"Total", "Всего"}
	Insured       = Phrase{"Of that insured", "В том числе страховой депозит"}
	AmountsInUSDT = Phrase{"All amounts are in USDT.", "Все суммы в USDT."}
)

// Deposits.
var (
	// What the network says of a deposit.
	TransactionHash = Phrase{"Transaction hash", "Хеш транзакции"}
	Confirmations   = Phrase{"Confirmations", "Подтверждений сети"}
	ConfirmationsOf = Phrase{"%d of %d", "%d из %d"}
	TransferCame    = Phrase{"Came", "Пришло"}
	AnotherCame     = Phrase{"%s, which is not what was asked for", "%s, а запрошено другое"}

	DepositTitle = Phrase{"Deposit № %d", "Пополнение № %d"}
	ShortDeposit = Phrase{"Deposit № %d", "Пополнение № %d"}
	Network      = Phrase{"Network", "Сеть"}
	Address      = Phrase{"Address", "Адрес"}
	AmountUSDT   = Phrase{"Amount, USDT", "Сумма, USDT"}
	NoDeposits   = Phrase{"No deposits yet.", "Пополнений ещё не было."}
)

// Appeals.
var (
	AppealTitle = Phrase{"Appeal № %d", "Апелляция № %d"}
	NoAppeals   = Phrase{"No appeals yet.", "Апелляций ещё не было."}
	Opened      = Phrase{"Opened", "Подана"}
)

var (
	appealStatuses = map[string]Phrase{
		"open":      {"Open", "Открыта"},
		"in_review": {"In review", "Рассматривается"},
		"completed": {"Accepted: the payment is completed", "Принята: платёж завершён"},
		"failed":    {"Refused: the payment stays failed", "Отклонена: платёж не удался"},
		"closed":    {"Closed", "Закрыта"},
	}
	appealBadges = map[string]Phrase{
		"completed": {"Accepted", "Принята"},
		"failed":    {"Refused", "Отклонена"},
	}
)

// DepositStatus is the name of a deposit's status.
var DepositStatus = Names{
	"pending":   {"Pending", "Ожидает"},
	"confirmed": {"Confirmed", "Подтверждено"},
	"rejected":  {"Rejected", "Отклонено"},
}.Of

// AppealStatus is the name of an appeal's status, short enough for a badge.
func AppealStatus(name string) Phrase {
	if short, known := appealBadges[name]; known {
		return short
	}
	return Named(appealStatuses, name)
}

// AppealOutcome explains an appeal's status.
func AppealOutcome(name string) Phrase { return Named(appealStatuses, name) }

// MessagesOfBanks is the link to the messages of a trader's banks.
var MessagesOfBanks = Phrase{"Messages of banks", "Сообщения банков"}

// MessagesShort is its short form.
var MessagesShort = Phrase{"Messages", "Сообщения"}

// PhoneSilent names a silent phone on whose messages payments rely.
var PhoneSilent = Phrase{
	"The phone “%s” has forwarded nothing for half an hour: confirm payments by hand until it does.",
	"Телефон «%s» полчаса ничего не пересылал: пока он молчит, подтверждайте платежи сами.",
}

// CompareStatement is the link to comparing a requisite's payments with its
// bank's statement.
var CompareStatement = Phrase{"Compare with the bank's statement", "Сверка с выпиской банка"}

// A merchant's overview.
var (
	Overview       = Phrase{"Overview", "Обзор"}
	BeforeWas      = Phrase{"before: %s", "было: %s"}
	Points         = Phrase{"%s points", "%s п. п."}
	Last24Hours    = Phrase{"24 hours", "24 часа"}
	NumberOfDays   = Phrase{"%d days", "%d дней"}
	TimeShown      = Phrase{"Time", "Период"}
	SlotLabel      = Phrase{"Time", "Время"}
	CompletedOnes  = Phrase{"Completed", "Завершено"}
	PaidOnes       = Phrase{"Paid", "Оплачено"}
	CreatedOnes    = Phrase{"Created", "Создано"}
	PaidRate       = Phrase{"Paid, % of ended", "Оплачено, % от окончившихся"}
	ChartPaid      = Phrase{"Payments created, and of these paid", "Платежи: создано и из них оплачено"}
	Hour           = Phrase{"Hour", "Час"}
	ShowNumbers    = Phrase{"Show the numbers", "Показать числа"}
	Seconds        = Phrase{"%d s", "%d с"}
	Minutes        = Phrase{"%d min", "%d мин"}
	MinutesSeconds = Phrase{"%d min %d s", "%d мин %d с"}
	HoursMinutes   = Phrase{"%d h %d min", "%d ч %d мин"}
)

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

// Something as it stood at a moment.
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

// Payment links.
var (
	LinksTitle = Phrase{"Payment links", "Платёжные ссылки"}
	LinkTitle  = Phrase{"Payment link № %d", "Платёжная ссылка № %d"}
)

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
	depositStatuses = map[string]Phrase{
		"pending":   {"Pending", "Ожидает"},
		"confirmed": {"Confirmed", "Подтверждено"},
		"rejected":  {"Rejected", "Отклонено"},
	}
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
func DepositStatus(name string) Phrase { return Named(depositStatuses, name) }

// AppealStatus is the name of an appeal's status, as short as a badge is.
func AppealStatus(name string) Phrase {
	if short, known := appealBadges[name]; known {
		return short
	}
	return Named(appealStatuses, name)
}

// AppealOutcome is what an appeal's status means.
func AppealOutcome(name string) Phrase { return Named(appealStatuses, name) }

// merchantWrongs are what services say of the fields of a merchant's forms.
var merchantWrongs = map[string]string{
	"must be a request as it is on the wire, or a line of curl": "нужен запрос, как он передаётся, или строка curl",
	"takes its body from a file: paste the body":                "тело берётся из файла: вставьте тело",
	"must be a PDF, PNG, JPEG, WebP or MP4 file":                "нужен файл PDF, PNG, JPEG, WebP или MP4",
	"must not be empty":              "файл пуст",
	"is larger than 10 MB":           "больше 10 МБ",
	"is larger than 1 MB":            "больше 1 МБ",
	"has no payout":                  "в файле нет ни одной выплаты",
	"has a line that cannot be read": "в файле есть нечитаемая строка",
	"has no row that names the columns orderId, amount, method, address and recipient": "в файле нет строки с названиями столбцов orderId, amount, method, address и recipient",
	"was used for a payout before":                                             "уже использован для другой выплаты",
	"is not paid out to":                                                       "этому получателю не выплачивают",
	"is not enabled for payouts on the cashbox":                                "на кассе не включён для выплат",
	"is no key of yours that may ask for payouts":                              "это не ваш ключ с правом на выплаты",
	"must have one pair such as region=west in each line, each key once":       "по одной паре вида region=west в строке, каждый ключ один раз",
	"is larger than 4 MB":                                                      "больше 4 МБ",
	"goes over more than 100 days":                                             "выписка больше чем за 100 дней",
	"has too many payments in its time: send a shorter period":                 "за это время слишком много платежей: выберите период короче",
	"has no movement that could be read":                                       "в файле нет ни одной операции",
	"has no row that names a column of dates and one of amounts":               "в файле нет строки с названиями столбцов даты и суммы",
	"has more than 10000 movements: send a shorter period":                     "больше 10 000 операций: выберите период короче",
	"is no XLSX workbook that can be opened":                                   "это не книга XLSX, или она повреждена",
	"must be at most 2000 characters":                                          "не больше 2000 символов",
	"must be at most 256 characters":                                           "не больше 256 символов",
	"must have a name of 1 to 255 characters":                                  "имя файла – от 1 до 255 символов",
	"must be TRC20, ERC20, BEP20, POLYGON or ARBITRUM":                         "нужна одна из сетей списка",
	"must be a TRC20 address: 34 characters from T on, with a valid checksum":  "нужен адрес TRC20: 34 символа, первый – T",
	"must have a valid checksum in the case of its letters (EIP-55)":           "в адресе опечатка: регистр букв не сходится",
	"must not be the contract of the token itself: what is sent there is lost": "это контракт самого токена: отправленное туда потеряно",
	"is the platform's own address":                                            "это адрес самой платформы",
	"must be the 64 hexadecimal digits of a transaction":                       "нужны 64 шестнадцатеричные цифры транзакции",
	"pays another withdrawal already":                                          "уже оплачивает другой вывод",
	"is of another deposit already":                                            "относится к другому пополнению",
	"must be an address of 0x and 40 hexadecimal digits":                       "нужен адрес из 0x и 40 шестнадцатеричных цифр",
}

var merchantFlashes = map[string]Flash{
	"transaction-named": {Phrase{"The transaction is noted.", "Транзакция записана."}, ""},
	"payout-cancelled":  {Phrase{"The payout is cancelled.", "Выплата отменена."}, ""},
	"deposit-requested": {
		Phrase{
			"The deposit is requested. An operator confirms it.",
			"Пополнение запрошено. Оператор подтвердит его.",
		},
		"",
	},
	"link-made":    {Phrase{"The link is made.", "Ссылка создана."}, ""},
	"link-picture": {Phrase{"The picture is saved.", "Картинка сохранена."}, ""},
	"link-closed":  {Phrase{"The link is closed.", "Ссылка закрыта."}, "late"},
	"case-decided": {Phrase{"Decided.", "Решено."}, ""},
	"appealed":     {Phrase{"The appeal is sent.", "Апелляция отправлена."}, ""},
	"no-appeal": {
		Phrase{
			"This payment cannot be appealed, or has been already: nothing was done.",
			"По этому платежу апелляция невозможна или уже подана: ничего не сделано.",
		},
		"late",
	},
}

// MessagesOfBanks leads to what banks write to a trader's phones.
var MessagesOfBanks = Phrase{"Messages of banks", "Сообщения банков"}

// MessagesShort is the same where there is little room.
var MessagesShort = Phrase{"Messages", "Сообщения"}

// PhoneSilent names a phone that payments count on.
var PhoneSilent = Phrase{
	"The phone “%s” has forwarded nothing for half an hour: confirm payments by hand until it does.",
	"Телефон «%s» полчаса ничего не пересылал: пока он молчит, подтверждайте платежи сами.",
}

// CompareStatement leads to where a requisite's payments are compared with its bank's statement.
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
	PaidRate       = Phrase{"Paid, %", "Оплачено, %"}
	ChartPaid      = Phrase{"Payments created, and of these paid", "Платежи: создано и из них оплачено"}
	Hour           = Phrase{"Hour", "Час"}
	ShowNumbers    = Phrase{"Show the numbers", "Показать числа"}
	Seconds        = Phrase{"%d s", "%d с"}
	Minutes        = Phrase{"%d min", "%d мин"}
	MinutesSeconds = Phrase{"%d min %d s", "%d мин %d с"}
	HoursMinutes   = Phrase{"%d h %d min", "%d ч %d мин"}
)

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
	Payer        = Phrase{"Payer", "Плательщик"}
	User         = Phrase{"User", "Пользователь"}
	Description  = Phrase{"Description", "Описание"}
	YouGet       = Phrase{"You get", "Вы получите"}
	YouGetUSDT   = Phrase{"You get, USDT", "Вам, USDT"}
	YouPay       = Phrase{"You pay", "Вы платите"}
	YouPayUSDT   = Phrase{"You pay, USDT", "С вас, USDT"}
	SearchOrders = Phrase{
		"Number, UUID, order, payer, or last 4 digits",
		"Номер, UUID, заказ, плательщик или последние 4 цифры",
	}
	SearchPayouts = Phrase{"Number, UUID, order, or last 4 digits", "Номер, UUID, заказ или последние 4 цифры"}

	NoOwnPaymentsText = Phrase{
		"They appear here as soon as your shop creates them.",
		"Они появятся, как только их создаст ваш магазин.",
	}
	NoOwnPayouts     = Phrase{"No payouts yet.", "Выплат ещё не было."}
	NoOwnPayoutsText = Phrase{
		"They appear here as soon as your shop asks for them.",
		"Они появятся, как только их запросит ваш магазин.",
	}

	CancelPayoutTitle = Phrase{"Cancel this payout?", "Отменить выплату?"}
	CancelPayoutText  = Phrase{
		"Nobody has taken it yet. The recipient gets nothing, and what is frozen for it is available again.",
		"Её ещё никто не взял. Получатель ничего не получит, замороженная сумма снова станет доступна.",
	}
	CancelPayoutYes = Phrase{"Cancel the payout", "Отменить выплату"}
)

// Something as it stood at a moment.
var (
	AsOf        = Phrase{"As it stood at", "Как было на момент"}
	ShowThen    = Phrase{"Show", "Показать"}
	AsOfNote    = Phrase{"This is how it stood at %s.", "Так обстояли дела на %s."}
	AsOfNow     = Phrase{"See it as it is now", "Показать на сейчас"}
	WrongMoment = Phrase{"Write the time as in 2026-11-03T10:15.", "Укажите время в виде 2026-11-03T10:15."}
	WrongBefore = Phrase{"It was created later.", "Тогда этого ещё не было."}
	RequestBody = Phrase{"What is sent", "Что отправляется"}
	AnswerBody  = Phrase{"The answer", "Ответ"}
	LineYouPay  = Phrase{"You pay %s", "Вы платите %s"}
)

// What cashboxes hold.
var (
	NoCashboxes    = Phrase{"There are no cashboxes yet.", "Касс пока нет."}
	Currency       = Phrase{"Currency", "Валюта"}
	Total          = Phrase{"Total", "Всего"}
	Insured        = Phrase{"Of that insured", "В том числе страховой депозит"}
	AmountsInUSDT  = Phrase{"All amounts are in USDT.", "Все суммы в USDT."}
	RequestDeposit = Phrase{"Request a deposit", "Запросить пополнение"}
)

// Deposits.
var (
	DepositTitle   = Phrase{"Deposit № %d", "Пополнение № %d"}
	ShortDeposit   = Phrase{"Deposit № %d", "Пополнение № %d"}
	Network        = Phrase{"Network", "Сеть"}
	Address        = Phrase{"Address", "Адрес"}
	AddressHint    = Phrase{"Where the USDT are sent to.", "Куда отправлены USDT."}
	Reference      = Phrase{"Your reference", "Ваша пометка"}
	AmountUSDT     = Phrase{"Amount, USDT", "Сумма, USDT"}
	NoDeposits     = Phrase{"No deposits yet.", "Пополнений ещё не было."}
	NoDepositsText = Phrase{
		"A deposit brings USDT into a cashbox, which payouts are paid from.",
		"Пополнение вносит в кассу USDT, из которых идут выплаты.",
	}
	RequestDepositText = Phrase{
		"An operator confirms the deposit once the USDT have arrived. Only then are they in your cashbox.",
		"Оператор подтвердит пополнение, когда USDT придут. Только тогда они окажутся в кассе.",
	}
	RequestDepositYes = Phrase{"Request the deposit", "Запросить"}
)

// Appeals.
var (
	AppealTitle   = Phrase{"Appeal № %d", "Апелляция № %d"}
	OpenAppeal    = Phrase{"Appeal", "Подать апелляцию"}
	SeeAppeal     = Phrase{"See the appeal", "Смотреть апелляцию"}
	NoAppeals     = Phrase{"No appeals yet.", "Апелляций ещё не было."}
	NoAppealsText = Phrase{
		"A payment that failed although the payer has paid can be appealed from its page, for 24 hours.",
		"Если платёж не удался, а плательщик заплатил, апелляцию можно подать на его странице в течение 24 часов.",
	}
	AppealAsk     = Phrase{"Appeal this payment?", "Подать апелляцию?"}
	AppealAskText = Phrase{
		"An operator looks at what you send and decides. A payment can be appealed once.",
		"Оператор изучит присланное и примет решение. Апелляция подаётся один раз.",
	}
	AppealReasonHint = Phrase{
		"What happened, and how one can see that the payer has paid.",
		"Что произошло и из чего видно, что плательщик заплатил.",
	}
	WhatShowsIt = Phrase{"What shows that it is paid", "Подтверждение оплаты"}
	OwnFile     = Phrase{"A file of yours", "Ваш файл"}
	FileHint    = Phrase{"PDF, PNG, JPEG, WebP or MP4, up to 10 MB.", "PDF, PNG, JPEG, WebP или MP4, до 10 МБ."}
	FileWins    = Phrase{
		"A file that you choose is sent instead of a receipt.",
		"Выбранный файл отправится вместо чека.",
	}
	AppealYes     = Phrase{"Send the appeal", "Отправить апелляцию"}
	Opened        = Phrase{"Opened", "Подана"}
	Decision      = Phrase{"Decision", "Решение"}
	DecidedAt     = Phrase{"Since", "С"}
	AppealFile    = Phrase{"File", "Файл"}
	WhatYouWrote  = Phrase{"What you wrote", "Что вы написали"}
	NotDecidedYet = Phrase{"An operator has not decided yet.", "Оператор ещё не принял решения."}
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
func DepositStatus(name string) Phrase { return named(depositStatuses, name) }

// AppealStatus is the name of an appeal's status, as short as a badge is.
func AppealStatus(name string) Phrase {
	if short, known := appealBadges[name]; known {
		return short
	}
	return named(appealStatuses, name)
}

// AppealOutcome is what an appeal's status means.
func AppealOutcome(name string) Phrase { return named(appealStatuses, name) }

// merchantWrongs are what services say of the fields of a merchant's forms.
var merchantWrongs = map[string]string{
	"must be a request as it is on the wire, or a line of curl": "нужен запрос, как он передаётся, или строка curl",
	"takes its body from a file: paste the body":                "тело берётся из файла: вставьте тело",
	"must be a PDF, PNG, JPEG, WebP or MP4 file":                "нужен файл PDF, PNG, JPEG, WebP или MP4",
	"must not be empty":                                                       "файл пуст",
	"is larger than 10 MB":                                                    "больше 10 МБ",
	"must be at most 2000 characters":                                         "не больше 2000 символов",
	"must be at most 256 characters":                                          "не больше 256 символов",
	"must have a name of 1 to 255 characters":                                 "имя файла – от 1 до 255 символов",
	"must be TRC20, ERC20, BEP20, POLYGON or ARBITRUM":                        "нужна одна из сетей списка",
	"must be a TRC20 address: 34 characters from T on, with a valid checksum": "нужен адрес TRC20: 34 символа, первый – T",
	"must have a valid checksum in the case of its letters (EIP-55)":          "в адресе опечатка: регистр букв не сходится",
	"must be an address of 0x and 40 hexadecimal digits":                      "нужен адрес из 0x и 40 шестнадцатеричных цифр",
}

var merchantFlashes = map[string]Flash{
	"payout-cancelled": {Phrase{"The payout is cancelled.", "Выплата отменена."}, ""},
	"deposit-requested": {
		Phrase{
			"The deposit is requested. An operator confirms it.",
			"Пополнение запрошено. Оператор подтвердит его.",
		},
		"",
	},
	"appealed": {Phrase{"The appeal is sent.", "Апелляция отправлена."}, ""},
	"no-appeal": {
		Phrase{
			"This payment cannot be appealed, or has been already: nothing was done.",
			"По этому платежу апелляция невозможна или уже подана: ничего не сделано.",
		},
		"late",
	},
}

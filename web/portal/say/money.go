package say

// Money that operators move by hand.
var (
	MoneyTitle     = Phrase{"Move money", "Движение денег"}
	AccountsTitle  = Phrase{"Accounts", "Счета"}
	IncomeTitle    = Phrase{"Income", "Доход"}
	ApprovalsTitle = Phrase{"Approvals", "Подтверждения"}

	FourEyesOn = Phrase{
		"Another operator has to approve what is done here. Until then it is a proposal, for 24 hours.",
		"То, что делается здесь, должен подтвердить другой оператор. До этого оно — предложение, на 24 часа.",
	}
	FourEyesOff = Phrase{
		"Everything here is done at once, without a second operator.",
		"Всё здесь выполняется сразу, без второго оператора.",
	}
	AloneBand = Phrase{"No second operator", "Нет второго оператора"}
	AloneText = Phrase{
		"What takes two operators waits: no second one can decide yet.",
		"Решения, требующие двух операторов, ждут: второго, кто мог бы решать, пока нет.",
	}
	NobodyElse = Phrase{
		"Nobody else can approve yet. Proposals wait for a second operator with the role admin or treasury, whom you did not " +
			"make yourself: the command gateway operator create makes one who may approve at once.",
		"Подтвердить пока некому. Предложения ждут второго оператора с ролью администратора или казначея, которого создали " +
			"не вы: команда gateway operator create создаёт такого, и он сразу может подтверждать.",
	}

	FundTitle     = Phrase{"Fund a trader", "Пополнить трейдера"}
	FundText      = Phrase{"USDT of a trader have arrived from outside.", "USDT трейдера поступили извне."}
	WithdrawTitle = Phrase{"Withdraw for a trader", "Вывести для трейдера"}
	WithdrawText  = Phrase{
		"USDT that a trader has available leave the platform.",
		"Доступные трейдеру USDT покидают платформу.",
	}
	InsuranceTitle = Phrase{"Insurance of a cashbox", "Страховой депозит кассы"}
	InsuranceText  = Phrase{
		"Sets what of a cashbox's USDT is reserved as insurance. Give the whole insurance from now on.",
		"Задаёт, сколько USDT кассы зарезервировано как страховой депозит. Укажите весь депозит целиком.",
	}
	CorrectTitle = Phrase{"Correct the books", "Исправить счета"}
	CorrectText  = Phrase{
		"Moves USDT from one account to another. What the first has available must cover it.",
		"Переносит USDT с одного счёта на другой. На первом должно быть достаточно доступных средств.",
	}

	CashboxNumber = Phrase{"Cashbox's number", "Номер кассы"}
	FromAccount   = Phrase{"From", "Откуда"}
	ToAccount     = Phrase{"To", "Куда"}
	AccountHint   = Phrase{
		"platform, external, or trader or cashbox and a number, such as trader 3",
		"platform, external, либо trader или cashbox и номер, например trader 3",
	}
	MoneyReference = Phrase{"Reference", "Ссылка"}
	ReferenceHint  = Phrase{
		"What names it outside, such as the hash of a transaction. Money moves once under a reference.",
		"Что называет его извне, например хеш транзакции. По одной ссылке деньги движутся один раз.",
	}
	InsuranceAmount = Phrase{"The whole insurance, USDT", "Страховой депозит целиком, USDT"}
	ReasonWhy       = Phrase{"Reason", "Причина"}
	WhyHint         = Phrase{"Whoever approves it reads this.", "Это прочтёт тот, кто подтверждает."}
	GoOnToConfirm   = Phrase{"Continue", "Продолжить"}
	WrongAccount    = Phrase{"There is no such account.", "Такого счёта нет."}
	WrongTrader     = Phrase{"There is no such trader.", "Такого трейдера нет."}

	SureTitle     = Phrase{"Is this right?", "Всё верно?"}
	SureYes       = Phrase{"Yes, do it", "Да, выполнить"}
	SurePropose   = Phrase{"Yes, propose it", "Да, предложить"}
	Counterparty  = Phrase{"Account", "Счёт"}
	HasNow        = Phrase{"Has available", "Доступно сейчас"}
	InsuredNow    = Phrase{"Reserved now", "Зарезервировано сейчас"}
	OutsideWorld  = Phrase{"The world outside", "Внешний мир"}
	PlatformOwner = Phrase{"The platform", "Платформа"}
	TraderOwner   = Phrase{"Trader № %d %s", "Трейдер № %d %s"}
	CashboxOwner  = Phrase{"Cashbox № %d %s", "Касса № %d %s"}
	Owner         = Phrase{"Owner", "Владелец"}
	AllOwners     = Phrase{"All", "Все"}
	CashboxesAll  = Phrase{"Cashboxes", "Кассы"}
	NoAccounts    = Phrase{"There are no accounts here.", "Здесь нет счетов."}
	Overdrawn     = Phrase{"Overdrawn", "Перерасход"}
)

// Proposals.
var (
	ActionLabel    = Phrase{"Action", "Действие"}
	ProposedBy     = Phrase{"Proposed by", "Предложил"}
	ExpiresAt      = Phrase{"Can be decided until", "Можно решить до"}
	DecidedBy      = Phrase{"Decided by", "Решил"}
	DecisionReason = Phrase{"Reason of the decision", "Причина решения"}
	ProposalTitle  = Phrase{"Proposal № %d", "Предложение № %d"}
	OpenOnesOnly   = Phrase{"Open", "Открытые"}
	AllProposals   = Phrase{"All", "Все"}
	NoProposals    = Phrase{"Nothing waits for a second operator.", "Второго оператора ничто не ждёт."}
	ApproveYes     = Phrase{"Approve and do it", "Подтвердить и выполнить"}
	ApproveText    = Phrase{
		"Exactly this is done, once, as soon as you approve.",
		"Будет выполнено именно это, один раз, как только вы подтвердите.",
	}
	RefuseYes    = Phrase{"Refuse", "Отклонить"}
	RefuseReason = Phrase{"Why refuse", "Почему отклонить"}
	OwnProposal  = Phrase{
		"You proposed this, so another operator approves it. You may take it back.",
		"Это предложили вы, поэтому подтверждает другой оператор. Вы можете отозвать его.",
	}
	NotYours = Phrase{
		"Your role does not decide this.",
		"Ваша роль не позволяет это решать.",
	}
	ValidFor     = Phrase{"Valid for", "Действует"}
	ValidForGood = Phrase{"Until it is changed", "Пока не изменят"}
	DepositLabel = Phrase{"Deposit", "Пополнение"}
)

// actions are what may be proposed.
var actions = map[string]Phrase{
	"fund_trader":     {"Fund a trader", "Пополнить трейдера"},
	"withdraw_trader": {"Withdraw for a trader", "Вывести для трейдера"},
	"correct":         {"Correct the books", "Исправить счета"},
	"confirm_deposit": {"Confirm a deposit", "Подтвердить пополнение"},
	"set_insurance":   {"Set the insurance", "Задать страховой депозит"},
	"set_rate":        {"Set a rate", "Задать курс"},

	"set_rate_feed":      {"Set a rate feed", "Задать источник курса"},
	"create_user":        {"Make an operator", "Создать оператора"},
	"update_user":        {"Change an operator", "Изменить оператора"},
	"invite_user":        {"Invite an operator anew", "Пригласить оператора заново"},
	"set_acquirer":       {"Set a card processor", "Задать процессинг карт"},
	"create_requisite":   {"Add a requisite", "Добавить реквизит"},
	"set_cashbox_method": {"Set a method of a cashbox", "Задать метод кассы"},
	"update_merchant":    {"Change a merchant's terms", "Изменить условия мерчанта"},
	"update_trader":      {"Change a trader's terms", "Изменить условия трейдера"},
	"resolve_appeal":     {"Complete an appeal", "Удовлетворить апелляцию"},
	"resolve_payin":      {"End a payout", "Завершить выплату"},
	"reverse_payin":      {"Reverse a payout", "Отменить завершённую выплату"},
}

// ActionOf names an action that may be proposed.
func ActionOf(action string) Phrase { return actions[action] }

// states are those of a proposal.
var states = map[string]Phrase{
	"open":     {"Open", "Открыто"},
	"approved": {"Approved", "Подтверждено"},
	"refused":  {"Refused", "Отклонено"},
	"expired":  {"Expired", "Истекло"},
}

// StateOf names the state of a proposal.
func StateOf(state string) Phrase { return states[state] }

// The platform's income.
var (
	IncomeText = Phrase{
		"The platform's share of what was completed on a day, less what was given back on the day. Days are in UTC; a day that is " +
			"over stays as it is.",
		"Доля платформы в завершённом за день за вычетом возвращённого за день. Дни — по UTC; прошедший день не меняется.",
	}
	Earned           = Phrase{"Earned", "Получено"}
	GivenBack        = Phrase{"Given back", "Возвращено"}
	NetIncome        = Phrase{"Net", "Итого"}
	IncomeByDay      = Phrase{"By day", "По дням"}
	IncomeByMerchant = Phrase{"By merchant", "По мерчантам"}
	IncomeByMethod   = Phrase{"By method", "По методам"}
	NoIncome         = Phrase{"Nothing was earned in these days.", "За эти дни дохода нет."}
	DayLabel         = Phrase{"Day", "День"}
	MerchantOne      = Phrase{"Merchant", "Мерчант"}
	PayoutsOf        = Phrase{"%s, payouts", "%s, выплаты"}
)

var moneyFlashes = map[string]Flash{
	"money-done": {Phrase{"It is done.", "Выполнено."}, ""},
	"proposed": {
		Phrase{
			"It is proposed. Another operator has to approve it.",
			"Предложено. Другой оператор должен подтвердить.",
		},
		"late",
	},
	"approved": {Phrase{"It is approved and done.", "Подтверждено и выполнено."}, ""},
	"refused": {
		Phrase{"The proposal is refused. Nothing was done.", "Предложение отклонено. Ничего не выполнено."},
		"",
	},
	"decided":  {Phrase{"Somebody has decided this already.", "Это уже кто-то решил."}, "late"},
	"feed-set": {Phrase{"The feed is kept. It is asked at once.", "Источник сохранён. Он опрашивается сразу."}, ""},
}

// moneyWrongs are what can be wrong with what operators type, in Russian.
var moneyWrongs = map[string]string{
	"must be a number":                                              "нужно число",
	"must be more than 0":                                           "должно быть больше 0",
	"must be another account":                                       "нужен другой счёт",
	"must be an available account":                                  "нужен счёт доступных средств",
	"must have at most 8 decimals":                                  "не больше 8 знаков после запятой",
	"must be an absolute http(s) URL":                               "нужен полный адрес http(s)",
	"must be platform, external, or trader or cashbox and a number": "platform, external, либо trader или cashbox и номер",
}

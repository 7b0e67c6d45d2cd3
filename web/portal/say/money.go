package say

// Charts of the platform's income.
var (
	DayLabel    = Phrase{"Day", "День"}
	PayoutsOf   = Phrase{"%s, payouts", "%s, выплаты"}
	IncomeByDay = Phrase{"Income by day, USDT", "Доход по дням, USDT"}
	Others      = Phrase{"Others", "Прочие"}
)

// Money that operators move by hand.
var (
	ReasonWhy      = Phrase{"Reason", "Причина"}
	MoneyTitle     = Phrase{"Move money", "Движение денег"}
	AccountsTitle  = Phrase{"Accounts", "Счета"}
	IncomeTitle    = Phrase{"Income", "Доход"}
	ApprovalsTitle = Phrase{"Approvals", "Подтверждения"}

	AloneBand = Phrase{"No second operator", "Нет второго оператора"}
	AloneText = Phrase{
		"What takes two operators waits: no second one can decide yet.",
		"Решения, требующие двух операторов, ждут: второго, кто мог бы решать, пока нет.",
	}

	FundTitle = Phrase{"Fund a trader", "Пополнить трейдера"}

	OutsideWorld  = Phrase{"The world outside", "Внешний мир"}
	PlatformOwner = Phrase{"The platform", "Платформа"}
	TraderOwner   = Phrase{"Trader № %d %s", "Трейдер № %d %s"}
	CashboxOwner  = Phrase{"Cashbox № %d %s", "Касса № %d %s"}
)

// actions are what may be proposed.
var actions = map[string]Phrase{
	"fund_trader":     {"Fund a trader", "Пополнить трейдера"},
	"withdraw_trader": {"Withdraw for a trader", "Вывести для трейдера"},
	"correct":         {"Correct the books", "Исправить счета"},
	"confirm_deposit": {"Confirm a deposit", "Подтвердить пополнение"},
	"set_insurance":   {"Set the insurance", "Задать страховой депозит"},
	"set_rate":        {"Set a rate", "Задать курс"},

	"set_rate_feed":        {"Set a rate feed", "Задать источник курса"},
	"create_user":          {"Make an operator", "Создать оператора"},
	"update_user":          {"Change an operator", "Изменить оператора"},
	"invite_user":          {"Invite an operator anew", "Пригласить оператора заново"},
	"set_receiving":        {"Set an address for deposits", "Задать адрес для пополнений"},
	"set_withdrawal_terms": {"Set the terms of withdrawals", "Задать условия выводов"},
	"approve_withdrawal":   {"Approve a withdrawal", "Одобрить вывод"},
	"complete_withdrawal":  {"Complete a withdrawal by hand", "Завершить вывод вручную"},
	"fail_withdrawal":      {"Give a withdrawal back", "Вернуть вывод"},
	"set_acquirer":         {"Set a card processor", "Задать процессинг карт"},
	"create_requisite":     {"Add a requisite", "Добавить реквизит"},
	"set_cashbox_method":   {"Set a method of a cashbox", "Задать метод кассы"},
	"update_merchant":      {"Change a merchant's terms", "Изменить условия мерчанта"},
	"update_trader":        {"Change a trader's terms", "Изменить условия трейдера"},
	"attach_arrival":       {"Attach money to a payment", "Учесть деньги в платеже"},
	"decide_case":          {"Decide about another amount", "Решить о другой сумме"},
	"resolve_appeal":       {"Complete an appeal", "Удовлетворить апелляцию"},
	"resolve_payin":        {"End a payout", "Завершить выплату"},
	"reverse_payin":        {"Reverse a payout", "Отменить завершённую выплату"},
}

// ReceivingTitle heads the platform's addresses.
var ReceivingTitle = Phrase{"Deposit addresses", "Адреса пополнений"}

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
	MerchantOne = Phrase{"Merchant", "Мерчант"}
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

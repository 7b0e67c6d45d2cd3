package say

// What operators begin with.
var (
	WorkTitle = Phrase{"Work", "Работа"}
)

// What the items of queues are called.
var (
	ShortMerchant = Phrase{"Merchant № %d", "Мерчант № %d"}
	ShortTrader   = Phrase{"Trader № %d", "Трейдер № %d"}
)

// Who works on something.
var (
	ClaimTake    = Phrase{"Take it", "Взять"}
	ClaimOver    = Phrase{"Take it over", "Забрать себе"}
	ClaimRelease = Phrase{"Let go of it", "Отпустить"}
)

// Lists and pages of operators.
var (
	WrongNumber     = Phrase{"Write its number.", "Укажите номер."}
	CasesTitle      = Phrase{"Other amounts", "Другие суммы"}
	OverdueTitle    = Phrase{"Overdue payouts", "Просроченные выплаты"}
	ConflictsTitle  = Phrase{"Card conflicts", "Спорные списания"}
	ObjectionsTitle = Phrase{"Traders’ objections", "Возражения трейдеров"}
	FailingTitle    = Phrase{"Failing hosts", "Сбои доставки"}
	DeadTitle       = Phrase{"Webhooks given up", "Недоставленные вебхуки"}
)

var workFlashes = map[string]Flash{
	"work-taken":    {Phrase{"It is yours now.", "Теперь это у вас."}, ""},
	"work-released": {Phrase{"You let go of it.", "Вы это отпустили."}, ""},
	"work-others": {
		Phrase{"Another operator has taken this: nothing was done.", "Этим занят другой оператор: ничего не сделано."},
		"late",
	},
	"deposit-confirmed": {Phrase{"The deposit is credited.", "Пополнение зачислено."}, ""},
	"deposit-rejected":  {Phrase{"The deposit is rejected.", "Пополнение отклонено."}, ""},
	"transfer-assigned": {Phrase{"The transfer is for this deposit.", "Перевод назначен этому пополнению."}, ""},
	"appeal-reviewed":   {Phrase{"The appeal is in review.", "Апелляция рассматривается."}, ""},
	"appeal-accepted":   {Phrase{"The payment is completed.", "Платёж завершён."}, ""},
	"appeal-refused":    {Phrase{"The appeal is refused.", "В апелляции отказано."}, ""},
	"payout-resolved":   {Phrase{"The payout has ended.", "Выплата окончена."}, ""},
	"payout-reclaimed":  {Phrase{"The payout waits again.", "Выплата снова ждёт."}, ""},
	"payout-reversed":   {Phrase{"The payout is reversed.", "Выплата отменена."}, ""},
	"objection-decided": {Phrase{"The objection is decided.", "Решение по возражению принято."}, ""},
	"conflict-closed":   {Phrase{"The conflict is closed.", "Спор закрыт."}, ""},
}

// Groups of pages in the navigation.
var (
	WorkGroup    = Phrase{"Work", "Работа"}
	RateGroup    = Phrase{"Rates and routing", "Курсы и маршруты"}
	MoneyGroup   = Phrase{"Money", "Деньги"}
	TrustGroup   = Phrase{"Trust", "Проверка"}
	SandboxGroup = Phrase{"Sandbox", "Песочница"}

	DeveloperGroup = Phrase{"Developers", "Разработчикам"}
	SettingGroup   = Phrase{"Settings", "Настройки"}
	OwnGroup       = Phrase{"You", "Вы"}
)

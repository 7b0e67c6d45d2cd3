package say

// WorkTitle is the title of the operators' first page.
var WorkTitle = Phrase{"Work", "Работа"}

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

// Groups of pages in the navigation.
var (
	WorkGroup    = Phrase{"Work", "Работа"}
	RateGroup    = Phrase{"Rates and routing", "Курсы и маршруты"}
	MoneyGroup   = Phrase{"Money", "Деньги"}
	TrustGroup   = Phrase{"Trust", "Проверка"}
	SandboxGroup = Phrase{"Sandbox", "Песочница"}
	// SimulatorTitle is the page of the simulated traders of a sandbox.
	SimulatorTitle = Phrase{"Trader simulator", "Имитация трейдеров"}

	DeveloperGroup = Phrase{"Developers", "Разработчикам"}
	SettingGroup   = Phrase{"Settings", "Настройки"}
	OwnGroup       = Phrase{"You", "Вы"}
)

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

// ReceivingTitle is the heading of the platform's addresses.
var ReceivingTitle = Phrase{"Deposit addresses", "Адреса пополнений"}

// ActionOf names an action that may be proposed.
var ActionOf = Read(files, "action.txt").orNothing

// StateOf names the state of a proposal.
var StateOf = Names{
	"open":     {"Open", "Открыто"},
	"approved": {"Approved", "Подтверждено"},
	"refused":  {"Refused", "Отклонено"},
	"expired":  {"Expired", "Истекло"},
}.orNothing

// The platform's income.
var (
	MerchantOne = Phrase{"Merchant", "Мерчант"}
)

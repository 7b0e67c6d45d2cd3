package say

import "regexp"

// A trader's requisites, and why payments do not come.
var (
	AnswerAll = Count{
		[2]string{"%d requisite gets payments now.", "All %d requisites get payments now."},
		[3]string{
			"Все %d реквизит получают платежи.",
			"Все %d реквизита получают платежи.",
			"Все %d реквизитов получают платежи.",
		},
	}
	AnswerOnly = Phrase{"Your requisite gets payments now.", "Ваш реквизит получает платежи."}
	AnswerSome = Phrase{
		"%s of %s requisites get payments now. The others do not, because of this:",
		"Платежи получают %s реквизитов из %s. Остальные нет, и вот почему:",
	}
	AnswerNone = Phrase{
		"None of your requisites gets payments now, because of this:",
		"Сейчас ни один реквизит не получает платежей, и вот почему:",
	}
	AnswerNothing = Phrase{
		"You have no requisites yet. An operator adds them.",
		"У вас ещё нет реквизитов. Их добавляет оператор.",
	}
	AnswerQuiet = Phrase{
		"If none comes, no shop asks for one right now.",
		"Если их нет, значит магазины сейчас их не запрашивают.",
	}
	RequisitesOf = Count{
		[2]string{"%d requisite", "%d requisites"},
		[3]string{"%d реквизит", "%d реквизита", "%d реквизитов"},
	}

	AllMethods      = Phrase{"All", "Все"}
	OnlyWithout     = Phrase{"Only those that get none", "Только без платежей"}
	NoRequisiteHere = Phrase{"No requisite here.", "Здесь реквизитов нет."}
	NoRequisiteFits = Phrase{"Nothing fits what you chose.", "Под выбранное ничего не подходит."}
	PageBefore      = Phrase{"Previous", "Назад"}
	PageAfter       = Phrase{"Next", "Дальше"}
	RangeOf         = Phrase{"%d–%d of %s", "%d–%d из %s"}
	CardDesk        = Phrase{"Card payments", "Платежи картой"}

	GetsPayments = Phrase{"Gets payments", "Получает платежи"}
	GetsNone     = Phrase{"Gets none", "Не получает"}
	SwitchedOff  = Phrase{"Off", "Выключен"}
	SwitchOn     = Phrase{"Switch on", "Включить"}
	SwitchOff    = Phrase{"Switch off", "Выключить"}
	ChangeLimits = Phrase{"Change limits", "Изменить лимиты"}
	ShowLimits   = Phrase{"Limits", "Лимиты"}

	UsedToday    = Phrase{"Payments today", "Платежей сегодня"}
	SumToday     = Phrase{"Sum today", "Сумма за сегодня"}
	OpenNow      = Phrase{"Open now", "Открыто сейчас"}
	UsedOf       = Phrase{"%s of %s", "%s из %s"}
	Unlimited    = Phrase{"no limit", "без лимита"}
	AmountRange  = Phrase{"Amounts", "Суммы"}
	AmountsFrom  = Phrase{"%s to %s", "от %s до %s"}
	Hours        = Phrase{"Hours", "Часы работы"}
	AllDay       = Phrase{"all day", "круглосуточно"}
	HoursIn      = Phrase{"%s–%s (%s)", "%s–%s (%s)"}
	OperatorsToo = Phrase{"operator’s: %s", "оператора: %s"}
	LastUsed     = Phrase{"Last payment", "Последний платёж"}
	NotThisWeek  = Phrase{"none within a week", "за неделю не было"}
)

// Why a requisite gets no payments, with the numbers of it.
var (
	WhyTraderOff = Phrase{
		"An operator has switched payments off for your account.",
		"Оператор отключил вашей учётной записи приём платежей.",
	}
	WhyBreak       = Phrase{"You are on a break.", "Вы на перерыве."}
	WhyOperatorOff = Phrase{
		"An operator has switched the requisite off; only they can switch it on.",
		"Реквизит выключил оператор; включить может только он.",
	}
	WhyOwnOff   = Phrase{"You have switched the requisite off.", "Вы выключили реквизит."}
	WhyTooSmall = Phrase{
		"It takes %[2]s and more, and a payment is looked at of %[1]s.",
		"Он принимает от %[2]s, а проверяется платёж на %[1]s.",
	}
	WhyTooLarge = Phrase{
		"Payments begin at %[1]s here, and it takes %[2]s at most.",
		"Платежи здесь начинаются с %[1]s, а он принимает не больше %[2]s.",
	}
	WhyHours   = Phrase{"Working hours begin at %s (%s).", "Рабочие часы начнутся в %s (%s)."}
	WhyNoHours = Phrase{
		"The operator’s hours and your own have no time in common.",
		"Часы оператора и ваши часы не пересекаются.",
	}
	WhyCount = Phrase{
		"The day’s limit of payments is reached: %s of %s.",
		"Дневной лимит платежей исчерпан: %s из %s.",
	}
	WhySum = Phrase{
		"The day’s limit is %[2]s, of which %[1]s are used: a payment of %[3]s does not fit.",
		"Дневной лимит %[2]s, из него использовано %[1]s: платёж на %[3]s не поместится.",
	}
	WhyDayEnds = Phrase{"A new day begins at %s (%s).", "Новый день начнётся в %s (%s)."}
	WhyOpen    = Phrase{
		"%s of %s payments are open. The next comes when one of them ends.",
		"Открыто платежей: %s из %s. Следующий придёт, когда один завершится.",
	}
	WhySlot = Phrase{
		"A payment of %s is open here, so no second one of the same amount comes. Other amounts do.",
		"Здесь открыт платёж на %s: второй на ту же сумму не придёт, на другие суммы придут.",
	}
	WhySlotUntil = Phrase{"That ends at %s (%s) at the latest.", "Это закончится не позже %s (%s)."}
	WhyShort     = Phrase{
		"You have %[1]s available; a payment of the minimum, %[3]s, holds %[2]s.",
		"У вас доступно %[1]s; платёж на минимум, %[3]s, удержит %[2]s.",
	}
	WhyShortHidden = Phrase{
		"The trader’s balance does not cover a payment of the minimum, %s. Tell the owner.",
		"Баланса трейдера не хватает на платёж на минимум, %s. Сообщите владельцу.",
	}
	WhyNoRate = Phrase{
		"There is no rate for %s: nobody gets payments in it.",
		"Нет курса %s: платежей в этой валюте нет ни у кого.",
	}
	WhyOutside = Phrase{
		"The platform takes no payments as large as %s, the smallest for this requisite.",
		"Платформа не принимает платежи на %s, а это минимум для реквизита.",
	}
	WhyNotTaken = Phrase{"No shop takes this method at present.", "Сейчас этот метод не принимает ни один магазин."}
)

// rules name the rules in a list of them.
var rules = map[string]Phrase{
	"trader_off":              {"payments are switched off for you", "вам отключён приём платежей"},
	"trader_break":            {"you are on a break", "вы на перерыве"},
	"requisite_off":           {"switched off by an operator", "выключено оператором"},
	"requisite_off_by_trader": {"switched off by you", "выключено вами"},
	"amount_limits":           {"the limits of amounts leave nothing", "лимиты сумм не оставляют ничего"},
	"working_hours":           {"outside working hours", "вне рабочих часов"},
	"daily_count":             {"the day’s limit of payments is reached", "исчерпан дневной лимит платежей"},
	"daily_sum":               {"the day’s limit of the sum is reached", "исчерпан дневной лимит суммы"},
	"open_limit":              {"as many payments are open as may be", "открыто максимум платежей"},
	"trader_short":            {"not enough USDT available", "не хватает доступных USDT"},
	"no_rate":                 {"there is no rate", "нет курса"},
	"outside_platform":        {"outside the platform’s limits", "вне лимитов платформы"},
	"not_taken":               {"no shop takes the method at present", "метод не принимает ни один магазин"},
}

// RuleOf names a rule that keeps payments away.
func RuleOf(rule string) Phrase { return rules[rule] }

// Changing a requisite's own limits.
var (
	OwnLimits     = Phrase{"Your limits", "Ваши лимиты"}
	OwnLimitsText = Phrase{
		"The stricter of two limits holds: yours or the operator’s. Open payments stay as they are.",
		"Действует более строгий лимит: ваш или оператора. Открытые платежи не изменятся.",
	}
	OwnLimitsSeen = Phrase{
		"Only the owner of the account may change them.",
		"Менять их может только владелец учётной записи.",
	}
	LimitAmounts    = Phrase{"Amount of a payment", "Сумма платежа"}
	LimitDay        = Phrase{"A day", "За день"}
	LimitMinAmount  = Phrase{"Smallest payment", "Наименьший платёж"}
	LimitMaxAmount  = Phrase{"Largest payment", "Наибольший платёж"}
	LimitDailyCount = Phrase{"Payments a day", "Платежей в день"}
	LimitDailySum   = Phrase{"Sum a day", "Сумма в день"}
	LimitOpen       = Phrase{"Open at a time", "Открытых одновременно"}
	LimitFrom       = Phrase{"Works from", "Работает с"}
	LimitUntil      = Phrase{"Works until", "Работает до"}
	LimitZone       = Phrase{"Time zone of these hours", "Часовой пояс этих часов"}
	Ceiling         = Phrase{"Operator: %s", "Оператор: %s"}
	CeilingBetween  = Phrase{"Operator: %s to %s", "Оператор: от %s до %s"}
	CeilingAtMost   = Phrase{"Operator: at most %s", "Оператор: не больше %s"}
	LeaveEmpty      = Phrase{"Empty: only the operator’s holds.", "Пусто: действует только лимит оператора."}
	DayCountsIn     = Phrase{"The day counts in %s.", "День считается по %s."}
)

var requisiteFlashes = map[string]Flash{
	"requisite-on": {Phrase{"The requisite is on.", "Реквизит включён."}, ""},
	"requisite-off": {
		Phrase{"The requisite is off: it gets no new payments.", "Реквизит выключен: новых платежей не будет."},
		"late",
	},
	"requisite-saved": {
		Phrase{
			"The limits are saved. They hold for new payments.",
			"Лимиты сохранены. Они действуют для новых платежей.",
		},
		"",
	},
	"requisite-locked": {
		Phrase{
			"An operator has switched the requisite off; only they can switch it on.",
			"Реквизит выключил оператор; включить может только он.",
		},
		"late",
	},
}

// wrongPatterns are what forms say of fields with numbers in it.
var wrongPatterns = []struct {
	text    *regexp.Regexp
	russian string
}{
	{
		regexp.MustCompile(`^must be between (\S+) and (\S+), which the operator has set$`),
		"от $1 до $2: так решил оператор",
	},
	{regexp.MustCompile(`^must be at most (\S+), which the operator has set$`), "не больше $1: так решил оператор"},
	{regexp.MustCompile(`^must be between (\S+) and (\S+)$`), "от $1 до $2"},
	{regexp.MustCompile(`^must be at most (\d+)$`), "не больше $1"},
	{regexp.MustCompile(`^must be at most (\d+) characters$`), "не больше $1 символов"},
	{regexp.MustCompile(`^must be (\d+) to (\d+) characters$`), "от $1 до $2 символов"},
	{regexp.MustCompile(`^is not a method (?:of payouts in|for) (\S+)$`), "такого метода для $1 нет"},
	{regexp.MustCompile(`^must be methods of (\S+) with a requisite$`), "нужны методы $1 с реквизитом"},
	{regexp.MustCompile(`^must be texts of at most (\d+) bytes$`), "не больше $1 байт на строку"},
	{regexp.MustCompile(`^must be among .*$`), "выберите из списка"},
}

// plainer is what forms say instead of what services say with the names of the API's fields.
var plainer = map[string]string{
	"maxAmount must not be less than minAmount": "must not be less than the smallest payment",
	"must differ from workFrom":                 "must differ from the beginning",
}

package say

// Rates.
var (
	RatesTitle   = Phrase{"Rates", "Курсы"}
	SetRateTitle = Phrase{"Set a rate", "Задать курс"}
	Pair         = Phrase{"Pair", "Пара"}
	NoRateKnown  = Phrase{"No rate", "Нет курса"}
	AnchorLabel  = Phrase{"Anchor", "Якорь"}
	ByHand       = Phrase{"By hand", "Вручную"}
	FeedNumber   = Phrase{"Feed № %s", "Источник № %s"}

	FeedAddress = Phrase{"Address", "Адрес"}
	FeedPointer = Phrase{"JSON Pointer to the rate", "JSON Pointer на курс"}
	PriorityOf  = Phrase{"Priority", "Приоритет"}
	PollEvery   = Phrase{"Asked every, seconds", "Опрос каждые, секунд"}
	TimeoutOf   = Phrase{"Time to answer, ms", "Время на ответ, мс"}
	BandPercent = Phrase{"Band, %", "Полоса, %"}
	DayBand     = Phrase{"Band of a day, %", "Полоса дня, %"}
	FreshFor    = Phrase{"Stays fresh, seconds", "Свежий, секунд"}
	FeedOn      = Phrase{"State", "Состояние"}
	Never       = Phrase{"never", "никогда"}
)

// What a payment is worth, step by step.
var (
	StepsTitle   = Phrase{"The rate, step by step", "Курс по шагам"}
	StepOf       = Phrase{"Step", "Шаг"}
	StepHow      = Phrase{"How", "Как"}
	StepValue    = Phrase{"Value", "Значение"}
	RateFrom     = Phrase{"source: %s", "источник: %s"}
	RateWasStale = Phrase{
		"No rate was fresh: this gives the hold, and is made again at the first fresh rate.",
		"Свежего курса не было: это только удержание, расчёт повторится по первому свежему курсу.",
	}
	HeldEarlier = Phrase{
		"held at creation, at the rate last known then", "удержано при создании по последнему известному курсу",
	}
)

var rateSteps = map[string][2]Phrase{
	"baseRate": {{"Base rate", "Базовый курс"}, {"fiat per USDT", "фиат за USDT"}},
	"markupPercent": {
		{"Markup", "Наценка"}, {"on top of the base rate", "сверх базового курса"},
	},
	"spot": {
		{"Spot", "Спот"}, {"amount / base rate, rounded down", "сумма / базовый курс, с округлением вниз"},
	},
	"amountUsdt": {
		{"The merchant gets", "Мерчант получит"},
		{"amount / base rate with the markup, rounded down", "сумма / базовый курс с наценкой, с округлением вниз"},
	},
	"profitUsdt": {
		{"Spread", "Спред"}, {"spot less what the merchant gets", "спот минус сумма мерчанта"},
	},
	"traderShare": {
		{
			"The trader's share",
			"Доля трейдера",
		},
		{"percent of spot, rounded down", "процент от спота, с округлением вниз"},
	},
	"spreadTraderUsdt": {
		{"The trader keeps", "Трейдер оставит"}, {"the share, no more than the spread", "доля, но не больше спреда"},
	},
	"spreadPlatformUsdt": {
		{"The platform gets", "Платформа получит"}, {"what is left of the spread", "остаток спреда"},
	},
	"differenceUsdt": {
		{"Difference for the platform", "Разница платформе"},
		{"what came less what was asked, at the base rate", "пришедшее минус запрошенное по базовому курсу"},
	},
	"hold": {
		{
			"Held from the trader",
			"Удержано у трейдера",
		},
		{"spot less what the trader keeps", "спот минус доля трейдера"},
	},
}

// RateStep names a step in the calculation of a payment, and explains it.
func RateStep(name string) (label, how Phrase) {
	if step, found := rateSteps[name]; found {
		return step[0], step[1]
	}
	return Phrase{name, name}, Phrase{}
}

// MarkupFrom says who set a markup.
func MarkupFrom(source string) Phrase {
	switch source {
	case "body":
		return Phrase{"given with the request", "указана в запросе"}
	case "cashbox_method":
		return Phrase{"of the cashbox's method", "метода кассы"}
	case "merchant":
		return Phrase{"of the merchant", "мерчанта"}
	case "trader":
		return Phrase{"of the trader", "трейдера"}
	}
	return Phrase{"of the program's configuration", "из настроек программы"}
}

// Routing.
var (
	RoutingTitle = Phrase{"Routing", "Маршрутизация"}
	FindOut      = Phrase{"Find out", "Узнать"}
	Outcome      = Phrase{"Outcome", "Итог"}
)

// RoutingRule names a rule that drops a candidate, to operators.
var RoutingRule = Names{
	"trader_off":              {"trader switched off", "трейдер выключен"},
	"trader_break":            {"the trader has paused", "трейдер приостановил приём"},
	"requisite_off":           {"switched off", "выключен"},
	"requisite_off_by_trader": {"switched off by the trader", "выключен трейдером"},
	"amount_limits":           {"limits of the amount", "лимиты суммы"},
	"working_hours":           {"working hours", "рабочие часы"},
	"daily_count":             {"day's count", "дневное число"},
	"daily_sum":               {"day's sum", "дневная сумма"},
	"open_limit":              {"open payments", "открытые платежи"},
	"slot_taken":              {"amount taken by another payment", "сумма занята другим платежом"},
	"trader_short":            {"trader lacks USDT", "трейдеру не хватает USDT"},
	"resting":                 {"not free a moment before", "только что был не свободен"},
	"trader_held":             {"trader's account busy", "счёт трейдера занят"},
	"no_rate":                 {"no rate of the currency", "нет курса валюты"},
	"no_requisite":            {"no requisite at all", "реквизитов нет вовсе"},
}.orNothing

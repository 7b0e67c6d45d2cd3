package say

// Rates.
var (
	RatesTitle   = Phrase{"Rates", "Курсы"}
	PairsTitle   = Phrase{"What a USDT costs", "Сколько стоит USDT"}
	FeedsTitle   = Phrase{"Feeds", "Источники"}
	SetRateTitle = Phrase{"Set a rate", "Задать курс"}
	SetRateText  = Phrase{
		"What a USDT costs in the currency. A rate that is set by hand goes before every feed while it is fresh.",
		"Сколько стоит USDT в валюте. Курс, заданный вручную, важнее источников, пока он свежий.",
	}
	Pair         = Phrase{"Pair", "Пара"}
	RateLabel    = Phrase{"Rate", "Курс"}
	Source       = Phrase{"Source", "Источник"}
	RateSince    = Phrase{"Since", "С"}
	FreshRate    = Phrase{"Fresh", "Свежий"}
	StaleRate    = Phrase{"Stale", "Устарел"}
	NoRateKnown  = Phrase{"No rate", "Нет курса"}
	FreshUntil   = Phrase{"until %s", "до %s"}
	BandLabel    = Phrase{"Band", "Полоса"}
	AnchorLabel  = Phrase{"Anchor", "Якорь"}
	ByHand       = Phrase{"By hand", "Вручную"}
	FeedNumber   = Phrase{"Feed № %s", "Источник № %s"}
	InUse        = Phrase{"In use", "Действует"}
	NotInUse     = Phrase{"Not used", "Не используется"}
	WaitingTitle = Phrase{"Settlement waits for a rate", "Расчёт ждёт курса"}
	WaitingText  = Phrase{
		"These payments are completed, and are settled at the first fresh rate.",
		"Эти платежи завершены и будут рассчитаны по первому свежему курсу.",
	}
	MoreWait     = Phrase{"There are more than %d.", "Их больше %d."}
	OldRate      = Phrase{"Now", "Сейчас"}
	NewRate      = Phrase{"From now on", "Теперь будет"}
	Distance     = Phrase{"Distance", "Разница"}
	DistanceText = Phrase{"%s %% (one operator alone: up to %s %%)", "%s %% (один оператор: до %s %%)"}
	ValidMinutes = Phrase{"Valid for, minutes", "Действует, минут"}
	ValidHint    = Phrase{"Empty: until it is changed.", "Пусто: пока не изменят."}
	MinutesOf    = Phrase{"%d min", "%d мин"}
	FiatPerUSDT  = Phrase{"Fiat per USDT", "Фиат за USDT"}

	AddFeed     = Phrase{"Add a feed", "Добавить источник"}
	FeedTitle   = Phrase{"Feed № %d", "Источник № %d"}
	FeedText    = Phrase{"A JSON document on the web that has the rate.", "Документ JSON в сети, в котором есть курс."}
	FeedAddress = Phrase{"Address", "Адрес"}
	FeedPointer = Phrase{"JSON Pointer to the rate", "JSON Pointer на курс"}
	PriorityOf  = Phrase{"Priority", "Приоритет"}
	PriorityTip = Phrase{"1 and up; of the fresh ones the lowest is used.", "От 1; из свежих используется наименьший."}
	PollEvery   = Phrase{"Asked every, seconds", "Опрос каждые, секунд"}
	TimeoutOf   = Phrase{"Time to answer, ms", "Время на ответ, мс"}
	BandPercent = Phrase{"Band, %", "Полоса, %"}
	BandTip     = Phrase{
		"A value further than this from the last good one is not believed.",
		"Значение дальше этого от последнего хорошего не принимается.",
	}
	DayBand    = Phrase{"Band of a day, %", "Полоса дня, %"}
	DayBandTip = Phrase{"From the median of the last 24 hours.", "От медианы последних 24 часов."}
	FreshFor   = Phrase{"Stays fresh, seconds", "Свежий, секунд"}
	FeedOn     = Phrase{"State", "Состояние"}
	FeedIsOn   = Phrase{"On", "Включён"}
	FeedIsOff  = Phrase{"Off", "Выключен"}
	KeepFeed   = Phrase{"Keep", "Сохранить"}
	LastGood   = Phrase{"Last good", "Последний успех"}
	LastWrong  = Phrase{"Last failure", "Последняя ошибка"}
	FailedRow  = Phrase{"Failures in a row", "Ошибок подряд"}
	NoFeeds    = Phrase{"There are no feeds. Rates are set by hand.", "Источников нет. Курсы задаются вручную."}
	Never      = Phrase{"never", "никогда"}
	DayOf      = Phrase{"%s: the last 24 hours", "%s: последние 24 часа"}
	FromTo     = Phrase{"Lowest and highest", "Наименьший и наибольший"}
	FirstValue = Phrase{"First", "Первый"}
	LastValue  = Phrase{"Last", "Последний"}
	Lowest     = Phrase{"Lowest", "Наименьший"}
	Highest    = Phrase{"Highest", "Наибольший"}
	FeedOne    = Phrase{"Feed", "Источник"}
)

// What a payment is worth, step by step.
var (
	QuoteTitle   = Phrase{"What a payment would be worth now", "Сколько стоил бы платёж сейчас"}
	StepsTitle   = Phrase{"The rate, step by step", "Курс по шагам"}
	StepOf       = Phrase{"Step", "Шаг"}
	StepHow      = Phrase{"How", "Как"}
	StepValue    = Phrase{"Value", "Значение"}
	MarkupAsked  = Phrase{"Markup, %, or the default", "Наценка, %, или обычная"}
	ShareAsked   = Phrase{"Trader's share, % of spot", "Доля трейдера, % от спота"}
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
	"hold": {
		{
			"Held from the trader",
			"Удержано у трейдера",
		},
		{"spot less what the trader keeps", "спот минус доля трейдера"},
	},
}

// RateStep names a step of a payment's sum, and says how it comes about.
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

// Parts of long forms.
var (
	FeedPart   = Phrase{"The document", "Документ"}
	PollPart   = Phrase{"How it is asked", "Как опрашивается"}
	BeliefPart = Phrase{"What is believed", "Чему верить"}
	LimitsPart = Phrase{"Limits", "Ограничения"}
	HoursPart  = Phrase{"Working hours", "Часы работы"}
	OrderPart  = Phrase{"Order", "Очередь"}
)

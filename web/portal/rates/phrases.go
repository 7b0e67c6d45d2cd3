package rates

import (
	"gateway.example/web/portal/say"
)

// Rates.
var (
	sayPairsTitle   = say.Both("Price of a USDT", "Сколько стоит USDT")
	sayFeedsTitle   = say.Both("Feeds", "Источники")
	sayRateLabel    = say.Both("Rate", "Курс")
	saySource       = say.Both("Source", "Источник")
	sayRateSince    = say.Both("Since", "С")
	sayFreshRate    = say.Both("Fresh", "Свежий")
	sayStaleRate    = say.Both("Stale", "Устарел")
	sayFreshUntil   = say.Both("until %s", "до %s")
	sayBandLabel    = say.Both("Band", "Полоса")
	sayInUse        = say.Both("In use", "Действует")
	sayNotInUse     = say.Both("Not used", "Не используется")
	sayWaitingTitle = say.Both("Settlement waits for a rate", "Расчёт ждёт курса")
	sayWaitingText  = say.Both(
		"These payments are completed, and are settled at the first fresh rate.",
		"Эти платежи завершены и будут рассчитаны по первому свежему курсу.",
	)
	sayMoreWait    = say.Both("There are more than %d.", "Их больше %d.")
	sayAddFeed     = say.Both("Add a feed", "Добавить источник")
	sayFeedTitle   = say.Both("Feed № %d", "Источник № %d")
	sayFeedText    = say.Both("A JSON document on the web that has the rate.", "Документ JSON в сети, в котором есть курс.")
	sayPriorityTip = say.Both("1 and up; of the fresh ones the lowest is used.", "От 1; из свежих используется наименьший.")
	sayBandTip     = say.Both(
		"A value further than this from the last good one is not believed.",
		"Значение дальше этого от последнего хорошего не принимается.",
	)
	sayDayBandTip = say.Both("From the median of the last 24 hours.", "От медианы последних 24 часов.")
	sayFeedIsOn   = say.Both("On", "Включён")
	sayFeedIsOff  = say.Both("Off", "Выключен")
	sayKeepFeed   = say.Both("Keep", "Сохранить")
	sayLastGood   = say.Both("Last good", "Последний успех")
	sayLastWrong  = say.Both("Last failure", "Последняя ошибка")
	sayFailedRow  = say.Both("Failures in a row", "Ошибок подряд")
	sayNoFeeds    = say.Both("There are no feeds. Rates are set by hand.", "Источников нет. Курсы задаются вручную.")
	sayBandAround = say.Both("±%s %% of the rate in use: %s – %s", "±%s %% от действующего курса: %s – %s")
	sayFeedOne    = say.Both("Feed", "Источник")
	sayDayOf      = say.Both("%s: the last 24 hours", "%s: последние 24 часа")
)

// What a payment is worth, step by step.
var (
	sayQuoteTitle  = say.Both("What a payment would be worth now", "Сколько стоил бы платёж сейчас")
	sayMarkupAsked = say.Both("Markup, %, or the default", "Наценка, %, или обычная")
	sayShareAsked  = say.Both("Trader's share, % of spot", "Доля трейдера, % от спота")
)

// Parts of long forms.
var (
	sayFeedPart   = say.Both("The document", "Документ")
	sayPollPart   = say.Both("How it is asked", "Как опрашивается")
	sayBeliefPart = say.Both("What is believed", "Чему верить")
)

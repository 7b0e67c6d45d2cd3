package routing

import (
	"gateway.example/web/portal/say"
)

// Routing.
var (
	sayDryRunTitle         = say.Both("Who would get a payment?", "Кому достался бы платёж?")
	sayDryRunText          = say.Both("Nothing is made by this.", "Ничего не создаётся.")
	sayRoutingAt           = say.Both("At (UTC), or now", "Когда (UTC), или сейчас")
	sayCandidate           = say.Both("Requisite", "Реквизит")
	sayOrderOf             = say.Both("Order", "Очередь")
	sayDroppedBy           = say.Both("Dropped by", "Отсеян правилом")
	sayWouldGet            = say.Both("Would get it", "Получил бы")
	sayWouldDo             = say.Both("Would do", "Подходит")
	sayChosenLast          = say.Both("Last used", "Использован")
	sayOutcomeGot          = say.Both("Requisite № %d gets it.", "Его получает реквизит № %d.")
	sayOutcomeNone         = say.Both("It is refused: %s", "Отказ: %s")
	sayNoCandidates        = say.Both("There is no requisite of this method and currency.", "Реквизитов этого метода и валюты нет.")
	sayCurrencyUnrated     = say.Both("The currency has no rate yet.", "У валюты ещё нет курса.")
	sayCurrencyUnratedText = say.Both("Without one no payment can be made: set it.", "Без курса платежей не бывает: задайте его.")
	sayRefusedBefore       = say.Both("It is refused before a requisite is looked for.", "Отказ ещё до выбора реквизита.")
	sayRefusalTitle        = say.Both("Without a requisite, last 24 hours", "Без реквизита, последние 24 часа")
	sayRefusalNone         = say.Both("Every payment found a requisite.", "Реквизит нашёлся каждому платежу.")
	sayCause               = say.Both("Cause", "Причина")
	sayRefusalCount        = say.Both("Refused", "Отказов")
	sayChoiceTitle         = say.Both("The choice of payment № %d", "Выбор для платежа № %d")
	sayAsItWas             = say.Both("As it was", "Как было")
	sayAsItIs              = say.Both("By today's rules", "По сегодняшним правилам")
	sayGotIt               = say.Both("Got it", "Получил")
	sayNothingPast         = say.Both("Nothing was passed by, or it was not kept.", "Никто не был пропущен, либо это не сохранено.")
	saySameChoice          = say.Both("The same requisite would get it.", "Достался бы тому же реквизиту.")
	sayOtherChoice         = say.Both("Another requisite would get it.", "Достался бы другому реквизиту.")
	sayMoreBeyond          = say.Both("Show more", "Показать ещё")
	sayPaymentNo           = say.Both("Payment's number", "Номер платежа")
	sayReplayOf            = say.Both("How a payment got its requisite", "Как платёж получил реквизит")

	sayStandingTitle = say.Both("Why there are payments, or none", "Почему платежи приходят или нет")
	sayStandingSome  = say.Both(
		"%d of %d requisites get payments now, each of the smallest amount that it takes.",
		"Платежи сейчас получают %d из %d реквизитов: каждый на наименьшую сумму, которую принимает.",
	)
	sayStandingNone = say.Both("There are no requisites of this trader.", "У этого трейдера нет реквизитов.")
	sayStandingAll  = say.Both("None of them is kept from payments.", "Ни один не остался без платежей.")
	sayWhy          = say.Both("Why not", "Почему нет")
	sayNumberOf     = say.Both("%s (%s of %s)", "%s (%s из %s)")
	sayUntil        = say.Both("%s, until %s", "%s, до %s")
	sayFromAmount   = say.Both("From", "От")
	sayNotTaken     = say.Both("no merchant takes the method now", "метод сейчас не принимает ни один мерчант")
	sayOutside      = say.Both("outside the platform’s limits", "вне лимитов платформы")
	sayWithoutRate  = say.Both("the currency has no rate", "у валюты нет курса")
)

package requisites

import (
	"gateway.example/web/portal/say"
)

// A trader's requisites, and why payments do not come.
var (
	sayAnswerOnly = say.Both("Your requisite gets payments now.", "Ваш реквизит получает платежи.")
	sayAnswerSome = say.Both(
		"%s of %s requisites get payments now. The others do not, because of this:",
		"Платежи получают %s реквизитов из %s. Остальные нет, и вот почему:",
	)
	sayAnswerNone = say.Both(
		"None of your requisites gets payments now, because of this:",
		"Сейчас ни один реквизит не получает платежей, и вот почему:",
	)
	sayAnswerNothing = say.Both(
		"You have no requisites yet. Propose one: an operator decides about it.",
		"У вас ещё нет реквизитов. Предложите реквизит: решение примет оператор.",
	)
	sayAnswerQuiet = say.Both(
		"If none comes, no shop asks for one right now.",
		"Если их нет, значит магазины сейчас их не запрашивают.",
	)
	sayOnlyWithout     = say.Both("Only those that get none", "Только без платежей")
	sayNoRequisiteHere = say.Both("No requisite here.", "Здесь реквизитов нет.")
	sayNoRequisiteFits = say.Both("Nothing fits what you chose.", "Под выбранное ничего не подходит.")
	sayFirstPage       = say.Both("First page", "В начало")
	sayPageAfter       = say.Both("Next", "Дальше")
	saySearchHint      = say.Both("Last digits, bank or holder", "Последние цифры, банк или владелец")
	sayWithTicked      = say.Both("With the ticked:", "С отмеченными:")
	sayTickAll         = say.Both("Tick all of this page", "Отметить все на странице")
	sayTicked          = say.Both("Ticked", "Отмечен")
	saySetLimits       = say.Both("Set limits of the ticked", "Задать лимиты отмеченным")
	saySaveLimits      = say.Both("Save the limits", "Сохранить лимиты")
	sayBulkHint        = say.Both(
		"Empty: stays as it is. 0: only the operator’s limit holds.",
		"Пусто: остаётся как есть. 0: действует только лимит оператора.",
	)
	sayTickFirst     = say.Both("Tick the requisites first.", "Сначала отметьте реквизиты.")
	sayNotAllChanged = say.Both(
		"Changed: %d. Not changed: %d, which are still ticked and say why.",
		"Изменено: %d. Не изменено: %d, они остались отмеченными, причина указана.",
	)
	sayGetsPayments = say.Both("Gets payments", "Получает платежи")
	sayGetsNone     = say.Both("Gets none", "Не получает")
	saySwitchedOff  = say.Both("Off", "Выключен")
	sayUsedToday    = say.Both("Payments today", "Платежей сегодня")
	saySumToday     = say.Both("Total today", "Сумма за сегодня")
	sayOpenNow      = say.Both("Open now", "Открыто сейчас")
	sayUsedOf       = say.Both("%s of %s", "%s из %s")
	sayAmountRange  = say.Both("Amounts", "Суммы")
	sayAmountsFrom  = say.Both("%s to %s", "от %s до %s")
	sayHours        = say.Both("Hours", "Часы работы")
	sayAllDay       = say.Both("all day", "круглосуточно")
	sayHoursIn      = say.Both("%s–%s (%s)", "%s–%s (%s)")
	sayOperatorsToo = say.Both("operator’s: %s", "оператора: %s")
	sayLastUsed     = say.Both("Last payment", "Последний платёж")
	sayNotThisWeek  = say.Both("none within a week", "за неделю не было")
)

// Requisites that a trader proposes.
var (
	sayPropose     = say.Both("Propose a requisite", "Предложить реквизит")
	sayProposeText = say.Both(
		"An operator decides about it. You see here what became of it.",
		"Решение примет оператор. Результат появится на странице реквизитов.",
	)
	sayProposeYes       = say.Both("Propose", "Предложить")
	sayProposed         = say.Both("Proposed by you", "Предложены вами")
	sayProposalWaits    = say.Both("An operator decides", "Ждёт оператора")
	sayProposalApproved = say.Both("Added", "Добавлен")
	sayProposalRefused  = say.Both("Refused", "Отклонён")
	sayProposalExpired  = say.Both("Not decided in time", "Не рассмотрен в срок")
)

// Why a requisite gets no payments, with the numbers of it.
var (
	sayWhyTraderOff = say.Both(
		"An operator has switched payments off for your account.",
		"Оператор отключил вашей учётной записи приём платежей.",
	)
	sayWhyBreak       = say.Both("You have paused.", "Вы приостановили приём.")
	sayWhyOperatorOff = say.Both(
		"An operator has switched the requisite off; only they can switch it on.",
		"Реквизит выключил оператор; включить может только он.",
	)
	sayWhyOwnOff   = say.Both("You have switched the requisite off.", "Вы выключили реквизит.")
	sayWhyTooSmall = say.Both(
		"It takes %[2]s and more, and a payment is looked at of %[1]s.",
		"Он принимает от %[2]s, а проверяется платёж на %[1]s.",
	)
	sayWhyTooLarge = say.Both(
		"Payments begin at %[1]s here, and it takes %[2]s at most.",
		"Платежи здесь начинаются с %[1]s, а он принимает не больше %[2]s.",
	)
	sayWhyHours   = say.Both("Working hours begin at %s (%s).", "Рабочие часы начнутся в %s (%s).")
	sayWhyNoHours = say.Both(
		"The operator’s hours and your own have no time in common.",
		"Часы оператора и ваши часы не пересекаются.",
	)
	sayWhyCount = say.Both("The day’s limit of payments is reached: %s of %s.", "Дневной лимит платежей исчерпан: %s из %s.")
	sayWhySum   = say.Both(
		"The day’s limit is %[2]s, of which %[1]s are used: a payment of %[3]s does not fit.",
		"Дневной лимит %[2]s, из него использовано %[1]s: платёж на %[3]s не поместится.",
	)
	sayWhyDayEnds = say.Both("A new day begins at %s (%s).", "Новый день начнётся в %s (%s).")
	sayWhyOpen    = say.Both(
		"%s of %s payments are open. The next comes when one of them ends.",
		"Открыто платежей: %s из %s. Следующий придёт, когда один завершится.",
	)
	sayWhySlot = say.Both(
		"A payment of %s is open here, so no second one of the same amount comes. Other amounts do.",
		"Здесь открыт платёж на %s: второй на ту же сумму не придёт, на другие суммы придут.",
	)
	sayWhySlotUntil = say.Both("That ends at %s (%s) at the latest.", "Это закончится не позже %s (%s).")
	sayWhyShort     = say.Both(
		"You have %[1]s available; a payment of the minimum, %[3]s, holds %[2]s.",
		"У вас доступно %[1]s; платёж на минимум, %[3]s, удержит %[2]s.",
	)
	sayWhyShortHidden = say.Both(
		"The trader’s balance does not cover a payment of the minimum, %s. Tell the owner.",
		"Баланса трейдера не хватает на платёж на минимум, %s. Сообщите владельцу.",
	)
	sayWhyNoRate = say.Both(
		"There is no rate for %s: nobody gets payments in it.",
		"Нет курса %s: платежей в этой валюте нет ни у кого.",
	)
	sayWhyOutside = say.Both(
		"The platform takes no payments as large as %s, the smallest for this requisite.",
		"Платформа не принимает платежи на %s, а это минимум для реквизита.",
	)
	sayWhyNotTaken = say.Both("No shop takes this method at present.", "Сейчас этот метод не принимает ни один магазин.")
)

// sayRules are the names of rules in a list of them.
var sayRules = map[string]say.Phrase{
	"trader_off":              say.Both("payments are switched off for you", "вам отключён приём платежей"),
	"trader_break":            say.Both("you have paused", "вы приостановили приём"),
	"requisite_off":           say.Both("switched off by an operator", "выключено оператором"),
	"requisite_off_by_trader": say.Both("switched off by you", "выключено вами"),
	"amount_limits":           say.Both("the limits of amounts leave nothing", "лимиты сумм не оставляют ничего"),
	"working_hours":           say.Both("outside working hours", "вне рабочих часов"),
	"daily_count":             say.Both("the day’s limit of payments is reached", "исчерпан дневной лимит платежей"),
	"daily_sum":               say.Both("the day’s limit of the sum is reached", "исчерпан дневной лимит суммы"),
	"open_limit":              say.Both("as many payments are open as may be", "открыто максимум платежей"),
	"trader_short":            say.Both("not enough USDT available", "не хватает доступных USDT"),
	"no_rate":                 say.Both("there is no rate", "нет курса"),
	"outside_platform":        say.Both("outside the platform’s limits", "вне лимитов платформы"),
	"not_taken":               say.Both("no shop takes the method at present", "метод не принимает ни один магазин"),
}

// sayRuleOf is the name of a rule that keeps payments away.
func sayRuleOf(rule string) say.Phrase { return sayRules[rule] }

// Changing a requisite's own limits.
var (
	sayOwnLimits     = say.Both("Your limits", "Ваши лимиты")
	sayOwnLimitsText = say.Both(
		"The stricter of two limits holds: yours or the operator’s. Open payments stay as they are.",
		"Действует более строгий лимит: ваш или оператора. Открытые платежи не изменятся.",
	)
	sayOwnLimitsSeen = say.Both(
		"Only the owner of the account may change them.",
		"Менять их может только владелец учётной записи.",
	)
	sayLimitAmounts   = say.Both("Amount of a payment", "Сумма платежа")
	sayLimitDay       = say.Both("A day", "За день")
	sayLimitZone      = say.Both("Time zone of these hours", "Часовой пояс этих часов")
	sayCeiling        = say.Both("Operator: %s", "Оператор: %s")
	sayCeilingBetween = say.Both("Operator: %s to %s", "Оператор: от %s до %s")
	sayCeilingAtMost  = say.Both("Operator: at most %s", "Оператор: не больше %s")
	sayLeaveEmpty     = say.Both("Empty: only the operator’s holds.", "Пусто: действует только лимит оператора.")
	sayDayCountsIn    = say.Both("The day counts in %s.", "День считается по %s.")
)

package overview

import (
	"gateway.example/web/portal/say"
)

// A merchant's overview.
var (
	sayPaymentsMade = say.Both("Payments", "Платежи")
	sayVolume       = say.Both("Volume", "Оборот")
	sayTimeToPay    = say.Both("Time to pay, median", "Время оплаты, медиана")
	sayAllMethods   = say.Both("All methods", "Все методы")
	sayNothingYet   = say.Both("No payments in this time", "За этот период платежей нет")
	sayNothingText  = say.Both(
		"They appear here as soon as your program creates one.", "Они появятся здесь, как только ваша программа создаст первый.",
	)
	sayFunnel        = say.Both("From created to paid", "От создания до оплаты")
	sayReasons       = say.Both("Why the rest were not paid", "Почему не оплачены")
	sayNewest        = say.Both("Of the %d newest payments", "По %d последним платежам")
	sayOpened        = say.Both("Page opened", "Открыта страница")
	sayClaimed       = say.Both("Payer says it is paid", "Плательщик заявил оплату")
	sayOtherReasons  = say.Both("Other reasons", "Другие причины")
	sayByMethod      = say.Both("By method", "По методам")
	sayWaiting       = say.Both("Needs attention", "Ждёт внимания")
	sayEndpointsFail = say.Both("Endpoints that fail", "Адреса с ошибками")
	sayEndpointFails = say.Both(
		"%s: %d of %d deliveries of the last hour failed",
		"%s: не удалось %d из %d доставок за последний час",
	)
	sayEndpointAnswer = say.Both("last answer %d", "последний ответ %d")
	sayEndpointSilent = say.Both("no answer the last time", "в последний раз ответа не было")
	sayByCashbox      = say.Both("By cashbox", "По кассам")
)

// sayOverviewQueue says what waits in a queue.
var sayOverviewQueue = say.Names{
	"appeals.waiting":  say.Both("Appeals waiting for a decision", "Апелляции ждут решения"),
	"deposits.waiting": say.Both("Deposits waiting for confirmation", "Пополнения ждут подтверждения"),
	"payouts.overdue":  say.Both("Overdue payouts", "Просроченные выплаты"),
	"events.dead":      say.Both("Webhooks that were given up", "Вебхуки, которые больше не отправляются"),
}.Of

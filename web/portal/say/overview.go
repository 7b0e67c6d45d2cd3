package say

// A merchant's overview.
var (
	Overview     = Phrase{"Overview", "Обзор"}
	TodayIn      = Phrase{"Today, %s", "Сегодня, %s"}
	PaymentsMade = Phrase{"Payments", "Платежи"}
	CompletedSum = Phrase{"Completed, sum", "Завершено, сумма"}
	SuccessRate  = Phrase{"Success rate", "Доля успешных"}
	TimeToPay    = Phrase{"Time to pay, median", "Время оплаты, медиана"}
	LastWeekWas  = Phrase{"a week ago: %s", "неделю назад: %s"}
	NothingToday = Phrase{"No payments today", "Сегодня платежей нет"}
	NothingWeek  = Phrase{
		"There were no payments in the last seven days.",
		"За последние семь дней платежей не было.",
	}
	LastSevenDays = Phrase{"Last seven days", "Последние семь дней"}
	ByMethod      = Phrase{"By method", "По методам"}
	ByHour        = Phrase{"By hour", "По часам"}
	Hour          = Phrase{"Hour", "Час"}
	CompletedOnes = Phrase{"Completed", "Завершено"}
	ChartPayments = Phrase{
		"Payments by hour: all, and of these the completed",
		"Платежи по часам: все и из них завершённые",
	}
	ChartSuccess  = Phrase{"Success rate by hour, from 0 to 100%", "Доля успешных по часам, от 0 до 100 %"}
	ShowNumbers   = Phrase{"Show the numbers", "Показать числа"}
	Waiting       = Phrase{"What waits", "Ждёт внимания"}
	EndpointsFail = Phrase{"Endpoints that fail", "Адреса с ошибками"}
	EndpointFails = Phrase{
		"%s: %d of %d deliveries of the last hour failed",
		"%s: не удалось %d из %d доставок за последний час",
	}
	EndpointAnswer = Phrase{"last answer %d", "последний ответ %d"}
	EndpointSilent = Phrase{"no answer the last time", "в последний раз ответа не было"}
	ByCashbox      = Phrase{"By cashbox", "По кассам"}
	Seconds        = Phrase{"%d s", "%d с"}
	MinutesSeconds = Phrase{"%d min %d s", "%d мин %d с"}
	HoursMinutes   = Phrase{"%d h %d min", "%d ч %d мин"}
)

// overviewQueues are what waits, by the name of the queue.
var overviewQueues = map[string]Phrase{
	"appeals.waiting":  {"Appeals waiting for a decision", "Апелляции ждут решения"},
	"deposits.waiting": {"Deposits waiting for confirmation", "Пополнения ждут подтверждения"},
	"payouts.overdue":  {"Overdue payouts", "Просроченные выплаты"},
	"events.dead":      {"Webhooks that were given up", "Вебхуки, которые больше не отправляются"},
}

// OverviewQueue says what waits in a queue.
func OverviewQueue(queue string) Phrase { return named(overviewQueues, queue) }

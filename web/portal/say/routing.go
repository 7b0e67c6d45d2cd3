package say

// Routing.
var (
	RoutingTitle = Phrase{"Routing", "Маршрутизация"}
	DryRunTitle  = Phrase{"Who would get a payment?", "Кому достался бы платёж?"}
	DryRunText   = Phrase{"Nothing is made by this.", "Ничего не создаётся."}
	RoutingAt    = Phrase{"At (UTC), or now", "Когда (UTC), или сейчас"}
	FindOut      = Phrase{"Find out", "Узнать"}
	Candidate    = Phrase{"Requisite", "Реквизит"}
	OrderOf      = Phrase{"Order", "Очередь"}
	DroppedBy    = Phrase{"Dropped by", "Отсеян правилом"}
	WouldGet     = Phrase{"Would get it", "Получил бы"}
	WouldDo      = Phrase{"Would do", "Подходит"}
	ChosenLast   = Phrase{"Last used", "Использован"}
	Outcome      = Phrase{"Outcome", "Итог"}
	OutcomeGot   = Phrase{"Requisite № %d gets it.", "Его получает реквизит № %d."}
	OutcomeNone  = Phrase{"It is refused: %s", "Отказ: %s"}
	NoCandidates = Phrase{
		"There is no requisite of this method and currency.",
		"Реквизитов этого метода и валюты нет.",
	}
	CurrencyUnrated     = Phrase{"The currency has no rate yet.", "У валюты ещё нет курса."}
	CurrencyUnratedText = Phrase{
		"Without one no payment can be made: set it.",
		"Без курса платежей не бывает: задайте его.",
	}
	RefusedBefore = Phrase{
		"It is refused before a requisite is looked for.", "Отказ ещё до выбора реквизита.",
	}
	RefusalTitle = Phrase{"Without a requisite, last 24 hours", "Без реквизита, последние 24 часа"}
	RefusalNone  = Phrase{"Every payment found a requisite.", "Реквизит нашёлся каждому платежу."}
	Cause        = Phrase{"Cause", "Причина"}
	RefusalCount = Phrase{"Refused", "Отказов"}
	ChoiceTitle  = Phrase{"The choice of payment № %d", "Выбор для платежа № %d"}
	AsItWas      = Phrase{"As it was", "Как было"}
	AsItIs       = Phrase{"By today's rules", "По сегодняшним правилам"}
	GotIt        = Phrase{"Got it", "Получил"}
	NothingPast  = Phrase{"Nothing was passed by, or it was not kept.", "Никто не был пропущен, либо это не сохранено."}
	SameChoice   = Phrase{"The same requisite would get it.", "Достался бы тому же реквизиту."}
	OtherChoice  = Phrase{"Another requisite would get it.", "Достался бы другому реквизиту."}
	MoreBeyond   = Phrase{"Show more", "Показать ещё"}
	PaymentNo    = Phrase{"Payment's number", "Номер платежа"}
	WhyRequisite = Phrase{"Why this requisite", "Почему этот реквизит"}
	ReplayOf     = Phrase{"How a payment got its requisite", "Как платёж получил реквизит"}
	WrongPayment = Phrase{"There is no such payment.", "Такого платежа нет."}
)

// routingRules name the rules that drop a candidate, to operators.
var routingRules = map[string]Phrase{
	"trader_off":              {"trader switched off", "трейдер выключен"},
	"trader_break":            {"trader on a break", "трейдер на перерыве"},
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
}

// RoutingRule names a rule that drops a candidate, to operators.
func RoutingRule(rule string) Phrase { return routingRules[rule] }

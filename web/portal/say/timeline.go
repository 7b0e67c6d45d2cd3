package say

// Lines of timelines.
var (
	LineCreated       = Phrase{"Created: %s, %s", "Создан: %s, %s"}
	LinePayoutCreated = Phrase{"Created: %s, %s", "Создана: %s, %s"}
	LineWaitsUntil    = Phrase{"Open until %s", "Открыт до %s"}
	LineTakeUntil     = Phrase{"To be taken before %s", "Взять до %s"}
	LineRequisite     = Phrase{"Requisite chosen: %s", "Выбран реквизит: %s"}
	LineDesk          = Phrase{"Given to the desk: the payer enters a card", "Передан на стол: плательщик введёт карту"}
	LinePassed        = Phrase{"Passed by, %s: № %s", "Пропущены, %s: № %s"}
	LinePool          = Phrase{"%d to choose from, %d looked at", "Выбор из %d, просмотрено %d"}
	LineRateFixed     = Phrase{"Rate fixed", "Курс зафиксирован"}
	LineRateHeld      = Phrase{"No fresh rate: only a hold for now", "Свежего курса нет: пока только удержание"}
	LineRateSettled   = Phrase{"Settled at a fresh rate", "Рассчитан по свежему курсу"}
	LineBase          = Phrase{"Base rate %s", "Базовый курс %s"}
	LineMarkup        = Phrase{"Markup %s %%", "Наценка %s %%"}
	LineSpot          = Phrase{"At the base rate: %s", "По базовому курсу: %s"}
	LineMerchant      = Phrase{"For the merchant: %s", "Мерчанту: %s"}
	LineMerchantPays  = Phrase{"The merchant pays %s", "Мерчант платит %s"}
	LineTrader        = Phrase{"For the trader: %s", "Трейдеру: %s"}
	LineYou           = Phrase{"For you: %s", "Вам: %s"}
	LinePlatform      = Phrase{"For the platform: %s", "Платформе: %s"}
	LineHold          = Phrase{"Held: %s", "Удержание: %s"}
	LineStatusFirst   = Phrase{"Status: %s", "Статус: %s"}
	LineStatus        = Phrase{"Status: %s → %s", "Статус: %s → %s"}
	LineReason        = Phrase{"Reason: %s", "Причина: %s"}
	LineAvailable     = Phrase{"%s available", "%s доступно"}
	LineReserved      = Phrase{"%s held", "%s удержано"}
	LineVisit         = Phrase{"The payer opened a page: %s", "Плательщик открыл страницу: %s"}
	LineCard          = Phrase{"The payer entered a card: %s •••• %s", "Плательщик ввёл карту: %s •••• %s"}
	LineCodeRequested = Phrase{"The payer was asked for the code", "У плательщика запрошен код"}
	LineCodeResent    = Phrase{"The code was asked for again", "Код запрошен повторно"}
	LineCodeEntered   = Phrase{"The payer entered a code", "Плательщик ввёл код"}
	LineCodeNotNeeded = Phrase{"No code is needed", "Код не нужен"}
	LineTimeGivenBack = Phrase{"After an outage: %d more minutes to pay", "После сбоя: на оплату ещё %d мин"}
	LineBankMessage   = Phrase{"The bank %s wrote that the money has come: message %d", "Банк %s написал, что деньги пришли: сообщение %d"}
	LineMoneyCame     = Phrase{"Another amount came: %s", "Пришла другая сумма: %s"}
	LineFrom          = Phrase{"from %s", "от %s"}
	LineCaseTaken     = Phrase{"What came is taken: %s", "Пришедшее принято: %s"}
	LineCaseWaiting   = Phrase{"The rest is waited for; so far %s came", "Ждём остаток; пока пришло %s"}
	LineCaseReturned  = Phrase{"What came goes back to the payer: %s", "Пришедшее возвращается плательщику: %s"}
	LineCaseEnded     = Phrase{"It ended unpaid; %s that came belong to no payment", "Завершён без оплаты; пришедшие %s не относятся к платежу"}
	LineReceived      = Phrase{"What came: %s", "Пришло: %s"}
	LineClaimed       = Phrase{"The payer says that they have paid", "Плательщик сообщил, что оплатил"}
	LineReceipt       = Phrase{"The payer sent receipt %d: %s, %s", "Плательщик прислал чек %d: %s, %s"}
	LineAppeal        = Phrase{"The merchant appealed", "Мерчант подал апелляцию"}
	LineEvent         = Phrase{"Webhook %d written: %s", "Вебхук %d создан: %s"}
	LineAttempt       = Phrase{"Webhook %d answered with %d in %d ms", "Вебхук %d: ответ %d за %d мс"}
	LineNoAnswer      = Phrase{"Webhook %d was not answered", "Вебхук %d: нет ответа"}
)

// Actor is the name of an actor, "you" for the reader. An actor without a name
// is shown as it is.
var Actor = Names{
	"payer":    {"payer", "плательщик"},
	"merchant": {"merchant", "мерчант"},
	// Only operators see the difference between these two and the merchant.
	"merchant_portal": {"merchant's user", "сотрудник мерчанта"},
	"key":             {"key", "ключ"},
	"link":            {"payment link", "платёжная ссылка"},
	"trader":          {"trader", "трейдер"},
	"operator":        {"operator", "оператор"},
	"acquirer":        {"acquirer", "эквайер"},
	"application":     {"application", "приложение"},
	"chain":           {"network", "сеть"},
	"message":         {"bank’s message", "сообщение банка"},
	"system":          {"by itself", "автоматически"},
	"you":             {"you", "вы"},
}.Of

// PageName is the name of a payer's page.
var PageName = Names{
	"requisite": {"requisite", "реквизит"},
	"cancel":    {"cancel", "отмена"},
	"checkout":  {"checkout", "оплата картой"},
	"card":      {"card", "карта"},
	"code":      {"code", "код"},
	"forget":    {"saved card", "сохранённая карта"},
}.Of

// FileType is the name of a type of file.
var FileType = Names{
	"application/pdf": {
		"PDF",
		"PDF",
	},
	"image/png":  {"PNG", "PNG"},
	"image/jpeg": {"JPEG", "JPEG"},
	"image/webp": {"WebP", "WebP"},
}.Of

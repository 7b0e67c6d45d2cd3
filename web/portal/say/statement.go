package say

// A trader's statement.
var (
	AccountAvailable = Phrase{"Available", "Доступно"}
	AccountReserved  = Phrase{"Held", "Удержано"}
	Accounts         = Phrase{"Accounts", "Счета"}
	Opening          = Phrase{"At the beginning", "На начало"}
	Closing          = Phrase{"At the end", "На конец"}
	Now              = Phrase{"Now", "Сейчас"}
	At               = Phrase{"Time", "Время"}
	Movement         = Phrase{"Movement", "Движение"}
	About            = Phrase{"For", "Основание"}
	BalanceAfter     = Phrase{"Balance", "Остаток"}
	NoMovements      = Phrase{"Nothing was moved in this time.", "За этот период движений нет."}
	ShortPayment     = Phrase{"Payment № %d", "Платёж № %d"}
	ShortPayout      = Phrase{"Payout № %d", "Выплата № %d"}
	ShortFunding     = Phrase{"Operation № %d", "Операция № %d"}
)

// movements are why money was moved.
var movements = map[string]Phrase{
	"hold":       {"Held for a payment", "Удержано под платёж"},
	"freeze":     {"Frozen for a payout", "Заморожено под выплату"},
	"deposit":    {"Deposit", "Пополнение"},
	"insurance":  {"Insurance", "Страховой депозит"},
	"funding":    {"Funded by the operator", "Пополнено оператором"},
	"correction": {"Correction by the operator", "Исправление оператором"},
	"withdrawal": {"Withdrawn by the operator", "Выведено оператором"},
	// A change of status says what it was to.
	"pending-completed":    {"Payment completed", "Платёж завершён"},
	"pending-failed":       {"Payment failed: no longer held", "Платёж не удался: удержание снято"},
	"pending-cancelled":    {"Payment cancelled: no longer held", "Платёж отменён: удержание снято"},
	"completed-completed":  {"Settled at a fresh rate", "Расчёт по свежему курсу"},
	"processing-completed": {"Payout completed", "Выплата завершена"},
	"completed-failed":     {"Reversed", "Отменено после завершения"},
}

// MovementOf says why money was moved; it is empty for what has no phrase.
func MovementOf(kind string) Phrase { return movements[kind] }

// HoldEnded says that what was held for a completed payment is not held any more.
var HoldEnded = Phrase{"Payment completed: no longer held", "Платёж завершён: удержание снято"}

// StatusMoved says that money was moved since the status changed.
var StatusMoved = Phrase{"%s → %s", "%s → %s"}

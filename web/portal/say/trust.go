package say

// The log of what was done.
var (
	AuditTitle   = Phrase{"Audit log", "Журнал действий"}
	AuditKind    = Phrase{"Kind", "Вид"}
	AuditSubject = Phrase{"Subject, such as cashbox", "Предмет, например cashbox"}
	AuditKey     = Phrase{"Its id", "Его id"}
	AuditOnlyKey = Phrase{"An id needs a subject.", "К id нужен предмет."}
)

var auditSubjects = map[string]Phrase{
	"payin":                 {"Payout", "Выплата"},
	"app_user":              {"User", "Пользователь"},
	"purge":                 {"Removed after its time", "Удалено по сроку"},
	"token":                 {"Sessions of user", "Сеансы пользователя"},
	"view_as":               {"As user", "От имени пользователя"},
	"api_key":               {"API key", "Ключ API"},
	"merchant":              {"Merchant", "Мерчант"},
	"cashbox":               {"Cashbox", "Касса"},
	"cashbox_method":        {"Method of cashbox", "Метод кассы"},
	"webhook_secret":        {"Signing secret of cashbox", "Секрет подписи кассы"},
	"trader":                {"Trader", "Трейдер"},
	"cashbox_payout_method": {"Payout method of cashbox", "Метод выплат кассы"},
	"trader_payout_method":  {"Payout method of trader", "Метод выплат трейдера"},
	"trader_acquirer":       {"Card processor of trader", "Процессинг трейдера"},
	"requisite":             {"Requisite", "Реквизит"},
	"rate":                  {"Rate", "Курс"},
	"rate_feed":             {"Rate feed", "Источник курса"},
	"payer_block":           {"Blocked payer", "Блокировка плательщика"},
	"platform_limit":        {"Platform limit", "Общий лимит"},
	"bank":                  {"Bank", "Банк"},
	"insurance":             {"Insurance of cashbox", "Страховой запас кассы"},
	"correction":            {"Correction", "Исправление"},
	"trader_funding":        {"Funds of trader", "Средства трейдера"},
	"payment":               {"Payment", "Платёж"},
	"appeal":                {"Appeal", "Апелляция"},
	"receiving_address":     {"Address for deposits", "Адрес для пополнений"},
	"deposit":               {"Deposit", "Пополнение"},
	"withdrawal":            {"Withdrawal", "Вывод"},
	"withdrawal_terms":      {"Terms of withdrawals by", "Условия выводов по"},
	"withdrawal_address":    {"Withdrawal address", "Адрес вывода"},
	"account":               {"Account", "Счёт"},
}

// AuditSubjectName is the name of what was changed; one without a name is called as the API calls it.
func AuditSubjectName(subject string) Phrase {
	if phrase, known := auditSubjects[subject]; known {
		return phrase
	}
	return Phrase{subject, subject}
}

// Whether the ledger holds.
var (
	ReconTitle = Phrase{"Reconciliation", "Сверка"}
)

// What needs somebody now.
var (
	AlarmsTitle = Phrase{"Alarms", "Тревоги"}
	ManualTitle = Phrase{"Manual", "Руководство"}
)

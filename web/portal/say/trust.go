package say

// The log of what was done.
var (
	AuditTitle = Phrase{"Audit log", "Журнал действий"}
	AuditText  = Phrase{
		"Changes of settings, looks as another user, sign-ins and failed ones. Requisites are shown by their last digits.",
		"Изменения настроек, просмотр от имени других, входы и неудачные попытки. От реквизитов видны последние цифры.",
	}
	AuditKept = Phrase{
		"Changes are kept for good; sign-ins for 400 days, since %s.",
		"Изменения хранятся всегда, входы — 400 дней, с %s.",
	}
	SearchAudit  = Phrase{"User: a login or an id", "Пользователь: логин или id"}
	AuditKind    = Phrase{"Kind", "Вид"}
	AuditSubject = Phrase{"Subject, such as cashbox", "Предмет, например cashbox"}
	AuditKey     = Phrase{"Its id", "Его id"}
	AuditNone    = Phrase{"Nothing was done yet.", "Действий ещё нет."}
	AuditNoText  = Phrase{
		"Every change of a setting and every sign-in is listed here.",
		"Здесь появится каждое изменение настроек и каждый вход.",
	}
	AuditNobody  = Phrase{"a login that nobody has", "логин, которого ни у кого нет"}
	AuditDetails = Phrase{"Details", "Подробности"}
	AuditUnset   = Phrase{"not set", "не задано"}
	AuditOnlyKey = Phrase{"An id needs a subject.", "К id нужен предмет."}
)

var logKinds = map[string]Phrase{
	"setting":        {"Change", "Изменение"},
	"view_as":        {"Look as another user", "Просмотр от имени"},
	"sign_in":        {"Sign-in", "Вход"},
	"sign_in_failed": {"Failed sign-in", "Неудачный вход"},
	"read":           {"Sensitive read", "Просмотр скрытого"},
	"proposal":       {"Proposal", "Предложение"},
	"decision":       {"Decision", "Решение"},
}

// LogKind is the name of a kind of lines of the log.
func LogKind(name string) Phrase { return named(logKinds, name) }

var signInOutcomes = map[string]Phrase{
	"signed_in":        {"Signed in", "Вход выполнен"},
	"awaits_factor":    {"Password right, second factor asked for", "Пароль верен, запрошен второй фактор"},
	"awaits_enrolment": {"Password right, second factor not set up", "Пароль верен, второй фактор не настроен"},
	"factor_given":     {"Second factor given", "Второй фактор принят"},
	"wrong_password":   {"Wrong password or login", "Неверный пароль или логин"},
	"factor_locked":    {"Second factor locked after wrong codes", "Второй фактор заблокирован после неверных кодов"},
	"wrong_factor":     {"Wrong second factor", "Неверный второй фактор"},
}

var readParts = map[string]Phrase{
	"value":   {"Whole value of %s", "Целиком: %s"},
	"file":    {"File of %s", "Файл: %s"},
	"receipt": {"Receipt of %s", "Чек: %s"},
}

// ReadPart says what an operator saw of something hidden.
func ReadPart(name string) Phrase { return named(readParts, name) }

// SignInOutcome is what came of a sign-in.
func SignInOutcome(name string) Phrase { return named(signInOutcomes, name) }

var auditSubjects = map[string]Phrase{
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
	"platform_limit":        {"Platform limit", "Общий лимит"},
	"bank":                  {"Bank", "Банк"},
	"insurance":             {"Insurance of cashbox", "Страховой запас кассы"},
	"correction":            {"Correction", "Исправление"},
	"trader_funding":        {"Funds of trader", "Средства трейдера"},
	"payment":               {"Payment", "Платёж"},
	"appeal":                {"Appeal", "Апелляция"},
	"deposit":               {"Deposit", "Пополнение"},
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
	ReconTitle      = Phrase{"Reconciliation", "Сверка"}
	ReconHolds      = Phrase{"The ledger holds", "Книга сходится"}
	ReconBroken     = Phrase{"The ledger does not hold", "Книга не сходится"}
	ReconUnknown    = Phrase{"No full audit has ended yet", "Полной проверки ещё не было"}
	ReconRecent     = Phrase{"Each minute: what is new", "Каждую минуту: новое"}
	ReconFull       = Phrase{"Each day: the whole ledger", "Каждый день: вся книга"}
	ReconProved     = Phrase{"Proved up to", "Проверено на"}
	ReconTook       = Phrase{"Took", "Длилась"}
	ReconRows       = Phrase{"Rows read", "Прочитано строк"}
	ReconViolations = Phrase{"Mismatches", "Расхождения"}
	ReconNever      = Phrase{"never", "ни разу"}
	ReconRunning    = Phrase{"Running since", "Идёт с"}
	ReconAt         = Phrase{"At", "Сейчас"}
	ReconInvariants = Phrase{"Invariants", "Инварианты"}
	ReconInvariant  = Phrase{"What always holds", "Что верно всегда"}
	ReconNew        = Phrase{"New rows", "Новые строки"}
	ReconWhole      = Phrase{"Everything", "Всё"}
	ReconOnlyFull   = Phrase{"by the full audit only", "только полной проверкой"}
	ReconGood       = Phrase{"holds", "верно"}
	ReconBad        = Phrase{"broken", "нарушено"}
	ReconHistory    = Phrase{"Full audits", "Полные проверки"}
	ReconFound      = Phrase{"Audits that found something", "Проверки, которые нашли расхождения"}
	ReconFoundNone  = Phrase{"No audit has found anything.", "Ни одна проверка ничего не нашла."}
	ReconBegan      = Phrase{"Began", "Началась"}
	ReconNoHistory  = Phrase{"No audit has come to its end yet.", "Ни одна проверка ещё не завершилась."}
	ReconDays       = Phrase{"Sealed days", "Опечатанные дни"}
	ReconNoDays     = Phrase{
		"No day is sealed yet. A day is sealed ten minutes after its end in UTC.",
		"Дни ещё не опечатаны. День опечатывается через десять минут после конца по UTC.",
	}
	ReconDay       = Phrase{"Day", "День"}
	ReconTransfers = Phrase{"Transfers", "Переводы"}
	ReconSealedAt  = Phrase{"Sealed", "Опечатан"}
	ReconRoot      = Phrase{"Root", "Корень"}
	ReconHash      = Phrase{"Hash", "Хеш"}
	ReconPrevious  = Phrase{"Hash of the day before", "Хеш предыдущего дня"}
	ReconSignature = Phrase{"Signature", "Подпись"}
	ReconKid       = Phrase{"Key", "Ключ"}
	ReconAudited   = Phrase{"Transfers read again", "Переводы перечитаны"}
	ReconNotYet    = Phrase{"not yet", "ещё нет"}
	ReconKinds     = Phrase{"Moved, by kind", "Движения по видам"}
	ReconKind      = Phrase{"Kind", "Вид"}
	ReconAmount    = Phrase{"Amount, USDT", "Сумма, USDT"}
	ReconBalances  = Phrase{"Balances at the end", "Остатки на конец"}
	ReconOwner     = Phrase{"Owner", "Владелец"}
	ReconAccount   = Phrase{"Account", "Счёт"}
	ReconDayTitle  = Phrase{"Ledger of %s", "Книга за %s"}
	ReconMore      = Phrase{"%s of them are shown.", "Показано: %s."}
)

var sealStates = map[string]Phrase{
	"valid":     {"as it was signed", "как подписан"},
	"changed":   {"changed after it was signed", "изменён после подписи"},
	"unchained": {"does not follow the day before", "не продолжает предыдущий день"},
	"unsigned":  {"signed by no key of ours", "подписан чужим ключом"},
}

// SealState is how a sealed day stands up to what it says.
func SealState(name string) Phrase { return named(sealStates, name) }

// invariants are what the audit proves, by its names for them, which are English.
var invariants = map[string]string{
	"a transfer moves an amount between two accounts":                          "перевод перемещает сумму между двумя счетами",
	"a payment's money stands where its status says":                           "деньги платежа там, где велит его статус",
	"a payment is due for settlement exactly while completed without a rate":   "платёж ждёт расчёта, только пока завершён без курса",
	"a payment's events and history run without gaps":                          "события и история платежа идут без пропусков",
	"an account's balance is what was moved to it less what was moved from it": "остаток счёта — приход минус расход",
	"no account is short unless marked overdrawn":                              "ни один счёт не в минусе без пометки",
	"every account has one balance":                                            "у каждого счёта один остаток",
	"a trader's reserved money is the sum of his open holds":                   "резерв трейдера — сумма его открытых удержаний",
	"a payout's money stands where its status says":                            "деньги выплаты там, где велит её статус",
	"a payout's events and history run without gaps":                           "события и история выплаты идут без пропусков",
	"a cashbox's reserved money is its open payouts and its insurance":         "резерв кассы — её открытые выплаты и страховой запас",
	"a cashbox's insurance is what was moved for it":                           "страховой запас кассы — то, что под него переведено",
	"a deposit is credited once, exactly if it is confirmed":                   "депозит зачислен один раз и только если подтверждён",
	"a deposit's history runs without gaps":                                    "история депозита идёт без пропусков",
	"a correction moves what it says, once":                                    "исправление переводит то, что указано, один раз",
	"a trader's funding is booked once":                                        "пополнение трейдера проведено один раз",
	"what an account had at the end of a day follows from the day before":      "остаток счёта на конец дня следует из предыдущего дня",
	"what is counted of an hour's payments follows from their history":         "подсчёты по платежам за час следуют из их истории",
	"a sealed day has the transfers that it was sealed with":                   "в опечатанном дне те переводы, с которыми он опечатан",
	"a day's income is what was moved to the platform and from it":             "доход дня — то, что переведено платформе и от неё",
}

// Invariant is an invariant in words; one without a translation is said as the audit says it.
func Invariant(name string) Phrase {
	if russian, known := invariants[name]; known {
		return Phrase{name, russian}
	}
	return Phrase{name, name}
}

// What needs somebody now.
var (
	AlarmsTitle  = Phrase{"Alarms", "Тревоги"}
	AlarmsQuiet  = Phrase{"Nothing needs anybody now.", "Сейчас никто не нужен."}
	AlarmFiring  = Phrase{"fires", "тревога"}
	AlarmQuiet   = Phrase{"quiet", "тихо"}
	AlarmWhat    = Phrase{"Alarm", "Тревога"}
	AlarmSince   = Phrase{"Since", "С"}
	AlarmUnknown = Phrase{"not known", "неизвестно"}
	AlarmLook    = Phrase{"Look at it", "Посмотреть"}
	AlarmRunbook = Phrase{"What to do", "Что делать"}
	ManualTitle  = Phrase{"Manual", "Руководство"}
	AlarmFires   = Phrase{"Firing", "Сработали"}
	AlarmOthers  = Phrase{"Quiet", "Тихие"}
	AlarmTell    = Phrase{"Severity", "Срочность"}
)

var severities = map[string]Phrase{
	"page":   {"at once", "сразу"},
	"ticket": {"in working hours", "в рабочее время"},
}

// Severity is how soon somebody has to look.
func Severity(name string) Phrase { return named(severities, name) }

var alarms = map[string]Phrase{
	"audit_mismatch": {"The ledger does not hold: mismatches %d", "Книга не сходится: расхождений %d"},
	"audit_late":     {"The audit of each minute is late: by %d s", "Ежеминутная проверка опаздывает: на %d с"},
	"full_audit_late": {
		"No full audit for a day: late by %d s",
		"Больше суток без полной проверки: опоздание %d с",
	},
	"day_unsealed":            {"A day is not sealed: late by %d s", "День не опечатан: опоздание %d с"},
	"account_overdrawn":       {"Accounts owe more than they have: %d", "Счета в минусе: %d"},
	"rate_stale":              {"Currencies without a fresh rate: %d", "Валюты без свежего курса: %d"},
	"factor_locked":           {"Locked second factors: %d", "Заблокированные вторые факторы: %d"},
	"payouts_given_back":      {"Traders who give many payouts back: %d", "Трейдеры, часто возвращающие выплаты: %d"},
	"operator_by_command":     {"Operators whom the command has made: %d", "Операторы, созданные командой: %d"},
	"second_operator_missing": {"Second operators missing: %d", "Не хватает вторых операторов: %d"},
	"feed_failing":            {"Rate feeds that fail: %d", "Источники курса с ошибкой: %d"},
	"settlement_waiting":      {"Payments that wait for a rate: %d", "Платежи ждут курса: %d"},
	"events_dead":             {"Events given up in the last hour: %d", "События без доставки за час: %d"},
	"events_waiting":          {"Events are not queued: late by %d s", "События не в очереди: опоздание %d с"},
	"payouts_overdue":         {"Overdue payouts: %d", "Просроченные выплаты: %d"},
	"deposits_waiting":        {"Deposits that wait over an hour: %d", "Депозиты ждут больше часа: %d"},
	"appeals_waiting":         {"Appeals that wait over a day: %d", "Апелляции ждут больше суток: %d"},
	"card_conflicts":          {"Card conflicts: %d", "Конфликты по картам: %d"},
	"snapshot_old":            {"An old snapshot is open in the database: %d s", "В базе открыт старый снимок: %d с"},
	"replica_unused":          {"Lists are not read from the replica: for %d s", "Списки читаются не с реплики: %d с"},
	"clock_skewed":            {"The clock of a process is wrong: by %d s", "Часы процесса неверны: на %d с"},
}

// Alarm is what an alarm says of a number.
func Alarm(name string) Phrase { return named(alarms, name) }

package trust

import (
	"gateway.example/web/portal/say"
)

// The log of what was done.
var (
	sayAuditText = say.Both(
		"Changes of settings, looks as another user, sign-ins and failed ones. Requisites are shown by their last digits.",
		"Изменения настроек, просмотр от имени других, входы и неудачные попытки. От реквизитов видны последние цифры.",
	)
	sayAuditKept = say.Both(
		"Changes are kept for good; sign-ins for 400 days, since %s.",
		"Изменения хранятся всегда, входы — 400 дней, с %s.",
	)
	saySearchAudit = say.Both("User: a login or an id", "Пользователь: логин или id")
	sayAuditNone   = say.Both("Nothing was done yet.", "Действий ещё нет.")
	sayAuditNoText = say.Both(
		"Every change of a setting and every sign-in is listed here.",
		"Здесь появится каждое изменение настроек и каждый вход.",
	)
	sayAuditNobody  = say.Both("a login that nobody has", "логин, которого ни у кого нет")
	sayAuditDetails = say.Both("Details", "Подробности")
	sayAuditUnset   = say.Both("not set", "не задано")
)

var sayLogKinds = map[string]say.Phrase{
	"setting":        say.Both("Change", "Изменение"),
	"view_as":        say.Both("Look as another user", "Просмотр от имени"),
	"sign_in":        say.Both("Sign-in", "Вход"),
	"sign_in_failed": say.Both("Failed sign-in", "Неудачный вход"),
	"read":           say.Both("Sensitive read", "Просмотр скрытого"),
	"proposal":       say.Both("Proposal", "Предложение"),
	"decision":       say.Both("Decision", "Решение"),
}

// sayLogKind is the name of a kind of lines of the log.
func sayLogKind(name string) say.Phrase { return say.Named(sayLogKinds, name) }

var saySignInOutcomes = map[string]say.Phrase{
	"signed_in":        say.Both("Signed in", "Вход выполнен"),
	"awaits_factor":    say.Both("Password right, second factor asked for", "Пароль верен, запрошен второй фактор"),
	"awaits_enrolment": say.Both("Password right, second factor not set up", "Пароль верен, второй фактор не настроен"),
	"factor_given":     say.Both("Second factor given", "Второй фактор принят"),
	"wrong_password":   say.Both("Wrong password or login", "Неверный пароль или логин"),
	"factor_locked":    say.Both("Second factor locked after wrong codes", "Второй фактор заблокирован после неверных кодов"),
	"wrong_factor":     say.Both("Wrong second factor", "Неверный второй фактор"),
}

var sayReadParts = map[string]say.Phrase{
	"value":   say.Both("Whole value of %s", "Целиком: %s"),
	"file":    say.Both("File of %s", "Файл: %s"),
	"receipt": say.Both("Receipt of %s", "Чек: %s"),
}

// sayReadPart says what an operator saw of something hidden.
func sayReadPart(name string) say.Phrase { return say.Named(sayReadParts, name) }

// saySignInOutcome is what came of a sign-in.
func saySignInOutcome(name string) say.Phrase { return say.Named(saySignInOutcomes, name) }

// Whether the ledger holds.
var (
	sayReconHolds      = say.Both("The ledger holds", "Книга сходится")
	sayReconBroken     = say.Both("The ledger does not hold", "Книга не сходится")
	sayReconUnknown    = say.Both("No full audit has ended yet", "Полной проверки ещё не было")
	sayReconRecent     = say.Both("Each minute: what is new", "Каждую минуту: новое")
	sayReconFull       = say.Both("Each day: the whole ledger", "Каждый день: вся книга")
	sayReconProved     = say.Both("Proved up to", "Проверено на")
	sayReconTook       = say.Both("Took", "Длилась")
	sayReconRows       = say.Both("Rows read", "Прочитано строк")
	sayReconViolations = say.Both("Mismatches", "Расхождения")
	sayReconNever      = say.Both("never", "ни разу")
	sayReconRules      = say.Both("Rules proven so far", "Проверено правил")
	sayReconRunning    = say.Both("Running since", "Идёт с")
	sayReconAt         = say.Both("At", "Сейчас")
	sayReconInvariants = say.Both("Invariants", "Инварианты")
	sayReconInvariant  = say.Both("What always holds", "Что верно всегда")
	sayReconNew        = say.Both("New rows", "Новые строки")
	sayReconWhole      = say.Both("Everything", "Всё")
	sayReconOnlyFull   = say.Both("by the full audit only", "только полной проверкой")
	sayReconGood       = say.Both("holds", "верно")
	sayReconBad        = say.Both("broken", "нарушено")
	sayReconHistory    = say.Both("Full audits", "Полные проверки")
	sayReconFound      = say.Both("Audits that found something", "Проверки, которые нашли расхождения")
	sayReconFoundNone  = say.Both("No audit has found anything.", "Ни одна проверка ничего не нашла.")
	sayReconBegan      = say.Both("Began", "Началась")
	sayReconNoHistory  = say.Both("No audit has come to its end yet.", "Ни одна проверка ещё не завершилась.")
	sayReconChain      = say.Both("On the networks and in the ledger", "В сетях и в книге")
	sayReconChainText  = say.Both(
		"What came to the platform’s addresses and left them, as the watched networks have it, beside what the ledger says came from outside. What was funded or corrected by hand, or paid from another wallet, is in the difference.",
		"Что пришло на адреса платформы и ушло с них по данным сетей — рядом с тем, что по книге пришло извне. То, что внесено или исправлено вручную либо оплачено с другого кошелька, попадает в разницу.",
	)
	sayReconCame       = say.Both("Came", "Пришло")
	sayReconWent       = say.Both("Left", "Ушло")
	sayReconThere      = say.Both("There", "Осталось")
	sayReconOnNetworks = say.Both("On the networks", "В сетях")
	sayReconInLedger   = say.Both("In the ledger", "В книге")
	sayReconDifference = say.Both("Difference", "Разница")
	sayReconDays       = say.Both("Sealed days", "Опечатанные дни")
	sayReconNoDays     = say.Both(
		"No day is sealed yet. A day is sealed ten minutes after its end in UTC.",
		"Дни ещё не опечатаны. День опечатывается через десять минут после конца по UTC.",
	)
	sayReconDay       = say.Both("Day", "День")
	sayReconTransfers = say.Both("Transfers", "Переводы")
	sayReconSealedAt  = say.Both("Sealed", "Опечатан")
	sayReconRoot      = say.Both("Root", "Корень")
	sayReconHash      = say.Both("Hash", "Хеш")
	sayReconPrevious  = say.Both("Hash of the day before", "Хеш предыдущего дня")
	sayReconSignature = say.Both("Signature", "Подпись")
	sayReconKid       = say.Both("Key", "Ключ")
	sayReconAudited   = say.Both("Transfers read again", "Переводы перечитаны")
	sayReconNotYet    = say.Both("not yet", "ещё нет")
	sayReconKinds     = say.Both("Moved, by kind", "Движения по видам")
	sayReconKind      = say.Both("Kind", "Вид")
	sayReconAmount    = say.Both("Amount, USDT", "Сумма, USDT")
	sayReconBalances  = say.Both("Balances at the end", "Остатки на конец")
	sayReconOwner     = say.Both("Owner", "Владелец")
	sayReconAccount   = say.Both("Account", "Счёт")
	sayReconDayTitle  = say.Both("Ledger of %s", "Книга за %s")
	sayReconMore      = say.Both("%s of them are shown.", "Показано: %s.")
)

var saySealStates = map[string]say.Phrase{
	"valid":     say.Both("as it was signed", "как подписан"),
	"changed":   say.Both("changed after it was signed", "изменён после подписи"),
	"unchained": say.Both("does not follow the day before", "не продолжает предыдущий день"),
	"unsigned":  say.Both("signed by no key of ours", "подписан чужим ключом"),
}

// saySealState is how a sealed day stands up to what it says.
func saySealState(name string) say.Phrase { return say.Named(saySealStates, name) }

// sayInvariants are what the audit proves, by its names for them, which are English.
var sayInvariants = map[string]string{
	"a transfer moves an amount between two accounts":                                   "перевод перемещает сумму между двумя счетами",
	"a payment's money stands where its status says":                                    "деньги платежа там, где велит его статус",
	"a payment is due for settlement exactly while completed without a rate":            "платёж ждёт расчёта, только пока завершён без курса",
	"a payment's events and history run without gaps":                                   "события и история платежа идут без пропусков",
	"an account's balance is what was moved to it less what was moved from it":          "остаток счёта — приход минус расход",
	"no account is short unless marked overdrawn":                                       "ни один счёт не в минусе без пометки",
	"every account has one balance":                                                     "у каждого счёта один остаток",
	"a trader's reserved money is the sum of his open holds":                            "резерв трейдера — сумма его открытых удержаний",
	"a payment is settled for what was asked or for what came, at its own rate":         "платёж рассчитан по запрошенной или пришедшей сумме и своему курсу",
	"what came of a payment is the sum of what counts towards it":                       "пришедшее по платежу — сумма того, что в нём учтено",
	"what goes back to a payer is what came, once, and no more":                         "плательщику возвращается то, что пришло, один раз и не больше",
	"a payout's money stands where its status says":                                     "деньги выплаты там, где велит её статус",
	"a payout's events and history run without gaps":                                    "события и история выплаты идут без пропусков",
	"a cashbox's reserved money is its open payouts and withdrawals, and its insurance": "резерв кассы — её открытые выплаты и выводы и страховой запас",
	"a withdrawal's money stands where its status says":                                 "деньги вывода там, где велит его статус",
	"a withdrawal's events and history run without gaps":                                "события и история вывода идут без пропусков",
	"what was handed over is what is said to be paid":                                   "передано подписанту ровно то, что значится к выплате",
	"a cashbox's insurance is what was moved for it":                                    "страховой запас кассы — то, что под него переведено",
	"a deposit is credited once, exactly if it is confirmed":                            "депозит зачислен один раз и только если подтверждён",
	"a deposit's history runs without gaps":                                             "история депозита идёт без пропусков",
	"a correction moves what it says, once":                                             "исправление переводит то, что указано, один раз",
	"a trader's funding is booked once":                                                 "пополнение трейдера проведено один раз",
	"what an account had at the end of a day follows from the day before":               "остаток счёта на конец дня следует из предыдущего дня",
	"what is counted of an hour's payments follows from their history":                  "подсчёты по платежам за час следуют из их истории",
	"what is counted of a day's payments is the sum of its hours":                       "подсчёты по платежам за день равны сумме подсчётов за его часы",
	"a sealed day has the transfers that it was sealed with":                            "в опечатанном дне те переводы, с которыми он опечатан",
	"every page of every table can be read":                                             "каждая страница каждой таблицы читается",
	"a day's income is what was moved to the platform and from it":                      "доход дня — то, что переведено платформе и от неё",
}

// sayInvariant is an invariant in words; one without a translation is said as the audit says it.
func sayInvariant(name string) say.Phrase {
	if russian, known := sayInvariants[name]; known {
		return say.Both(name, russian)
	}
	return say.Both(name, name)
}

// What needs somebody now.
var (
	sayAlarmsQuiet  = say.Both("Nothing needs anybody now.", "Сейчас никто не нужен.")
	sayAlarmFiring  = say.Both("fires", "тревога")
	sayAlarmQuiet   = say.Both("quiet", "тихо")
	sayAlarmWhat    = say.Both("Alarm", "Тревога")
	sayAlarmSince   = say.Both("Since", "С")
	sayAlarmUnknown = say.Both("—", "—")
	sayAlarmRunbook = say.Both("What to do", "Что делать")
	sayAlarmFires   = say.Both("Firing", "Сработали")
	sayAlarmOthers  = say.Both("Quiet", "Тихие")
	sayAlarmTell    = say.Both("Severity", "Срочность")
)

var saySeverities = map[string]say.Phrase{
	"page":   say.Both("at once", "сразу"),
	"ticket": say.Both("in working hours", "в рабочее время"),
}

// saySeverity is how soon somebody has to look.
func saySeverity(name string) say.Phrase { return say.Named(saySeverities, name) }

var sayAlarms = map[string]say.Phrase{
	"audit_mismatch":          say.Both("The ledger does not hold: mismatches %d", "Книга не сходится: расхождений %d"),
	"audit_late":              say.Both("The audit of each minute is late: by %d s", "Ежеминутная проверка опаздывает: на %d с"),
	"full_audit_late":         say.Both("No full audit for a day: late by %d s", "Больше суток без полной проверки: опоздание %d с"),
	"day_unsealed":            say.Both("A day is not sealed: late by %d s", "День не опечатан: опоздание %d с"),
	"account_overdrawn":       say.Both("Accounts owe more than they have: %d", "Счета в минусе: %d"),
	"rate_stale":              say.Both("Currencies without a fresh rate: %d", "Валюты без свежего курса: %d"),
	"factor_locked":           say.Both("Locked second factors: %d", "Заблокированные вторые факторы: %d"),
	"payouts_given_back":      say.Both("Traders who give many payouts back: %d", "Трейдеры, часто возвращающие выплаты: %d"),
	"phones_silent":           say.Both("Phones that have fallen silent: %d", "Замолчавшие телефоны: %d"),
	"chain_stuck":             say.Both("Networks that are not read: %d", "Сети, которые не читаются: %d"),
	"chain_lost":              say.Both("Transfers that have vanished: %d", "Исчезнувшие переводы: %d"),
	"operator_by_command":     say.Both("Operators whom the command has made: %d", "Операторы, созданные командой: %d"),
	"second_operator_missing": say.Both("Second operators missing: %d", "Не хватает вторых операторов: %d"),
	"feed_failing":            say.Both("Rate feeds that fail: %d", "Источники курса с ошибкой: %d"),
	"settlement_waiting":      say.Both("Payments that wait for a rate: %d", "Платежи ждут курса: %d"),
	"events_dead":             say.Both("Events given up in the last hour: %d", "События без доставки за час: %d"),
	"events_waiting":          say.Both("Events are not queued: late by %d s", "События не в очереди: опоздание %d с"),
	"payouts_overdue":         say.Both("Overdue payouts: %d", "Просроченные выплаты: %d"),
	"withdrawals_waiting":     say.Both("Withdrawals that wait over four hours, or were stopped: %d", "Выводы ждут больше четырёх часов или остановлены: %d"),
	"deposits_waiting":        say.Both("Deposits that wait over an hour: %d", "Депозиты ждут больше часа: %d"),
	"appeals_waiting":         say.Both("Appeals that wait over a day: %d", "Апелляции ждут больше суток: %d"),
	"cases_waiting":           say.Both("Other amounts that wait over four hours: %d", "Другие суммы ждут больше четырёх часов: %d"),
	"card_conflicts":          say.Both("Card conflicts: %d", "Конфликты по картам: %d"),
	"snapshot_old":            say.Both("An old snapshot is open in the database: %d s", "В базе открыт старый снимок: %d с"),
	"pages_damaged":           say.Both("Damaged pages were read in the database: %d", "В базе прочитаны повреждённые страницы: %d"),
	"replica_unused":          say.Both("Lists are not read from the replica: for %d s", "Списки читаются не с реплики: %d с"),
	"clock_skewed":            say.Both("The clock of a process is wrong: by %d s", "Часы процесса неверны: на %d с"),
}

// sayAlarm is what an alarm says of a number.
func sayAlarm(name string) say.Phrase { return say.Named(sayAlarms, name) }

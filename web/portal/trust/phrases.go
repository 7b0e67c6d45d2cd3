package trust

import (
	"embed"

	"gateway.example/internal/tongue"
	"gateway.example/web/portal/say"
)

//go:embed *.txt
var files embed.FS

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
)

// sayLogKind is the name of a kind of lines of the log.
var sayLogKind = say.Names{
	"setting":        say.Both("Change", "Изменение"),
	"view_as":        say.Both("View as another user", "Просмотр от имени"),
	"sign_in":        say.Both("Sign-in", "Вход"),
	"sign_in_failed": say.Both("Failed sign-in", "Неудачный вход"),
	"read":           say.Both("Sensitive read", "Просмотр скрытого"),
	"proposal":       say.Both("Proposal", "Предложение"),
	"decision":       say.Both("Decision", "Решение"),
}.Of

// sayReadPart is the name of the hidden part that an operator read.
var sayReadPart = say.Names{
	"value":   say.Both("Whole value of %s", "Целиком: %s"),
	"file":    say.Both("File of %s", "Файл: %s"),
	"receipt": say.Both("Receipt of %s", "Чек: %s"),
}.Of

// saySignInOutcome is the name of the outcome of a sign-in.
var saySignInOutcome = say.Names{
	"signed_in":        say.Both("Signed in", "Вход выполнен"),
	"awaits_factor":    say.Both("Password right, second factor asked for", "Пароль верен, запрошен второй фактор"),
	"awaits_enrolment": say.Both("Password right, second factor not set up", "Пароль верен, второй фактор не настроен"),
	"factor_given":     say.Both("Second factor given", "Второй фактор принят"),
	"wrong_password":   say.Both("Wrong password or login", "Неверный пароль или логин"),
	"factor_locked":    say.Both("Second factor locked after wrong codes", "Второй фактор заблокирован после неверных кодов"),
	"wrong_factor":     say.Both("Wrong second factor", "Неверный второй фактор"),
}.Of

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

// saySealState is the name of the state of a sealed day.
var saySealState = say.Names{
	"valid":     say.Both("as it was signed", "как подписан"),
	"changed":   say.Both("changed after it was signed", "изменён после подписи"),
	"unchained": say.Both("does not follow the day before", "не продолжает предыдущий день"),
	"unsigned":  say.Both("signed by no key of ours", "подписан чужим ключом"),
}.Of

// sayInvariants are the Russian texts of invariants, by the audit's English
// names for them.
var sayInvariants = tongue.Pairs(files, "invariant.txt")

// sayInvariant is an invariant in words; without a translation it is the
// audit's name for it.
func sayInvariant(name string) say.Phrase {
	if russian, known := sayInvariants[name]; known {
		return say.Both(name, russian)
	}
	return say.Both(name, name)
}

// What needs somebody now.
var (
	sayAlarmsQuiet  = say.Both("Nothing needs attention now.", "Сейчас никто не нужен.")
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

// saySeverity says how soon somebody has to look.
var saySeverity = say.Names{
	"page":   say.Both("at once", "сразу"),
	"ticket": say.Both("in working hours", "в рабочее время"),
}.Of

// sayAlarm is the text of an alarm, with a place for a number.
var sayAlarm = say.Read(files, "alarm.txt").Of

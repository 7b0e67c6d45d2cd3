package payoutfiles

import "gateway.example/web/portal/say"

var (
	sayTitle    = say.Both("Payouts by file", "Выплаты файлом")
	sayNone     = say.Both("No files yet", "Файлов ещё нет")
	sayNoneText = say.Both(
		"A file has one payout in each row. You see what it costs before anything is made.",
		"В каждой строке файла — одна выплата. Вы увидите, сколько она стоит, прежде чем что-то будет создано.",
	)
	sayNew      = say.Both("New file", "Новый файл")
	sayFile     = say.Both("File", "Файл")
	sayFileHint = say.Both("CSV or XLSX, up to 1 MB and 2,000 payouts", "CSV или XLSX, до 1 МБ и 2000 выплат")
	sayKey      = say.Both("Key", "Ключ")
	sayKeyNote  = say.Both(
		"Its cashbox pays, and its daily limit counts, as if a program had asked for the payouts with it. What is left of its day stands with it.",
		"Платит его касса и действует его дневной лимит, как если бы выплаты запросила программа с этим ключом. Остаток на день указан рядом с ключом.",
	)
	sayNoKey = say.Both(
		"No key of yours may ask for payouts. An owner or developer makes one with the scope payouts.",
		"Ни один ваш ключ не может запрашивать выплаты. Владелец или разработчик создаёт ключ с правом payouts.",
	)
	sayLook     = say.Both("Look at the file", "Проверить файл")
	sayLookText = say.Both("Nothing is paid yet: you see every row’s faults and the costs first.",
		"Пока ничего не выплачивается: сначала вы увидите ошибки строк и стоимость.")
	sayTemplate = say.Both("Download a template", "Скачать образец")
	sayColumns  = say.Both("Columns", "Столбцы")
	sayColumn   = say.Both("Column", "Столбец")
	sayHolds    = say.Both("Contents", "Что в нём")
	sayPayouts  = say.Both("Payouts", "Выплат")
	saySum      = say.Both("They pay out", "Будет выплачено")
	sayFreezes  = say.Both("Freezes", "Будет заморожено")
	sayFroze    = say.Both("Frozen", "Заморожено")
	sayHas      = say.Both("Available", "Доступно")
	sayRate     = say.Both("Rate", "Курс")
	sayRateOf   = say.Both("%s for 1 USDT", "%s за 1 USDT")
	sayLeft     = say.Both("Left of the key’s day", "Остаток дневного лимита ключа")
	sayNoLimit  = say.Both("no limit", "без лимита")
	sayFlaws    = say.Both("What is wrong", "Что не так")
	sayFlawed   = say.Both(
		"Rows are wrong, so nothing can be made. Correct the file and send it again.",
		"В строках есть ошибки, поэтому ничего не создано. Исправьте файл и отправьте снова.",
	)
	sayMore    = say.Both("And %d more.", "И ещё %d.")
	sayAll     = say.Both("All as CSV", "Все в CSV")
	sayLine    = say.Both("Line", "Строка")
	sayField   = say.Both("Field", "Поле")
	sayReason  = say.Both("Reason", "Причина")
	sayAnother = say.Both("Send another file", "Отправить другой файл")
	sayGood    = say.Both("All rows are right.", "Все строки верны.")
	sayPay     = say.Both("Pay out", "Выплатить")
	sayPayAsk  = say.Both("Make these payouts?", "Создать эти выплаты?")
	sayPayText = say.Both(
		"All of them are made, or none. Traders may take them at once; those that nobody has taken can be cancelled.",
		"Создаются все или ни одной. Трейдеры могут взять их сразу; отменить можно те, которые никто не взял.",
	)
	sayPayYes  = say.Both("Pay out %s", "Выплатить %s")
	sayMadeAt  = say.Both("Made", "Созданы")
	sayMadeBy  = say.Both("By", "Кем")
	saySent    = say.Both("Sent", "Отправлен")
	sayWaits   = say.Both("Waiting", "Ожидают")
	sayTaken   = say.Both("Being paid", "Выплачиваются")
	sayPaid    = say.Both("Paid", "Выплачены")
	sayUnpaid  = say.Both("Not paid", "Не выплачены")
	sayEnded   = say.Both("Payouts that have ended", "Завершённые выплаты")
	sayLeave   = say.Both("You may leave this page and come back.", "Страницу можно закрыть и вернуться позже.")
	sayResult  = say.Both("Result as CSV", "Результат в CSV")
	sayNotMade = say.Both("Not made", "Не созданы")
)

// columns explain each column.
var columns = map[string]say.Phrase{
	"orderId":     say.Both("Your id of the payout", "Ваш номер выплаты"),
	"amount":      say.Both("What the recipient gets", "Сколько получит получатель"),
	"method":      say.Both("sbp or c2c", "sbp или c2c"),
	"address":     say.Both("Phone number, card or account", "Телефон, карта или счёт"),
	"recipient":   say.Both("Full name of the recipient", "Полное имя получателя"),
	"currency":    say.Both("That of the cashbox unless set", "Если не указана — валюта кассы"),
	"code":        say.Both("Bank’s code", "Код банка"),
	"bankName":    say.Both("Bank’s name", "Название банка"),
	"userId":      say.Both("Your id of the user", "Ваш номер пользователя"),
	"callbackUri": say.Both("Address for events; without it they are in the feed alone", "Адрес для событий; без него они только в ленте"),
}

var sayMetadata = say.Both("A pair of your own; region is its key", "Ваша пометка; region — её ключ")

package links

import "gateway.example/web/portal/say"

var (
	sayNone     = say.Both("No payment links yet", "Платёжных ссылок ещё нет")
	sayNoneText = say.Both(
		"A link is a page on which anybody you send it to can pay you. It takes no shop and no code.",
		"Ссылка — это страница, на которой вам может заплатить любой, кому вы её отправите. Ни магазина, ни кода не нужно.",
	)
	sayNoneAtAll = say.Both("Merchants have made none.", "Мерчанты их ещё не создавали.")
	sayHint      = say.Both("Part of the title, or the number", "Часть заголовка или номер")
	sayNew       = say.Both("New link", "Новая ссылка")
	sayMake      = say.Both("Make the link", "Создать ссылку")
	sayNoBoxes   = say.Both("You have no cashbox yet. Ask an operator for one.", "У вас ещё нет кассы. Попросите её у оператора.")
	sayFor       = say.Both("What is paid for", "За что платят")
	sayForHint   = say.Both("Payers read it as the title", "Плательщик увидит это как заголовок")
	sayMore      = say.Both("More about it", "Подробнее")
	sayAmount    = say.Both("Amount", "Сумма")
	sayOpenHint  = say.Both("Left empty, payers say it themselves", "Если не указать, её назовёт плательщик")
	sayLeast     = say.Both("At least", "Не меньше")
	sayLeastHint = say.Both("Only where payers say the amount, as the next one", "Только если сумму называет плательщик, как и следующее")
	sayMost      = say.Both("At most", "Не больше")
	sayMethods   = say.Both("Ways to pay", "Способы оплаты")
	sayAll       = say.Both("All that the cashbox has", "Все, что есть у кассы")
	sayTimes     = say.Both("How many payments", "Сколько платежей")
	sayTimesAny  = say.Both("1 for one buyer; left empty, any number", "1 — для одного покупателя; если не указать, сколько угодно")
	sayUntil     = say.Both("Last day", "Последний день")
	sayReturn    = say.Both("Page to go back to", "Страница для возврата")
	sayCallback  = say.Both("Address for events", "Адрес для событий")
	sayCallHint  = say.Both("Left empty, they are in the feed alone", "Если не указать, они будут только в ленте")
	sayWrongDay  = say.Both("is no day", "не день")
	sayNumber    = say.Both("must be a number", "должно быть числом")

	sayOpen      = say.Both("Open", "Открыта")
	sayOver      = say.Both("Over", "Закончилась")
	sayClosed    = say.Both("Closed", "Закрыта")
	sayAnyAmount = say.Both("Payer’s choice", "На выбор плательщика")
	sayPaid      = say.Both("Paid", "Оплачено")
	sayOf        = say.Both("%d of %d", "%d из %d")
	sayCame      = say.Both("Received", "Получено")
	sayNewestOf  = say.Both("of the newest %d", "из последних %d")

	sayShare       = say.Both("Send it or print it", "Отправьте или распечатайте")
	sayAddress     = say.Both("What payers open", "Что открывают плательщики")
	sayShareText   = say.Both("Whoever opens this address can pay.", "Заплатить может любой, кто откроет этот адрес.")
	sayClose       = say.Both("Close the link", "Закрыть ссылку")
	sayCloseText   = say.Both("It takes no new payments then; those that were begun go on.", "Новых платежей по ней не будет, начатые продолжатся.")
	sayPicture     = say.Both("Picture", "Картинка")
	sayPictureFile = say.Both("Photo of what is sold", "Фото того, что продаёте")
	sayPictureHint = say.Both("PNG or JPEG, up to 10 MB and 16 million pixels. Payers see it beside the title.",
		"PNG или JPEG, до 10 МБ и 16 миллионов точек. Плательщик увидит его рядом с заголовком.")
	sayPictureHas    = say.Both("The link has a picture. Open its address to see it.", "У ссылки есть картинка. Откройте адрес, чтобы увидеть её.")
	sayPictureSend   = say.Both("Send the picture", "Отправить картинку")
	sayPictureRemove = say.Both("Remove it", "Убрать")
	sayPictureOpen   = say.Both("Open", "Открыть")
	sayRemovePicture = say.Both("Remove the picture", "Убрать картинку")
	sayRemoval       = say.Both("Remove the picture of this link?", "Убрать картинку этой ссылки?")
	sayRemovalText   = say.Both("Payers then see its title alone. The merchant may send another one.",
		"Плательщики увидят только заголовок. Мерчант может отправить другую картинку.")
	sayPayments = say.Both("Newest payments", "Последние платежи")
	sayNoPays   = say.Both("Nobody has begun a payment yet.", "Платежей по ней ещё не начинали.")
	sayFeed     = say.Both("The feed alone", "Только лента")
)

package notices

import "gateway.example/web/portal/say"

var (
	sayTelegram = say.Both("Telegram", "Telegram")
	sayMail     = say.Both("Mail", "Почта")
	sayPush     = say.Both("Push", "Пуши")

	sayWhere     = say.Both("Notification channels", "Куда приходят уведомления")
	sayWhereNone = say.Both("Nowhere yet. Add a channel.", "Пока никуда. Добавьте канал.")
	sayPlace     = say.Both("Place", "Куда")
	sayWorks     = say.Both("Works", "Работает")
	sayAwaits    = say.Both("Waits for its code", "Ждёт кода")
	sayRefused   = say.Both("Refused", "Отклонён")
	sayRemove    = say.Both("Remove", "Удалить")
	sayTry       = say.Both("Send a trial", "Отправить проверку")
	sayNoChannel = say.Both("The platform has no channel for notifications.", "На платформе нет каналов для уведомлений.")

	sayAddTelegram  = say.Both("Link Telegram", "Привязать Telegram")
	sayTelegramText = say.Both("Open the bot by this link and press Start. It is good once, for 15 minutes.",
		"Откройте бота по ссылке и нажмите «Запустить». Ссылка действует один раз, 15 минут.")
	sayOpenBot  = say.Both("Open the bot", "Открыть бота")
	sayAddress  = say.Both("Mail address", "Адрес почты")
	sayAddMail  = say.Both("Send a code", "Отправить код")
	sayCode     = say.Both("Code from the mail", "Код из письма")
	sayConfirm  = say.Both("Confirm", "Подтвердить")
	sayAddPush  = say.Both("Push to this browser", "Пуши в этот браузер")
	sayPushHint = say.Both("Also while the page is closed. On an iPhone add the desk to the home screen first.",
		"И когда страница закрыта. На iPhone сначала добавьте рабочий стол на главный экран.")

	sayWhat     = say.Both("What you are notified about", "О чём приходят уведомления")
	sayKind     = say.Both("Event", "Событие")
	sayAlways   = say.Both("always", "всегда")
	sayQuiet    = say.Both("Quiet hours", "Тихие часы")
	sayQuietAre = say.Both("Then only security notifications come. Your zone is %s.", "В это время приходит только о безопасности. Ваш пояс: %s.")
	sayFrom     = say.Both("Quiet from", "Тишина с")
	sayUntil    = say.Both("Quiet until", "Тишина до")
	sayWrongAt  = say.Both("is no time such as 22:00", "не время вида 22:00")
	sayMuted    = say.Both("Muted by the bot until %s.", "Бот попросили молчать до %s.")

	saySent     = say.Both("Latest notifications", "Последние уведомления")
	saySentNone = say.Both("Nothing yet", "Пока ничего")
	sayAt       = say.Both("Time", "Время")
	sayCount    = say.Both("Events", "Событий")
	sayOutcome  = say.Both("Outcome", "Итог")
	sayDone     = say.Both("Sent", "Отправлено")
	sayAgain    = say.Both("Tried again", "Будет повтор")
	sayGivenUp  = say.Both("Given up", "Не отправлено")

	sayOffline     = say.Both("You are offline", "Нет связи")
	sayOfflineText = say.Both("The gateway cannot be reached from here. Nothing that was open is shown, because it may have changed.",
		"Шлюз отсюда недоступен. Открытое раньше не показано: оно могло измениться.")
	sayOfflineAgain = say.Both("Try again", "Попробовать снова")
)

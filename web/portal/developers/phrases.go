package developers

import (
	"embed"

	"gateway.example/internal/tongue"
	"gateway.example/web/portal/say"
)

//go:embed *.txt
var files embed.FS

// Keys, webhooks and events of a merchant.
var (
	sayCashboxName     = say.Both("%s · %s · № %d", "%s · %s · № %d")
	sayNoKeyBoxes      = say.Both("You have no cashbox yet.", "У вас ещё нет касс.")
	sayAskOperator     = say.Both("The operator makes it.", "Кассу создаёт оператор.")
	sayNewKey          = say.Both("New key", "Новый ключ")
	sayMakeKey         = say.Both("Create the key", "Создать ключ")
	sayKeyName         = say.Both("Name", "Название")
	sayKeyNameHint     = say.Both("What uses it, as in “shop server”.", "Кто им пользуется, например «сервер магазина».")
	sayScopes          = say.Both("Permissions", "Права")
	sayScopesHint      = say.Both("No more than it needs.", "Не больше, чем нужно.")
	sayNoScope         = say.Both("Choose at least one.", "Выберите хотя бы одно.")
	sayKeyLastUsed     = say.Both("Last used", "Использован")
	sayKeyNeverUsed    = say.Both("never", "ни разу")
	sayKeyActive       = say.Both("Active", "Действует")
	sayKeyExpired      = say.Both("Expired", "Истёк")
	sayKeyUntil        = say.Both("until", "до")
	sayKeyFrom         = say.Both("from %s", "с %s")
	sayKeyDaily        = say.Both("payouts up to %s a day", "выплаты до %s в день")
	sayKeyExpires      = say.Both("Last day", "Последний день")
	sayKeyExpiresHint  = say.Both("The key signs nothing after it.", "После него ключ ничего не подписывает.")
	sayKeyNetworks     = say.Both("Only from these addresses", "Только с этих адресов")
	sayKeyNetworksHint = say.Both(
		"Addresses or networks such as 203.0.113.0/24, separated by commas. Calls from others are refused.",
		"Адреса или сети, например 203.0.113.0/24, через запятую. Вызовы с других отклоняются.",
	)
	sayKeyDailyLimit = say.Both("Payouts in a day", "Выплаты за день")
	sayKeyDailyHint  = say.Both("At most, in %s, by days of UTC.", "Не больше, в %s, по дням UTC.")
	sayWrongDay      = say.Both("This is not a date.", "Это не дата.")
	sayKeyLimits     = say.Both("Limits", "Ограничения")
	sayKeyRevoked    = say.Both("Revoked", "Отозван")
	sayLegacyKey     = say.Both("Legacy", "Старый")
	sayLegacyNeeded  = say.Both(
		"A legacy key without a cashbox still signs for this one. Make a key of its own before you revoke it.",
		"За эту кассу ещё подписывает старый ключ без кассы. Создайте для неё ключ, прежде чем отозвать старый.",
	)
	sayLegacyRemovable = say.Both(
		"This cashbox has a key of its own. The legacy key can be revoked once your other cashboxes have theirs.",
		"У этой кассы есть свой ключ. Старый можно отозвать, когда свои ключи будут и у других касс.",
	)
	sayNoKeys      = say.Both("This cashbox has no key yet.", "У этой кассы ещё нет ключей.")
	sayNoKeysText  = say.Both("Your server signs its requests with one.", "Ключом ваш сервер подписывает запросы.")
	sayRevokeKey   = say.Both("Revoke", "Отозвать")
	sayRevokeTitle = say.Both("Revoke the key?", "Отозвать ключ?")
	sayRevokeText  = say.Both(
		"Requests signed with it are refused within a second. This cannot be undone.",
		"Запросы с его подписью будут отклоняться через секунду. Отменить это нельзя.",
	)
	sayRevokeLegacy = say.Both(
		"It is a legacy key: it ends for all your cashboxes.",
		"Это старый ключ: он перестанет действовать для всех ваших касс.",
	)
	sayRevokeYes    = say.Both("Yes, revoke the key", "Да, отозвать ключ")
	sayKeyMade      = say.Both("The key was created", "Ключ создан")
	saySecret       = say.Both("Secret", "Секрет")
	sayRotateSecret = say.Both("Change the signing secret", "Сменить секрет подписи")
	sayRotateTitle  = say.Both("Change the signing secret?", "Сменить секрет подписи?")
	sayRotateText   = say.Both(
		"You get a new secret. The old one signs besides for 24 hours: take the new one into use until then.",
		"Вы получите новый секрет. Старый ещё 24 часа подписывает вместе с ним: за это время перейдите на новый.",
	)
	sayRotateYes   = say.Both("Yes, create a new secret", "Да, создать новый секрет")
	sayRotated     = say.Both("The new signing secret", "Новый секрет подписи")
	sayRotatedText = say.Both(
		"Webhooks are signed with it from now on, and with the old one besides until %s.",
		"Вебхуки теперь подписаны им, а до %s ещё и старым.",
	)
	sayOldSigns  = say.Both("The old secret signs besides until", "Старый секрет ещё подписывает до")
	saySigned    = say.Both("Signed", "Подпись")
	saySignedYes = say.Both("yes", "да")
	saySignedNo  = say.Both("no secret yet", "секрета ещё нет")
	sayTestEvent = say.Both("Send the last event again", "Отправить последнее событие ещё раз")
	sayTestText  = say.Both(
		"To test the endpoint, the last event of this cashbox is sent again, with the same id and body: your endpoint must take a repeat as one.",
		"Для проверки последнее событие этой кассы уходит ещё раз, с тем же id и телом: повтор ваш сервер обязан распознать.",
	)
	sayHealthTitle     = say.Both("The last 7 days", "Последние 7 дней")
	sayHealthText      = say.Both("Attempts at the last 5,000 events at most.", "Попытки по последним событиям, не больше 5 000.")
	sayAttempts        = say.Both("Attempts", "Попытки")
	sayHookSuccessRate = say.Both("Answered with 2xx", "Ответили 2xx")
	sayMedianTime      = say.Both("Median answer time", "Половина ответов за")
	sayMs              = say.Both("%d ms", "%d мс")
	sayNoAttempts      = say.Both("No attempts in these days.", "За эти дни попыток нет.")
	sayFailures        = say.Both("The last failures", "Последние неудачи")
	sayNoFailures      = say.Both("No attempt has failed.", "Неудачных попыток нет.")
	sayAnswer          = say.Both("Answer", "Ответ")
	sayNoAnswer        = say.Both("No answer", "Нет ответа")
	sayMadeAt          = say.Both("Created", "Создано")
	sayEventNumber     = say.Both("Event № %d", "Событие № %d")
	sayEventWaits      = say.Both("Event, not sent yet", "Событие, ещё не отправлено")
	sayEventAbout      = say.Both("About", "О чём")
	sayEventOf         = say.Both("%s, event %d", "%s, событие %d")
	saySequenceHint    = say.Both(
		"Events of one payment or payout are numbered from 1 on, without gaps: a number that is missing is still on its way, or dead.",
		"События одного платежа или выплаты нумеруются с 1 без пропусков: недостающее ещё в пути или не доставлено.",
	)
	saySearchEvents = say.Both(
		"Payment or payout: number or uuid; event: uuid",
		"Платёж или выплата: номер или uuid; событие: uuid",
	)
	saySentTo       = say.Both("Sent to", "Куда")
	sayEventBody    = say.Both("Body, as it is sent and signed", "Тело, как оно отправлено и подписано")
	sayNoEvents     = say.Both("There are no events yet.", "Событий ещё нет.")
	sayNoEventsText = say.Both(
		"The first is written when the status of a payment changes.",
		"Первое появится, когда изменится статус платежа.",
	)
	sayNoneSent    = say.Both("No events in these 30 days.", "За эти 30 дней событий нет.")
	sayNotTried    = say.Both("There was no attempt yet.", "Попыток ещё не было.")
	sayAttemptTook = say.Both("%s, %d ms", "%s, %d мс")
	sayResend      = say.Both("Send again", "Отправить снова")
	sayResendTitle = say.Both("Send the event again?", "Отправить событие снова?")
	sayResendText  = say.Both(
		"It is sent with the same id and body, on a schedule that begins anew.",
		"Оно уйдёт с тем же id и телом, график попыток начнётся заново.",
	)
	sayResendYes  = say.Both("Yes, send it again", "Да, отправить снова")
	sayResendDead = say.Both("Send dead events again", "Отправить недоставленные")
	sayDeadText   = say.Both(
		"Dead events were tried for three days in vain. Choose an address, and all that are dead there now are sent again.",
		"Недоставленные события трое суток отправлялись безуспешно. Выберите адрес, и все его недоставленные события уйдут снова.",
	)
	sayDeadNone      = say.Both("No event is dead.", "Недоставленных событий нет.")
	sayDeadEvents    = say.Both("Dead events", "Недоставлено")
	sayDeadMore      = say.Both("%d or more", "%d или больше")
	sayDeadConfirm   = say.Both("Send them again?", "Отправить их снова?")
	sayDeadConfirmed = say.Both(
		"What dies from now on is not among them. You can stop it at any time.",
		"События, не доставленные позже, сюда не войдут. Остановить можно в любой момент.",
	)
	sayDeadYes       = say.Both("Yes, send %s again", "Да, отправить снова: %s")
	sayCreatedFrom   = say.Both("Created from", "Созданы с")
	sayCreatedTo     = say.Both("Created to", "Созданы по")
	sayReplayTitle   = say.Both("Sending again", "Повторная отправка")
	sayReplaySent    = say.Both("Queued so far", "Уже в очереди")
	sayReplayRuns    = say.Both("Goes on as the endpoint takes them", "Идёт, пока сервер принимает")
	sayReplayDone    = say.Both("Done", "Готово")
	sayReplayStopped = say.Both("Stopped", "Остановлено")
	sayReplayStop    = say.Both("Stop it", "Остановить")
	sayReplayLeave   = say.Both("You may leave this page: it goes on.", "Страницу можно закрыть: отправка продолжится.")
	sayRefresh       = say.Both("Refresh", "Обновить")
)

// sayEventStatus is the name of an event's status.
var sayEventStatus = say.Names{
	"pending":   say.Both("On its way", "В пути"),
	"delivered": say.Both("Delivered", "Доставлено"),
	"dead":      say.Both("Dead", "Не доставлено"),
}.Of

// saySubjects are what events are about.
var saySubjects = map[string]say.Phrase{
	"payment":    say.ShortPayment,
	"payin":      say.Both("Payout № %d", "Выплата № %d"),
	"deposit":    say.ShortDeposit,
	"withdrawal": say.WithdrawalTitle,
}

// sayEventSubject is the name of an event's subject, with a place for its
// number.
func sayEventSubject(name string) say.Phrase {
	if p, known := saySubjects[name]; known {
		return p
	}
	return say.Both(name+" № %d", name+" № %d")
}

// What is wrong with a signed request.
var (
	sayDoctorText = say.Both(
		"Paste a request that was refused: whole, or in parts. Of your keys only hashes of the secrets are stored, so the secret is needed, among the headers or below: it is compared in memory, and neither kept nor logged.",
		"Вставьте отклонённый запрос целиком или по частям. От секретов хранятся только хеши, поэтому нужен сам секрет, среди заголовков или ниже: он сравнивается в памяти, не хранится и не пишется в журнал.",
	)
	sayDoctorRequest = say.Both("The whole request, or a line of curl", "Весь запрос или строка curl")
	sayDoctorParts   = say.Both("Or its parts", "Или его части")
	sayDoctorMethod  = say.Both("Method", "Метод")
	sayDoctorPath    = say.Both("Path and query", "Путь и параметры")
	sayDoctorHeaders = say.Both("Headers, a line each", "Заголовки, по одному в строке")
	sayDoctorBody    = say.Both("Body, byte for byte as it was sent", "Тело, байт в байт как отправлено")
	sayDoctorCheck   = say.Both("Check", "Проверить")
	sayDoctorOffset  = say.Both(
		"What was signed and this body begin to differ at byte %d, counted from 0.",
		"Подписанное и это тело начинают отличаться с байта %d, считая с 0.",
	)
	sayDoctorHeader = say.Both("Header: %s", "Заголовок: %s")
)

// sayDiagnoses are the mistakes in Russian. The English texts come with the
// finding.
var sayDiagnoses = tongue.Pairs(files, "diagnosis.txt")

// sayDiagnosis says what is wrong with a signed request: the mistake, and its
// hint in English.
func sayDiagnosis(mistake, hint string) say.Phrase { return say.Both(hint, sayDiagnoses[mistake]) }

// How the hosted pages of a merchant's cashboxes look.
var (
	sayLooksText = say.Both(
		"How your payers' pages look, and what is done there. It holds within a second, also for payments that wait already.",
		"Как выглядят страницы ваших плательщиков и что на них происходит. Действует через секунду, в том числе для "+
			"платежей, которые уже ждут.",
	)
	sayLookColor     = say.Both("Colour", "Цвет")
	sayLookColorHint = say.Both("As in #1a6b54. Empty: our green.", "Например #1a6b54. Пусто: наш зелёный.")
	sayLookPick      = say.Both("Pick a colour", "Выбрать цвет")
	sayLookHosts     = say.Both("Return hosts", "Хосты возврата")
	sayLookHostsHint = say.Both(
		"A host on each line, as in shop.example. A returnUrl must name one of them. Empty: any host.",
		"По одному на строке, например shop.example. Адрес returnUrl должен вести на один из них. Пусто: любой хост.",
	)
	sayLookFrame     = say.Both("Frame origin", "Сайт для фрейма")
	sayLookFrameHint = say.Both(
		"The one site that may show the pages in a frame, as in https://shop.example. Empty: none.",
		"Единственный сайт, который может показать страницы во фрейме, например https://shop.example. Пусто: никакой.",
	)
	sayLookTold     = say.Both("Address for events of deposits", "Адрес для событий пополнений")
	sayLookToldHint = say.Both(
		"deposit.status.updated goes there, as in https://shop.example/hook. Empty: none are sent.",
		"Туда идёт deposit.status.updated, например https://shop.example/hook. Пусто: не отправляется.",
	)
	sayLookEvents = say.Both(
		"Send payment.payer.claimed when a payer says that they have paid",
		"Отправлять payment.payer.claimed, когда плательщик сообщает об оплате",
	)
	sayLookPreview      = say.Both("Preview", "Предпросмотр")
	sayLookPreviewTitle = say.Both("Preview of the payer's page", "Предпросмотр страницы плательщика")
	sayLookPreviewText  = say.Both(
		"A made-up payment. Nothing can be pressed in it.",
		"Вымышленный платёж. Нажимать в нём ничего нельзя.",
	)
	sayLookDrawn = say.Both("Drawn on light and dark pages as", "На светлых и тёмных страницах")
	sayLookPale  = say.Both(
		"On light pages text in this colour would have a contrast of %s:1; to be read it needs 4.5:1. It is drawn darker there.",
		"На светлых страницах контраст текста этого цвета был бы %s:1, а для чтения нужен 4,5:1. Там он темнее.",
	)
	sayLookDim = say.Both(
		"On dark pages text in this colour would have a contrast of %s:1; to be read it needs 4.5:1. It is drawn lighter there.",
		"На тёмных страницах контраст текста этого цвета был бы %s:1, а для чтения нужен 4,5:1. Там он светлее.",
	)
	sayLookReadable = say.Both(
		"Text in this colour can be read on light pages and on dark ones.",
		"Текст этого цвета читается и на светлых, и на тёмных страницах.",
	)
	sayLogo     = say.Both("Logo", "Логотип")
	sayLogoFile = say.Both("Picture", "Картинка")
	sayLogoHint = say.Both(
		"PNG or JPEG, up to 512 KB and 2000 × 2000 pixels. It stands in place of the shop's name, on white.",
		"PNG или JPEG, до 512 КБ и 2000 × 2000 точек. Показывается вместо названия магазина, на белом фоне.",
	)
	sayLogoSend   = say.Both("Upload", "Загрузить")
	sayLogoRemove = say.Both("Remove the logo", "Убрать логотип")
	sayLookOwn    = say.Both("Our own colour is used.", "Используется наш цвет.")
)

// The log of a merchant's requests.
var (
	sayRequestsText = say.Both(
		"What your programs asked of the API. A request is here a second or two after its answer. Of requests that name "+
			"your key and are not rightly signed, a few are kept in a minute. Bodies are never kept.",
		"Что ваши программы запрашивали у API. Запрос появляется через секунду-две после ответа. Запросы с вашим ключом "+
			"и неверной подписью сохраняются по нескольку в минуту. Тела запросов не сохраняются никогда.",
	)
	sayRequestsKept    = say.Both("The last 7 days are kept, since %s.", "Хранятся последние 7 дней, с %s.")
	saySearchRequests  = say.Both("Request id: X-Request-Id of the answer", "Идентификатор запроса: X-Request-Id ответа")
	sayRequestStatus   = say.Both("Answer", "Ответ")
	sayRequestWhat     = say.Both("Request", "Запрос")
	sayRequestKey      = say.Both("Key", "Ключ")
	sayRequestID       = say.Both("Request id", "Id запроса")
	sayRequestDuration = say.Both("Duration", "Длительность")
	sayRequestTook     = say.Both("%s ms", "%s мс")
	sayRequestHidden   = say.Both(
		"Not kept: it looked like a card number or a secret.",
		"Не сохранён: похож на номер карты или секрет.",
	)
	sayNoRequests     = say.Both("No requests in the last days.", "За последние дни запросов не было.")
	sayNoRequestsText = say.Both(
		"They appear here as soon as your programs ask for something with a key of yours.",
		"Они появятся здесь, как только ваши программы обратятся к API с вашим ключом.",
	)
)

// sayRequestClass is the name of a class of answers.
var sayRequestClass = say.Names{
	"2xx": say.Both("2xx: done", "2xx: выполнен"),
	"4xx": say.Both("4xx: refused", "4xx: отклонён"),
	"5xx": say.Both("5xx: our fault", "5xx: наша ошибка"),
}.Of

// Endpoints that fail.
var (
	sayEndpoint       = say.Both("Endpoint", "Адрес")
	sayDeliveriesWait = say.Both("Deliveries waiting", "Ждут доставки")
	sayTriedMost      = say.Both("Tried at most", "Попыток, больше всего")
	sayNextAttempt    = say.Both("Next attempt", "Следующая попытка")
	sayFailingText    = say.Both(
		"Deliveries failed here and are tried again, for three days. What is given up then is among the webhooks given up.",
		"Доставка сюда не удалась и повторяется трое суток. Потом событие попадает в недоставленные вебхуки.",
	)
	sayFailingNone     = say.Both("No endpoint fails.", "Сбоев нет.")
	sayFailingNoneText = say.Both("Whatever merchants are told arrives.", "Мерчанты получают все вебхуки.")
)

// sayRunning heads what is being sent again.
var sayRunning = say.Both("Being sent again", "Отправляется повторно")

package notify

// Problem is why a message was not accepted, in the form in which calls show
// it. It never contains the text of a library or of a remote server, which may
// have an address or a secret.
type Problem string

const (
	tooLate           Problem = "too_late"
	roleHearsNot      Problem = "role_does_not_hear"
	addressUnreadable Problem = "address_unreadable"
	addressWrong      Problem = "address_wrong"
	notSent           Problem = "not_sent"

	telegramWaits   Problem = "telegram_asks_to_wait"
	telegramBlocked Problem = "telegram_blocked"
	telegramRefuses Problem = "telegram_refuses"
	telegramSilent  Problem = "telegram_silent"

	mailAddressRefused Problem = "mail_address_refused"
	mailRefused        Problem = "mail_refused"
	mailSilent         Problem = "mail_silent"

	pushEnded      Problem = "push_ended"
	pushOtherKey   Problem = "push_other_key"
	pushNotAllowed Problem = "push_address_not_allowed"
	pushRefused    Problem = "push_refused"
	pushSilent     Problem = "push_silent"
)

// problems says each in English and in Russian.
var problems = map[Problem][2]string{
	tooLate:            {"It was too late to be told.", "Сообщать было уже поздно."},
	roleHearsNot:       {"Your role does not hear of it any more.", "Вашей роли об этом больше не сообщают."},
	addressUnreadable:  {"The address cannot be read: add it anew.", "Адрес не прочитать: добавьте его заново."},
	addressWrong:       {"Nothing can be sent to this address.", "На этот адрес ничего не отправить."},
	notSent:            {"It could not be sent.", "Отправить не удалось."},
	telegramWaits:      {"Telegram asks to wait.", "Telegram просит подождать."},
	telegramBlocked:    {"The bot is blocked in Telegram.", "Бот заблокирован в Telegram."},
	telegramRefuses:    {"Telegram does not take it.", "Telegram не принимает сообщение."},
	telegramSilent:     {"Telegram gives no answer.", "Telegram не отвечает."},
	mailAddressRefused: {"The mail server refuses the address.", "Почтовый сервер не принимает адрес."},
	mailRefused:        {"The mail server refuses it.", "Почтовый сервер не принимает письмо."},
	mailSilent:         {"The mail server gives no answer.", "Почтовый сервер не отвечает."},
	pushEnded:          {"The browser has ended its subscription.", "Браузер завершил подписку."},
	pushOtherKey:       {"The browser has subscribed with another key.", "Браузер подписан с другим ключом."},
	pushNotAllowed:     {"The browser's address is not allowed.", "Адрес браузера не разрешён."},
	pushRefused:        {"The browser's service refuses it.", "Сервис браузера не принимает сообщение."},
	pushSilent:         {"The browser's service gives no answer.", "Сервис браузера не отвечает."},
}

// In is the problem's text in a user's language.
func (p Problem) In(language string) string {
	text, known := problems[p]
	if !known {
		return string(p) // an older version stored words
	}
	return say(language, text[0], text[1])
}

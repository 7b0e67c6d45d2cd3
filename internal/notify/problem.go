package notify

// Problem is why a message was not accepted, in the form in which calls show it. It never contains the text of a
// library or of a remote server, which may have an address or a secret.
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

// In is the problem's text in a user's language.
func (p Problem) In(language string) string {
	switch p {
	case tooLate:
		return say(language, "It was too late to be told.", "Сообщать было уже поздно.")
	case roleHearsNot:
		return say(language, "Your role does not hear of it any more.", "Вашей роли об этом больше не сообщают.")
	case addressUnreadable:
		return say(language, "The address cannot be read: add it anew.", "Адрес не прочитать: добавьте его заново.")
	case addressWrong:
		return say(language, "Nothing can be sent to this address.", "На этот адрес ничего не отправить.")
	case notSent:
		return say(language, "It could not be sent.", "Отправить не удалось.")
	case telegramWaits:
		return say(language, "Telegram asks to wait.", "Telegram просит подождать.")
	case telegramBlocked:
		return say(language, "The bot is blocked in Telegram.", "Бот заблокирован в Telegram.")
	case telegramRefuses:
		return say(language, "Telegram does not take it.", "Telegram не принимает сообщение.")
	case telegramSilent:
		return say(language, "Telegram gives no answer.", "Telegram не отвечает.")
	case mailAddressRefused:
		return say(language, "The mail server refuses the address.", "Почтовый сервер не принимает адрес.")
	case mailRefused:
		return say(language, "The mail server refuses it.", "Почтовый сервер не принимает письмо.")
	case mailSilent:
		return say(language, "The mail server gives no answer.", "Почтовый сервер не отвечает.")
	case pushEnded:
		return say(language, "The browser has ended its subscription.", "Браузер завершил подписку.")
	case pushOtherKey:
		return say(language, "The browser has subscribed with another key.", "Браузер подписан с другим ключом.")
	case pushNotAllowed:
		return say(language, "The browser's address is not allowed.", "Адрес браузера не разрешён.")
	case pushRefused:
		return say(language, "The browser's service refuses it.", "Сервис браузера не принимает сообщение.")
	case pushSilent:
		return say(language, "The browser's service gives no answer.", "Сервис браузера не отвечает.")
	}
	return string(p) // an older version stored words
}

package say

// What happened to a payment, as a file that can be proven.
var (
	SignedFile    = Phrase{"Signed file", "Подписанный файл"}
	TimelineFile  = Phrase{"Signed timeline", "Подписанная история"}
	TimelinePrint = Phrase{"To print", "Для печати"}
	EventNamed    = Phrase{"Webhook %d", "Вебхук %d"}
	CurlTitle     = Phrase{"Read it through the API", "Запрос через API"}
	CurlText      = Phrase{
		"The same as a program reads it. Put in your key and secret first.",
		"То же, что получает программа. Сначала подставьте ключ и секрет.",
	}
	CopyCurl   = Phrase{"Copy as curl", "Скопировать как curl"}
	SignedHint = Phrase{
		"The same as a file whose signature proves that nothing was changed:",
		"То же файлом, подпись которого доказывает, что ничего не изменено:",
	}
)

package say

// The log of a merchant's requests.
var (
	RequestsTitle = Phrase{"Requests", "Запросы"}
	RequestsText  = Phrase{
		"What your programs asked of the API. A request is here a second or two after its answer. Of requests that name " +
			"your key and are not rightly signed, a few are kept in a minute. Bodies are never kept.",
		"Что ваши программы запрашивали у API. Запрос появляется через секунду-две после ответа. Запросы с вашим ключом " +
			"и неверной подписью сохраняются по нескольку в минуту. Тела запросов не сохраняются никогда.",
	}
	RequestsKept    = Phrase{"The last 7 days are kept, since %s.", "Хранятся последние 7 дней, с %s."}
	SearchRequests  = Phrase{"Request id: X-Request-Id of the answer", "Идентификатор запроса: X-Request-Id ответа"}
	RequestStatus   = Phrase{"Answer", "Ответ"}
	RequestWhat     = Phrase{"Request", "Запрос"}
	RequestCode     = Phrase{"Error code", "Код ошибки"}
	RequestKey      = Phrase{"Key", "Ключ"}
	RequestID       = Phrase{"Request id", "Id запроса"}
	RequestDuration = Phrase{"Duration", "Длительность"}
	RequestTook     = Phrase{"%s ms", "%s мс"}
	RequestHidden   = Phrase{
		"Not kept: it looked like a card number or a secret.",
		"Не сохранён: похож на номер карты или секрет.",
	}
	NoRequests     = Phrase{"No requests in the last days.", "За последние дни запросов не было."}
	NoRequestsText = Phrase{
		"They appear here as soon as your programs ask for something with a key of yours.",
		"Они появятся здесь, как только ваши программы обратятся к API с вашим ключом.",
	}
	WrongTooLong = Phrase{"This is too long.", "Слишком длинно."}
)

// requestClasses are the classes of answers.
var requestClasses = map[string]Phrase{
	"2xx": {"2xx: done", "2xx: выполнен"},
	"4xx": {"4xx: refused", "4xx: отклонён"},
	"5xx": {"5xx: our fault", "5xx: наша ошибка"},
}

// RequestClass is the name of a class of answers.
func RequestClass(name string) Phrase { return named(requestClasses, name) }

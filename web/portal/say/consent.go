package say

// An owner's consent to users whom operators let in.
var (
	ConsentTitle = Phrase{"Do you know these users?", "Вы знаете этих пользователей?"}
	ConsentText  = Phrase{
		"An operator of the platform has let them in or given them more rights. Until you answer they can only look, and after the time below they can do what their role includes.",
		"Оператор платформы впустил их или расширил их права. Пока вы не ответите, они могут только смотреть, а после указанного срока — всё, что включает их роль.",
	}
	ConsentRefuseText = Phrase{
		"If you do not know somebody, refuse: they are switched off and signed out at once.",
		"Если не знаете кого-то, откажите: доступ сразу закроется, а сеансы завершатся.",
	}
	ConsentNone  = Phrase{"Nobody waits for your answer.", "Никто не ждёт вашего ответа."}
	ConsentBand  = Phrase{"Waiting for your answer", "Ждёт вашего ответа"}
	ConsentAsked = Phrase{
		"An operator has let in %s (%s). Accept or refuse by %s.",
		"Оператор впустил пользователя %s (%s). Примите или откажите до %s.",
	}
	ConsentMore   = Phrase{"And %d more.", "И ещё %d."}
	ConsentAnswer = Phrase{"Answer", "Ответить"}
	ConsentSince  = Phrase{"Let in", "Доступ открыт"}
	ConsentUntil  = Phrase{"Only looks until", "Только смотрит до"}
	ConsentAccept = Phrase{"Accept", "Принять"}
	ConsentRefuse = Phrase{"Refuse and switch off", "Отказать и выключить"}
	ConsentWaits  = Phrase{
		"Your account waits for the consent of an owner until %s. Until then you can only look.",
		"Ваша учётная запись ждёт согласия владельца до %s. До этого можно только смотреть.",
	}
	ConsentHint = Phrase{
		"Until an owner accepts them, or for 24 hours, they can only look.",
		"Пока владелец не примет пользователя или не пройдут сутки, тот может только смотреть.",
	}
	ConsentWaitsBand = Phrase{"You can only look", "Можно только смотреть"}
)

var consentFlashes = map[string]Flash{
	"consent-accept": {Phrase{"Accepted.", "Пользователь принят."}, ""},
	"consent-refuse": {
		Phrase{
			"Refused: they are switched off and signed out. Ask the operators who let them in, and why.",
			"Отказано: пользователь выключен, его сеансы завершены. Спросите операторов, кто его впустил и зачем.",
		}, "",
	},
	"consent-over": {Phrase{"They do not wait for an answer any more.", "Ответ уже не нужен."}, "late"},
}

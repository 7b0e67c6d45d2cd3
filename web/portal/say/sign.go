package say

import (
	"slices"

	"gateway.example/internal/tongue"
)

// Signing in, second factors, invitations.
var (
	SignInAct = Phrase{"Sign in", "Войти"}
	Login     = Phrase{"Login", "Логин"}
	Password  = Phrase{"Password", "Пароль"}
)

// The account of a user.
var (
	CodesLeft = Count{
		[2]string{"%d code left", "%d codes left"},
		[3]string{"Остался %d код", "Осталось %d кода", "Осталось %d кодов"},
	}
	Seen          = Phrase{"Last seen", "Последняя активность"}
	Device        = Phrase{"Device", "Устройство"}
	From          = Phrase{"From where", "Откуда"}
	UnknownDevice = Phrase{"Unknown device", "Неизвестное устройство"}
)

var baseFlashes = map[string]Flash{
	"signed-out": {Phrase{"You are signed out.", "Вы вышли."}, ""},
	"saved":      {Phrase{"Saved.", "Сохранено."}, ""},
	"password-changed": {
		Phrase{
			"The password is changed. Your other sessions have ended.",
			"Пароль изменён. Остальные сеансы завершены.",
		},
		"",
	},
	"factor-added":   {Phrase{"The second factor is set up.", "Второй фактор настроен."}, ""},
	"factor-removed": {Phrase{"Removed.", "Удалено."}, ""},
	"last-factor": {
		Phrase{
			"This is your last second factor, which your account must have. Set up another one first.",
			"Это последний второй фактор, без него нельзя. Сначала настройте другой.",
		},
		"late",
	},
	"no-factor":      {Phrase{"Set up a second factor first.", "Сначала настройте второй фактор."}, "late"},
	"session-ended":  {Phrase{"The session has ended.", "Сеанс завершён."}, ""},
	"sessions-ended": {Phrase{"All your other sessions have ended.", "Остальные сеансы завершены."}, ""},

	"confirmed":       {Phrase{"Confirmed: the payment is completed.", "Подтверждено: платёж завершён."}, ""},
	"cancelled":       {Phrase{"The payment is cancelled.", "Платёж отменён."}, ""},
	"code-requested":  {Phrase{"The payer is asked for the code.", "У плательщика запрошен код."}, ""},
	"code-resent":     {Phrase{"The code is sent again.", "Код отправлен повторно."}, ""},
	"code-not-needed": {Phrase{"Noted: the bank asks for no code.", "Отмечено: банк не требует код."}, ""},
	"changed": {
		Phrase{
			"It has changed meanwhile: nothing was done. Look at how it stands.",
			"Состояние изменилось: ничего не сделано. Проверьте, как обстоят дела.",
		},
		"late",
	},
	"taken": {
		Phrase{"The payout is yours. Pay it before its time ends.", "Выплата ваша. Выполните её до срока."},
		"",
	},
	"gone": {
		Phrase{"Somebody else was faster, or the payout has ended.", "Кто-то успел раньше, или выплата завершилась."},
		"late",
	},
	"take-limit": {
		Phrase{
			"You have taken as many payouts as you may have open. End one or give one back.",
			"У вас максимум открытых выплат. Завершите или верните одну.",
		},
		"late",
	},
	"completed": {Phrase{"The payout is completed.", "Выплата завершена."}, ""},
	"failed": {
		Phrase{
			"The payout has failed; the money goes back to the merchant.",
			"Выплата не удалась; деньги вернутся мерчанту.",
		},
		"",
	},
	"given-back": {
		Phrase{"Given back: another trader may take it.", "Возвращено: её может взять другой трейдер."},
		"",
	},
	"case-open": {
		Phrase{
			"Another amount came: the merchant or an operator decides.",
			"Пришла другая сумма: решает мерчант или оператор.",
		},
		"late",
	},
	"attached":   {Phrase{"The money counts towards the payment.", "Деньги учтены в платеже."}, ""},
	"money-kept": {Phrase{"The money is kept.", "Деньги записаны."}, ""},
	"break-on": {
		Phrase{"Paused: no new payments come.", "Приостановлено: новые платежи не поступают."},
		"late",
	},
	"break-off": {
		Phrase{"You receive payments again.", "Вы снова принимаете платежи."},
		"",
	},
	"columns-saved": {Phrase{"The columns are kept.", "Столбцы сохранены."}, ""},
	"view-saved":    {Phrase{"The view is saved.", "Вид сохранён."}, ""},
	"view-removed":  {Phrase{"The view is removed.", "Вид удалён."}, ""},
}

// wrongs are what forms say of fields, by the words of the services.
var wrongs = map[string]string{
	"too many of your proposals wait already":                        "слишком много ваших предложений ждут решения",
	"must be a whole number, at least 1":                             "целое число, не меньше 1",
	"must be a plain decimal number, without sign or exponent":       "число, например 1500 или 1500.50",
	"must have at most 12 integer digits":                            "слишком большое число",
	"must be what was asked for: this cashbox takes no other amount": "касса принимает только запрошенную сумму",
	"must not be more than was asked for while there is no rate":     "пока нет курса, не больше запрошенной суммы",
	"must not be said of a payment by card":                          "не для оплаты картой",
	"must be more than 0":                                            "больше 0",
	"must be a time of day, HH:MM":                                   "время в виде ЧЧ:ММ",
	"maxAmount must not be less than minAmount":                      "наибольший не может быть меньше наименьшего",
	"must differ from workFrom":                                      "должно отличаться от начала",
	"must not contain a card number":                                 "не должно быть номера карты",
	"is required":                                                    "обязательное поле",
	"must be 12 to 255 characters":                                   "от 12 до 255 символов",
	"must be an IANA time zone, such as Europe/Moscow":               "нужен часовой пояс IANA, например Europe/Moscow",
	"must be an address such as you@example.com":                     "нужен адрес вида you@example.com",
	"got too many codes today: come again tomorrow":                  "сегодня получил слишком много кодов: приходите завтра",
	"is one too many: remove another one first":                      "слишком много каналов: сначала удалите другой",
	"is refused by the mail server":                                  "почтовый сервер не принимает этот адрес",
	"cannot be written to now: try again later":                      "сейчас сюда не написать: попробуйте позже",
	"is not a known time zone":                                       "неизвестный часовой пояс",
	"is not in your address book":                                    "такого адреса в книге нет",
	"must be 1 to 255 characters":                                    "от 1 до 255 символов",
	"must be at most 60 characters":                                  "не больше 60 символов",
	"must be to come":                                                "должно быть в будущем",
	"must be addresses or networks such as 203.0.113.0/24, separated by commas; of IPv6 a /64 or larger": "должны быть адреса или сети, например 203.0.113.0/24, через запятую; для IPv6 — /64 или больше",
	"must not contain invisible characters or such that change the direction of writing":                 "не должно быть невидимых символов и символов, меняющих направление письма",
	"must not contain control characters":                                                                "не должно быть управляющих символов",
	`must not contain \u0000`:                                                                            "не должно быть управляющих символов",
	"must be valid UTF-8":                                                                                "текст повреждён",
	"is one too many: remove another view first":                                                         "слишком много видов: сначала удалите другой",
	"must be at most 255 characters":                                                                     "не больше 255 символов",
	"must be a user who is no operator and not switched off":                                             "нужен включённый пользователь, не оператор",
}

// Wrong is what is wrong with a field, in a language.
func Wrong(language, text string) string {
	if language != Russian {
		if plainer, known := plainer[text]; known {
			text = plainer
		}
		return wrongIn(language, text)
	}
	for _, russian := range []string{wrongs[text], merchantWrongs[text], lookWrongs[text], moneyWrongs[text], directoryWrongs[text]} {
		if russian != "" {
			return russian
		}
	}
	for _, pattern := range wrongPatterns {
		if pattern.text.MatchString(text) {
			return pattern.text.ReplaceAllString(text, pattern.russian)
		}
	}
	return text
}

// wrongIn is what is wrong with a field in a language with a catalogue, which has what is said with numbers by the English
// with places for them.
func wrongIn(language, text string) string {
	if !slices.Contains(tongue.Catalogues, language) {
		return text
	}
	for _, pattern := range wrongPatterns {
		if pattern.english != "" && pattern.text.MatchString(text) {
			template, _ := tongue.In(language, pattern.english)
			return pattern.text.ReplaceAllString(text, template)
		}
	}
	said, _ := tongue.In(language, text)
	return said
}

// An owner's consent to users whom operators let in.
var (
	ConsentBand  = Phrase{"Waiting for your answer", "Ждёт вашего ответа"}
	ConsentAsked = Phrase{
		"An operator has let in %s (%s). Accept or refuse by %s.",
		"Оператор впустил пользователя %s (%s). Примите или откажите до %s.",
	}
	ConsentMore   = Phrase{"And %d more.", "И ещё %d."}
	ConsentAnswer = Phrase{"Answer", "Ответить"}
	ConsentUntil  = Phrase{"Only looks until", "Только смотрит до"}
	ConsentWaits  = Phrase{
		"Your account waits for the consent of an owner until %s. Until then you can only look.",
		"Ваша учётная запись ждёт согласия владельца до %s. До этого можно только смотреть.",
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

// Operators who look as another user.
var (
	ViewAsReason   = Phrase{"Reason", "Причина"}
	ViewAsBegin    = Phrase{"Look", "Посмотреть"}
	ViewAsBand     = Phrase{"You look as another user", "Вы смотрите как другой пользователь"}
	ViewAsBandText = Phrase{
		"You look as %s until %s: nothing can be changed.",
		"Вы смотрите как %s до %s: менять ничего нельзя.",
	}
	ViewAsEnd     = Phrase{"Be yourself again", "Вернуться к себе"}
	ViewOnlyTitle = Phrase{"Only looking", "Только просмотр"}
	ViewOnlyText  = Phrase{
		"Nothing was done: you look as %s, for whom nothing can be changed meanwhile.",
		"Ничего не сделано: вы смотрите как %s, менять при этом ничего нельзя.",
	}
)

var viewAsFlashes = map[string]Flash{
	"view-as-ended": {Phrase{"You are yourself again.", "Вы снова работаете от своего имени."}, ""},
}

// roles are the names of roles.
var roles = map[string]Phrase{
	"owner":     {"Owner", "Владелец"},
	"finance":   {"Finance", "Финансы"},
	"developer": {"Developer", "Разработчик"},
	"support":   {"Support", "Поддержка"},
	"desk":      {"Desk", "Оператор стола"},
	"admin":     {"Administrator", "Администратор"},
	"treasury":  {"Treasury", "Казначейство"},
	"auditor":   {"Auditor", "Аудитор"},
}

// Role is the name of a role.
func Role(name string) Phrase { return roles[name] }

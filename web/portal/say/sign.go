package say

// Signing in, second factors, invitations.
var (
	SignIn           = Phrase{"Sign in", "Вход"}
	SignInAct        = Phrase{"Sign in", "Войти"}
	Login            = Phrase{"Login", "Логин"}
	Password         = Phrase{"Password", "Пароль"}
	WrongCredentials = Phrase{"Login or password is wrong.", "Неверный логин или пароль."}
	LostPassword     = Phrase{
		"Lost your password? The owner of your account or the operator sends you a new invitation.",
		"Забыли пароль? Владелец учётной записи или оператор пришлёт новое приглашение.",
	}

	SecondFactor     = Phrase{"Second factor", "Второй фактор"}
	SecondFactorText = Phrase{
		"Your password was right. One more proof that it is you:",
		"Пароль верный. Ещё одно подтверждение, что это вы:",
	}
	SecondFactorAgain = Phrase{
		"This needs a fresh proof that it is you. It holds for five minutes.",
		"Для этого нужно свежее подтверждение, что это вы. Оно действует пять минут.",
	}
	FactorCode     = Phrase{"Code", "Код"}
	FactorCodeHint = Phrase{
		"Six digits from your authenticator app, or one of your recovery codes",
		"Шесть цифр из приложения-аутентификатора или один из кодов восстановления",
	}
	UsePasskey    = Phrase{"Use a passkey", "Использовать ключ доступа"}
	PasskeyFailed = Phrase{
		"The passkey was not used. Try again, or use a code.",
		"Ключ доступа не использован. Попробуйте ещё раз или введите код.",
	}
	FactorLocked = Phrase{
		"Too many wrong codes were given, so the second factor is locked. Ask for a new invitation, as if it were lost.",
		"Введено слишком много неверных кодов, второй фактор заблокирован. Попросите новое приглашение, как при его утере.",
	}
	WrongFactor     = Phrase{"That was wrong, or was used already.", "Неверно или уже использовано."}
	Continue        = Phrase{"Continue", "Продолжить"}
	SetUpFactor     = Phrase{"Set up a second factor", "Настройка второго фактора"}
	SetUpFactorText = Phrase{
		"A password alone can be guessed or stolen. With a second factor nobody signs in by it alone.",
		"Пароль могут подобрать или украсть. Со вторым фактором одного пароля мало.",
	}
	SetUpFactorMust  = Phrase{"Your account works only with one.", "Без него учётная запись не работает."}
	SetUpPasskey     = Phrase{"Add a passkey", "Добавить ключ доступа"}
	SetUpPasskeyText = Phrase{
		"Your device keeps it: you sign in with its fingerprint, face or PIN. Nothing can be typed into a false page.",
		"Его хранит ваше устройство: вход по отпечатку, лицу или PIN. На поддельной странице вводить нечего.",
	}
	SetUpApp     = Phrase{"Set up an authenticator app", "Настройка приложения-аутентификатора"}
	SetUpAppText = Phrase{
		"An app on your phone shows a new code every 30 seconds.",
		"Приложение на телефоне показывает новый код каждые 30 секунд.",
	}
	AppScan = Phrase{
		"Scan this with the app, or open it on this phone:",
		"Отсканируйте приложением или откройте на этом телефоне:",
	}
	AppOpen   = Phrase{"Open in the app", "Открыть в приложении"}
	AppSecret = Phrase{"Or type this secret into it:", "Или введите в него этот секрет:"}
	AppCode   = Phrase{"The code that the app shows", "Код, который показывает приложение"}
	WrongCode = Phrase{
		"This is not the code. Check the clock of your phone.",
		"Код не подходит. Проверьте время на телефоне.",
	}
	PasskeyName        = Phrase{"Name, to tell it from others", "Название, чтобы отличать от других"}
	PasskeyNameExample = Phrase{"Work laptop", "Рабочий ноутбук"}
	WrongPasskey       = Phrase{
		"The passkey was not added. Check the name and try again.",
		"Ключ доступа не добавлен. Проверьте название и попробуйте ещё раз.",
	}
	NeedsScript = Phrase{
		"Passkeys need scripts in your browser. Use an authenticator app instead.",
		"Для ключей доступа нужны скрипты в браузере. Используйте приложение-аутентификатор.",
	}
	RecoveryCodes     = Phrase{"Recovery codes", "Коды восстановления"}
	RecoveryCodesText = Phrase{
		"Keep these where you find them without your phone. Each works once, in place of the second factor. They are not shown again.",
		"Сохраните их там, где найдёте без телефона. Каждый действует один раз вместо второго фактора. Больше они не покажутся.",
	}
	RecoveryCodesKept = Phrase{"I have kept them", "Я их сохранил"}

	Welcome      = Phrase{"Welcome", "Добро пожаловать"}
	WelcomeText  = Phrase{"You sign in as %s. Choose a password.", "Ваш логин: %s. Придумайте пароль."}
	NewPassword  = Phrase{"New password", "Новый пароль"}
	PasswordHint = Phrase{
		"At least 12 characters. A few unrelated words are easy to remember and hard to guess.",
		"Не меньше 12 символов. Несколько несвязанных слов легко запомнить и трудно подобрать.",
	}
	PasswordAgain = Phrase{"The same again", "Ещё раз"}
	NotTheSame    = Phrase{"The two are not the same.", "Пароли не совпадают."}
	SetPassword   = Phrase{"Set the password", "Установить пароль"}
)

// The account of a user.
var (
	YourRole    = Phrase{"Role", "Роль"}
	Preferences = Phrase{"Preferences", "Настройки"}
	Zone        = Phrase{"Time zone", "Часовой пояс"}
	ZoneHint    = Phrase{
		"As in Europe/Istanbul. All times are shown in it.",
		"Например, Europe/Istanbul. В нём показано всё время.",
	}
	ZoneHere       = Phrase{"Use this browser's:", "Взять из браузера:"}
	Language       = Phrase{"Language", "Язык"}
	LanguageAuto   = Phrase{"As the browser has it", "Как в браузере"}
	Theme          = Phrase{"Colours", "Цвета"}
	ThemeSystem    = Phrase{"As the system has them", "Как в системе"}
	ThemeLight     = Phrase{"Light", "Светлые"}
	ThemeDark      = Phrase{"Dark", "Тёмные"}
	ShortcutsOn    = Phrase{"Keys of one letter (j, k, c, /)", "Клавиши из одной буквы (j, k, c, /)"}
	Security       = Phrase{"Security", "Безопасность"}
	ChangePassword = Phrase{"Change the password", "Сменить пароль"}
	OldPassword    = Phrase{"Present password", "Текущий пароль"}
	WrongPassword  = Phrase{"This is not your password.", "Это не ваш пароль."}
	PasswordEnds   = Phrase{"All your other sessions end.", "Все остальные сеансы завершатся."}
	App            = Phrase{"Authenticator app", "Приложение-аутентификатор"}
	AppOn          = Phrase{"Set up", "Настроено"}
	AppOff         = Phrase{"Not set up", "Не настроено"}
	Passkeys       = Phrase{"Passkeys", "Ключи доступа"}
	Remove         = Phrase{"Remove", "Удалить"}
	SetUp          = Phrase{"Set up", "Настроить"}
	UsedAt         = Phrase{"Used %s", "Использован %s"}
	NeverUsed      = Phrase{"Not used yet", "Ещё не использован"}
	CodesLeft      = Count{
		[2]string{"%d code left", "%d codes left"},
		[3]string{"Остался %d код", "Осталось %d кода", "Осталось %d кодов"},
	}
	RenewCodes    = Phrase{"Make new ones", "Создать новые"}
	Sessions      = Phrase{"Where you are signed in", "Где выполнен вход"}
	ThisSession   = Phrase{"This one", "Этот сеанс"}
	APISession    = Phrase{"API", "API"}
	EndSession    = Phrase{"End", "Завершить"}
	EndSessions   = Phrase{"End all others", "Завершить остальные"}
	Seen          = Phrase{"Last seen", "Последняя активность"}
	Device        = Phrase{"Device", "Устройство"}
	From          = Phrase{"From", "Откуда"}
	Since         = Phrase{"Since", "С"}
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
	"shift-on": {
		Phrase{"Your shift has started: you stay signed in for 12 hours.", "Смена начата: вход сохранится 12 часов."},
		"",
	},
	"shift-off": {Phrase{"Your shift has ended.", "Смена окончена."}, ""},
	"break-on": {
		Phrase{"You are on a break: no new payments come.", "Перерыв: новые платежи не поступают."},
		"late",
	},
	"break-off": {
		Phrase{"The break is over: payments come again.", "Перерыв окончен: платежи снова поступают."},
		"",
	},
	"view-saved":   {Phrase{"The view is saved.", "Вид сохранён."}, ""},
	"view-removed": {Phrase{"The view is removed.", "Вид удалён."}, ""},
}

// wrongs are what forms say of fields, by the words of the services.
var wrongs = map[string]string{
	"must be a whole number, at least 1":                       "целое число, не меньше 1",
	"must be a plain decimal number, without sign or exponent": "число, например 1500 или 1500.50",
	"has too many decimals":                                    "слишком много знаков после запятой",
	"must have at most 12 integer digits":                      "слишком большое число",
	"must be at least 1":                                       "не меньше 1",
	"must be more than 0":                                      "больше 0",
	"must be a time of day, HH:MM":                             "время в виде ЧЧ:ММ",
	"maxAmount must not be less than minAmount":                "наибольший не может быть меньше наименьшего",
	"must differ from workFrom":                                "должно отличаться от начала",
	"is required":                                              "обязательное поле",
	"must be 12 to 255 characters":                             "от 12 до 255 символов",
	"is not a known time zone":                                 "неизвестный часовой пояс",
	"must be 1 to 255 characters":                              "от 1 до 255 символов",
	"must be at most 60 characters":                            "не больше 60 символов",
	"must be to come":                                          "должно быть в будущем",
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
			return plainer
		}
		return text
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

package say

// Keys, webhooks and events of a merchant.
var (
	KeysTitle     = Phrase{"API keys", "Ключи API"}
	WebhooksTitle = Phrase{"Webhooks", "Вебхуки"}
	EventsTitle   = Phrase{"Events", "События"}
	Cashboxes     = Phrase{"Cashboxes", "Кассы"}

	KeyID      = Phrase{"Key id", "Идентификатор ключа"}
	SecretOnce = Phrase{
		"Copy it now: it is shown only here, and nobody can show it again.",
		"Скопируйте сейчас: это показано только здесь, и показать снова никто не сможет.",
	}
	SecretKept = Phrase{"I have kept it", "Я его сохранил"}

	EventType = Phrase{"Type", "Тип"}
	AnyType   = Phrase{"Any", "Любой"}
	WrongType = Phrase{"There is no such type.", "Такого типа нет."}
)

// scopes are what keys may do.
var scopes = map[string]Phrase{
	"payments":    {"Payments", "Платежи"},
	"deposits":    {"Deposits", "Пополнения"},
	"payouts":     {"Payouts", "Выплаты"},
	"withdrawals": {"Withdrawals", "Выводы"},
}

// Scope is the name of what a key may do.
func Scope(name string) Phrase { return Named(scopes, name) }

// developerFlashes are what developers' pages say once.
var developerFlashes = map[string]Flash{
	"key-limits":  {Phrase{"The limits of the key are changed.", "Ограничения ключа изменены."}, ""},
	"key-revoked": {Phrase{"The key is revoked.", "Ключ отозван."}, ""},
	"key-made-before": {
		Phrase{
			"That key was made already. Its secret was shown then; if it is lost, revoke the key and make another.",
			"Этот ключ уже создан, секрет был показан тогда. Если он потерян, отзовите ключ и создайте другой.",
		}, "late",
	},
	"secret-made-before": {
		Phrase{
			"The secret was changed already and shown then. If it is lost, change it again.",
			"Секрет уже сменён и был показан тогда. Если он потерян, смените его ещё раз.",
		}, "late",
	},
	"event-resent": {Phrase{"The event is queued and sent again.", "Событие в очереди и уйдёт снова."}, ""},
	"no-event": {
		Phrase{"This cashbox has no event yet that could be sent.", "У этой кассы ещё нет событий для отправки."},
		"late",
	},
	"replay-begun":   {Phrase{"The events are being sent again.", "События отправляются снова."}, ""},
	"replay-stopped": {Phrase{"Sending again is stopped.", "Повторная отправка остановлена."}, ""},
}

// What is wrong with a signed request.
var (
	DoctorTitle = Phrase{"Signature check", "Проверка подписи"}
)

// The log of a merchant's requests.
var (
	RequestsTitle = Phrase{"Requests", "Запросы"}
	RequestCode   = Phrase{"Error code", "Код ошибки"}
	WrongTooLong  = Phrase{"This is too long.", "Слишком длинно."}
)

// How the hosted pages of a merchant's cashboxes look.
var (
	LooksTitle = Phrase{"Page looks", "Вид страниц"}
)

// lookFlashes are what the page of looks says once.
var lookFlashes = map[string]Flash{
	"look-saved": {Phrase{"Saved.", "Сохранено."}, ""},
	"look-changed": {
		Phrase{
			"Somebody has changed this look since you opened the page: nothing was saved. This is how it is now.",
			"Пока страница была открыта, вид изменил кто-то другой: ничего не сохранено. Вот как сейчас.",
		},
		"late",
	},
}

// lookWrongs are what the form of a look says of fields, by the words of the services.
var lookWrongs = map[string]string{
	"must be a colour such as #1a6b54": "цвет, например #1a6b54",
	"must be an https origin such as https://shop.example, without a path": "адрес сайта с https, например " +
		"https://shop.example, без пути",
	"must be names of hosts, such as shop.example": "имена хостов, например shop.example",
	"must be at most 50":                           "не больше 50",
	"must be at most 512 KB":                       "не больше 512 КБ",
	"must be at most 2000 pixels wide and high":    "не больше 2000 точек в ширину и высоту",
	"must be a PNG or JPEG picture":                "картинка PNG или JPEG",
	"must have at most 16 million pixels":          "не больше 16 миллионов точек",
}

// A merchant's team, and what it did.
var (
	TeamTitle = Phrase{"Team", "Команда"}
	InviteYes = Phrase{"Make the invitation", "Создать приглашение"}
	LoginHint = Phrase{
		"Their e-mail address, say. They sign in by it.",
		"Например, адрес почты. По нему человек входит.",
	}
	Invited     = Phrase{"Invited", "Приглашение создано"}
	InvitedText = Phrase{
		"Give this link to %s, and to nobody else: whoever opens it first sets the password. It works once, for three days.",
		"Передайте ссылку %s и больше никому: пароль задаёт первый, кто её откроет. Она действует один раз, трое суток.",
	}
	InviteLink  = Phrase{"Link", "Ссылка"}
	RoleLabel   = Phrase{"Role", "Роль"}
	Member      = Phrase{"User", "Пользователь"}
	MemberSeen  = Phrase{"Last seen", "Был(а)"}
	MemberOn    = Phrase{"Active", "Активен"}
	MemberOff   = Phrase{"Switched off", "Выключен"}
	MemberNew   = Phrase{"Invited", "Приглашён"}
	WithFactor  = Phrase{"Second factor", "Второй фактор"}
	HasFactor   = Phrase{"set up", "настроен"}
	NoFactorYet = Phrase{"not set up", "не настроен"}
	OpenOnes    = Phrase{"Open sessions", "Открытые сеансы"}
	SetRole     = Phrase{"Change the role", "Сменить роль"}
	EndTheirs   = Phrase{"End all sessions", "Завершить все сеансы"}
	Reinvite    = Phrase{"Invite anew", "Пригласить заново"}
	MemberEnds  = Phrase{
		"Each of these signs the user out everywhere.",
		"Каждое из этих действий завершает все сеансы пользователя.",
	}
	OffTitle = Phrase{"Switch the user off?", "Выключить пользователя?"}
	OffText  = Phrase{
		"They are signed out at once and cannot sign in until you switch them on.",
		"Сеансы завершатся сразу, войти не получится, пока вы не включите пользователя.",
	}
	OffYes  = Phrase{"Yes, switch off", "Да, выключить"}
	OnTitle = Phrase{"Switch the user on?", "Включить пользователя?"}
	OnText  = Phrase{
		"They can sign in again, with the password they had.",
		"Пользователь снова сможет войти с прежним паролем.",
	}
	OnYes    = Phrase{"Yes, switch on", "Да, включить"}
	EndTitle = Phrase{"End all their sessions?", "Завершить все сеансы?"}
	EndText  = Phrase{
		"They are signed out everywhere and may sign in again.",
		"Пользователь выйдет везде и сможет войти снова.",
	}
	EndYes    = Phrase{"Yes, end them", "Да, завершить"}
	AnewTitle = Phrase{"Invite the user anew?", "Пригласить заново?"}
	AnewText  = Phrase{
		"Their password and second factors are taken away. You get a link by which they set a new password.",
		"Пароль и второй фактор будут сброшены. Вы получите ссылку, чтобы задать новый пароль.",
	}
	AnewYes = Phrase{"Yes, make a link", "Да, создать ссылку"}

	LogTitle   = Phrase{"Log", "Журнал"}
	LogNone    = Phrase{"Nothing was changed yet.", "Изменений ещё нет."}
	LogWho     = Phrase{"Who", "Кто"}
	LogWhat    = Phrase{"What", "Что"}
	LogChanges = Phrase{"Changes", "Изменения"}
)

// teamFlashes are what the team's pages say once.
var teamFlashes = map[string]Flash{
	"member-changed": {Phrase{"Changed.", "Изменено."}, ""},
	"member-ended":   {Phrase{"All sessions of the user have ended.", "Все сеансы пользователя завершены."}, ""},
	"last-owner": {
		Phrase{
			"Nothing was changed: they are the last owner who can sign in. Make somebody else an owner first.",
			"Ничего не изменено: это последний владелец, который может войти. Сначала назначьте другого.",
		}, "late",
	},
	"invited-before": {
		Phrase{
			"The link was made already and shown then. If it is lost, invite the user anew.",
			"Ссылка уже создана и была показана тогда. Если она потеряна, пригласите пользователя заново.",
		}, "late",
	},
}

package say

// A merchant's team, and what it did.
var (
	TeamTitle   = Phrase{"Team", "Команда"}
	InviteTitle = Phrase{"Invite somebody", "Пригласить"}
	InviteYes   = Phrase{"Make the invitation", "Создать приглашение"}
	LoginHint   = Phrase{
		"Their e-mail address, say. They sign in by it.",
		"Например, адрес почты. По нему человек входит.",
	}
	Invited     = Phrase{"Invited", "Приглашение создано"}
	InvitedText = Phrase{
		"Give this link to %s, and to nobody else: whoever opens it first sets the password. It works once, for three days.",
		"Передайте ссылку %s и больше никому: пароль задаёт первый, кто её откроет. Она действует один раз, трое суток.",
	}
	InviteLink = Phrase{"Link", "Ссылка"}
	RoleLabel  = Phrase{"Role", "Роль"}
	RolesText  = Phrase{
		"Owner: everything. Finance: balances, statements, payouts. Developer: keys, webhooks, events. Support: payments and appeals.",
		"Владелец: всё. Финансы: балансы, выписки, выплаты. Разработчик: ключи, вебхуки, события. Поддержка: платежи и апелляции.",
	}
	Member       = Phrase{"User", "Пользователь"}
	MemberYou    = Phrase{"you", "вы"}
	MemberSeen   = Phrase{"Last seen", "Был(а)"}
	MemberOn     = Phrase{"Active", "Активен"}
	MemberOff    = Phrase{"Switched off", "Выключен"}
	MemberNew    = Phrase{"Invited", "Приглашён"}
	WithFactor   = Phrase{"Second factor", "Второй фактор"}
	HasFactor    = Phrase{"set up", "настроен"}
	LockedFactor = Phrase{"locked after wrong codes", "заблокирован после неверных кодов"}
	NoFactorYet  = Phrase{"not set up", "не настроен"}
	Manage       = Phrase{"Manage", "Управлять"}
	NotSignedIn  = Phrase{"not signed in", "нет входа"}
	OpenOnes     = Phrase{"Open sessions", "Открытые сеансы"}
	SetRole      = Phrase{"Change the role", "Сменить роль"}
	EndTheirs    = Phrase{"End all sessions", "Завершить все сеансы"}
	Reinvite     = Phrase{"Invite anew", "Пригласить заново"}
	MemberEnds   = Phrase{
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
	LogChange  = Phrase{"%s № %s", "%s № %s"}
	LogFrom    = Phrase{"%s: %s → %s", "%s: %s → %s"}
)

// logSubjects are what is changed, as the log names it.
var logSubjects = map[string]Phrase{
	"app_user":       {"User", "Пользователь"},
	"token":          {"Sessions of user", "Сеансы пользователя"},
	"api_key":        {"API key", "Ключ API"},
	"cashbox":        {"Look of cashbox", "Вид страниц кассы"},
	"webhook_secret": {"Signing secret of cashbox", "Секрет подписи кассы"},
}

// LogSubject is the name of what is changed.
func LogSubject(name string) Phrase { return named(logSubjects, name) }

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

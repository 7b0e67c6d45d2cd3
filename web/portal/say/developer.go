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

// Scope is the name of a scope of a key.
var Scope = Names{
	"payments":    {"Payments", "Платежи"},
	"deposits":    {"Deposits", "Пополнения"},
	"payouts":     {"Payouts", "Выплаты"},
	"withdrawals": {"Withdrawals", "Выводы"},
}.Of

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

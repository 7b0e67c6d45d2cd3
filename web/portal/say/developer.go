package say

// Keys, webhooks and events of a merchant.
var (
	KeysTitle     = Phrase{"API keys", "Ключи API"}
	WebhooksTitle = Phrase{"Webhooks", "Вебхуки"}
	EventsTitle   = Phrase{"Events", "События"}
	Cashboxes     = Phrase{"Cashboxes", "Кассы"}
	CashboxName   = Phrase{"%s · %s · № %d", "%s · %s · № %d"}
	NoKeyBoxes    = Phrase{"You have no cashbox yet.", "У вас ещё нет касс."}
	AskOperator   = Phrase{"The operator makes it.", "Кассу создаёт оператор."}

	NewKey          = Phrase{"New key", "Новый ключ"}
	MakeKey         = Phrase{"Make the key", "Создать ключ"}
	KeyName         = Phrase{"Name", "Название"}
	KeyNameHint     = Phrase{"What uses it, as in “shop server”.", "Кто им пользуется, например «сервер магазина»."}
	KeyID           = Phrase{"Key id", "Идентификатор ключа"}
	Scopes          = Phrase{"What it may do", "Права"}
	ScopesHint      = Phrase{"No more than it needs.", "Не больше, чем нужно."}
	NoScope         = Phrase{"Choose at least one.", "Выберите хотя бы одно."}
	KeyLastUsed     = Phrase{"Last used", "Использован"}
	KeyNeverUsed    = Phrase{"never", "ни разу"}
	KeyActive       = Phrase{"Active", "Действует"}
	KeyExpired      = Phrase{"Expired", "Истёк"}
	KeyUntil        = Phrase{"until", "до"}
	KeyFrom         = Phrase{"from %s", "с %s"}
	KeyDaily        = Phrase{"payouts up to %s a day", "выплаты до %s в день"}
	KeyExpires      = Phrase{"Last day", "Последний день"}
	KeyExpiresHint  = Phrase{"The key signs nothing after it.", "После него ключ ничего не подписывает."}
	KeyNetworks     = Phrase{"Only from these addresses", "Только с этих адресов"}
	KeyNetworksHint = Phrase{
		"Addresses or networks such as 203.0.113.0/24, separated by commas. Calls from others are refused.",
		"Адреса или сети, например 203.0.113.0/24, через запятую. Вызовы с других отклоняются.",
	}
	KeyDailyLimit = Phrase{"Payouts in a day", "Выплаты за день"}
	KeyDailyHint  = Phrase{"At most, in %s, by days of UTC.", "Не больше, в %s, по дням UTC."}
	WrongDay      = Phrase{"This is not a date.", "Это не дата."}
	KeyLimits     = Phrase{"Limits", "Ограничения"}
	KeyRevoked    = Phrase{"Revoked", "Отозван"}
	RevokedAt     = Phrase{"Revoked %s", "Отозван %s"}
	LegacyKey     = Phrase{"Legacy", "Старый"}
	LegacyNeeded  = Phrase{
		"A legacy key without a cashbox still signs for this one. Make a key of its own before you revoke it.",
		"За эту кассу ещё подписывает старый ключ без кассы. Создайте для неё ключ, прежде чем отозвать старый.",
	}
	LegacyRemovable = Phrase{
		"This cashbox has a key of its own. The legacy key can be revoked once your other cashboxes have theirs.",
		"У этой кассы есть свой ключ. Старый можно отозвать, когда свои ключи будут и у других касс.",
	}
	NoKeys     = Phrase{"This cashbox has no key yet.", "У этой кассы ещё нет ключей."}
	NoKeysText = Phrase{
		"Your server signs its requests with one.",
		"Ключом ваш сервер подписывает запросы.",
	}
	RevokeKey   = Phrase{"Revoke", "Отозвать"}
	RevokeTitle = Phrase{"Revoke the key?", "Отозвать ключ?"}
	RevokeText  = Phrase{
		"Requests signed with it are refused within a second. This cannot be undone.",
		"Запросы с его подписью будут отклоняться через секунду. Отменить это нельзя.",
	}
	RevokeLegacy = Phrase{
		"It is a legacy key: it ends for all your cashboxes.",
		"Это старый ключ: он перестанет действовать для всех ваших касс.",
	}
	RevokeYes  = Phrase{"Yes, revoke the key", "Да, отозвать ключ"}
	KeyMade    = Phrase{"The key is made", "Ключ создан"}
	Secret     = Phrase{"Secret", "Секрет"}
	SecretOnce = Phrase{
		"Copy it now: it is shown only here, and nobody can show it again.",
		"Скопируйте сейчас: это показано только здесь, и показать снова никто не сможет.",
	}
	SecretKept   = Phrase{"I have kept it", "Я его сохранил"}
	RotateSecret = Phrase{"Change the signing secret", "Сменить секрет подписи"}
	RotateTitle  = Phrase{"Change the signing secret?", "Сменить секрет подписи?"}
	RotateText   = Phrase{
		"You get a new secret. The old one signs besides for 24 hours: take the new one into use until then.",
		"Вы получите новый секрет. Старый ещё 24 часа подписывает вместе с ним: за это время перейдите на новый.",
	}
	RotateYes   = Phrase{"Yes, make a new secret", "Да, создать новый секрет"}
	Rotated     = Phrase{"The new signing secret", "Новый секрет подписи"}
	RotatedText = Phrase{
		"Webhooks are signed with it from now on, and with the old one besides until %s.",
		"Вебхуки теперь подписаны им, а до %s ещё и старым.",
	}
	OldSigns  = Phrase{"The old secret signs besides until", "Старый секрет ещё подписывает до"}
	Signed    = Phrase{"Signed", "Подпись"}
	SignedYes = Phrase{"yes", "да"}
	SignedNo  = Phrase{"no secret yet", "секрета ещё нет"}
	TestEvent = Phrase{"Send the last event again", "Отправить последнее событие ещё раз"}
	TestText  = Phrase{
		"To test the endpoint, the last event of this cashbox is sent again, with the same id and body: your endpoint must take a repeat as one.",
		"Для проверки последнее событие этой кассы уходит ещё раз, с тем же id и телом: повтор ваш сервер обязан распознать.",
	}
	HealthTitle = Phrase{"The last 7 days", "Последние 7 дней"}
	HealthText  = Phrase{
		"Attempts at the last 5,000 events at most.",
		"Попытки по последним событиям, не больше 5 000.",
	}
	Attempts        = Phrase{"Attempts", "Попытки"}
	HookSuccessRate = Phrase{"Answered with 2xx", "Ответили 2xx"}
	MedianTime      = Phrase{"Half answered within", "Половина ответов за"}
	Ms              = Phrase{"%d ms", "%d мс"}
	NoAttempts      = Phrase{"No attempts in these days.", "За эти дни попыток нет."}
	Failures        = Phrase{"The last failures", "Последние неудачи"}
	NoFailures      = Phrase{"No attempt has failed.", "Неудачных попыток нет."}
	Answer          = Phrase{"Answer", "Ответ"}
	NoAnswer        = Phrase{"No answer", "Нет ответа"}

	Event        = Phrase{"Event", "Событие"}
	MadeAt       = Phrase{"Created", "Создано"}
	EventNumber  = Phrase{"Event № %d", "Событие № %d"}
	EventWaits   = Phrase{"Event, not sent yet", "Событие, ещё не отправлено"}
	EventType    = Phrase{"Type", "Тип"}
	EventAbout   = Phrase{"About", "О чём"}
	EventOf      = Phrase{"%s, event %d", "%s, событие %d"}
	SequenceHint = Phrase{
		"Events of one payment or payout are numbered from 1 on, without gaps: a number that is missing is still on its way, or dead.",
		"События одного платежа или выплаты нумеруются с 1 без пропусков: недостающее ещё в пути или не доставлено.",
	}
	SearchEvents = Phrase{
		"Payment or payout: number or uuid; event: uuid",
		"Платёж или выплата: номер или uuid; событие: uuid",
	}
	AnyType      = Phrase{"Any", "Любой"}
	WrongType    = Phrase{"There is no such type.", "Такого типа нет."}
	SentTo       = Phrase{"Sent to", "Куда"}
	EventBody    = Phrase{"Body, as it is sent and signed", "Тело, как оно отправлено и подписано"}
	NoEvents     = Phrase{"There are no events yet.", "Событий ещё нет."}
	NoEventsText = Phrase{
		"The first is written when the status of a payment changes.",
		"Первое появится, когда изменится статус платежа.",
	}
	NoneSent    = Phrase{"No events in these 30 days.", "За эти 30 дней событий нет."}
	NotTried    = Phrase{"There was no attempt yet.", "Попыток ещё не было."}
	AttemptTook = Phrase{"%s, %d ms", "%s, %d мс"}
	Resend      = Phrase{"Send again", "Отправить снова"}
	ResendTitle = Phrase{"Send the event again?", "Отправить событие снова?"}
	ResendText  = Phrase{
		"It is sent with the same id and body, on a schedule that begins anew.",
		"Оно уйдёт с тем же id и телом, график попыток начнётся заново.",
	}
	ResendYes  = Phrase{"Yes, send it again", "Да, отправить снова"}
	ResendDead = Phrase{"Send dead events again", "Отправить недоставленные"}
	DeadText   = Phrase{
		"Dead events were tried for three days in vain. Choose an address, and all that are dead there now are sent again.",
		"Недоставленные события трое суток отправлялись безуспешно. Выберите адрес, и все его недоставленные события уйдут снова.",
	}
	DeadNone      = Phrase{"No event is dead.", "Недоставленных событий нет."}
	DeadEvents    = Phrase{"Dead events", "Недоставлено"}
	DeadMore      = Phrase{"%d or more", "%d или больше"}
	DeadConfirm   = Phrase{"Send them again?", "Отправить их снова?"}
	DeadConfirmed = Phrase{
		"What dies from now on is not among them. You can stop it at any time.",
		"События, не доставленные позже, сюда не войдут. Остановить можно в любой момент.",
	}
	DeadYes       = Phrase{"Yes, send %s again", "Да, отправить снова: %s"}
	CreatedFrom   = Phrase{"Created from", "Созданы с"}
	CreatedTo     = Phrase{"Created to", "Созданы по"}
	ReplayTitle   = Phrase{"Sending again", "Повторная отправка"}
	ReplaySent    = Phrase{"Queued so far", "Уже в очереди"}
	ReplayRuns    = Phrase{"Goes on as the endpoint takes them", "Идёт, пока сервер принимает"}
	ReplayDone    = Phrase{"Done", "Готово"}
	ReplayStopped = Phrase{"Stopped", "Остановлено"}
	ReplayStop    = Phrase{"Stop it", "Остановить"}
	Refresh       = Phrase{"Refresh", "Обновить"}
)

// eventStatuses are the names of the statuses of events.
var eventStatuses = map[string]Phrase{
	"pending":   {"On its way", "В пути"},
	"delivered": {"Delivered", "Доставлено"},
	"dead":      {"Dead", "Не доставлено"},
}

// EventStatus is the name of an event's status.
func EventStatus(name string) Phrase { return named(eventStatuses, name) }

// subjects are what events are about.
var subjects = map[string]Phrase{
	"payment": {"Payment № %d", "Платёж № %d"},
	"payin":   {"Payout № %d", "Выплата № %d"},
}

// EventSubject is the name of what an event is about, with a place for its number.
func EventSubject(name string) Phrase {
	if p, known := subjects[name]; known {
		return p
	}
	return Phrase{name + " № %d", name + " № %d"}
}

// scopes are what keys may do.
var scopes = map[string]Phrase{
	"payments": {"Payments", "Платежи"},
	"deposits": {"Deposits", "Пополнения"},
	"payouts":  {"Payouts", "Выплаты"},
}

// Scope is the name of what a key may do.
func Scope(name string) Phrase { return named(scopes, name) }

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

package say

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

// Role is the name of a role.
var Role = Names{
	"owner":     {"Owner", "Владелец"},
	"finance":   {"Finance", "Финансы"},
	"developer": {"Developer", "Разработчик"},
	"support":   {"Support", "Поддержка"},
	"desk":      {"Desk", "Оператор стола"},
	"admin":     {"Administrator", "Администратор"},
	"treasury":  {"Treasury", "Казначейство"},
	"auditor":   {"Auditor", "Аудитор"},
}.orNothing

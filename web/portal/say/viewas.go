package say

// Operators who look as another user.
var (
	ViewAs     = Phrase{"Look as another user", "Посмотреть как другой пользователь"}
	ViewAsText = Phrase{
		"You see what they see for 30 minutes at most, and change nothing. It is written to the log of settings.",
		"Вы видите то же, что и он, не дольше 30 минут и ничего не меняете. Это попадает в журнал настроек.",
	}
	ViewAsUser     = Phrase{"Login or number of the user", "Логин или номер пользователя"}
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

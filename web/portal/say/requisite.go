package say

// A trader's requisites, and why payments do not come.
var (
	AnswerAll = Count{
		[2]string{"%d requisite gets payments now.", "All %d requisites get payments now."},
		[3]string{
			"Все %d реквизит получают платежи.",
			"Все %d реквизита получают платежи.",
			"Все %d реквизитов получают платежи.",
		},
	}
	RequisitesOf = Count{
		[2]string{"%d requisite", "%d requisites"},
		[3]string{"%d реквизит", "%d реквизита", "%d реквизитов"},
	}

	AllMethods = Phrase{"All", "Все"}
	CardDesk   = Phrase{"Card payments", "Платежи картой"}

	SwitchOn  = Phrase{"Switch on", "Включить"}
	SwitchOff = Phrase{"Switch off", "Выключить"}

	Unlimited = Phrase{"no limit", "без лимита"}

	ShowRequisite = Phrase{"Show the whole requisite", "Показать реквизит целиком"}
	ReadingNoted  = Phrase{
		"That you have read it is kept, with your name and the time.",
		"Просмотр записан: ваше имя и время.",
	}
)

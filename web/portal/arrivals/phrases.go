package arrivals

import "gateway.example/web/portal/say"

var (
	sayText = say.Both(
		"What came and belongs to no payment is kept here, and offered on a payment's page when one fits.",
		"Здесь хранится то, что пришло и не относится ни к одному платежу. Подходящему платежу это предложат на его странице.",
	)
	sayNone     = say.Both("Nothing here", "Здесь пусто")
	sayNoneText = say.Both("All that came belongs to payments.", "Всё, что пришло, относится к платежам.")
	sayKeep     = say.Both("Keep money", "Записать деньги")
	sayKeepText = say.Both("Only for what belongs to no open payment.", "Только для того, что не относится к открытому платежу.")
	sayCame     = say.Both("Came", "Пришло")
	sayFrom     = say.Both("From whom", "От кого")
	sayNote     = say.Both("Note", "Заметка")
	sayWas      = say.Both("was for payment № %d", "было для платежа № %d")
	saySearch   = say.Both("Amount, or words of the note", "Сумма или слова из заметки")
	sayFind     = say.Both("Find", "Найти")
	sayNow      = say.Both("Left empty, now", "Если не указать — сейчас")
	sayWrongAt  = say.Both("is no time", "не время")
)

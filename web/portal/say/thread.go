package say

// What operators and traders write to each other about an appeal.
var (
	ThreadTrader   = Phrase{"With the trader", "Переписка с трейдером"}
	ThreadOperator = Phrase{"With the operators", "Переписка с операторами"}
	ThreadWho      = Phrase{"The merchant does not see it.", "Мерчант её не видит."}
	ThreadNone     = Phrase{"Nothing is written yet.", "Пока ничего не написано."}
	ThreadOver     = Phrase{
		"The appeal is decided: nothing more can be written.", "Решение по апелляции принято: писать больше нельзя.",
	}
	ThreadText = Phrase{"Message", "Сообщение"}
	ThreadHint = Phrase{"At most 1,000 characters, and no card numbers.", "До 1000 знаков, без номеров карт."}
	ThreadSend = Phrase{"Send", "Отправить"}
	// ThreadTheirs is the name of an author whom a trader may know only as
	// an operator.
	ThreadTheirs = Phrase{"Operator", "Оператор"}
	// ThreadUnread is the number of unread messages.
	ThreadUnread = Phrase{"new: %d", "новых: %d"}
)

package appeals

import (
	"gateway.example/web/portal/say"
)

// Appeals.
var (
	sayNoAppealsText = say.Both(
		"A payment that failed although the payer has paid can be appealed from its page, for 24 hours.",
		"Если платёж не удался, а плательщик заплатил, апелляцию можно подать на его странице в течение 24 часов.",
	)
	sayAppealAsk     = say.Both("Appeal this payment?", "Подать апелляцию?")
	sayAppealAskText = say.Both(
		"An operator looks at what you send and decides. A payment can be appealed once.",
		"Оператор изучит присланное и примет решение. Апелляция подаётся один раз.",
	)
	sayAppealReasonHint = say.Both(
		"What happened, and how one can see that the payer has paid.",
		"Что произошло и из чего видно, что плательщик заплатил.",
	)
	sayWhatShowsIt   = say.Both("What shows that it is paid", "Подтверждение оплаты")
	sayOwnFile       = say.Both("A file of yours", "Ваш файл")
	sayFileHint      = say.Both("PDF, PNG, JPEG, WebP or MP4, up to 10 MB.", "PDF, PNG, JPEG, WebP или MP4, до 10 МБ.")
	sayFileWins      = say.Both("A file that you choose is sent instead of a receipt.", "Выбранный файл отправится вместо чека.")
	sayAppealYes     = say.Both("Send the appeal", "Отправить апелляцию")
	sayDecision      = say.Both("Decision", "Решение")
	sayWhatYouWrote  = say.Both("What you wrote", "Что вы написали")
	sayNotDecidedYet = say.Both("An operator has not decided yet.", "Оператор ещё не принял решения.")
)

// What is written about appeals.
var (
	sayNoThreadsText = say.Both(
		"When an operator asks you about a payment that a merchant has appealed, it will be here.",
		"Когда оператор спросит вас о платеже с апелляцией, вопрос появится здесь.",
	)
	sayThreadAbout = say.Both(
		"The merchant says that this payment was paid. Look at your bank's statement, and tell the operators what you find.",
		"Мерчант утверждает, что платёж оплачен. Проверьте выписку банка и напишите операторам, что нашли.",
	)
	sayLastMessage = say.Both("Last message", "Последнее сообщение")
	sayUnread      = say.Both("Unread", "Непрочитанные")
)

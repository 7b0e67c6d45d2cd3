package payments

import (
	"gateway.example/internal/payment"
	"gateway.example/web/portal/say"
)

// Another amount than was asked for.
var (
	sayOtherCame = say.Both("Another amount came", "Пришла другая сумма")
	sayAsked     = say.Both("Asked for", "Запрошено")
	sayMissing   = say.Both("Missing", "Не хватает")
	sayNoReturn  = say.Both(
		"It cannot be returned to the payer here, because no payouts are made in %s. Operators arrange a return with the trader.",
		"Вернуть плательщику отсюда нельзя: выплат в %s нет. О возврате с трейдером договариваются операторы.",
	)
	sayCaseEnds           = say.Both("If nobody decides, the payment fails:", "Если никто не решит, платёж не пройдёт:")
	sayPayerRequisite     = say.Both("The payer's phone, card or account", "Телефон, карта или счёт плательщика")
	sayPayerRequisiteHint = say.Both("Ask the payer: it need not be where the money came from.", "Спросите плательщика: он может отличаться от того, откуда пришли деньги.")
)

// decisions are the possible decisions about another amount.
var decisions = []string{payment.TakeWhatCame, payment.WaitForRest, payment.ReturnIt}

// decisionWords are the texts of the question about a decision.
type decisionWords struct{ act, ask, text, yes say.Phrase }

var sayDecisions = map[string]decisionWords{
	payment.TakeWhatCame: {
		say.Both("Take what came", "Принять пришедшее"), say.Both("Take what came?", "Принять пришедшее?"),
		say.Both("The payment is completed for what came, at its own rate.", "Платёж завершится на пришедшую сумму по своему курсу."),
		say.Both("Take %s", "Принять %s"),
	},
	payment.WaitForRest: {
		say.Both("Wait for the rest", "Ждать остаток"), say.Both("Wait for the rest?", "Ждать остаток?"),
		say.Both("The payer's page asks for what is missing, for a day. If it does not come, the payment fails, and what came stays with the trader, who can still have it count.",
			"Страница плательщика сутки просит недостающее. Если его не будет, платёж не пройдёт, а пришедшее останется у трейдера, и он ещё сможет его учесть."),
		say.Both("Wait, keeping %s", "Ждать, сохранив %s"),
	},
	payment.ReturnIt: {
		say.Both("Return it", "Вернуть"), say.Both("Return it to the payer?", "Вернуть плательщику?"),
		say.Both("The payment fails, and the trader who has the money sends it back. It costs the merchant nothing.",
			"Платёж не пройдёт, а трейдер, у которого деньги, отправит их обратно. Мерчанту это ничего не стоит."),
		say.Both("Return %s", "Вернуть %s"),
	},
}

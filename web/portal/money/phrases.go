package money

import (
	"gateway.example/web/portal/say"
)

// Money that operators move by hand.
var (
	sayFourEyesOn = say.Both(
		"Another operator has to approve what is done here. Until then it is a proposal, for 24 hours.",
		"То, что делается здесь, должен подтвердить другой оператор. До этого оно — предложение, на 24 часа.",
	)
	sayFourEyesSome = say.Both(
		"If this is more than one operator does alone, another one has to approve it. Until then it is a proposal, for 24 hours.",
		"Если это больше того, что оператор делает один, подтвердить должен другой. До этого оно — предложение, на 24 часа.",
	)
	sayFourEyesOff = say.Both(
		"Everything here is done at once, without a second operator.",
		"Всё здесь выполняется сразу, без второго оператора.",
	)
	sayNobodyElse = say.Both(
		"Nobody else can approve yet. Proposals wait for a second operator with the role admin or treasury, whom you did not "+
			"make and who did not make you: the command gateway operator create makes one who may approve at once.",
		"Подтвердить пока некому. Предложения ждут второго оператора с ролью администратора или казначея, которого создали "+
			"не вы и который не создавал вас: команда gateway operator create создаёт такого, и он сразу может подтверждать.",
	)
	sayFundText      = say.Both("USDT of a trader have arrived from outside.", "USDT трейдера поступили извне.")
	sayWithdrawTitle = say.Both("Withdraw for a trader", "Вывести для трейдера")
	sayWithdrawText  = say.Both(
		"USDT that a trader has available leave the platform.",
		"Доступные трейдеру USDT покидают платформу.",
	)
	sayInsuranceTitle = say.Both("Insurance of a cashbox", "Страховой депозит кассы")
	sayInsuranceText  = say.Both(
		"Sets what of a cashbox's USDT is reserved as insurance. Give the whole insurance from now on.",
		"Задаёт, сколько USDT кассы зарезервировано как страховой депозит. Укажите весь депозит целиком.",
	)
	sayCorrectTitle = say.Both("Correct the books", "Исправить счета")
	sayCorrectText  = say.Both(
		"Moves USDT from one account to another. What the first has available must cover it.",
		"Переносит USDT с одного счёта на другой. На первом должно быть достаточно доступных средств.",
	)
	sayFromAccount = say.Both("From", "Откуда")
	sayToAccount   = say.Both("To", "Куда")
	sayAccountHint = say.Both(
		"platform, external, or trader or cashbox and a name or number, such as trader 3",
		"platform, external, либо trader или cashbox и имя или номер, например trader 3",
	)
	sayMoneyReference = say.Both("Reference", "Ссылка")
	sayReferenceHint  = say.Both(
		"What names it outside, such as the hash of a transaction. Money moves once under a reference.",
		"Что называет его извне, например хеш транзакции. По одной ссылке деньги движутся один раз.",
	)
	sayInsuranceAmount = say.Both("The whole insurance, USDT", "Страховой депозит целиком, USDT")
	sayWhyHint         = say.Both("Whoever approves it reads this.", "Это прочтёт тот, кто подтверждает.")
	sayGoOnToConfirm   = say.Both("Continue", "Продолжить")
	sayWrongAccount    = say.Both("There is no such account.", "Такого счёта нет.")
	sayWrongTrader     = say.Both("There is no such trader.", "Такого трейдера нет.")
	saySureTitle       = say.Both("Is this right?", "Всё верно?")
	saySureYes         = say.Both("Yes, do it", "Да, выполнить")
	saySurePropose     = say.Both("Yes, propose it", "Да, предложить")
	sayCounterparty    = say.Both("Account", "Счёт")
	sayHasNow          = say.Both("Has available", "Доступно сейчас")
	sayInsuredNow      = say.Both("Reserved now", "Зарезервировано сейчас")
)

// Proposals.
var (
	sayActionLabel    = say.Both("Action", "Действие")
	sayProposedBy     = say.Both("Proposed by", "Предложил")
	sayExpiresAt      = say.Both("Can be decided until", "Можно решить до")
	sayDecidedBy      = say.Both("Decided by", "Решил")
	sayDecisionReason = say.Both("Reason of the decision", "Причина решения")
	sayOpenOnesOnly   = say.Both("Open", "Открытые")
	sayAllProposals   = say.Both("All", "Все")
	sayNoProposals    = say.Both("Nothing waits for a second operator.", "Второго оператора ничто не ждёт.")
	sayApproveYes     = say.Both("Approve and do it", "Подтвердить и выполнить")
	sayApproveText    = say.Both(
		"Exactly this is done, once, as soon as you approve.",
		"Будет выполнено именно это, один раз, как только вы подтвердите.",
	)
	sayRefuseYes   = say.Both("Refuse", "Отклонить")
	sayTakeBack    = say.Both("Take it back", "Отозвать")
	sayOwnProposal = say.Both(
		"You proposed this, so another operator approves it. You may take it back.",
		"Это предложили вы, поэтому подтверждает другой оператор. Вы можете отозвать его.",
	)
	sayNotGranted = say.Both(
		"A trader proposed this. Your role may refuse it; an operator who makes requisites approves it.",
		"Это предложил трейдер. Ваша роль может отклонить; подтверждает оператор, который заводит реквизиты.",
	)
	sayNotIndependent = say.Both(
		"You were set up less than a day ago, or one of you and the proposer by the other, or both by one person alone, so a third operator approves this. You may refuse it.",
		"Вы заведены меньше суток назад, либо один из вас с автором завёл другого, либо обоих завели в одиночку, поэтому подтверждает третий оператор. Вы можете отклонить.",
	)
	sayMakeLink   = say.Both("Create the link", "Создать ссылку")
	sayInviteLink = say.Both(
		"This is approved. The link is shown to you alone, until it is used or has expired, and each time another one. "+
			"Whoever approved it gives the invited person the code that goes with it.",
		"Это подтверждено. Ссылка показывается только вам, пока она не использована и не истекла, и каждый раз новая. "+
			"Код к ней приглашённому даёт тот, кто подтвердил.",
	)
	sayCodeTitle = say.Both("Approved: the code of the invitation", "Подтверждено: код приглашения")
	sayCode      = say.Both("Code", "Код")
	sayCodeText  = say.Both(
		"Give this code to the invited person yourself, and not by way of %s, who has the link: with both, anybody could be them. "+
			"It is asked for when they set their password.",
		"Передайте код приглашённому сами, а не через %s, у кого есть ссылка: с обоими вместо приглашённого войдёт любой. "+
			"Код спросят, когда он будет задавать пароль.",
	)
	sayCodeAgain     = say.Both("Create another code", "Создать другой код")
	sayCodeAgainText = say.Both(
		"If the code of the invitation is lost, make another one, until it is accepted or has expired. The one before is void then.",
		"Если код приглашения потерян, создайте другой, пока приглашение не принято и не истекло. Прежний перестанет действовать.",
	)
	sayNotYours     = say.Both("Your role does not decide this.", "Ваша роль не позволяет это решать.")
	sayValidFor     = say.Both("Valid for", "Действует")
	sayValidForGood = say.Both("Until it is changed", "Пока не изменят")
	sayDepositLabel = say.Both("Deposit", "Пополнение")
)

// The platform's income.
var (
	sayIncomeText = say.Both(
		"The platform's share of what was completed on a day, less what was given back on the day. Days are in UTC; a day that is "+
			"over stays as it is. The margin is the net share in percent of the turnover in USDT that it was earned on.",
		"Доля платформы в завершённом за день за вычетом возвращённого за день. Дни — по UTC; прошедший день не меняется. "+
			"Маржа — итоговая доля в процентах от оборота в USDT, с которого она получена.",
	)
	sayEarned           = say.Both("Earned", "Получено")
	sayGivenBack        = say.Both("Given back", "Возвращено")
	sayNetIncome        = say.Both("Net", "Итого")
	sayMargin           = say.Both("Margin", "Маржа")
	sayIncomeByDay      = say.Both("By day", "По дням")
	sayIncomeByMerchant = say.Both("By merchant", "По мерчантам")
	sayIncomeByMethod   = say.Both("By method", "По методам")
	sayNoIncome         = say.Both("Nothing was earned in these days.", "За эти дни дохода нет.")
)

// Rates.
var (
	saySetRateText = say.Both(
		"What a USDT costs in the currency. A rate that is set by hand goes before every feed while it is fresh.",
		"Сколько стоит USDT в валюте. Курс, заданный вручную, важнее источников, пока он свежий.",
	)
	sayOldRate      = say.Both("Now", "Сейчас")
	sayNewRate      = say.Both("From now on", "Теперь будет")
	sayDistance     = say.Both("Distance", "Разница")
	sayDistanceText = say.Both("%s %% (one operator alone: up to %s %%)", "%s %% (один оператор: до %s %%)")
	sayValidMinutes = say.Both("Valid for, minutes", "Действует, минут")
	sayValidHint    = say.Both("Empty: until it is changed.", "Пусто: пока не изменят.")
	sayMinutesOf    = say.Both("%d min", "%d мин")
	sayFiatPerUSDT  = say.Both("Fiat per USDT", "Фиат за USDT")
)

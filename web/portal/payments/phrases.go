package payments

import (
	"gateway.example/web/portal/say"
)

// What lists are kept to, and what is said of them.
var (
	saySearchOwn = say.Both("Number, amount, or last 4 digits", "Номер, сумма или последние 4 цифры")
)

// A merchant's pages.
var (
	sayPayer        = say.Both("Payer", "Плательщик")
	sayUser         = say.Both("User", "Пользователь")
	sayLink         = say.Both("Payment link", "Платёжная ссылка")
	sayDescription  = say.Both("Description", "Описание")
	sayYouGet       = say.Both("You get", "Вы получите")
	sayYouGetUSDT   = say.Both("You get, USDT", "Вам, USDT")
	sayYouPay       = say.Both("You pay", "Вы платите")
	sayYouPayUSDT   = say.Both("You pay, USDT", "С вас, USDT")
	saySearchOrders = say.Both(
		"Number, UUID, order or part of it, payer, amount, or last 4 digits",
		"Номер, UUID, заказ или его часть, плательщик, сумма или последние 4 цифры",
	)
	saySearchPayouts = say.Both(
		"Number, UUID, order or part of it, amount, or last 4 digits",
		"Номер, UUID, заказ или его часть, сумма или последние 4 цифры",
	)
	sayNoOwnPaymentsText = say.Both(
		"They appear here as soon as your shop creates them.",
		"Они появятся, как только их создаст ваш магазин.",
	)
	sayNoOwnPayouts     = say.Both("No payouts yet.", "Выплат ещё не было.")
	sayNoOwnPayoutsText = say.Both(
		"They appear here as soon as your shop asks for them.",
		"Они появятся, как только их запросит ваш магазин.",
	)
	sayCancelPayoutTitle = say.Both("Cancel this payout?", "Отменить выплату?")
	sayCancelPayoutText  = say.Both(
		"Nobody has taken it yet. The recipient gets nothing, and what is frozen for it is available again.",
		"Её ещё никто не взял. Получатель ничего не получит, замороженная сумма снова станет доступна.",
	)
	sayCancelPayoutYes = say.Both("Cancel the payout", "Отменить выплату")
)

// Something as it stood at a moment.
var (
	sayAsOfNote = say.Both("This is how it stood at %s.", "Так обстояли дела на %s.")
	sayAsOfNow  = say.Both("See it as it is now", "Показать на сейчас")
)

// Appeals.
var (
	sayOpenAppeal = say.Both("Appeal", "Подать апелляцию")
	saySeeAppeal  = say.Both("See the appeal", "Смотреть апелляцию")
)

// A trader's payments.
var (
	sayExpires        = say.Both("Expires", "Срок")
	sayAppealSince    = say.Both("In appeal since", "В апелляции с")
	sayEnded          = say.Both("Ended", "Окончен")
	sayTimeLeft       = say.Both("Time left", "Осталось")
	sayMerchantUSDT   = say.Both("Merchant, USDT", "Мерчанту, USDT")
	sayYouKeep        = say.Both("You keep", "Ваш доход")
	sayYouKeepUSDT    = say.Both("You keep, USDT", "Ваш доход, USDT")
	sayCame           = say.Both("What came", "Пришло")
	sayNothingGot     = say.Both("Nothing: it was not completed", "Ничего: платёж не завершён")
	sayNotDecided     = say.Both("Nobody has decided yet", "Ещё не решено")
	sayNoRateYet      = say.Both("Not known until there is a fresh rate", "Станет известно, когда появится свежий курс")
	sayNoReceipts     = say.Both("The payer has sent none.", "Плательщик не присылал.")
	sayNoPayments     = say.Both("No payments yet.", "Платежей ещё не было.")
	sayNoPaymentsText = say.Both(
		"They appear here as soon as payers are sent to your requisites.",
		"Они появятся, как только плательщики получат ваши реквизиты.",
	)
	sayNoneLately = say.Both("No payments in these 30 days.", "За эти 30 дней платежей нет.")
)

// A trader's payouts.
var (
	sayByFile        = say.Both("By file", "Выплатить файлом")
	sayCreatedPayout = say.Both("Created", "Создана")
	sayRewardUSDT    = say.Both("You get, USDT", "Вы получите, USDT")
	sayEndedPayout   = say.Both("Ended", "Окончена")
	sayTakeBefore    = say.Both("Take before", "Взять до")
	sayProof         = say.Both("Proof", "Подтверждение")
	sayWholeLater    = say.Both(
		"You see the whole recipient once you have taken it.",
		"Получатель виден целиком, когда вы возьмёте выплату.",
	)
	sayPayNow = say.Both(
		"Send exactly this amount to exactly this recipient, then say that it is paid.",
		"Отправьте ровно эту сумму именно этому получателю и отметьте выплату.",
	)
	sayWaitingOnDesk = say.Both("Payouts that wait to be taken are on the desk.", "Свободные выплаты – на столе.")
	sayNoPayouts     = say.Both("You have taken no payouts yet.", "Вы ещё не брали выплат.")
	sayNoPayoutsText = say.Both("Those that you can take wait here:", "Свободные выплаты ждут здесь:")
	sayNoneTaken     = say.Both("No payouts in these 30 days.", "За эти 30 дней выплат нет.")
	sayCompleteTitle = say.Both("Is it paid?", "Выплачено?")
	sayCompleteText  = say.Both(
		"Say so only when your bank shows the transfer as done. It cannot be taken back.",
		"Отмечайте, только когда банк показывает перевод выполненным. Отменить это нельзя.",
	)
	sayCompleteYes   = say.Both("Yes, %s are paid", "Да, %s выплачены")
	sayProofFile     = say.Both("Photo or PDF", "Фото или PDF")
	sayProofFileHint = say.Both(
		"What your bank shows of the transfer, up to 10 MB. The merchant and operators see it.",
		"То, что банк показывает о переводе, до 10 МБ. Это увидят мерчант и операторы.",
	)
	sayProofCamera = say.Both("Or take a photo", "Или сфотографировать")
	sayProofShown  = say.Both("What shows the transfer", "Что подтверждает перевод")
	sayProofAlt    = say.Both("The picture that the trader sent", "Изображение, которое прислал трейдер")
	sayProofHint   = say.Both(
		"As your bank shows it. It proves that the recipient was paid.",
		"Как его показывает банк. Он доказывает, что получателю заплачено.",
	)
	sayFailTitle = say.Both("Can it not be paid?", "Выплатить нельзя?")
	sayFailText  = say.Both(
		"The payout fails for good and the money goes back to the merchant. To leave it to another trader, give it back.",
		"Выплата не состоится, деньги вернутся мерчанту. Чтобы её взял другой трейдер, верните её.",
	)
	sayFailReturnText = say.Both(
		"The return fails for good: the money stays with you, and its worth in USDT goes from you to the merchant.",
		"Возврат не состоится: деньги остаются у вас, а их стоимость в USDT перейдёт от вас мерчанту.",
	)
	sayFailYes       = say.Both("It cannot be paid", "Выплатить нельзя")
	sayGiveBackTitle = say.Both("Give it back?", "Вернуть выплату?")
	sayGiveBackText  = say.Both(
		"Do so only if you have sent nothing: another trader may take it and pay.",
		"Только если вы ничего не отправляли: её может взять и выплатить другой трейдер.",
	)
	sayGiveBackYes = say.Both("Give it back", "Вернуть")
	sayStatusSince = say.Both("Status since", "Статус с")
	sayReasonOwn   = say.Both("Operators see it.", "Её видят операторы.")
)

// Proofs that what was moved is in the ledger as it was sealed.
var (
	sayNotSealedTitle = say.Both("There is no proof yet", "Подтверждения пока нет")
	sayNotSealedText  = say.Both(
		"The day's page of the ledger will be sealed on %s. The proof can be downloaded soon after that.",
		"Страница книги учёта за этот день будет запечатана %s. Вскоре после этого подтверждение можно будет скачать.",
	)
	sayNothingToProve = say.Both(
		"No USDT were moved to or from your balance here, so there is nothing to prove.",
		"Здесь не было движения USDT по вашему балансу, подтверждать нечего.",
	)
)

// Routing.
var (
	sayBlockPayer   = say.Both("Block this payer", "Заблокировать плательщика")
	sayWhyRequisite = say.Both("Why this requisite", "Почему этот реквизит")
)

// What happened to a payment, as a file that can be proven.
var (
	saySignedFile    = say.Both("Signed file", "Подписанный файл")
	sayTimelineFile  = say.Both("Signed timeline", "Подписанная история")
	sayTimelinePrint = say.Both("To print", "Для печати")
	saySignedHint    = say.Both(
		"The same as a file whose signature proves that nothing was changed:",
		"То же файлом, подпись которого доказывает, что ничего не изменено:",
	)
)

// Lists and pages of operators.
var (
	sayTraderKeeps   = say.Both("The trader keeps", "Доход трейдера")
	sayFrozenUSDT    = say.Both("Frozen, USDT", "Заморожено, USDT")
	sayFrozenFact    = say.Both("Frozen", "Заморожено")
	saySearchAllHint = say.Both(
		"Number, UUID, order or part of it, payer, amount, or last 4 digits",
		"Номер, UUID, заказ или его часть, плательщик, сумма или последние 4 цифры",
	)
	sayNoPaymentsAtAll = say.Both("Merchants have created none yet.", "Мерчанты их ещё не создавали.")
)

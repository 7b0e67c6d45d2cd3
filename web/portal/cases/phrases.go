package cases

import (
	"gateway.example/web/portal/say"
)

// What operators begin with.
var (
	sayNoWork          = say.Both("Nothing waits.", "Ничто не ждёт.")
	sayWorkAll         = say.Both("See all", "Показать все")
	sayWorkSince       = say.Both("waits since", "ждёт с")
	sayWaits           = say.Both("Needs attention", "Ждёт внимания")
	sayOldest          = say.Both("oldest: %s", "самое старое: %s")
	sayPaidLately      = say.Both("Paid, 24 hours", "Оплачено, 24 часа")
	sayPaidOf          = say.Both("%s of %s payments", "%s из %s платежей")
	sayPaidByHour      = say.Both("Payments of the last 24 hours", "Платежи за последние 24 часа")
	sayVolumeLately    = say.Both("Volume, 24 hours", "Оборот, 24 часа")
	sayIncomeYesterday = say.Both("Income yesterday, UTC", "Доход вчера, UTC")
	sayIncomeBefore    = say.Both("the day before: %s", "днём раньше: %s")
	sayAlarmsFire      = say.Both("fire", "сработали")
	sayOfAlarms        = say.Both("of %d", "из %d")
	sayAlarmsNone      = say.Both("none fires", "все спокойны")
	sayWorkAge         = say.Both("The oldest first.", "Сначала самое старое.")
)

// sayWorkQueues are what waits for operators.
var sayWorkQueues = map[string]say.Phrase{
	"card_conflict":     say.Both("Card conflicts", "Спорные списания с карт"),
	"overdrawn_account": say.Both("Overdrawn accounts", "Счета в минусе"),
	"overdue_payout":    say.Both("Overdue payouts", "Просроченные выплаты"),
	"other_amount":      say.Both("Other amounts to decide", "Другие суммы без решения"),
	"objection":         say.Both("Traders’ objections to decide", "Возражения трейдеров без решения"),
	"appeal_answer":     say.Both("Traders' answers to read", "Непрочитанные ответы трейдеров"),
	"appeal":            say.Both("Appeals to decide", "Апелляции без решения"),
	"deposit":           say.Both("Deposits to confirm", "Пополнения без подтверждения"),
	"withdrawal":        say.Both("Withdrawals to decide", "Выводы без решения"),
	"dead_events":       say.Both("Webhooks given up", "Недоставленные вебхуки"),
	"rate_feed":         say.Both("Rate feeds that fail", "Источники курсов с ошибками"),
	"short_trader":      say.Both("Traders short of USDT", "Трейдеры, которым не хватает USDT"),
	"idle_trader":       say.Both("Traders without a free requisite", "Трейдеры без свободного реквизита"),
}

// sayWorkQueue is the name of a queue.
func sayWorkQueue(kind string) say.Phrase { return say.Named(sayWorkQueues, kind) }

// What the items of queues are called.
var (
	sayShortConflict = say.Both("Conflict № %d", "Спор № %d")
	sayShortFeed     = say.Both("Feed № %d", "Источник № %d")
	sayDeadCount     = say.Both("events: %s", "событий: %s")
)

// Who works on something.
var (
	sayTakenBy     = say.Both("Taken by", "Взял(а)")
	sayClaimNobody = say.Both("Nobody has taken this.", "Этим никто не занят.")
	sayClaimYou    = say.Both("You took this at %s.", "Вы взяли это в %s.")
	sayClaimOther  = say.Both("%s took this at %s.", "Это с %[2]s у %[1]s.")
	sayClaimStale  = say.Both("%s took this at %s, long ago.", "Это давно, с %[2]s, у %[1]s.")
	sayOverTitle   = say.Both("Take it over?", "Забрать себе?")
	sayOverText    = say.Both(
		"%s has taken this at %s and may be about to decide it. Ask them first.",
		"С %[2]s этим занят(а) %[1]s и, возможно, вот-вот примет решение. Сначала спросите.",
	)
)

// Lists and pages of operators.
var (
	sayCasesNone   = say.Both("Nothing waits here. What is to be decided comes by itself.", "Здесь ничего не ждёт. То, что нужно решить, появится само.")
	sayOverdueText = say.Both("A trader took these and has not ended them in time.", "Трейдер взял их и не завершил вовремя.")
	sayOtherText   = say.Both(
		"Another amount came than was asked for. The merchant or an operator decides; after a day the payment fails.",
		"Пришла не та сумма, которую просили. Решает мерчант или оператор; через сутки платёж не пройдёт.",
	)
	sayAskedFor      = say.Both("asked for %s", "запрошено %s")
	sayConflictsText = say.Both(
		"The charge of a card ended otherwise than its payment. Settle it with the acquirer, then close it.",
		"Списание с карты закончилось не так, как платёж. Решите вопрос с эквайером, затем закройте спор.",
	)
	sayConflictTitle  = say.Both("Card conflict № %d", "Спор о списании № %d")
	sayConflictOpen   = say.Both("Open", "Открыт")
	sayConflictClosed = say.Both("Closed", "Закрыт")
	sayAttemptID      = say.Both("Attempt", "Попытка")
	sayAttemptSays    = say.Both("The acquirer said", "Ответ эквайера")
	sayPaymentStood   = say.Both("The payment was", "Платёж был")
	sayObjectionsText = say.Both(
		"A message of a bank confirmed these payments, and their traders say that it was wrong. Messages do not confirm for these "+
			"requisites until the trader switches that on again.",
		"Эти платежи подтвердило сообщение банка, а трейдеры говорят, что это ошибка. Для этих реквизитов сообщения ничего не "+
			"подтверждают, пока трейдер не включит это снова.",
	)
	sayObjectionTitle    = say.Both("Objection № %d", "Возражение № %d")
	sayObjectionOpen     = say.Both("Open", "Открыто")
	sayObjectionUpheld   = say.Both("Upheld", "Принято")
	sayObjectionRejected = say.Both("Rejected", "Отклонено")
	sayObjectedAt        = say.Both("Objected", "Возражение от")
	sayTraderObjects     = say.Both("The trader says", "Слова трейдера")
	sayPaymentNow        = say.Both("The payment is now", "Платёж сейчас")
	sayMessageCame       = say.Both("The bank's message", "Сообщение банка")
	sayMessageBalance    = say.Both("Balance it tells", "Баланс в сообщении")
	sayMessageText       = say.Both("Its text", "Его текст")
	sayDecidedBy         = say.Both("Decided by", "Решение принял(а)")
	sayGiveBack          = say.Both("Give the trader their USDT back", "Вернуть USDT трейдеру")
	sayToCorrect         = say.Both("Correct the books", "Исправить счета")
	sayTraderSees        = say.Both("The trader sees the reason.", "Причину увидит трейдер.")
	sayTransfers         = say.Both("Transfers without a deposit", "Переводы без пополнения")
	sayTransfersText     = say.Both(
		"USDT that came to the platform's addresses and fit no pending deposit, or several. Assigning one confirms nothing.",
		"USDT, которые пришли на адреса платформы и не подходят ни к одному ожидающему пополнению или подходят к нескольким. "+
			"Назначение ничего не подтверждает.",
	)
	sayCameAt             = say.Both("Came", "Пришёл")
	sayAssign             = say.Both("Assign", "Назначить")
	sayAssignTo           = say.Both("Number of the deposit for %s", "Номер пополнения для %s")
	saySender             = say.Both("Sender's address", "Адрес отправителя")
	sayAssigned           = say.Both("Found by", "Найден")
	sayAssignedByHand     = say.Both("an operator: it is not confirmed by itself", "оператором: сам не подтверждается")
	sayAssignedByMerchant = say.Both("the merchant’s word: it is not confirmed by itself", "по словам мерчанта: сам не подтверждается")
	sayNamedHash          = say.Both("Named by the merchant", "Назвал мерчант")
	sayNamedBy            = say.Both("Named for deposit № %s", "Назван для пополнения № %s")
	sayNothingCame        = say.Both("Nothing was seen for it yet", "Пока ничего не видно")
	sayNode               = say.Both("Node", "Узел")
	sayNodeAgrees         = say.Both("%s, agrees, at block %d", "%s, согласен, блок %d")
	sayNodeTrouble        = say.Both("%s: %s", "%s: %s")
	sayWhoseAddress       = say.Both("Whose address", "Чей адрес")
	sayNotOurAddress      = say.Both(
		"Not the platform's. Confirm only if you know where the USDT went.",
		"Не адрес платформы. Подтверждайте, только если знаете, куда пришли USDT.",
	)
	sayFormerAddress = say.Both(
		"A former one of the platform's. Confirm only if the USDT are in the platform's hands: somebody else may have its key.",
		"Прежний адрес платформы. Подтверждайте, только если USDT у платформы: ключ может быть у кого-то ещё.",
	)
	sayMerchantsReference = say.Both("The merchant's reference", "Пометка мерчанта")
	sayMerchantWrote      = say.Both("What the merchant wrote", "Что написал мерчант")
	sayFoundAt            = say.Both("Found", "Обнаружен")
)

// Decisions of operators.
var (
	sayConfirmDepositAct  = say.Both("Confirm", "Подтвердить")
	sayConfirmDepositAsk  = say.Both("Have the USDT arrived?", "USDT пришли?")
	sayConfirmDepositText = say.Both(
		"They are credited to the cashbox at once. Compare amount, network and address with the chain first.",
		"Они сразу зачислятся в кассу. Сначала сверьте сумму, сеть и адрес с блокчейном.",
	)
	sayConfirmDepositYes = say.Both("Yes, credit %s", "Да, зачислить %s")
	sayRejectDepositAct  = say.Both("Reject", "Отклонить")
	sayRejectDepositAsk  = say.Both("Reject this deposit?", "Отклонить пополнение?")
	sayRejectDepositText = say.Both(
		"Nothing is credited. The merchant sees the reason.",
		"Ничего не зачислится. Причину увидит мерчант.",
	)
	sayRejectDepositYes = say.Both("Reject the deposit", "Отклонить пополнение")
	sayReviewAct        = say.Both("Review", "Рассмотреть")
	sayReviewAsk        = say.Both("Review this appeal?", "Рассмотреть апелляцию?")
	sayReviewText       = say.Both(
		"The payment moves to appeal and the trader's USDT are held again until you decide.",
		"Платёж перейдёт в апелляцию, USDT трейдера будут снова удержаны до решения.",
	)
	sayReviewYes  = say.Both("Begin the review", "Начать рассмотрение")
	sayAcceptAct  = say.Both("Accept", "Принять")
	sayAcceptAsk  = say.Both("Accept this appeal?", "Принять апелляцию?")
	sayAcceptText = say.Both(
		"The payment is completed: the merchant gets its USDT from the trader.",
		"Платёж будет завершён: мерчант получит USDT трейдера.",
	)
	sayAcceptYes  = say.Both("Yes, complete %s", "Да, завершить %s")
	sayRefuseAct  = say.Both("Refuse", "Отказать")
	sayRefuseAsk  = say.Both("Refuse this appeal?", "Отказать в апелляции?")
	sayRefuseText = say.Both(
		"The payment stays failed and the trader's USDT are free again. It cannot be appealed again.",
		"Платёж останется неудачным, USDT трейдера освободятся. Второй апелляции не будет.",
	)
	sayRefuseAppealYes = say.Both("Refuse the appeal", "Отказать")
	sayDecide          = say.Both("Decide", "Решение")
	sayDecideFactor    = say.Both("A decision takes your second factor of the last minutes.", "Для решения нужен ваш второй фактор, введённый только что.")
	sayDecideConfirm   = say.Both("Confirm that it is you", "Подтвердить, что это вы")
	sayAcceptNow       = say.Both("Accept, and complete %s", "Принять и завершить %s")
	sayAcceptReasoned  = say.Both("With a reason", "С причиной")
	sayReasonToRefuse  = say.Both("Reason to refuse", "Причина отказа")
	sayReasonOwn       = say.Both("In your own words", "Своими словами")
	sayProofAlt        = say.Both("The picture that the merchant sent", "Изображение, которое прислал мерчант")
	sayTransferFound   = say.Both("The transfer was found.", "Перевод найден.")
	sayProofMatches    = say.Both("The proof is of this payment.", "Подтверждение относится к этому платежу.")
	sayNoTransfer      = say.Both("No such transfer has arrived.", "Такой перевод не поступал.")
	sayProofOfOther    = say.Both("The proof is of another payment.", "Подтверждение относится к другому платежу.")
	sayProofShowsNone  = say.Both("The proof does not show a completed transfer.", "Из подтверждения не видно, что перевод выполнен.")
	sayWentElsewhere   = say.Both("The money went to another requisite.", "Деньги ушли на другой реквизит.")
	sayStatementLine   = say.Both("The bank's statement", "Выписка банка")
	sayStatementHint   = say.Both(
		"Its line: day, amount, text. Or why there is none. The merchant does not see it.",
		"Строка выписки: день, сумма, текст. Или почему её нет. Мерчант этого не увидит.",
	)
	sayMerchantSees = say.Both("The merchant sees the reason.", "Причину увидит мерчант.")
	sayPaidAct      = say.Both("It is paid", "Выплачено")
	sayPaidAsk      = say.Both("Was this payout paid?", "Выплата произведена?")
	sayPaidText     = say.Both(
		"The trader gets what is frozen for it. Have the proof before you.",
		"Трейдер получит замороженное. Подтверждение должно быть у вас.",
	)
	sayPaidYes     = say.Both("Yes, %s are paid", "Да, %s выплачены")
	sayNotPaidAct  = say.Both("It failed", "Не выплачено")
	sayNotPaidAsk  = say.Both("Has this payout failed?", "Выплата не состоялась?")
	sayNotPaidText = say.Both(
		"Nobody pays it any more, and what is frozen goes back to the merchant.",
		"Её больше никто не выплатит, замороженное вернётся мерчанту.",
	)
	sayNotPaidYes  = say.Both("It has failed", "Не состоялась")
	sayReclaimAct  = say.Both("Take it from the trader", "Забрать у трейдера")
	sayReclaimAsk  = say.Both("Take it from the trader?", "Забрать у трейдера?")
	sayReclaimText = say.Both(
		"Only if you are sure that it was not paid: another trader may take it and pay.",
		"Только если вы уверены, что она не выплачена: её может взять и выплатить другой трейдер.",
	)
	sayReclaimYes  = say.Both("Take it from the trader", "Забрать")
	sayReverseAct  = say.Both("Reverse", "Отменить выплату")
	sayReverseAsk  = say.Both("Reverse this payout?", "Отменить завершённую выплату?")
	sayReverseText = say.Both(
		"The recipient never got the money, or it came back. Trader and platform give back their parts, whether they have them or not.",
		"Получатель денег не получил, или они вернулись. Трейдер и платформа возвращают свои доли, даже если их уже нет.",
	)
	sayReverseYes = say.Both("Reverse the payout", "Отменить выплату")
	sayUpholdAct  = say.Both("The money never came", "Деньги не пришли")
	sayUpholdAsk  = say.Both("Is the trader right?", "Трейдер прав?")
	sayUpholdText = say.Both(
		"Have the trader's bank statement before you. The payment stays completed, since its merchant was told so. What the trader gave "+
			"for it is given back by a correction, which takes two operators.",
		"Выписка банка трейдера должна быть у вас. Платёж останется завершённым: мерчанту уже сообщили. То, что трейдер за него отдал, "+
			"возвращает корректировка, для которой нужны два оператора.",
	)
	sayUpholdYes           = say.Both("Uphold the objection", "Принять возражение")
	sayRejectObjectionAct  = say.Both("The money came", "Деньги пришли")
	sayRejectObjectionAsk  = say.Both("Did the money come?", "Деньги пришли?")
	sayRejectObjectionText = say.Both(
		"The payment stays completed, and nothing is moved.",
		"Платёж останется завершённым, деньги не переместятся.",
	)
	sayRejectObjectionYes = say.Both("Reject the objection", "Отклонить возражение")
	sayCloseAct           = say.Both("Close", "Закрыть")
	sayCloseAsk           = say.Both("Is it settled?", "Вопрос решён?")
	sayCloseText          = say.Both(
		"It leaves the list. Nothing is charged and nothing given back by this.",
		"Спор исчезнет из списка. Ничего не спишется и не вернётся.",
	)
	sayCloseYes = say.Both("Yes, close it", "Да, закрыть")
)

// What a platform needs before its first payment.
var (
	sayFirstText = say.Both(
		"Take these steps from the top. The list goes away with the first payment.",
		"Пройдите шаги сверху вниз. Список исчезнет с первым платежом.",
	)
	sayFirstReady = say.Both(
		"Everything is there. The merchant’s program can create payments, with a key that the merchant’s user makes.",
		"Всё готово. Программа мерчанта может создавать платежи ключом, который выпускает пользователь мерчанта.",
	)
	sayFirstAsk      = say.Both("Find out who would get one", "Узнать, кто его получит")
	sayFirstOperator = say.Both(
		"Make a second operator with the command gateway operator create: moving money takes two",
		"Создать второго оператора командой gateway operator create: деньги переводят двое",
	)
	sayFirstRate     = say.Both("Set a rate", "Задать курс")
	sayFirstMerchant = say.Both("Create a merchant", "Создать мерчанта")
	sayFirstTrader   = say.Both("Create a trader", "Создать трейдера")
)

// sayAttempts are what acquirers say of an attempt to charge a card.
var sayAttempts = map[string]say.Phrase{
	"approved": say.Both("charged", "списано"),
	"declined": say.Both("declined", "отказ"),
	"pending":  say.Both("not decided", "не решено"),
	"voided":   say.Both("given back", "возвращено"),
	"unknown":  say.Both("not known there", "там неизвестно"),
}

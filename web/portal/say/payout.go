package say

// A trader's payouts.
var (
	PayoutTitle   = Phrase{"Payout № %d", "Выплата № %d"}
	CreatedPayout = Phrase{"Created", "Создана"}
	RewardUSDT    = Phrase{"You get, USDT", "Вы получите, USDT"}
	TakenAt       = Phrase{"Taken", "Взята"}
	EndedPayout   = Phrase{"Ended", "Окончена"}
	TakeBefore    = Phrase{"Take before", "Взять до"}
	Proof         = Phrase{"Proof", "Подтверждение"}
	WholeLater    = Phrase{
		"You see the whole recipient once you have taken it.",
		"Получатель виден целиком, когда вы возьмёте выплату.",
	}
	PayNow = Phrase{
		"Send exactly this amount to exactly this recipient, then say that it is paid.",
		"Отправьте ровно эту сумму именно этому получателю и отметьте выплату.",
	}
	WaitingOnDesk = Phrase{"Payouts that wait to be taken are on the desk.", "Свободные выплаты – на столе."}

	NoPayouts     = Phrase{"You have taken no payouts yet.", "Вы ещё не брали выплат."}
	NoPayoutsText = Phrase{"Those that you can take wait here:", "Свободные выплаты ждут здесь:"}
	NoneTaken     = Phrase{"No payouts in these 30 days.", "За эти 30 дней выплат нет."}

	CompleteTitle = Phrase{"Is it paid?", "Выплачено?"}
	CompleteText  = Phrase{
		"Say so only when your bank shows the transfer as done. It cannot be taken back.",
		"Отмечайте, только когда банк показывает перевод выполненным. Отменить это нельзя.",
	}
	CompleteYes = Phrase{"Yes, %s are paid", "Да, %s выплачены"}
	ProofLabel  = Phrase{"Number of the transfer", "Номер перевода"}
	ProofHint   = Phrase{
		"As your bank shows it. It proves that the recipient was paid.",
		"Как его показывает банк. Он доказывает, что получателю заплачено.",
	}
	FailTitle = Phrase{"Can it not be paid?", "Выплатить нельзя?"}
	FailText  = Phrase{
		"The payout fails for good and the money goes back to the merchant. To leave it to another trader, give it back.",
		"Выплата не состоится, деньги вернутся мерчанту. Чтобы её взял другой трейдер, верните её.",
	}
	FailYes       = Phrase{"It cannot be paid", "Выплатить нельзя"}
	GiveBackTitle = Phrase{"Give it back?", "Вернуть выплату?"}
	GiveBackText  = Phrase{
		"Do so only if you have sent nothing: another trader may take it and pay.",
		"Только если вы ничего не отправляли: её может взять и выплатить другой трейдер.",
	}
	GiveBackYes    = Phrase{"Give it back", "Вернуть"}
	ReasonOwn      = Phrase{"Operators see it.", "Её видят операторы."}
	GiveBackInLieu = Phrase{"Give it back instead", "Лучше вернуть"}
)

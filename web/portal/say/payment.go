package say

// A trader's payments.
var (
	PaymentTitle = Phrase{"Payment № %d", "Платёж № %d"}
	Number       = Phrase{"№", "№"}
	Created      = Phrase{"Created", "Создан"}
	Amount       = Phrase{"Amount", "Сумма"}
	Requisite    = Phrase{"Requisite", "Реквизит"}
	Holder       = Phrase{"Holder", "Владелец"}
	Bank         = Phrase{"Bank", "Банк"}
	Expires      = Phrase{"Expires", "Срок"}
	Ended        = Phrase{"Ended", "Окончен"}
	TimeLeft     = Phrase{"Time left", "Осталось"}
	MerchantUSDT = Phrase{"Merchant, USDT", "Мерчанту, USDT"}
	YouKeep      = Phrase{"You keep", "Ваш доход"}
	NoRateYet    = Phrase{
		"Not known until there is a fresh rate",
		"Станет известно, когда появится свежий курс",
	}
	WhatHappened = Phrase{"What happened", "Что произошло"}
	NoReceipts   = Phrase{"The payer has sent none.", "Плательщик не присылал."}
	Download     = Phrase{"Download", "Скачать"}
	UUID         = Phrase{"UUID", "UUID"}

	NoPayments     = Phrase{"No payments yet.", "Платежей ещё не было."}
	NoPaymentsText = Phrase{
		"They appear here as soon as payers are sent to your requisites.",
		"Они появятся, как только плательщики получат ваши реквизиты.",
	}
	NoneLately     = Phrase{"No payments in these 30 days.", "За эти 30 дней платежей нет."}
	NoneLatelyText = Phrase{"There are older ones.", "Есть более ранние."}
)

// reasons are why something got its status, where the gateway itself gave the reason.
var reasons = map[string]Phrase{
	"expired": {"its time ran out", "истекло время"},
}

// ReasonOf is why something got its status. Others than the gateway's own stand for themselves.
func ReasonOf(reason string) Phrase { return named(reasons, reason) }

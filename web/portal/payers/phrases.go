package payers

import "gateway.example/web/portal/say"

// Blocks.
var (
	sayBlock      = say.Both("Block a payer", "Заблокировать плательщика")
	sayBlockYes   = say.Both("Block", "Заблокировать")
	sayBlockTitle = say.Both("Block № %d", "Блокировка № %d")
	sayBlockText  = say.Both(
		"From now on they get no payment here and no card of theirs is taken; nothing is paid out to a blocked requisite. "+
			"What is open already stays open. They are told only that it does not work.",
		"С этого момента плательщик не получит здесь платежа и его карта не примется; на заблокированный реквизит не выплачивают. "+
			"Уже открытое остаётся открытым. Причину ему не говорят.",
	)
	sayUnblock     = say.Both("Lift the block", "Снять блокировку")
	sayUnblockText = say.Both("They can pay here again at once.", "Плательщик сразу снова сможет здесь платить.")
	sayWhat        = say.Both("What", "Что")
	sayWhatBy      = say.Both("Block by", "По чему")
	sayValue       = say.Both("User id, address or requisite", "Id пользователя, адрес или реквизит")
	sayValueHint   = say.Both(
		"A card is blocked from the page of a payment that it was entered for.",
		"Карту блокируют со страницы платежа, для которого её ввели.",
	)
	sayWhere          = say.Both("Where", "Где")
	sayEverywhere     = say.Both("At all merchants", "У всех мерчантов")
	sayEverywhereHint = say.Both("Empty: at all merchants.", "Пусто — у всех мерчантов.")
	sayUntil          = say.Both("Until the end of", "До конца дня")
	sayUntilHint      = say.Both("Leave it empty to block for good.", "Пусто — навсегда.")
	sayEnds           = say.Both("Ends", "Конец")
	sayNever          = say.Both("Never", "Никогда")
	sayBy             = say.Both("By", "Кто")
	sayOfPayment      = say.Both("The payer of payment %d.", "Плательщик платежа %d.")
	sayNothingIs      = say.Both("Of this payer neither user id, card nor address is known.", "Ни id, ни карта, ни адрес этого плательщика не известны.")
	sayNoBlocks       = say.Both("Nobody is blocked.", "Никто не заблокирован.")
	sayNoBlocksYet    = say.Both(
		"Block a payer on the page of a payment of theirs.", "Заблокировать плательщика можно на странице его платежа.",
	)
	sayHolding   = say.Both("In force", "Действуют")
	sayAllBlocks = say.Both("All", "Все")
	sayHolds     = say.Both("Blocked", "Заблокирован")
	sayLifted    = say.Both("Lifted", "Снята")
	sayOver      = say.Both("Over", "Закончилась")
	sayLiftedBy  = say.Both("Lifted by", "Снял")
)

// kinds are the kinds of blocks.
var kinds = map[string]say.Phrase{
	"user":      say.Both("User id", "Id пользователя"),
	"card":      say.Both("Card", "Карта"),
	"address":   say.Both("IP address", "IP-адрес"),
	"requisite": say.Both("Requisite of payouts", "Реквизит выплат"),
}

func sayKind(kind string) say.Phrase { return say.Named(kinds, kind) }

// What is known of a payer.
var (
	sayPayerTitle   = say.Both("Payer %s", "Плательщик %s")
	sayPayerMost    = say.Both("Counted over the last %d payments.", "Посчитано по последним %d платежам.")
	sayAllPayments  = say.Both("All their payments", "Все платежи плательщика")
	sayBlockedSince = say.Both("Blocked since %s: %s", "Заблокирован с %s: %s")
	saySeeBlock     = say.Both("See the block", "Открыть блокировку")
	sayFirst        = say.Both("First", "Первый")
	sayLast         = say.Both("Last", "Последний")
	sayPaidIn       = say.Both("Paid, %s", "Оплачено, %s")
	saySuccess      = say.Both("Paid of ended", "Оплачено из завершённых")
	sayLargest      = say.Both("Largest", "Самый крупный")
	sayShare        = say.Both("%d of %d (%s%%)", "%d из %d (%s %%)")
	sayCards        = say.Both("Cards", "Карты")
	sayNoCards      = say.Both("No card was entered.", "Карт не вводили.")
	sayFailures     = say.Both("Last failures", "Последние неудачи")
	sayNoFailures   = say.Both("Nothing has failed.", "Неудач не было.")
	sayLatest       = say.Both("Last payments", "Последние платежи")
)

// Patterns.
var (
	sayPatternsOf = say.Both(
		"The newest %d payments, made from %s to %s. A pattern proves nothing: open one and look.",
		"Последние платежи: %d, созданы с %s по %s. Закономерность ничего не доказывает: откройте и посмотрите.",
	)
	sayPatternsNone   = say.Both("There are no payments yet.", "Платежей ещё нет.")
	sayPatternFailing = say.Both("Payers who failed %d times and more, and never paid", "Плательщики: от %d неудач и ни одной оплаты")
	sayPatternNear    = say.Both("Payers with %d payments and more just under a limit", "Плательщики: от %d платежей чуть ниже лимита")
	sayPatternFast    = say.Both("Traders who confirmed within %d seconds", "Трейдеры: подтверждение быстрее %d секунд")
	sayPatternNobody  = say.Both("Nobody.", "Никого.")
	sayWho            = say.Both("Who", "Кто")
	sayTimes          = say.Both("Times", "Раз")
	sayLastOfThem     = say.Both("The last one", "Последний")
)

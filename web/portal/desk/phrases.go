package desk

import (
	"gateway.example/web/portal/say"
)

// A trader's desk.
var (
	sayOpenPayments     = say.Both("Open payments", "Открытые платежи")
	sayByMessage        = say.Both("Confirm by this message", "Подтвердить по сообщению")
	sayNothingWaits     = say.Both("Nothing waits.", "Ничего не ждёт.")
	sayNothingWaitsText = say.Both("New payments appear here by themselves.", "Новые платежи появятся здесь сами.")
	sayLineDown         = say.Both(
		"The connection is down. The page may be out of date; it catches up by itself.",
		"Нет связи. Страница могла устареть; она обновится сама.",
	)
	sayArrived   = say.Both("Something new is on the desk.", "На столе новое.")
	sayAwake     = say.Both("Keep the screen on", "Не гасить экран")
	saySoundOn   = say.Both("Turn the sound on", "Включить звук")
	sayPause     = say.Both("Pause", "Приостановить")
	sayBreakNote = say.Both(
		"You have paused: no new payments come. Those that are open still wait for you.",
		"Приём приостановлен: новые платежи не поступают. Открытые по-прежнему ждут вас.",
	)
	sayAvailable      = say.Both("Available", "Доступно")
	sayReserved       = say.Both("Held for open payments", "Удержано под открытые платежи")
	sayPayoutsTaken   = say.Both("Your payouts", "Ваши выплаты")
	sayPayoutsWaiting = say.Both("Payouts to take", "Свободные выплаты")
	sayConfirmed      = say.Both("Confirmed", "Подтверждено")
	sayUndo           = say.Both("Undo", "Отменить")
	sayUnsent         = say.Both(
		"It is not known whether this was confirmed. Look at the payment.",
		"Неизвестно, подтверждён ли платёж. Откройте его и проверьте.",
	)
	sayNoPayouts    = say.Both("No payout waits.", "Свободных выплат нет.")
	sayAnyBank      = say.Both("All banks", "Все банки")
	sayShowBank     = say.Both("Show", "Показать")
	sayEndsSoon     = say.Both("Soon", "Скоро")
	sayLastMinutes  = say.Both("Urgent", "Срочно")
	sayTo           = say.Both("Send to", "Куда")
	sayConfirmTitle = say.Both("Has the money arrived?", "Деньги пришли?")
	sayConfirmText  = say.Both(
		"Look into your bank first. Confirming completes the payment, and the USDT held for it go to the merchant.",
		"Сначала проверьте в банке. Подтверждение завершит платёж, и удержанные под него USDT уйдут мерчанту.",
	)
	sayConfirmLate = say.Both(
		"The time of this payment has run out. Confirm only what your bank shows of this payer: the payment is completed late, and the merchant is told.",
		"Время этого платежа истекло. Подтверждайте, только если банк показывает перевод этого плательщика: платёж завершится с опозданием, мерчант узнает.",
	)
	sayOther     = say.Both("Other amount", "Другая сумма")
	sayOtherCame = say.Both("Another amount came", "Пришла другая сумма")
	sayCame      = say.Both("What came", "Сколько пришло")
	sayCameHint  = say.Both("The whole amount, as your bank shows it.", "Вся сумма, как её показывает банк.")
	sayCameFrom  = say.Both("Who sent it", "Кто отправил")
	sayOtherText = say.Both(
		"What the cashbox does not take, the merchant or an operator decides. Your USDT stay held until then.",
		"Если касса такую сумму не принимает, решает мерчант или оператор. До решения ваши USDT остаются удержаны.",
	)
	sayConfirmOther = say.Both("Confirm what came", "Подтвердить пришедшее")
	sayConfirmYes   = say.Both("Yes, %s arrived", "Да, %s пришли")
	sayCancelTitle  = say.Both("Cancel this payment?", "Отменить платёж?")
	sayCancelText   = say.Both(
		"The payer is told that it is cancelled, and the USDT held for it are yours again.",
		"Плательщик увидит отмену, удержанные USDT вернутся вам.",
	)
	sayCancelClaimed = say.Both(
		"The payer says that they have paid. Cancel only if you are sure that no money came.",
		"Плательщик говорит, что перевёл. Отменяйте, только если уверены, что деньги не приходили.",
	)
	sayCancelYes = say.Both("Cancel the payment", "Отменить платёж")
)

// What a trader keeps.
var (
	sayEarned      = say.Both("You earn, USDT", "Ваш доход, USDT")
	sayCompleted   = say.Both("%d completed", "%d шт.")
	sayEarnings    = say.Both("Earnings", "Доход")
	sayEarnedByDay = say.Both("What you earn, USDT", "Ваш доход, USDT")
	sayEarnedInAll = say.Both("You earned", "Вы заработали")
	saySpeed       = say.Both("Time to confirm, median", "Время подтверждения, медиана")
	saySpeedHint   = say.Both(
		"From when the payer says that they have paid, or else from when the payment was made.",
		"С момента, когда плательщик заявил оплату, или с создания платежа.",
	)
	sayMinutes        = say.Both("%s min", "%s мин")
	sayNoEarnings     = say.Both("Nothing was completed in this time", "За этот период ничего не завершено")
	sayNoEarningsText = say.Both(
		"What you confirm and pay out is added up here.", "Здесь складывается то, что вы подтвердили и выплатили.",
	)
)

// earnedIn are the periods that the desk adds up, which all end with today.
var earnedIn = []struct {
	days  int
	label say.Phrase
}{
	{1, say.Both("Today", "Сегодня")}, {7, say.Both("7 days", "7 дней")}, {30, say.Both("30 days", "30 дней")},
}

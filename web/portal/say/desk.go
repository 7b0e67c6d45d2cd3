package say

// A trader's desk.
var (
	Desk             = Phrase{"Desk", "Стол"}
	OpenPayments     = Phrase{"Open payments", "Открытые платежи"}
	NothingWaits     = Phrase{"Nothing waits.", "Ничего не ждёт."}
	NothingWaitsText = Phrase{"New payments appear here by themselves.", "Новые платежи появятся здесь сами."}
	WhyNone          = Phrase{"Why do I get no payments?", "Почему нет платежей?"}
	LineDown         = Phrase{
		"The connection is down. The page may be out of date; it catches up by itself.",
		"Нет связи. Страница могла устареть; она обновится сама.",
	}
	Arrived    = Phrase{"Something new is on the desk.", "На столе новое."}
	OnShift    = Phrase{"On shift", "На смене"}
	OffShift   = Phrase{"Off shift", "Не на смене"}
	StartShift = Phrase{"Start the shift", "Начать смену"}
	EndShift   = Phrase{"End the shift", "Закончить смену"}
	SoundOn    = Phrase{"Turn the sound on", "Включить звук"}
	OnBreak    = Phrase{"On a break", "Перерыв"}
	TakeBreak  = Phrase{"Take a break", "Перерыв"}
	EndBreak   = Phrase{"End the break", "Закончить перерыв"}
	BreakNote  = Phrase{
		"You are on a break: no new payments come. Those that are open still wait for you.",
		"Перерыв: новые платежи не поступают. Открытые по-прежнему ждут вас.",
	}
	Available      = Phrase{"Available", "Доступно"}
	Reserved       = Phrase{"Held for open payments", "Удержано под открытые платежи"}
	PayoutsTaken   = Phrase{"Your payouts", "Ваши выплаты"}
	PayoutsWaiting = Phrase{"Payouts to take", "Свободные выплаты"}

	Payment      = Phrase{"Payment %d", "Платёж %d"}
	To           = Phrase{"To", "Куда"}
	Card         = Phrase{"Card", "Карта"}
	Step         = Phrase{"Step", "Шаг"}
	PayerClaims  = Phrase{"Payer says paid", "Плательщик: оплачено"}
	Receipts     = Phrase{"Receipts", "Чеки"}
	Reward       = Phrase{"You get", "Вы получите"}
	Recipient    = Phrase{"Recipient", "Получатель"}
	MethodLabel  = Phrase{"Method", "Метод"}
	MerchantGets = Phrase{"The merchant gets", "Мерчант получит"}

	ConfirmAct     = Phrase{"Money arrived", "Деньги пришли"}
	CancelAct      = Phrase{"Cancel", "Отменить"}
	RequestCodeAct = Phrase{"Ask for the code", "Запросить код"}
	ResendAct      = Phrase{"Send the code again", "Код ещё раз"}
	NoCodeAct      = Phrase{"No code needed", "Код не нужен"}
	TakeAct        = Phrase{"Take", "Взять"}
	CompleteAct    = Phrase{"Paid", "Выплачено"}
	FailAct        = Phrase{"Cannot be paid", "Не выплатить"}
	GiveBackAct    = Phrase{"Give back", "Вернуть"}

	ConfirmTitle = Phrase{"Has the money arrived?", "Деньги пришли?"}
	ConfirmText  = Phrase{
		"Look into your bank first. Confirming completes the payment, and the USDT held for it go to the merchant.",
		"Сначала проверьте в банке. Подтверждение завершит платёж, и удержанные под него USDT уйдут мерчанту.",
	}
	ConfirmYes  = Phrase{"Yes, %s arrived", "Да, %s пришли"}
	CancelTitle = Phrase{"Cancel this payment?", "Отменить платёж?"}
	CancelText  = Phrase{
		"The payer is told that it is cancelled, and the USDT held for it are yours again.",
		"Плательщик увидит отмену, удержанные USDT вернутся вам.",
	}
	CancelClaimed = Phrase{
		"The payer says that they have paid. Cancel only if you are sure that no money came.",
		"Плательщик говорит, что перевёл. Отменяйте, только если уверены, что деньги не приходили.",
	}
	CancelYes  = Phrase{"Cancel the payment", "Отменить платёж"}
	Reason     = Phrase{"Reason", "Причина"}
	ReasonHint = Phrase{"The merchant sees it.", "Её увидит мерчант."}
)

// phases are where a card checkout stands.
var phases = map[string]Phrase{
	"awaiting_payer_details":   {"The payer enters a card", "Плательщик вводит карту"},
	"awaiting_trader_bank_sms": {"The bank decides", "Решает банк"},
	"awaiting_payer_otp":       {"The payer enters the code", "Плательщик вводит код"},
	"awaiting_trader_confirm":  {"The bank has the code", "Код у банка"},
}

// PhaseOf says where a card checkout stands.
func PhaseOf(name string) Phrase { return phases[name] }

// methods are the names of ways to pay.
var methods = map[string]Phrase{
	"sbp":        {"SBP transfer", "Перевод по СБП"},
	"sim":        {"Phone top-up", "Пополнение телефона"},
	"card":       {"Card transfer", "Перевод на карту"},
	"c2c":        {"Card transfer", "Перевод на карту"},
	"iban":       {"Bank transfer (IBAN)", "Банковский перевод (IBAN)"},
	"mtstpay":    {"Card (MTS Pay)", "Карта (MTS Pay)"},
	"quasi_ecom": {"Card on the page", "Карта на странице"},
}

// Method is the name of a way to pay. One that has none goes by what the API calls it.
func Method(name string) Phrase {
	if p, known := methods[name]; known {
		return p
	}
	return Phrase{name, name}
}

// Empty tells that there is nothing to say.
func (p Phrase) Empty() bool { return p == Phrase{} }

package say

// What operators begin with.
var (
	WorkTitle = Phrase{"Work", "Работа"}
	NoWork    = Phrase{"Nothing waits.", "Ничто не ждёт."}
	WorkAll   = Phrase{"See all", "Показать все"}
	WorkSince = Phrase{"waits since", "ждёт с"}
	WorkAge   = Phrase{"The oldest first.", "Сначала самое старое."}
)

// workQueues are what waits for operators.
var workQueues = map[string]Phrase{
	"card_conflict":     {"Card conflicts", "Спорные списания с карт"},
	"overdrawn_account": {"Overdrawn accounts", "Счета в минусе"},
	"overdue_payout":    {"Overdue payouts", "Просроченные выплаты"},
	"appeal":            {"Appeals to decide", "Апелляции без решения"},
	"deposit":           {"Deposits to confirm", "Пополнения без подтверждения"},
	"dead_events":       {"Webhooks given up", "Недоставленные вебхуки"},
	"rate_feed":         {"Rate feeds that fail", "Источники курсов с ошибками"},
	"short_trader":      {"Traders short of USDT", "Трейдеры, которым не хватает USDT"},
	"idle_trader":       {"Traders without a free requisite", "Трейдеры без свободного реквизита"},
}

// WorkQueue is the name of a queue.
func WorkQueue(kind string) Phrase { return named(workQueues, kind) }

// What the items of queues are called.
var (
	ShortConflict = Phrase{"Conflict № %d", "Спор № %d"}
	ShortMerchant = Phrase{"Merchant № %d", "Мерчант № %d"}
	ShortTrader   = Phrase{"Trader № %d", "Трейдер № %d"}
	ShortFeed     = Phrase{"Feed № %d", "Источник № %d"}
	DeadCount     = Phrase{"events: %s", "событий: %s"}
)

// Who works on something.
var (
	TakenBy      = Phrase{"Taken by", "Взял(а)"}
	ClaimNobody  = Phrase{"Nobody has taken this.", "Этим никто не занят."}
	ClaimYou     = Phrase{"You took this at %s.", "Вы взяли это в %s."}
	ClaimOther   = Phrase{"%s took this at %s.", "Это с %[2]s у %[1]s."}
	ClaimStale   = Phrase{"%s took this at %s, long ago.", "Это давно, с %[2]s, у %[1]s."}
	ClaimTake    = Phrase{"Take it", "Взять"}
	ClaimOver    = Phrase{"Take it over", "Забрать себе"}
	ClaimRelease = Phrase{"Let go of it", "Отпустить"}
	OverTitle    = Phrase{"Take it over?", "Забрать себе?"}
	OverText     = Phrase{
		"%s has taken this at %s and may be about to decide it. Ask them first.",
		"С %[2]s этим занят(а) %[1]s и, возможно, вот-вот примет решение. Сначала спросите.",
	}
)

// Lists and pages of operators.
var (
	MerchantID   = Phrase{"Merchant №", "Мерчант №"}
	TraderID     = Phrase{"Trader №", "Трейдер №"}
	WrongNumber  = Phrase{"Write its number.", "Укажите номер."}
	TraderKeeps  = Phrase{"The trader keeps", "Доход трейдера"}
	FrozenUSDT   = Phrase{"Frozen, USDT", "Заморожено, USDT"}
	FrozenFact   = Phrase{"Frozen", "Заморожено"}
	NotTaken     = Phrase{"nobody", "никто"}
	CasesNone    = Phrase{"There are none.", "Ничего нет."}
	OverdueTitle = Phrase{"Overdue payouts", "Просроченные выплаты"}
	OverdueText  = Phrase{
		"A trader took these and has not ended them in time.",
		"Трейдер взял их и не завершил вовремя.",
	}
	ConflictsTitle = Phrase{"Card conflicts", "Спорные списания"}
	ConflictsText  = Phrase{
		"The charge of a card ended otherwise than its payment. Settle it with the acquirer, then close it.",
		"Списание с карты закончилось не так, как платёж. Решите вопрос с эквайером, затем закройте спор.",
	}
	ConflictTitle      = Phrase{"Card conflict № %d", "Спор о списании № %d"}
	ConflictOpen       = Phrase{"Open", "Открыт"}
	ConflictClosed     = Phrase{"Closed", "Закрыт"}
	AttemptID          = Phrase{"Attempt", "Попытка"}
	AttemptSays        = Phrase{"The acquirer said", "Ответ эквайера"}
	PaymentStood       = Phrase{"The payment was", "Платёж был"}
	MerchantsReference = Phrase{"The merchant's reference", "Пометка мерчанта"}
	MerchantWrote      = Phrase{"What the merchant wrote", "Что написал мерчант"}
	FoundAt            = Phrase{"Found", "Обнаружен"}
	DeadTitle          = Phrase{"Webhooks given up", "Недоставленные вебхуки"}
	SearchAll          = Phrase{"Number, UUID, or last 4 digits", "Номер, UUID или последние 4 цифры"}
	SearchAllHint      = Phrase{
		"Number, UUID, or last 4 digits; of one merchant also an order",
		"Номер, UUID, последние 4 цифры; у одного мерчанта и заказ",
	}
	NoPaymentsAtAll = Phrase{"Merchants have created none yet.", "Мерчанты их ещё не создавали."}
)

// Decisions of operators.
var (
	ConfirmDepositAct  = Phrase{"Confirm", "Подтвердить"}
	ConfirmDepositAsk  = Phrase{"Have the USDT arrived?", "USDT пришли?"}
	ConfirmDepositText = Phrase{
		"They are credited to the cashbox at once. Compare amount, network and address with the chain first.",
		"Они сразу зачислятся в кассу. Сначала сверьте сумму, сеть и адрес с блокчейном.",
	}
	ConfirmDepositYes = Phrase{"Yes, credit %s", "Да, зачислить %s"}
	RejectDepositAct  = Phrase{"Reject", "Отклонить"}
	RejectDepositAsk  = Phrase{"Reject this deposit?", "Отклонить пополнение?"}
	RejectDepositText = Phrase{
		"Nothing is credited. The merchant sees the reason.",
		"Ничего не зачислится. Причину увидит мерчант.",
	}
	RejectDepositYes = Phrase{"Reject the deposit", "Отклонить пополнение"}

	ReviewAct  = Phrase{"Review", "Рассмотреть"}
	ReviewAsk  = Phrase{"Review this appeal?", "Рассмотреть апелляцию?"}
	ReviewText = Phrase{
		"The payment moves to appeal and the trader's USDT are held again until you decide.",
		"Платёж перейдёт в апелляцию, USDT трейдера будут снова удержаны до решения.",
	}
	ReviewYes  = Phrase{"Begin the review", "Начать рассмотрение"}
	AcceptAct  = Phrase{"Accept", "Принять"}
	AcceptAsk  = Phrase{"Accept this appeal?", "Принять апелляцию?"}
	AcceptText = Phrase{
		"The payment is completed: the merchant gets its USDT from the trader.",
		"Платёж будет завершён: мерчант получит USDT трейдера.",
	}
	AcceptYes  = Phrase{"Yes, complete %s", "Да, завершить %s"}
	RefuseAct  = Phrase{"Refuse", "Отказать"}
	RefuseAsk  = Phrase{"Refuse this appeal?", "Отказать в апелляции?"}
	RefuseText = Phrase{
		"The payment stays failed and the trader's USDT are free again. It cannot be appealed again.",
		"Платёж останется неудачным, USDT трейдера освободятся. Второй апелляции не будет.",
	}
	RefuseAppealYes = Phrase{"Refuse the appeal", "Отказать"}
	MerchantSees    = Phrase{"The merchant sees it.", "Её увидит мерчант."}

	PaidAct  = Phrase{"It is paid", "Выплачено"}
	PaidAsk  = Phrase{"Was this payout paid?", "Выплата произведена?"}
	PaidText = Phrase{
		"The trader gets what is frozen for it. Have the proof before you.",
		"Трейдер получит замороженное. Подтверждение должно быть у вас.",
	}
	PaidYes     = Phrase{"Yes, %s are paid", "Да, %s выплачены"}
	NotPaidAct  = Phrase{"It failed", "Не выплачено"}
	NotPaidAsk  = Phrase{"Has this payout failed?", "Выплата не состоялась?"}
	NotPaidText = Phrase{
		"Nobody pays it any more, and what is frozen goes back to the merchant.",
		"Её больше никто не выплатит, замороженное вернётся мерчанту.",
	}
	NotPaidYes  = Phrase{"It has failed", "Не состоялась"}
	ReclaimAct  = Phrase{"Take it from the trader", "Забрать у трейдера"}
	ReclaimAsk  = Phrase{"Take it from the trader?", "Забрать у трейдера?"}
	ReclaimText = Phrase{
		"Only if you are sure that it was not paid: another trader may take it and pay.",
		"Только если вы уверены, что она не выплачена: её может взять и выплатить другой трейдер.",
	}
	ReclaimYes  = Phrase{"Take it from the trader", "Забрать"}
	ReverseAct  = Phrase{"Reverse", "Отменить выплату"}
	ReverseAsk  = Phrase{"Reverse this payout?", "Отменить завершённую выплату?"}
	ReverseText = Phrase{
		"The recipient never got the money, or it came back. Trader and platform give back their parts, whether they have them or not.",
		"Получатель денег не получил, или они вернулись. Трейдер и платформа возвращают свои доли, даже если их уже нет.",
	}
	ReverseYes = Phrase{"Reverse the payout", "Отменить выплату"}
	CloseAct   = Phrase{"Close", "Закрыть"}
	CloseAsk   = Phrase{"Is it settled?", "Вопрос решён?"}
	CloseText  = Phrase{
		"It leaves the list. Nothing is charged and nothing given back by this.",
		"Спор исчезнет из списка. Ничего не спишется и не вернётся.",
	}
	CloseYes = Phrase{"Yes, close it", "Да, закрыть"}
)

var workFlashes = map[string]Flash{
	"work-taken":    {Phrase{"It is yours now.", "Теперь это у вас."}, ""},
	"work-released": {Phrase{"You let go of it.", "Вы это отпустили."}, ""},
	"work-others": {
		Phrase{"Another operator has taken this: nothing was done.", "Этим занят другой оператор: ничего не сделано."},
		"late",
	},
	"deposit-confirmed": {Phrase{"The deposit is credited.", "Пополнение зачислено."}, ""},
	"deposit-rejected":  {Phrase{"The deposit is rejected.", "Пополнение отклонено."}, ""},
	"appeal-reviewed":   {Phrase{"The appeal is in review.", "Апелляция рассматривается."}, ""},
	"appeal-accepted":   {Phrase{"The payment is completed.", "Платёж завершён."}, ""},
	"appeal-refused":    {Phrase{"The appeal is refused.", "В апелляции отказано."}, ""},
	"payout-resolved":   {Phrase{"The payout has ended.", "Выплата окончена."}, ""},
	"payout-reclaimed":  {Phrase{"The payout waits again.", "Выплата снова ждёт."}, ""},
	"payout-reversed":   {Phrase{"The payout is reversed.", "Выплата отменена."}, ""},
	"conflict-closed":   {Phrase{"The conflict is closed.", "Спор закрыт."}, ""},
}

// Groups of an operator's pages.
var (
	WorkGroup      = Phrase{"Work", "Работа"}
	DirectoryGroup = Phrase{"Directory", "Участники"}
	RateGroup      = Phrase{"Rates and routing", "Курсы и маршруты"}
	MoneyGroup     = Phrase{"Money", "Деньги"}
	TrustGroup     = Phrase{"Trust", "Проверка"}
	SandboxGroup   = Phrase{"Sandbox", "Песочница"}
)

// What a platform needs before its first payment.
var (
	FirstTitle = Phrase{"Before the first payment", "Перед первым платежом"}
	FirstText  = Phrase{
		"Take these steps from the top. The list goes away with the first payment.",
		"Пройдите шаги сверху вниз. Список исчезнет с первым платежом.",
	}
	FirstReady = Phrase{
		"Everything is there. The merchant’s program can create payments, with a key that the merchant’s user makes.",
		"Всё готово. Программа мерчанта может создавать платежи ключом, который выпускает пользователь мерчанта.",
	}
	FirstAsk      = Phrase{"Find out who would get one", "Узнать, кто его получит"}
	FirstDone     = Phrase{"Done", "Готово"}
	FirstOpen     = Phrase{"To do", "Не сделано"}
	FirstOperator = Phrase{
		"Make a second operator with the command gateway operator create: moving money takes two",
		"Создать второго оператора командой gateway operator create: деньги переводят двое",
	}
	FirstRate      = Phrase{"Set a rate", "Задать курс"}
	FirstMerchant  = Phrase{"Create a merchant", "Создать мерчанта"}
	FirstBox       = Phrase{"Create the merchant’s cashbox", "Создать кассу мерчанта"}
	FirstMethod    = Phrase{"Switch on a method of the cashbox", "Включить метод кассы"}
	FirstShop      = Phrase{"Invite the merchant’s user", "Пригласить пользователя мерчанта"}
	FirstTrader    = Phrase{"Create a trader", "Создать трейдера"}
	FirstRequisite = Phrase{"Create the trader’s requisite", "Создать реквизит трейдера"}
	FirstDesk      = Phrase{"Invite the trader’s user", "Пригласить пользователя трейдера"}
	FirstFunds     = Phrase{"Give the trader USDT", "Пополнить счёт трейдера в USDT"}
)

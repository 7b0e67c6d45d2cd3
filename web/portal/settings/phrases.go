package settings

import (
	"gateway.example/web/portal/say"
)

// An owner's consent to users whom operators let in.
var (
	sayApproved       = say.Both("Approved", "Одобрено")
	sayApprovedOf     = say.Both("%s\u00a0%% (%d)", "%s\u00a0%% (%d)")
	sayDeclined       = say.Both("Declined", "Отклонено")
	sayAttemptsFailed = say.Both("Lost or conflicting", "Потеряно или спорно")
	sayTook           = say.Both("Median, p95 (s)", "Медиана, p95 (с)")
	sayTookOf         = say.Both("%s · %s", "%s · %s")
	sayProcessorsText = say.Both(
		"Card attempts of the trader's newest payments of seven days. Time while a payer types a code is not counted.",
		"Попытки по картам для последних платежей трейдера за семь дней. Время, пока плательщик вводит код, не считается.",
	)
	sayPaidShare  = say.Both("Paid", "Оплачено")
	sayPaidByDay  = say.Both("Paid by day, %", "Оплачено по дням, %")
	sayConfirmsIn = say.Both("Confirms in", "Подтверждает за")
	sayUsable     = say.Both("Requisites usable", "Доступно реквизитов")
	sayUsableOf   = say.Both("%d of %d", "%d из %d")
	sayHealthText = say.Both(
		"Of each trader's newest payments of seven days: the share that was paid, and the median time to confirm.",
		"По последним платежам каждого трейдера за семь дней: доля оплаченных и медиана времени подтверждения.",
	)
	sayConsentHint = say.Both(
		"Until an owner accepts them, or for 24 hours, they can only look.",
		"Пока владелец не примет пользователя или не пройдут сутки, тот может только смотреть.",
	)
)

// The directory of the operators' console: who takes part, and by which terms.
var (
	sayNewMerchant     = say.Both("New merchant", "Новый мерчант")
	sayNewCashbox      = say.Both("New cashbox", "Новая касса")
	sayNewTrader       = say.Both("New trader", "Новый трейдер")
	sayNewRequisite    = say.Both("New requisite", "Новый реквизит")
	sayNewUser         = say.Both("New user", "Новый пользователь")
	sayNewBank         = say.Both("New bank", "Новый банк")
	sayMake            = say.Both("Create", "Создать")
	sayFindByName      = say.Both("Part of the name, or id", "Часть названия или номер")
	sayFindByLogin     = say.Both("Part of the login, or id", "Часть логина или номер")
	sayFindByRequisite = say.Both("Id, last 4 digits, holder, bank", "Номер, последние 4 цифры, владелец, банк")
	sayOnlyOn          = say.Both("Switched on", "Включённые")
	sayOnlyOff         = say.Both("Switched off", "Выключенные")
	sayShowAllOf       = say.Both("Show all", "Показать все")
	sayNobodyYet       = say.Both("Nothing here yet.", "Здесь пока пусто.")
	sayBoxOfMerchant   = say.Both(
		"A cashbox belongs to a merchant: create it on the merchant’s page.",
		"Касса принадлежит мерчанту: создайте её на странице мерчанта.",
	)
	sayRequisiteOfTrader = say.Both(
		"A requisite belongs to a trader: create it on the trader’s page.",
		"Реквизит принадлежит трейдеру: создайте его на странице трейдера.",
	)
	sayNotSetYet     = say.Both("Not set up", "Не настроено")
	saySettings      = say.Both("Settings", "Настройки")
	sayKnown         = say.Both("Now", "Сейчас")
	sayMerchantLabel = say.Both("Merchant", "Мерчант")
	sayTraderLabel   = say.Both("Trader", "Трейдер")
	sayMadeOn        = say.Both("Created", "Создание")
	sayOpenOf        = say.Both("Open payments", "Открытые платежи")
	sayOpenOrMore    = say.Both("%d or more", "%d или больше")
	sayHasAvailable  = say.Both("Available, USDT", "Доступно, USDT")
	sayHasReserved   = say.Both("Reserved, USDT", "Удержано, USDT")
	sayInsuredUSDT   = say.Both("Insurance, USDT", "Страховой депозит, USDT")
	sayOnBreakNow    = say.Both("Paused", "Приём приостановлен")
	sayOwnSwitch     = say.Both("Trader’s own switch", "Выключатель трейдера")
	sayValueShown    = say.Both("Requisite № %d", "Реквизит № %d")
	sayChanged       = say.Both(
		"It has changed since you opened it. Nothing was overwritten: below is how it stands now. Make your change again.",
		"С тех пор, как вы открыли страницу, настройки изменились. Ничего не перезаписано: ниже то, что действует сейчас. Внесите изменение заново.",
	)
	sayYouTyped        = say.Both("You had entered: %s.", "Вы вводили: %s.")
	sayWebhookSecret   = say.Both("Secret that signs its webhooks", "Секрет подписи вебхуков")
	sayCashboxMade     = say.Both("The cashbox was created", "Касса создана")
	sayCashboxMadeText = say.Both(
		"Give the merchant this secret. Next, set up its methods.",
		"Передайте секрет мерчанту. Дальше настройте методы.",
	)
	sayPayoutMethods  = say.Both("Methods of payouts", "Методы выплат")
	sayPaymentMethods = say.Both("Methods of payments", "Методы платежей")
	sayMethodOf       = say.Both("%s, %s", "%s, %s")
	sayProcessor      = say.Both("Card processor", "Карточный процессор")
	sayProcessors     = say.Both("Card processors", "Карточные процессоры")
	saySetProcessor   = say.Both("Set the processor", "Задать процессор")
	sayProcessorText  = say.Both(
		"Cards already sent stay with the processor they were sent to, which must go on answering until none is open.",
		"Уже отправленные карты остаются у прежнего процессора: он должен отвечать, пока есть открытые.",
	)
	sayProcessorNow     = say.Both("Takes new cards", "Принимает новые карты")
	sayProcessorOld     = say.Both("Former", "Прежний")
	sayOpenAttempts     = say.Both("Open attempts", "Открытых попыток")
	sayRemoveProcessor  = say.Both("Remove the processor", "Убрать процессор")
	sayRemoveProcessor1 = say.Both("Remove the processor?", "Убрать процессор?")
	sayRemoveProcText   = say.Both(
		"The trader takes no new cards. Cards already sent go on.",
		"Трейдер не получит новых карт. Уже отправленные доработают.",
	)
	sayRemoveProcYes  = say.Both("Yes, remove it", "Да, убрать")
	sayPool           = say.Both("Method and currency", "Метод и валюта")
	sayDeskHint       = say.Both("Empty for card checkout.", "Пусто для оплаты картой.")
	sayTheirOwn       = say.Both("Trader’s own: %s", "У трейдера: %s")
	sayLookAsThem     = say.Both("View as this user", "Смотреть как этот пользователь")
	sayKindAndRole    = say.Both("Kind and role", "Вид и роль")
	sayBelongsTo      = say.Both("Belongs to", "Принадлежит")
	sayForMerchants   = say.Both("For a merchant’s user", "Для пользователя мерчанта")
	sayForTraders     = say.Both("For a trader’s user", "Для пользователя трейдера")
	sayForCabinet     = say.Both("For a payer, with commas between", "Для плательщика, через запятую")
	sayUserInviteText = say.Both("You get a link with which they set a password.", "Вы получите ссылку, чтобы задать пароль.")
	sayBankLinkHint   = say.Both(
		"May have {value}, {phone}, {amount}, {recipient}.", "Может содержать {value}, {phone}, {amount}, {recipient}.",
	)
	sayBankStepsHint = say.Both(
		"A line for each language, as in “en: Open Transfers”.", "По строке на язык, например «en: Open Transfers».",
	)
	sayBankLogo     = say.Both("Logo, PNG or WebP, up to 32 KiB", "Логотип, PNG или WebP, до 32 КиБ")
	sayBankHasLogo  = say.Both("Logo", "Логотип")
	sayHistoryFrom  = say.Both("%s: %s → %s", "%s: %s → %s")
	sayHistoryIs    = say.Both("%s: %s", "%s: %s")
	sayHistoryMade  = say.Both("Created", "Создано")
	sayHistorySet   = say.Both("Changed", "Изменено")
	sayHistoryEnded = say.Both("Ended all sessions", "Все сеансы завершены")
	sayHistoryEmpty = say.Both("nothing", "ничего")
)

// A merchant's team, and what it did.
var (
	sayLockedFactor = say.Both("locked after wrong codes", "заблокирован после неверных кодов")
)

// Suspending somebody, and limits.
var (
	sayTryPayment      = say.Both("Try a payment: nothing is made by it", "Попробовать платёж: ничего не создаётся")
	sayWhyPayments     = say.Both("Why payments come, or none", "Почему платежи приходят или нет")
	saySuspend         = say.Both("Suspend", "Приостановить")
	sayResume          = say.Both("Let them work again", "Возобновить")
	saySuspendOf       = say.Both("Suspend %s?", "Приостановить: %s?")
	sayResumeOf        = say.Both("Let %s work again?", "Возобновить: %s?")
	saySuspendMerchant = say.Both(
		"From now on their programs are refused: no payments, no payouts, no reads. Their users still sign in, and can appeal. "+
			"You undo it on the same page.",
		"С этого момента их программам отказано: ни платежей, ни выплат, ни чтения. Пользователи по-прежнему входят и могут "+
			"подать апелляцию. Отменить это можно на этой же странице.",
	)
	sayResumeMerchant = say.Both("Their programs may call again at once.", "Их программы сразу снова смогут работать.")
	saySuspendTrader  = say.Both(
		"From now on they get no payments and take no payouts. Their users still sign in and answer for what is open. "+
			"You undo it on the same page.",
		"С этого момента они не получают платежей и не берут выплат. Пользователи по-прежнему входят и отвечают за открытое. "+
			"Отменить это можно на этой же странице.",
	)
	sayResumeTrader = say.Both("They get payments and payouts again at once.", "Они сразу снова получат платежи и выплаты.")
	saySuspendBox   = say.Both(
		"From now on it takes no new payments. Payouts and balances stay as they are. You undo it on the same page.",
		"С этого момента она не принимает новых платежей. Выплаты и баланс не меняются. Отменить это можно на этой же странице.",
	)
	sayResumeBox        = say.Both("It takes payments again at once.", "Она сразу снова принимает платежи.")
	saySuspendRequisite = say.Both(
		"From now on it gets no new payments, and its trader cannot switch it on. You undo it on the same page.",
		"С этого момента он не получает новых платежей, и трейдер включить его не может. Отменить это можно на этой же странице.",
	)
	sayResumeRequisite = say.Both(
		"It gets payments again at once, unless its trader has switched it off.",
		"Он сразу снова получает платежи, если его не выключил трейдер.",
	)
	sayOpenStay = say.Both("Open payments: %s. They stay open, and are credited when paid.",
		"Открытых платежей: %s. Они остаются открытыми и зачтутся при оплате.")
	sayPayoutsStay = say.Both("Payouts not ended: %s. They go on.", "Незавершённых выплат: %s. Они продолжаются.")
	sayReasonKept  = say.Both("It is kept in the log of changes.", "Останется в истории изменений.")
	sayLimitAsk    = say.Both("Change the limits of %s?", "Изменить пределы: %s?")
	sayLimitText   = say.Both("They hold for every payment in the currency, at all merchants, from now on.",
		"Они действуют для каждого платежа в валюте, у всех мерчантов, с этого момента.")
	sayLimitFrom = say.Both("%s: %s → %s", "%s: %s → %s")
	sayChange    = say.Both("Change", "Изменить")
)

// A shop's logo.
var (
	sayRemoveLogo     = say.Both("Remove the logo", "Убрать логотип")
	sayRemoveLogoOf   = say.Both("Remove the logo of %s", "Убрать логотип: %s")
	sayRemoveLogoText = say.Both(
		"Payers then see the shop's name in its place. The merchant may set another one.",
		"Плательщики увидят вместо него название магазина. Мерчант может загрузить другой.",
	)
)

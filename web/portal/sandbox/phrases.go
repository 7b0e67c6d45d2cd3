package sandbox

import (
	"gateway.example/web/portal/say"
)

// The page that a sandbox begins with, and its inbox.
var (
	saySandboxTitle = say.Both("Try the gateway", "Попробуйте шлюз")
	saySandboxStep1 = say.Both(
		"Create a payment below and open the payer’s page: this is what a shop’s customer sees.",
		"Создайте платёж ниже и откройте страницу плательщика: это видит покупатель магазина.",
	)
	saySandboxStep2 = say.Both(
		"Send the bank’s message about it, as the trader’s phone does: it confirms the payment without a hand. Or open it as its trader and confirm it.",
		"Отправьте о нём сообщение банка, как телефон трейдера: платёж подтвердится сам. Или откройте его как трейдер и подтвердите.",
	)
	saySandboxStep3 = say.Both(
		"See the signed webhook in the inbox. The whole takes a minute, and no money is real.",
		"Посмотрите подписанный вебхук во входящих. Всё занимает минуту, деньги ненастоящие.",
	)
	saySandboxPay      = say.Both("Create a payment", "Создать платёж")
	saySandboxPayOut   = say.Both("Create a payout", "Создать выплату")
	saySandboxCreate   = say.Both("Create", "Создать")
	saySandboxPeople   = say.Both("Sign in with a click", "Войти одним нажатием")
	saySandboxAPI      = say.Both("The API", "API")
	saySandboxAddress  = say.Both("Address", "Адрес")
	saySandboxKeys     = say.Both("Key ids", "Ключи")
	saySandboxSecrets  = say.Both("Secrets are in", "Секреты в файле")
	saySandboxDocs     = say.Both("Documentation", "Документация")
	saySandboxRefused  = say.Both("%s (%s)", "Отказ: %s (%s)")
	saySandboxMade     = say.Both("What you made", "Что вы создали")
	sayMadeNothing     = say.Both("Nothing yet.", "Пока ничего.")
	sayMadeNothingText = say.Both(
		"Create a payment above, or by the API: it appears here by itself.",
		"Создайте платёж выше или через API: он появится здесь сам.",
	)
	sayMadeWhat     = say.Both("What", "Что")
	sayMadeAmount   = say.Both("Amount", "Сумма")
	sayMadeStatus   = say.Both("Status", "Статус")
	sayMadeNext     = say.Both("Open", "Открыть")
	sayMadePayer    = say.Both("Payer’s page", "Страница плательщика")
	sayMadeTrader   = say.Both("As %s", "Как %s")
	sayMadeMessage  = say.Both("Bank’s message", "Сообщение банка")
	sayMadeHooks    = say.Both("Webhooks", "Вебхуки")
	sayPayoutNumber = say.Both("Payout № %d", "Выплата № %d")
	sayInbox        = say.Both("Inbox of webhooks", "Входящие вебхуки")
	sayInboxAll     = say.Both("Show all", "Показать все")
	sayInboxText    = say.Both(
		"What the gateway sends to the shop, for payments made on the start page. The last 200 are kept until a restart.",
		"Что шлюз отправляет магазину о платежах со стартовой страницы. Хранятся последние 200 до перезапуска.",
	)
	sayInboxNothing     = say.Both("No webhooks yet.", "Вебхуков пока нет.")
	sayInboxNothingText = say.Both(
		"One comes when a payment ends: confirm it as its trader.",
		"Вебхук придёт, когда платёж завершится: подтвердите его как трейдер.",
	)
	sayHookVerified = say.Both("signature verified", "подпись верна")
	sayHookWrong    = say.Both("signature wrong", "подпись неверна")
	sayHookBody     = say.Both("Body and headers", "Тело и заголовки")
	sayHookHeaders  = say.Both("Headers", "Заголовки")
)

// The page of the sandbox's wallet.
var (
	sayWallet     = say.Both("Wallet of the sandbox", "Кошелёк песочницы")
	sayWalletText = say.Both(
		"The sandbox has networks of its own. Send what a deposit waits for, or pay a withdrawal that was handed over, as a signer outside would. The gateway sees the transfer, counts its confirmations, and ends the matter in half a minute.",
		"У песочницы свои сети. Отправьте то, чего ждёт пополнение, или оплатите переданный вывод, как это сделал бы внешний подписант. Шлюз увидит перевод, дождётся подтверждений и через полминуты завершит дело.",
	)
	sayWalletDeposits      = say.Both("Deposits that wait", "Пополнения в ожидании")
	sayWalletNoDeposits    = say.Both("None: sign in as a merchant and request one.", "Нет: войдите как мерчант и запросите пополнение.")
	sayWalletSend          = say.Both("Send", "Отправить")
	sayWalletWithdrawals   = say.Both("Withdrawals to be paid", "Выводы к оплате")
	sayWalletNoWithdrawals = say.Both(
		"None: a merchant or trader requests one, then an operator approves it and hands it over.",
		"Нет: мерчант или трейдер запрашивает вывод, оператор одобряет и передаёт его.",
	)
	sayWalletPay      = say.Both("Pay", "Оплатить")
	sayWalletOnItsWay = say.Both("On its way", "В пути")
	sayWalletSent     = say.Both("Transfers", "Переводы")
	sayWalletNothing  = say.Both("Nothing was sent yet.", "Ещё ничего не отправлено.")
	saySandboxStep4   = say.Both(
		"Deposit and withdraw USDT: a merchant requests, and the wallet sends on the sandbox’s own networks.",
		"Пополните и выведите USDT: мерчант запрашивает, а кошелёк отправляет в собственных сетях песочницы.",
	)
)

// The simulated traders of a sandbox.
var (
	saySimulatorText = say.Both(
		"Simulated traders answer for payments to a requisite. In card checkout the sandbox's processor answers. What is left to 100 % is never answered, and expires.",
		"Имитируемые трейдеры отвечают за платежи на реквизит. За оплату картой отвечает процессинг песочницы. Остаток до 100 % остаётся без ответа и истекает.",
	)
	saySimulatorRuns   = say.Both("Running", "Работает")
	saySimulatorStands = say.Both("Stopped", "Остановлена")
	saySimulatorSince  = say.Both("Answered since the last start", "Ответы с последнего запуска")
	saySimulatorStart  = say.Both("Start", "Запустить")
	saySimulatorChange = say.Both("Start again with these", "Запустить заново с этими")
	saySimulatorStop   = say.Both("Stop", "Остановить")
	sayDoneConfirmed   = say.Both("Confirmed", "Подтверждено")
	sayDoneWrong       = say.Both("Cancelled for another amount", "Отменено из-за другой суммы")
	sayDoneCancelled   = say.Both("Cancelled, nothing came", "Отменено, перевода нет")
	sayPlayConfirmed   = say.Both("Confirmed, %", "Пришло, %")
	sayPlayWrong       = say.Both("Another amount, %", "Другая сумма, %")
	sayPlayCancelled   = say.Both("Cancelled, %", "Отменено, %")
	sayPlayFrom        = say.Both("From, seconds", "От, секунд")
	sayPlayTo          = say.Both("To, seconds", "До, секунд")
)

// The page that sends a bank's message.
var (
	sayMessage     = say.Both("Send a bank’s message", "Отправить сообщение банка")
	sayMessageText = say.Both(
		"The trader’s phone forwards it by a signed call, as a real one does. A message about the exact amount of one open payment confirms it.",
		"Телефон трейдера пересылает его подписанным вызовом, как настоящий. Сообщение ровно на сумму одного открытого платежа подтверждает его.",
	)
	sayMessageSend       = say.Both("Send", "Отправить")
	sayMessageSender     = say.Both("Sender", "Отправитель")
	sayMessageSenderHint = say.Both("A number or name for an SMS, an app’s package for a push", "Номер или имя для SMS, пакет приложения для пуша")
	sayMessageBody       = say.Both("Text", "Текст")
	sayMessageTrader     = say.Both("Choose a trader.", "Выберите трейдера.")
)

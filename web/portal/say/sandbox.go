package say

// The page that a sandbox begins with, and its inbox.
var (
	SandboxTitle = Phrase{"Try the gateway", "Попробуйте шлюз"}
	SandboxStep1 = Phrase{
		"Create a payment below and open the payer’s page: this is what a shop’s customer sees.",
		"Создайте платёж ниже и откройте страницу плательщика: это видит покупатель магазина.",
	}
	SandboxStep2 = Phrase{
		"Open it as its trader in another tab, and confirm that the money has arrived.",
		"Откройте его как трейдер в другой вкладке и подтвердите, что деньги пришли.",
	}
	SandboxStep3 = Phrase{
		"See the signed webhook in the inbox. The whole takes a minute, and no money is real.",
		"Посмотрите подписанный вебхук во входящих. Всё занимает минуту, деньги ненастоящие.",
	}
	SandboxPay     = Phrase{"Create a payment", "Создать платёж"}
	SandboxPayOut  = Phrase{"Create a payout", "Создать выплату"}
	SandboxCreate  = Phrase{"Create", "Создать"}
	SandboxPeople  = Phrase{"Sign in with a click", "Войти одним нажатием"}
	SandboxAPI     = Phrase{"The API", "API"}
	SandboxAddress = Phrase{"Address", "Адрес"}
	SandboxKeys    = Phrase{"Key ids", "Ключи"}
	SandboxSecrets = Phrase{"Secrets are in", "Секреты в файле"}
	SandboxDocs    = Phrase{"Documentation", "Документация"}
	SandboxRefused = Phrase{"%s (%s)", "Отказ: %s (%s)"}

	SandboxMade     = Phrase{"What you made", "Что вы создали"}
	MadeNothing     = Phrase{"Nothing yet.", "Пока ничего."}
	MadeNothingText = Phrase{
		"Create a payment above, or by the API: it appears here by itself.",
		"Создайте платёж выше или через API: он появится здесь сам.",
	}
	MadeWhat     = Phrase{"What", "Что"}
	MadeAmount   = Phrase{"Amount", "Сумма"}
	MadeStatus   = Phrase{"Status", "Статус"}
	MadeNext     = Phrase{"Open", "Открыть"}
	MadePayer    = Phrase{"Payer’s page", "Страница плательщика"}
	MadeTrader   = Phrase{"As %s", "Как %s"}
	MadeHooks    = Phrase{"Webhooks", "Вебхуки"}
	PayoutNumber = Phrase{"Payout %d", "Выплата %d"}

	Inbox     = Phrase{"Inbox of webhooks", "Входящие вебхуки"}
	InboxAll  = Phrase{"Show all", "Показать все"}
	InboxText = Phrase{
		"What the gateway sends to the shop, for payments made on the start page. The last 200 are kept until a restart.",
		"Что шлюз отправляет магазину о платежах со стартовой страницы. Хранятся последние 200 до перезапуска.",
	}
	InboxNothing     = Phrase{"No webhooks yet.", "Вебхуков пока нет."}
	InboxNothingText = Phrase{
		"One comes when a payment ends: confirm it as its trader.",
		"Вебхук придёт, когда платёж завершится: подтвердите его как трейдер.",
	}
	HookVerified = Phrase{"signature verified", "подпись верна"}
	HookWrong    = Phrase{"signature wrong", "подпись неверна"}
	HookBody     = Phrase{"Body and headers", "Тело и заголовки"}
	HookHeaders  = Phrase{"Headers", "Заголовки"}
)

var sandboxFlashes = map[string]Flash{
	"payment-made": {
		Phrase{"The payment is created. Open the payer’s page.", "Платёж создан. Откройте страницу плательщика."}, "",
	},
	"payout-made": {
		Phrase{"The payout is created. A trader can take it.", "Выплата создана. Её может взять трейдер."}, "",
	},
}

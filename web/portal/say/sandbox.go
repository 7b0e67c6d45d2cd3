package say

var sandboxFlashes = map[string]Flash{
	"forwarded-confirmed": {Phrase{"The message has confirmed a payment.", "Сообщение подтвердило платёж."}, ""},
	"forwarded-shadow":    {Phrase{"The message is on trial: it would have confirmed a payment.", "Проба: сообщение подтвердило бы платёж."}, "late"},
	"forwarded-waiting":   {Phrase{"The message waits for its trader.", "Сообщение ждёт трейдера."}, "late"},
	"forwarded-noted":     {Phrase{"The message is kept and does nothing.", "Сообщение сохранено и ничего не делает."}, "late"},
	"wallet-sent":         {Phrase{"The transfer is sent. It is confirmed in half a minute.", "Перевод отправлен. Через полминуты он подтвердится."}, ""},
	"wallet-paid":         {Phrase{"The withdrawal is paid. It is completed in half a minute.", "Вывод оплачен. Через полминуты он завершится."}, ""},
	"payment-made": {
		Phrase{"The payment is created. Open the payer’s page.", "Платёж создан. Откройте страницу плательщика."}, "",
	},
	"payout-made": {
		Phrase{"The payout is created. A trader can take it.", "Выплата создана. Её может взять трейдер."}, "",
	},
}

// The simulated traders of a sandbox.
var (
	SimulatorTitle = Phrase{"Trader simulator", "Имитация трейдеров"}
)

var simulatorFlashes = map[string]Flash{
	"simulator-started": {Text: Phrase{"Traders are simulated now.", "Трейдеры теперь имитируются."}},
	"simulator-stopped": {Text: Phrase{"Nobody answers for traders now.", "За трейдеров теперь никто не отвечает."}},
}

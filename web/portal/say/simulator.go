package say

// The simulated traders of a sandbox.
var (
	SimulatorTitle = Phrase{"Trader simulator", "Имитация трейдеров"}
	SimulatorText  = Phrase{
		"Simulated traders answer for payments to a requisite. In card checkout the sandbox's processor answers. What is left to 100 % is never answered, and expires.",
		"Имитируемые трейдеры отвечают за платежи на реквизит. За оплату картой отвечает процессинг песочницы. Остаток до 100 % остаётся без ответа и истекает.",
	}
	SimulatorRuns   = Phrase{"Running", "Работает"}
	SimulatorStands = Phrase{"Stopped", "Остановлена"}
	SimulatorSince  = Phrase{"Answered since the last start", "Ответы с последнего запуска"}
	SimulatorStart  = Phrase{"Start", "Запустить"}
	SimulatorChange = Phrase{"Start anew with these", "Запустить заново с этими"}
	SimulatorStop   = Phrase{"Stop", "Остановить"}
	DoneConfirmed   = Phrase{"Confirmed", "Подтверждено"}
	DoneWrong       = Phrase{"Cancelled for another amount", "Отменено из-за другой суммы"}
	DoneCancelled   = Phrase{"Cancelled, nothing came", "Отменено, перевода нет"}
	PlayConfirmed   = Phrase{"Confirmed, %", "Подтверждено, %"}
	PlayWrong       = Phrase{"Another amount, %", "Другая сумма, %"}
	PlayCancelled   = Phrase{"Cancelled, %", "Отменено, %"}
	PlayFrom        = Phrase{"From, seconds", "От, секунд"}
	PlayTo          = Phrase{"To, seconds", "До, секунд"}
)

var simulatorFlashes = map[string]Flash{
	"simulator-started": {Text: Phrase{"Traders are simulated now.", "Трейдеры теперь имитируются."}},
	"simulator-stopped": {Text: Phrase{"Nobody answers for traders now.", "За трейдеров теперь никто не отвечает."}},
}

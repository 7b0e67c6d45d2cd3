package say

// What operators begin with.
var (
	WorkTitle = Phrase{"Work", "Работа"}
	NoWork    = Phrase{"Nothing waits.", "Ничто не ждёт."}
)

// Groups of an operator's pages.
var (
	WorkGroup      = Phrase{"Work", "Работа"}
	DirectoryGroup = Phrase{"Directory", "Участники"}
	RateGroup      = Phrase{"Rates and routing", "Курсы и маршруты"}
	MoneyGroup     = Phrase{"Money", "Деньги"}
	TrustGroup     = Phrase{"Trust", "Проверка"}
	SandboxGroup   = Phrase{"Sandbox", "Песочница"}
)

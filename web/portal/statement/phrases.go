package statement

import (
	"gateway.example/internal/ledger"
	"gateway.example/web/portal/say"
)

// Money that operators move by hand.
var (
	sayOwner        = say.Both("Owner", "Владелец")
	sayAllOwners    = say.Both("All", "Все")
	sayCashboxesAll = say.Both("Cashboxes", "Кассы")
	sayNoAccounts   = say.Both("There are no accounts here.", "Здесь нет счетов.")
	sayOverdrawn    = say.Both("Overdrawn", "Перерасход")
)

// A trader's statement.
var (
	sayAccounts     = say.Both("Accounts", "Счета")
	sayOpening      = say.Both("At the beginning", "На начало")
	sayClosing      = say.Both("At the end", "На конец")
	sayNow          = say.Both("Now", "Сейчас")
	sayMovement     = say.Both("Movement", "Движение")
	sayBalanceAfter = say.Both("Balance", "Остаток")
	sayNoMovements  = say.Both("Nothing was moved in this time.", "За этот период движений нет.")
	sayShortPayout  = say.Both("Payout № %d", "Выплата № %d")
	sayShortFunding = say.Both("Operation № %d", "Операция № %d")
)

// The parts of what one event moved, by the owner on the other side.
var (
	sayTo = map[ledger.Owner]say.Phrase{
		ledger.External: say.Both("Out", "Вывод"),
		ledger.Platform: say.Both("To the platform", "Платформе"),
		ledger.Cashbox:  say.Both("To the merchant", "Мерчанту"),
		ledger.Trader:   say.Both("To the trader", "Трейдеру"),
	}
	sayFrom = map[ledger.Owner]say.Phrase{
		ledger.External: say.Both("In", "Ввод"),
		ledger.Platform: say.Both("From the platform", "От платформы"),
		ledger.Cashbox:  say.Both("From the merchant", "От мерчанта"),
		ledger.Trader:   say.Both("From the trader", "От трейдера"),
	}
	sayNoLongerHeld = say.Both("No longer held", "Удержание снято")
	sayPaidOut      = say.Both("For the payout", "За выплату")
)

package deposits

import (
	"gateway.example/web/portal/say"
)

// What cashboxes hold.
var (
	sayAllCashboxes   = say.Both("All cashboxes", "Все кассы")
	sayNoCashboxes    = say.Both("There are no cashboxes yet.", "Касс пока нет.")
	sayRequestDeposit = say.Both("Request a deposit", "Запросить пополнение")
)

// Deposits.
var (
	sayAddressHint    = say.Both("Where the USDT are sent.", "Куда отправлены USDT.")
	sayMetadataHint   = say.Both("One pair in each line, such as region=west", "По одной паре в строке, например region=west")
	sayReference      = say.Both("Your reference", "Ваша пометка")
	sayNoDepositsText = say.Both(
		"A deposit brings USDT into a cashbox, which payouts are paid from.",
		"Пополнение вносит в кассу USDT, из которых идут выплаты.",
	)
	sayRequestDepositText = say.Both(
		"An operator confirms the deposit once the USDT have arrived. Only then are they in your cashbox.",
		"Оператор подтвердит пополнение, когда USDT придут. Только тогда они окажутся в кассе.",
	)
	sayRequestDepositNext = say.Both(
		"The next page shows the address to send the USDT to. They are in your cashbox once they have arrived and an operator has confirmed them.",
		"На следующей странице будет адрес, куда отправить USDT. В кассе они окажутся, когда придут и оператор это подтвердит.",
	)
	sayNetworkClosed = say.Both(
		"The platform takes no deposits by this network any more.", "По этой сети платформа больше не принимает пополнения.",
	)
	saySend     = say.Both("Send %s by %s", "Отправьте %s по %s")
	saySendText = say.Both(
		"Send exactly this amount, and only USDT over %s: anything else sent to this address may be lost.",
		"Отправьте ровно эту сумму и только USDT по сети %s: всё остальное, отправленное на этот адрес, может пропасть.",
	)
	sayNameHash = say.Both("Hash of your transaction", "Хеш вашей транзакции")
	sayNameHint = say.Both(
		"64 characters. It helps to find what you sent, also where the amount differs. An operator confirms then.",
		"64 символа. По нему найдут отправленное, даже если сумма отличается. Тогда подтвердит оператор.",
	)
	sayNamed             = say.Both("Your transaction", "Ваша транзакция")
	sayNameYes           = say.Both("Save the hash", "Сохранить хеш")
	sayNameHead          = say.Both("Already sent?", "Уже отправили?")
	saySandboxSend       = say.Both("Send from the sandbox’s wallet", "Отправить из кошелька песочницы")
	sayRequestDepositYes = say.Both("Request the deposit", "Запросить")
)

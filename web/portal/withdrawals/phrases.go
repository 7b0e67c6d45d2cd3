package withdrawals

import "gateway.example/web/portal/say"

// What owners read.
var (
	saySandboxPay = say.Both("Pay from the sandbox’s wallet", "Оплатить из кошелька песочницы")
	sayNone       = say.Both("No withdrawals yet", "Выводов ещё нет")
	sayNoneText   = say.Both(
		"A withdrawal sends USDT to an address of your address book.", "Вывод отправляет USDT на адрес из вашей адресной книги.",
	)
	sayWithdraw    = say.Both("Withdraw", "Вывести")
	sayBook        = say.Both("Address book", "Адресная книга")
	sayRequestText = say.Both(
		"An operator looks at the withdrawal before it is sent. Until then you can take it back.",
		"Перед отправкой вывод проверит оператор. До этого его можно отменить.",
	)
	sayYouHave   = say.Both("You have %s available.", "Доступно %s.")
	sayNoAddress = say.Both(
		"Add an address to your address book first. It can be used 24 hours later.",
		"Сначала добавьте адрес в адресную книгу. Им можно пользоваться через 24 часа.",
	)
	sayAllRest      = say.Both("No address can be used yet", "Пока нет доступного адреса")
	sayContinue     = say.Both("Continue", "Продолжить")
	sayTermsLine    = say.Both("%s: fee %s, at least %s, at most %s a day.", "%s: комиссия %s, не меньше %s, не больше %s в день.")
	sayArrives      = say.Both("Amount that arrives, USDT", "Сумма к получению, USDT")
	sayLeaves       = say.Both("Leaves your balance", "Спишется с баланса")
	sayFee          = say.Both("Fee", "Комиссия")
	sayHash         = say.Both("Transaction", "Транзакция")
	sayConfirmTitle = say.Both("Withdraw these USDT?", "Вывести эти USDT?")
	sayConfirmText  = say.Both(
		"Compare the address character by character. What was sent cannot be called back.",
		"Сверьте каждый символ адреса. Отправленное вернуть нельзя.",
	)
	sayConfirmYes  = say.Both("Withdraw %s", "Вывести %s")
	sayCancel      = say.Both("Take it back", "Отменить вывод")
	sayCancelTitle = say.Both("Take the withdrawal back?", "Отменить вывод?")
	sayCancelText  = say.Both("%s are available again then.", "%s снова станут доступны.")
	sayRestNotice  = say.Both(
		"New address “%s” (%s), added by %s. It can be used from %s. If none of you added it, remove it.",
		"Новый адрес «%s» (%s). Кто добавил: %s. Им можно пользоваться с %s. Если это не вы, удалите его.",
	)
)

// The address book.
var (
	sayBookNone = say.Both("No addresses yet", "Адресов ещё нет")
	sayBookText = say.Both(
		"USDT are only sent to addresses of this book. A new one rests for 24 hours first.",
		"USDT отправляются только на адреса этой книги. Новый адрес сначала выдерживается 24 часа.",
	)
	sayAdd     = say.Both("Add an address", "Добавить адрес")
	sayAddText = say.Both(
		"It can be used after 24 hours. All owners see that it was added, and by whom.",
		"Им можно будет пользоваться через 24 часа. Все владельцы увидят, что он добавлен и кем.",
	)
	sayKnown     = say.Both("is in your book already", "уже есть в вашей книге")
	sayAddTitle  = say.Both("New address", "Новый адрес")
	sayAddAlike  = say.Both("Both addresses are mine", "Оба адреса мои")
	sayLabel     = say.Both("Name", "Название")
	sayLabelHint = say.Both("What you call it, such as: cold wallet", "Как вы его называете, например: холодный кошелёк")
	sayAdded     = say.Both("Added", "Добавлен")
	sayUsable    = say.Both("Usable", "Доступен")
	sayRests     = say.Both("Rests", "Выдерживается")

	sayRestsUntil = say.Both("until %s", "до %s")
	sayAlike      = say.Both(
		"This address begins and ends like another one of your book. Whoever wants to be paid in your place makes such addresses. Compare all of it.",
		"Этот адрес начинается и заканчивается как другой из вашей книги. Такие адреса делают, чтобы получить деньги вместо вас. Сверьте его целиком.",
	)
	sayRemove      = say.Both("Remove", "Удалить")
	sayAction      = say.Both("Action", "Действие")
	sayRemoveTitle = say.Both("Remove this address?", "Удалить этот адрес?")
	sayRemoveText  = say.Both(
		"Nothing new is sent to it then. Added again, it rests again.",
		"Новых выводов на него не будет. Если добавить его снова, он снова выдерживается.",
	)
)

// What operators read.
var (
	sayAll       = say.Both("All", "Все")
	sayOwner     = say.Both("Whose", "Чей")
	sayQueueNone = say.Both(
		"What merchants and traders ask to have leave is listed here.", "Здесь выводы, о которых просят мерчанты и трейдеры.",
	)
	sayStopped  = say.Both("Stopped", "Остановлен")
	sayMismatch = say.Both(
		"The transaction that was named moved something else: %s. Nothing is completed until you decide.",
		"Указанная транзакция перевела другое: %s. Пока вы не решите, вывод не завершится.",
	)
	sayList         = say.Both("Handed over", "Передан")
	sayLists        = say.Both("Hand-over lists", "Списки на подпись")
	sayListsNone    = say.Both("No lists yet", "Списков ещё нет")
	sayListsText    = say.Both("The signer outside pays what a list names.", "Внешний подписант платит по этим спискам.")
	sayHandOver     = say.Both("Create a list", "Составить список")
	sayHandOverText = say.Both(
		"Approved and not handed over: %d. Each withdrawal is on one list, for good.",
		"Одобрено и не передано: %d. Каждый вывод попадает только в один список.",
	)

	sayApprove      = say.Both("Approve", "Одобрить")
	sayApproveTitle = say.Both("Approve this withdrawal?", "Одобрить этот вывод?")
	sayApproveText  = say.Both("It is on the next list for the signer.", "Он попадёт в следующий список на подпись.")
	sayReject       = say.Both("Reject", "Отклонить")
	sayRejectTitle  = say.Both("Reject this withdrawal?", "Отклонить этот вывод?")
	sayRejectText   = say.Both("All of it goes back to its owner, who reads the reason.", "Всё вернётся владельцу, он увидит причину.")
	sayReport       = say.Both("Name the transaction", "Указать транзакцию")
	sayReportTitle  = say.Both("Which transaction pays it?", "Какой транзакцией он оплачен?")
	sayReportText   = say.Both(
		"Where the network is watched, the withdrawal completes by itself once the transaction is final.",
		"Если сеть под наблюдением, вывод завершится сам, когда транзакция станет окончательной.",
	)
	sayComplete      = say.Both("Complete by hand", "Завершить вручную")
	sayCompleteTitle = say.Both("Is this withdrawal paid?", "Этот вывод оплачен?")
	sayCompleteText  = say.Both(
		"Look the transaction up first: amount, address and token. It takes a second operator.",
		"Сначала проверьте транзакцию: сумму, адрес и токен. Нужен второй оператор.",
	)
	sayFail      = say.Both("Give back", "Вернуть")
	sayFailTitle = say.Both("Give this withdrawal back?", "Вернуть этот вывод?")
	sayFailText  = say.Both(
		"All of it goes back to its owner. If it was paid after all, it is paid twice. It takes a second operator.",
		"Всё вернётся владельцу. Если он всё-таки оплачен, он будет оплачен дважды. Нужен второй оператор.",
	)
)

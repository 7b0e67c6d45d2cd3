package messages

import (
	"gateway.example/internal/bankmessage"
	"gateway.example/web/portal/say"
)

var (
	sayMessagesText = say.Both(
		"A phone forwards what the bank writes. A message about the exact amount of one open payment confirms it; all others wait here.",
		"Телефон пересылает то, что пишет банк. Сообщение ровно на сумму одного открытого платежа подтверждает его, остальные ждут здесь.",
	)
	sayWaiting     = say.Both("Waiting for you", "Ждут вас")
	sayWaitingNone = say.Both("Nothing waits.", "Ничего не ждёт.")
	sayNewest      = say.Both("Newest", "Последние")
	sayNewestNone  = say.Both("No messages yet.", "Сообщений ещё не было.")
	sayConfirmIt   = say.Both("Confirm payment № %d", "Подтвердить платёж № %d")
	sayKeep        = say.Both("Keep its money", "Записать деньги")
	sayKeepText    = say.Both("It belongs to no payment yet, and is offered on the page of a payment that it fits.", "Пока не относится ни к какому платежу и будет предложено на странице подходящего.")
	sayFrom        = say.Both("From whom", "От кого")
	sayNote        = say.Both("Note", "Заметка")
	sayNotOurs     = say.Both("Not about a payment", "Не о платеже")
	sayTextGone    = say.Both("The text was removed.", "Текст удалён.")
	sayObject      = say.Both("This confirmation is wrong", "Подтверждено ошибочно")
	sayObjectText  = say.Both(
		"The payment stays completed until an operator has looked. Messages of this requisite confirm nothing by themselves from now on.",
		"Платёж остаётся завершённым, пока не посмотрит оператор. Сообщения этого реквизита больше ничего не подтверждают сами.",
	)
	sayObjectYes = say.Both("Object", "Возразить")

	sayPhones     = say.Both("Phones", "Телефоны")
	sayPhone      = say.Both("Phone", "Телефон")
	sayPhonesNone = say.Both("No phone is paired.", "Телефонов нет.")
	sayPair       = say.Both("Pair a phone", "Подключить телефон")
	sayPairText   = say.Both(
		"Any app that forwards messages, signs them and repeats what failed will do. Its key is shown once.",
		"Подойдёт любое приложение, которое пересылает сообщения, подписывает их и повторяет неудачное. Ключ показывается один раз.",
	)
	sayPhoneName  = say.Both("What you call it", "Как вы его называете")
	sayPaired     = say.Both("The phone is paired", "Телефон подключён")
	sayPairedText = say.Both(
		"Scan the code in the app, or type these. The secret is shown this once: whoever has it can confirm your payments.",
		"Отсканируйте код в приложении или введите эти значения. Секрет показан один раз: кто его знает, может подтверждать ваши платежи.",
	)
	sayApp = say.Both(
		"For SMS, the app Incoming SMS to URL forwarder works with these besides: sign with HMAC-SHA-256, with the secret as the key, and have chunked mode on.",
		"Для SMS подойдёт приложение Incoming SMS to URL forwarder, в него нужны ещё эти значения: включите подпись HMAC-SHA-256 с секретом в качестве ключа и chunked mode.",
	)
	sayAppHeaders = say.Both("Headers", "Заголовки")
	sayAppBody    = say.Both("Payload", "Тело запроса")
	sayAddress    = say.Both("Address", "Адрес")
	sayKey        = say.Both("Key", "Ключ")
	saySecret     = say.Both("Secret", "Секрет")
	sayIsPaired   = say.Both("Done", "Готово")
	sayHeard      = say.Both("Last contact", "Последнее сообщение")
	sayUnheard    = say.Both("never", "не было")
	sayConnected  = say.Both("Connected", "Подключён")
	sayRevoked    = say.Both("Disconnected", "Отключён")
	sayRevoke     = say.Both("Disconnect", "Отключить")

	sayRules       = say.Both("What messages do", "Что делают сообщения")
	sayRulesNone   = say.Both("No requisite fits.", "Нет подходящих реквизитов.")
	sayRulesHint   = say.Both("Last digits, bank or holder", "Последние цифры, банк или владелец")
	sayRulesOthers = say.Both(
		"For your other requisites messages are off. Search for one to set it.",
		"Для остальных реквизитов сообщения выключены. Найдите нужный, чтобы настроить.",
	)
	sayRuleOf   = say.Both("Messages for %s", "Сообщения для %s")
	sayRuleText = say.Both(
		"Begin with the trial: nothing is confirmed, and you see how often messages would have been right.",
		"Начните с пробы: ничего не подтверждается, и видно, как часто сообщения оказались бы верны.",
	)
	sayMode        = say.Both("Messages", "Сообщения")
	sayAccount     = say.Both("Account", "Счёт")
	sayAccountHint = say.Both("Its last four digits, if this bank has several of yours", "Последние четыре цифры, если у вас в этом банке их несколько")
	sayMost        = say.Both("Confirm up to", "Подтверждать до")
	sayMostHint    = say.Both("Larger amounts wait for you", "Большие суммы ждут вас")
	sayHowRight    = say.Both("How right they were", "Насколько верны")
	sayRight       = say.Both("%d%% right (%d of %d)", "верно %d %% (%d из %d)")
	sayTold        = say.Both("told of %d of %d payments", "сообщили о платежах: %d из %d")
	sayStopped     = say.Both(
		"Stopped: one message contradicts another, as a forged one would.", "Остановлено: сообщения противоречат друг другу, как у поддельного.",
	)
	sayResume = say.Both("I have looked, go on", "Я проверил, продолжить")
)

// What operators see of all traders' messages.
var (
	sayUnknownText = say.Both(
		"Messages that no pattern knows confirm nothing. Reading them here is noted in the audit log.",
		"Сообщения, которых не знает ни один образец, ничего не подтверждают. То, что вы их читаете, попадает в журнал аудита.",
	)
	sayUnknownTitle = say.Both("Matched by no pattern", "Не знает ни один образец")
	sayUnknownOf    = say.Both("of the last %d", "из последних %d")
	sayGroups       = say.Both("Unknown messages by their form", "Неизвестные сообщения по виду")
	sayGroupsNone   = say.Both("Every message was read.", "Все сообщения прочитаны.")
	saySender       = say.Both("Sender", "Отправитель")
	sayText         = say.Both("Text", "Текст")
	sayHowMany      = say.Both("Alike", "Похожих")
	sayBegin        = say.Both("Begin with it", "Начать с него")
	sayTry          = say.Both("Try a pattern", "Проверить образец")
	sayTryText      = say.Both(
		"It is tried against the last 1,000 unknown messages, and changes nothing.",
		"Образец проверяется на последних 1000 неизвестных сообщений и ничего не меняет.",
	)
	sayTryIt       = say.Both("Try", "Проверить")
	saySays        = say.Both("Such a message says", "Такое сообщение говорит")
	sayPattern     = say.Both("Pattern", "Образец")
	sayPatternHint = say.Both(
		"A regular expression for the whole text. {amount}, {balance}, {account}, {from}, {time} and {unit} stand for what they say.",
		"Регулярное выражение для всего текста. {amount}, {balance}, {account}, {from}, {time} и {unit} обозначают сумму, остаток, счёт, имя, время и валюту.",
	)
	sayBalance     = say.Both("Balance", "Остаток")
	sayPayment     = say.Both("Payment", "Платёж")
	sayWhatItReads = say.Both("What it reads", "Что он читает")
	sayKnows       = say.Both("It knows %d of %d", "Знает %d из %d")
	sayKnowsNone   = say.Both("It knows none of them.", "Он не знает ни одного.")
	sayCut         = say.Both("The time was over before all were tried.", "Время вышло раньше, чем проверены все.")
	sayCounts      = say.Both(
		"It does not count yet. Add this line, with examples that name nobody, to the bank's file in internal/bankmessage/patterns of the program's source, and deploy the new version.",
		"Он ещё не действует. Добавьте эту строку и примеры без настоящих имён в файл банка в internal/bankmessage/patterns исходного кода и разверните новую версию.",
	)
	sayObjected      = say.Both("Confirmations that traders object to", "Подтверждения, против которых возражают трейдеры")
	sayWhatToDo      = say.Both("What to do", "Что сделать")
	sayObjectedTitle = say.Both("Objections of traders", "Возражения трейдеров")
	sayObjectedNone  = say.Both("Nobody objects.", "Возражений нет.")
)

var kindNames = map[bankmessage.Kind]say.Phrase{
	bankmessage.Incoming:      say.Both("Money came", "Пришли деньги"),
	bankmessage.Outgoing:      say.Both("Money went", "Ушли деньги"),
	bankmessage.Declined:      say.Both("Declined", "Отказ"),
	bankmessage.Balance:       say.Both("Balance", "Остаток"),
	bankmessage.Advertisement: say.Both("Advertisement", "Реклама"),
}

var modes = map[string]say.Phrase{
	string(bankmessage.Off):        say.Both("Off", "Выключены"),
	string(bankmessage.ShadowMode): say.Both("Trial", "Проба"),
	string(bankmessage.On):         say.Both("Confirm", "Подтверждают"),
}

var modeTones = map[bankmessage.Mode]string{bankmessage.Off: "off", bankmessage.ShadowMode: "late", bankmessage.On: "good"}

var states = map[string]say.Phrase{
	"noted": say.Both("Noted", "Учтено"), "waiting": say.Both("Waiting", "Ждёт"), "shadow": say.Both("Would have confirmed", "Подтвердило бы"),
	"confirmed": say.Both("Confirmed", "Подтвердило"), "assigned": say.Both("Confirmed by you", "Подтверждено вами"),
	"dismissed": say.Both("Not about a payment", "Не о платеже"), "objected": say.Both("Objected", "Возражение"),
}

var tones = map[bankmessage.State]string{
	bankmessage.Waiting: "late", bankmessage.Confirmed: "good", bankmessage.Assigned: "good", "objected": "bad",
	bankmessage.Shadow: "plain", bankmessage.Noted: "off", bankmessage.Dismissed: "off",
}

// outcomes are the operators' decisions about objections; their reason follows.
var outcomes = map[bankmessage.Outcome]say.Phrase{
	bankmessage.Upheld:   say.Both("An operator decided that no such money came:", "Оператор решил, что таких денег не приходило:"),
	bankmessage.Rejected: say.Both("An operator decided that the money came:", "Оператор решил, что деньги пришли:"),
}

var whys = map[string]say.Phrase{
	"":                     {},
	bankmessage.WhyNone:    say.Both("No open payment of this amount.", "Открытого платежа на эту сумму нет."),
	bankmessage.WhySeveral: say.Both("Several open payments of this amount.", "Открытых платежей на эту сумму несколько."),
	bankmessage.WhyTwin:    say.Both("Another message may be about the same transfer.", "Другое сообщение может быть о том же переводе."),
	bankmessage.WhyRepeat:  say.Both("Repeats another message.", "Повторяет другое сообщение."),
	bankmessage.WhyFirst:   say.Both("No balance before it is known: confirm this one only if your bank shows the money and exactly this balance, since the next ones follow from it.", "Остаток до него неизвестен: подтверждайте это сообщение, только если банк показывает и деньги, и именно такой остаток, потому что следующие будут сверяться с ним."),
	bankmessage.WhyAccount: say.Both("The bank tells of several accounts here: say in the rule which one is this requisite's.", "Банк пишет здесь о нескольких счетах: укажите в правиле, какой из них относится к этому реквизиту."),
	bankmessage.WhyGap:     say.Both("The balance does not follow: a message was missed, or this one is forged.", "Остаток не сходится: сообщение пропущено или это подделано."),
	bankmessage.WhyBalance: say.Both("No balance in it: anybody could have sent it.", "В нём нет остатка: его мог отправить кто угодно."),
	bankmessage.WhyForged:  say.Both("The next message contradicts it.", "Следующее сообщение ему противоречит."),
	bankmessage.WhyStopped: say.Both("Confirmation of this requisite is stopped.", "Подтверждение этого реквизита остановлено."),
	bankmessage.WhyAmount:  say.Both("More than you leave to messages.", "Больше, чем вы доверяете сообщениям."),
	bankmessage.WhyTime:    say.Both("It came too late, does not say when, or the phone's clock is wrong.", "Пришло слишком поздно, не сказано когда, или часы телефона неверны."),
	bankmessage.WhyOff:     say.Both("No requisite counts on this bank's messages.", "Сообщения этого банка не относятся ни к одному реквизиту."),
	bankmessage.WhyUnset:   say.Both("Messages do nothing for the payment's requisite.", "Для реквизита платежа сообщения не используются."),
	bankmessage.WhyShadow:  say.Both("On trial.", "Проба."),
	bankmessage.WhyKept:    say.Both("Its money is kept as money of no payment.", "Деньги записаны как деньги без платежа."),
	bankmessage.WhyRefused: say.Both("Somebody had ended the payment, or another message has confirmed it.", "Платёж уже кто-то завершил, или его подтвердило другое сообщение."),
	bankmessage.WhyOther:   say.Both("You chose another payment.", "Вы выбрали другой платёж."),
}

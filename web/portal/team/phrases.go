package team

import (
	"gateway.example/web/portal/say"
)

// A merchant's team, and what it did.
var (
	sayInviteTitle = say.Both("Invite somebody", "Пригласить")
	sayRolesText   = say.Both(
		"Owner: everything. Finance: balances, statements, payouts. Developer: keys, webhooks, events. Support: payments and appeals.",
		"Владелец: всё. Финансы: балансы, выписки, выплаты. Разработчик: ключи, вебхуки, события. Поддержка: платежи и апелляции.",
	)
	sayMemberYou   = say.Both("you", "вы")
	sayNotSignedIn = say.Both("not signed in", "нет входа")
	sayLogChange   = say.Both("%s № %s", "%s № %s")
	sayLogFrom     = say.Both("%s: %s → %s", "%s: %s → %s")
)

// sayLogSubject is the name of what is changed.
var sayLogSubject = say.Names{
	"payer_block":    say.Both("Blocked payer", "Блокировка плательщика"),
	"app_user":       say.Both("User", "Пользователь"),
	"token":          say.Both("Sessions of user", "Сеансы пользователя"),
	"api_key":        say.Both("API key", "Ключ API"),
	"cashbox":        say.Both("Look of cashbox", "Вид страниц кассы"),
	"webhook_secret": say.Both("Signing secret of cashbox", "Секрет подписи кассы"),
}.Of

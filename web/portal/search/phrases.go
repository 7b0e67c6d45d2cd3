package search

import "gateway.example/web/portal/say"

var (
	sayTitle     = say.Both("Search", "Поиск")
	sayNothing   = say.Both("Nothing is found.", "Ничего не найдено.")
	sayNothingIs = say.Both(
		"Try a number, an order, a payer, an amount, the last four digits, a name or a page.",
		"Попробуйте номер, заказ, плательщика, сумму, последние четыре цифры, имя или страницу.",
	)
	sayAsk   = say.Both("What are you looking for?", "Что ищете?")
	sayAll   = say.Both("See all in the list", "Все — в списке")
	sayPages = say.Both("Pages", "Страницы")
	sayPayer = say.Both("Payer, with all that is known of them", "Плательщик и всё, что о нём известно")
)

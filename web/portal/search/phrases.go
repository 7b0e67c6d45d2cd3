package search

import "gateway.example/web/portal/say"

var (
	sayTitle     = say.Both("Search", "Поиск")
	sayNothing   = say.Both("Nothing was found.", "Ничего не найдено.")
	sayNothingIs = say.Both(
		"Try a number, an order or part of it, a payer, an amount, the last four digits, the hash of a transfer, a name or a page.",
		"Попробуйте номер, заказ или его часть, плательщика, сумму, последние четыре цифры, хеш перевода, имя или страницу.",
	)
	sayMissed = say.Both(
		"Not everything could be searched in time. Search again, or be more exact.",
		"Не всё успели просмотреть. Повторите поиск или уточните его.",
	)
	sayAsk   = say.Both("What are you looking for?", "Что ищете?")
	sayAll   = say.Both("See all in the list", "Все — в списке")
	sayPages = say.Both("Pages", "Страницы")
	sayPayer = say.Both("Payer, with all that is known of them", "Плательщик и всё, что о нём известно")
)

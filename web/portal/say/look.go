package say

// How the hosted pages of a merchant's cashboxes look.
var (
	LooksTitle = Phrase{"Page looks", "Вид страниц"}
	LooksText  = Phrase{
		"How your payers' pages look, and what is done there. It holds within a second, also for payments that wait already.",
		"Как выглядят страницы ваших плательщиков и что на них происходит. Действует через секунду, в том числе для " +
			"платежей, которые уже ждут.",
	}
	LookColor     = Phrase{"Colour", "Цвет"}
	LookColorHint = Phrase{
		"As in #1a6b54. Empty: our green.",
		"Например #1a6b54. Пусто: наш зелёный.",
	}
	LookPick      = Phrase{"Pick a colour", "Выбрать цвет"}
	LookHosts     = Phrase{"Return hosts", "Хосты возврата"}
	LookHostsHint = Phrase{
		"A host on each line, as in shop.example. A returnUrl must name one of them. Empty: any host.",
		"По одному на строке, например shop.example. Адрес returnUrl должен вести на один из них. Пусто: любой хост.",
	}
	LookFrame     = Phrase{"Frame origin", "Сайт для фрейма"}
	LookFrameHint = Phrase{
		"The one site that may show the pages in a frame, as in https://shop.example. Empty: none.",
		"Единственный сайт, который может показать страницы во фрейме, например https://shop.example. Пусто: никакой.",
	}
	LookEvents = Phrase{
		"Send payment.payer.claimed when a payer says that they have paid",
		"Отправлять payment.payer.claimed, когда плательщик сообщает об оплате",
	}
	LookPreview      = Phrase{"Preview", "Предпросмотр"}
	LookPreviewTitle = Phrase{"Preview of the payer's page", "Предпросмотр страницы плательщика"}
	LookPreviewText  = Phrase{
		"A made-up payment. Nothing can be pressed in it.",
		"Вымышленный платёж. Нажимать в нём ничего нельзя.",
	}
	LookDrawn = Phrase{"Drawn on light and dark pages as", "На светлых и тёмных страницах"}
	LookPale  = Phrase{
		"On light pages text in this colour would have a contrast of %s:1; to be read it needs 4.5:1. It is drawn darker there.",
		"На светлых страницах контраст текста этого цвета был бы %s:1, а для чтения нужен 4,5:1. Там он темнее.",
	}
	LookDim = Phrase{
		"On dark pages text in this colour would have a contrast of %s:1; to be read it needs 4.5:1. It is drawn lighter there.",
		"На тёмных страницах контраст текста этого цвета был бы %s:1, а для чтения нужен 4,5:1. Там он светлее.",
	}
	LookReadable = Phrase{
		"Text in this colour can be read on light pages and on dark ones.",
		"Текст этого цвета читается и на светлых, и на тёмных страницах.",
	}
	LookOwn = Phrase{"Our own colour is used.", "Используется наш цвет."}
)

// lookFlashes are what the page of looks says once.
var lookFlashes = map[string]Flash{
	"look-saved": {Phrase{"Saved.", "Сохранено."}, ""},
	"look-changed": {
		Phrase{
			"Somebody has changed this look since you opened the page: nothing was saved. This is how it is now.",
			"Пока страница была открыта, вид изменил кто-то другой: ничего не сохранено. Вот как сейчас.",
		},
		"late",
	},
}

// lookWrongs are what the form of a look says of fields, by the words of the services.
var lookWrongs = map[string]string{
	"must be a colour such as #1a6b54": "цвет, например #1a6b54",
	"must be an https origin such as https://shop.example, without a path": "адрес сайта с https, например " +
		"https://shop.example, без пути",
	"must be names of hosts, such as shop.example": "имена хостов, например shop.example",
	"must be at most 50":                           "не больше 50",
}

package say

// ProgressOf says how much of a whole is done.
var ProgressOf = Phrase{"%s of %s", "%s из %s"}

// The texts around the content of every page.
var (
	PortalMerchant = Phrase{"Merchant", "Мерчант"}
	PortalTrader   = Phrase{"Trader", "Трейдер"}
	PortalOperator = Phrase{"Operator", "Оператор"}

	SkipToContent = Phrase{"Skip to the content", "К содержанию"}
	SandboxBand   = Phrase{"Sandbox: no real money", "Песочница: ненастоящие деньги"}
	Account       = Phrase{"Account", "Учётная запись"}
	NoticesTitle  = Phrase{"Notifications", "Уведомления"}
	SignOut       = Phrase{"Sign out", "Выйти"}
	Pages         = Phrase{"Pages", "Разделы"}
	TimesIn       = Phrase{"Times are in %s.", "Время: %s."}
	ErrorTitle    = Phrase{"Error: %s", "Ошибка: %s"}
	WaitingThere  = Phrase{"waiting", "ждут"}
	BackHome      = Phrase{"Back to the start", "На главную"}
	Close         = Phrase{"Close", "Закрыть"}
	Optional      = Phrase{"(optional)", "(необязательно)"}
	Back          = Phrase{"Back", "Назад"}
	Save          = Phrase{"Save", "Сохранить"}
	Cancel        = Phrase{"Cancel", "Отмена"}
	Copy          = Phrase{"Copy", "Копировать"}
	Copied        = Phrase{"Copied", "Скопировано"}

	ShowKeys   = Phrase{"shows the keys", "показывает клавиши"}
	Keys       = Phrase{"Keys", "Клавиши"}
	SearchAll  = Phrase{"Search everything", "Поиск по всему"}
	KeySearch  = Phrase{"Search", "Поиск"}
	KeyStep    = Phrase{"Next and previous row", "Следующая и предыдущая строка"}
	KeyOpen    = Phrase{"Open the row", "Открыть строку"}
	KeyConfirm = Phrase{"Go to the confirmation of the row", "Перейти к подтверждению строки"}
	KeyDecide  = Phrase{"Go to acceptance, or to the reasons to refuse", "Перейти к принятию или к причинам отказа"}
	KeysOff    = Phrase{"Keys can be switched off in", "Клавиши можно отключить:"}
)

// Pages that only say that something is wrong.
var (
	NotFoundTitle = Phrase{"Page not found", "Страница не найдена"}
	NotFoundText  = Phrase{
		"There is nothing here, or it is not for your account.",
		"Здесь ничего нет или это не для вашей учётной записи.",
	}
	RefusedTitle = Phrase{"Not allowed", "Недостаточно прав"}
	RefusedText  = Phrase{
		"Your role does not include this. Ask the owner of your account.",
		"Ваша роль этого не позволяет. Обратитесь к владельцу учётной записи.",
	}
	ForeignTitle = Phrase{"The request came from another site", "Запрос пришёл с другого сайта"}
	ForeignText  = Phrase{
		"Nothing was done. Open the page here and repeat it.",
		"Ничего не сделано. Откройте страницу здесь и повторите.",
	}
	BrokenTitle = Phrase{"Something went wrong", "Что-то пошло не так"}
	BrokenText  = Phrase{
		"It is our fault. Try again in a moment; if it stays, tell the operator this number: %s",
		"Ошибка на нашей стороне. Попробуйте ещё раз; если не поможет, сообщите оператору номер: %s",
	}
	BusyTitle       = Phrase{"The service is busy", "Сервис перегружен"}
	BusyText        = Phrase{"Try again in a moment.", "Попробуйте через минуту."}
	TooOftenTitle   = Phrase{"Too many tries", "Слишком много попыток"}
	TooOftenText    = Phrase{"Wait some minutes and try again.", "Подождите несколько минут и попробуйте снова."}
	UnfinishedTitle = Phrase{"This was sent before", "Это уже отправлено"}
	UnfinishedText  = Phrase{
		"What came of it is not known yet. Look at how it stands before you send it again.",
		"Результат пока неизвестен. Проверьте, как обстоят дела, прежде чем отправлять ещё раз.",
	}
	ImpossibleTitle = Phrase{"This is not possible now", "Сейчас это невозможно"}
	ImpossibleText  = Phrase{"Nothing was done. %s", "Ничего не сделано. %s"}
)

// Menu opens the navigation on a phone.
var Menu = Phrase{"Menu", "Меню"}

package say

// The directory of the operators' console: who takes part, and by which terms.
var (
	Merchants     = Phrase{"Merchants", "Мерчанты"}
	Traders       = Phrase{"Traders", "Трейдеры"}
	Users         = Phrase{"Users", "Пользователи"}
	PlatformLimit = Phrase{"Platform limits", "Лимиты платформы"}
	Banks         = Phrase{"Banks", "Банки"}

	NewMerchant  = Phrase{"New merchant", "Новый мерчант"}
	NewCashbox   = Phrase{"New cashbox", "Новая касса"}
	NewTrader    = Phrase{"New trader", "Новый трейдер"}
	NewRequisite = Phrase{"New requisite", "Новый реквизит"}
	NewUser      = Phrase{"New user", "Новый пользователь"}
	NewBank      = Phrase{"New bank", "Новый банк"}
	Make         = Phrase{"Create", "Создать"}

	FindByName      = Phrase{"Part of the name, or id", "Часть названия или номер"}
	FindByLogin     = Phrase{"Part of the login, or id", "Часть логина или номер"}
	FindByRequisite = Phrase{
		"Id, last 4 digits, holder, bank", "Номер, последние 4 цифры, владелец, банк",
	}
	OnlyOn    = Phrase{"Switched on", "Включённые"}
	OnlyOff   = Phrase{"Switched off", "Выключенные"}
	ShowAllOf = Phrase{"Show all", "Показать все"}
	NobodyYet = Phrase{"Nothing here yet.", "Здесь пока пусто."}

	BoxOfMerchant = Phrase{
		"A cashbox belongs to a merchant: create it on the merchant’s page.",
		"Касса принадлежит мерчанту: создайте её на странице мерчанта.",
	}
	RequisiteOfTrader = Phrase{
		"A requisite belongs to a trader: create it on the trader’s page.",
		"Реквизит принадлежит трейдеру: создайте его на странице трейдера.",
	}

	SettingOn  = Phrase{"On", "Включено"}
	SettingOff = Phrase{"Off", "Выключено"}
	NotSetYet  = Phrase{"Not set up", "Не настроено"}
	NotSet     = Phrase{"not set", "не задано"}
	YesWord    = Phrase{"yes", "да"}
	NoWord     = Phrase{"no", "нет"}

	Settings       = Phrase{"Settings", "Настройки"}
	Known          = Phrase{"Now", "Сейчас"}
	NameLabel      = Phrase{"Name", "Название"}
	MerchantLabel  = Phrase{"Merchant", "Мерчант"}
	TraderLabel    = Phrase{"Trader", "Трейдер"}
	MerchantNumber = Phrase{"Merchant’s id", "Номер мерчанта"}
	TraderNumber   = Phrase{"Trader's number", "Номер трейдера"}
	MadeOn         = Phrase{"Created", "Создание"}
	OpenOf         = Phrase{"Open payments", "Открытые платежи"}
	OpenOrMore     = Phrase{"%d or more", "%d или больше"}
	HasAvailable   = Phrase{"Available, USDT", "Доступно, USDT"}
	HasReserved    = Phrase{"Reserved, USDT", "Удержано, USDT"}
	InsuredUSDT    = Phrase{"Insurance, USDT", "Страховой депозит, USDT"}
	OnBreakNow     = Phrase{"On a break", "На перерыве"}
	OwnSwitch      = Phrase{"Trader’s own switch", "Выключатель трейдера"}
	ShowValue      = Phrase{"Show the whole requisite", "Показать реквизит целиком"}
	ValueShown     = Phrase{"Requisite № %d", "Реквизит № %d"}
	ValueNoted     = Phrase{
		"That you have read it is kept, with your name and the time.",
		"Просмотр записан: ваше имя и время.",
	}
	Changed = Phrase{
		"It has changed since you opened it. Nothing was overwritten: below is how it stands now. Make your change again.",
		"С тех пор, как вы открыли страницу, настройки изменились. Ничего не перезаписано: ниже то, что действует сейчас. Внесите изменение заново.",
	}
	YouTyped = Phrase{"You had entered: %s.", "Вы вводили: %s."}

	APIEnabled      = Phrase{"API switched on", "API включён"}
	RatePercent     = Phrase{"Markup, %", "Наценка, %"}
	RatePercentHint = Phrase{"Empty: none of its own.", "Пусто: своей нет."}
	MaxOpenPayments = Phrase{"Most open payments", "Открытых платежей, не больше"}
	SharePercent    = Phrase{"Share of the spread, % of spot", "Доля спреда, % от spot"}
	MaxOpenPayins   = Phrase{"Most payouts in work", "Выплат в работе, не больше"}
	TakesPart       = Phrase{"Switched on", "Включено"}
	Collects        = Phrase{"Takes payments", "Принимает платежи"}
	BridgedTo       = Phrase{"Bridged to trader (id)", "Связана с трейдером (номер)"}
	PageColor       = Phrase{"Colour of the payment page", "Цвет страницы оплаты"}
	PageColorHint   = Phrase{"#rrggbb, or empty", "#rrggbb или пусто"}
	FrameOrigin     = Phrase{"Origin that may frame the page", "Сайт, которому можно встроить страницу"}
	FrameOriginHint = Phrase{"As in https://shop.example, or empty", "Например, https://shop.example, или пусто"}
	ReturnHosts     = Phrase{"Hosts to return payers to", "Хосты для возврата плательщика"}
	ReturnHostsHint = Phrase{"One a line; empty is any", "По одному в строке; пусто — любые"}
	ReturnAutomatic = Phrase{"Return payers by itself once they have paid", "Возвращать плательщика автоматически"}
	PayerEvents     = Phrase{"Tell the merchant when a payer says paid", "Сообщать мерчанту об «оплачено»"}
	WebhookSecret   = Phrase{"Secret that signs its webhooks", "Секрет подписи вебхуков"}
	CashboxMade     = Phrase{"The cashbox is made", "Касса создана"}
	CashboxMadeText = Phrase{
		"Give the merchant this secret. Next, set up its methods.",
		"Передайте секрет мерчанту. Дальше настройте методы.",
	}

	PayoutMethods   = Phrase{"Methods of payouts", "Методы выплат"}
	PaymentMethods  = Phrase{"Methods of payments", "Методы платежей"}
	MarginPercent   = Phrase{"Markup, %", "Наценка, %"}
	MarkupPercent   = Phrase{"Markup, %", "Наценка, %"}
	ValiditySeconds = Phrase{"Waits for its payer, seconds", "Ждёт плательщика, секунд"}
	PayoutSeconds   = Phrase{"May take, seconds", "Срок, секунд"}
	ClaimSeconds    = Phrase{"Waits after “paid”, seconds", "Ждёт после «оплачено», секунд"}
	CardsLabel      = Phrase{"Cards that may be tried", "Сколько карт можно попробовать"}
	SmallestAmount  = Phrase{"Smallest amount", "Наименьшая сумма"}
	LargestAmount   = Phrase{"Largest amount", "Наибольшая сумма"}
	MethodOf        = Phrase{"%s, %s", "%s, %s"}

	Processor       = Phrase{"Card processor", "Карточный процессор"}
	Processors      = Phrase{"Card processors", "Карточные процессоры"}
	SetProcessor    = Phrase{"Set the processor", "Задать процессор"}
	ProcessorURL    = Phrase{"Address", "Адрес"}
	ProcessorSecret = Phrase{"Secret, 16 characters or more", "Секрет, не короче 16 символов"}
	ProcessorText   = Phrase{
		"Cards already sent stay with the processor they were sent to, which must go on answering until none is open.",
		"Уже отправленные карты остаются у прежнего процессора: он должен отвечать, пока есть открытые.",
	}
	ProcessorNow     = Phrase{"Takes new cards", "Принимает новые карты"}
	ProcessorOld     = Phrase{"Former", "Прежний"}
	OpenAttempts     = Phrase{"Open attempts", "Открытых попыток"}
	RemoveProcessor  = Phrase{"Remove the processor", "Убрать процессор"}
	RemoveProcessor1 = Phrase{"Remove the processor?", "Убрать процессор?"}
	RemoveProcText   = Phrase{
		"The trader takes no new cards. Cards already sent go on.",
		"Трейдер не получит новых карт. Уже отправленные доработают.",
	}
	RemoveProcYes = Phrase{"Yes, remove it", "Да, убрать"}

	Pool          = Phrase{"Method and currency", "Метод и валюта"}
	RequisiteText = Phrase{"Card, phone or account number", "Номер карты, телефона или счёта"}
	DeskHint      = Phrase{"Empty for card checkout.", "Пусто для оплаты картой."}
	Weight        = Phrase{"Weight", "Вес"}
	WeightHint    = Phrase{
		"Among those used equally long ago the heavier comes first.", "Из давно не использованных первым идёт больший.",
	}
	ZoneOfDay   = Phrase{"Time zone of day and hours", "Часовой пояс дня и часов"}
	DayZoneHint = Phrase{"As in Europe/Moscow", "Например, Europe/Moscow"}
	TheirOwn    = Phrase{"Trader’s own: %s", "У трейдера: %s"}

	LookAsThem     = Phrase{"Look as this user", "Смотреть как этот пользователь"}
	KindLabel      = Phrase{"Kind", "Вид"}
	KindAndRole    = Phrase{"Kind and role", "Вид и роль"}
	BelongsTo      = Phrase{"Belongs to", "Принадлежит"}
	ForMerchants   = Phrase{"For a merchant’s user", "Для пользователя мерчанта"}
	ForTraders     = Phrase{"For a trader’s user", "Для пользователя трейдера"}
	CabinetIDs     = Phrase{"Merchants’ ids", "Номера мерчантов"}
	ForCabinet     = Phrase{"For a payer, with commas between", "Для плательщика, через запятую"}
	UserInviteText = Phrase{
		"You get a link by which they set a password.", "Вы получите ссылку, чтобы задать пароль.",
	}

	BankName     = Phrase{"Bank’s name", "Название банка"}
	BankLink     = Phrase{"Link to its app or site", "Ссылка на приложение или сайт"}
	BankLinkHint = Phrase{
		"May have {value}, {phone}, {amount}, {recipient}.", "Может содержать {value}, {phone}, {amount}, {recipient}.",
	}
	BankSteps     = Phrase{"What to do in the app", "Что делать в приложении"}
	BankStepsHint = Phrase{
		"A line for each language, as in “en: Open Transfers”.", "По строке на язык, например «en: Open Transfers».",
	}
	BankSource   = Phrase{"Where that is published", "Где это опубликовано"}
	BankLogo     = Phrase{"Logo, PNG or WebP, up to 32 KiB", "Логотип, PNG или WebP, до 32 КиБ"}
	BankHasLogo  = Phrase{"Logo", "Логотип"}
	BankMethods  = Phrase{"Offered for", "Предлагается для"}
	HistoryFrom  = Phrase{"%s: %s → %s", "%s: %s → %s"}
	HistoryIs    = Phrase{"%s: %s", "%s: %s"}
	HistoryMade  = Phrase{"Created", "Создано"}
	HistorySet   = Phrase{"Changed", "Изменено"}
	HistoryEnded = Phrase{"Ended all sessions", "Все сеансы завершены"}
	HistoryEmpty = Phrase{"nothing", "ничего"}
)

// kinds are the kinds of users.
var kinds = map[string]Phrase{
	"merchant_portal": {"Merchant", "Мерчант"},
	"trader":          {"Trader", "Трейдер"},
	"operator":        {"Operator", "Оператор"},
	"cabinet":         {"Payer", "Плательщик"},
}

// Kind is the name of a kind of users.
func Kind(name string) Phrase { return named(kinds, name) }

var directoryFlashes = map[string]Flash{
	"setting-saved": {Phrase{"Saved.", "Сохранено."}, ""},
	"setting-made":  {Phrase{"Created.", "Создано."}, ""},
	"processor-off": {Phrase{"The processor is removed.", "Процессор убран."}, ""},
	"secret-before": {
		Phrase{
			"The cashbox was made already, and its secret shown then. If it is lost, the merchant makes another in their portal.",
			"Касса уже создана, секрет был показан тогда. Если он потерян, мерчант создаст новый в своём портале.",
		},
		"late",
	},
}

// directoryWrongs are what services say of the fields of the directory's forms.
var directoryWrongs = map[string]string{
	"must be a whole number":                         "целое число",
	"is not a merchant":                              "такого мерчанта нет",
	"is not a trader":                                "такого трейдера нет",
	"is not a trader's cashbox":                      "такого трейдера нет",
	"no such merchant or trader":                     "такого мерчанта или трейдера нет",
	"one of them is no merchant":                     "одного из мерчантов нет",
	"has no acquirer to take cards with":             "у трейдера нет карточного процессора",
	"must be a colour such as #1a6b54":               "цвет вида #1a6b54",
	"must not be a number":                           "не должно быть числом",
	"is taken":                                       "уже занято",
	"cannot be cleared":                              "нельзя очистить",
	"must be an https link or one of an app":         "нужна ссылка https или ссылка приложения",
	"must have its places behind the host":           "подстановки могут стоять только после адреса сайта",
	"must be by language, such as en":                "начните каждую строку с языка и двоеточия, например en:",
	"must not be less than minAmount":                "не меньше наименьшей суммы",
	"is not for card methods":                        "не для оплаты картой",
	"is not one of ours":                             "форма устарела, отправьте её ещё раз",
	"is required where there are no steps":           "нужна ссылка или описание шагов",
	"is required: where link or steps are published": "укажите, где это опубликовано",
	"must be names of hosts, such as shop.example":   "имена хостов, например shop.example",
	"must be an https origin such as https://shop.example, without a path": "адрес вида https://shop.example, без пути",
	"must be an https URL":                                                                 "нужен адрес https",
	"must be an absolute https URL":                                                        "полный адрес https",
	"must not carry a user name or password":                                               "адрес без логина и пароля",
	"must not have a query or fragment":                                                    "адрес без запроса и якоря",
	"must not name a loopback, private, link-local or metadata address":                    "не адрес этой машины или внутренней сети",
	"must be empty: a payer of this method enters a card":                                  "должно быть пусто: плательщик вводит карту",
	"must be a phone number in E.164 form, such as +79001234567":                           "номер телефона вида +79001234567",
	"must be a card number of 13 to 19 digits with a valid check digit":                    "номер карты из 13–19 цифр, без опечаток",
	"must be an IBAN with valid check digits, without spaces":                              "IBAN без пробелов и опечаток",
	"goes with kind merchant_portal, and only with it":                                     "только для пользователя мерчанта",
	"goes with kind trader, and only with it":                                              "только для пользователя трейдера",
	"goes with kind cabinet, and only with it":                                             "только для плательщика",
	"must be a PNG or WebP of at most 32768 bytes":                                         "PNG или WebP, до 32 КиБ",
	"may have the places {value}, {phone}, {amount}, {recipient} only":                     "только {value}, {phone}, {amount}, {recipient}",
	"maxAmount must not be less than minAmount; they are 1 and 999999999999.99 unless set": "наибольший не может быть меньше наименьшего",
}

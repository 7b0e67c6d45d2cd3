package say

// The directory of the operators' console: who takes part, and by which terms.
var (
	Traders = Phrase{"Traders", "Трейдеры"}
	Users   = Phrase{"Users", "Пользователи"}
	// SwitchedOn and SwitchedOff are what somebody or something is.
	SwitchedOn  = Phrase{"On", "Включено"}
	SwitchedOff = Phrase{"Off", "Выключено"}
	// BlocksTitle is the list of who is kept out.
	BlocksTitle = Phrase{"Blocked payers", "Заблокированные"}

	// PickHint is under fields that name one of those who take part.
	PickHint     = Phrase{"A name, a part of it or the number", "Имя, его часть или номер"}
	NoMerchant   = Phrase{"There is no merchant of this name or number.", "Мерчанта с таким именем или номером нет."}
	NoTrader     = Phrase{"There is no trader of this name or number.", "Трейдера с таким именем или номером нет."}
	NoCashbox    = Phrase{"There is no cashbox of this name or number.", "Кассы с таким именем или номером нет."}
	SeveralMeant = Phrase{"Several may be meant: %s. Type more of the name, or the number.", "Подходят несколько: %s. Введите имя точнее или номер."}

	ProcessorURL    = Phrase{"Address", "Адрес"}
	ProcessorSecret = Phrase{"Secret, 16 characters or more", "Секрет, не короче 16 символов"}

	RequisiteText = Phrase{"Card, phone or account number", "Номер карты, телефона или счёта"}

	KindLabel  = Phrase{"Kind", "Вид"}
	CabinetIDs = Phrase{"Merchants", "Мерчанты"}
)

// kinds are the kinds of users.
var kinds = map[string]Phrase{
	"merchant_portal": {"Merchant", "Мерчант"},
	"trader":          {"Trader", "Трейдер"},
	"operator":        {"Operator", "Оператор"},
	"cabinet":         {"Payer", "Плательщик"},
}

// Kind is the name of a kind of users.
func Kind(name string) Phrase { return Named(kinds, name) }

var directoryFlashes = map[string]Flash{
	"suspended":     {Phrase{"Suspended.", "Приостановлено."}, "late"},
	"resumed":       {Phrase{"They work again.", "Снова работают."}, ""},
	"blocked":       {Phrase{"Blocked.", "Заблокировано."}, ""},
	"unblocked":     {Phrase{"The block is lifted.", "Блокировка снята."}, ""},
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
	"is too large: repeat less":                      "слишком большой: меньше повторений",
	"is not a merchant":                              "такого мерчанта нет",
	"must be in the future":                          "должно быть в будущем",
	"must not be set beside bounds":                  "не вместе с границами",
	"must be a date":                                 "укажите дату",
	"must be an IP address":                          "укажите IP-адрес",
	"is not known of this payment":                   "у этого платежа неизвестно",
	"must be user, card, address or requisite":       "id пользователя, карта, адрес или реквизит",
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

// The directory in the menu.
var (
	Merchants      = Phrase{"Merchants", "Мерчанты"}
	DirectoryGroup = Phrase{"Directory", "Участники"}
	PlatformLimit  = Phrase{"Platform limits", "Лимиты платформы"}
	Banks          = Phrase{"Banks", "Банки"}
)

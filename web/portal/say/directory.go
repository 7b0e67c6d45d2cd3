package say

// The directory of the operators' console: who takes part, and by which terms.
var (
	Traders = Phrase{"Traders", "Трейдеры"}
	Users   = Phrase{"Users", "Пользователи"}
	// SwitchedOn and SwitchedOff are the states of a switch.
	SwitchedOn  = Phrase{"On", "Включено"}
	SwitchedOff = Phrase{"Off", "Выключено"}
	// BlocksTitle is the title of the list of blocks.
	BlocksTitle = Phrase{"Blocked payers", "Заблокированные"}

	// PickHint is the hint of fields that name a participant.
	PickHint     = Phrase{"A name, a part of it or the number", "Имя, его часть или номер"}
	NoMerchant   = Phrase{"There is no merchant of this name or number.", "Мерчанта с таким именем или номером нет."}
	NoTrader     = Phrase{"There is no trader of this name or number.", "Трейдера с таким именем или номером нет."}
	NoCashbox    = Phrase{"There is no cashbox of this name or number.", "Кассы с таким именем или номером нет."}
	SeveralMeant = Phrase{"Several may be meant: %s. Type more of the name, or the number.", "Подходят несколько: %s. Введите имя точнее или номер."}

	ProcessorURL    = Phrase{"Address", "Адрес"}
	ProcessorSecret = Phrase{"Secret, 16 characters or more", "Секрет, не короче 16 символов"}

	RequisiteText = Phrase{"Card, phone or account number", "Номер карты, телефона или счёта"}

	// Banks of payers, of which operators set the link and the steps.
	BankName    = Phrase{"Bank’s name", "Название банка"}
	BankLink    = Phrase{"Link to its app or site", "Ссылка на приложение или сайт"}
	BankSteps   = Phrase{"What to do in the app", "Что делать в приложении"}
	BankSource  = Phrase{"Where that is published", "Где это опубликовано"}
	BankMethods = Phrase{"Offered for", "Предлагается для"}

	KindLabel  = Phrase{"Kind", "Вид"}
	CabinetIDs = Phrase{"Merchants", "Мерчанты"}
)

// Kind is the name of a kind of users.
var Kind = Names{
	"merchant_portal": {"Merchant", "Мерчант"},
	"trader":          {"Trader", "Трейдер"},
	"operator":        {"Operator", "Оператор"},
	"cabinet":         {"Payer", "Плательщик"},
}.Of

// The directory in the menu.
var (
	Merchants      = Phrase{"Merchants", "Мерчанты"}
	DirectoryGroup = Phrase{"Directory", "Участники"}
	PlatformLimit  = Phrase{"Platform limits", "Лимиты платформы"}
	Banks          = Phrase{"Banks", "Банки"}
)

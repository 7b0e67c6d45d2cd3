package say

// The filters of lists, and the texts about lists.
var (
	Search        = Phrase{"Search", "Поиск"}
	FiltersTitle  = Phrase{"Filters", "Фильтры"}
	Apply         = Phrase{"Apply", "Применить"}
	Status        = Phrase{"Status", "Статус"}
	WrongCurrency = Phrase{"Choose a currency of the list.", "Выберите валюту из списка."}
	OverdueOnly   = Phrase{"Overdue only", "Только просроченные"}
	AnyMethod     = Phrase{"Any", "Любой"}
	FromDay       = Phrase{"From", "С"}
	ToDay         = Phrase{"To", "По"}
	MinAmount     = Phrase{"Amount from", "Сумма от"}
	MaxAmount     = Phrase{"Amount to", "Сумма до"}
	InForce       = Phrase{"Filters in force", "Действующие фильтры"}
	RemoveFilter  = Phrase{"Remove the filter:", "Убрать фильтр:"}
	ClearAll      = Phrase{"Clear all", "Сбросить все"}
	ExportCSV     = Phrase{"Export CSV", "Скачать CSV"}

	LastDays = Phrase{"The last 30 days, since %s.", "Последние 30 дней, с %s."}
	DaysUpTo = Phrase{"The 30 days up to %s.", "30 дней по %s."}
	Newer    = Phrase{"Newer", "Новее"}
	Newest   = Phrase{"To the newest", "К новым"}
	// FirstPage and the phrases like it are for lists that are not sorted
	// by time.
	FirstPage    = Phrase{"To the beginning", "К началу"}
	PreviousPage = Phrase{"Back", "Назад"}
	NextPage     = Phrase{"Next", "Дальше"}
	SortBy       = Phrase{"Sort by this", "Упорядочить"}
	Older        = Phrase{"Older", "Старее"}
	PagesOf      = Phrase{"Pages of the list", "Страницы списка"}
	SearchedTo   = Phrase{"Searched back to %s so far.", "Пока просмотрено до %s."}
	GoOn         = Phrase{"Go on", "Искать дальше"}

	NoneMatch     = Phrase{"Nothing matches.", "Ничего не найдено."}
	NoneMatchText = Phrase{"Take a filter away, or look further back.", "Уберите фильтр или расширьте период."}
	LookLonger    = Phrase{"Look a year back", "Посмотреть за год"}
	NotShown      = Phrase{"Correct the filters, and the list is shown.", "Исправьте фильтры, и список появится."}

	WrongDate   = Phrase{"Write the date as in 2026-11-03.", "Укажите дату в виде 2026-11-03."}
	Quoted      = Phrase{"“%s”", "«%s»"}
	WrongOrder  = Phrase{"Must not be before “From”.", "Не раньше даты «С»."}
	WrongAmount = Phrase{
		"Write an amount as in 1000 or 1000.50.",
		"Укажите сумму в виде 1000 или 1000,50.",
	}
	WrongLess     = Phrase{"Must not be less than “Amount from”.", "Не меньше «Сумма от»."}
	WrongStatus   = Phrase{"There is no such status.", "Такого статуса нет."}
	WrongMethod   = Phrase{"There is no such method.", "Такого метода нет."}
	PresetsOf     = Phrase{"Days", "Дни"}
	Today         = Phrase{"Today", "Сегодня"}
	Yesterday     = Phrase{"Yesterday", "Вчера"}
	SevenDays     = Phrase{"7 days", "7 дней"}
	ThisMonth     = Phrase{"This month", "Этот месяц"}
	Metadata      = Phrase{"Metadata", "Метаданные"}
	MetadataHint  = Phrase{"One pair, as key=value.", "Одна пара: ключ=значение."}
	WrongMetadata = Phrase{"Write it as key=value.", "Напишите в виде ключ=значение."}
	WrongSearch   = Phrase{"At most 200 characters.", "Не больше 200 символов."}

	SavedViews   = Phrase{"Saved views", "Сохранённые виды"}
	Columns      = Phrase{"Columns", "Столбцы"}
	SaveView     = Phrase{"Save this view", "Сохранить вид"}
	ViewName     = Phrase{"Name", "Название"}
	ViewNameHint = Phrase{
		"A view of the same name is replaced.",
		"Вид с тем же названием заменится.",
	}
	RemoveView = Phrase{"Remove the view %s", "Удалить вид %s"}
)

// PaymentStatus is the name of a payment's status.
var PaymentStatus = Names{
	"pending":   {"Pending", "Ожидает"},
	"completed": {"Completed", "Завершён"},
	"failed":    {"Failed", "Не удался"},
	"cancelled": {"Cancelled", "Отменён"},
	"appeal":    {"Appeal", "Апелляция"},
}.Of

// PayoutStatus is the name of a payout's status.
var PayoutStatus = Names{
	"waiting":    {"Waiting", "Ждёт"},
	"processing": {"In work", "В работе"},
	"completed":  {"Completed", "Выполнена"},
	"failed":     {"Failed", "Не удалась"},
	"cancelled":  {"Cancelled", "Отменена"},
	"expired":    {"Expired", "Истекла"},
}.Of

// Lists and what they list.
var (
	Payments       = Phrase{"Payments", "Платежи"}
	Payouts        = Phrase{"Payouts", "Выплаты"}
	Requisites     = Phrase{"Requisites", "Реквизиты"}
	StatementTitle = Phrase{"Statement", "Выписка"}
)

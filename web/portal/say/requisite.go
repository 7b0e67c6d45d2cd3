package say

import "regexp"

// A trader's requisites, and why payments do not come.
var (
	AnswerAll = Count{
		[2]string{"%d requisite gets payments now.", "All %d requisites get payments now."},
		[3]string{
			"Все %d реквизит получают платежи.",
			"Все %d реквизита получают платежи.",
			"Все %d реквизитов получают платежи.",
		},
	}
	RequisitesOf = Count{
		[2]string{"%d requisite", "%d requisites"},
		[3]string{"%d реквизит", "%d реквизита", "%d реквизитов"},
	}

	AllMethods = Phrase{"All", "Все"}
	CardDesk   = Phrase{"Card payments", "Платежи картой"}

	SwitchOn  = Phrase{"Switch on", "Включить"}
	SwitchOff = Phrase{"Switch off", "Выключить"}

	Unlimited = Phrase{"no limit", "без лимита"}
)

var requisiteFlashes = map[string]Flash{
	"requisite-on": {Phrase{"The requisite is on.", "Реквизит включён."}, ""},
	"requisite-off": {
		Phrase{"The requisite is off: it gets no new payments.", "Реквизит выключен: новых платежей не будет."},
		"late",
	},
	"requisite-proposed": {
		Phrase{"Proposed. An operator decides about it.", "Предложено. Решение примет оператор."},
		"",
	},
	"message-confirmed": {Phrase{"The payment is confirmed.", "Платёж подтверждён."}, ""},
	"message-dismissed": {Phrase{"The message is about no payment.", "Сообщение не относится к платежам."}, ""},
	"message-kept":      {Phrase{"The money is kept.", "Деньги записаны."}, ""},
	"message-objected": {
		Phrase{
			"An operator will look. This requisite's messages are on trial again.",
			"Оператор посмотрит. Сообщения этого реквизита снова на пробе.",
		},
		"late",
	},
	"phone-paired-before": {
		Phrase{
			"The phone was paired before, and its secret was shown then. Disconnect it and pair it anew if you do not have it.",
			"Телефон уже был подключён, и секрет показан тогда. Если его нет, отключите телефон и подключите заново.",
		}, "late",
	},
	"phone-revoked":  {Phrase{"Nothing is taken from this phone any more.", "От этого телефона больше ничего не принимается."}, "late"},
	"pair-first":     {Phrase{"Pair a phone first.", "Сначала подключите телефон."}, "late"},
	"rule-set":       {Phrase{"Saved. It holds for messages from now on.", "Сохранено. Действует для следующих сообщений."}, ""},
	"requisites-on":  {Phrase{"The ticked requisites are on.", "Отмеченные реквизиты включены."}, ""},
	"requisites-off": {Phrase{"The ticked requisites are off: they get no new payments.", "Отмеченные реквизиты выключены: новых платежей не будет."}, "late"},
	"requisites-saved": {
		Phrase{"The limits of the ticked requisites are saved.", "Лимиты отмеченных реквизитов сохранены."},
		"",
	},
	"requisite-saved": {
		Phrase{
			"The limits are saved. They hold for new payments.",
			"Лимиты сохранены. Они действуют для новых платежей.",
		},
		"",
	},
	"requisite-locked": {
		Phrase{
			"An operator has switched the requisite off; only they can switch it on.",
			"Реквизит выключил оператор; включить может только он.",
		},
		"late",
	},
}

// wrongPattern is what forms say of a field with numbers in it.
type wrongPattern struct {
	text *regexp.Regexp
	// english is what catalogues have it by; "" is said to no trader.
	english, russian string
}

var wrongPatterns = []wrongPattern{
	{regexp.MustCompile(`^must be between (\S+) and (\S+), which the operator has set$`), "must be between $1 and $2, which the operator has set", "от $1 до $2: так решил оператор"},
	{regexp.MustCompile(`^must be at most (\S+), which the operator has set$`), "must be at most $1, which the operator has set", "не больше $1: так решил оператор"},
	{regexp.MustCompile(`^must be between (\S+) and (\S+)$`), "must be between $1 and $2", "от $1 до $2"},
	{regexp.MustCompile(`^must be one of:? ([^;]*)(; did you mean .*)?$`), "", "одно из: $1"},
	{regexp.MustCompile(`^is that of line (\d+), too$`), "is that of line $1, too", "такой же, как в строке $1"},
	{regexp.MustCompile(`^has more than (\d+) rows$`), "has more than $1 rows", "больше $1 строк"},
	{regexp.MustCompile(`^must be at most (\d+)$`), "must be at most $1", "не больше $1"},
	{regexp.MustCompile(`^must be at least ([\d.]+)$`), "must be at least $1", "не меньше $1"},
	{regexp.MustCompile(`^is no regular expression of Go: (.*)$`), "", "не регулярное выражение Go: $1"},
	{regexp.MustCompile(`^has a line (\d+) whose amount cannot be read: (.*)$`), "has a line $1 whose amount cannot be read: $2", "в строке $1 не читается сумма: $2"},
	{regexp.MustCompile(`^has a line (\d+) whose date cannot be read: (.*)$`), "has a line $1 whose date cannot be read: $2", "в строке $1 не читается дата: $2"},
	{regexp.MustCompile(`^has too many decimals: at most (\d+)$`), "has too many decimals: at most $1", "знаков после запятой — не больше $1"},
	{regexp.MustCompile(`^must be at most (\d+) characters$`), "must be at most $1 characters", "не больше $1 символов"},
	{regexp.MustCompile(`^must be (\d+) to (\d+) characters$`), "must be $1 to $2 characters", "от $1 до $2 символов"},
	{regexp.MustCompile(`^is not a method (?:of payouts in|for) ([^ ,]+)(?:, which has .+)?$`), "is not a method for $1", "такого метода для $1 нет"},
	{regexp.MustCompile(`^must be methods of (\S+) with a requisite$`), "", "нужны методы $1 с реквизитом"},
	{regexp.MustCompile(`^must be texts of at most (\d+) bytes$`), "", "не больше $1 байт на строку"},
	{regexp.MustCompile(`^must be among .*$`), "must be among those of the list", "выберите из списка"},
}

// plainer is what forms say instead of what services say with the names of the API's fields.
var plainer = map[string]string{
	"maxAmount must not be less than minAmount": "must not be less than the smallest payment",
	"must differ from workFrom":                 "must differ from the beginning",
}

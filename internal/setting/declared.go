package setting

import (
	"gateway.example/internal/caller"
	"gateway.example/internal/foureyes"
)

// What settings of several subjects are called.
var (
	noneOfItsOwn = Phrase{"Empty: none of its own.", "Пусто: своей нет."}
	name         = Setting{Name: "name", Max: 100, Needed: true, Label: Phrase{"Name", "Название"}}
	enabled      = Setting{Name: "enabled", Kind: Switch, Label: Phrase{"Switched on", "Включено"}}
	rate         = Setting{
		Name: "ratePercent", Kind: Earning, Label: Phrase{"Markup, %", "Наценка, %"}, Hint: noneOfItsOwn,
	}
	smallest = Setting{Name: "minAmount", Kind: Amount, Label: Phrase{"Smallest amount", "Наименьшая сумма"}}
	largest  = Setting{Name: "maxAmount", Kind: Amount, Label: Phrase{"Largest amount", "Наибольшая сумма"}}
)

// alone is the Action of a subject whose changes never take a second operator.
const alone foureyes.Action = ""

// day is how many seconds a day has.
const day = 86_400

// Merchant are the settings of a merchant.
var Merchant = Subject{"merchant", caller.OperatorDirectory, foureyes.UpdateMerchant, []Setting{
	name,
	{Name: "apiEnabled", Kind: Switch, First: "true", Label: Phrase{"API switched on", "API включён"}},
	rate,
	{
		Name: "maxOpenPayments", Kind: Whole, Min: 1, Max: 50_000, First: "5000", Needed: true,
		Label: Phrase{"Most open payments", "Открытых платежей, не больше"},
	},
}}

// Trader are the settings of a trader.
var Trader = Subject{"trader", caller.OperatorDirectory, foureyes.UpdateTrader, []Setting{
	name, enabled,
	{
		Name: "sharePercent", Kind: Earning, Needed: true,
		Label: Phrase{"Share of the spread, % of spot", "Доля спреда, % от spot"},
	},
	rate,
	{
		Name: "maxOpenPayins", Kind: Whole, Max: 1000, First: "20", Needed: true,
		Label: Phrase{"Most payouts in work", "Выплат в работе, не больше"},
	},
}}

// Cashbox are the settings of a cashbox.
var Cashbox = Subject{"cashbox", caller.OperatorDirectory, alone, []Setting{
	name,
	{Name: "collectEnabled", Kind: Switch, Label: Phrase{"Takes payments", "Принимает платежи"}},
	{Name: "traderCashboxId", Kind: ID, Label: Phrase{"Bridged to trader", "Связана с трейдером"}},
	{
		Name: "pageColor", Max: 7, Label: Phrase{"Colour of the payment page", "Цвет страницы оплаты"},
		Hint: Phrase{"#rrggbb, or empty", "#rrggbb или пусто"},
	},
	{
		Name:  "frameOrigin",
		Label: Phrase{"Origin that may frame the page", "Сайт, которому можно встроить страницу"},
		Hint:  Phrase{"As in https://shop.example, or empty", "Например, https://shop.example, или пусто"},
	},
	{
		Name: "returnHosts", Kind: Lines, Label: Phrase{"Hosts to return payers to", "Хосты для возврата плательщика"},
		Hint: Phrase{"One a line; empty is any", "По одному в строке; пусто — любые"},
	},
	{
		Name: "returnAutomatic", Kind: Switch,
		Label: Phrase{"Return payers by itself once they have paid", "Возвращать плательщика автоматически"},
	},
	{
		Name: "payerEvents", Kind: Switch,
		Label: Phrase{"Tell the merchant when a payer says paid", "Сообщать мерчанту об «оплачено»"},
	},
	{
		Name: "depositCallbackUri", Max: 2048, Label: Phrase{"Address for events of deposits", "Адрес для событий пополнений"},
		Hint: Phrase{"As in https://shop.example/hook; empty: none are sent", "Например, https://shop.example/hook; пусто — не отправляются"},
	},
}}

// Method are the settings of a method by which a cashbox takes payments.
var Method = Subject{"cashbox_method", caller.OperatorDirectory, foureyes.SetCashboxMethod, []Setting{
	enabled,
	{
		Name: "marginPercent", Kind: Earning, Label: Phrase{"Markup, %", "Наценка, %"}, Hint: noneOfItsOwn,
	},
	smallest, largest,
	{
		Name: "validitySeconds", Kind: Whole, Min: 1, Max: day, Needed: true,
		Label: Phrase{"Waits for its payer, seconds", "Ждёт плательщика, секунд"},
	},
	{
		Name: "claimSeconds", Kind: Whole, Min: 1, Max: day, First: "900", Needed: true,
		Label: Phrase{"Waits after “paid”, seconds", "Ждёт после «оплачено», секунд"},
	},
	{
		Name: "cards", Kind: Whole, Min: 1, Max: 10, First: "3", Needed: true,
		Label: Phrase{"Cards that may be tried", "Сколько карт можно попробовать"},
	},
	{
		Name: "lateSeconds", Kind: Whole, Max: 7 * day, First: "86400", Needed: true,
		Label: Phrase{"May come late, seconds", "Может опоздать, секунд"},
	},
	{
		Name: "amountPolicy", Kind: Choice, ByTwo: true, First: "exact", Needed: true,
		Heading: Phrase{"When another amount comes", "Когда пришла другая сумма"},
		Label:   Phrase{"Another amount", "Другая сумма"},
		Options: []Option{
			{"exact", Phrase{"Is not taken", "Не принимается"}},
			{"tolerance", Phrase{"Is taken as asked, if it is near enough", "Принимается как запрошено, если близка"}},
			{"received", Phrase{"Is taken as it came", "Принимается как пришло"}},
		},
	},
	{
		Name: "tolerancePercent", Kind: Percent, ByTwo: true, Label: Phrase{"Near enough, %", "Близка, %"},
		Hint: Phrase{"Of the amount asked. Within both where both are set.", "От запрошенной. Если заданы оба, то в пределах обоих."},
	},
	{Name: "toleranceAmount", Kind: Amount, ByTwo: true, Label: Phrase{"Near enough, amount", "Близка, сумма"}},
	{
		Name: "differenceTo", Kind: Choice, ByTwo: true, First: "trader", Needed: true,
		Label: Phrase{"Difference is of", "Разница"},
		Options: []Option{
			{"trader", Phrase{"The trader", "Трейдеру"}}, {"platform", Phrase{"The platform", "Платформе"}},
		},
	},
}}

// PayoutMethod are the settings of a method by which a cashbox pays out.
var PayoutMethod = Subject{"cashbox_payout_method", caller.OperatorDirectory, foureyes.SetPayoutMethod, []Setting{
	enabled,
	{Name: "markupPercent", Kind: Earning, Needed: true, Label: Phrase{"Markup, %", "Наценка, %"}},
	{
		Name: "validitySeconds", Kind: Whole, Min: 1, Max: 7 * day, First: "86400", Needed: true,
		Label: Phrase{"May take, seconds", "Срок, секунд"},
	},
	smallest, largest,
}}

// Limit are the limits of every payment in a currency.
var Limit = Subject{"platform_limit", caller.OperatorDirectory, alone, []Setting{smallest.needed(), largest.needed()}}

func (s Setting) needed() Setting {
	s.Needed = true
	return s
}

// WithdrawalTerms are the settings of withdrawals by a network.
var WithdrawalTerms = Subject{"withdrawal_terms", caller.OperatorMoney, foureyes.SetWithdrawalTerms, []Setting{
	{Name: "enabled", Kind: Switch, Label: Phrase{"Withdrawals go by this network", "По этой сети идут выводы"}},
	{Name: "fee", Kind: Amount, Needed: true, Label: Phrase{"Fee, USDT", "Комиссия, USDT"}},
	{Name: "minAmount", Kind: Amount, Needed: true, Label: Phrase{"Smallest withdrawal, USDT", "Наименьший вывод, USDT"}},
	{
		Name: "dailyAmount", Kind: Amount, Needed: true, Label: Phrase{"Most in a day, USDT", "В день, не больше, USDT"},
		Hint: Phrase{
			"Of one merchant or trader, by days in UTC.", "Одному мерчанту или трейдеру, по дням UTC.",
		},
	},
}}

// Requisite are the settings of a requisite.
var Requisite = Subject{
	"requisite",
	caller.OperatorDirectory,
	alone,
	[]Setting{
		enabled,
		{Name: "holder", Label: Phrase{"Holder", "Владелец"}},
		{Name: "bank", Label: Phrase{"Bank", "Банк"}},
		{
			Name: "minAmount", Kind: Amount, Heading: Phrase{"Limits", "Ограничения"},
			Label: Phrase{"Smallest payment", "Наименьший платёж"},
		},
		{Name: "maxAmount", Kind: Amount, Label: Phrase{"Largest payment", "Наибольший платёж"}},
		{Name: "dailyCount", Kind: Whole, Label: Phrase{"Payments a day", "Платежей в день"}},
		{Name: "dailySum", Kind: Amount, Label: Phrase{"Sum a day", "Сумма в день"}},
		{Name: "openPayments", Kind: Whole, Label: Phrase{"Open at a time", "Открытых одновременно"}},
		{
			Name:    "workFrom",
			Kind:    Clock,
			Heading: Phrase{"Working hours", "Часы работы"},
			Label:   Phrase{"Works from", "Работает с"},
		},
		{Name: "workUntil", Kind: Clock, Label: Phrase{"Works until", "Работает до"}},
		{
			Name: "timeZone", Max: 64, Label: Phrase{"Time zone of day and hours", "Часовой пояс дня и часов"},
			Hint: Phrase{"As in Europe/Moscow", "Например, Europe/Moscow"},
		},
		{
			Name: "weight", Kind: Whole, Min: 1, Max: 1000, First: "1", Heading: Phrase{"Order", "Очередь"},
			Label: Phrase{"Weight", "Вес"}, Hint: Phrase{
				"Among those used equally long ago the heavier comes first.",
				"Из давно не использованных первым идёт больший.",
			},
		},
	},
}

//rule:which settings there are, their bounds, and which take a second operator
var Subjects = []Subject{Merchant, Cashbox, Method, PayoutMethod, Limit, WithdrawalTerms, Trader, Requisite}

package notify

import (
	"fmt"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/tongue"
)

// Kind is a kind of event that users are told about.
type Kind string

const (
	PaymentOpened    Kind = "payment_opened"
	PaymentExpiring  Kind = "payment_expiring"
	PaymentClaimed   Kind = "payment_claimed"
	TraderAppeal     Kind = "trader_appeal"
	PaymentCase      Kind = "payment_case"
	PayoutOffered    Kind = "payout_offered"
	RequisiteLimit   Kind = "requisite_limit"
	ShortOfUSDT      Kind = "usdt_short"
	DeviceSilent     Kind = "device_silent"
	TraderWithdrawal Kind = "trader_withdrawal"
	TraderAddress    Kind = "trader_address"
	PhonePaired      Kind = "phone_paired"

	EndpointFailing Kind = "endpoint_failing"
	EndpointBack    Kind = "endpoint_back"
	AppealDecided   Kind = "appeal_decided"
	DepositDecided  Kind = "deposit_decided"
	WithdrawalEnded Kind = "withdrawal_ended"
	AddressAdded    Kind = "address_added"
	KeyMade         Kind = "key_made"
	TeamChanged     Kind = "team_changed"
	KeyElsewhere    Kind = "key_elsewhere"
	DailySummary    Kind = "daily_summary"

	AlarmFires      Kind = "alarm_fires"
	WorkLate        Kind = "work_late"
	ProposalWaiting Kind = "proposal_waiting"

	NewDevice       Kind = "new_device"
	PasswordChanged Kind = "password_changed"
	FactorChanged   Kind = "factor_changed"
	AccessReset     Kind = "access_reset"
	// AccessChanged also reaches an operator who was switched off by it.
	AccessChanged  Kind = "access_changed"
	ChannelAdded   Kind = "channel_added"
	ChannelRemoved Kind = "channel_removed"

	// Trial is sent by the button on the page of notifications.
	Trial Kind = "trial"
)

// Text is a text in one of the portals' languages. Many is about several events
// and has a place for their number. One is about a single event and has places
// for its figures, if the kind has any.
type Text struct{ One, Many, Label string }

// About declares a kind: which users may be told, with which texts, and the
// page that the message leads to.
type About struct {
	Kind Kind
	// Needs is the capability that a user needs to be told. With "" it is
	// only the user to whom it happened.
	Needs caller.Capability
	// Security kinds go to all channels, are never delayed, and cannot be
	// switched off.
	Security bool
	// Off kinds are told only to users who switch them on.
	Off bool
	// Lasts is how long after the event a message about it is still useful.
	Lasts time.Duration
	// All is the path of the page with all events of the kind. One is that
	// of a page about a single event, without the event's name at its end;
	// "" is none.
	All, One         string
	English, Russian Text
}

const (
	soon  = 15 * time.Minute
	today = 24 * time.Hour
)

// Kinds are all kinds except Trial, in the order in which the page shows them.
var Kinds = []About{
	{
		Kind: PaymentOpened, Needs: caller.TraderWork, Lasts: soon, All: "/trader", One: "/trader/payments/",
		English: Text{"A payment is open.", "%d payments are open.", "Payment opened"},
		Russian: Text{"Открыт платёж.", "Открыто платежей: %d.", "Открыт платёж"},
	},
	{
		Kind: PaymentExpiring, Needs: caller.TraderWork, Lasts: 3 * time.Minute, All: "/trader", One: "/trader/payments/",
		English: Text{"A payment is about to expire.", "%d payments are about to expire.", "Payment about to expire"},
		Russian: Text{"Платёж скоро истечёт.", "Скоро истекут платежи: %d.", "Платёж скоро истечёт"},
	},
	{
		Kind: PaymentClaimed, Needs: caller.TraderWork, Lasts: soon, All: "/trader", One: "/trader/payments/",
		English: Text{"A payer says that they have paid.", "%d payers say that they have paid.", "Payer says that they have paid"},
		Russian: Text{"Плательщик сообщил об оплате.", "Об оплате сообщили плательщики: %d.", "Плательщик сообщил об оплате"},
	},
	{
		Kind: TraderAppeal, Needs: caller.TraderWork, Lasts: today, All: "/trader/appeals", One: "/trader/appeals/",
		English: Text{"There is news of an appeal.", "There is news of appeals: %d.", "Appeal opened or answered"},
		Russian: Text{"Новости по апелляции.", "Новости по апелляциям: %d.", "Апелляция открыта или есть ответ"},
	},
	{
		Kind: PaymentCase, Needs: caller.TraderWork, Lasts: today, All: "/trader/payments", One: "/trader/payments/",
		English: Text{"There is news of a payment of which another amount came.", "There is news of payments of which another amount came: %d.",
			"Case: another amount came, or is decided"},
		Russian: Text{"Новости по платежу, по которому пришла другая сумма.", "Новости по платежам, по которым пришла другая сумма: %d.",
			"Пришла другая сумма или по ней решено"},
	},
	{
		Kind: PayoutOffered, Needs: caller.TraderWork, Lasts: soon, All: "/trader/payouts",
		English: Text{"A payout waits to be taken.", "%d payouts wait to be taken.", "Payout to take"},
		Russian: Text{"Можно взять выплату.", "Можно взять выплаты: %d.", "Можно взять выплату"},
	},
	{
		Kind: RequisiteLimit, Needs: caller.TraderRead, Lasts: today, All: "/trader/requisites",
		English: Text{"A requisite is near a limit of today.", "%d requisites are near a limit of today.", "Requisite near its limit"},
		Russian: Text{"Реквизит близок к дневному лимиту.", "Реквизиты близки к дневному лимиту: %d.", "Реквизит близок к лимиту"},
	},
	{
		Kind: ShortOfUSDT, Needs: caller.TraderMoney, Lasts: today, All: "/trader/statement",
		English: Text{"Too few USDT are left for more payments.", "Too few USDT are left for more payments.", "Too few USDT"},
		Russian: Text{"USDT не хватает на новые платежи.", "USDT не хватает на новые платежи.", "Не хватает USDT"},
	},
	{
		Kind: DeviceSilent, Needs: caller.TraderWork, Lasts: today, All: "/trader/messages",
		English: Text{"A phone forwards no messages.", "%d phones forward no messages.", "Phone is silent"},
		Russian: Text{"Телефон не присылает сообщения.", "Телефоны не присылают сообщения: %d.", "Телефон молчит"},
	},
	{
		Kind: TraderWithdrawal, Needs: caller.TraderMoney, Lasts: today, All: "/trader/withdrawals", One: "/trader/withdrawals/",
		English: Text{"A withdrawal has come to its end.", "%d withdrawals have come to their end.", "Withdrawal ended"},
		Russian: Text{"Вывод завершён.", "Завершено выводов: %d.", "Вывод завершён"},
	},
	{
		Kind: TraderAddress, Needs: caller.TraderMoney, Security: true, Lasts: today, All: "/trader/withdrawals/addresses",
		English: Text{"An address for withdrawals was added. If this was not you, remove it.",
			"Addresses for withdrawals were added: %d. If this was not you, remove them.", "New address for withdrawals"},
		Russian: Text{"Добавлен адрес для вывода. Если это не вы, удалите его.",
			"Добавлены адреса для вывода: %d. Если это не вы, удалите их.", "Новый адрес для вывода"},
	},
	{
		Kind: PhonePaired, Needs: caller.TraderRead, Security: true, Lasts: today, All: "/trader/messages",
		English: Text{"A phone was paired for messages of banks. If this was not you, disconnect it.",
			"Phones were paired for messages of banks: %d. If this was not you, disconnect them.", "Phone paired"},
		Russian: Text{"Подключён телефон для сообщений банков. Если это не вы, отключите его.",
			"Подключены телефоны для сообщений банков: %d. Если это не вы, отключите их.", "Подключён телефон"},
	},
	{
		Kind: EndpointFailing, Needs: caller.MerchantEvents, Lasts: today, All: "/merchant/developers/webhooks",
		English: Text{"An endpoint does not take webhooks.", "%d endpoints do not take webhooks.", "Endpoint fails"},
		Russian: Text{"Адрес не принимает вебхуки.", "Адреса не принимают вебхуки: %d.", "Адрес не принимает вебхуки"},
	},
	{
		Kind: EndpointBack, Needs: caller.MerchantEvents, Lasts: today, All: "/merchant/developers/webhooks",
		English: Text{"An endpoint takes webhooks again.", "%d endpoints take webhooks again.", "Endpoint is back"},
		Russian: Text{"Адрес снова принимает вебхуки.", "Адреса снова принимают вебхуки: %d.", "Адрес снова принимает вебхуки"},
	},
	{
		Kind: AppealDecided, Needs: caller.MerchantRead, Lasts: today, All: "/merchant/appeals", One: "/merchant/appeals/",
		English: Text{"An appeal is decided.", "%d appeals are decided.", "Appeal decided"},
		Russian: Text{"Апелляция решена.", "Решено апелляций: %d.", "Апелляция решена"},
	},
	{
		Kind: DepositDecided, Needs: caller.MerchantMoney, Lasts: today, All: "/merchant/deposits", One: "/merchant/deposits/",
		English: Text{"A deposit is decided.", "%d deposits are decided.", "Deposit decided"},
		Russian: Text{"Депозит рассмотрен.", "Рассмотрено депозитов: %d.", "Депозит рассмотрен"},
	},
	{
		Kind: WithdrawalEnded, Needs: caller.MerchantMoney, Lasts: today, All: "/merchant/withdrawals", One: "/merchant/withdrawals/",
		English: Text{"A withdrawal has come to its end.", "%d withdrawals have come to their end.", "Withdrawal ended"},
		Russian: Text{"Вывод завершён.", "Завершено выводов: %d.", "Вывод завершён"},
	},
	{
		Kind: AddressAdded, Needs: caller.MerchantMoney, Security: true, Lasts: today, All: "/merchant/withdrawals/addresses",
		English: Text{"An address for withdrawals was added. If none of you added it, remove it.",
			"Addresses for withdrawals were added: %d. If none of you added them, remove them.", "New address for withdrawals"},
		Russian: Text{"Добавлен адрес для вывода. Если его не добавил никто из вас, удалите его.",
			"Добавлены адреса для вывода: %d. Если их не добавил никто из вас, удалите их.", "Новый адрес для вывода"},
	},
	{
		Kind: KeyMade, Needs: caller.MerchantKeys, Lasts: today, All: "/merchant/developers/keys",
		English: Text{"A key of the API was made.", "%d keys of the API were made.", "API key made"},
		Russian: Text{"Создан ключ API.", "Создано ключей API: %d.", "Создан ключ API"},
	},
	{
		Kind: KeyElsewhere, Needs: caller.MerchantKeys, Security: true, Lasts: today, All: "/merchant/developers/keys",
		English: Text{"The API key “%s” is used from a new address. If this is not your server, revoke the key.",
			"Keys of the API are used from new addresses: %d. If these are not your servers, revoke the keys.", "API key used from a new address"},
		Russian: Text{"Ключ API «%s» используется с нового адреса. Если это не ваш сервер, отзовите ключ.",
			"Ключи API используются с новых адресов: %d. Если это не ваши серверы, отзовите ключи.", "Ключ API используется с нового адреса"},
	},
	{
		Kind: DailySummary, Needs: caller.MerchantMoney, Off: true, Lasts: today, All: "/merchant",
		English: Text{"%s: payments %s, of them paid %s (%s). Volume: %s. Credited: %s USDT.",
			"Summaries of days: %d.", "Summary of yesterday"},
		Russian: Text{"%s: платежей %s, оплачено %s (%s). Оборот: %s. Зачислено: %s USDT.",
			"Итоги дней: %d.", "Итоги вчерашнего дня"},
	},
	{
		Kind: TeamChanged, Needs: caller.MerchantTeamRead, Lasts: today, All: "/merchant/team",
		English: Text{"A user of your team was changed.", "Users of your team were changed: %d.", "Team changed"},
		Russian: Text{"Изменён пользователь команды.", "Изменения в команде: %d.", "Изменения в команде"},
	},
	{
		Kind: AlarmFires, Needs: caller.OperatorRead, Lasts: today, All: "/operator/alarms",
		English: Text{"An alarm fires.", "%d alarms fire.", "Alarm fires"},
		Russian: Text{"Сработала тревога.", "Сработали тревоги: %d.", "Сработала тревога"},
	},
	{
		Kind: WorkLate, Needs: caller.OperatorRead, Lasts: today, All: "/operator",
		English: Text{"Work has waited too long.", "Work of %d kinds has waited too long.", "Work waits too long"},
		Russian: Text{"Работа ждёт слишком долго.", "Слишком долго ждёт работа разных видов: %d.", "Работа ждёт слишком долго"},
	},
	{
		Kind: ProposalWaiting, Needs: caller.OperatorRead, Lasts: today, All: "/operator/approvals", One: "/operator/approvals/",
		English: Text{"A proposal waits for a second operator.", "%d proposals wait for a second operator.", "Proposal waits"},
		Russian: Text{"Предложение ждёт второго оператора.", "Второго оператора ждут предложения: %d.", "Предложение ждёт решения"},
	},
	{
		Kind: NewDevice, Security: true, Lasts: today, All: "/account",
		English: Text{"Somebody signed in as you from a new place. If it was not you, end the session and change your password.",
			"Somebody signed in as you from new places: %d. If it was not you, end the sessions and change your password.", "Sign-in from a new place"},
		Russian: Text{"Выполнен вход с нового места. Если это не вы, завершите сеанс и смените пароль.",
			"Входы с новых мест: %d. Если это не вы, завершите сеансы и смените пароль.", "Вход с нового места"},
	},
	{
		Kind: PasswordChanged, Security: true, Lasts: today, All: "/account",
		English: Text{"Your password was changed.", "Your password was changed.", "Password changed"},
		Russian: Text{"Ваш пароль изменён.", "Ваш пароль изменён.", "Пароль изменён"},
	},
	{
		Kind: FactorChanged, Security: true, Lasts: today, All: "/account",
		English: Text{"A second factor of yours was changed.", "Second factors of yours were changed.", "Second factor changed"},
		Russian: Text{"Ваш второй фактор изменён.", "Ваши вторые факторы изменены.", "Второй фактор изменён"},
	},
	{
		Kind: AccessReset, Security: true, Lasts: today, All: "/account",
		English: Text{"Your access was reset: you were invited anew.", "Your access was reset: you were invited anew.", "Access reset"},
		Russian: Text{"Ваш доступ сброшен: вас пригласили заново.", "Ваш доступ сброшен: вас пригласили заново.", "Доступ сброшен"},
	},
	{
		Kind: AccessChanged, Needs: caller.OperatorRead, Security: true, Lasts: today, All: "/account",
		English: Text{"Your access was changed: you were switched off or on, or have another role.",
			"Your access was changed: you were switched off or on, or have another role.", "Access changed"},
		Russian: Text{"Ваш доступ изменён: вас выключили или включили, или у вас другая роль.",
			"Ваш доступ изменён: вас выключили или включили, или у вас другая роль.", "Доступ изменён"},
	},
	{
		Kind: ChannelAdded, Security: true, Lasts: today, All: "/account/notifications",
		English: Text{"Another place was added where you are told. If it was not you, remove it and change your password.",
			"Other places were added where you are told: %d. If it was not you, remove them and change your password.", "Channel added"},
		Russian: Text{"Добавлен ещё один канал уведомлений. Если это не вы, удалите его и смените пароль.",
			"Добавлены каналы уведомлений: %d. Если это не вы, удалите их и смените пароль.", "Добавлен канал"},
	},
	{
		Kind: ChannelRemoved, Security: true, Lasts: today, All: "/account/notifications",
		English: Text{"A place was removed where you are told. If it was not you, end the session and change your password.",
			"Places were removed where you are told: %d. If it was not you, end the session and change your password.", "Channel removed"},
		Russian: Text{"Удалён канал уведомлений. Если это не вы, завершите сеанс и смените пароль.",
			"Удалены каналы уведомлений: %d. Если это не вы, завершите сеанс и смените пароль.", "Удалён канал"},
	},
}

// trial is the kind that the button sends. Users cannot choose it.
var trial = About{
	Kind: Trial, Security: true, Lasts: today, All: "/account/notifications",
	English: Text{"This is a trial: notifications reach you here.", "This is a trial: notifications reach you here.", "Trial"},
	Russian: Text{"Это проверка: уведомления приходят сюда.", "Это проверка: уведомления приходят сюда.", "Проверка"},
}

var abouts = func() map[Kind]About {
	all := map[Kind]About{Trial: trial}
	for _, a := range Kinds {
		all[a.Kind] = a
	}
	return all
}()

// AboutOf finds the declaration of a kind.
func AboutOf(kind Kind) (About, bool) {
	a, known := abouts[kind]
	return a, known
}

// hears reports whether a user may be told about events of the kind.
func (a About) hears(who caller.Caller) bool {
	return a.Needs == "" || who.Proved().May(a.Needs)
}

// In is the text in a language.
func (a About) In(language string) Text {
	if language == "ru" {
		return a.Russian
	}
	in := func(english string) string {
		text, _ := tongue.In(language, english)
		return text
	}
	return Text{in(a.English.One), in(a.English.Many), in(a.English.Label)}
}

// say returns one of two texts, by the user's language.
func say(language, english, russian string) string {
	if language == "ru" {
		return russian
	}
	text, _ := tongue.In(language, english)
	return text
}

// Of is the text for a number of events. The figures are those of a single
// event.
func (t Text) Of(count int, figures string) string {
	if count == 1 && figures != "" {
		var fill []any
		for one := range strings.SplitSeq(figures, "\t") {
			fill = append(fill, one)
		}
		return fmt.Sprintf(t.One, fill...)
	}
	if count == 1 || t.Many == t.One {
		return t.One
	}
	return fmt.Sprintf(t.Many, count)
}

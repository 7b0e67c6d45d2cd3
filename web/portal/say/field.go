package say

import (
	"strings"

	"gateway.example/internal/setting"
)

// Of is a phrase of a declared setting.
func Of(p setting.Phrase) Phrase { return Phrase{p.En, p.Ru} }

func labelOf(s setting.Subject, name string) Phrase { return Of(s.Find(name).Label) }

// The names of settings that are also used outside their forms.
var (
	NameLabel       = labelOf(setting.Merchant, "name")
	RatePercent     = labelOf(setting.Merchant, "ratePercent")
	SharePercent    = labelOf(setting.Trader, "sharePercent")
	MarginPercent   = labelOf(setting.Method, "marginPercent")
	SmallestAmount  = labelOf(setting.Limit, "minAmount")
	LargestAmount   = labelOf(setting.Limit, "maxAmount")
	Holder          = labelOf(setting.Requisite, "holder")
	Bank            = labelOf(setting.Requisite, "bank")
	LimitMinAmount  = labelOf(setting.Requisite, "minAmount")
	LimitMaxAmount  = labelOf(setting.Requisite, "maxAmount")
	LimitDailyCount = labelOf(setting.Requisite, "dailyCount")
	LimitDailySum   = labelOf(setting.Requisite, "dailySum")
	LimitOpen       = labelOf(setting.Requisite, "openPayments")
	LimitFrom       = labelOf(setting.Requisite, "workFrom")
	LimitUntil      = labelOf(setting.Requisite, "workUntil")
	Weight          = labelOf(setting.Requisite, "weight")
)

// fields are the names of the fields of proposals that no setting declares. A
// field that means something else in one action has its name after that
// action's.
var fields = map[string]Phrase{
	"id": Number, "seen": {"Version that was read", "Прочитанная версия"},
	"trader_id": PortalTrader, "merchant_id": PortalMerchant, "cashbox_id": Cashbox, "merchant_ids": CabinetIDs,
	"currency": Currency,

	"priority": PriorityOf, "pointer": FeedPointer, "poll_seconds": PollEvery,
	"timeout_ms": TimeoutOf, "band_percent": BandPercent, "day_band_percent": DayBand, "fresh_seconds": FreshFor,
	"set_rate_feed enabled": {"Switched on", "Включён"}, "set_rate_feed url": FeedAddress,

	"kind": KindLabel, "role": RoleLabel, "login": Login, "password": Password,
	"url": ProcessorURL, "key_id": KeyID, "secret": ProcessorSecret,

	"method": MethodLabel, "value": RequisiteText, "set_cashbox_method name": MethodLabel,
	"set_cashbox_payout_method name": MethodLabel,

	"set_bank name": BankName, "set_bank enabled": {"Switched on", "Включён"}, "methods": BankMethods, "link": BankLink,
	"source": BankSource,

	"reason": ReasonWhy, "network": Network, "address": Address, "mismatch": {"What its transaction moved", "Что перевела транзакция"},

	"arrival_id": {"Money that came", "Пришедшие деньги"}, "came": {"What came", "Пришло"},
	"payment_id": {"Payment", "Платёж"}, "decision": {"Decision", "Решение"}, "to.method": {"Method", "Метод"}, "to.address": {"To", "Куда"},
	"to.recipient": {"Recipient", "Получатель"}, "to.bank_code": {"Bank's code", "Код банка"}, "to.bank_name": {"Bank", "Банк"},
	"resolution.outcome": Outcome, "resolution.reason": ReasonWhy, "resolution.statement": {"The bank's statement", "Выписка банка"}, "resolution.proof_reference": ProofLabel, "taken_at": TakenAt,
}

// Field is the name of a field of an action. A field without a phrase has its
// name from the log of settings.
func Field(action, name string) Phrase {
	for _, key := range []string{action + " " + name, name} {
		if p, known := fields[key]; known {
			return p
		}
	}
	if language, isSteps := strings.CutPrefix(name, "steps."); isSteps {
		return Phrase{BankSteps.In(English) + ": " + language, BankSteps.In(Russian) + ": " + language}
	}
	column, isLimit := strings.CutPrefix(name, "limits.")
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			if setting.Column(one.Name) == column && (!isLimit || subject.Name == setting.Requisite.Name) {
				return Of(one.Label)
			}
		}
	}
	words := strings.NewReplacer("_", " ", ".", ": ").Replace(name)
	if words != "" {
		words = strings.ToUpper(words[:1]) + words[1:]
	}
	return Phrase{words, words}
}

// A switch in words, and what has no value.
var (
	YesWord = Phrase{"yes", "да"}
	NoWord  = Phrase{"no", "нет"}
	NotSet  = Phrase{"not set", "не задано"}
)

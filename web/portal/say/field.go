package say

import "strings"

// fields are the names of what a proposal sets, as the forms have them. A name that means something else in one action
// stands behind that action.
var fields = map[string]Phrase{
	"id": Number, "seen": {"Version that was read", "Прочитанная версия"},
	"trader_id": TraderNumber, "merchant_id": MerchantNumber, "cashbox_id": CashboxNumber, "merchant_ids": CabinetIDs,
	"enabled": TakesPart, "currency": Currency, "name": NameLabel,

	"priority": PriorityOf, "pointer": FeedPointer, "poll_seconds": PollEvery,
	"timeout_ms": TimeoutOf, "band_percent": BandPercent, "day_band_percent": DayBand, "fresh_seconds": FreshFor,
	"set_rate_feed enabled": FeedOn, "set_rate_feed url": FeedAddress,

	"kind": KindLabel, "role": RoleLabel, "login": Login, "password": Password,
	"url": ProcessorURL, "key_id": KeyID, "secret": ProcessorSecret,

	"method": MethodLabel, "value": RequisiteText, "holder": Holder, "bank": Bank,
	"limits.min_amount": LimitMinAmount, "limits.max_amount": LimitMaxAmount, "limits.time_zone": ZoneOfDay,
	"limits.daily_count": LimitDailyCount, "limits.daily_sum": LimitDailySum, "limits.open_payments": LimitOpen,
	"limits.work_from": LimitFrom, "limits.work_until": LimitUntil, "limits.weight": Weight,

	"set_cashbox_method name": MethodLabel, "margin_percent": MarginPercent, "validity_seconds": ValiditySeconds,
	"min_amount": SmallestAmount, "max_amount": LargestAmount, "claim_seconds": ClaimSeconds, "cards": CardsLabel,

	"api_enabled": APIEnabled, "rate_percent": RatePercent, "max_open_payments": MaxOpenPayments,
	"share_percent": SharePercent, "max_open_payins": MaxOpenPayins,

	"resolution.outcome": Outcome, "resolution.reason": ReasonWhy, "resolution.proof_reference": ProofLabel,
}

// Field is the name of a field of what an action sets. One without a phrase is named as the log of settings has it.
func Field(action, name string) Phrase {
	for _, key := range []string{action + " " + name, name} {
		if p, known := fields[key]; known {
			return p
		}
	}
	words := strings.NewReplacer("_", " ", ".", ": ").Replace(name)
	if words != "" {
		words = strings.ToUpper(words[:1]) + words[1:]
	}
	return Phrase{words, words}
}

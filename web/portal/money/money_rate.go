package money

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var rateDeed = deed{
	path: portal.SetRatePath, action: proposal.SetRate, name: say.SetRateTitle, text: saySetRateText,
	needs: caller.OperatorRates, back: portal.RatesPath, fields: rateFields, read: readRate, facts: rateFacts,
}

// rateFields asks for a rate. Time is typed in minutes, and what the service
// finds wrong with the seconds is shown there.
func rateFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	valid := portal.NumberField("validMinutes", sayValidMinutes, typed, wrong)
	valid.Optional, valid.Hint = true, v.Say(sayValidHint)
	valid.Wrong = cmp.Or(valid.Wrong, wrong["validSeconds"])
	return []view.Choice{portal.CurrencyChoice(typed.Get("currency"), wrong["currency"])}, []view.Field{
		{
			Name:  "fiatPerUsdt",
			Label: sayFiatPerUSDT,
			Value: typed.Get("fiatPerUsdt"),
			Wrong: wrong["fiatPerUsdt"],
			Max:   24,
			More:  map[string]any{"inputmode": "decimal", "autocomplete": "off"},
		},
		valid,
	}
}

// readRate reads a rate, whose currency must be a known one. Without minutes it
// is valid until another is set.
func readRate(form url.Values, f fault.Fields) proposal.Payload {
	p := proposal.Payload{Currency: form.Get("currency"), FiatPerUSDT: money.Typed(form.Get("fiatPerUsdt"))}
	f.Check(slices.Contains(catalogue.Currencies, p.Currency), "currency", "is not a currency that is known here")
	value := fault.Read(f, "fiatPerUsdt", p.FiatPerUSDT, money.ParseUSDT)
	f.Check(value.IsPositive() || f.Wrong("fiatPerUsdt"), "fiatPerUsdt", "must be more than 0")
	if text := strings.TrimSpace(form.Get("validMinutes")); text != "" {
		minutes, err := strconv.ParseInt(text, 10, 32)
		f.Check(err == nil && minutes > 0, "validMinutes", "must be a number")
		seconds := minutes * 60
		p.ValidSeconds = &seconds
	}
	return p
}

// rateFacts repeats a rate for confirmation: the old rate, the new rate, and
// the difference.
func rateFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	bands, err := v.Rates.Bands(v.Ctx(), v.Who)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(bands, func(b rate.Band) bool { return b.Currency == p.Currency })
	band := bands[at]
	value, err := money.ParseUSDT(p.FiatPerUSDT)
	if err != nil {
		return nil, err
	}
	was := v.Say(say.NoRateKnown)
	if band.Now.IsPositive() {
		was = v.Shell.Rate(band.Now)
	}
	facts := []view.Fact{
		{Label: say.Pair, Value: "USDT/" + p.Currency},
		{Label: sayOldRate, Value: was},
		{Label: sayNewRate, Value: v.Shell.Rate(value)},
		{Label: sayDistance, Value: v.Say(sayDistanceText, v.distance(band, value), v.Shell.Plain(band.Percent))},
	}
	if band.Anchor.IsPositive() {
		facts = append(facts, view.Fact{Label: say.AnchorLabel, Value: v.Shell.Rate(band.Anchor)})
	}
	valid := v.Say(sayValidForGood)
	if p.ValidSeconds != nil {
		valid = v.Say(sayMinutesOf, *p.ValidSeconds/60)
	}
	return append(facts, view.Fact{Label: sayValidFor, Value: valid}), nil
}

// distance is how far a rate is from the rate in use, with its sign.
func (v *visit) distance(b rate.Band, value decimal.Decimal) string {
	if !b.Now.IsPositive() {
		return "0"
	}
	away := value.Sub(b.Now).Mul(decimal.NewFromInt(100)).DivRound(b.Now, 2)
	text := v.Shell.Grouped(away.StringFixed(2))
	if away.IsPositive() {
		text = "+" + text
	}
	return text
}

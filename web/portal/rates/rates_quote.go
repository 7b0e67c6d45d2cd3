package rates

import (
	"net/http"
	"net/url"

	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// quote answers what a payment would be worth now, if that was asked, and shows
// the form.
func (v *visit) quote(shown *Rates) (int, error) {
	typed := v.R.URL.Query()
	var wrong map[string]string
	if typed.Has("amount") {
		answer, err := v.Sums.Quote(v.Ctx(), v.Who, rate.Question{
			Currency: typed.Get("currency"), Amount: money.Typed(typed.Get("amount")),
			Markup: money.Typed(typed.Get("markup")), TraderShare: money.Typed(typed.Get("traderShare")),
		})
		if wrong = v.Wrong(err); wrong == nil && err != nil {
			return 0, err
		}
		if wrong == nil {
			shown.Quote = v.RateSteps(answer, typed.Get("currency"))
		}
	}
	fields := []view.Field{
		portal.AmountField(say.Amount, typed, wrong), percentField("markup", sayMarkupAsked, typed, wrong),
		percentField("traderShare", sayShareAsked, typed, wrong),
	}
	for i := range fields {
		fields[i].Quiet = true
	}
	shown.Ask = view.MoneyForm{
		Choices: []view.Choice{portal.CurrencyChoice(typed.Get("currency"), wrong["currency"])}, Fields: fields,
	}
	v.Shell.Mistakes = wrong != nil
	if wrong != nil {
		return http.StatusUnprocessableEntity, nil
	}
	return http.StatusOK, nil
}

func percentField(name string, label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	f := portal.AmountField(label, typed, nil)
	f.Name, f.Value, f.Wrong, f.Max = name, typed.Get(name), wrong[name], 8
	return f
}

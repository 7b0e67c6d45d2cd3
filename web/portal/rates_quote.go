package portal

import (
	"net/http"
	"net/url"
	"strings"

	"gateway.example/internal/payment"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// quote answers what a payment would be worth now, where that is asked, and asks it anew.
func (v *visit) quote(shown *view.Rates) (int, error) {
	typed := v.r.URL.Query()
	var wrong map[string]string
	if typed.Has("amount") {
		answer, err := v.Payments.QuoteRate(v.ctx(), v.who, payment.RateQuestion{
			Currency: typed.Get("currency"), Amount: plainAmount(typed.Get("amount")),
			Markup: plainAmount(typed.Get("markup")), TraderShare: plainAmount(typed.Get("traderShare")),
		})
		if wrong = v.wrong(err); wrong == nil && err != nil {
			return 0, err
		}
		if wrong == nil {
			shown.Quote = v.rateSteps(answer, typed.Get("currency"))
		}
	}
	fields := []view.Field{
		amountField(say.Amount, typed, wrong), percentField("markup", say.MarkupAsked, typed, wrong),
		percentField("traderShare", say.ShareAsked, typed, wrong),
	}
	for i := range fields {
		fields[i].Quiet = true
	}
	shown.Ask = view.MoneyForm{
		Choices: []view.Choice{currencyChoice(typed.Get("currency"), wrong["currency"])}, Fields: fields,
	}
	v.shell.Mistakes = wrong != nil
	if wrong != nil {
		return http.StatusUnprocessableEntity, nil
	}
	return http.StatusOK, nil
}

func percentField(name string, label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	f := amountField(label, typed, nil)
	f.Name, f.Value, f.Wrong, f.Max = name, typed.Get(name), wrong[name], 8
	return f
}

// rateSteps shows a sum in the reader's words: what each line is, the numbers it came of, and its value.
func (v *visit) rateSteps(answer payment.RateAnswer, currency string) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.StepsTitle), Columns: v.columns(false, say.StepOf, say.StepHow, say.StepValue),
	}
	sheet.Columns[2].Right = true
	for _, step := range answer.Steps {
		_, numbers, _ := strings.Cut(step.Formula, " = ")
		unit := "\u00a0USDT"
		switch step.Name {
		case "baseRate":
			unit = "\u00a0" + currency
			numbers = v.shell.Say(say.RateFrom, v.sourceName(answer.RateSource))
			if answer.RateObservedAt != nil {
				numbers += ", " + v.shell.When(*answer.RateObservedAt)
			}
			if answer.RateUnavailable {
				numbers += ". " + v.shell.Say(say.RateWasStale)
			}
		case "markupPercent":
			unit, numbers = "\u00a0%", v.shell.Say(say.MarkupFrom(answer.MarkupSource))
		case "hold":
			if numbers == "" {
				numbers = v.shell.Say(say.HeldEarlier)
			}
		}
		label, note := say.RateStep(step.Name)
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: v.shell.Say(label), Note: v.shell.Say(note)}, {Text: numbers}, {Text: step.Value + unit},
		})
	}
	return sheet
}

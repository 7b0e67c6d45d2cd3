package requisites

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"github.com/a-h/templ"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

func (v *visit) requisitePage() error {
	s, err := v.requisite()
	if err != nil {
		return err
	}
	return v.showRequisite(http.StatusOK, s, portal.OwnValues(s.own.Own), nil)
}

// requisite is the requisite in the address.
func (v *visit) requisite() (standing, error) {
	own, err := portal.Named(v.Visit, v.Settings.OwnRequisite)
	if err != nil {
		return standing{}, err
	}
	explained, err := v.Payments.ExplainForTrader(v.Ctx(), v.Who, own.ID)
	if err != nil {
		return standing{}, err
	}
	return standing{own: own, why: explained[0]}, nil
}

// showRequisite shows a requisite with the trader's own limits. Users who may
// not set them see the fields disabled. The form keeps the values that its
// reader has seen first, also after a mistake, so that a change in between is
// noticed.
func (v *visit) showRequisite(status int, s standing, values url.Values, wrong map[string]string) error {
	card := v.requisiteCard(s)
	form := RequisiteForm{
		Card: card, MayChange: v.Who.May(caller.TraderRequisites), SeesMoney: v.Who.May(caller.TraderMoney),
		Zone:   s.own.Set.TimeZone,
		Fields: v.limitFields(s.own, values, wrong), Seen: portal.Seen(values), Token: submission.NewToken(),
	}
	if !form.MayChange {
		for i := range form.Fields {
			form.Fields[i].More = templ.Attributes{"disabled": true}
		}
	}
	v.Shell.Title = v.Say(say.CardDesk)
	if card.Value != "" {
		v.Shell.Title = card.Value
	}
	v.Show(status, func(shell view.Shell) site.Page { return RequisitePage(shell, form) })
	return nil
}

// changeRequisite sets all limits that the form has, so that an empty field
// clears a limit, unless they have changed since the form was shown.
func (v *visit) changeRequisite() error {
	s, err := v.requisite()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	found := fault.Fields{}
	limits := typedLimits(found, form)
	if s.own.Value == "" { // a desk for card payments has no such limit
		limits.OpenPayments = nil
	}
	ctx := fault.WithDecoded(v.Ctx(), found)
	shown := portal.Numbered(requisitesPath, s.own.ID)
	err = v.OnceAsSeen(form, portal.OwnValues(s.own.Own), shown, func() (submission.Outcome, error) {
		_, err := v.Settings.UpdateOwnRequisite(ctx, v.Who, s.own.ID, directory.OwnUpdate{Limits: limits})
		return submission.Outcome{LedTo: requisitesPath, Said: "requisite-saved"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showRequisite(http.StatusUnprocessableEntity, s, form, portal.ShortLimits(wrong))
	}
	return err
}

// typedLimits reads limits from a form, as people type them, for example with
// spaces and a comma.
func typedLimits(found fault.Fields, form url.Values) directory.Limits {
	plain := func(name string) *string {
		text := money.Typed(form.Get(name))
		return &text
	}
	trimmed := func(name string) *string {
		text := strings.TrimSpace(form.Get(name))
		return &text
	}
	count := func(name string) *int32 {
		text := *plain(name)
		if text == "" {
			return new(int32)
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n <= 0 || n == math.MaxInt32 {
			found.Add("limits."+name, "must be a whole number, at least 1")
			return nil
		}
		count := int32(n)
		return &count
	}
	return directory.Limits{
		MinAmount: plain("minAmount"), MaxAmount: plain("maxAmount"), DailyCount: count("dailyCount"),
		DailySum: plain("dailySum"), OpenPayments: count("openPayments"),
		WorkFrom: trimmed("workFrom"), WorkUntil: trimmed("workUntil"), TimeZone: trimmed("timeZone"),
	}
}

// limitFields are the form's fields, each with what operators allow.
func (v *visit) limitFields(own directory.OwnRequisite, values url.Values, wrong map[string]string) []view.Field {
	set, unlimited := own.Set, v.Say(say.Unlimited)
	between := v.Say(
		sayCeilingBetween,
		v.Number(set.MinAmount.Decimal),
		v.Amount(set.MaxAmount.Decimal, own.Currency),
	)
	atMost := func(limited bool, text string) string {
		if !limited {
			return v.Say(sayCeiling, unlimited)
		}
		return v.Say(sayCeilingAtMost, text)
	}
	sum := atMost(set.DailySum.Valid, v.Amount(set.DailySum.Decimal, own.Currency))
	open := atMost(set.OpenPayments != nil, portal.Counted(set.OpenPayments))
	hours := v.Say(sayCeiling, v.hoursOf(set, set.TimeZone))
	number := templ.Attributes{"inputmode": "decimal", "autocomplete": "off", "required": false}
	whole := templ.Attributes{"inputmode": "numeric", "autocomplete": "off", "required": false}
	zone := templ.Attributes{"placeholder": set.TimeZone, "spellcheck": "false", "required": false}
	clock := templ.Attributes{"required": false}
	fields := []view.Field{
		{Name: "minAmount", Label: say.LimitMinAmount, Hint: between, More: number, Max: 24},
		{Name: "maxAmount", Label: say.LimitMaxAmount, Hint: between, More: number, Max: 24},
		{
			Name:  "dailyCount",
			Label: say.LimitDailyCount,
			Hint:  atMost(set.DailyCount != nil, portal.Counted(set.DailyCount)),
			More:  whole,
			Max:   10,
		},
		{Name: "dailySum", Label: say.LimitDailySum, Hint: sum, More: number, Max: 24},
		{Name: "openPayments", Label: say.LimitOpen, Hint: open, More: whole, Max: 10},
		{Name: "workFrom", Label: say.LimitFrom, Hint: hours, Type: "time", More: clock},
		{Name: "workUntil", Label: say.LimitUntil, Hint: hours, Type: "time", More: clock},
		{Name: "timeZone", Label: sayLimitZone, Hint: v.Say(sayCeiling, set.TimeZone), More: zone, Max: 64},
	}
	kept := fields[:0]
	for _, f := range fields {
		if f.Name == "openPayments" && own.Value == "" {
			continue
		}
		f.Value, f.Wrong = values.Get(f.Name), wrong[f.Name]
		kept = append(kept, f)
	}
	return kept
}

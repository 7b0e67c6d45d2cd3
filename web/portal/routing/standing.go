package routing

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// standing answers the question of a trader on the telephone why they get no
// payments.
func (v *visit) standing(id int64) error {
	trader, err := v.Settings.Trader(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	list, err := v.Payments.ExplainTrader(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	shown := Standing{
		Name: trader.Name, Trader: view.Link(portal.Numbered(portal.TradersPath, id)), Answer: v.Say(sayStandingNone),
	}
	all := len(list)
	// Requisites that get payments are left out, because the question is
	// about the others.
	list = slices.DeleteFunc(list, payment.RequisiteExplanation.Gets)
	if all > 0 {
		shown.Answer = v.Say(sayStandingSome, all-len(list), all)
	}
	most := candidatesShown
	if asked, err := strconv.Atoi(v.R.URL.Query().Get("show")); err == nil {
		most = max(most, asked)
	}
	if len(list) > most {
		shown.More = view.Query(portal.StandingPath(id), "show", strconv.Itoa(most+candidatesShown))
	}
	shown.Sheet = v.standingSheet(list[:min(most, len(list))])
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayStandingTitle), StandingPage, shown)
}

// standingSheet lists requisites that get no payments, each with all reasons.
// They are those for the smallest amount that the requisite takes.
func (v *visit) standingSheet(list []payment.RequisiteExplanation) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(sayStandingTitle), Empty: view.Empty{Title: sayStandingAll},
		Columns: v.Columns(false, sayCandidate, say.MethodLabel, sayFromAmount, sayWhy, sayChosenLast),
	}
	sheet.Columns[2].Right = true
	for _, e := range list {
		used := view.Cell{Text: v.Say(say.Never)}
		if e.LastUsedAt != nil {
			used = view.Cell{At: e.LastUsedAt}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{
				Text: portal.Titled("", e.RequisiteID),
				Href: view.Link(portal.Numbered(portal.RequisitesPath, e.RequisiteID)),
			},
			{Text: v.MethodName(e.Method)},
			{Text: v.Amount(e.Amount, e.Currency)},
			{Text: strings.Join(v.whys(e), "; ")},
			used,
		})
	}
	return sheet
}

// whys are all reasons that keep payments away from a requisite, with their
// numbers.
func (v *visit) whys(e payment.RequisiteExplanation) []string {
	var list []string
	for _, d := range e.Drops {
		why := v.RuleName(string(d.Rule))
		if d.Limit.Valid && d.Used.Valid {
			why = v.Say(sayNumberOf, why, v.numberOf(d.Used, d.Rule, e), v.numberOf(d.Limit, d.Rule, e))
		}
		if d.FreeAt != nil {
			why = v.Say(sayUntil, why, v.When(*d.FreeAt))
		}
		list = append(list, why)
	}
	if e.NoRate {
		list = append(list, v.Say(sayWithoutRate))
	}
	if e.OutsidePlatform {
		list = append(list, v.Say(sayOutside))
	}
	if !e.Taken {
		list = append(list, v.Say(sayNotTaken))
	}
	return list
}

// numberOf formats a number of a rule: of payments, of USDT, or of the
// requisite's currency.
func (v *visit) numberOf(n decimal.NullDecimal, rule routing.Rule, e payment.RequisiteExplanation) string {
	switch rule {
	case routing.DailyCount, routing.OpenLimit:
		return v.Number(n.Decimal)
	case routing.TraderShort:
		return v.USDT(n.Decimal)
	default:
		return v.Amount(n.Decimal, e.Currency)
	}
}

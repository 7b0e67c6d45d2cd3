package payers

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What a person should look at in the newest payments.
var patternRoutes = []route{{
	Pattern: "GET " + portal.PatternsPath, Needs: caller.OperatorRead, Handle: (*visit).patterns,
}}

// patterns lists payers and traders of all merchants whose newest payments look
// unusual: payers who only fail or stay just below a limit, and traders who
// confirm faster than anybody can look. It says of how many payments and from
// when these are.
func (v *visit) patterns() error {
	found, err := v.Reports.Patterns(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, append(append(found.Failing, found.Near...), found.Fast...))
	if err != nil {
		return err
	}
	shown := Patterns{Note: v.Say(sayPatternsNone)}
	if found.Count > 0 {
		shown.Note = v.Say(sayPatternsOf, found.Count, v.When(found.From), v.When(found.To))
	}
	shown.Tables = []view.Sheet{
		v.patternSheet(v.Say(sayPatternFailing, report.PatternFailures), found.Failing, names),
		v.patternSheet(v.Say(sayPatternNear, report.PatternNear), found.Near, names),
		v.patternSheet(v.Say(sayPatternFast, int(report.PatternFast.Seconds())), found.Fast, names),
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.PatternsTitle), PatternsPage, shown)
}

// patternSheet lists payers with their merchant, or traders.
func (v *visit) patternSheet(label string, list []report.Pattern, names report.Names) view.Sheet {
	sheet := view.Sheet{
		Label: label, Empty: view.Empty{Title: sayPatternNobody},
		Columns: v.Columns(false, sayWho, sayTimes, sayLastOfThem, sayLast),
	}
	sheet.Columns[1].Right = true
	for _, p := range list {
		who := view.Cell{
			Text: p.User, Href: v.PayerPath(p.MerchantID, &p.User), Note: portal.Titled(names.Merchants[p.MerchantID], p.MerchantID),
			NoteHref: view.Link(portal.Numbered(portal.MerchantsPath, p.MerchantID)),
		}
		if p.TraderID != 0 {
			who = view.Cell{
				Text: portal.Titled(names.Traders[p.TraderID], p.TraderID),
				Href: view.Link(portal.Numbered(portal.TradersPath, p.TraderID)),
			}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			who, {Text: strconv.Itoa(p.Count)},
			{Text: portal.Titled("", p.LastID), Href: view.Link(v.PaymentPath(p.LastID))}, {At: &p.LastAt},
		})
	}
	return sheet
}

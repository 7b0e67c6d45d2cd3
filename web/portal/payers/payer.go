package payers

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What is known of a payer across their payments.
var payerRoutes = []route{
	{Pattern: "GET /merchant/payer", Needs: caller.MerchantRead, Handle: (*visit).payer},
	{Pattern: "GET /operator/payer", Needs: caller.OperatorRead, Handle: (*visit).payer},
}

// payer shows what is known of a payer at one merchant: the reader's own, or
// the one that an operator names. A payer without payments there is not found.
// Blocks at other merchants are not shown. The link to block is for users who
// may, unless a block is in force.
func (v *visit) payer() error {
	given := v.R.URL.Query()
	user, merchant := given.Get(portal.AsksUser), max(0, number(given.Get(portal.AsksMerchant)))
	p, err := v.Reports.Payer(v.Ctx(), v.Who, merchant, user)
	if v.Wrong(err) != nil {
		err = fault.ErrNotFound
	}
	if err != nil {
		return err
	}
	blocks, _, err := v.Settings.Blocks(v.Ctx(), v.Who,
		directory.BlockSearch{Marks: []string{block.UserMark(&user)}, Holding: true})
	if err != nil {
		return err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, []at{at(p.MerchantID)})
	if err != nil {
		return err
	}
	shown := Payer{User: user, Figures: v.payerFigures(p)}
	if v.Who.Kind == caller.Operator {
		shown.Whose = portal.Titled(names.Merchants[p.MerchantID], p.MerchantID)
	}
	if p.More {
		shown.Note = v.Say(sayPayerMost, report.PayerMost)
	}
	for _, b := range blocks {
		if b.MerchantID == nil || *b.MerchantID == p.MerchantID {
			shown.Blocked = append(shown.Blocked, v.blockedBand(b))
		}
	}
	id := portal.IDText(p.MerchantID)
	if v.Who.Kind != caller.Operator {
		id = ""
	}
	if v.mayBlock() && len(shown.Blocked) == 0 {
		shown.Block = view.Query(v.Path("/blocks/new"), "kind", string(block.User), "value", user, "merchantId", id)
	}
	if len([]rune(user)) <= portal.MaxSearch {
		shown.All = view.Query(v.Path("/payments"), portal.AsksSearch, user, portal.AsksMerchant, id)
	}
	shown.Tables = v.payerTables(p)
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayPayerTitle, user), PayerPage, shown)
}

func (v *visit) blockedBand(b directory.Block) Blocked {
	return Blocked{
		Text: v.Say(sayBlockedSince, v.When(b.CreatedAt), b.Reason),
		Href: view.Link(portal.Numbered(v.Path("/blocks"), b.ID)),
	}
}

// payerFigures are the sums that a payer has paid, by currency.
func (v *visit) payerFigures(p report.Payer) []view.OverviewFigure {
	figures := []view.OverviewFigure{
		{Label: v.Say(say.Payments), Now: strconv.Itoa(p.Count)},
		{Label: v.Say(sayFirst), Now: v.Shell.Day(p.FirstAt)},
		{Label: v.Say(sayLast), Now: v.Shell.Day(p.LastAt)},
	}
	for _, sum := range p.Sums {
		figures = append(figures,
			view.OverviewFigure{
				Label: v.Say(sayPaidIn, sum.Currency),
				Now:   v.Amount(sum.PaidAmount, sum.Currency),
			},
			view.OverviewFigure{Label: v.Say(saySuccess), Now: v.share(sum.Paid, sum.Ended())},
			view.OverviewFigure{Label: v.Say(sayLargest), Now: v.Amount(sum.MaxAmount, sum.Currency)})
	}
	return figures
}

// share is a part of a whole, as in "3 of 4 (75%)"; a dash if the whole is 0.
func (v *visit) share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	percent := decimal.NewFromInt(int64(part)).Mul(decimal.NewFromInt(100)).Div(decimal.NewFromInt(int64(whole)))
	return v.Say(sayShare, part, whole, percent.Round(0).String())
}

// payerTables are a payer's cards, last failures and last payments.
func (v *visit) payerTables(p report.Payer) []view.Sheet {
	cards := view.Sheet{
		Label: v.Say(sayCards), Empty: view.Empty{Title: sayNoCards},
		Columns: v.Columns(false, say.Card, saySuccess, sayLast),
	}
	for _, c := range p.Cards {
		cards.Rows = append(cards.Rows, []view.Cell{
			{Text: fmt.Sprintf("%s •••• %s", c.Brand, c.Last4)}, {Text: v.share(c.Paid, c.Count)}, {At: &c.LastAt},
		})
	}
	return []view.Sheet{
		v.payerPayments(sayFailures, sayNoFailures, p.Failures), cards, v.payerPayments(sayLatest, say.NoneMatch, p.Latest),
	}
}

// payerPayments is a table of a few payments of a payer, with the reason of
// each status. It cannot be paged; the list of payments has them all.
func (v *visit) payerPayments(label, none say.Phrase, list []report.PayerPayment) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(label), Empty: view.Empty{Title: none},
		Columns: v.Columns(false, say.Number, say.Created, say.Amount, say.Order, say.Status),
	}
	for _, one := range list {
		badge, at := view.PaymentBadge(string(one.Status)), one.CreatedAt
		reason := ""
		if one.Reason != "" {
			reason = v.Say(say.ReasonOf(one.Reason))
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: portal.IDText(one.ID), Href: view.Link(v.PaymentPath(one.ID))}, {At: &at},
			{Text: v.Amount(one.Amount, one.Currency)}, {Text: one.OrderID},
			{Text: v.Say(badge.Text), Tone: cmp.Or(badge.Tone, "plain"), Note: reason},
		})
	}
	return sheet
}

package bankstatement

import (
	"io"
	"net/http"

	"github.com/a-h/templ"

	"gateway.example/internal/bankstatement"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

var statementRoutes = []route{
	{Pattern: "GET /trader/requisites/{id}/statement", Needs: caller.TraderMoney, Handle: (*visit).ask},
	{Pattern: "POST /trader/requisites/{id}/statement", Needs: caller.TraderMoney, Handle: (*visit).compare},
	{Pattern: "GET " + portal.RequisitesPath + "/{id}/statement", Needs: caller.OperatorRead, Handle: (*visit).ask},
	{Pattern: "POST " + portal.RequisitesPath + "/{id}/statement", Needs: caller.OperatorRead, Handle: (*visit).compare},
}

// asked is the requisite in the address, with its trader and page.
func (v *visit) asked() (traderID int64, page Page, err error) {
	id, err := v.Numbered()
	if err != nil {
		return 0, Page{}, err
	}
	if v.Who.Kind == caller.Operator {
		r, err := v.Settings.Requisite(v.Ctx(), v.Who, id)
		return r.TraderID, Page{ID: id, Currency: r.Currency, List: portal.RequisitesPath}, err
	}
	own, err := v.Settings.OwnRequisite(v.Ctx(), v.Who, id)
	return v.Who.TraderID, Page{ID: id, Currency: own.Currency, List: "/trader/requisites"}, err
}

func (v *visit) ask() error {
	_, page, err := v.asked()
	if err != nil {
		return err
	}
	v.show(http.StatusOK, page)
	return nil
}

// tooLarge is what is said of a statement above bankstatement.MaxSize.
var tooLarge = fault.LargerThan(bankstatement.MaxSize)

// compare answers with the comparison itself, because nothing of a statement is
// stored.
func (v *visit) compare() error {
	trader, page, err := v.asked()
	if err != nil {
		return err
	}
	sent, err := v.TakeUpload(v.uploads, 0, tooLarge)
	var content []byte
	switch {
	case err != nil:
	case sent.File == nil:
		err = fault.Fields{portal.FileField: {"must not be empty"}}.Err()
	case sent.File.Content().Size() > bankstatement.MaxSize:
		err = fault.Fields{portal.FileField: {tooLarge}}.Err()
	default:
		content, err = io.ReadAll(sent.File.Content())
	}
	var found report.Compared
	if err == nil {
		found, err = v.Reports.CompareStatement(v.Ctx(), v.Who, report.StatementFile{
			TraderID: trader, RequisiteID: page.ID, Content: content, Zone: v.Shell.Zone,
		})
	}
	if wrong := v.Wrong(err); wrong != nil {
		page.Wrong = wrong[portal.FileField]
		v.show(http.StatusUnprocessableEntity, page)
		return nil
	}
	if err != nil {
		return err
	}
	page.Read = true
	v.put(&page, found)
	v.show(http.StatusOK, page)
	return nil
}

func (v *visit) show(status int, page Page) {
	v.Shell.Title = v.Say(say.CompareStatement)
	v.Show(status, func(s view.Shell) site.Page { return StatementPage(s, page) })
}

// put sorts the incoming transfers by what is to be done about them; those that
// belong to nobody come first.
func (v *visit) put(page *Page, c report.Compared) {
	unpaid := v.sheet(sayUnpaid, sayUnpaidNone)
	unknown := v.sheet(sayUnknown, sayUnknownNone)
	matched := v.sheet(sayMatched, sayMatchedNone)
	for _, line := range c.In {
		switch {
		case line.Payment == nil:
			unknown.Rows = append(unknown.Rows, []view.Cell{
				v.when(line.Line), {Text: v.Amount(line.Amount, page.Currency)}, {Text: line.Text}, {},
			})
		case line.Payment.Status != payment.Completed:
			unpaid.Rows = append(unpaid.Rows, v.row(line))
		default:
			matched.Rows = append(matched.Rows, v.row(line))
		}
	}
	missing := v.sheet(sayMissing, sayMissingNone)
	for _, p := range c.Missing {
		missing.Rows = append(missing.Rows, []view.Cell{
			{At: &p.CreatedAt}, {Text: v.Amount(p.Amount, p.Currency)}, {}, v.payment(p),
		})
	}
	page.Span = v.Say(saySpan, v.Shell.Day(c.From), v.Shell.Day(c.Until), len(c.In), c.Out)
	page.Sheets = []view.Sheet{unpaid, unknown, missing, matched}
	for i, sheet := range page.Sheets {
		page.Figures = append(page.Figures, view.OverviewFigure{
			Label: sheet.Label, Now: portal.IDText(int64(len(sheet.Rows))), Href: templ.SafeURL("#" + heading(i)),
		})
	}
}

func (v *visit) sheet(label, none say.Phrase) view.Sheet {
	return view.Sheet{
		Label: v.Say(label), Empty: view.Empty{Title: none},
		Columns: portal.AtRight(v.Columns(false, say.SlotLabel, say.Amount, sayBankSays, sayPayment), 1),
	}
}

func (v *visit) row(line report.ComparedLine) []view.Cell {
	return []view.Cell{
		v.when(line.Line), {Text: v.Amount(line.Amount, line.Payment.Currency)}, {Text: line.Text}, v.payment(*line.Payment),
	}
}

func (v *visit) when(line bankstatement.Line) view.Cell {
	if line.Timed {
		return view.Cell{At: &line.At}
	}
	return view.Cell{Text: v.Shell.Day(line.At)}
}

func (v *visit) payment(p payment.Payment) view.Cell {
	return view.Cell{
		Text: "№ " + portal.IDText(p.ID), Href: view.Link(v.PaymentPath(p.ID)), Note: v.Say(say.PaymentStatus(string(p.Status))),
	}
}

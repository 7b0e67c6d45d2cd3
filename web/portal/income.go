package portal

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const incomePath = "/operator/income"

// What the platform earned.
var incomeRoutes = []route{
	{
		pattern: "GET " + incomePath, kinds: operators, needs: caller.OperatorRead,
		handle: with(incomeList, (*visit).income),
	},
	{
		pattern: "GET " + incomePath + ".csv", kinds: operators, needs: caller.OperatorRead,
		handle: with(incomeList, (*visit).incomeCSV),
	},
}

var incomeList = list{path: incomePath, export: caller.OperatorRead, grouped: true}

// asksBy says what income is added up by.
const asksBy = "by"

// incomeAsked reads which days are asked for. Days of income are in UTC, whatever the reader's zone.
func (v *visit) incomeAsked(l list) (asked, report.IncomeFilter) {
	zone := v.shell.Zone
	v.shell.Zone = time.UTC
	a := v.asks(l)
	v.shell.Zone = zone
	return a, report.IncomeFilter{From: a.filter.From, To: a.filter.To}
}

func (v *visit) income(l list) error {
	a, filter := v.incomeAsked(l)
	if v.tidied(a) {
		return nil
	}
	var found []report.Income
	if len(a.wrong) == 0 {
		var err error
		found, err = v.Reports.Income(v.ctx(), v.who, filter)
		if a.wrong, err = v.flawed(err); err != nil {
			return err
		}
	}
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	by := cmp.Or(a.query.Get(asksBy), "day")
	shown := view.Incomes{Filters: filters, Sheet: v.incomeSheet(found, by)}
	for _, tab := range []struct {
		by   string
		text say.Phrase
	}{{"day", say.IncomeByDay}, {"merchant", say.IncomeByMerchant}, {"method", say.IncomeByMethod}} {
		shown.Tabs = append(shown.Tabs, view.Tab{
			Text: v.shell.Say(tab.text), Href: a.with(asksBy, tab.by), Current: tab.by == by,
		})
	}
	if len(found) > 0 {
		all := addedUp(found, func(report.Income) string { return "" })[0]
		shown.Figures = []view.OverviewFigure{
			{Label: v.shell.Say(say.Earned), Now: view.USDT(all.earned)},
			{Label: v.shell.Say(say.GivenBack), Now: view.USDT(all.reversed)},
			{Label: v.shell.Say(say.NetIncome), Now: view.USDT(all.earned.Sub(all.reversed))},
		}
	}
	v.shell.Title = v.shell.Say(say.IncomeTitle)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.IncomePage(s, shown) })
	return nil
}

// incomeSum is income added up.
type incomeSum struct {
	name             string
	earned, reversed decimal.Decimal
}

// addedUp adds income up by a name, in the order in which the names come first.
func addedUp(list []report.Income, name func(report.Income) string) []incomeSum {
	var sums []incomeSum
	for _, i := range list {
		at := slices.IndexFunc(sums, func(s incomeSum) bool { return s.name == name(i) })
		if at < 0 {
			at, sums = len(sums), append(sums, incomeSum{name: name(i)})
		}
		sums[at].earned, sums[at].reversed = sums[at].earned.Add(i.Earned), sums[at].reversed.Add(i.Reversed)
	}
	return sums
}

func (v *visit) incomeSheet(list []report.Income, by string) view.Sheet {
	label := map[string]say.Phrase{"merchant": say.MerchantOne, "method": say.MethodLabel}
	head, known := label[by]
	if !known {
		head = say.DayLabel
	}
	sheet := view.Sheet{
		Label: v.shell.Say(say.IncomeTitle), Columns: v.columns(true, head, say.Earned, say.GivenBack, say.NetIncome),
		Empty: view.Empty{Title: say.NoIncome},
	}
	sums := addedUp(list, func(i report.Income) string {
		switch by {
		case "merchant":
			return i.Merchant + " № " + strconv.FormatInt(i.MerchantID, 10)
		case "method":
			name := v.methodName(i.Method) + ", " + i.Currency
			if i.Subject == subjectPayout {
				name = v.shell.Say(say.PayoutsOf, name)
			}
			return name
		}
		return i.Day.Format(time.DateOnly)
	})
	if by != "day" {
		slices.SortFunc(sums, func(a, b incomeSum) int {
			return b.earned.Sub(b.reversed).Cmp(a.earned.Sub(a.reversed))
		})
	}
	for _, s := range sums {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: s.name}, {Text: view.Figure(s.earned)}, {Text: view.Figure(s.reversed)},
			{Text: view.Figure(s.earned.Sub(s.reversed))},
		})
	}
	return sheet
}

func (v *visit) incomeCSV(l list) error {
	a, filter := v.incomeAsked(l)
	if len(a.wrong) > 0 {
		return v.done(incomePath, "")
	}
	return v.sendCSV(a.fileName("income", v.shell.Now), func(file *csvFile) error {
		return v.Exports.ExportIncome(v.ctx(), v.who, filter, file)
	})
}

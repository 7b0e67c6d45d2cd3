package money

import (
	"cmp"
	"time"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What the platform earned.
var incomeRoutes = []route{
	{Pattern: "GET " + portal.IncomePath, Needs: caller.OperatorRead, Handle: portal.With(incomeList, (*visit).income)},
	{
		Pattern: "GET " + portal.IncomePath + ".csv", Needs: caller.OperatorRead,
		Handle: portal.With(incomeList, (*visit).incomeCSV),
	},
}

var incomeList = portal.List{Path: portal.IncomePath, Export: caller.OperatorRead, Grouped: true}

// incomeAsked reads which days are asked for. The days of income are UTC days,
// whatever the reader's zone.
func (v *visit) incomeAsked(l portal.List) (portal.Asked, books.IncomeFilter) {
	zone := v.Shell.Zone
	v.Shell.Zone = time.UTC
	a := v.Asks(l)
	v.Shell.Zone = zone
	return a, books.IncomeFilter{From: a.Filter.From, To: a.Filter.To}
}

// incomeDays is the period that a filter covers.
func (v *visit) incomeDays(f books.IncomeFilter) (from, to time.Time) {
	const day = 24 * time.Hour
	from, to = f.From.UTC().Truncate(day), f.To.UTC().Truncate(day)
	if f.To.IsZero() {
		to = v.Shell.Now.UTC().Truncate(day).Add(day)
	}
	if f.From.IsZero() {
		from = to.AddDate(0, 0, -30)
	}
	return from, to
}

// income shows what the platform earned, by day, merchant or method. The
// figures and the chart cover the same days, whatever the table is grouped by;
// by day, the chart is made up of the methods.
func (v *visit) income(l portal.List) error {
	a, filter := v.incomeAsked(l)
	if v.Tidied(a) {
		return nil
	}
	var found []books.Income
	if len(a.Wrong) == 0 {
		var err error
		found, err = v.Books.Income(v.Ctx(), v.Who, filter)
		if a.Wrong, err = v.Flawed(err); err != nil {
			return err
		}
	}
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	by := cmp.Or(a.Query.Get(portal.AsksBy), "day")
	shown := Incomes{Filters: filters, Sheet: v.incomeSheet(found, by)}
	for _, tab := range []struct {
		by   string
		text say.Phrase
	}{{"day", sayIncomeByDay}, {"merchant", sayIncomeByMerchant}, {"method", sayIncomeByMethod}} {
		shown.Tabs = append(shown.Tabs, view.Tab{
			Text: v.Say(tab.text), Href: a.With(portal.AsksBy, tab.by), Current: tab.by == by,
		})
	}
	if len(found) > 0 {
		all := portal.SumIncome(found, func(books.Income) string { return "" })[0]
		shown.Figures = []view.OverviewFigure{
			v.Shell.Rounded(v.Say(sayNetIncome), all.Net()),
			v.Shell.Rounded(v.Say(sayEarned), all.Earned), v.Shell.Rounded(v.Say(sayGivenBack), all.Reversed),
			{Label: v.Say(sayMargin), Now: v.margin(all)},
		}
		from, to := v.incomeDays(filter)
		stack := by
		if by == "day" {
			stack = "method"
		}
		shown.Plot = v.IncomeChart(found, stack, from, to)
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.IncomeTitle), IncomePage, shown)
}

// incomeSheet sums up income by day, merchant or method. Days stay in the order
// in which they were read, and the others are sorted by income.
func (v *visit) incomeSheet(list []books.Income, by string) view.Sheet {
	label := map[string]say.Phrase{"merchant": say.MerchantOne, "method": say.MethodLabel}
	head, known := label[by]
	if !known {
		head = say.DayLabel
	}
	sheet := view.Sheet{
		Label: v.Say(say.IncomeTitle), Columns: v.Columns(true, head, sayEarned, sayGivenBack, sayNetIncome, sayMargin),
		Empty: view.Empty{Title: sayNoIncome},
	}
	sums := portal.SumIncome(list, func(i books.Income) string { return v.IncomeBy(i, by) })
	if by != "day" {
		portal.SortIncome(sums)
	}
	for _, s := range sums {
		name := s.Name
		if day, err := time.Parse(time.DateOnly, name); by == "day" && err == nil {
			name = v.Shell.Day(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, v.Shell.Zone)) //nolint:mnd // noon exists on every day
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: name}, {Text: v.Shell.Figure(s.Earned)}, {Text: v.Shell.Figure(s.Reversed)},
			{Text: v.Shell.Figure(s.Net())}, {Text: v.margin(s)},
		})
	}
	return sheet
}

// margin formats the income as a share of the turnover.
func (v *visit) margin(s portal.IncomeSum) string {
	percent, known := s.Margin()
	if !known {
		return "–"
	}
	return v.Number(percent) + "\u00a0%"
}

func (v *visit) incomeCSV(l portal.List) error {
	a, filter := v.incomeAsked(l)
	if len(a.Wrong) > 0 {
		return v.Done(portal.IncomePath, "")
	}
	return v.SendCSV(a.FileName("income", v.Shell.Now), func(file *portal.CSVFile) error {
		return v.BookExports.ExportIncome(v.Ctx(), v.Who, filter, file)
	})
}

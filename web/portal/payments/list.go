package payments

import (
	"context"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// row is a payment or a payout in a list.
type row struct {
	id                         int64
	href                       view.Link
	amount, method, usdt, uuid string
	status                     view.Badge
	created, since             time.Time
	// figures, recipient and beside tell the reader what it is about. payer links to the page about the payer named
	// in beside.
	figures           []string
	recipient, beside string
	payer             view.Link
	// whose is the owner's name, for operators, who see everybody's items.
	whose string
}

// rowColumns are the columns of payments and payouts besides number and amount.
func rowColumns(created, about, sum say.Phrase) []portal.Column {
	return []portal.Column{
		{Name: "created", Label: created}, {Name: "method", Label: say.MethodLabel}, {Name: "about", Label: about},
		{Name: "status", Label: say.Status}, {Name: "sum", Label: sum},
		{Name: "since", Label: sayStatusSince, Extra: true}, {Name: "uuid", Label: say.UUID, Extra: true},
	}
}

// inRow are the names of the columns in the order of a row; "" is always shown.
var inRow = []string{"", "created", "", "method", "about", "status", "since", "uuid", "sum"}

// chosen removes from a row the cells that the user does not want to see.
func chosen[T any](f view.Filters, row []T) []T {
	var list []T
	for i, name := range inRow {
		if name == "" || f.Shows(name) {
			list = append(list, row[i])
		}
	}
	return list
}

// listOf is a page of a list of payments or payouts.
func listOf[T report.Owned](
	v *visit, a portal.Asked, page report.Page[T], title say.Phrase, rowOf func(T) row,
	read func(context.Context, caller.Caller, report.Filter) (report.Page[T], error),
) (list view.List, err error) {
	filters, err := v.Filters(a)
	if err != nil {
		return list, err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, page.Items)
	if err != nil {
		return list, err
	}
	list = view.List{Filters: filters, Pages: portal.Pages(a, page), Sheet: view.Sheet{
		Label: v.Say(title), Columns: v.heads(a, filters),
	}}
	for _, item := range page.Items {
		r := rowOf(item)
		if v.Who.Kind == caller.Operator {
			r.whose = portal.Whose(names, item)
		}
		list.Sheet.Rows = append(list.Sheet.Rows, chosen(filters, []view.Cell{
			{Text: view.Number(r.id), Href: r.href}, {At: &r.created}, {Text: r.amount},
			{Text: v.Say(say.Method(r.method)), Class: "method"}, {Drawn: about(r)}, v.Shell.BadgeCell(r.status),
			{At: &r.since, Class: "num"}, {Text: r.uuid, Class: "mono small"}, {Text: r.usdt},
		}))
	}
	if len(page.Items) == 0 {
		list.Sheet.Empty, err = v.EmptyList(a, func(f report.Filter) (bool, error) {
			found, err := read(v.Ctx(), v.Who, f)
			return len(found.Items) > 0, err
		})
	}
	return list, err
}

// heads are the columns of a list, without those that the user does not want to see.
func (v *visit) heads(a portal.Asked, filters view.Filters) []view.Column {
	label := map[string]string{}
	for _, c := range a.Columns {
		label[c.Name] = v.Say(c.Label)
	}
	return chosen(filters, []view.Column{
		{Text: v.Say(say.Number)}, {Text: label["created"], Sort: a.Sorting(portal.ByTime)},
		{Text: v.Say(say.Amount), Right: true, Sum: true, Sort: a.Sorting(portal.ByAmount)},
		{Text: label["method"], Bare: true}, {Text: label["about"], Bare: true}, {Text: label["status"]},
		{Text: label["since"]}, {Text: label["uuid"]}, {Text: label["sum"], Right: true},
	})
}

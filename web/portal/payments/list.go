package payments

import (
	"context"
	"io"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// list is a list of payments or payouts for a kind of user: its page and its
// file.
type list[T report.Owned] struct {
	portal.List
	title   say.Phrase
	columns []column[T]
	rowOf   func(*visit, T) row
	read    func(*report.Service, context.Context, caller.Caller, report.Filter) (report.Page[T], error)
	// export writes the file, whose name begins with the word in file. The
	// columns of the file are in internal/report.
	export func(*report.Service, context.Context, caller.Caller, report.Filter, io.Writer, *time.Location) error
	file   string
	// more adds to a page what only this list has; it may be nil.
	more func(*visit, *view.List)
}

// column is a column of a list on its page.
type column[T any] struct {
	// name stands for it in the user's choice; "" is always shown. An extra
	// one is hidden unless it is chosen.
	name  string
	label say.Phrase
	extra bool
	// head is its head without the label, and sort are the orders of the
	// list by it; nil is none.
	head view.Column
	sort []report.Sort
	cell func(row, T) view.Cell
}

// row is what payments and payouts have in common in a list.
type row struct {
	id                         int64
	href                       view.Link
	amount, method, usdt, uuid string
	status                     view.Cell
	created, since             time.Time
	// figures, recipient and beside tell the reader what it is about. payer
	// links to the page about the payer named in beside.
	figures           []string
	recipient, beside string
	payer             view.Link
	// whose is the owner's name, for operators, who see everybody's items.
	whose string
}

// columnsOf are the columns that payments and payouts have in common. A list
// appends its own.
func columnsOf[T any](created, subject, sum say.Phrase) []column[T] {
	bare, right, summed := view.Column{Bare: true}, view.Column{Right: true}, view.Column{Right: true, Sum: true}
	text := func(text, class string) view.Cell { return view.Cell{Text: text, Class: class} }
	return []column[T]{
		{label: say.Number, cell: func(r row, _ T) view.Cell { return view.Cell{Text: view.Number(r.id), Href: r.href} }},
		{name: "created", label: created, sort: portal.ByTime, cell: func(r row, _ T) view.Cell { return view.Cell{At: &r.created} }},
		{label: say.Amount, head: summed, sort: portal.ByAmount, cell: func(r row, _ T) view.Cell { return text(r.amount, "") }},
		{name: "method", label: say.MethodLabel, head: bare, cell: func(r row, _ T) view.Cell { return text(r.method, "method") }},
		{name: "about", label: subject, head: bare, cell: func(r row, _ T) view.Cell { return view.Cell{Drawn: about(r)} }},
		{name: "status", label: say.Status, cell: func(r row, _ T) view.Cell { return r.status }},
		{name: "since", label: sayStatusSince, extra: true, cell: func(r row, _ T) view.Cell { return view.Cell{At: &r.since, Class: "num"} }},
		{name: "uuid", label: say.UUID, extra: true, cell: func(r row, _ T) view.Cell { return text(r.uuid, "mono small") }},
		{name: "sum", label: sum, head: right, cell: func(r row, _ T) view.Cell { return text(r.usdt, "") }},
	}
}

// with is a list with its columns, of which the user chooses from those with a
// name: the extra ones are the last.
func (l list[T]) with(of portal.List, columns []column[T]) *list[T] {
	l.List, l.columns = of, columns
	for _, extra := range []bool{false, true} {
		for _, c := range columns {
			if c.name != "" && c.extra == extra {
				l.Columns = append(l.Columns, portal.Column{Name: c.name, Label: c.label, Extra: extra})
			}
		}
	}
	return &l
}

// routes are the routes of the list and of its file. The file requires the
// capability in Export.
func (l *list[T]) routes(reads caller.Capability) []route {
	return []route{
		{Pattern: "GET " + l.Path, Needs: reads, Keeps: &l.List, Handle: func(v *visit) error {
			return portal.ShowList(v.Visit, l.List, func(a portal.Asked) (report.Page[T], error) {
				return l.read(v.Reports, v.Ctx(), v.Who, a.Filter)
			}, func(a portal.Asked, page report.Page[T]) error { return l.show(v, a, page) })
		}},
		{Pattern: "GET " + l.Path + ".csv", Needs: l.Export, Handle: func(v *visit) error {
			a := v.Asks(l.List)
			if len(a.Wrong) > 0 {
				return l.show(v, a, report.Page[T]{})
			}
			return v.SendCSV(a.FileName(l.file, v.Shell.Now), func(file *portal.CSVFile) error {
				return l.export(v.Exports, v.Ctx(), v.Who, a.Filter, file, v.Shell.Zone)
			})
		}},
	}
}

// show shows a page of the list with the columns that the user has chosen; a
// column without a name is always there. Only operators see whose an item is.
// An empty list looks for older items, to say whether there are none or none of
// late.
func (l *list[T]) show(v *visit, a portal.Asked, page report.Page[T]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, page.Items)
	if err != nil {
		return err
	}
	shown := view.List{Filters: filters, Pages: portal.Pages(a, page), Sheet: view.Sheet{Label: v.Say(l.title)}}
	columns := slices.DeleteFunc(slices.Clone(l.columns), func(c column[T]) bool { return c.name != "" && !filters.Shows(c.name) })
	for _, c := range columns {
		c.head.Text = v.Say(c.label)
		if c.sort != nil {
			c.head.Sort = a.Sorting(c.sort)
		}
		shown.Sheet.Columns = append(shown.Sheet.Columns, c.head)
	}
	for _, item := range page.Items {
		r, cells := l.rowOf(v, item), []view.Cell(nil)
		if v.Who.Kind == caller.Operator {
			r.whose = portal.Whose(names, item)
		}
		for _, c := range columns {
			cells = append(cells, c.cell(r, item))
		}
		shown.Sheet.Rows = append(shown.Sheet.Rows, cells)
	}
	if len(page.Items) == 0 {
		shown.Sheet.Empty, err = v.EmptyList(a, func(f report.Filter) (bool, error) {
			found, err := l.read(v.Reports, v.Ctx(), v.Who, f)
			return len(found.Items) > 0, err
		})
		if err != nil {
			return err
		}
	}
	if l.more != nil {
		l.more(v, &shown)
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(l.title), view.ListPage, shown)
}

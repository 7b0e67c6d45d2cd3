package portal

import (
	"cmp"
	"net/url"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The statement of a trader's accounts.
var statementRoutes = []route{
	{
		pattern: "GET /trader/statement",
		kinds:   traders,
		needs:   caller.TraderMoney,
		handle:  with(statementList, (*visit).statement),
	},
	{
		pattern: "GET /trader/statement.csv",
		kinds:   traders,
		needs:   caller.TraderMoney,
		handle:  with(statementList, (*visit).statementCSV),
	},
}

var statementList = list{path: "/trader/statement", account: true, export: caller.TraderMoney}

// reserved names the account of what is held; the other one has no name.
const reserved = "reserved"

func (v *visit) statementAsked(l list) (asked, report.StatementFilter, error) {
	a := v.asks(l)
	if a.query.Get(asksAccount) != reserved { // there are but two
		a.query.Del(asksAccount)
	}
	f := report.StatementFilter{
		Paging: a.filter.Paging, From: a.filter.From, To: a.filter.To,
		Account: ledger.Account{Reserved: a.query.Has(asksAccount)},
	}
	if l.owner {
		owner, err := v.ownerAsked(a)
		if err != nil || owner == nil {
			return a, f, cmp.Or(err, error(fault.ErrNotFound))
		}
		f.Account.Owner, f.Account.OwnerID = owner.Account.Owner, owner.Account.OwnerID
		a.title = v.ownerName(*owner)
	}
	if !l.cashbox {
		return a, f, nil
	}
	if !a.query.Has(asksCashbox) {
		boxes, err := v.cashboxes(a)
		if err != nil {
			return a, f, err
		}
		if len(boxes) == 0 {
			return a, f, fault.ErrNotFound
		}
		a.filter.CashboxID = boxes[0].ID
		a.query.Set(asksCashbox, strconv.FormatInt(boxes[0].ID, 10))
	}
	f.Account.Owner, f.Account.OwnerID = ledger.Cashbox, a.filter.CashboxID
	return a, f, nil
}

func (v *visit) statement(l list) error {
	a, filter, err := v.statementAsked(l)
	if err != nil {
		return err
	}
	if v.tidied(a) {
		return nil
	}
	if len(a.wrong) > 0 {
		return v.showStatement(a, nil)
	}
	found, err := v.Reports.Statement(v.ctx(), v.who, filter)
	if a.wrong, err = v.flawed(err); err != nil {
		return err
	}
	if a.wrong != nil {
		return v.showStatement(a, nil)
	}
	return v.showStatement(a, &found)
}

func (v *visit) showStatement(a asked, found *report.Statement) error {
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	if found == nil {
		filters.Export = ""
	}
	shown := view.Statement{Filters: filters, Accounts: v.accounts(a), Empty: view.Empty{Text: say.NotShown}}
	if found != nil {
		shown.Opening, shown.Closing = view.USDT(found.Opening), view.USDT(found.Closing)
		shown.OpeningAt, shown.ClosingAt = found.From, found.To
		shown.Pages, shown.Empty = pages(a, found.Page), view.Empty{Title: say.NoMovements}
		if a.filter.From.IsZero() && a.filter.To.IsZero() {
			shown.Empty.Href, shown.Empty.Label = a.lookLonger(v.shell.Now), say.LookLonger
		}
		day := ""
		for _, item := range found.Items {
			line := v.statementLine(item, found.Account.Reserved)
			if of := v.shell.Day(item.At); of != day {
				line.Day, day = of, of
			}
			shown.Items = append(shown.Items, line)
		}
	}
	v.shell.Title = cmp.Or(a.title, v.shell.Say(say.StatementTitle))
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.StatementPage(s, shown) })
	return nil
}

// accounts lead to the same time of each account.
func (v *visit) accounts(a asked) []view.Tab {
	other := url.Values{}
	for name, values := range a.query {
		if name != asksAccount {
			other[name] = values
		}
	}
	isReserved := a.query.Has(asksAccount)
	return []view.Tab{
		{Text: v.shell.Say(say.AccountAvailable), Href: view.Link(a.href(other)), Current: !isReserved},
		{Text: v.shell.Say(say.AccountReserved), Href: a.with(asksAccount, reserved), Current: isReserved},
	}
}

func (v *visit) statementLine(line report.StatementLine, isReserved bool) view.StatementLine {
	shown := view.StatementLine{
		At: line.At, What: v.movement(line.Kind, line.Subject, line.Credit.IsPositive() != isReserved),
		In: line.Credit.IsPositive(), Amount: signed(line.Credit.Sub(line.Debit), view.Figure),
		Balance: view.Figure(line.Balance),
	}
	switch line.Subject {
	case subjectPayment:
		shown.About, shown.Href = v.shell.Say(
			say.ShortPayment,
			line.SubjectID,
		), view.Link(
			v.paymentPath(line.SubjectID),
		)
	case subjectPayout:
		id := line.SubjectUUID.String()
		shown.About, shown.Href = v.shell.Say(say.ShortPayout, line.SubjectID), view.Link(v.payoutPath(id))
	case subjectDeposit:
		shown.About, shown.Href = v.shell.Say(
			say.ShortDeposit,
			line.SubjectID,
		), view.Link(
			v.depositPath(line.SubjectID),
		)
	default:
		shown.About = v.shell.Say(say.ShortFunding, line.SubjectID)
	}
	return shown
}

func (v *visit) statementCSV(l list) error {
	a, filter, err := v.statementAsked(l)
	if err != nil {
		return err
	}
	if len(a.wrong) > 0 {
		return v.showStatement(a, nil)
	}
	name := "statement-available"
	if filter.Account.Reserved {
		name = "statement-reserved"
	}
	return v.sendCSV(a.fileName(name, v.shell.Now), func(file *csvFile) error {
		return v.Exports.ExportStatement(v.ctx(), v.who, filter, file, v.shell.Zone)
	})
}

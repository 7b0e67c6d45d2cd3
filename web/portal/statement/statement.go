package statement

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The statement of a trader's accounts, and of a cashbox's.
var statementRoutes = []route{
	{Pattern: "GET /trader/statement", Needs: caller.TraderMoney, Keeps: &statementList, Handle: portal.With(statementList, (*visit).statement)},
	{Pattern: "GET /trader/statement.csv", Needs: caller.TraderMoney, Handle: portal.With(statementList, (*visit).statementCSV)},
	{Pattern: "GET /merchant/statement", Needs: caller.MerchantMoney, Keeps: &ownStatementList, Handle: portal.With(ownStatementList, (*visit).statement)},
	{Pattern: "GET /merchant/statement.csv", Needs: caller.MerchantMoney, Handle: portal.With(ownStatementList, (*visit).statementCSV)},
}

var statementList = portal.List{Path: "/trader/statement", Account: true, Export: caller.TraderMoney}

// reserved is the name of the account of what is held; the other account has no
// name.
const reserved = "reserved"

// statementAsked reads of which account a statement is asked for, and for which
// time. A merchant's is of one cashbox, the first unless the address names
// another; a trader's own needs no owner here, because the service knows the
// trader. An owner that does not exist, or a merchant without cashboxes, is not
// found.
func (v *visit) statementAsked(l portal.List) (portal.Asked, books.StatementFilter, error) {
	a := v.Asks(l)
	if a.Query.Get(portal.AsksAccount) != reserved { // there are only two accounts
		a.Query.Del(portal.AsksAccount)
	}
	f := books.StatementFilter{
		Paging: a.Filter.Paging, From: a.Filter.From, To: a.Filter.To,
		Account: ledger.Account{Reserved: a.Query.Has(portal.AsksAccount)},
	}
	if l.Owner {
		owner, err := v.ownerAsked(a)
		if err != nil || owner == nil {
			return a, f, cmp.Or(err, error(fault.ErrNotFound))
		}
		f.Account.Owner, f.Account.OwnerID = owner.Account.Owner, owner.Account.OwnerID
		a.Title = v.OwnerName(*owner)
	}
	if !l.Cashbox {
		return a, f, nil
	}
	if !a.Query.Has(portal.AsksCashbox) {
		boxes, err := v.Cashboxes(a)
		if err != nil {
			return a, f, err
		}
		if len(boxes) == 0 {
			return a, f, fault.ErrNotFound
		}
		a.Filter.CashboxID = boxes[0].ID
		a.Query.Set(portal.AsksCashbox, strconv.FormatInt(boxes[0].ID, 10))
	}
	f.Account.Owner, f.Account.OwnerID = ledger.Cashbox, a.Filter.CashboxID
	return a, f, nil
}

// statement shows the statement that the address asks for. Mistakes in the
// address, also those that only the service finds, are shown without any
// movements.
func (v *visit) statement(l portal.List) error {
	a, filter, err := v.statementAsked(l)
	if err != nil {
		return err
	}
	if v.Tidied(a) {
		return nil
	}
	if len(a.Wrong) > 0 {
		return v.showStatement(a, nil)
	}
	found, err := v.Books.Statement(v.Ctx(), v.Who, filter)
	if a.Wrong, err = v.Flawed(err); err != nil {
		return err
	}
	if a.Wrong != nil {
		return v.showStatement(a, nil)
	}
	return v.showStatement(a, &found)
}

// showStatement shows a statement, or without one only the filters and their
// mistakes, and then there is no link to the file.
func (v *visit) showStatement(a portal.Asked, found *books.Statement) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	if found == nil {
		filters.Export = ""
	}
	if v.Who.Kind == caller.Trader { // a phone's navigation has no room for it
		filters.Act, filters.ActLabel, filters.Aside = "/trader/withdrawals", say.Withdrawals, true
	}
	shown := Statement{Filters: filters, Accounts: v.accounts(a), Empty: view.Empty{Text: say.NotShown}}
	if found != nil {
		shown.Opening, shown.Closing = v.Shell.Figure(found.Opening), v.Shell.Figure(found.Closing)
		shown.OpeningAt, shown.ClosingAt = found.From, found.To
		shown.Pages, shown.Empty = portal.Pages(a, found.Page), view.Empty{Title: sayNoMovements}
		if a.Filter.From.IsZero() && a.Filter.To.IsZero() {
			shown.Empty.Href, shown.Empty.Label = a.LookLonger(v.Shell.Now), say.LookLonger
		}
		shown.Items = v.events(*found)
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), cmp.Or(a.Title, v.Say(say.StatementTitle)), StatementPage, shown)
}

// events are the movements, those of one event in one line; the first of each
// day names it.
func (v *visit) events(found books.Statement) []Line {
	var lines []Line
	day := ""
	for items := found.Items; len(items) > 0; {
		event := 1
		for event < len(items) && items[event].Alongside(items[0]) {
			event++
		}
		line := v.statementLine(items[:event], found.Account)
		if of := v.Shell.Day(line.At); of != day {
			line.Day, day = of, of
		}
		lines, items = append(lines, line), items[event:]
	}
	return lines
}

// accounts link to the same period of each account.
func (v *visit) accounts(a portal.Asked) []view.Tab {
	other := url.Values{}
	for name, values := range a.Query {
		if name != portal.AsksAccount {
			other[name] = values
		}
	}
	isReserved := a.Query.Has(portal.AsksAccount)
	return []view.Tab{
		{Text: v.Say(say.AccountAvailable), Href: view.Link(a.Href(other)), Current: !isReserved},
		{Text: v.Say(say.AccountReserved), Href: a.With(portal.AsksAccount, reserved), Current: isReserved},
	}
}

// statementLine shows what one event did to an account, its movements with the
// newest first.
func (v *visit) statementLine(event []books.StatementLine, of ledger.Account) Line {
	line, net := event[0], decimal.Zero
	for _, movement := range event {
		net = net.Add(movement.Credit).Sub(movement.Debit)
	}
	shown := Line{
		At: line.At, What: v.Movement(line.Kind, line.Subject, len(event) == 1 && net.IsPositive() != of.Reserved),
		In: net.IsPositive(), Amount: portal.Signed(net, v.Shell.Figure), Balance: v.Shell.Figure(line.Balance),
	}
	if len(event) > 1 {
		shown.Parts = v.parts(event, of)
	}
	switch line.Subject {
	case portal.SubjectPayment:
		shown.About, shown.Href = v.Say(say.ShortPayment, line.SubjectID), view.Link(v.PaymentPath(line.SubjectID))
	case portal.SubjectPayout:
		id := line.SubjectUUID.String()
		shown.About, shown.Href = v.Say(sayShortPayout, line.SubjectID), view.Link(v.PayoutPath(id))
	case portal.SubjectDeposit:
		shown.About, shown.Href = v.Say(say.ShortDeposit, line.SubjectID), view.Link(v.DepositPath(line.SubjectID))
	case portal.SubjectWithdrawal:
		shown.About = v.Say(say.WithdrawalTitle, line.SubjectID)
		shown.Href = view.Link(portal.Numbered(v.Path("/withdrawals"), line.SubjectID))
	default:
		if line.SubjectID != 0 { // in a sandbox the first money has no number of its own
			shown.About = v.Say(sayShortFunding, line.SubjectID)
		}
	}
	return shown
}

// parts names what an event moved, incoming money first. A merchant sees what
// left for a payout, but not how the trader and the platform share it.
func (v *visit) parts(event []books.StatementLine, of ledger.Account) []Part {
	var names []say.Phrase
	sums := map[say.Phrase]decimal.Decimal{}
	for _, movement := range slices.Backward(event) {
		name := sayTo[movement.Other.Owner]
		switch {
		case movement.Other.Owner == of.Owner && movement.Other.OwnerID == of.OwnerID:
			name = sayNoLongerHeld
			if movement.Debit.IsPositive() {
				name = say.AccountReserved
			}
		case movement.Credit.IsPositive():
			name = sayFrom[movement.Other.Owner]
		case v.Who.Kind == caller.MerchantPortal:
			name = sayPaidOut
		}
		if _, known := sums[name]; !known {
			names = append(names, name)
		}
		sums[name] = sums[name].Add(movement.Credit).Sub(movement.Debit)
	}
	slices.SortStableFunc(names, func(a, b say.Phrase) int { return sums[b].Sign() - sums[a].Sign() })
	parts := make([]Part, 0, len(names))
	for _, name := range names {
		parts = append(parts, Part{v.Say(name), portal.Signed(sums[name], v.Shell.Figure)})
	}
	return parts
}

// statementCSV sends the statement as a file, all of it and not only the shown
// page. If the address has mistakes, the page shows them instead.
func (v *visit) statementCSV(l portal.List) error {
	a, filter, err := v.statementAsked(l)
	if err != nil {
		return err
	}
	if len(a.Wrong) > 0 {
		return v.showStatement(a, nil)
	}
	name := "statement-available"
	if filter.Account.Reserved {
		name = "statement-reserved"
	}
	return v.SendCSV(a.FileName(name, v.Shell.Now), func(file *portal.CSVFile) error {
		return v.BookExports.ExportStatement(v.Ctx(), v.Who, filter, file, v.Shell.Zone)
	})
}

var ownStatementList = portal.List{
	Path:    portal.OwnStatementPath,
	Account: true,
	Cashbox: true,
	Export:  caller.MerchantMoney,
}

package statement

import (
	"net/http"
	"strconv"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The list of all accounts, and the statement of any of them.
var ledgerRoutes = []route{
	{Pattern: "GET " + portal.AccountsPath, Needs: caller.OperatorRead, Handle: (*visit).accountList},
	{Pattern: "GET " + portal.StatementPath, Needs: caller.OperatorRead, Handle: portal.With(accountStatement, (*visit).statement)},
	{Pattern: "GET " + portal.StatementPath + ".csv", Needs: caller.OperatorRead, Handle: portal.With(accountStatement, (*visit).statementCSV)},
}

var accountStatement = portal.List{Path: portal.StatementPath, Account: true, Owner: true, Export: caller.OperatorRead}

// accountList lists owners with their balances, of one kind or all. An unknown
// kind leads to the list of all. A negative balance is marked, except that of
// the outside world, from which all USDT have come.
func (v *visit) accountList() error {
	query := v.R.URL.Query()
	kind := query.Get(portal.AsksType)
	f := books.AccountFilter{Owner: kind}
	if after, err := strconv.ParseInt(query.Get(portal.AsksAfter), 10, 64); err == nil {
		f.After = &after
	}
	found, next, err := v.Books.Accounts(v.Ctx(), v.Who, f)
	if v.Wrong(err) != nil {
		return v.Done(portal.AccountsPath, "")
	}
	if err != nil {
		return err
	}
	shown := Accounts{Sheet: view.Sheet{
		Label: v.Say(say.AccountsTitle), Empty: view.Empty{Title: sayNoAccounts},
		Columns: v.Columns(true, sayOwner, say.AccountAvailable, say.AccountReserved, say.Total),
	}}
	for _, tab := range []struct {
		kind string
		text say.Phrase
	}{
		{"", sayAllOwners}, {"trader", say.Traders}, {"cashbox", sayCashboxesAll}, {"platform", say.PlatformOwner},
		{"external", say.OutsideWorld},
	} {
		shown.Tabs = append(shown.Tabs, view.Tab{
			Text:    v.Say(tab.text),
			Href:    view.Query(portal.AccountsPath, portal.AsksType, tab.kind),
			Current: tab.kind == kind,
		})
	}
	for _, h := range found {
		owner := view.Cell{Text: v.OwnerName(h), Href: portal.StatementOf(h.Account)}
		if h.Available.IsNegative() && h.Account.Owner != ledger.External {
			owner.Note = v.Say(sayOverdrawn)
		}
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			owner, {Text: v.Shell.Figure(h.Available)}, {Text: v.Shell.Figure(h.Reserved)},
			{Text: v.Shell.Figure(h.Available.Add(h.Reserved))},
		})
	}
	if next != nil {
		shown.Pages.Older = view.Query(portal.AccountsPath, portal.AsksType, kind, portal.AsksAfter, strconv.FormatInt(*next, 10))
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.AccountsTitle), AccountsPage, shown)
}

// ownerAsked is the owner whose account an operator asks for.
func (v *visit) ownerAsked(a portal.Asked) (*books.Holding, error) {
	id, err := strconv.ParseInt(a.Query.Get(portal.AsksOwner), 10, 64)
	account := ledger.AccountOf(id)
	if err != nil || account.Reserved { // there is no such account
		return nil, fault.ErrNotFound
	}
	return v.Holding(account.Owner, account.OwnerID)
}

package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	accountsPath  = "/operator/accounts"
	statementPath = accountsPath + "/statement"
)

// Who has what, and the statement of any account.
var ledgerRoutes = []route{
	{pattern: "GET " + accountsPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).accountList},
	{
		pattern: "GET " + statementPath, kinds: operators, needs: caller.OperatorRead,
		handle: with(accountStatement, (*visit).statement),
	},
	{
		pattern: "GET " + statementPath + ".csv", kinds: operators, needs: caller.OperatorRead,
		handle: with(accountStatement, (*visit).statementCSV),
	},
}

var accountStatement = list{path: statementPath, account: true, owner: true, export: caller.OperatorRead}

// asksOwner names an owner by the id of their available account.
const asksOwner = "owner"

func (v *visit) accountList() error {
	query := v.r.URL.Query()
	kind := query.Get(asksType)
	f := report.AccountFilter{Owner: kind}
	if after, err := strconv.ParseInt(query.Get(asksAfter), 10, 64); err == nil {
		f.After = &after
	}
	found, next, err := v.Reports.Accounts(v.ctx(), v.who, f)
	if v.wrong(err) != nil {
		return v.done(accountsPath, "")
	}
	if err != nil {
		return err
	}
	shown := view.Accounts{Sheet: view.Sheet{
		Label: v.shell.Say(say.AccountsTitle), Empty: view.Empty{Title: say.NoAccounts},
		Columns: v.columns(true, say.Owner, say.AccountAvailable, say.AccountReserved, say.Total),
	}}
	for _, tab := range []struct {
		kind string
		text say.Phrase
	}{
		{"", say.AllOwners}, {"trader", say.Traders}, {"cashbox", say.CashboxesAll}, {"platform", say.PlatformOwner},
		{"external", say.OutsideWorld},
	} {
		shown.Tabs = append(shown.Tabs, view.Tab{
			Text: v.shell.Say(tab.text), Href: view.Query(accountsPath, asksType, tab.kind), Current: tab.kind == kind,
		})
	}
	for _, h := range found {
		owner := view.Cell{Text: v.ownerName(h), Href: statementOf(h.Account)}
		if h.Available.IsNegative() && h.Account.Owner != ledger.External {
			owner.Note = v.shell.Say(say.Overdrawn)
		}
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			owner, {Text: view.Figure(h.Available)}, {Text: view.Figure(h.Reserved)},
			{Text: view.Figure(h.Available.Add(h.Reserved))},
		})
	}
	if next != nil {
		shown.Pages.Older = view.Query(accountsPath, asksType, kind, asksAfter, strconv.FormatInt(*next, 10))
	}
	v.shell.Title = v.shell.Say(say.AccountsTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.AccountsPage(s, shown) })
	return nil
}

// statementOf leads to the statement of an account.
func statementOf(a ledger.Account) view.Link {
	a.Reserved = false
	return view.Query(statementPath, asksOwner, strconv.FormatInt(a.ID(), 10))
}

// ownerAsked is the owner whose account an operator asks for.
func (v *visit) ownerAsked(a asked) (*report.Holding, error) {
	id, err := strconv.ParseInt(a.query.Get(asksOwner), 10, 64)
	account := ledger.AccountOf(id)
	if err != nil || account.Reserved { // there is no such account
		return nil, fault.ErrNotFound
	}
	return v.holding(account.Owner, account.OwnerID)
}

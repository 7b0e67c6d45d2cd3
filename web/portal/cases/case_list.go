package cases

import (
	"net/http"
	"net/url"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/deposit"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/work"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The lists of operators are of everybody.
var (
	caseDepositList = portal.List{
		Path: depositCase.base, Statuses: portal.DepositStatuses, Status: say.DepositStatus, Always: true, Single: true,
		None: say.NoDeposits,
	}
	caseAppealList = portal.List{
		Path: appealCase.base, Statuses: portal.AppealStatuses, Status: say.AppealStatus, Always: true, Single: true,
		None: say.NoAppeals,
	}
	amountList   = portal.List{Path: portal.CasesPath, Always: true, None: sayCasesNone}
	overdueList  = portal.List{Path: portal.OverduePath, Always: true, None: sayCasesNone}
	conflictList = portal.List{Path: portal.ConflictsPath, Always: true, None: sayCasesNone}
)

// showCases reads a list of cases and shows it: row is how one of them is shown, with its id, which is 0 once nobody
// works on it any more.
func showCases[T any](
	v *visit, a portal.Asked, kind work.Kind, shown Cases, read func() ([]T, *string, error), row func(T) (CaseRow, int64),
) error {
	var next *string
	if len(a.Wrong) == 0 {
		found, on, err := read()
		if a.Wrong, err = v.Flawed(err); err != nil {
			return err
		}
		ids := make([]int64, len(found))
		for i, one := range found {
			var item CaseRow
			item, ids[i] = row(one)
			shown.Items = append(shown.Items, item)
		}
		claims, err := v.Work.Claims(v.Ctx(), v.Who, kind, ids)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if claim, found := claims[id]; found {
				shown.Items[i].Taken = v.taken(&claim)
			}
		}
		next = on
	}
	shown.Empty, shown.Pages = a.Nothing(), a.Older(next)
	v.Show(a.StatusOf(), func(s view.Shell) site.Page { return CasesPage(s, shown) })
	return nil
}

func (v *visit) caseDeposits() error {
	a := v.Asks(caseDepositList)
	if v.Tidied(a) {
		return nil
	}
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	filters.Act, filters.ActLabel, filters.Aside = transfersPath, sayTransfers, true
	v.Shell.Title = v.Say(say.Deposits)
	shown := Cases{Filters: &filters, At: say.Created}
	var names report.Names
	return showCases(v, a, work.Deposit, shown, func() ([]deposit.Deposit, *string, error) {
		var page deposit.Page
		page.Status, page.Cursor = optional.Of(a.Query.Get(portal.AsksStatus)), optional.Of(a.Filter.Cursor)
		found, next, err := v.Deposits.List(v.Ctx(), v.Who, page)
		if err == nil {
			names, err = report.NamesOf(v.Ctx(), v.Reports, v.Who, found)
		}
		return found, next, err
	}, func(d deposit.Deposit) (CaseRow, int64) {
		id := d.ID
		if d.Status != "pending" {
			id = 0
		}
		return CaseRow{
			Name: portal.IDText(d.ID), Href: view.Link(v.DepositPath(d.ID)), At: d.CreatedAt, Status: new(view.DepositBadge(d.Status)),
			Amount: v.USDT(d.Amount), About: portal.Whose(names, d), Beside: d.Network,
		}, id
	})
}

func (v *visit) caseAppeals() error {
	a := v.Asks(caseAppealList)
	if v.Tidied(a) {
		return nil
	}
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	v.Shell.Title = v.Say(say.Appeals)
	shown := Cases{Filters: &filters, At: say.Opened}
	return showCases(v, a, work.Appeal, shown, func() ([]payment.AppealRecord, *string, error) {
		var page payment.Page
		page.Status, page.Cursor = optional.Of(a.Query.Get(portal.AsksStatus)), optional.Of(a.Filter.Cursor)
		return v.Payments.ListAppeals(v.Ctx(), v.Who, page)
	}, func(one payment.AppealRecord) (CaseRow, int64) {
		id := one.ID
		if one.Status != "open" && one.Status != "in_review" {
			id = 0
		}
		return CaseRow{
			Name: portal.IDText(one.ID), Href: v.AppealPath(one.ID), At: one.CreatedAt, Status: new(view.AppealBadge(one.Status)),
			Amount: v.Amount(one.Payment.Amount, one.Payment.Currency),
			About:  v.Say(say.ShortPayment, one.Payment.ID), Beside: one.Payment.OrderID,
		}, id
	})
}

func (v *visit) amounts() error {
	a := v.Asks(amountList)
	v.Shell.Title = v.Say(say.CasesTitle)
	shown := Cases{Text: sayOtherText, At: sayFoundAt}
	return showCases(v, a, work.OtherAmount, shown, func() ([]payment.Payment, *string, error) {
		var page payment.Page
		page.Cursor = optional.Of(a.Filter.Cursor)
		return v.Payments.ListCases(v.Ctx(), v.Who, page.Page)
	}, func(p payment.Payment) (CaseRow, int64) {
		return CaseRow{
			Name: portal.IDText(p.ID), Href: view.Link(v.PaymentPath(p.ID)), At: p.StatusAt,
			Status: new(view.PaymentBadge(string(p.Status))), Amount: v.Amount(p.ReceivedAmount.Decimal, p.Currency),
			About: v.Say(sayAskedFor, v.Amount(p.Amount, p.Currency)), Beside: p.OrderID,
		}, p.ID
	})
}

func (v *visit) overdue() error {
	a := v.Asks(overdueList)
	v.Shell.Title = v.Say(say.OverdueTitle)
	shown := Cases{Text: sayOverdueText, At: say.TakenAt}
	return showCases(v, a, work.Overdue, shown, func() ([]payout.Payin, *string, error) {
		var page payout.Page
		page.Cursor = optional.Of(a.Filter.Cursor)
		return v.Payouts.ListOverdue(v.Ctx(), v.Who, page.Page)
	}, func(p payout.Payin) (CaseRow, int64) {
		row := CaseRow{
			Name: portal.IDText(p.ID), Href: view.Link(v.PayoutPath(p.UUID.String())), At: p.CreatedAt,
			Status: new(view.PayoutBadge(string(p.Status))), Amount: v.Amount(p.Amount, p.Currency),
			Beside: v.Say(say.ShortMerchant, p.MerchantID),
		}
		if p.TakenAt != nil {
			row.At = *p.TakenAt
		}
		if p.TraderID != nil {
			row.About = v.Say(say.ShortTrader, *p.TraderID)
		}
		return row, p.ID
	})
}

func (v *visit) conflicts() error {
	a := v.Asks(conflictList)
	v.Shell.Title = v.Say(say.ConflictsTitle)
	shown := Cases{Text: sayConflictsText, At: sayFoundAt}
	return showCases(v, a, work.Conflict, shown, func() ([]checkout.Conflict, *string, error) {
		return v.Checkouts.ListConflicts(v.Ctx(), v.Who, nil, optional.Of(a.Filter.Cursor))
	}, func(c checkout.Conflict) (CaseRow, int64) {
		return CaseRow{
			Name: portal.IDText(c.ID), Href: view.Link(portal.Numbered(portal.ConflictsPath, c.ID)), At: c.CreatedAt,
			About: v.Say(say.ShortPayment, c.PaymentID), Beside: c.AttemptState,
			Status: new(view.PaymentBadge(string(c.PaymentStatus))),
		}, c.ID
	})
}

// showCase shows a case with what the reader may do with it.
func (v *visit) showCase(of caseKind, found decidable, decisions []decision, shown Case) error {
	shown.Facts, shown.Amount, shown.Acts = found.facts, found.amount, v.actsOn(found, decisions)
	if found.amount != "" { // it heads the page
		shown.Facts = found.facts[1:]
	}
	if found.waits {
		claim, err := v.claimShown(of.kind, found.id, found.path)
		if err != nil {
			return err
		}
		shown.Claim, v.Shell.Live = claim, true
		if claim.Others {
			shown.Desk, shown.Fitting.May = nil, false
		}
	}
	return portal.ShowPage(v.Visit, http.StatusOK, found.name, CasePage, shown)
}

func (v *visit) caseDeposit() error {
	found, err := v.depositSubject()
	if err != nil {
		return err
	}
	moves, err := v.Deposits.History(v.Ctx(), v.Who, found.id)
	if err != nil {
		return err
	}
	lines, err := v.Moves(moves, say.DepositStatus)
	if err != nil {
		return err
	}
	return v.showCase(depositCase, found, depositDecisions, Case{
		List: depositCaseLink, ListLabel: say.Deposits, Status: view.DepositBadge(found.status),
		At: moves[0].At, AtLabel: say.Created, Lines: lines,
	})
}

const depositCaseLink, appealCaseLink view.Link = "/operator/deposits", "/operator/appeals"

func (v *visit) caseAppeal() error {
	found, err := v.appealSubject()
	if err != nil {
		return err
	}
	a, err := v.Payments.GetAppeal(v.Ctx(), v.Who, found.id)
	if err != nil {
		return err
	}
	shown, err := v.aboutPayment(a.Payment.ID)
	if err != nil {
		return err
	}
	shown.List, shown.ListLabel, shown.Status = appealCaseLink, say.Appeals, view.AppealBadge(a.Status)
	shown.At, shown.AtLabel, shown.Wrote = a.CreatedAt, say.Opened, a.Reason
	shown.File = &view.Receipt{
		Name: a.KeptName(), About: v.Say(say.FileType(a.FileType)) + ", " + portal.Size(a.FileSize),
		SentAt: a.CreatedAt, Download: v.AppealPath(a.ID) + "/file",
	}
	if strings.HasPrefix(a.FileType, "image/") {
		shown.Proof = string(shown.File.Download) + "/shown"
	}
	thread, err := v.Payments.ReadThread(v.Ctx(), v.Who, a.ID)
	if err != nil {
		return err
	}
	if found.waits || len(thread.Messages) > 0 {
		shown.Thread = new(v.Thread(thread, nil, nil))
	}
	if found.waits {
		fitting, err := v.Payments.Fitting(v.Ctx(), v.Who, portal.IDText(a.Payment.ID))
		if err != nil {
			return err
		}
		shown.Fitting = v.Fitting(a.Payment, fitting)
		shown.Fitting.Leads = true
	}
	if found.waits && v.May(caller.OperatorCases) {
		shown.Desk = v.deskOf(found)
		shown.Desk.Second = len(shown.Fitting.Items) > 0
	}
	// What is left to lead to is the beginning of a review that takes a while.
	return v.showCase(appealCase, found, appealDecisions[:1], shown)
}

// deskOf decides an appeal on its page.
func (v *visit) deskOf(found decidable) *Desk {
	fresh := func() url.Values { return url.Values{"token": {submission.NewToken()}} }
	desk := &Desk{
		Accept: v.decisionShown(acceptAppeal, found, fresh(), nil), Refuse: v.decisionShown(refuseAppeal, found, fresh(), nil),
		Reasoned: view.Link(found.path + "/" + acceptAppeal.step),
	}
	desk.Accept.Yes = v.Say(sayAcceptNow, found.amount)
	if !v.Who.May(caller.OperatorCases) { // with a second factor of the last minutes they may
		desk.Factor = view.Link("/second-factor?next=" + url.QueryEscape(found.path))
	}
	return desk
}

// aboutPayment leads to the payment that a case is about, and says what happened to it.
func (v *visit) aboutPayment(id int64) (Case, error) {
	lines, err := v.Timelines.Payment(v.Ctx(), v.Who, portal.IDText(id))
	if err != nil {
		return Case{}, err
	}
	if err := v.Meet(portal.ActorsOf(lines)); err != nil {
		return Case{}, err
	}
	return Case{
		Lines: v.Timeline(lines),
		Links: []CaseLink{{
			Label: say.About, Text: v.Say(say.ShortPayment, id), Href: view.Link(v.PaymentPath(id)),
		}},
	}, nil
}

func (v *visit) conflict() error {
	found, err := v.conflictSubject()
	if err != nil {
		return err
	}
	c, err := v.Checkouts.GetConflict(v.Ctx(), v.Who, found.id)
	if err != nil {
		return err
	}
	shown, err := v.aboutPayment(c.PaymentID)
	if err != nil {
		return err
	}
	shown.List, shown.ListLabel, shown.At, shown.AtLabel = portal.ConflictsPath, say.ConflictsTitle, c.CreatedAt, sayFoundAt
	shown.Status = conflictBadge(c)
	return v.showCase(conflictCase, found, conflictDecisions, shown)
}

func conflictBadge(c checkout.Conflict) view.Badge {
	if c.ClosedAt != nil {
		return view.Badge{Text: sayConflictClosed, Tone: "off"}
	}
	return view.Badge{Text: sayConflictOpen, Tone: "late"}
}

// onPayout is what an operator may do with a payout, and who works on it.
func (v *visit) onPayout(p payout.Payin) ([]view.Act, *view.Claim, error) {
	found, err := v.subjectOfPayout(p)
	if err != nil {
		return nil, nil, err
	}
	acts := v.actsOn(found, payoutDecisions)
	if !found.waits {
		return acts, nil, nil
	}
	v.Shell.Live = true
	claim, err := v.claimShown(work.Overdue, p.ID, found.path)
	return acts, claim, err
}

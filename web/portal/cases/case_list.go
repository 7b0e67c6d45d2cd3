package cases

import (
	"net/http"
	"net/url"
	"strings"
	"time"

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
)

// The lists of operators, which have items of all merchants and traders.
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

// cases is a list of cases.
type cases struct {
	of   portal.List
	kind work.Kind
	// text says what is listed, and at is the head of the column of times.
	title, text, at say.Phrase
	read            func(portal.Asked) (report.Page[caseRow], error)
}

// paged makes a page of a list's rows from what a service answers.
func paged[T any](list []T, next *string, err error, row func(T) caseRow) (report.Page[caseRow], error) {
	page := report.Page[caseRow]{Next: next}
	for _, one := range list {
		page.Items = append(page.Items, row(one))
	}
	return page, err
}

// caseRow is a case in a list.
type caseRow struct {
	// open is its id, or 0 if nobody can work on it any more.
	open                        int64
	name, amount, about, beside string
	href                        view.Link
	at                          time.Time
	status                      view.Badge
}

// show shows a page of the list, and who works on each case. The claims are
// read together, for cases on which somebody still can work. Only lists with
// statuses have a form for filters.
func (c cases) show(v *visit) error {
	return portal.ShowList(v.Visit, c.of, c.read, func(a portal.Asked, page report.Page[caseRow]) error {
		list := view.List{Text: c.text, Pages: a.Older(page.Next), Sheet: view.Sheet{
			Label: v.Say(c.title), Empty: a.Nothing(), Columns: []view.Column{
				{Text: v.Say(say.Number)}, {Text: v.Say(c.at)}, {Text: v.Say(say.Amount), Right: true, Sum: true},
				{Text: v.Say(say.About), Bare: true}, {Text: v.Say(say.Status)}, {Text: v.Say(sayTakenBy)},
			},
		}}
		var ids []int64
		for _, r := range page.Items {
			ids = append(ids, r.open)
			list.Sheet.Rows = append(list.Sheet.Rows, []view.Cell{
				{Text: r.name, Href: r.href}, {At: &r.at}, {Text: r.amount}, {Text: r.about, Beside: r.beside},
				v.Shell.BadgeCell(r.status), {},
			})
		}
		claims, err := v.Work.Claims(v.Ctx(), v.Who, c.kind, ids)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if claim, found := claims[id]; found {
				row := list.Sheet.Rows[i]
				row[len(row)-1].Text = v.taken(&claim)
			}
		}
		if len(a.Statuses) > 0 {
			if list.Filters, err = v.Filters(a); err != nil {
				return err
			}
		}
		if c.kind == work.Deposit {
			list.Filters.Act, list.Filters.ActLabel, list.Filters.Aside = transfersPath, sayTransfers, true
		}
		return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(c.title), view.ListPage, list)
	})
}

// caseDeposits lists the deposits of all merchants, in every status or in one.
// Who works on a deposit is shown while it is pending.
func (v *visit) caseDeposits() error {
	return cases{
		of: caseDepositList, kind: work.Deposit, title: say.Deposits, at: say.Created,
		read: func(a portal.Asked) (report.Page[caseRow], error) {
			var page deposit.Page
			page.Status, page.Cursor = optional.Of(a.Query.Get(portal.AsksStatus)), optional.Of(a.Filter.Cursor)
			list, next, err := v.Deposits.List(v.Ctx(), v.Who, page)
			if err != nil {
				return report.Page[caseRow]{}, err
			}
			names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, list)
			return paged(list, next, err, func(d deposit.Deposit) caseRow {
				r := caseRow{
					name: portal.IDText(d.ID), href: view.Link(v.DepositPath(d.ID)), at: d.CreatedAt, status: view.DepositBadge(d.Status),
					amount: v.USDT(d.Amount), about: portal.Whose(names, d), beside: d.Network,
				}
				if d.Status == "pending" {
					r.open = d.ID
				}
				return r
			})
		},
	}.show(v)
}

// caseAppeals lists the appeals of all merchants, in every status or in one.
// Who works on an appeal is shown while it waits for a decision.
func (v *visit) caseAppeals() error {
	return cases{
		of: caseAppealList, kind: work.Appeal, title: say.Appeals, at: say.Opened,
		read: func(a portal.Asked) (report.Page[caseRow], error) {
			var page payment.Page
			page.Status, page.Cursor = optional.Of(a.Query.Get(portal.AsksStatus)), optional.Of(a.Filter.Cursor)
			list, next, err := v.Payments.ListAppeals(v.Ctx(), v.Who, page)
			return paged(list, next, err, func(one payment.AppealRecord) caseRow {
				r := caseRow{
					name: portal.IDText(one.ID), href: v.AppealPath(one.ID), at: one.CreatedAt, status: view.AppealBadge(one.Status),
					amount: v.Amount(one.Payment.Amount, one.Payment.Currency),
					about:  v.Say(say.ShortPayment, one.Payment.ID), beside: one.Payment.OrderID,
				}
				if one.Status == "open" || one.Status == "in_review" {
					r.open = one.ID
				}
				return r
			})
		},
	}.show(v)
}

// amounts lists the payments of which another amount came and about which
// nobody has decided. The amount is the one that came, with the one that was
// asked for beside it.
func (v *visit) amounts() error {
	return cases{
		of: amountList, kind: work.OtherAmount, title: say.CasesTitle, text: sayOtherText, at: sayFoundAt,
		read: func(a portal.Asked) (report.Page[caseRow], error) {
			var page payment.Page
			page.Cursor = optional.Of(a.Filter.Cursor)
			list, next, err := v.Payments.ListCases(v.Ctx(), v.Who, page.Page)
			return paged(list, next, err, func(p payment.Payment) caseRow {
				return caseRow{
					open: p.ID, name: portal.IDText(p.ID), href: view.Link(v.PaymentPath(p.ID)), at: p.StatusAt,
					status: view.PaymentBadge(string(p.Status)), amount: v.Amount(p.ReceivedAmount.Decimal, p.Currency),
					about: v.Say(sayAskedFor, v.Amount(p.Amount, p.Currency)), beside: p.OrderID,
				}
			})
		},
	}.show(v)
}

// overdue lists the payouts that a trader took and did not end in time. They
// stay with the trader, because nobody knows whether they were paid.
func (v *visit) overdue() error {
	return cases{
		of: overdueList, kind: work.Overdue, title: say.OverdueTitle, text: sayOverdueText, at: say.TakenAt,
		read: func(a portal.Asked) (report.Page[caseRow], error) {
			var page payout.Page
			page.Cursor = optional.Of(a.Filter.Cursor)
			list, next, err := v.Payouts.ListOverdue(v.Ctx(), v.Who, page.Page)
			return paged(list, next, err, func(p payout.Payout) caseRow {
				r := caseRow{
					open: p.ID, name: portal.IDText(p.ID), href: view.Link(v.PayoutPath(p.UUID.String())), at: p.CreatedAt,
					status: view.PayoutBadge(string(p.Status)), amount: v.Amount(p.Amount, p.Currency),
					beside: v.Say(say.ShortMerchant, p.MerchantID),
				}
				if p.TakenAt != nil {
					r.at = *p.TakenAt
				}
				if p.TraderID != nil {
					r.about = v.Say(say.ShortTrader, *p.TraderID)
				}
				return r
			})
		},
	}.show(v)
}

// conflicts lists the open conflicts. A closed one keeps its page, but is not
// listed.
func (v *visit) conflicts() error {
	return cases{
		of: conflictList, kind: work.Conflict, title: say.ConflictsTitle, text: sayConflictsText, at: sayFoundAt,
		read: func(a portal.Asked) (report.Page[caseRow], error) {
			list, next, err := v.Checkouts.ListConflicts(v.Ctx(), v.Who, nil, optional.Of(a.Filter.Cursor))
			return paged(list, next, err, func(c checkout.Conflict) caseRow {
				return caseRow{
					open: c.ID, name: portal.IDText(c.ID), href: view.Link(portal.Numbered(portal.ConflictsPath, c.ID)),
					at: c.CreatedAt, status: view.PaymentBadge(string(c.PaymentStatus)),
					about: v.Say(say.ShortPayment, c.PaymentID), beside: c.AttemptState,
				}
			})
		},
	}.show(v)
}

// showCase shows a case, with what the reader may do about it.
func (v *visit) showCase(of caseKind, found decidable, decisions []decision, shown Case) error {
	shown.Facts, shown.Amount, shown.Acts = found.facts, found.amount, v.actsOn(found, decisions)
	if found.amount != "" { // the amount is in the page's heading
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

// caseDeposit shows operators a deposit of any merchant, with its history and
// the possible decisions. The history always has a first line, because its
// creation is one.
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

// caseAppeal shows an appeal with what it is decided by: the history of the
// payment, the merchant's file, the conversation with the trader, and while it
// waits also free transfers that may be its money. Showing it makes the
// trader's messages read for all operators, if the reader could answer. The
// part that decides is only for operators who may decide, also if they have to
// give their second factor first.
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
	// The only decision that remains is to begin a review, which takes a
	// while.
	return v.showCase(appealCase, found, appealDecisions[:1], shown)
}

// deskOf is the part of an appeal's page that decides it.
func (v *visit) deskOf(found decidable) *Desk {
	fresh := func() url.Values { return url.Values{"token": {submission.NewToken()}} }
	desk := &Desk{
		Accept: v.decisionShown(acceptAppeal, found, fresh(), nil), Refuse: v.decisionShown(refuseAppeal, found, fresh(), nil),
		Reasoned: view.Link(found.path + "/" + acceptAppeal.step),
	}
	desk.Accept.Yes = v.Say(sayAcceptNow, found.amount)
	if !v.Who.May(caller.OperatorCases) { // the operator has given a second factor in the last minutes
		desk.Factor = view.Link("/second-factor?next=" + url.QueryEscape(found.path))
	}
	return desk
}

// aboutPayment links to the payment of a case, and says what happened to it.
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

// conflict shows a conflict, open or closed, with the history of its payment.
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

// onPayout is what an operator may do about a payout, and who works on it.
func (v *visit) onPayout(p payout.Payout) ([]view.Act, *view.Claim, error) {
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

package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/checkout"
	"gateway.example/internal/deposit"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/work"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The lists of operators are of everybody.
var (
	casePaymentList = list{
		path: "/operator/payments", statuses: paymentList.statuses, status: say.PaymentStatus,
		methods: paymentList.methods, currencies: catalogue.Currencies, search: true, hint: say.SearchAllHint,
		amounts: true, owners: true, export: caller.OperatorRead,
		about: say.Order, sum: say.MerchantUSDT,
		none: say.NoPayments, noneText: say.NoPaymentsAtAll, lately: say.NoneLately,
	}
	casePayoutList = list{
		path: "/operator/payouts", statuses: ownPayoutList.statuses, status: say.PayoutStatus,
		methods: payoutList.methods, currencies: catalogue.Currencies, search: true, hint: say.SearchAllHint,
		amounts: true, owners: true, overdue: true, export: caller.OperatorRead,
		about: say.Recipient, sum: say.FrozenUSDT,
		none: say.NoOwnPayouts, noneText: say.NoPaymentsAtAll, lately: say.NoneTaken,
	}
	caseDepositList = list{
		path: depositCase.base, statuses: depositList.statuses, status: say.DepositStatus, always: true, single: true,
		none: say.NoDeposits,
	}
	caseAppealList = list{
		path: appealCase.base, statuses: appealList.statuses, status: say.AppealStatus, always: true, single: true,
		none: say.NoAppeals,
	}
	overdueList  = list{path: overduePath, always: true, none: say.CasesNone}
	conflictList = list{path: conflictsPath, always: true, none: say.CasesNone}
)

// older leads on in a list that is read one way, and back to its beginning.
func (a *asked) older(next *string) view.Pages {
	var p view.Pages
	if next != nil {
		p.Older = a.with(asksAfter, *next)
	}
	if a.filter.Cursor != "" {
		p.Newest = view.Link(a.href(a.query))
	}
	return p
}

// showCases reads a list of cases and shows it: read answers with its rows, each with its id, and where
// the list goes on.
func (v *visit) showCases(
	a asked, kind work.Kind, shown view.Cases, read func() ([]view.CaseRow, []int64, *string, error),
) error {
	var next *string
	if len(a.wrong) == 0 {
		rows, ids, on, err := read()
		if a.wrong, err = v.flawed(err); err != nil {
			return err
		}
		claims, err := v.Work.Claims(v.ctx(), v.who, kind, ids)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if claim, found := claims[id]; found {
				rows[i].Taken = v.taken(&claim)
			}
		}
		shown.Items, next = rows, on
	}
	shown.Empty, shown.Pages = a.nothing(), a.older(next)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.CasesPage(s, shown) })
	return nil
}

func (v *visit) caseDeposits() error {
	a := v.asks(caseDepositList)
	if v.tidied(a) {
		return nil
	}
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.Deposits)
	shown := view.Cases{Filters: &filters, At: say.Created}
	return v.showCases(a, work.Deposit, shown, func() (rows []view.CaseRow, ids []int64, next *string, err error) {
		var page deposit.Page
		page.Status, page.Cursor = given(a.query.Get(asksStatus)), given(a.filter.Cursor)
		found, next, err := v.Deposits.List(v.ctx(), v.who, page)
		for _, d := range found {
			badge := view.DepositBadge(d.Status)
			row := view.CaseRow{
				Name: strconv.FormatInt(d.ID, 10), Href: view.Link(v.depositPath(d.ID)), At: d.CreatedAt,
				Amount: view.USDT(d.Amount), About: v.shell.Say(say.ShortMerchant, d.MerchantID), Beside: d.Network,
			}
			if row.Status = &badge; d.Status != "pending" {
				ids = append(ids, 0) // nobody works on it any more
			} else {
				ids = append(ids, d.ID)
			}
			rows = append(rows, row)
		}
		return rows, ids, next, err
	})
}

func (v *visit) caseAppeals() error {
	a := v.asks(caseAppealList)
	if v.tidied(a) {
		return nil
	}
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.Appeals)
	shown := view.Cases{Filters: &filters, At: say.Opened}
	return v.showCases(a, work.Appeal, shown, func() (rows []view.CaseRow, ids []int64, next *string, err error) {
		var page payment.Page
		page.Status, page.Cursor = given(a.query.Get(asksStatus)), given(a.filter.Cursor)
		found, next, err := v.Payments.ListAppeals(v.ctx(), v.who, page)
		for _, one := range found {
			badge := view.AppealBadge(one.Status)
			id := one.ID
			if one.Status != "open" && one.Status != "in_review" {
				id = 0
			}
			ids = append(ids, id)
			rows = append(rows, view.CaseRow{
				Name: strconv.FormatInt(one.ID, 10), Href: v.appealPath(one.ID), At: one.CreatedAt, Status: &badge,
				Amount: v.shell.Amount(one.Payment.Amount, one.Payment.Currency),
				About:  v.shell.Say(say.ShortPayment, one.Payment.ID), Beside: one.Payment.OrderID,
			})
		}
		return rows, ids, next, err
	})
}

func (v *visit) overdue() error {
	a := v.asks(overdueList)
	v.shell.Title = v.shell.Say(say.OverdueTitle)
	shown := view.Cases{Text: say.OverdueText, At: say.TakenAt}
	return v.showCases(a, work.Overdue, shown, func() (rows []view.CaseRow, ids []int64, next *string, err error) {
		var page payout.Page
		page.Cursor = given(a.filter.Cursor)
		found, next, err := v.Payouts.ListOverdue(v.ctx(), v.who, page.Page)
		for _, p := range found {
			badge := view.PayoutBadge(string(p.Status))
			row := view.CaseRow{
				Name: strconv.FormatInt(p.ID, 10), Href: view.Link(v.payoutPath(p.UUID.String())), At: p.CreatedAt,
				Amount: v.shell.Amount(p.Amount, p.Currency), Status: &badge,
				Beside: v.shell.Say(say.ShortMerchant, p.MerchantID),
			}
			if p.TakenAt != nil {
				row.At = *p.TakenAt
			}
			if p.TraderID != nil {
				row.About = v.shell.Say(say.ShortTrader, *p.TraderID)
			}
			rows, ids = append(rows, row), append(ids, p.ID)
		}
		return rows, ids, next, err
	})
}

func (v *visit) conflicts() error {
	a := v.asks(conflictList)
	v.shell.Title = v.shell.Say(say.ConflictsTitle)
	shown := view.Cases{Text: say.ConflictsText, At: say.FoundAt}
	return v.showCases(a, work.Conflict, shown, func() (rows []view.CaseRow, ids []int64, next *string, err error) {
		found, next, err := v.Checkouts.ListConflicts(v.ctx(), v.who, nil, given(a.filter.Cursor))
		for _, c := range found {
			badge := view.PaymentBadge(string(c.PaymentStatus))
			rows = append(rows, view.CaseRow{
				Name:   strconv.FormatInt(c.ID, 10),
				Href:   view.Link(conflictsPath + "/" + strconv.FormatInt(c.ID, 10)),
				At:     c.CreatedAt,
				About:  v.shell.Say(say.ShortPayment, c.PaymentID),
				Beside: c.AttemptState,
				Status: &badge,
			})
			ids = append(ids, c.ID)
		}
		return rows, ids, next, err
	})
}

// showCase shows a case with what the reader may do with it.
func (v *visit) showCase(of caseKind, found decidable, decisions []decision, shown view.Case) error {
	shown.Facts, shown.Amount, shown.Acts = found.facts, found.amount, v.actsOn(found, decisions)
	if found.amount != "" { // it heads the page
		shown.Facts = found.facts[1:]
	}
	if found.waits {
		claim, err := v.claimShown(of.kind, found.id, found.path)
		if err != nil {
			return err
		}
		shown.Claim, v.shell.Live = claim, true
	}
	v.shell.Title = found.name
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.CasePage(s, shown) })
	return nil
}

func (v *visit) caseDeposit() error {
	found, err := v.depositSubject()
	if err != nil {
		return err
	}
	moves, err := v.Deposits.History(v.ctx(), v.who, found.id)
	if err != nil {
		return err
	}
	actors := make([]string, 0, len(moves))
	for _, move := range moves {
		actors = append(actors, move.Actor)
	}
	if err := v.meet(actors); err != nil {
		return err
	}
	return v.showCase(depositCase, found, depositDecisions, view.Case{
		List: depositCaseLink, ListLabel: say.Deposits, Status: view.DepositBadge(found.status),
		At: moves[0].At, AtLabel: say.Created, Lines: v.depositLines(moves),
	})
}

const depositCaseLink, appealCaseLink view.Link = "/operator/deposits", "/operator/appeals"

func (v *visit) caseAppeal() error {
	found, err := v.appealSubject()
	if err != nil {
		return err
	}
	a, err := v.Payments.GetAppeal(v.ctx(), v.who, found.id)
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
		Name: a.KeptName(), About: v.shell.Say(say.FileType(a.FileType)) + ", " + size(a.FileSize),
		SentAt: a.CreatedAt, Download: v.appealPath(a.ID) + "/file",
	}
	return v.showCase(appealCase, found, appealDecisions, shown)
}

// aboutPayment leads to the payment that a case is about, and says what happened to it.
func (v *visit) aboutPayment(id int64) (view.Case, error) {
	lines, err := v.Reports.Timeline(v.ctx(), v.who, strconv.FormatInt(id, 10))
	if err != nil {
		return view.Case{}, err
	}
	if err := v.meet(actorsOf(lines)); err != nil {
		return view.Case{}, err
	}
	return view.Case{
		Lines: v.timeline(lines),
		Links: []view.CaseLink{{
			Label: say.About, Text: v.shell.Say(say.ShortPayment, id), Href: view.Link(v.paymentPath(id)),
		}},
	}, nil
}

func (v *visit) conflict() error {
	found, err := v.conflictSubject()
	if err != nil {
		return err
	}
	c, err := v.Checkouts.GetConflict(v.ctx(), v.who, found.id)
	if err != nil {
		return err
	}
	shown, err := v.aboutPayment(c.PaymentID)
	if err != nil {
		return err
	}
	shown.List, shown.ListLabel, shown.At, shown.AtLabel = conflictsPath, say.ConflictsTitle, c.CreatedAt, say.FoundAt
	shown.Status = conflictBadge(c)
	return v.showCase(conflictCase, found, conflictDecisions, shown)
}

func conflictBadge(c checkout.Conflict) view.Badge {
	if c.ClosedAt != nil {
		return view.Badge{Text: say.ConflictClosed, Tone: "off"}
	}
	return view.Badge{Text: say.ConflictOpen, Tone: "late"}
}

// casePayout is a payout as operators see it.
func (v *visit) casePayout(id string) (view.Payout, error) {
	p, err := v.Payouts.Get(v.ctx(), v.who, id)
	if err != nil {
		return view.Payout{}, err
	}
	owners, err := v.ownersOf(p.CashboxID, p.TraderID)
	if err != nil {
		return view.Payout{}, err
	}
	found, err := v.subjectOfPayout(p)
	if err != nil {
		return view.Payout{}, err
	}
	shown := v.payoutShown(payout.Offer{Payin: p, Address: p.AddressMask, Recipient: p.Recipient})
	shown.Note, shown.Acts = say.Phrase{}, v.actsOn(found, payoutDecisions)
	shown.Facts = append(owners,
		view.Fact{Label: say.Order, Value: p.OrderID}, view.Fact{Label: say.User, Value: text(p.UserID)},
		view.Fact{Label: say.FrozenFact, Value: view.USDT(p.FrozenUSDT), Class: "num"})
	if found.waits {
		v.shell.Live = true
		shown.Claim, err = v.claimShown(work.Overdue, p.ID, found.path)
	}
	return shown, err
}

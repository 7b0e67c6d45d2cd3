package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/payout"
	"gateway.example/internal/work"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// caseKind is a kind of what operators decide, at an address of its own.
type caseKind struct {
	kind work.Kind
	base string
	find func(*visit) (decidable, error)
}

// decidable is something that operators decide, as it stands.
type decidable struct {
	id     int64
	status string
	// path is its page, name what it is called there, and amount what it is about; "" is no amount.
	path, name, amount string
	facts              []view.Fact
	// waits tells that somebody has to decide it.
	waits bool
}

const conflictsPath, overduePath = "/operator/conflicts", "/operator/overdue"

var (
	depositCase  = caseKind{work.Deposit, "/operator/deposits", (*visit).depositSubject}
	appealCase   = caseKind{work.Appeal, "/operator/appeals", (*visit).appealSubject}
	payoutCase   = caseKind{work.Overdue, "/operator/payouts", (*visit).payoutSubject}
	conflictCase = caseKind{work.Conflict, conflictsPath, (*visit).conflictSubject}
)

// caseRoutes are what operators look at and decide.
var caseRoutes = slices.Concat(
	[]route{
		{
			pattern: "GET /operator/payments", kinds: operators, needs: caller.OperatorRead,
			handle: with(casePaymentList, (*visit).payments),
		},
		{
			pattern: "GET /operator/payments.csv", kinds: operators, needs: caller.OperatorRead,
			handle: with(casePaymentList, (*visit).paymentsCSV),
		},
		{
			pattern: "GET /operator/payments/{id}",
			kinds:   operators,
			needs:   caller.OperatorRead,
			handle:  (*visit).payment,
		},
		{
			pattern: "GET /operator/payments/{id}/receipts/{n}", kinds: operators, needs: caller.OperatorRead,
			handle: (*visit).receipt,
		},
		{
			pattern: "GET /operator/payouts", kinds: operators, needs: caller.OperatorRead,
			handle: with(casePayoutList, (*visit).payouts),
		},
		{
			pattern: "GET /operator/payouts.csv", kinds: operators, needs: caller.OperatorRead,
			handle: with(casePayoutList, (*visit).payoutsCSV),
		},
		{pattern: "GET /operator/payouts/{id}", kinds: operators, needs: caller.OperatorRead, handle: (*visit).payout},
		{
			pattern: "GET /operator/deposits",
			kinds:   operators,
			needs:   caller.OperatorRead,
			handle:  (*visit).caseDeposits,
		},
		{
			pattern: "GET /operator/deposits/{id}", kinds: operators, needs: caller.OperatorRead,
			handle: (*visit).caseDeposit,
		},
		{pattern: "GET /operator/appeals", kinds: operators, needs: caller.OperatorRead, handle: (*visit).caseAppeals},
		{
			pattern: "GET /operator/appeals/{id}",
			kinds:   operators,
			needs:   caller.OperatorRead,
			handle:  (*visit).caseAppeal,
		},
		{
			pattern: "GET /operator/appeals/{id}/file", kinds: operators, needs: caller.OperatorRead,
			handle: (*visit).appealFile,
		},
		{pattern: "GET /operator/overdue", kinds: operators, needs: caller.OperatorRead, handle: (*visit).overdue},
		{pattern: "GET /operator/conflicts", kinds: operators, needs: caller.OperatorRead, handle: (*visit).conflicts},
		{
			pattern: "GET /operator/conflicts/{id}", kinds: operators, needs: caller.OperatorRead,
			handle: (*visit).conflict,
		},
	},
	claimRoutes(depositCase),
	claimRoutes(appealCase),
	claimRoutes(payoutCase),
	claimRoutes(conflictCase),
	decisionRoutes(depositDecisions, appealDecisions, payoutDecisions, conflictDecisions),
)

// claimRoutes are how a case is taken and released. Whether the reader may, the service says, which
// asks for no second factor.
func claimRoutes(of caseKind) []route {
	one := of.base + "/{id}"
	return []route{
		{
			pattern: "GET " + one + "/claim", kinds: operators, needs: caller.OperatorRead, fragment: true,
			handle: func(v *visit) error { return v.claimRegion(of) },
		},
		{
			pattern: "POST " + one + "/take", kinds: operators, needs: caller.OperatorRead,
			handle: func(v *visit) error { return v.takeCase(of) },
		},
		{
			pattern: "POST " + one + "/release", kinds: operators, needs: caller.OperatorRead,
			handle: func(v *visit) error { return v.releaseCase(of) },
		},
	}
}

func (v *visit) claimRegion(of caseKind) error {
	found, err := of.find(v)
	if err != nil {
		return err
	}
	shown, err := v.claimShown(of.kind, found.id, found.path)
	if err != nil {
		return err
	}
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ClaimRegion(s, *shown) })
	return nil
}

// takeCase takes a case, and goes on to the decision that somebody was about to make.
func (v *visit) takeCase(of caseKind) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	found, err := of.find(v)
	if err != nil {
		return err
	}
	err = v.Work.Take(v.ctx(), v.who, of.kind, found.id, form.Get("over") == yes)
	f := fault.As(err)
	switch {
	case f != nil && f.Code == work.ErrTaken.Code:
		return v.done(found.path, "work-others")
	case f != nil && f.Kind == fault.NotFound:
		return v.done(found.path, "changed")
	case err != nil:
		return err
	}
	if step := form.Get("next"); slices.Contains(steppable, step) {
		return v.done(found.path+"/"+step, "work-taken")
	}
	return v.done(found.path, "work-taken")
}

func (v *visit) releaseCase(of caseKind) error {
	found, err := of.find(v)
	if err != nil {
		return err
	}
	if err := v.Work.Release(v.ctx(), v.who, of.kind, found.id); err != nil {
		return err
	}
	return v.done(found.path, "work-released")
}

// ownersOf name a merchant, its cashbox and a trader, and lead to their pages.
func (v *visit) ownersOf(cashboxID int64, traderID *int64) ([]view.Fact, error) {
	box, err := v.Settings.Cashbox(v.ctx(), v.who, cashboxID)
	if err != nil {
		return nil, err
	}
	facts := []view.Fact{
		{
			Label: say.PortalMerchant, Value: titled(box.MerchantName, box.MerchantID),
			Href: view.Link(numbered(merchantsPath, box.MerchantID)),
		},
		{
			Label: say.Cashbox, Value: titled(box.Name, cashboxID),
			Href: view.Link(numbered(cashboxesPath, cashboxID)),
		},
	}
	if traderID == nil {
		return facts, nil
	}
	trader, err := v.Settings.Trader(v.ctx(), v.who, *traderID)
	return append(facts, view.Fact{
		Label: say.PortalTrader, Value: titled(trader.Name, *traderID),
		Href: view.Link(numbered(tradersPath, *traderID)),
	}), err
}

// whose tells in a list whose something is, by their numbers: names would take a question each.
func (v *visit) whose(merchantID int64, traderID *int64) string {
	text := v.shell.Say(say.ShortMerchant, merchantID)
	if traderID != nil {
		text += ", " + v.shell.Say(say.ShortTrader, *traderID)
	}
	return text
}

// titled is a name with the number by which logs and programs know its bearer.
func titled(name string, id int64) string {
	return strings.TrimSpace(name + " №\u00a0" + strconv.FormatInt(id, 10))
}

// unlessNone is nil where there is none.
func unlessNone(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func (v *visit) depositSubject() (decidable, error) {
	id, err := v.numbered()
	if err != nil {
		return decidable{}, err
	}
	d, err := v.Deposits.Get(v.ctx(), v.who, id)
	if err != nil {
		return decidable{}, err
	}
	facts := []view.Fact{{Label: say.Amount, Value: view.USDT(d.Amount), Class: "num"}}
	owners, err := v.ownersOf(d.CashboxID, nil)
	if err != nil {
		return decidable{}, err
	}
	facts = append(facts, owners...)
	facts = append(facts, view.Fact{Label: say.Network, Value: d.Network},
		view.Fact{Label: say.Address, Value: d.Address, Class: "mono"},
		view.Fact{Label: say.MerchantsReference, Value: text(d.ExternalReference)})
	return decidable{
		id: id, status: d.Status, path: v.depositPath(id), name: v.shell.Say(say.DepositTitle, id),
		amount: view.USDT(d.Amount), facts: facts, waits: d.Status == "pending",
	}, nil
}

func (v *visit) appealSubject() (decidable, error) {
	id, err := v.numbered()
	if err != nil {
		return decidable{}, err
	}
	a, err := v.Payments.GetAppeal(v.ctx(), v.who, id)
	if err != nil {
		return decidable{}, err
	}
	amount := v.shell.Amount(a.Payment.Amount, a.Payment.Currency)
	facts := []view.Fact{{Label: say.Amount, Value: amount, Class: "num"}}
	owners, err := v.ownersOf(a.Payment.CashboxID, unlessNone(a.Payment.TraderID))
	if err != nil {
		return decidable{}, err
	}
	facts = append(facts, owners...)
	facts = append(facts, view.Fact{Label: say.Order, Value: a.Payment.OrderID})
	return decidable{
		id:     id,
		status: a.Status,
		path:   string(v.appealPath(id)),
		name:   v.shell.Say(say.AppealTitle, id),
		amount: amount,
		facts:  facts,
		waits:  a.Status == "open" || a.Status == "in_review",
	}, nil
}

func (v *visit) payoutSubject() (decidable, error) {
	p, err := v.Payouts.Get(v.ctx(), v.who, v.payoutID())
	if err != nil {
		return decidable{}, err
	}
	return v.subjectOfPayout(p)
}

func (v *visit) subjectOfPayout(p payout.Payin) (decidable, error) {
	owners, err := v.ownersOf(p.CashboxID, p.TraderID)
	amount := v.shell.Amount(p.Amount, p.Currency)
	facts := []view.Fact{
		{Label: say.Amount, Value: amount, Class: "num"},
		{Label: say.Recipient, Value: p.Recipient},
		{Label: say.Requisite, Value: p.AddressMask},
	}
	return decidable{
		id:     p.ID,
		status: string(p.Status),
		path:   v.payoutPath(p.UUID.String()),
		name:   v.shell.Say(say.PayoutTitle, p.ID),
		amount: amount,
		facts:  append(facts, owners...),
		waits:  p.Status == payout.Processing,
	}, err
}

func (v *visit) conflictSubject() (decidable, error) {
	id, err := v.numbered()
	if err != nil {
		return decidable{}, err
	}
	c, err := v.Checkouts.GetConflict(v.ctx(), v.who, id)
	if err != nil {
		return decidable{}, err
	}
	found := decidable{
		id: id, status: "open", path: conflictsPath + "/" + strconv.FormatInt(id, 10),
		name: v.shell.Say(say.ConflictTitle, id), waits: c.ClosedAt == nil,
		facts: []view.Fact{
			{Label: say.PaymentStood, Value: v.shell.Say(say.PaymentStatus(string(c.PaymentStatus)))},
			{Label: say.AttemptSays, Value: c.AttemptState},
			{Label: say.AttemptID, Value: c.AttemptID.String(), Class: "mono"},
		},
	}
	if !found.waits {
		found.status = "closed"
	}
	return found, nil
}

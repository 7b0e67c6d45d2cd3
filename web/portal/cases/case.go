package cases

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/internal/work"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// caseKind is a kind of case that operators decide, with its address.
type caseKind struct {
	kind work.Kind
	base string
	find func(*visit) (decidable, error)
}

// decidable is a case in its present state.
type decidable struct {
	id     int64
	status string
	// about is what else the decision is about, and may change without the
	// status: when its trader took a payout, what came of an appeal's
	// payment, and the transfer of a deposit. What was asked about another
	// is not done.
	about string
	// takenAt is when a payout's trader took it.
	takenAt *time.Time
	// path is its page, name is its name there, and amount is its amount,
	// or "".
	path, name, amount string
	facts              []view.Fact
	// waits says that it has to be decided.
	waits bool
}

// seen is how the case stands, as the form of a decision says it.
func (d decidable) seen() string { return strings.TrimSpace(d.status + " " + d.about) }

var (
	depositCase  = caseKind{work.Deposit, "/operator/deposits", (*visit).depositSubject}
	appealCase   = caseKind{work.Appeal, "/operator/appeals", (*visit).appealSubject}
	amountCase   = caseKind{work.OtherAmount, portal.PaymentsPath, (*visit).amountSubject}
	payoutCase   = caseKind{work.Overdue, "/operator/payouts", (*visit).payoutSubject}
	conflictCase = caseKind{work.Conflict, portal.ConflictsPath, (*visit).conflictSubject}
	objectCase   = caseKind{work.Objection, portal.ObjectionsPath, (*visit).objectionSubject}
)

// caseRoutes are the pages of what operators look at and decide.
var caseRoutes = slices.Concat(
	[]route{
		{Pattern: "GET /operator/deposits", Needs: caller.OperatorRead, Keeps: &caseDepositList, Handle: (*visit).caseDeposits},
		{Pattern: "GET /operator/deposits/{id}", Needs: caller.OperatorRead, Handle: (*visit).caseDeposit},
		{Pattern: "GET /operator/appeals", Needs: caller.OperatorRead, Keeps: &caseAppealList, Handle: (*visit).caseAppeals},
		{Pattern: "GET /operator/appeals/{id}", Needs: caller.OperatorRead, Handle: (*visit).caseAppeal},
		{Pattern: "GET " + portal.CasesPath, Needs: caller.OperatorRead, Handle: (*visit).amounts},
		{Pattern: "GET /operator/overdue", Needs: caller.OperatorRead, Handle: (*visit).overdue},
		{Pattern: "GET /operator/conflicts", Needs: caller.OperatorRead, Handle: (*visit).conflicts},
		{Pattern: "GET /operator/conflicts/{id}", Needs: caller.OperatorRead, Handle: (*visit).conflict},
		{Pattern: "GET " + portal.ObjectionsPath, Needs: caller.OperatorRead, Handle: (*visit).objections},
		{Pattern: "GET " + portal.ObjectionsPath + "/{id}", Needs: caller.OperatorRead, Handle: (*visit).objection},
	},
	claimRoutes(depositCase),
	claimRoutes(appealCase),
	claimRoutes(amountCase),
	claimRoutes(payoutCase),
	claimRoutes(conflictCase),
	claimRoutes(objectCase),
	decisionRoutes(depositDecisions, appealDecisions, payoutDecisions, conflictDecisions, objectionDecisions),
)

// claimRoutes are the routes that take and release a case. The service checks
// the reader's permission, which needs no fresh second factor.
func claimRoutes(of caseKind) []route {
	one := of.base + "/{id}"
	on := func(do func(*visit, caseKind) error) func(*visit) error {
		return func(v *visit) error { return do(v, of) }
	}
	return []route{
		{Pattern: "GET " + one + "/claim", Needs: caller.OperatorRead, Fragment: true, Handle: on((*visit).claimRegion)},
		{Pattern: "POST " + one + "/take", Needs: caller.OperatorRead, Handle: on((*visit).takeCase)},
		{Pattern: "POST " + one + "/release", Needs: caller.OperatorRead, Handle: on((*visit).releaseCase)},
	}
}

// claimRegion is the part of a case's page that says who works on it, which a
// script reads again. Without scripts it stays as it was when the page was
// loaded.
func (v *visit) claimRegion(of caseKind) error {
	found, err := of.find(v)
	if err != nil {
		return err
	}
	shown, err := v.claimShown(of.kind, found.id, found.path)
	if err != nil {
		return err
	}
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return view.ClaimRegion(s, *shown) })
	return nil
}

// takeCase takes a case, and continues with the decision that the operator was
// about to make.
func (v *visit) takeCase(of caseKind) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	found, err := of.find(v)
	if err != nil {
		return err
	}
	err = v.Work.Take(v.Ctx(), v.Who, of.kind, found.id, form.Get("over") == portal.Yes)
	f := fault.As(err)
	switch {
	case f != nil && f.Code == work.ErrTaken.Code:
		return v.Done(found.path, "work-others")
	case f != nil && f.Kind == fault.NotFound:
		return v.Done(found.path, "changed")
	case err != nil:
		return err
	}
	if step := form.Get("next"); slices.Contains(steppable, step) {
		return v.Done(found.path+"/"+step, "work-taken")
	}
	return v.Done(found.path, "work-taken")
}

func (v *visit) releaseCase(of caseKind) error {
	found, err := of.find(v)
	if err != nil {
		return err
	}
	if err := v.Work.Release(v.Ctx(), v.Who, of.kind, found.id); err != nil {
		return err
	}
	return v.Done(found.path, "work-released")
}

// depositSubject is the deposit in the address with what an operator has to
// compare: whether the address is the platform's and still in use, the transfer
// that came, and what each node says. A decision is about that transfer, and is
// not made about another one.
func (v *visit) depositSubject() (decidable, error) {
	d, err := portal.Named(v.Visit, v.Deposits.Get)
	if err != nil {
		return decidable{}, err
	}
	facts := []view.Fact{{Label: say.Amount, Value: v.USDT(d.Amount), Class: "num"}}
	owners, err := v.OwnersOf(v.Settings, d.CashboxID, nil)
	if err != nil {
		return decidable{}, err
	}
	facts = append(facts, owners...)
	ours, present, err := v.Deposits.Ours(v.Ctx(), v.Who, d)
	if err != nil {
		return decidable{}, err
	}
	facts = append(facts, view.Fact{Label: say.Network, Value: d.Network},
		view.Fact{Label: say.Address, Value: d.Address, Class: "mono"})
	switch {
	case !ours:
		facts = append(facts, view.Fact{Label: sayWhoseAddress, Value: v.Say(sayNotOurAddress), Class: "wrong"})
	case !present:
		facts = append(facts, view.Fact{Label: sayWhoseAddress, Value: v.Say(sayFormerAddress), Class: "wrong"})
	}
	facts = append(facts,
		view.Fact{Label: sayMerchantsReference, Value: optional.Value(d.ExternalReference)})
	seen, err := v.seenOf(d)
	if err != nil {
		return decidable{}, err
	}
	facts = append(append(facts, seen...), v.Noted(d.Metadata, "/deposits")...)
	transfer := ""
	if d.Transfer != nil {
		transfer = portal.IDText(d.Transfer.ID)
	}
	return decidable{
		id: d.ID, status: d.Status, about: transfer, path: v.DepositPath(d.ID), name: v.Say(say.DepositTitle, d.ID),
		amount: v.USDT(d.Amount), facts: facts, waits: d.Status == "pending",
	}, nil
}

// seenOf shows what the network says of a deposit, and what each of its nodes
// said last.
func (v *visit) seenOf(d deposit.Deposit) ([]view.Fact, error) {
	nodes, err := v.Deposits.Nodes(v.Ctx(), v.Who, d.Network)
	if err != nil {
		return nil, err
	}
	var facts []view.Fact
	switch t := d.Transfer; {
	case t != nil:
		facts = v.transferFacts(d, *t)
	case len(nodes) > 0 && d.Status == "pending":
		facts = append(facts, view.Fact{Label: say.TransactionHash, Value: v.Say(sayNothingCame)})
	}
	if d.Named != "" && (d.Transfer == nil || d.Transfer.Hash != d.Named) {
		facts = append(facts, view.Fact{Label: sayNamedHash, Value: d.Named, Class: "mono"})
	}
	if d.Status != "pending" {
		return facts, nil
	}
	for _, n := range nodes {
		fact := view.Fact{Label: sayNode, Value: v.Say(sayNodeAgrees, n.Host, n.Head)}
		if n.Trouble != "" {
			fact.Value, fact.Class = v.Say(sayNodeTrouble, n.Host, n.Trouble), "wrong"
		}
		facts = append(facts, fact)
	}
	return facts, nil
}

// transferFacts are those of the transfer that came for a deposit.
func (v *visit) transferFacts(d deposit.Deposit, t deposit.Transfer) []view.Fact {
	facts := []view.Fact{
		{Label: say.TransactionHash, Value: t.Hash, Class: "mono"},
		{Label: saySender, Value: t.From, Class: "mono"},
		{Label: say.Confirmations, Value: v.confirmations(t), Class: "num"},
	}
	if !t.Credited().Equal(d.Amount) {
		facts = append(facts, view.Fact{Label: say.TransferCame, Value: v.Say(say.AnotherCame, v.USDT(t.Credited())), Class: "wrong"})
	}
	if t.ByMerchant {
		facts = append(facts, view.Fact{Label: sayAssigned, Value: v.Say(sayAssignedByMerchant)})
	}
	if t.ByOperator {
		facts = append(facts, view.Fact{Label: sayAssigned, Value: v.Say(sayAssignedByHand)})
	}
	return facts
}

// confirmations is how many confirmations a transfer has, of how many.
func (v *visit) confirmations(t deposit.Transfer) string {
	return v.Say(say.ConfirmationsOf, min(t.Confirmations, t.Needed), t.Needed)
}

// appealSubject is the appeal in the address. A decision is about what has come
// of its payment so far, so that one that was asked for before more money came
// is not made.
func (v *visit) appealSubject() (decidable, error) {
	a, err := portal.Named(v.Visit, v.Payments.GetAppeal)
	if err != nil {
		return decidable{}, err
	}
	amount := v.Amount(a.Payment.Amount, a.Payment.Currency)
	facts := []view.Fact{{Label: say.Amount, Value: amount, Class: "num"}}
	owners, err := v.OwnersOf(v.Settings, a.Payment.CashboxID, optional.Of(a.Payment.TraderID))
	if err != nil {
		return decidable{}, err
	}
	facts = append(facts, owners...)
	facts = append(facts, view.Fact{Label: say.Order, Value: a.Payment.OrderID})
	if a.Statement != nil {
		facts = append(facts, view.Fact{Label: sayStatementLine, Value: *a.Statement})
	}
	came := ""
	if a.Payment.ReceivedAmount.Valid {
		came = money.Fiat(a.Payment.ReceivedAmount.Decimal)
	}
	return decidable{
		id:     a.ID,
		status: a.Status,
		about:  came,
		path:   string(v.AppealPath(a.ID)),
		name:   v.Say(say.AppealTitle, a.ID),
		amount: amount,
		facts:  facts,
		waits:  a.Status == "open" || a.Status == "in_review",
	}, nil
}

// amountSubject is a payment that received another amount than was asked for.
func (v *visit) amountSubject() (decidable, error) {
	id, err := v.Numbered()
	if err != nil {
		return decidable{}, err
	}
	p, err := v.Payments.Get(v.Ctx(), v.Who, portal.IDText(id))
	return decidable{id: id, status: string(p.Status), path: v.PaymentPath(id), waits: p.Case()}, err
}

func (v *visit) payoutSubject() (decidable, error) {
	p, err := v.Payouts.Get(v.Ctx(), v.Who, v.PayoutID())
	if err != nil {
		return decidable{}, err
	}
	return v.subjectOfPayout(p)
}

// subjectOfPayout is a payout that an operator can end in its trader's place,
// with the requisite masked. A decision is also about when it was taken: a
// payout that was given back and taken again is another case.
func (v *visit) subjectOfPayout(p payout.Payout) (decidable, error) {
	owners, err := v.OwnersOf(v.Settings, p.CashboxID, p.TraderID)
	amount := v.Amount(p.Amount, p.Currency)
	facts := []view.Fact{
		{Label: say.Amount, Value: amount, Class: "num"},
		{Label: say.Recipient, Value: p.Recipient},
		{Label: say.Requisite, Value: p.AddressMask},
	}
	taken := ""
	if p.TakenAt != nil {
		taken = p.TakenAt.UTC().Format(time.RFC3339Nano)
	}
	return decidable{
		id:     p.ID,
		status: string(p.Status),
		about:  taken, takenAt: p.TakenAt,
		path:   v.PayoutPath(p.UUID.String()),
		name:   v.Say(say.PayoutTitle, p.ID),
		amount: amount,
		facts:  append(facts, owners...),
		waits:  p.Status == payout.Processing,
	}, err
}

// conflictSubject is the conflict in the address, between a payment and an
// attempt to charge its card. It says how the payment stood when the conflict
// was found, not how it stands now, and has no amount.
func (v *visit) conflictSubject() (decidable, error) {
	c, err := portal.Named(v.Visit, v.Checkouts.GetConflict)
	if err != nil {
		return decidable{}, err
	}
	found := decidable{
		id: c.ID, status: "open", path: portal.Numbered(portal.ConflictsPath, c.ID),
		name: v.Say(sayConflictTitle, c.ID), waits: c.ClosedAt == nil,
		facts: []view.Fact{
			{Label: sayPaymentStood, Value: v.Say(say.PaymentStatus(string(c.PaymentStatus)))},
			{Label: sayAttemptSays, Value: v.Say(say.Named(sayAttempts, c.AttemptState))},
			{Label: sayAttemptID, Value: c.AttemptID.String(), Class: "mono"},
		},
	}
	if !found.waits {
		found.status = "closed"
	}
	return found, nil
}

package portal

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/proposal"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What waits for a second operator.
var approvalRoutes = []route{
	{pattern: "GET " + approvalsPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).approvals},
	{
		pattern: "GET " + approvalsPath + "/{id}",
		kinds:   operators,
		needs:   caller.OperatorRead,
		handle:  (*visit).approval,
	},
	{
		pattern: "POST " + approvalsPath + "/{id}/approve", kinds: operators, needs: caller.OperatorMoney,
		handle: (*visit).approve,
	},
	{
		pattern: "POST " + approvalsPath + "/{id}/refuse", kinds: operators, needs: caller.OperatorMoney,
		handle: (*visit).refuse,
	},
}

func approvalPath(id int64) string { return approvalsPath + "/" + strconv.FormatInt(id, 10) }

// asksState keeps a list of proposals to all of them.
const (
	asksState = "state"
	allStates = "all"
)

func (v *visit) approvals() error {
	all := v.r.URL.Query().Get(asksState) == allStates
	page := proposal.Page{All: all}
	page.Cursor = given(v.r.URL.Query().Get(asksAfter))
	list, next, err := v.Proposals.List(v.ctx(), v.who, page)
	if _, err = v.flawed(err); err != nil {
		return err
	}
	shown := view.Approvals{
		Tabs: []view.Tab{
			{Text: v.shell.Say(say.OpenOnesOnly), Href: approvalsPath, Current: !all},
			{Text: v.shell.Say(say.AllProposals), Href: view.Query(approvalsPath, asksState, allStates), Current: all},
		},
		Sheet: view.Sheet{Label: v.shell.Say(say.ApprovalsTitle), Empty: view.Empty{Title: say.NoProposals}},
	}
	shown.Sheet.Columns = v.columns(
		false,
		say.ActionLabel,
		say.About,
		say.ProposedBy,
		say.Created,
		say.ExpiresAt,
		say.Status,
	)
	for _, p := range list {
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			{
				Text: v.shell.Say(say.ActionOf(string(p.Action))),
				Href: view.Link(approvalPath(p.ID)),
				Note: "№ " + strconv.FormatInt(p.ID, 10),
			},
			{Text: v.shell.Say(say.AuditSubjectName(p.Subject)) + " " + p.SubjectKey},
			{Text: p.Proposer},
			{At: &p.CreatedAt},
			{At: &p.ExpiresAt},
			{Text: v.shell.Say(say.StateOf(string(p.State))), Tone: stateTone(p.State)},
		})
	}
	if next != nil {
		state := ""
		if all {
			state = allStates
		}
		shown.Pages.Older = view.Query(approvalsPath, asksState, state, asksAfter, *next)
	}
	if err := v.warnAlone(&shown.Alone); err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.ApprovalsTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ApprovalsPage(s, shown) })
	return nil
}

// warnAlone says that there is nobody to approve what the reader proposes, where that is so.
func (v *visit) warnAlone(note *string) error {
	if !v.Settings.FourEyes.On {
		return nil
	}
	others, err := v.Proposals.Others(v.ctx(), v.who)
	if err == nil && others == 0 {
		*note = v.shell.Say(say.NobodyElse)
	}
	return err
}

// tellAlone has every page of operators say that proposals wait, where no operator could decide what another one proposes.
func (v *visit) tellAlone() error {
	if v.session.State != session.Whole || v.route.fragment || v.who.Kind != caller.Operator {
		return nil
	}
	two, err := v.Proposals.TwoDecide(v.ctx())
	v.shell.Alone = err == nil && !two
	return err
}

// proposed makes a proposal of what takes a second operator, and leads to it. Another error stays as it is.
func (v *visit) proposed(err error) error {
	if wanted := new(foureyes.Wanted); !errors.As(err, &wanted) {
		return err
	}
	p, err := v.Proposals.Propose(v.ctx(), v.who, err)
	if err != nil {
		return err
	}
	return v.done(approvalPath(p.ID), "proposed")
}

// columns head a table; from the first number on they stand at the right where numbers is set.
func (v *visit) columns(numbers bool, labels ...say.Phrase) []view.Column {
	var list []view.Column
	for i, label := range labels {
		list = append(list, view.Column{Text: v.shell.Say(label), Right: numbers && i > 0})
	}
	return list
}

func stateTone(s proposal.State) string {
	switch s {
	case proposal.Approved:
		return "good"
	case proposal.Refused:
		return "bad"
	case proposal.Expired:
		return "off"
	case proposal.Open:
	}
	return "late"
}

func (v *visit) approval() error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	return v.showApproval(http.StatusOK, id, "", nil)
}

func (v *visit) showApproval(status int, id int64, reason string, wrong map[string]string) error {
	p, err := v.Proposals.Get(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	shown := view.Approval{
		State: view.Badge{Text: say.StateOf(string(p.State)), Tone: stateTone(p.State)}, Path: approvalPath(p.ID),
		Token: submission.NewToken(), Approve: v.shell.Say(say.ApproveYes), Reason: reason, Wrong: wrong["reason"],
	}
	if shown.Facts, err = v.proposalFacts(p); err != nil {
		return err
	}
	if p.State == proposal.Open {
		may := v.who.Need(caller.OperatorMoney)
		able := may == nil || errors.Is(may, fault.ErrFactorNeeded) // it is asked for when they decide
		own := p.ProposedBy == v.who.ID
		shown.CanApprove, shown.CanRefuse = able && !own, able
		switch {
		case !able:
			shown.Why = v.shell.Say(say.NotYours)
		case own:
			shown.Why = v.shell.Say(say.OwnProposal)
			if err := v.warnAlone(&shown.Why); err != nil {
				return err
			}
		}
	}
	v.shell.Title = v.shell.Say(say.ActionOf(string(p.Action)))
	v.show(status, func(s view.Shell) site.Page { return view.ApprovalPage(s, shown) })
	return nil
}

// proposalFacts restate what is done by an approval.
func (v *visit) proposalFacts(p proposal.Proposal) ([]view.Fact, error) {
	account := func(id *int64) (string, error) {
		if id == nil {
			return "", nil
		}
		a := ledger.AccountOf(*id)
		h, err := v.holding(a.Owner, a.OwnerID)
		if h == nil {
			h = &report.Holding{Account: a}
		}
		return v.ownerName(*h), err
	}
	about, err := account(v.accountOf(p))
	if err != nil {
		return nil, err
	}
	from, err := account(p.From)
	if err != nil {
		return nil, err
	}
	to, err := account(p.To)
	if err != nil {
		return nil, err
	}
	facts := []view.Fact{
		{Label: say.Number, Value: strconv.FormatInt(p.ID, 10)},
		{Label: say.Counterparty, Value: about},
		{Label: say.FromAccount, Value: from},
		{Label: say.ToAccount, Value: to},
	}
	if p.DepositID != 0 {
		facts = append(facts, view.Fact{Label: say.DepositLabel, Value: "№ " + strconv.FormatInt(p.DepositID, 10)})
	}
	if p.Amount != "" {
		facts = append(facts, view.Fact{Label: say.Amount, Value: p.Amount + " USDT"})
	}
	facts = append(facts, v.proposedRate(p)...)
	if _, ofMoney := p.Params.(proposal.Payload); !ofMoney {
		facts = append(facts, v.proposedDetails(p)...)
	}
	facts = append(facts,
		view.Fact{Label: say.MoneyReference, Value: p.Reference, Class: "mono"},
		view.Fact{Label: say.ReasonWhy, Value: p.Why},
		view.Fact{Label: say.ProposedBy, Value: p.Proposer},
		view.Fact{Label: say.Created, Value: v.shell.Exactly(p.CreatedAt)})
	if p.State == proposal.Open {
		return append(facts, view.Fact{Label: say.ExpiresAt, Value: v.shell.When(p.ExpiresAt)}), nil
	}
	if p.DecidedAt != nil {
		facts = append(facts, view.Fact{Label: say.DecidedBy, Value: p.Decider + ", " + v.shell.Exactly(*p.DecidedAt)},
			view.Fact{Label: say.DecisionReason, Value: p.DecisionReason})
	}
	return facts, nil
}

// accountOf is the account of the trader or cashbox that a proposal is about, or nil.
func (v *visit) accountOf(p proposal.Proposal) *int64 {
	id := int64(0)
	switch {
	case p.TraderID != 0:
		id = ledger.Available(ledger.Trader, p.TraderID).ID()
	case p.CashboxID != 0:
		id = ledger.Available(ledger.Cashbox, p.CashboxID).ID()
	default:
		return nil
	}
	return &id
}

// proposedDetails are what an action sets, field by field.
func (v *visit) proposedDetails(p proposal.Proposal) []view.Fact {
	facts := []view.Fact{{Label: say.About, Value: v.shell.Say(say.AuditSubjectName(p.Subject)) + " " + p.SubjectKey}}
	for _, d := range p.Details() {
		facts = append(facts, view.Fact{Label: say.Field(string(p.Action), d.Name), Value: d.Value})
	}
	return facts
}

func (v *visit) proposedRate(p proposal.Proposal) []view.Fact {
	if p.Currency == "" {
		return nil
	}
	valid := v.shell.Say(say.ValidForGood)
	if p.ValidSeconds != nil {
		valid = (time.Duration(*p.ValidSeconds) * time.Second).String()
	}
	return []view.Fact{
		{Label: say.Pair, Value: "USDT/" + p.Currency},
		{Label: say.NewRate, Value: p.FiatPerUSDT},
		{Label: say.ValidFor, Value: valid},
	}
}

// approve does what another operator proposed. That somebody has decided it already is shown on its page.
func (v *visit) approve() error {
	return v.endProposal(func(id int64, _ string) (func() error, error) {
		p, done, err := v.Proposals.Approve(v.ctx(), v.who, id)
		return func() error {
			if done.Link != "" {
				return v.invited(p.SubjectKey, done.Link, approvalPath(id))
			}
			return v.done(approvalPath(id), "approved")
		}, err
	})
}

func (v *visit) refuse() error {
	return v.endProposal(func(id int64, reason string) (func() error, error) {
		_, err := v.Proposals.Refuse(v.ctx(), v.who, id, reason)
		return func() error { return v.done(approvalPath(id), "refused") }, err
	})
}

func (v *visit) endProposal(act func(id int64, reason string) (shown func() error, err error)) error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	if _, err := v.Proposals.Get(v.ctx(), v.who, id); err != nil {
		return err
	}
	form, err := v.form()
	if err != nil {
		return err
	}
	shown, err := act(id, form.Get("reason"))
	if f := fault.As(err); f != nil && f.Code == "proposal_decided" {
		return v.done(approvalPath(id), "decided")
	}
	if wrong := v.wrong(err); wrong != nil {
		return v.showApproval(http.StatusUnprocessableEntity, id, form.Get("reason"), wrong)
	}
	if err != nil {
		return err
	}
	return shown()
}

package money

import (
	"errors"
	"net/http"
	"time"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What waits for a second operator.
var approvalRoutes = []route{
	{Pattern: "GET " + portal.ApprovalsPath, Needs: caller.OperatorRead, Handle: (*visit).approvals},
	{Pattern: "GET " + portal.ApprovalsPath + "/{id}", Needs: caller.OperatorRead, Handle: portal.After((*visit).Numbered, (*visit).approval)},
	{Pattern: "POST " + portal.ApprovalsPath + "/{id}/approve", Needs: caller.OperatorMoney, Handle: (*visit).approve},
	{Pattern: "POST " + portal.ApprovalsPath + "/{id}/refuse", Needs: caller.OperatorMoney, Handle: (*visit).refuse},
	{
		Pattern: "POST " + portal.ApprovalsPath + "/{id}/value", Needs: caller.OperatorReveal,
		Handle: portal.After((*visit).Numbered, (*visit).proposedRequisite),
	},
}

// asksState with allStates lists all proposals, and not only the open ones.
const (
	asksState = "state"
	allStates = "all"
)

// approvals lists the open proposals, or all of them. It warns an operator
// whose own proposals nobody else could approve.
func (v *visit) approvals() error {
	all := v.R.URL.Query().Get(asksState) == allStates
	page := proposal.Page{All: all}
	page.Cursor = optional.Of(v.R.URL.Query().Get(portal.AsksAfter))
	list, next, err := v.Proposals.List(v.Ctx(), v.Who, page)
	if _, err = v.Flawed(err); err != nil {
		return err
	}
	shown := Approvals{
		Tabs: []view.Tab{
			{Text: v.Say(sayOpenOnesOnly), Href: portal.ApprovalsPath, Current: !all},
			{Text: v.Say(sayAllProposals), Href: view.Query(portal.ApprovalsPath, asksState, allStates), Current: all},
		},
		Sheet: view.Sheet{Label: v.Say(say.ApprovalsTitle), Empty: view.Empty{Title: sayNoProposals}},
	}
	shown.Sheet.Columns = v.Columns(false, sayActionLabel, say.About, sayProposedBy, say.Created, sayExpiresAt, say.Status)
	for _, p := range list {
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			{
				Text: v.Say(say.ActionOf(string(p.Action))), Href: view.Link(portal.ApprovalPath(p.ID)),
				Note: "№ " + portal.IDText(p.ID),
			},
			{Text: v.Say(say.AuditSubjectName(p.Subject)) + " " + p.SubjectKey}, {Text: p.Proposer},
			{At: &p.CreatedAt}, {At: &p.ExpiresAt},
			{Text: v.Say(say.StateOf(string(p.State))), Tone: stateTone(p.State)},
		})
	}
	if next != nil {
		state := ""
		if all {
			state = allStates
		}
		shown.Pages.Older = view.Query(portal.ApprovalsPath, asksState, state, portal.AsksAfter, *next)
	}
	if err := v.warnAlone(&shown.Alone); err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.ApprovalsTitle), ApprovalsPage, shown)
}

// warnAlone warns the reader if nobody else could approve their proposal.
func (v *visit) warnAlone(note *string) error {
	if !v.Settings.FourEyes.On {
		return nil
	}
	others, err := v.Proposals.Others(v.Ctx(), v.Who)
	if err == nil && others == 0 {
		*note = v.Say(sayNobodyElse)
	}
	return err
}

// stateTone is the tone of a proposal's state. An open one has that of what is
// late, because somebody has to decide it.
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

func (v *visit) approval(id int64) error { return v.showApproval(http.StatusOK, id, Approval{}) }

// proposedRequisite is a proposal with the whole of its requisite. That it was
// read is recorded.
func (v *visit) proposedRequisite(id int64) error {
	value, err := v.Proposals.RequisiteValue(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	return v.showApproval(http.StatusOK, id, Approval{Value: value})
}

// showApproval shows a proposal with what was typed, or asked for.
func (v *visit) showApproval(status int, id int64, asked Approval) error {
	p, err := v.Proposals.Get(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	shown := Approval{
		State: view.Badge{Text: say.StateOf(string(p.State)), Tone: stateTone(p.State)}, Path: portal.ApprovalPath(p.ID),
		Token: submission.NewToken(), Approve: v.Say(sayApproveYes), Reason: asked.Reason, Wrong: asked.Wrong,
		Refuse: v.Say(sayRefuseYes), Told: p.ByTrader, Value: asked.Value,
	}
	shown.CanReveal = shown.Value == "" && p.Action == foureyes.CreateRequisite && p.State == proposal.Open &&
		v.Who.May(caller.OperatorReveal)
	if p.ProposedBy == v.Who.ID {
		shown.Refuse = v.Say(sayTakeBack)
	}
	if n, is := p.Params.(directory.NewRequisite); is && asked.Value != "" {
		n.Value = asked.Value
		p.Params = n
	}
	if shown.Facts, err = v.proposalFacts(p); err != nil {
		return err
	}
	if p.Invited != nil && p.ProposedBy == v.Who.ID {
		shown.Invite = view.Link(portal.Numbered(portal.UsersPath, *p.Invited) + "/reinvite")
	}
	shown.AnotherCode = p.AnotherCode && v.Who.May(caller.OperatorMoney)
	if p.State == proposal.Open {
		if err := v.mayDecide(&shown, p); err != nil {
			return err
		}
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.ActionOf(string(p.Action))), ApprovalPage, shown)
}

// mayDecide offers what the user may do about an open proposal, or says why
// they may not.
func (v *visit) mayDecide(shown *Approval, p proposal.Proposal) error {
	may := v.Who.Need(caller.OperatorMoney)
	able := may == nil || errors.Is(may, fault.ErrFactorNeeded) // the second factor is asked for when they decide
	err := v.Proposals.MayApprove(v.Ctx(), v.Who, p)
	bar := fault.As(err)
	if err != nil && bar == nil {
		return err
	}
	shown.CanApprove, shown.CanRefuse = able && bar == nil, able
	if !able {
		shown.Why = v.Say(sayNotYours)
		return nil
	}
	if bar == nil {
		return nil
	}
	shown.Why, err = v.barred(bar)
	return err
}

// barred says why the reader may not approve a proposal, and who does.
func (v *visit) barred(bar *fault.Error) (string, error) {
	switch bar.Code {
	case "proposal_own":
		why := v.Say(sayOwnProposal)
		err := v.warnAlone(&why)
		return why, err
	case "proposal_decider":
		return v.Say(sayNotIndependent), nil
	case fault.ErrRoleNotAllowed.Code:
		return v.Say(sayNotGranted), nil
	}
	return say.Refused(v.Shell.Code, bar.Code, bar.Message), nil
}

// proposalFacts says what an approval would do.
func (v *visit) proposalFacts(p proposal.Proposal) ([]view.Fact, error) {
	account := func(id *int64) (string, error) {
		if id == nil {
			return "", nil
		}
		a := ledger.AccountOf(*id)
		h, err := v.Holding(a.Owner, a.OwnerID)
		if h == nil {
			h = &books.Holding{Account: a}
		}
		return v.OwnerName(*h), err
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
		{Label: say.Number, Value: portal.IDText(p.ID)},
		{Label: sayCounterparty, Value: about, Href: aboutPage(p)},
		{Label: sayFromAccount, Value: from},
		{Label: sayToAccount, Value: to},
	}
	if p.DepositID != 0 {
		facts = append(facts, view.Fact{Label: sayDepositLabel, Value: "№ " + portal.IDText(p.DepositID)})
	}
	if p.Amount != "" {
		facts = append(facts, view.Fact{Label: say.Amount, Value: p.Amount + " USDT"})
	}
	facts = append(facts, v.proposedRate(p)...)
	if _, ofMoney := p.Params.(proposal.Payload); !ofMoney {
		facts = append(facts, v.proposedDetails(p)...)
	}
	facts = append(facts,
		view.Fact{Label: sayMoneyReference, Value: p.Reference, Class: "mono"},
		view.Fact{Label: say.ReasonWhy, Value: p.Why},
		view.Fact{Label: sayProposedBy, Value: p.Proposer},
		view.Fact{Label: say.Created, Value: v.Shell.Exactly(p.CreatedAt)})
	if p.State == proposal.Open {
		return append(facts, view.Fact{Label: sayExpiresAt, Value: v.When(p.ExpiresAt)}), nil
	}
	if p.DecidedAt != nil {
		facts = append(facts, view.Fact{Label: sayDecidedBy, Value: p.Decider + ", " + v.Shell.Exactly(*p.DecidedAt)},
			view.Fact{Label: sayDecisionReason, Value: p.DecisionReason})
	}
	return facts, nil
}

// aboutPage is the page of the trader or cashbox of a proposal, or "": whoever
// approves a trader's first USDT sees the requisites that become live with it.
func aboutPage(p proposal.Proposal) view.Link {
	switch {
	case p.TraderID != 0:
		return view.Link(portal.Numbered(portal.TradersPath, p.TraderID))
	case p.CashboxID != 0:
		return view.Link(portal.Numbered(portal.CashboxesPath, p.CashboxID))
	}
	return ""
}

// accountOf is the account of the trader or cashbox of a proposal, or nil.
func (v *visit) accountOf(p proposal.Proposal) *int64 {
	switch {
	case p.TraderID != 0:
		return new(ledger.Available(ledger.Trader, p.TraderID).ID())
	case p.CashboxID != 0:
		return new(ledger.Available(ledger.Cashbox, p.CashboxID).ID())
	}
	return nil
}

// proposedDetails are the fields that an action sets.
func (v *visit) proposedDetails(p proposal.Proposal) []view.Fact {
	facts := []view.Fact{{Label: say.About, Value: v.Say(say.AuditSubjectName(p.Subject)) + " " + p.SubjectKey}}
	for _, d := range p.Details() {
		facts = append(facts, view.Fact{Label: say.Field(string(p.Action), d.Name), Value: v.proposedValue(d)})
	}
	return facts
}

// proposedValue is a value of a setting in words.
func (v *visit) proposedValue(d proposal.Detail) string {
	switch {
	case d.Value == "":
		return v.Say(say.NotSet)
	case d.Value == "true":
		return v.Say(say.YesWord)
	case d.Value == "false":
		return v.Say(say.NoWord)
	case d.Name == "kind":
		return v.Say(say.Kind(d.Value))
	case d.Name == "role":
		return v.Say(say.Role(d.Value))
	}
	return d.Value
}

// proposedRate are the facts of a proposal to set a rate; other proposals have
// none. Without a time the rate is valid until another is set.
func (v *visit) proposedRate(p proposal.Proposal) []view.Fact {
	if p.Currency == "" {
		return nil
	}
	valid := v.Say(sayValidForGood)
	if p.ValidSeconds != nil {
		valid = v.Lasting(time.Duration(*p.ValidSeconds) * time.Second)
	}
	return []view.Fact{
		{Label: say.Pair, Value: "USDT/" + p.Currency},
		{Label: sayNewRate, Value: p.FiatPerUSDT},
		{Label: sayValidFor, Value: valid},
	}
}

// approve executes a proposal of another operator, and shows the code of an
// invitation. If somebody else has decided it already, its page says so.
func (v *visit) approve() error {
	return v.endProposal(func(id int64, _ string) (func() error, error) {
		p, done, err := v.Proposals.Approve(v.Ctx(), v.Who, id)
		return func() error {
			if done.Code == "" {
				return v.Done(portal.ApprovalPath(id), "approved")
			}
			return v.Reveal(sayCodeTitle, view.Shown{
				Text: v.Say(sayCodeText, p.Proposer), Label: sayCode, Secret: done.Code, Next: view.Link(portal.ApprovalPath(id)),
			})
		}, err
	})
}

func (v *visit) refuse() error {
	return v.endProposal(func(id int64, reason string) (func() error, error) {
		_, err := v.Proposals.Refuse(v.Ctx(), v.Who, id, reason)
		return func() error { return v.Done(portal.ApprovalPath(id), "refused") }, err
	})
}

// endProposal approves or refuses a proposal by act, and shows what act
// returns. The form needs no token: a second click, or a slower operator, finds
// the proposal decided, and its page says so. A mistake in the reason is shown
// on that page.
func (v *visit) endProposal(act func(id int64, reason string) (shown func() error, err error)) error {
	id, err := v.Numbered()
	if err != nil {
		return err
	}
	if _, err := v.Proposals.Get(v.Ctx(), v.Who, id); err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	shown, err := act(id, form.Get("reason"))
	if f := fault.As(err); f != nil && f.Code == "proposal_decided" {
		return v.Done(portal.ApprovalPath(id), "decided")
	}
	if wrong := v.Wrong(err); wrong != nil {
		return v.showApproval(http.StatusUnprocessableEntity, id, Approval{Reason: form.Get("reason"), Wrong: wrong["reason"]})
	}
	if err != nil {
		return err
	}
	return shown()
}

package cases

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// decision is a decision that an operator may make about a case. A page asks
// for confirmation. Then it is made once, and only if the case is still as the
// page has shown it and no other operator has taken it.
type decision struct {
	of    caseKind
	needs caller.Capability
	// step is the last part of its address, and from are the statuses in
	// which it is possible.
	step string
	from []string
	// label is the text of the button that leads to it; the others are
	// texts of the page.
	label, title, text, yes say.Phrase
	danger                  bool
	// field is what is asked for; it may be nil.
	field *view.Field
	// also is a further field that is required.
	also *view.Field
	// prepared are reasons to choose from instead of typing one.
	prepared []say.Phrase
	// hint says who reads what is typed.
	hint say.Phrase
	// word names the message after it was made.
	word string
	act  func(v *visit, of decidable, typed *string) error
}

// waitsForApproval is the id of a proposal: the decision requires a second
// operator.
type waitsForApproval int64

func (w waitsForApproval) Error() string {
	return fmt.Sprintf("proposal %d waits for a second operator", int64(w))
}

// preparedField is the field of the chosen reason. A reason that was typed
// takes precedence.
const preparedField = "prepared"

// The fields of decisions.
var (
	reasonWanted = &view.Field{Name: "reason", Label: say.Reason, Area: true}
	reasonAsked  = &view.Field{Name: "reason", Label: say.Reason, Area: true, Optional: true}
	// A refusal has to be based on the trader's bank statement, and not
	// only on the trader's word.
	statementWanted = &view.Field{Name: "statement", Label: sayStatementLine, Area: true}
	proofWanted     = &view.Field{Name: "proofReference", Label: say.ProofLabel}
)

var depositDecisions = []decision{
	{
		of: depositCase, needs: caller.OperatorMoney, step: "confirm", from: []string{"pending"},
		label: sayConfirmDepositAct, title: sayConfirmDepositAsk, text: sayConfirmDepositText,
		yes: sayConfirmDepositYes, word: "deposit-confirmed", field: reasonAsked,
		act: func(v *visit, of decidable, typed *string) error {
			done, err := v.Proposals.Do(
				v.Ctx(), v.Who, proposal.ConfirmDeposit, proposal.Payload{DepositID: of.id}, optional.Value(typed))
			if err == nil && done.Proposal != nil {
				err = waitsForApproval(done.Proposal.ID)
			}
			return err
		},
	},
	{
		of: depositCase, needs: caller.OperatorMoney, step: "reject", from: []string{"pending"},
		label: sayRejectDepositAct, title: sayRejectDepositAsk, text: sayRejectDepositText,
		yes: sayRejectDepositYes, danger: true, field: reasonWanted, hint: sayMerchantSees, word: "deposit-rejected",
		act: func(v *visit, of decidable, typed *string) error {
			_, err := v.Deposits.Reject(v.Ctx(), v.Who, of.id, typed)
			return err
		},
	},
}

var appealDecisions = []decision{
	{
		of: appealCase, needs: caller.OperatorCases, step: "review", from: []string{"open"},
		label: sayReviewAct, title: sayReviewAsk, text: sayReviewText, yes: sayReviewYes, word: "appeal-reviewed",
		act: func(v *visit, of decidable, _ *string) error {
			_, err := v.Payments.ReviewAppeal(v.Ctx(), v.Who, of.id)
			return err
		},
	},
	acceptAppeal,
	refuseAppeal,
}

// The two decisions about an appeal, which the appeal's own page offers.
var (
	acceptAppeal = decision{
		of: appealCase, needs: caller.OperatorCases, step: "accept", from: []string{"open", "in_review"},
		label: sayAcceptAct, title: sayAcceptAsk, text: sayAcceptText, yes: sayAcceptYes, field: reasonAsked,
		prepared: []say.Phrase{sayTransferFound, sayProofMatches},
		hint:     sayMerchantSees, word: "appeal-accepted", act: resolved(payment.Completed),
	}
	refuseAppeal = decision{
		of: appealCase, needs: caller.OperatorCases, step: "refuse", from: []string{"open", "in_review"},
		label: sayRefuseAct, title: sayRefuseAsk, text: sayRefuseText, yes: sayRefuseAppealYes, danger: true,
		field: reasonWanted, also: statementWanted, prepared: []say.Phrase{sayNoTransfer, sayProofOfOther, sayProofShowsNone, sayWentElsewhere},
		hint: sayMerchantSees, word: "appeal-refused", act: resolved(payment.Failed),
	}
)

// resolved decides an appeal. If nobody has begun its review, that is done
// first, so its payment is in appeal for a moment.
func resolved(outcome payment.Status) func(*visit, decidable, *string) error {
	return func(v *visit, of decidable, typed *string) error {
		a, err := v.Payments.GetAppeal(v.Ctx(), v.Who, of.id)
		if err == nil && a.Status == "open" {
			_, err = v.Payments.ReviewAppeal(v.Ctx(), v.Who, of.id)
		}
		if err != nil {
			return err
		}
		_, err = v.Payments.ResolveAppeal(v.Ctx(), v.Who, of.id, payment.Resolution{
			Outcome: string(outcome), Reason: typed, Statement: optional.Of(v.R.PostFormValue(statementWanted.Name)),
		})
		return err
	}
}

var payoutDecisions = []decision{
	{
		of: payoutCase, needs: caller.OperatorCases, step: "complete", from: []string{string(payout.Processing)},
		label: sayPaidAct, title: sayPaidAsk, text: sayPaidText, yes: sayPaidYes, field: proofWanted,
		word: "payout-resolved", act: func(v *visit, of decidable, typed *string) error {
			_, err := v.Payouts.Resolve(v.Ctx(), v.Who, v.PayoutID(), payout.Resolution{
				Outcome: string(payout.Completed), ProofReference: typed, TakenAt: of.takenAt,
			})
			return err
		},
	},
	{
		of: payoutCase, needs: caller.OperatorCases, step: "fail", from: []string{string(payout.Processing)},
		label: sayNotPaidAct, title: sayNotPaidAsk, text: sayNotPaidText, yes: sayNotPaidYes, danger: true,
		field: reasonAsked, hint: sayMerchantSees, word: "payout-resolved",
		act: func(v *visit, of decidable, typed *string) error {
			_, err := v.Payouts.Resolve(v.Ctx(), v.Who, v.PayoutID(), payout.Resolution{
				Outcome: string(payout.Failed), Reason: typed, TakenAt: of.takenAt,
			})
			return err
		},
	},
	{
		of: payoutCase, needs: caller.OperatorCases, step: "reclaim", from: []string{string(payout.Processing)},
		label: sayReclaimAct, title: sayReclaimAsk, text: sayReclaimText, yes: sayReclaimYes, field: reasonAsked,
		word: "payout-reclaimed", act: func(v *visit, of decidable, typed *string) error {
			_, err := v.Payouts.Reclaim(v.Ctx(), v.Who, v.PayoutID(), payout.Resolution{Reason: typed, TakenAt: of.takenAt})
			return err
		},
	},
	{
		of: payoutCase, needs: caller.OperatorCases, step: "reverse", from: []string{string(payout.Completed)},
		label: sayReverseAct, title: sayReverseAsk, text: sayReverseText, yes: sayReverseYes, danger: true,
		field: reasonWanted, hint: sayMerchantSees, word: "payout-reversed",
		act: func(v *visit, _ decidable, typed *string) error {
			_, err := v.Payouts.Reverse(v.Ctx(), v.Who, v.PayoutID(), typed)
			return err
		},
	},
}

var conflictDecisions = []decision{
	{
		of: conflictCase, needs: caller.OperatorCases, step: "close", from: []string{"open"},
		label: sayCloseAct, title: sayCloseAsk, text: sayCloseText, yes: sayCloseYes, word: "conflict-closed",
		act: func(v *visit, of decidable, _ *string) error {
			_, err := v.Checkouts.CloseConflict(v.Ctx(), v.Who, of.id)
			return err
		},
	},
}

// steppable are the steps to which taking a case may lead.
var steppable = []string{
	"confirm", "reject", "review", "accept", "refuse", "complete", "fail", "reclaim", "reverse", "close", "uphold",
}

func decisionRoutes(all ...[]decision) []route {
	var routes []route
	for _, d := range slices.Concat(all...) {
		pattern := d.of.base + "/{id}/" + d.step
		ask := func(v *visit) error { return v.askDecision(d) }
		do := func(v *visit) error { return v.decide(d) }
		routes = append(routes, route{Pattern: "GET " + pattern, Needs: d.needs, Handle: ask},
			route{Pattern: "POST " + pattern, Needs: d.needs, Handle: do})
	}
	return routes
}

// actsOn link to the decisions that the reader may make about a case.
func (v *visit) actsOn(found decidable, decisions []decision) []view.Act {
	var list []view.Act
	for _, d := range decisions {
		if v.May(d.needs) && slices.Contains(d.from, found.status) {
			list = append(list, view.Act{
				Label: d.label, Href: view.Link(found.path + "/" + d.step), Danger: d.danger,
			})
		}
	}
	return list
}

// askDecision asks for confirmation of a decision, or asks first whether to
// take over the case.
func (v *visit) askDecision(d decision) error {
	found, err := d.of.find(v)
	if err != nil {
		return err
	}
	if !slices.Contains(d.from, found.status) {
		return v.Done(found.path, "changed")
	}
	claim, err := v.Work.Taken(v.Ctx(), v.Who, d.of.kind, found.id)
	if err != nil {
		return err
	}
	if claim != nil && claim.Others() {
		return v.Question(view.Question{
			Title:  sayOverTitle,
			Texts:  []string{v.Say(sayOverText, claim.Login, v.Shell.Clock(claim.Since))},
			Facts:  found.facts,
			Action: found.path + "/take",
			Hidden: [][2]string{{"over", portal.Yes}, {"next", d.step}},
			Yes:    v.Say(say.ClaimOver),
			Back:   view.Link(found.path),
		})
	}
	v.showDecision(http.StatusOK, d, found, url.Values{"token": {submission.NewToken()}}, nil)
	return nil
}

func (v *visit) showDecision(status int, d decision, found decidable, typed url.Values, wrong map[string]string) {
	shown := v.decisionShown(d, found, typed, wrong)
	v.Shell.Title = v.Say(d.title)
	v.Show(status, func(s view.Shell) site.Page { return DecidePage(s, shown) })
}

// yesWithAmount are the buttons that say the amount which is decided on.
var yesWithAmount = []say.Phrase{sayConfirmDepositYes, sayAcceptYes, sayPaidYes}

// decisionShown is the form of a decision, with what was typed.
func (v *visit) decisionShown(d decision, found decidable, typed url.Values, wrong map[string]string) Decision {
	shown := Decision{
		Title: d.title, Of: found.name, Text: v.Say(d.text), Facts: found.facts,
		Action: found.path + "/" + d.step, Token: typed.Get("token"), Seen: found.seen(),
		Yes: v.Say(d.yes), Danger: d.danger, Back: view.Link(found.path),
	}
	if slices.Contains(yesWithAmount, d.yes) {
		shown.Yes = v.Say(d.yes, found.amount)
	}
	if d.field != nil {
		field := *d.field
		field.Value, field.Wrong = typed.Get(field.Name), wrong[field.Name]
		if !d.hint.Empty() {
			field.Hint = v.Say(d.hint)
		}
		if len(d.prepared) > 0 {
			field.Label, field.Quiet = sayReasonOwn, true
		}
		shown.Field = &field
	}
	if d.also != nil {
		also := *d.also
		also.Value, also.Wrong, also.Hint = typed.Get(also.Name), wrong[also.Name], v.Say(sayStatementHint)
		shown.Also = &also
	}
	for _, reason := range d.prepared {
		shown.Prepared = append(shown.Prepared, v.Say(reason))
	}
	shown.Chosen = typed.Get(preparedField)
	if shown.Token == "" || wrong["token"] != "" {
		shown.Token = submission.NewToken()
	}
	return shown
}

// decide makes a decision, once. A case that has changed, or that another
// operator has taken, is left unchanged.
func (v *visit) decide(d decision) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	found, err := d.of.find(v)
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) { return v.decided(d, found, form) })
	wrong := v.Wrong(err)
	if wrong == nil {
		return err
	}
	if found, err = d.of.find(v); err != nil { // a review may have begun meanwhile
		return err
	}
	if !slices.Contains(d.from, found.status) {
		return v.Done(found.path, "changed")
	}
	v.showDecision(http.StatusUnprocessableEntity, d, found, form, wrong)
	return nil
}

// decided makes a decision if the case is still as the form has shown it and no
// other operator works on it. Otherwise, and if the service refuses because the
// case has changed since, it leads to the case and nothing is done. A decision
// that takes a second operator leads to the proposal. A case that is decided is
// released; if that fails, the decision stands.
func (v *visit) decided(d decision, found decidable, form url.Values) (submission.Outcome, error) {
	changed := submission.Outcome{LedTo: found.path, Said: "changed"}
	if found.seen() != form.Get("status") || !slices.Contains(d.from, found.status) {
		return changed, nil
	}
	claim, err := v.Work.Taken(v.Ctx(), v.Who, d.of.kind, found.id)
	if err != nil {
		return submission.Outcome{}, err
	}
	if claim != nil && claim.Others() {
		return submission.Outcome{LedTo: found.path, Said: "work-others"}, nil
	}
	var typed *string
	if d.field != nil {
		typed = cmp.Or(optional.Of(form.Get(d.field.Name)), optional.Of(form.Get(preparedField)))
		if typed == nil && !d.field.Optional {
			return submission.Outcome{}, fault.Fields{d.field.Name: {"is required"}}.Err()
		}
	}
	if d.also != nil && form.Get(d.also.Name) == "" { // checked before a review begins
		return submission.Outcome{}, fault.Fields{d.also.Name: {"is required"}}.Err()
	}
	err = d.act(v, found, typed)
	if waits := waitsForApproval(0); errors.As(err, &waits) {
		return submission.Outcome{LedTo: portal.ApprovalPath(int64(waits)), Said: "proposed"}, nil
	}
	f := fault.As(err)
	if f != nil && !errors.Is(err, foureyes.ErrSecondOperator) &&
		(f.Kind == fault.Refused || f.Kind == fault.Conflict || f.Kind == fault.NotFound) {
		return changed, nil
	}
	if err != nil {
		return submission.Outcome{}, err
	}
	if err := v.Work.Release(v.Ctx(), v.Who, d.of.kind, found.id); err != nil {
		v.Log(err) // the case is decided; only the note of who worked on it remains
	}
	return submission.Outcome{LedTo: found.path, Said: d.word}, nil
}

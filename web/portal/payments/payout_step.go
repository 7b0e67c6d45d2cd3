package payments

import (
	"context"
	"net/http"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/payout"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// payoutStep is how a trader is done with a payout that they took, or a merchant with one of its own.
type payoutStep struct {
	// field is what they are asked for, or "", and word what is said when it is done.
	field, word string
	// from is the status that it is taken from, to where it leads; "" is to the payout.
	from payout.Status
	to   string
	page func(view.Shell, PayoutQuestion) site.Page
	end  func(v *visit, id string, typed *string) error
}

var (
	completeStep = payoutStep{
		field: "proofReference", word: "completed", from: payout.Processing, to: "/trader",
		page: pageOf(CompletePayout), end: ended((*payout.Service).Complete),
	}
	failStep = payoutStep{
		field: "reason", word: "failed", from: payout.Processing, to: "/trader",
		page: pageOf(FailPayout), end: ended((*payout.Service).Fail),
	}
	giveBackStep = payoutStep{
		field: "reason", word: "given-back", from: payout.Processing, to: "/trader",
		page: pageOf(GiveBackPayout), end: ended((*payout.Service).GiveBack),
	}
	cancelStep = payoutStep{
		word: "payout-cancelled", from: payout.Waiting, page: pageOf(CancelPayout),
		end: func(v *visit, id string, _ *string) error {
			_, err := v.Payouts.Cancel(v.Ctx(), v.Who, id)
			return err
		},
	}
)

func pageOf(page func(view.Shell, PayoutQuestion) site.Page) func(view.Shell, PayoutQuestion) site.Page {
	return page
}

// ended ends a payout as a trader does.
func ended(
	end func(s *payout.Service, ctx context.Context, who caller.Caller, id string, typed *string) (payout.Offer, error),
) func(*visit, string, *string) error {
	return func(v *visit, id string, typed *string) error {
		_, err := end(v.Payouts, v.Ctx(), v.Who, id, typed)
		return err
	}
}

func (v *visit) completePage() error     { return v.askPayout(completeStep) }
func (v *visit) failPage() error         { return v.askPayout(failStep) }
func (v *visit) giveBackPage() error     { return v.askPayout(giveBackStep) }
func (v *visit) cancelPayoutPage() error { return v.askPayout(cancelStep) }
func (v *visit) complete() error         { return v.endPayout(completeStep) }
func (v *visit) fail() error             { return v.endPayout(failStep) }
func (v *visit) giveBack() error         { return v.endPayout(giveBackStep) }
func (v *visit) cancelPayout() error     { return v.endPayout(cancelStep) }

// askPayout shows what is about to be done with a payout before it is done.
func (v *visit) askPayout(step payoutStep) error {
	found, err := v.findPayout(v.PayoutID())
	if err != nil {
		return err
	}
	if found.Status != string(step.from) {
		return v.Done(v.PayoutPath(v.PayoutID()), "changed")
	}
	v.showPayoutQuestion(http.StatusOK, step, found, "", "")
	return nil
}

func (v *visit) showPayoutQuestion(status int, step payoutStep, found Payout, typed, wrong string) {
	question := PayoutQuestion{Payout: found, Token: submission.NewToken(), Typed: typed, Wrong: wrong}
	v.Shell.Title = v.Shell.Say(say.PayoutTitle, found.Number)
	v.Show(status, func(s view.Shell) site.Page { return step.page(s, question) })
}

// endPayout takes a step, once. A payout that has ended, or is no longer the trader's, is left as it is.
func (v *visit) endPayout(step payoutStep) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	id, typed := v.PayoutID(), form.Get(step.field)
	if _, err := v.findPayout(id); err != nil && v.Who.Kind == caller.MerchantPortal {
		return err
	}
	to := step.to
	if to == "" {
		to = v.PayoutPath(id)
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		err := step.end(v, id, portal.Given(typed))
		f := fault.As(err)
		switch {
		case f == nil:
			return submission.Outcome{LedTo: to, Said: step.word}, err
		case f.Code == payout.ErrNotProcessing.Code, f.Code == payout.ErrNotWaiting.Code && step.from == payout.Waiting:
			return submission.Outcome{LedTo: v.PayoutPath(id), Said: "changed"}, nil
		case f.Code == payout.ErrNotWaiting.Code:
			return submission.Outcome{LedTo: to, Said: "gone"}, nil
		}
		return submission.Outcome{}, err
	})
	wrong := v.Wrong(err)
	if wrong == nil {
		return err
	}
	found, err := v.findPayout(id)
	if err != nil {
		return err
	}
	if found.Status != string(step.from) {
		return v.Done(v.PayoutPath(id), "changed")
	}
	v.showPayoutQuestion(http.StatusUnprocessableEntity, step, found, typed, wrong[step.field])
	return nil
}

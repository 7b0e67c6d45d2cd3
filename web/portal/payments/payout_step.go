package payments

import (
	"cmp"
	"context"
	"net/http"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// payoutStep is a step by which a trader ends or gives back a payout that they
// took, or a merchant cancels its own.
type payoutStep struct {
	// path is the address of the question and of the step, which require
	// the capability.
	path  string
	needs caller.Capability
	// field is the field that is asked for, or "". word names the message
	// after the step.
	field, word string
	// from is the status in which the step is possible. to is where the
	// step leads; "" is the payout's page.
	from payout.Status
	to   string
	page func(view.Shell, PayoutQuestion) site.Page
	end  func(v *visit, id string, typed *string, sent portal.Upload) error
}

var payoutSteps = []payoutStep{
	{
		path: "/trader/payouts/{id}/complete", needs: caller.TraderWork, field: "proofReference", word: "completed",
		from: payout.Processing, to: "/trader", page: CompletePayout, end: (*visit).prove,
	},
	{
		path: "/trader/payouts/{id}/fail", needs: caller.TraderWork, field: "reason", word: "failed",
		from: payout.Processing, to: "/trader", page: FailPayout, end: ended((*payout.Service).Fail),
	},
	{
		path: "/trader/payouts/{id}/give-back", needs: caller.TraderWork, field: "reason", word: "given-back",
		from: payout.Processing, to: "/trader", page: GiveBackPayout, end: ended((*payout.Service).GiveBack),
	},
	{
		path: "/merchant/payouts/{id}/cancel", needs: caller.MerchantPayouts, word: "payout-cancelled", from: payout.Waiting,
		page: CancelPayout,
		end: func(v *visit, id string, _ *string, _ portal.Upload) error {
			_, err := v.Payouts.Cancel(v.Ctx(), v.Who, id)
			return err
		},
	},
}

func payoutStepRoutes() []route {
	var routes []route
	for _, step := range payoutSteps {
		routes = append(routes,
			route{Pattern: "GET " + step.path, Needs: step.needs, Handle: func(v *visit) error { return v.askPayout(step) }},
			route{Pattern: "POST " + step.path, Needs: step.needs, Handle: func(v *visit) error { return v.endPayout(step) }})
	}
	return routes
}

// ended takes a step by a method of the service with the typed text.
func ended(
	end func(s *payout.Service, ctx context.Context, who caller.Caller, id string, typed *string) (payout.Offer, error),
) func(*visit, string, *string, portal.Upload) error {
	return func(v *visit, id string, typed *string, _ portal.Upload) error {
		_, err := end(v.Payouts, v.Ctx(), v.Who, id, typed)
		return err
	}
}

// prove completes a payout with its proof.
func (v *visit) prove(id string, typed *string, sent portal.Upload) error {
	proof := payout.Proof{Reference: typed}
	if sent.File != nil {
		proof.FileName, proof.File = sent.Name, sent.File.Content()
	}
	_, err := v.Payouts.Prove(v.Ctx(), v.Who, id, proof)
	return err
}

// askPayout asks for confirmation of a step.
func (v *visit) askPayout(step payoutStep) error {
	found, err := v.findPayout(v.PayoutID())
	if err != nil {
		return err
	}
	if found.Status != string(step.from) {
		return v.Done(v.PayoutPath(v.PayoutID()), "changed")
	}
	v.showPayoutQuestion(http.StatusOK, step, found, "", nil)
	return nil
}

func (v *visit) showPayoutQuestion(status int, step payoutStep, found Payout, typed string, wrong map[string]string) {
	question := PayoutQuestion{
		Payout: found, Token: submission.NewToken(), Typed: typed, Wrong: wrong[step.field], WrongFile: wrong[portal.FileField],
	}
	v.Shell.Title = v.Say(say.PayoutTitle, found.Number)
	v.Show(status, func(s view.Shell) site.Page { return step.page(s, question) })
}

// endPayout takes a step, once. A payout that has ended, or that the trader no
// longer has, is left unchanged.
func (v *visit) endPayout(step payoutStep) error {
	sent, err := v.TakeUpload(v.uploads, cmp.Or(v.Who.TraderID, -v.Who.MerchantID), portal.LargerThanAny)
	id, typed := v.PayoutID(), sent.Form.Get(step.field)
	if _, err := v.findPayout(id); err != nil && v.Who.Kind == caller.MerchantPortal {
		return err
	}
	to := step.to
	if to == "" {
		to = v.PayoutPath(id)
	}
	if err == nil {
		err = v.Once(sent.Form, func() (submission.Outcome, error) {
			err := step.end(v, id, optional.Of(typed), sent)
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
	}
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
	v.showPayoutQuestion(http.StatusUnprocessableEntity, step, found, typed, wrong)
	return nil
}

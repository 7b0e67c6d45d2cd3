package portal

import (
	"context"
	"net/http"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A trader's payouts.
var payoutRoutes = []route{
	{pattern: "GET /trader/payouts", kinds: traders, needs: caller.TraderRead, handle: (*visit).payouts},
	{pattern: "GET /trader/payouts.csv", kinds: traders, needs: caller.TraderMoney, handle: (*visit).payoutsCSV},
	{pattern: "GET /trader/payouts/{id}", kinds: traders, needs: caller.TraderRead, handle: (*visit).payout},
	{pattern: "POST /trader/payouts/{id}/take", kinds: traders, needs: caller.TraderWork, handle: (*visit).take},
	{
		pattern: "GET /trader/payouts/{id}/complete",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).completePage,
	},
	{
		pattern: "POST /trader/payouts/{id}/complete",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).complete,
	},
	{pattern: "GET /trader/payouts/{id}/fail", kinds: traders, needs: caller.TraderWork, handle: (*visit).failPage},
	{pattern: "POST /trader/payouts/{id}/fail", kinds: traders, needs: caller.TraderWork, handle: (*visit).fail},
	{
		pattern: "GET /trader/payouts/{id}/give-back",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).giveBackPage,
	},
	{
		pattern: "POST /trader/payouts/{id}/give-back",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).giveBack,
	},
}

// payoutList has the statuses that a payout may have which a trader took.
var payoutList = list{
	path:     "/trader/payouts",
	statuses: []string{"processing", "completed", "failed"},
	status:   say.PayoutStatus,
	methods:  methodNames(func(m catalogue.Method) bool { return len(m.Payouts) > 0 }),
	search:   true,
}

func (v *visit) payouts() error {
	a := v.asks(payoutList)
	if v.tidied(a) {
		return nil
	}
	if len(a.wrong) > 0 {
		return v.showPayouts(a, report.Page[report.PayoutItem]{})
	}
	page, err := v.Reports.Payouts(v.ctx(), v.who, a.filter)
	if a.wrong, err = v.flawed(err); err != nil {
		return err
	}
	return v.showPayouts(a, page)
}

func (v *visit) showPayouts(a asked, page report.Page[report.PayoutItem]) error {
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	if v.who.May(caller.TraderMoney) && len(a.wrong) == 0 {
		filters.Export = string(listed(a.path+".csv", filters.Query))
	}
	shown := view.Payouts{Filters: filters, Pages: pages(a, page)}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.payoutRow(item))
	}
	if len(shown.Items) == 0 {
		shown.Empty, err = v.emptyList(
			a,
			say.NoPayouts,
			say.NoPayoutsText,
			say.NoneTaken,
			func(f report.Filter) (bool, error) {
				found, err := v.Reports.Payouts(v.ctx(), v.who, f)
				return len(found.Items) > 0, err
			},
		)
	}
	if err != nil {
		return err
	}
	if shown.Empty.Title == say.NoPayouts {
		shown.Empty.Href, shown.Empty.Label = "/trader#waiting", say.Desk
	}
	v.shell.Title = v.shell.Say(say.Payouts)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.PayoutsPage(s, shown) })
	return nil
}

func (v *visit) payoutRow(item report.PayoutItem) view.PayoutRow {
	row := view.PayoutRow{
		ID: item.ID, UUID: item.UUID.String(), Amount: v.shell.Amount(item.Amount, item.Currency), Method: item.Method,
		Mask: item.AddressMask, Recipient: item.Recipient, Status: view.PayoutBadge(string(item.Status)),
		CreatedAt: item.CreatedAt,
	}
	if bank := item.Bank(); bank != nil {
		row.Bank = *bank
	}
	if item.RewardUSDT != nil {
		row.Reward = view.Figure(*item.RewardUSDT)
	}
	return row
}

func (v *visit) payoutsCSV() error {
	a := v.asks(payoutList)
	if len(a.wrong) > 0 {
		return v.showPayouts(a, report.Page[report.PayoutItem]{})
	}
	return v.sendCSV(a.fileName("payouts", v.shell.Now), func(file *csvFile) error {
		return v.Reports.ExportPayouts(v.ctx(), v.who, a.filter, file, v.shell.Zone)
	})
}

func (v *visit) payoutID() string { return v.r.PathValue("id") }

func payoutPath(id string) string { return "/trader/payouts/" + id }

// payout shows one that the trader took, or one that waits for them to. What happened to the latter
// is not for them.
func (v *visit) payout() error {
	offer, err := v.Payouts.GetOffer(v.ctx(), v.who, v.payoutID())
	if err != nil {
		return err
	}
	shown := v.payoutShown(offer)
	if offer.Status != payout.Waiting {
		lines, err := v.Reports.PayoutTimeline(v.ctx(), v.who, v.payoutID())
		if err != nil {
			return err
		}
		shown.Lines = v.payoutTimeline(lines)
	}
	v.shell.Title = v.shell.Say(say.PayoutTitle, offer.ID)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.PayoutPage(s, shown) })
	return nil
}

func (v *visit) payoutShown(o payout.Offer) view.Payout {
	shown := view.Payout{
		Offer: v.offer(o), Number: o.ID, CreatedAt: o.CreatedAt, TakenAt: o.TakenAt, StatusAt: o.StatusAt,
	}
	if o.ProofReference != nil {
		shown.Proof = *o.ProofReference
	}
	if o.StatusReason != nil {
		shown.Reason = *o.StatusReason
	}
	return shown
}

// take takes a payout. A second click finds that it is the trader's already.
func (v *visit) take() error {
	id := v.payoutID()
	_, err := v.Payouts.Take(v.ctx(), v.who, id)
	if err == nil {
		return v.done(payoutPath(id), "taken")
	}
	f := fault.As(err)
	if f == nil || f.Kind != fault.Refused {
		return err
	}
	if offer, err := v.Payouts.GetOffer(v.ctx(), v.who, id); err == nil && offer.Status == payout.Processing {
		return v.done(payoutPath(id), "taken")
	}
	if f.Code == payout.ErrTakeLimit.Code {
		return v.done("/trader", "take-limit")
	}
	return v.done("/trader", "gone")
}

// payoutStep is how a trader is done with a payout that they took.
type payoutStep struct {
	// field is what they are asked for, and word what is said when it is done.
	field, word string
	page        func(view.Shell, view.PayoutQuestion) site.Page
	end         func(s *payout.Service, ctx context.Context, who caller.Caller, id string, typed *string) (payout.Offer, error)
}

var (
	completeStep = payoutStep{
		field: "proofReference", word: "completed", page: pageOf(view.CompletePayout), end: (*payout.Service).Complete,
	}
	failStep = payoutStep{
		field: "reason", word: "failed", page: pageOf(view.FailPayout), end: (*payout.Service).Fail,
	}
	giveBackStep = payoutStep{
		field: "reason", word: "given-back", page: pageOf(view.GiveBackPayout), end: (*payout.Service).GiveBack,
	}
)

func pageOf(page func(view.Shell, view.PayoutQuestion) site.Page) func(view.Shell, view.PayoutQuestion) site.Page {
	return page
}

func (v *visit) completePage() error { return v.askPayout(completeStep) }
func (v *visit) failPage() error     { return v.askPayout(failStep) }
func (v *visit) giveBackPage() error { return v.askPayout(giveBackStep) }
func (v *visit) complete() error     { return v.endPayout(completeStep) }
func (v *visit) fail() error         { return v.endPayout(failStep) }
func (v *visit) giveBack() error     { return v.endPayout(giveBackStep) }

// askPayout shows what is about to be done with a payout before it is done.
func (v *visit) askPayout(step payoutStep) error {
	offer, err := v.Payouts.GetOffer(v.ctx(), v.who, v.payoutID())
	if err != nil {
		return err
	}
	if offer.Status != payout.Processing {
		return v.done(payoutPath(v.payoutID()), "changed")
	}
	v.showPayoutQuestion(http.StatusOK, step, offer, "", "")
	return nil
}

func (v *visit) showPayoutQuestion(status int, step payoutStep, offer payout.Offer, typed, wrong string) {
	question := view.PayoutQuestion{
		Payout: v.payoutShown(offer), Token: submission.NewToken(), Typed: typed, Wrong: wrong,
	}
	v.shell.Title = v.shell.Say(say.PayoutTitle, offer.ID)
	v.show(status, func(s view.Shell) site.Page { return step.page(s, question) })
}

// endPayout takes a step, once. A payout that is no longer the trader's, or has ended, is left as it is.
func (v *visit) endPayout(step payoutStep) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	id, typed := v.payoutID(), form.Get(step.field)
	err = v.once(form, func() (submission.Outcome, error) {
		_, err := step.end(v.Payouts, v.ctx(), v.who, id, given(typed))
		f := fault.As(err)
		switch {
		case f == nil:
			return submission.Outcome{LedTo: "/trader", Said: step.word}, err
		case f.Code == payout.ErrNotProcessing.Code:
			return submission.Outcome{LedTo: payoutPath(id), Said: "changed"}, nil
		case f.Code == payout.ErrNotWaiting.Code:
			return submission.Outcome{LedTo: "/trader", Said: "gone"}, nil
		}
		return submission.Outcome{}, err
	})
	wrong := v.wrong(err)
	if wrong == nil {
		return err
	}
	offer, err := v.Payouts.GetOffer(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	if offer.Status != payout.Processing {
		return v.done(payoutPath(id), "changed")
	}
	v.showPayoutQuestion(http.StatusUnprocessableEntity, step, offer, typed, wrong[step.field])
	return nil
}

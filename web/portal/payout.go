package portal

import (
	"context"
	"net/http"
	"strconv"

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
	{
		pattern: "GET /trader/payouts",
		kinds:   traders,
		needs:   caller.TraderRead,
		handle:  with(payoutList, (*visit).payouts),
	},
	{
		pattern: "GET /trader/payouts.csv",
		kinds:   traders,
		needs:   caller.TraderMoney,
		handle:  with(payoutList, (*visit).payoutsCSV),
	},
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
	hint:     say.SearchOwn,
	export:   caller.TraderMoney,

	about: say.Recipient, sum: say.RewardUSDT,
	none: say.NoPayouts, noneText: say.NoPayoutsText, lately: say.NoneTaken,
	start: "/trader#waiting", startLabel: say.Desk,
}

func (v *visit) payouts(l list) error {
	a := v.asks(l)
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
	shown := view.Payouts{
		Filters: filters, Pages: pages(a, page), About: a.about, Sum: a.sum, Desk: v.who.Kind == caller.Trader,
	}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.payoutRow(item))
	}
	if len(shown.Items) == 0 {
		shown.Empty, err = v.emptyList(a, func(f report.Filter) (bool, error) {
			found, err := v.Reports.Payouts(v.ctx(), v.who, f)
			return len(found.Items) > 0, err
		})
	}
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.Payouts)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.PayoutsPage(s, shown) })
	return nil
}

func (v *visit) payoutRow(item report.PayoutItem) view.PayoutRow {
	row := view.PayoutRow{
		ID:        item.ID,
		Href:      view.Link(v.payoutPath(item.UUID.String())),
		Amount:    v.shell.Amount(item.Amount, item.Currency),
		Method:    item.Method,
		Mask:      item.AddressMask,
		Recipient: item.Recipient,
		Status:    view.PayoutBadge(string(item.Status)),
		CreatedAt: item.CreatedAt,
		Beside:    text(item.Bank()),
	}
	if item.RewardUSDT != nil {
		row.USDT = view.Figure(*item.RewardUSDT)
	}
	if v.who.Kind != caller.Trader {
		row.Beside, row.USDT = item.OrderID, view.Figure(item.FrozenUSDT)
	}
	if v.who.Kind == caller.Operator {
		row.Whose = v.whose(item.MerchantID, item.TraderID)
	}
	return row
}

func (v *visit) payoutsCSV(l list) error {
	a := v.asks(l)
	if len(a.wrong) > 0 {
		return v.showPayouts(a, report.Page[report.PayoutItem]{})
	}
	return v.sendCSV(a.fileName("payouts", v.shell.Now), func(file *csvFile) error {
		return v.Exports.ExportPayouts(v.ctx(), v.who, a.filter, file, v.shell.Zone)
	})
}

func (v *visit) payoutID() string { return v.r.PathValue("id") }

func (v *visit) payoutPath(id string) string { return v.path("/payouts/" + id) }

// payout shows a merchant's own, one that the trader took, or one that waits for them to. What happened
// to the latter is not for them.
func (v *visit) payout() error {
	id := v.payoutID()
	shown, err := v.findPayout(id)
	if err != nil {
		return err
	}
	then := v.moment(v.payoutPath(id), shown.CreatedAt)
	if v.who.Kind != caller.Trader || shown.Status != string(payout.Waiting) {
		lines, err := v.Reports.PayoutTimeline(v.ctx(), v.who, id)
		if err != nil {
			return err
		}
		if err := v.meet(actorsOf(lines)); err != nil {
			return err
		}
		if then.past() {
			shown = payoutThen(shown, then, lines)
		}
		shown.Then, shown.Lines = then.shown(), v.payoutTimeline(then.cut(lines))
	}
	v.shell.Title = v.shell.Say(say.PayoutTitle, shown.Number)
	v.show(then.status(), func(s view.Shell) site.Page { return view.PayoutPage(s, shown) })
	return nil
}

// payoutThen is a payout as it stood at a moment, with nothing to be done about it.
func payoutThen(shown view.Payout, then moment, lines []report.Line) view.Payout {
	shown.MayWork, shown.Cancel, shown.Note, shown.Proof = false, "", say.Phrase{}, ""
	shown.Acts, shown.Claim = nil, nil
	if last := then.last(lines); last != nil {
		shown.Status, shown.StatusAt, shown.Reason = last.To, last.At, last.Reason
	}
	if shown.TakenAt != nil && shown.TakenAt.After(then.at) {
		shown.TakenAt = nil
	}
	return shown
}

// findPayout finds a payout for whoever visits.
func (v *visit) findPayout(id string) (view.Payout, error) {
	if v.who.Kind == caller.MerchantPortal {
		found, err := v.Payouts.Get(v.ctx(), v.who, id)
		if err != nil {
			return view.Payout{}, err
		}
		return v.ownPayout(found)
	}
	if v.who.Kind == caller.Operator {
		return v.casePayout(id)
	}
	offer, err := v.Payouts.GetOffer(v.ctx(), v.who, id)
	if err != nil {
		return view.Payout{}, err
	}
	return v.payoutShown(offer), nil
}

func (v *visit) payoutShown(o payout.Offer) view.Payout {
	shown := view.Payout{
		Offer: v.offer(
			o,
		),
		List:      view.Link(v.path("/payouts")),
		Number:    o.ID,
		CreatedAt: o.CreatedAt,
		TakenAt:   o.TakenAt,
		StatusAt:  o.StatusAt,
		Proof:     text(o.ProofReference),
		Reason:    text(o.StatusReason),
	}
	switch o.Status {
	case payout.Processing:
		shown.Note = say.PayNow
	case payout.Waiting:
		shown.Note = say.WholeLater
	case payout.Completed, payout.Failed, payout.Cancelled, payout.Expired:
	}
	shown.Facts = []view.Fact{{Label: say.Reward, Value: shown.Reward, Class: "num"}}
	return shown
}

// ownPayout is a payout as its merchant sees it.
func (v *visit) ownPayout(p payout.Payin) (view.Payout, error) {
	boxes, err := v.cashboxes(asked{list: list{cashbox: true}})
	if err != nil {
		return view.Payout{}, err
	}
	shown := v.payoutShown(payout.Offer{Payin: p, Address: p.AddressMask, Recipient: p.Recipient})
	shown.Note, shown.Curl = say.Phrase{}, v.curl("/api/v1/payins/"+p.UUID.String())
	if p.Status == payout.Waiting && v.who.May(caller.MerchantPayouts) {
		shown.Cancel = view.Link(shown.Path + "/cancel")
	}
	shown.Facts = []view.Fact{
		{Label: say.Order, Value: p.OrderID},
		{Label: say.Cashbox, Value: boxes.name(strconv.FormatInt(p.CashboxID, 10))},
		{Label: say.User, Value: text(p.UserID)},
		{Label: say.YouPay, Value: view.USDT(p.FrozenUSDT), Class: "num"},
	}
	if p.Status == payout.Completed {
		shown.Facts = append(shown.Facts, view.Fact{
			Label: say.LedgerProof, Value: v.shell.Say(say.LedgerProofFile),
			Href: view.Link(v.payoutPath(p.UUID.String()) + "/proof.json"),
		})
	}
	return shown, nil
}

// take takes a payout. A second click finds that it is the trader's already.
func (v *visit) take() error {
	id := v.payoutID()
	_, err := v.Payouts.Take(v.ctx(), v.who, id)
	if err == nil {
		return v.done(v.payoutPath(id), "taken")
	}
	f := fault.As(err)
	if f != nil && f.Kind == fault.TooManyRequests {
		return v.done("/trader", "take-limit")
	}
	if f == nil || f.Kind != fault.Refused {
		return err
	}
	if offer, err := v.Payouts.GetOffer(v.ctx(), v.who, id); err == nil && offer.Status == payout.Processing {
		return v.done(v.payoutPath(id), "taken")
	}
	if f.Code == payout.ErrTakeLimit.Code {
		return v.done("/trader", "take-limit")
	}
	return v.done("/trader", "gone")
}

// payoutStep is how a trader is done with a payout that they took, or a merchant with one of its own.
type payoutStep struct {
	// field is what they are asked for, or "", and word what is said when it is done.
	field, word string
	// from is the status that it is taken from, to where it leads; "" is to the payout.
	from payout.Status
	to   string
	page func(view.Shell, view.PayoutQuestion) site.Page
	end  func(v *visit, id string, typed *string) error
}

var (
	completeStep = payoutStep{
		field: "proofReference", word: "completed", from: payout.Processing, to: "/trader",
		page: pageOf(view.CompletePayout), end: ended((*payout.Service).Complete),
	}
	failStep = payoutStep{
		field: "reason", word: "failed", from: payout.Processing, to: "/trader",
		page: pageOf(view.FailPayout), end: ended((*payout.Service).Fail),
	}
	giveBackStep = payoutStep{
		field: "reason", word: "given-back", from: payout.Processing, to: "/trader",
		page: pageOf(view.GiveBackPayout), end: ended((*payout.Service).GiveBack),
	}
	cancelStep = payoutStep{
		word: "payout-cancelled", from: payout.Waiting, page: pageOf(view.CancelPayout),
		end: func(v *visit, id string, _ *string) error {
			_, err := v.Payouts.Cancel(v.ctx(), v.who, id)
			return err
		},
	}
)

func pageOf(page func(view.Shell, view.PayoutQuestion) site.Page) func(view.Shell, view.PayoutQuestion) site.Page {
	return page
}

// ended ends a payout as a trader does.
func ended(
	end func(s *payout.Service, ctx context.Context, who caller.Caller, id string, typed *string) (payout.Offer, error),
) func(*visit, string, *string) error {
	return func(v *visit, id string, typed *string) error {
		_, err := end(v.Payouts, v.ctx(), v.who, id, typed)
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
	found, err := v.findPayout(v.payoutID())
	if err != nil {
		return err
	}
	if found.Status != string(step.from) {
		return v.done(v.payoutPath(v.payoutID()), "changed")
	}
	v.showPayoutQuestion(http.StatusOK, step, found, "", "")
	return nil
}

func (v *visit) showPayoutQuestion(status int, step payoutStep, found view.Payout, typed, wrong string) {
	question := view.PayoutQuestion{Payout: found, Token: submission.NewToken(), Typed: typed, Wrong: wrong}
	v.shell.Title = v.shell.Say(say.PayoutTitle, found.Number)
	v.show(status, func(s view.Shell) site.Page { return step.page(s, question) })
}

// endPayout takes a step, once. A payout that has ended, or is no longer the trader's, is left as it is.
func (v *visit) endPayout(step payoutStep) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	id, typed := v.payoutID(), form.Get(step.field)
	if _, err := v.findPayout(id); err != nil && v.who.Kind == caller.MerchantPortal {
		return err
	}
	to := step.to
	if to == "" {
		to = v.payoutPath(id)
	}
	err = v.once(form, func() (submission.Outcome, error) {
		err := step.end(v, id, given(typed))
		f := fault.As(err)
		switch {
		case f == nil:
			return submission.Outcome{LedTo: to, Said: step.word}, err
		case f.Code == payout.ErrNotProcessing.Code, f.Code == payout.ErrNotWaiting.Code && step.from == payout.Waiting:
			return submission.Outcome{LedTo: v.payoutPath(id), Said: "changed"}, nil
		case f.Code == payout.ErrNotWaiting.Code:
			return submission.Outcome{LedTo: to, Said: "gone"}, nil
		}
		return submission.Outcome{}, err
	})
	wrong := v.wrong(err)
	if wrong == nil {
		return err
	}
	found, err := v.findPayout(id)
	if err != nil {
		return err
	}
	if found.Status != string(step.from) {
		return v.done(v.payoutPath(id), "changed")
	}
	v.showPayoutQuestion(http.StatusUnprocessableEntity, step, found, typed, wrong[step.field])
	return nil
}

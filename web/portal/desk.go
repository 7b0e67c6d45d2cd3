package portal

import (
	"context"
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A trader's desk: what waits for them now, and what they do about it.
var deskRoutes = []route{
	{pattern: "GET /trader", kinds: traders, needs: caller.TraderRead, handle: (*visit).desk},
	{
		pattern:  "GET /trader/desk",
		kinds:    traders,
		needs:    caller.TraderRead,
		fragment: true,
		handle:   (*visit).deskRegion,
	},
	{pattern: "GET /trader/live", kinds: traders, needs: caller.TraderRead, fragment: true, handle: (*visit).stream},
	{pattern: "POST /trader/shift", kinds: traders, needs: caller.TraderWork, handle: (*visit).shift},
	{pattern: "POST /trader/break", kinds: traders, needs: caller.TraderWork, handle: (*visit).pause},
	{
		pattern: "GET /trader/payments/{id}/confirm",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).confirmPage,
	},
	{pattern: "POST /trader/payments/{id}/confirm", kinds: traders, needs: caller.TraderWork, handle: (*visit).confirm},
	{
		pattern: "GET /trader/payments/{id}/cancel",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).cancelPage,
	},
	{pattern: "POST /trader/payments/{id}/cancel", kinds: traders, needs: caller.TraderWork, handle: (*visit).cancel},
	{
		pattern: "POST /trader/payments/{id}/code",
		kinds:   traders,
		needs:   caller.TraderWork,
		handle:  (*visit).requestCode,
	},
	{pattern: "POST /trader/payments/{id}/resend", kinds: traders, needs: caller.TraderWork, handle: (*visit).resend},
	{pattern: "POST /trader/payments/{id}/no-code", kinds: traders, needs: caller.TraderWork, handle: (*visit).noCode},
}

// deskPayouts is how many payouts of a kind the desk shows.
const deskPayouts = 20

func (v *visit) desk() error {
	shown, err := v.deskShown()
	if err != nil {
		return err
	}
	v.shell.Title, v.shell.Live = v.shell.Say(say.Desk), true
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.DeskPage(s, shown) })
	return nil
}

// deskRegion is the part of the desk that is asked for anew when something has changed.
func (v *visit) deskRegion() error {
	shown, err := v.deskShown()
	if err != nil {
		return err
	}
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.DeskRegion(s, shown) })
	return nil
}

func (v *visit) deskShown() (view.Desk, error) {
	shown := view.Desk{
		OnShift:    v.session.OnShift,
		MayWork:    v.who.May(caller.TraderWork),
		MostJobs:   payment.MaxDesk,
		MostOffers: deskPayouts,
	}
	var err error
	if shown.OnBreak, err = v.Settings.Break(v.ctx(), v.who); err != nil {
		return shown, err
	}
	if v.who.May(caller.TraderMoney) {
		balance, err := v.Settings.OwnBalance(v.ctx(), v.who)
		if err != nil {
			return shown, err
		}
		shown.Balance = &view.Balance{Available: view.USDT(balance.Available), Reserved: view.USDT(balance.Reserved)}
	}
	open, err := v.Checkouts.Desk(v.ctx(), v.who)
	if err != nil {
		return shown, err
	}
	for _, p := range open {
		shown.Jobs = append(shown.Jobs, v.job(p))
	}
	if shown.Taken, err = v.offers(payout.Processing); err != nil {
		return shown, err
	}
	shown.Waiting, err = v.offers(payout.Waiting)
	return shown, err
}

// job is a payment as the desk shows it.
func (v *visit) job(p checkout.DeskPayment) view.Job {
	job := view.Job{
		ID: p.ID, Amount: v.shell.Amount(p.Amount, p.Currency), Method: p.Method, Requisite: v.requisiteOf(p.Payment),
		ExpiresAt: p.ExpiresAt, ClaimedAt: p.ClaimedAt, Receipts: p.Receipts,
	}
	if p.CardCheckout() {
		job.Phase = say.PhaseOf(string(p.Phase))
		if p.Card != nil {
			job.Card = p.Card.Last4
		}
	}
	if v.who.May(caller.TraderWork) {
		for _, step := range p.Steps {
			job.Steps = append(job.Steps, view.StepOf(p.ID, string(step)))
		}
	}
	return job
}

// requisiteOf is where a payment's money goes, as its trader knows it.
func (v *visit) requisiteOf(p payment.Payment) view.Requisite {
	var r view.Requisite
	for to, from := range map[*string]*string{&r.Value: p.RequisiteFor(v.who), &r.Bank: p.RequisiteBank, &r.Holder: p.RequisiteHolder} {
		if from != nil {
			*to = *from
		}
	}
	return r
}

func (v *visit) offers(status payout.Status) ([]view.Offer, error) {
	wanted := string(status)
	most := int32(deskPayouts)
	page := payout.Page{Status: &wanted}
	page.Limit = &most
	list, _, err := v.Payouts.ListForTrader(v.ctx(), v.who, page)
	if err != nil {
		return nil, err
	}
	shown := make([]view.Offer, 0, len(list))
	for _, offer := range list {
		shown = append(shown, v.offer(offer))
	}
	return shown, nil
}

func (v *visit) offer(o payout.Offer) view.Offer {
	shown := view.Offer{
		ID:        o.UUID.String(),
		Path:      v.payoutPath(o.UUID.String()),
		Amount:    v.shell.Amount(o.Amount, o.Currency),
		Method:    o.Method,
		Address:   o.Address,
		Recipient: o.Recipient,
		Reward:    view.USDT(o.RewardUSDT),
		Status:    string(o.Status),
		ExpiresAt: o.ExpiresAt,
		MayWork:   v.who.May(caller.TraderWork),
	}
	if bank := o.Bank(); bank != nil {
		shown.Bank = *bank
	}
	return shown
}

// shift begins or ends the shift of the one who is signed in.
func (v *visit) shift() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	on := form.Get("on") == "1"
	if _, err := v.Sessions.SetShift(v.ctx(), v.session, on); err != nil {
		return err
	}
	if on {
		return v.done("/trader", "shift-on")
	}
	return v.done("/trader", "shift-off")
}

// pause begins or ends a break of the trader.
func (v *visit) pause() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	on := form.Get("on") == "1"
	if err := v.Settings.SetBreak(v.ctx(), v.who, on); err != nil {
		return err
	}
	if on {
		return v.done("/trader", "break-on")
	}
	return v.done("/trader", "break-off")
}

func (v *visit) paymentID() (int64, error) {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// assigned reads the payment that the address names.
func (v *visit) assigned() (payment.Payment, error) {
	id, err := v.paymentID()
	if err != nil {
		return payment.Payment{}, err
	}
	return v.Payments.Get(v.ctx(), v.who, strconv.FormatInt(id, 10))
}

// path is where something is in the user's own portal.
func (v *visit) path(below string) string { return "/" + v.shell.Portal + below }

func (v *visit) paymentPath(id int64) string { return v.path("/payments/" + strconv.FormatInt(id, 10)) }

func (v *visit) confirmPage() error { return v.askAbout(view.ConfirmPayment) }
func (v *visit) cancelPage() error  { return v.askAbout(view.CancelPayment) }

// askAbout shows what is about to be done with a payment before it is done.
func (v *visit) askAbout(page func(view.Shell, view.PaymentQuestion) site.Page) error {
	p, err := v.assigned()
	if err != nil {
		return err
	}
	return v.ask(http.StatusOK, p, page, "", nil)
}

func (v *visit) ask(
	status int,
	p payment.Payment,
	page func(view.Shell, view.PaymentQuestion) site.Page,
	reason string,
	wrong map[string]string,
) error {
	if p.Ended() {
		return v.done(v.paymentPath(p.ID), "changed")
	}
	question := view.PaymentQuestion{
		ID: p.ID, Token: submission.NewToken(), Status: string(p.Status), Amount: v.shell.Amount(p.Amount, p.Currency),
		Method: p.Method, Requisite: v.requisiteOf(p), ClaimedAt: p.ClaimedAt, Reason: reason, Wrong: wrong,
	}
	if sight := p.Seen(v.who); sight.Amount != nil {
		question.USDT = view.USDT(*sight.Amount)
	}
	v.shell.Title = v.shell.Say(say.Payment, p.ID)
	v.show(status, func(s view.Shell) site.Page { return page(s, question) })
	return nil
}

func (v *visit) confirm() error {
	return v.settle("confirmed", func(ctx context.Context, id int64, _ *string) error {
		_, err := v.Payments.Confirm(ctx, v.who, id)
		return err
	}, view.ConfirmPayment)
}

func (v *visit) cancel() error {
	return v.settle("cancelled", func(ctx context.Context, id int64, reason *string) error {
		_, err := v.Payments.Cancel(ctx, v.who, id, reason)
		return err
	}, view.CancelPayment)
}

// settle ends a payment on the trader's word, unless it is no longer as the form has shown it.
func (v *visit) settle(
	word string, end func(ctx context.Context, id int64, reason *string) error,
	page func(view.Shell, view.PaymentQuestion) site.Page,
) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	p, err := v.assigned()
	if err != nil {
		return err
	}
	reason := form.Get("reason")
	err = v.once(form, func() (submission.Outcome, error) {
		if string(p.Status) != form.Get("status") {
			return submission.Outcome{LedTo: v.paymentPath(p.ID), Said: "changed"}, nil
		}
		err := end(v.ctx(), p.ID, given(reason))
		if f := fault.As(err); f != nil && f.Code == payment.ErrNotPending.Code {
			return submission.Outcome{LedTo: v.paymentPath(p.ID), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: "/trader", Said: word}, err
	})
	if wrong := v.wrong(err); wrong != nil {
		return v.ask(http.StatusUnprocessableEntity, p, page, reason, wrong)
	}
	return err
}

// given is nil for what was left empty.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (v *visit) requestCode() error { return v.cardStep("code-requested", v.Checkouts.RequestCode) }
func (v *visit) resend() error      { return v.cardStep("code-resent", v.Checkouts.RequestResend) }
func (v *visit) noCode() error      { return v.cardStep("code-not-needed", v.Checkouts.MarkCodeNotNeeded) }

// cardStep takes a step of a card checkout. One that makes no sense any more says so.
func (v *visit) cardStep(
	word string, step func(context.Context, caller.Caller, int64) (payment.Payment, error),
) error {
	id, err := v.paymentID()
	if err != nil {
		return err
	}
	_, err = step(v.ctx(), v.who, id)
	if f := edge.Fault(
		err,
	); f != nil &&
		(f.Kind == fault.Refused || f.Kind == fault.TooManyRequests || f.Kind == fault.Conflict) {
		return v.done("/trader", "changed")
	}
	if err != nil {
		return err
	}
	return v.done("/trader", word)
}

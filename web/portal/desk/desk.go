package desk

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"gateway.example/web/portal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A trader's desk: what waits for them now, and what they do about it.
var deskRoutes = []route{
	{Pattern: "GET /trader", Needs: caller.TraderRead, Handle: (*visit).desk},
	{Pattern: "GET /trader/desk", Needs: caller.TraderRead, Fragment: true, Handle: (*visit).deskRegion},
	{Pattern: "GET /trader/live", Needs: caller.TraderRead, Fragment: true, Handle: (*visit).stream},
	{Pattern: "POST /trader/break", Needs: caller.TraderWork, Handle: portal.After((*visit).Form, (*visit).pause)},
	{Pattern: "GET /trader/payments/{id}/confirm", Needs: caller.TraderWork, Handle: (*visit).confirmPage},
	{Pattern: "POST /trader/payments/{id}/confirm", Needs: caller.TraderWork, Handle: (*visit).confirm},
	{Pattern: "GET /trader/payments/{id}/cancel", Needs: caller.TraderWork, Handle: (*visit).cancelPage},
	{Pattern: "POST /trader/payments/{id}/cancel", Needs: caller.TraderWork, Handle: (*visit).cancel},
	{Pattern: "POST /trader/payments/{id}/code", Needs: caller.TraderWork, Handle: (*visit).requestCode},
	{Pattern: "POST /trader/payments/{id}/resend", Needs: caller.TraderWork, Handle: (*visit).resend},
	{Pattern: "POST /trader/payments/{id}/no-code", Needs: caller.TraderWork, Handle: (*visit).noCode},
}

func (v *visit) desk() error {
	shown, err := v.deskShown()
	if err != nil {
		return err
	}
	if shown.Earned, err = portal.IfSoon(v.earned()); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Live = v.Say(say.Desk), true
	return portal.Show(v.Visit, http.StatusOK, DeskPage, shown)
}

// deskRegion is the part of the desk that is read again when something has
// changed.
func (v *visit) deskRegion() error {
	shown, err := v.deskShown()
	if err != nil {
		return err
	}
	return portal.Show(v.Visit, http.StatusOK, DeskChange, shown)
}

// deskShown reads everything on the desk but the earnings, for the page and for
// the part of it that is read again. Messages are shown beside the payments
// that they may be about. The balance is left out for users who may not see it.
func (v *visit) deskShown() (Desk, error) {
	shown := Desk{
		MayWork:    v.Who.May(caller.TraderWork),
		MostJobs:   payment.MaxDesk,
		MostOffers: payout.MaxDesk,
	}
	var err error
	if shown.OnBreak, err = v.Settings.Break(v.Ctx(), v.Who); err != nil {
		return shown, err
	}
	silent, err := v.Messages.Silent(v.Ctx(), v.Who)
	if err != nil {
		return shown, err
	}
	for _, phone := range silent {
		shown.Silent = append(shown.Silent, phone.Name)
	}
	if shown.Balance, err = v.balance(); err != nil {
		return shown, err
	}
	open, err := v.Checkouts.Desk(v.Ctx(), v.Who)
	if err != nil {
		return shown, err
	}
	payments := make([]payment.Payment, 0, len(open))
	for _, p := range open {
		payments = append(payments, p.Payment)
	}
	beside, err := v.Messages.Beside(v.Ctx(), v.Who, payments)
	if err != nil {
		return shown, err
	}
	for _, p := range open {
		job := v.Job(p)
		for _, m := range beside[p.ID] {
			job.Messages = append(job.Messages, view.JobMessage{
				ID: m.ID, At: m.ReceivedAt, Bank: bankmessage.NameOf(m.Bank), Text: optional.Value(m.Text),
			})
		}
		shown.Jobs = append(shown.Jobs, job)
	}
	return shown, v.deskPayouts(&shown)
}

// balance is what the trader has, for those who may see it.
func (v *visit) balance() ([]view.OverviewFigure, error) {
	if !v.Who.May(caller.TraderMoney) {
		return nil, nil
	}
	has, err := v.Settings.OwnBalance(v.Ctx(), v.Who)
	available := v.Shell.Rounded(v.Say(sayAvailable), has.Available)
	available.Href = "/trader/statement" // a phone's navigation has no room for it
	return []view.OverviewFigure{available, v.Shell.Rounded(v.Say(sayReserved), has.Reserved)}, err
}

// deskPayouts adds the payouts. The waiting ones are those to the bank in the
// address.
func (v *visit) deskPayouts(shown *Desk) error {
	shown.Bank = v.R.URL.Query().Get("bank")
	payouts, err := v.Payouts.Desk(v.Ctx(), v.Who, shown.Bank)
	if err != nil {
		return err
	}
	for _, offer := range payouts.Taken {
		shown.Taken = append(shown.Taken, v.Offer(offer))
	}
	for _, offer := range payouts.Waiting {
		shown.Waiting = append(shown.Waiting, v.Offer(offer))
	}
	shown.Banks = payouts.Banks
	if shown.Bank != "" && !slices.Contains(shown.Banks, shown.Bank) {
		shown.Banks = append(shown.Banks, shown.Bank)
	}
	return nil
}

// pause begins or ends a break, in which the trader gets no payments, and
// redirects back.
func (v *visit) pause(form url.Values) error {
	on := form.Get("on") == "1"
	if err := v.Settings.SetBreak(v.Ctx(), v.Who, on); err != nil {
		return err
	}
	if on {
		return v.Done(v.BackTo("/trader"), "break-on")
	}
	return v.Done(v.BackTo("/trader"), "break-off")
}

// assigned reads the payment in the address.
func (v *visit) assigned() (payment.Payment, error) {
	id, err := v.Numbered()
	if err != nil {
		return payment.Payment{}, err
	}
	return v.Payments.Get(v.Ctx(), v.Who, portal.IDText(id))
}

// confirmPage asks whether the money has arrived. The query says whether it was
// another amount.
func (v *visit) confirmPage() error { return v.askAbout(ConfirmPayment) }
func (v *visit) cancelPage() error  { return v.askAbout(CancelPayment) }

// askAbout asks for confirmation of what is about to be done with a payment.
func (v *visit) askAbout(page func(view.Shell, PaymentQuestion) site.Page) error {
	p, err := v.assigned()
	if err != nil {
		return err
	}
	return v.ask(http.StatusOK, p, page, v.R.URL.Query(), nil)
}

// ask asks for confirmation about a payment as it stands now. The form says how
// that is, so that it changes nothing if the payment has changed by then. A
// payment that has ended leads to its own page, unless it has expired and may
// still be confirmed.
func (v *visit) ask(
	status int,
	p payment.Payment,
	page func(view.Shell, PaymentQuestion) site.Page,
	typed url.Values,
	wrong map[string]string,
) error {
	late := p.Ended() && v.Payments.MayComeLate(p)
	if p.Ended() && !late {
		return v.Done(v.PaymentPath(p.ID), "changed")
	}
	question := PaymentQuestion{
		ID: p.ID, Token: submission.NewToken(), Seen: portal.SeenOf(p), Amount: v.Amount(p.Expected(), p.Currency),
		Method: p.Method, Requisite: v.RequisiteOf(p), ClaimedAt: p.ClaimStands(), Reason: typed.Get("reason"), Wrong: wrong,
		Late: late, Other: !p.CardCheckout(), Came: typed.Get("receivedAmount"), Payer: typed.Get("payer"), Opened: typed.Has("other") || typed.Get("receivedAmount") != "",
	}
	if sight := p.SumsFor(v.Who); sight.Amount != nil {
		question.USDT = v.USDT(*sight.Amount)
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.PaymentTitle, p.ID), page, question)
}

func (v *visit) confirm() error {
	return v.settle("confirmed", func(ctx context.Context, p payment.Payment, form url.Values) (bool, error) {
		came := money.Typed(form.Get("receivedAmount"))
		p, err := v.Payments.ConfirmCame(ctx, v.Who, p.ID, payment.Came{
			Amount: optional.Of(came), Payer: optional.Of(form.Get("payer")), Expected: new(p.Expected()),
		})
		return p.Case(), err
	}, ConfirmPayment)
}

func (v *visit) cancel() error {
	return v.settle("cancelled", func(ctx context.Context, p payment.Payment, form url.Values) (bool, error) {
		_, err := v.Payments.Cancel(ctx, v.Who, p.ID, optional.Of(form.Get("reason")))
		return false, err
	}, CancelPayment)
}

// settle ends a payment as its trader says, unless it stands no longer as the
// form has shown. end reports whether the payment became a case.
func (v *visit) settle(
	word string, end func(ctx context.Context, p payment.Payment, form url.Values) (bool, error),
	page func(view.Shell, PaymentQuestion) site.Page,
) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	p, err := v.assigned()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		if portal.SeenOf(p) != form.Get("status") {
			return submission.Outcome{LedTo: v.PaymentPath(p.ID), Said: "changed"}, nil
		}
		open, err := end(v.Ctx(), p, form)
		if open {
			word = "case-open"
		}
		if f := fault.As(err); f != nil && (f.Code == payment.ErrNotPending.Code || f.Code == payment.ErrCameSince.Code) {
			return submission.Outcome{LedTo: v.PaymentPath(p.ID), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: "/trader", Said: word}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.ask(http.StatusUnprocessableEntity, p, page, form, wrong)
	}
	return err
}

func (v *visit) requestCode() error { return v.cardStep("code-requested", v.Checkouts.RequestCode) }
func (v *visit) resend() error      { return v.cardStep("code-resent", v.Checkouts.RequestResend) }
func (v *visit) noCode() error      { return v.cardStep("code-not-needed", v.Checkouts.MarkCodeNotNeeded) }

// cardStep takes a step of a card checkout, once. A step that is no longer
// possible gets a message.
func (v *visit) cardStep(
	word string, step func(context.Context, caller.Caller, int64) (payment.Payment, error),
) error {
	p, err := v.assigned()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	return v.Once(form, func() (submission.Outcome, error) {
		_, err := step(v.Ctx(), v.Who, p.ID)
		if f := edge.Fault(err); f != nil &&
			(f.Kind == fault.Refused || f.Kind == fault.TooManyRequests || f.Kind == fault.Conflict) {
			return submission.Outcome{LedTo: "/trader", Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: "/trader", Said: word}, err
	})
}

package pay

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
	"gateway.example/internal/requisite"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// The paths of a checkout's pages below its link.
const (
	belowCard   = "/card"
	belowCode   = "/code"
	belowForget = "/forget"
	belowResend = "/resend"
	belowCancel = "/cancel"
)

// purchase is a request about a card payment.
type purchase struct {
	visit
	view checkout.View
	// below is the visited page: "" or one of those above.
	below string
}

// checkouts adds the pages of card payments. A form is sent to the address of
// the page that shows it, so that a browser that loads the address anew sees
// the form again. Only the button for another code has no page.
func (p *Pay) checkouts(mux *http.ServeMux) {
	const link = "/pay/{token}"
	mux.HandleFunc("GET "+link+"/status", p.bought("", p.checkoutStatus))
	for below, pages := range map[string]struct{ show, act func(purchase) }{
		"":           {p.checkout, p.paySaved},
		belowCard:    {p.checkout, p.payTyped},
		belowCode:    {p.checkout, p.enterCode},
		belowCancel:  {p.askCheckoutCancel, p.cancelCheckout},
		belowForget:  {p.askForget, p.forget},
		belowResend:  {nil, p.resend},
		belowReceipt: {p.showCardReceipt, nil},
	} {
		if pages.show != nil {
			mux.HandleFunc("GET "+link+below, p.bought(below, pages.show))
		}
		if pages.act != nil {
			mux.HandleFunc("POST "+link+below, p.bought(below, pages.act))
		}
	}
}

const maxForm = 16 << 10

// bought finds a link's card payment and its pages' look.
func (p *Pay) bought(below string, handle func(purchase)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		found, err := p.Checkouts.Get(r.Context(), r.PathValue("token"))
		v := purchase{view: found, below: below}
		var asking error
		v.visit, asking = p.visited(w, r, found.Payment)
		if err = errors.Join(err, asking); err == nil {
			v.look, err = p.Looks.Of(r.Context(), v.payment.CashboxID)
		}
		if err != nil {
			p.refused(v, err)
			return
		}
		handle(v)
	}
}

// refused shows errors that belong to no field of the form.
func (p *Pay) refused(v purchase, err error) {
	refusal := fault.As(err)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		p.unknown(v.w, v.r)
	case refusal != nil && refusal.Kind == fault.TooManyRequests:
		p.slowDown(v.visit, "/pay/", refusal.RetryAfter)
	case refusal != nil && refusal.Kind == fault.Refused, errors.Is(err, fault.ErrOutcomeUnknown):
		// Another request was faster, the form was sent twice, or the
		// outcome is unknown: the page shows the payment's state.
		back(v.w, p.purchasePage(v).Shell)
	case refusal != nil && refusal.Code == "acquirer_not_configured":
		s := p.purchasePage(v).Shell
		site.Show(v.w, v.r, http.StatusServiceUnavailable, view.TryLater(s, s.Say(words.NoCardsTitle), s.Say(words.NoCardsText)))
	default:
		// The page says nothing about the card, because it may have
		// been sent.
		slog.ErrorContext(v.r.Context(), "checkout page", "error", err)
		p.message(v.w, v.r, statusOf(v.w, err), words.BrokenTitle, words.CardBrokenText)
	}
}

// version changes when the page would show something else.
func (v purchase) version() string {
	failed := ""
	if v.view.LastError != nil {
		failed = *v.view.LastError
	}
	return fmt.Sprintf("%s-%s-%d-%d-%d-%s-%t", v.visit.version(), v.view.Phase, v.view.Rejected, v.view.Declined,
		v.view.Resends, failed, v.view.Checking)
}

// every is how many seconds pass between two requests of the page for news.
// They are few while it waits for the bank's decision.
func (v purchase) every() int {
	if v.view.Checking {
		return everyWaiting
	}
	return v.visit.every()
}

func (p *Pay) checkoutStatus(v purchase) {
	p.tellStatus(v.visit, status{v.version(), v.secondsLeft()}, func() (status, error) {
		found, err := p.Checkouts.Get(v.r.Context(), v.r.PathValue("token"))
		if err != nil {
			return status{}, err
		}
		now := purchase{view: found}
		now.visit, err = p.visited(v.w, v.r, found.Payment)
		return status{now.version(), now.secondsLeft()}, err
	})
}

// purchasePage is the common content of a card payment's pages. A page asks
// for news until the payment can no longer change; pages with a question
// remove Watch. In a sandbox it lists the test cards.
func (p *Pay) purchasePage(v purchase) view.Checkout {
	s := p.dress(v.visit, "/pay/")
	s.Below = v.below
	if every := v.every(); every > 0 {
		s.Watch = &view.Watch{Version: v.version(), Every: every}
	}
	c := view.Checkout{Shell: s, Bill: v.bill(s.Words), Countdown: v.countdown(s.Words)}
	if entered := v.view.Card; entered != nil {
		c.Card = cardName(entered.Brand, entered.Last4)
	}
	if p.Sandbox {
		for _, t := range testCards {
			c.Tests = append(c.Tests, view.TestCard{Number: requisite.Fours(t.number), Outcome: s.Say(t.outcome)})
		}
	}
	return c
}

// testCards are the test cards of the sandbox's acquirer.
var testCards = []struct {
	number  string
	outcome words.Key
}{
	{"4242424242424242", words.TestPaid},
	{"5555555555554444", words.TestPaid},
	{"4000002500003155", words.TestCode},
	{"4000000000000002", words.TestDeclined},
	{"4000000000009995", words.TestNoFunds},
}

// checkout shows what a card payment is waiting for, or how it ended.
func (p *Pay) checkout(v purchase) {
	p.opened(v.visit, cmp.Or(strings.TrimPrefix(v.below, "/"), "checkout"))
	page := p.purchasePage(v)
	early := v.below == belowCode && v.view.Phase == checkout.AwaitingBank
	switch {
	case !v.waiting():
		site.Show(v.w, v.r, http.StatusOK, view.Ended(page.Shell, page.Bill, cardOutcome(page.Words, v)))
	case v.view.Phase == checkout.AwaitingDetails && v.view.Saved != nil && v.below != belowCard:
		p.showSaved(v)
	case v.view.Phase == checkout.AwaitingDetails:
		p.showCard(v)
	case v.view.Phase == checkout.AwaitingCode || early:
		p.showCode(v)
	default:
		site.Show(v.w, v.r, http.StatusOK, view.Processing(page, progress(page.Words, v.view.Phase)))
	}
}

func progress(w words.Words, phase checkout.Phase) view.Progress {
	if phase == checkout.AwaitingBank {
		return view.Progress{Title: w.Say(words.ProcessingTitle), Early: true}
	}
	return view.Progress{Title: w.Say(words.ConfirmingTitle)}
}

// payTyped pays with the card that was typed. After a mistake in another field
// the number comes back only encrypted, so that the payer need not type it
// twice; the security code must be typed again. Nothing that looks like a card
// number is returned as text, in whatever field it was typed.
func (p *Pay) payTyped(v purchase) {
	expiry := v.r.PostFormValue("expiry")
	month, year := splitExpiry(expiry)
	entry := card.Entry{
		PAN: v.r.PostFormValue("pan"), ExpMonth: month, ExpYear: year, Holder: v.r.PostFormValue("cardHolder"),
	}
	if entry.PAN == "" {
		entry.PAN = p.Checkouts.KeptNumber(v.payment, v.r.PostFormValue("kept"))
	}
	_, err := p.Checkouts.SubmitDetails(v.r.Context(), v.r.PathValue("token"), checkout.Details{
		Entry: entry, CVV: digits(v.r.PostFormValue("cvv")), Keep: v.r.PostFormValue("keep") != "",
		After: v.r.PostFormValue("attempt"), Address: limit.Address(v.r.RemoteAddr),
	})
	p.afterwards(v, err, func(wrong fault.Fields) {
		if slices.Contains(wrong["pan"], checkout.CardNotTaken) {
			entry.PAN = "" // the payer types another
		}
		kept := p.Checkouts.KeepNumber(v.payment, entry.PAN)
		p.again(v.visit, p.purchasePage(v).Shell, belowCard, &typed{
			Number: unlessPAN(entry.PAN), Kept: kept.Sealed, Last4: kept.Last4,
			Expiry: unlessPAN(expiry), Holder: unlessPAN(entry.Holder), Keep: v.r.PostFormValue("keep") != "",
		}, mistakes(entry, wrong)...)
	})
}

// paySaved pays with the saved card that the page showed, and never with one
// saved since.
func (p *Pay) paySaved(v purchase) {
	_, err := p.Checkouts.SubmitDetails(v.r.Context(), v.r.PathValue("token"), checkout.Details{
		Saved:   true,
		SavedID: v.r.PostFormValue("card"),
		After:   v.r.PostFormValue("attempt"),
		CVV:     digits(v.r.PostFormValue("cvv")),
		Address: limit.Address(v.r.RemoteAddr),
	})
	p.afterwards(v, err, func(wrong fault.Fields) {
		var found []string
		switch {
		case slices.Contains(wrong["pan"], checkout.CardNotTaken):
			found = append(found, notTaken)
		case v.view.Saved != nil && wrong.Wrong("pan"): // else it was forgotten elsewhere
			found = append(found, wrongSaved)
		}
		if v.view.Saved != nil && wrong.Wrong("cvv") {
			found = append(found, wrongSecurity)
		}
		p.again(v.visit, p.purchasePage(v).Shell, "", nil, found...)
	})
}

// enterCode submits the bank's code. A form that is sent twice, or again from
// the browser's history, counts once.
func (p *Pay) enterCode(v purchase) {
	asked := v.view.Phase == checkout.AwaitingCode || v.view.Phase == checkout.AwaitingBank
	if !v.waiting() || !asked || v.r.PostFormValue("attempt") != attempt(v.view) {
		back(v.w, p.purchasePage(v).Shell)
		return
	}
	code := digits(v.r.PostFormValue("otp"))
	if code == "" { // which would do for the service where no code was asked for
		p.again(v.visit, p.purchasePage(v).Shell, belowCode, nil, wrongCode)
		return
	}
	_, err := p.Checkouts.SubmitCodeOnce(v.r.Context(), v.r.PathValue("token"), code, v.view.State)
	p.afterwards(v, err, func(fault.Fields) {
		p.again(v.visit, p.purchasePage(v).Shell, belowCode, nil, wrongCode)
	})
}

// digits removes the spaces and dashes that people and banks put into a code.
func digits(typed string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(typed), ""), "-", "")
}

// attempt numbers the form of a code among those of a payment: each card may
// have fewer than ten.
func attempt(v checkout.View) string { return strconv.Itoa(int(10*v.Declined + v.Rejected)) }

// afterwards redirects to the payment's page, or back to the form with its
// mistakes.
func (p *Pay) afterwards(v purchase, err error, again func(fault.Fields)) {
	refusal := fault.As(err)
	switch {
	case err == nil:
		back(v.w, p.purchasePage(v).Shell)
	case refusal != nil && len(refusal.Fields) > 0 && v.waiting():
		again(refusal.Fields)
	case refusal != nil && len(refusal.Fields) > 0:
		back(v.w, p.purchasePage(v).Shell)
	default:
		p.refused(v, err)
	}
}

func (p *Pay) askForget(v purchase) {
	p.opened(v.visit, "forget")
	page := p.purchasePage(v)
	if v.view.Saved == nil {
		back(v.w, page.Shell)
		return
	}
	page.Watch = nil
	site.Show(v.w, v.r, http.StatusOK, view.Forget(page, cardName(v.view.Saved.Brand, v.view.Saved.Last4)))
}

// resend requests another code from the bank. If that is too early or once too
// often, the page says so.
func (p *Pay) resend(v purchase) {
	err := p.Checkouts.ResendByPayer(v.r.Context(), v.r.PathValue("token"))
	if refusal := fault.As(err); refusal != nil && refusal.NextAllowedAt != nil {
		p.again(v.visit, p.purchasePage(v).Shell, "", nil, wrongEarly)
		return
	}
	p.afterwards(v, err, func(fault.Fields) {})
}

func (p *Pay) forget(v purchase) {
	p.afterwards(v, p.Checkouts.ForgetCard(v.r.Context(), v.r.PathValue("token")), func(fault.Fields) {})
}

func (p *Pay) showCardReceipt(v purchase) {
	page := p.purchasePage(v)
	p.proveReceipt(v.visit, page.Shell, page.Bill, page.Card)
}

// askCheckoutCancel asks whether to cancel, with another text once a card was
// sent. Only sending the form changes something. If the payment has ended, it
// redirects to its page.
func (p *Pay) askCheckoutCancel(v purchase) {
	p.opened(v.visit, "cancel")
	page := p.purchasePage(v)
	if !v.waiting() {
		back(v.w, page.Shell)
		return
	}
	// Do not refresh the page while the payer decides.
	page.Watch = nil
	text := words.CardCancelText
	if v.view.Phase != checkout.AwaitingDetails {
		text = words.CardSentCancelText
	}
	site.Show(v.w, v.r, http.StatusOK, view.Cancel(page.Shell, page.Bill, text))
}

func (p *Pay) cancelCheckout(v purchase) {
	_, err := p.Checkouts.Cancel(v.r.Context(), v.r.PathValue("token"))
	if refusal := fault.As(err); refusal != nil && refusal.Kind == fault.Refused {
		p.tooLateForCard(v)
		return
	}
	p.afterwards(v, err, func(fault.Fields) {})
}

// tooLateForCard shows the state of a payment that can no longer be cancelled.
// It reads the payment and its card again, because both may have changed since
// the request began. If the payment is cancelled already, it redirects as if
// this request had done it.
func (p *Pay) tooLateForCard(v purchase) {
	found, err := p.Checkouts.Get(v.r.Context(), v.r.PathValue("token"))
	if err != nil {
		p.refused(v, err)
		return
	}
	v.view, v.payment, v.now = found, found.Payment, p.Clock.Now()
	page := p.purchasePage(v)
	if v.payment.Status == payment.Cancelled {
		back(v.w, page.Shell)
		return
	}
	end := cardOutcome(page.Words, v)
	end.Notice = page.Say(words.CancelTooLate)
	site.Show(v.w, v.r, http.StatusUnprocessableEntity, view.Ended(page.Shell, page.Bill, end))
}

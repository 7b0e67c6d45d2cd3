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

// Where a checkout's pages are, below its link.
const (
	belowCard   = "/card"
	belowCode   = "/code"
	belowForget = "/forget"
	belowResend = "/resend"
	belowCancel = "/cancel"
)

// purchase is a visit to a payment by card.
type purchase struct {
	visit
	view checkout.View
	// below is the page that is visited: "" or one of those above.
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

// bought finds the card payment of a link, and how its pages look.
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

// refused answers what went wrong beside the form.
func (p *Pay) refused(v purchase, err error) {
	refusal := fault.As(err)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		p.unknown(v.w, v.r)
	case refusal != nil && refusal.Kind == fault.TooManyRequests:
		p.slowDown(v.visit, "/pay/", refusal.RetryAfter)
	case refusal != nil && refusal.Kind == fault.Refused, errors.Is(err, fault.ErrOutcomeUnknown):
		// Somebody was faster, or the form was sent twice, or nobody
		// knows: the page shows how the payment stands.
		back(v.w, p.purchasePage(v).Shell)
	case refusal != nil && refusal.Code == "acquirer_not_configured":
		s := p.purchasePage(v).Shell
		site.Show(v.w, v.r, http.StatusServiceUnavailable, view.TryLater(s, s.Say(words.NoCardsTitle), s.Say(words.NoCardsText)))
	default:
		// Nothing is said of the card: it may be on its way.
		slog.ErrorContext(v.r.Context(), "checkout page", "error", err)
		p.message(v.w, v.r, statusOf(v.w, err), words.BrokenTitle, words.CardBrokenText)
	}
}

// version changes whenever the page would show something else.
func (v purchase) version() string {
	failed := ""
	if v.view.LastError != nil {
		failed = *v.view.LastError
	}
	return fmt.Sprintf("%s-%s-%d-%d-%d-%s-%t", v.visit.version(), v.view.Phase, v.view.Rejected, v.view.Declined,
		v.view.Resends, failed, v.view.Checking)
}

// every is how many seconds lie between two questions of the page: as for any
// payment, but few while it waits for a bank's last word.
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

// purchasePage is what the pages of a card payment have in common. A page asks
// for news by itself until the payment can change no more; whoever shows a
// question removes Watch from it. A sandbox's page lists the numbers of test
// cards.
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

// testCards are those of the sandbox's acquirer.
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

// checkout shows what a card payment waits for, or how it ended.
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
// the number is not shown again, but goes along encrypted, so that the payer
// need not type it twice; the security code always has to be typed anew.
// Nothing that looks like a card number returns to the page as text, in
// whatever field it was typed.
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

// paySaved pays with the saved card that the page showed, and with no other
// that was saved since.
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

// enterCode hands the code over. A form that was sent twice, or that a browser
// has kept, counts once.
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
	_, err := p.Checkouts.SubmitCodeOnce(v.r.Context(), v.r.PathValue("token"), code, v.view.Rejected)
	p.afterwards(v, err, func(fault.Fields) {
		p.again(v.visit, p.purchasePage(v).Shell, belowCode, nil, wrongCode)
	})
}

// digits is a code as it was sent, without what people and banks put between
// and around its digits.
func digits(typed string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(typed), ""), "-", "")
}

func attempt(v checkout.View) string { return strconv.Itoa(int(v.Rejected)) }

// afterwards leads back to the page, or to the form with what is wrong in it.
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

// resend has the bank asked for another code. A button pressed too early or
// once too often leads to the page that says so.
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

// askCheckoutCancel asks whether to cancel, in other words once a card was
// sent. Nothing changes before the form is sent. A payment that has ended leads
// back to its page.
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

// tooLateForCard shows how a payment stands to a payer who could not cancel it.
// If it is cancelled already, it leads to the page as if this had done it. It
// reads the payment and its card again: both may have changed since the request
// began.
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

package pay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// visit is a request with a payment's link.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	payment payment.Payment
	look    directory.Look
	now     time.Time
	// asked says that the shop has appealed a payment that failed or got
	// another amount.
	asked bool
}

func (p *Pay) visited(w http.ResponseWriter, r *http.Request, found payment.Payment) (visit, error) {
	asked, err := p.Payments.CheckAsked(r.Context(), found)
	return visit{w: w, r: r, payment: found, now: p.Clock.Now(), asked: asked}, err
}

// linked finds the payment of a link and counts the call towards the limits of
// checkouts. Card payments have pages of their own.
func (p *Pay) linked(handle func(visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := p.Links.Parse(r.PathValue("token"))
		if err != nil {
			p.unknown(w, r)
			return
		}
		found, err := p.Payments.ByUUID(r.Context(), id)
		if errors.Is(err, fault.ErrNotFound) || err == nil && !found.RequisiteSnapshot() {
			p.unknown(w, r)
			return
		}
		if err != nil {
			p.broken(w, r, err)
			return
		}
		v, err := p.visited(w, r, found)
		if err != nil {
			p.broken(w, r, err)
			return
		}
		if _, err := p.Limits.Count(rule(r.Method), id.String()); err != nil {
			p.slowDown(v, "/r/", fault.As(err).RetryAfter)
			return
		}
		handle(v)
	}
}

func rule(method string) limit.Rule {
	if method == http.MethodPost {
		return limit.CheckoutWrites
	}
	return limit.CheckoutReads
}

// slowDown answers too frequent requests. Only known links have limits, so
// showing the link again reveals nothing.
func (p *Pay) slowDown(v visit, room string, wait time.Duration) {
	comeLater(v.w, v.r, p.dress(v, room), wait)
}

// paced limits requests by address, for pages without a payment: payment links
// and pictures may be public.
func (p *Pay) paced(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := p.Limits.Count(limit.AddressReads, limit.Address(r.RemoteAddr)); err != nil {
			s := p.shell(w, r)
			s.Path = r.URL.EscapedPath()
			comeLater(w, r, s, fault.As(err).RetryAfter)
			return
		}
		handle(w, r)
	}
}

func comeLater(w http.ResponseWriter, r *http.Request, s view.Shell, wait time.Duration) {
	seconds := max(1, math.Ceil(wait.Seconds()))
	w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
	text := s.Say(words.WaitText, int(math.Ceil(seconds/60)))
	site.Show(w, r, http.StatusTooManyRequests, view.TryLater(s, s.Say(words.WaitTitle), text))
}

// dressed finds the look of the payment's pages, and who may frame them.
func (p *Pay) dressed(handle func(visit)) func(visit) {
	return func(v visit) {
		var err error
		if v.look, err = p.Looks.Of(v.r.Context(), v.payment.CashboxID); err != nil {
			p.broken(v.w, v.r, err)
			return
		}
		handle(v)
	}
}

// waiting reports whether the payer may still pay. It does not wait for the
// sweep that ends the payment shortly after its expiry.
func (v visit) waiting() bool {
	return v.payment.OpenToPayer(v.now)
}

// version changes when the page would show something else.
func (v visit) version() string {
	return fmt.Sprintf("%d-%d-%t-%t-%t", v.payment.EventSequence, v.payment.ExpiresAt.Unix(), v.waiting(),
		v.payment.ClaimedAt != nil, v.asked)
}

// Seconds between two requests of a page for news: few while the payer waits,
// many while a review may end.
const (
	everyWaiting = 3
	everyEnded   = 15
)

func (v visit) every() int {
	switch v.payment.Status {
	case payment.Completed, payment.Cancelled:
		return 0
	case payment.Pending:
		return everyWaiting
	default:
		return everyEnded
	}
}

// secondsLeft is rounded up, so that the time does not end on the page before
// it ends here.
func (v visit) secondsLeft() int {
	return max(0, int((v.payment.ExpiresAt.Sub(v.now)+time.Second-1)/time.Second))
}

// dress returns a page in the shop's look.
func (p *Pay) dress(v visit, room string) view.Shell {
	s := p.shell(v.w, v.r)
	s.Path = room + v.r.PathValue("token")
	p.wear(&s, v.w.Header(), v.look, p.styles)
	if v.payment.Ended() {
		s.Result = string(v.payment.Status)
	}
	return s
}

// wear applies a shop's look to a page and allows the shop's site to frame it.
func (p *Pay) wear(s *view.Shell, header http.Header, look directory.Look, sheets *site.PaySheets) {
	style := sheets.Of(look.Color)
	edge.Admit(header, look.FrameOrigin, style.Hash)
	s.Merchant, s.Color, s.Style, s.Frame = look.Merchant, look.Color, style.Text, look.FrameOrigin
	s.Operator = p.Operator
	if look.Logo != "" {
		s.Logo = directory.LogoPath + look.Logo
	}
}

// page is the common content of the pages of a payment by transfer. It shows
// the requisite only while the payer may pay, so that nobody sends money to it
// later. A partly paid payment cannot be cancelled.
func (p *Pay) page(v visit) view.Requisite {
	s := p.dress(v, "/r/")
	if every := v.every(); every > 0 {
		s.Watch = &view.Watch{Version: v.version(), Every: every}
	}
	r := view.Requisite{
		Shell: s, Bill: v.bill(s.Words), Countdown: v.countdown(s.Words),
		AmountCopy: typedAmount(v.payment), Simulate: p.Simulate != nil, MayCancel: v.waiting() && !v.payment.WaitsForRest(),
		MaySay: v.payment.ClaimedAt == nil,
	}
	if v.waiting() {
		r.Fields, r.Steps = fields(s.Words, v.payment, s.Merchant), steps(s.Words, v.payment, r.Amount)
		r.AllCopy = details(s.Words, v.payment, r.Fields)
	}
	if p := v.payment; p.WaitsForRest() {
		r.Came = s.Say(words.RestText, s.Amount(p.ReceivedAmount.Decimal, p.Currency), s.Amount(p.Amount, p.Currency))
	}
	if v.payment.ClaimStands() != nil {
		r.Steps = []string{s.Say(words.SentStepCheck), s.Say(words.SentStepResult), s.Say(words.SentStepLate)}
	}
	return r
}

// bill is what the payer owes: the amount, what is still missing of it, or
// another amount that came and counts.
func (v visit) bill(w words.Words) view.Bill {
	sum := v.payment.Expected()
	if otherCame(v.payment) {
		sum = v.payment.ReceivedAmount.Decimal
	}
	b := view.Bill{
		Amount: w.Amount(sum, v.payment.Currency),
		Plain:  money.Fiat(sum),
		Order:  v.payment.OrderID,
	}
	if v.payment.Description != nil {
		b.Description = *v.payment.Description
	}
	return b
}

func (v visit) countdown(w words.Words) view.Countdown {
	c := view.Countdown{
		SecondsLeft: v.secondsLeft(), Seconds: int(v.payment.ExpiresAt.Sub(v.payment.StatusAt) / time.Second),
		Deadline: deadline(v.payment, v.now), DeadlineISO: v.payment.ExpiresAt.Format(time.RFC3339),
	}
	c.TimeLeft = w.Say(words.MinutesLeft, c.SecondsLeft/60)
	return c
}

// requisite shows what to send where, or how the payment ended.
func (p *Pay) requisite(v visit) {
	p.opened(v, "requisite")
	page := p.page(v)
	switch {
	case !v.waiting():
		end := outcome(page.Words, v)
		page.Mistakes = v.wrong()[wrongFile]
		if p.withReceipts(v, page.Shell, &end) {
			site.Show(v.w, v.r, http.StatusOK, view.Ended(page.Shell, page.Bill, end))
		}
	case v.payment.ClaimStands() != nil:
		var err error
		if page.Proof, err = p.receipts(v, page.Shell); err != nil {
			p.broken(v.w, v.r, err)
			return
		}
		page.Mistakes = v.wrong()[wrongFile]
		site.Show(v.w, v.r, http.StatusOK, view.Sent(page))
	default:
		var err error
		if page.Banks, err = p.banks(v, page.Shell); err != nil {
			p.broken(v.w, v.r, err)
			return
		}
		page.Fields = withLogo(page.Fields, page.Banks)
		site.Show(v.w, v.r, http.StatusOK, view.Waiting(page))
	}
}

// status answers a page's script.
func (p *Pay) status(v visit) {
	p.tellStatus(v, status{v.version(), v.secondsLeft()}, func() (status, error) {
		fresh, err := p.Payments.ByUUID(v.r.Context(), v.payment.UUID)
		if err != nil {
			return status{}, err
		}
		now, err := p.visited(v.w, v.r, fresh)
		return status{now.version(), now.secondsLeft()}, err
	})
}

// tellStatus answers a page's script at once, or if it asks to wait, when
// there is news.
func (p *Pay) tellStatus(v visit, now status, fresh func() (status, error)) {
	if v.r.URL.Query().Has("wait") {
		latest, err := p.hold(v, now, fresh)
		refusal := fault.As(err)
		switch {
		case err == nil:
			now = latest
		case v.r.Context().Err() != nil:
			return
		case refusal == nil || refusal.Kind != fault.TooManyRequests: // else what was known will do for a while
			p.broken(v.w, v.r, err)
			return
		}
	}
	v.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(v.w).Encode(now)
}

// status is the answer to a page's script.
type status struct {
	Version string `json:"version"`
	Seconds int    `json:"seconds"`
}

// askCancel asks whether to cancel, with another text if the payer has said
// that they paid. Only sending the form changes something. If it is too late,
// it redirects to the payment's page.
func (p *Pay) askCancel(v visit) {
	p.opened(v, "cancel")
	page := p.page(v)
	if !page.MayCancel {
		back(v.w, page.Shell)
		return
	}
	// Do not refresh the page while the payer decides. Another language
	// shows this page again.
	page.Watch, page.Below = nil, "/cancel"
	text := words.CancelText
	if v.payment.ClaimedAt != nil {
		text = words.CancelSentText
	}
	site.Show(v.w, v.r, http.StatusOK, view.Cancel(page.Shell, page.Bill, text))
}

// claim stores that the payer says they have paid.
func (p *Pay) claim(v visit) {
	_, err := p.Payments.Claim(v.r.Context(), v.payment.UUID)
	p.acted(v, err)
}

func (p *Pay) cancel(v visit) {
	_, err := p.Payments.CancelByPayer(v.r.Context(), v.payment.UUID)
	if refusal := fault.As(err); refusal != nil && refusal.Code == payment.ErrNotPending.Code {
		p.tooLate(v)
		return
	}
	p.acted(v, err)
}

func (p *Pay) simulate(v visit) {
	p.acted(v, p.Simulate(v.r.Context(), v.payment))
}

// acted redirects to the page with the payment's state, even if it was too
// late for the action.
func (p *Pay) acted(v visit, err error) {
	refusal := fault.As(err)
	if err == nil || refusal != nil && refusal.Kind == fault.Refused {
		back(v.w, p.dress(v, "/r/"))
		return
	}
	p.broken(v.w, v.r, err)
}

// tooLate shows the state of a payment that can no longer be cancelled. It
// reads the payment again, because it may have changed since the request
// began. If it is cancelled already, it redirects as if this request had done
// it.
func (p *Pay) tooLate(v visit) {
	var err error
	if v.payment, err = p.Payments.ByUUID(v.r.Context(), v.payment.UUID); err != nil {
		p.broken(v.w, v.r, err)
		return
	}
	v.now = p.Clock.Now()
	page := p.page(v)
	if v.payment.Status == payment.Cancelled {
		back(v.w, page.Shell)
		return
	}
	end := outcome(page.Words, v)
	end.Notice = page.Say(words.CancelTooLate)
	site.Show(v.w, v.r, http.StatusUnprocessableEntity, view.Ended(page.Shell, page.Bill, end))
}

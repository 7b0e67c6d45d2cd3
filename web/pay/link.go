package pay

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/money"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

const belowLink = "/l/"

// opening is a request about a payment link.
type opening struct {
	w    http.ResponseWriter
	r    *http.Request
	link paylink.Open
	look directory.Look
}

// offered finds the link of an address. For one that has ended it shows that.
func (p *Pay) offered(handle func(opening)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		found, err := p.PayLinks.Open(r.Context(), r.PathValue("token"))
		if errors.Is(err, fault.ErrNotFound) {
			p.unknown(w, r)
			return
		}
		look := directory.Look{}
		if err == nil {
			look, err = p.Looks.Of(r.Context(), found.CashboxID)
		}
		if err != nil {
			p.broken(w, r, err)
			return
		}
		o := opening{w, r, found, look}
		if found.Ended {
			p.over(o)
			return
		}
		handle(o)
	}
}

// over says that a link takes no more payments. A payer with a waiting payment
// by the link is redirected to it.
func (p *Pay) over(o opening) {
	held, err := p.PayLinks.Held(o.r.Context(), o.link, heldAttempt(o.r), o.r.PostFormValue("attempt"))
	if err == nil {
		p.leadTo(o, held.Payment)
		return
	}
	if !errors.Is(err, fault.ErrNotFound) {
		p.broken(o.w, o.r, err)
		return
	}
	s := p.dressLink(o)
	site.Show(o.w, o.r, http.StatusGone, view.Message(s, s.Say(words.LinkEndedTitle), s.Say(words.LinkEndedText)))
}

func (p *Pay) dressLink(o opening) view.Shell {
	s := p.shell(o.w, o.r)
	s.Path = belowLink + o.r.PathValue("token")
	p.wear(&s, o.w.Header(), o.look, p.linkStyles)
	return s
}

// start shows the first page of a payment link.
func (p *Pay) start(o opening) {
	if o.link.UsedUp {
		p.over(o)
		return
	}
	p.showStart(o, http.StatusOK, paylink.Order{Attempt: paylink.NewAttempt()}, nil, "")
}

// showStart shows what is sold, a field for the amount unless the link has
// one, and the ways to pay. After a mistake the form keeps its attempt, by
// which a repeated form is recognised. Without a way to pay it shows only that
// notice.
func (p *Pay) showStart(o opening, status int, typed paylink.Order, wrong fault.Fields, notice words.Key) {
	s := p.dressLink(o)
	l := view.Link{Shell: s, Title: o.link.Title, Attempt: typed.Attempt}
	if o.link.Description != nil {
		l.Description = *o.link.Description
	}
	if o.link.PictureHash != nil {
		l.Picture = s.Path + paylink.BelowPicture + *o.link.PictureHash
	}
	if o.link.Amount.Valid {
		l.Fixed = view.Bill{Amount: s.Amount(o.link.Amount.Decimal, o.link.Currency), Plain: money.Fiat(o.link.Amount.Decimal)}
	} else {
		l.Amount = view.Input{
			Name: "amount", Label: s.Say(words.AmountToPay) + ", " + o.link.Currency, Value: typed.Amount, Mode: "decimal",
			Longest: len("1 000 000 000 000.00"), Required: true, Last: true, Hint: bounds(s.Words, o.link),
		}
		if wrong.Wrong("amount") {
			l.Amount.Error = s.Say(words.LinkAmountWrong)
			if outside(o.link, typed.Amount) {
				l.Amount.Error = l.Amount.Hint
			}
		}
	}
	for _, name := range o.link.Ways {
		l.Ways = append(l.Ways, view.Way{Name: name, Text: way(s.Words, name), On: name == typed.Method})
	}
	if wrong.Wrong("method") {
		l.WayWrong = s.Say(words.LinkWayWrong)
	}
	if len(o.link.Ways) == 0 {
		notice = words.LinkRefused
	}
	if notice != "" {
		l.Notice = s.Say(notice)
	}
	site.Show(o.w, o.r, status, view.Start(l))
}

func (p *Pay) picture(o opening) {
	p.logo(func(ctx context.Context, hash string) ([]byte, error) {
		return p.PayLinks.Picture(ctx, o.link, hash)
	})(o.w, o.r)
}

// bounds says which amounts a payer may type.
func bounds(w words.Words, l paylink.Open) string {
	least, most := l.MinAmount, l.MaxAmount
	said := func(amount decimal.NullDecimal) string { return w.Amount(amount.Decimal, l.Currency) }
	switch {
	case least.Valid && most.Valid:
		return w.Say(words.LinkBetween, said(least), said(most))
	case least.Valid:
		return w.Say(words.LinkLeast, said(least))
	case most.Valid:
		return w.Say(words.LinkMost, said(most))
	}
	return ""
}

// outside reports whether what was typed is an amount that the link does not
// accept.
func outside(l paylink.Open, typed string) bool {
	amount, err := money.ParseFiat(money.Typed(typed))
	least, most := l.MinAmount, l.MaxAmount
	return err == nil && (least.Valid && amount.LessThan(least.Decimal) || most.Valid && amount.GreaterThan(most.Decimal))
}

// way is the name of a method for payers.
func way(w words.Words, method string) string {
	key, known := map[string]words.Key{
		sbp: words.WaySBP, "sim": words.WaySIM, "card": words.WayCard, "c2c": words.WayCard, "iban": words.WayIBAN,
		"quasi_ecom": words.WayEcom,
	}[method]
	if !known {
		return "MTS Pay" // a name of its own in every language
	}
	return w.Say(key)
}

// begin creates the payment and redirects to its page.
func (p *Pay) begin(o opening) {
	address := limit.Address(o.r.RemoteAddr)
	order := p.ordered(o)
	if err := p.count(o.r.Context(), address); fault.As(err) != nil {
		edge.SetRetryAfter(o.w.Header(), fault.As(err))
		p.showStart(o, http.StatusTooManyRequests, order, nil, words.LinkRefused)
		return
	} else if err != nil {
		p.broken(o.w, o.r, err)
		return
	}
	order.Address, order.RequestID = address, edge.KeptRequestID(o.r.Context())
	asked := order
	asked.Amount = money.Typed(order.Amount)
	made, err := p.PayLinks.Pay(o.r.Context(), o.link, asked)
	refusal := fault.As(err)
	switch {
	case errors.Is(err, paylink.ErrEnded), errors.Is(err, paylink.ErrUsedUp):
		p.over(o)
	case errors.Is(err, paylink.ErrCrowded):
		p.showStart(o, http.StatusTooManyRequests, order, nil, words.LinkRefused)
	case refusal != nil && (refusal.Fields.Wrong("amount") || refusal.Fields.Wrong("method")):
		p.showStart(o, http.StatusUnprocessableEntity, order, refusal.Fields, "")
	case refusal != nil && refusal.Kind != fault.Unavailable:
		p.showStart(o, http.StatusUnprocessableEntity, order, nil, words.LinkRefused)
	case err != nil:
		p.broken(o.w, o.r, err)
	default:
		http.SetCookie(o.w, &http.Cookie{ //nolint:gosec // a sandbox has no TLS
			Name: heldCookie, Value: made.Attempt, Path: belowLink + o.r.PathValue("token"), MaxAge: formAge,
			HttpOnly: true, Secure: p.Secure, SameSite: http.SameSiteLaxMode,
		})
		p.leadTo(o, made.Payment)
	}
}

// count limits how many payments one address may begin by links, because each
// holds a trader's USDT.
func (p *Pay) count(ctx context.Context, address string) error {
	now := time.Now()
	if network := limit.Network(address); network != "" {
		if _, err := p.Limits.Fail(ctx, limit.LinkNetworkPayments, network, now); err != nil {
			return err
		}
	}
	_, err := p.Limits.Fail(ctx, limit.LinkPayments, address, now)
	return err
}

// heldCookie contains the attempt of a payer's payment, so that the link can
// lead them back to it.
const heldCookie = "held"

func heldAttempt(r *http.Request) string {
	cookie, err := r.Cookie(heldCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// leadTo redirects to a payment's page.
func (p *Pay) leadTo(o opening, made payment.Payment) {
	below := "/pay/"
	if made.RequisiteSnapshot() {
		below = "/r/"
	}
	s := p.shell(o.w, o.r)
	s.Path = below + p.Links.Token(made.UUID)
	back(o.w, s)
}

func (p *Pay) ordered(o opening) paylink.Order {
	return paylink.Order{
		Amount: o.r.PostFormValue("amount"), Method: o.r.PostFormValue("method"), Attempt: o.r.PostFormValue("attempt"),
		Held: heldAttempt(o.r),
	}
}

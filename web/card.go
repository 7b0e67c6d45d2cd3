package web

import (
	"fmt"
	"math"
	"strings"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/web/view"
	"gateway.example/web/words"
)

// typing begins a page with a form: where no script keeps what is typed, it is not loaded anew.
func (p *Pay) typing(v purchase) view.Checkout {
	page := p.purchasePage(v)
	page.Watch.Typing = true
	if v.view.LastError != nil && v.view.Phase == checkout.AwaitingDetails {
		page.Notice = page.Say(words.CardLost)
	}
	return page
}

// showCard shows the form of a card, with what was typed and is wrong in it. The security code is
// typed anew, and a card number is carried sealed: the page shows its last digits.
func (p *Pay) showCard(v purchase, status int, typed card.Entry, expiry string, wrong fault.Fields) {
	page := p.typing(v)
	kept, err := p.Checkouts.KeepNumber(v.payment, typed.PAN)
	if err != nil {
		p.refused(v, err)
		return
	}
	entry := view.CardEntry{
		Kept: kept.Sealed, KeptName: cardName("", kept.Last4),
		Number: view.Input{
			Name:         "pan",
			Label:        page.Say(words.CardNumber),
			Value:        unlessPAN(typed.PAN),
			Autocomplete: "cc-number",
			Mode:         "numeric",
			Format:       "pan",
			Longest:      32,
			Required:     true,
		},
		Expiry: view.Input{
			Name:         "expiry",
			Label:        page.Say(words.Expiry),
			Form:         page.Say(words.ExpiryHint),
			Value:        unlessPAN(expiry),
			Autocomplete: "cc-exp",
			Mode:         "numeric",
			Format:       "expiry",
			Longest:      9,
			Required:     true,
		},
		Security: security(page.Words, wrong),
		Holder: view.Input{
			Name:         "cardHolder",
			Label:        page.Say(words.Holder),
			Value:        unlessPAN(typed.Holder),
			Autocomplete: "cc-name",
			Longest:      64,
		},
		Saved: v.view.Saved != nil,
	}
	if len(wrong) > 0 {
		explain(page.Words, &entry, typed, wrong)
	}
	show(v.w, v.r, status, view.EnterCard(page, entry))
}

// unlessPAN is what was typed, as text that may be shown again.
func unlessPAN(typed string) string {
	if card.HoldsPAN(typed) {
		return ""
	}
	return strings.ToValidUTF8(typed, "")
}

// explain says beside each field what is wrong with it, and begins at the first.
func explain(w words.Words, e *view.CardEntry, typed card.Entry, wrong fault.Fields) {
	if wrong.Wrong("pan") {
		e.Number.Error = w.Say(words.WrongNumber)
		if typed.PAN == "" {
			e.Number.Error = w.Say(words.MissingNumber)
		}
	}
	if wrong.Wrong("expMonth") || wrong.Wrong("expYear") {
		e.Expiry.Error = w.Say(words.WrongExpiry)
		// Of a date that could be read, both are wrong only when it is over.
		if typed.ExpMonth != "" && wrong.Wrong("expMonth") && wrong.Wrong("expYear") {
			e.Expiry.Error = w.Say(words.ExpiredCard)
		}
	}
	if wrong.Wrong("cardHolder") {
		e.Holder.Error = w.Say(words.WrongHolder)
	}
	for _, field := range []*view.Input{&e.Number, &e.Expiry, &e.Security, &e.Holder} {
		if field.Error != "" {
			field.Focus = true
			return
		}
	}
}

// security is the field of the security code, which never has a value.
func security(w words.Words, wrong fault.Fields) view.Input {
	f := view.Input{
		Name:         "cvv",
		Label:        w.Say(words.SecurityCode),
		Hint:         w.Say(words.SecurityHint),
		Autocomplete: "cc-csc",
		Mode:         "numeric",
		Longest:      4,
		Required:     true,
	}
	if wrong.Wrong("cvv") {
		f.Error = w.Say(words.WrongSecurity)
	}
	return f
}

// showSaved asks for the security code of the saved card alone.
func (p *Pay) showSaved(v purchase, status int, wrong fault.Fields) {
	page, saved := p.typing(v), v.view.Saved
	if wrong.Wrong("pan") {
		page.Notice = page.Say(words.SavedChanged)
	}
	shown := view.SavedCard{
		ID: saved.ID, Name: cardName(saved.Brand, saved.Last4), Security: security(page.Words, wrong),
		Expiry: fmt.Sprintf("%02d/%02d", saved.Card.Expiry.Month(), saved.Card.Expiry.Year()%100),
	}
	if saved.Holder != nil {
		shown.Holder = *saved.Holder
	}
	shown.Security.Focus = true
	show(v.w, v.r, status, view.EnterSecurity(page, shown))
}

// cardName is a card by what may be shown of it: its scheme, as that writes itself, and its last
// digits.
func cardName(brand, last4 string) string {
	names := map[string]string{
		"visa": "Visa", "mastercard": "Mastercard", "mir": "Mir", "amex": "American Express", "jcb": "JCB",
		"unionpay": "UnionPay", "maestro": "Maestro",
	}
	return strings.TrimSpace(names[brand] + " •••• " + last4)
}

// showCode shows the form of the bank's code, which is always empty, and how the code can be had
// again.
func (p *Pay) showCode(v purchase, status int, wrong fault.Fields) {
	page := p.typing(v)
	entry := view.CodeEntry{
		Attempt: attempt(v.view),
		Code: view.Input{
			Name: "otp", Label: page.Say(words.CodeLabel), Autocomplete: "one-time-code", Mode: "numeric", Longest: 8,
			Required: true, Focus: true,
		},
	}
	switch last := v.view.LastError; {
	case wrong.Wrong("otp"):
		entry.Code.Error = page.Say(words.WrongCode)
	case last != nil && *last == codeRejected:
		entry.Code.Error = page.Say(words.CodeRejected)
	case last != nil:
		entry.Code.Error = page.Say(words.CodeLost)
	}
	if v.payment.Method == payment.MethodQuasiEcom {
		resends(page.Words, v, &entry)
	}
	show(v.w, v.r, status, view.EnterCode(page, entry))
}

// codeRejected is the last error, and the reason of a payment that failed, when a code was wrong.
const codeRejected = "code_rejected"

// resends says how often, and when, the shop can have the code sent again: the payer themselves
// cannot.
func resends(w words.Words, v purchase, e *view.CodeEntry) {
	left := v.view.ResendsLeft()
	if left == 0 {
		e.Resends = w.Say(words.ResendNone)
		return
	}
	e.Resends = w.Say(words.ResendsLeft, left)
	if next := v.view.NextAllowedAt(); next != nil && v.now.Before(*next) {
		e.NextSeconds = int(math.Ceil(next.Sub(v.now).Seconds()))
		e.Next = w.Say(words.ResendNext, fmt.Sprintf("0:%02d", e.NextSeconds))
	}
}

// cardOutcome tells how a card payment has ended.
func cardOutcome(w words.Words, p payment.Payment) view.Outcome {
	end := outcome(w, p)
	end.Late = false // nothing was sent that could arrive late
	switch p.Status {
	case payment.Completed:
		end.Text = w.Say(words.CardPaidText)
	case payment.Appeal:
		end.Text = w.Say(words.CardAppealText)
	default:
		end.Text = w.Say(words.CardOverText)
		if why, known := reasons[reason(p)]; known {
			end.Text = w.Say(why)
		}
	}
	return end
}

// reasons tell the payer why their card was not charged, and what to do.
var reasons = map[string]words.Key{
	acquirer.CardDeclined: words.DeclinedText, acquirer.InsufficientFunds: words.NoFundsText,
	acquirer.CardExpired: words.CardExpiredText, codeRejected: words.CodesWrongText,
}

func reason(p payment.Payment) string {
	if p.Status != payment.Failed || p.StatusReason == nil {
		return ""
	}
	return *p.StatusReason
}

package pay

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/payment"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

// typing returns a page with a form. Without script, which would keep what was
// typed, such a page is not reloaded.
func (p *Pay) typing(v purchase) view.Checkout {
	page := p.purchasePage(v)
	page.Watch.Typing = true
	page.Mistakes = len(v.wrong()) > 0
	if page.Mistakes {
		page.Query = wrongQuery + "=" + url.QueryEscape(v.r.URL.Query().Get(wrongQuery))
	}
	if last := v.view.LastError; last != nil && v.view.Phase == checkout.AwaitingDetails {
		page.Notice = page.Say(words.CardLost)
		if why, declined := declines[*last]; declined {
			page.Notice = page.Say(why) + " " + page.Say(words.CardsLeft, v.view.CardsLeft)
		}
	}
	return page
}

// declines explain to the payer why their card was declined and what helps.
var declines = map[string]words.Key{
	acquirer.CardDeclined: words.DeclinedAgain, acquirer.InsufficientFunds: words.NoFundsAgain,
	acquirer.CardExpired: words.ExpiredAgain, acquirer.LimitExceeded: words.LimitAgain,
}

// showCard shows the card form, with what was typed and what is wrong with it.
// The security code must be typed again. A card number comes back encrypted;
// the page shows only its last digits.
func (p *Pay) showCard(v purchase) {
	page, typed, wrong := p.typing(v), p.typed(v.visit), v.wrong()
	entry := view.CardEntry{
		Attempt: v.view.AttemptID.String(), Kept: typed.Kept,
		Number: view.Input{
			Name:         "pan",
			Label:        page.Say(words.CardNumber),
			Value:        typed.Number,
			Autocomplete: "cc-number",
			Mode:         "numeric",
			Format:       "pan",
			Longest:      32,
			Required:     true,
			Marks:        append([]string{"Visa", "Mastercard"}, schemes[v.payment.Currency]...),
			Wrong:        script(page.Words, map[string]string{"missing": noNumber, "wrong": wrongNumber}),
		},
		Expiry: view.Input{
			Name:         "expiry",
			Label:        page.Say(words.Expiry),
			Form:         page.Say(words.ExpiryHint),
			Value:        typed.Expiry,
			Autocomplete: "cc-exp",
			Mode:         "numeric",
			Format:       "expiry",
			Longest:      9,
			Required:     true,
			Wrong:        script(page.Words, map[string]string{"wrong": wrongExpiry, "over": expired}),
		},
		Security: security(page.Words, wrong),
		Holder: view.Input{
			Name:         "cardHolder",
			Label:        page.Say(words.Holder),
			Value:        typed.Holder,
			Autocomplete: "cc-name",
			Longest:      64,
			Last:         true,
		},
		Saved:   v.view.Saved != nil,
		MayKeep: v.view.MayKeep, Keep: typed.Keep,
	}
	entry.Expiry.Wrong["month"] = v.now.UTC().Format("200601") // the payer's clock may be wrong
	if entry.Kept != "" {
		entry.KeptName = cardName("", typed.Last4)
	}
	entry.Number.Error = mistake(page.Words, wrong, noNumber, notTaken, wrongNumber)
	entry.Expiry.Error = mistake(page.Words, wrong, expired, wrongExpiry)
	entry.Holder.Error = mistake(page.Words, wrong, wrongHolder)
	focus(&entry.Number, &entry.Expiry, &entry.Security, &entry.Holder)
	site.Show(v.w, v.r, http.StatusOK, view.EnterCard(page, entry))
}

// schemes are the card schemes of a currency's country, besides the
// international ones.
var schemes = map[string][]string{"RUB": {"Mir"}, "TRY": {"Troy"}, "UZS": {"UzCard", "Humo"}}

// mistake returns the text of the first of these mistakes that was made, or
// "".
func mistake(w words.Words, wrong map[string]bool, of ...string) string {
	for _, one := range of {
		if wrong[one] {
			return w.Say(says[one])
		}
	}
	return ""
}

// script returns the texts of mistakes for the page's script, by the script's
// names of them.
func script(w words.Words, of map[string]string) map[string]string {
	texts := make(map[string]string, len(of))
	for name, one := range of {
		texts[name] = w.Say(says[one])
	}
	return texts
}

// focus sets the focus to the first field with a mistake.
func focus(fields ...*view.Input) {
	for _, field := range fields {
		if field.Error != "" {
			field.Focus = true
			return
		}
	}
}

// unlessPAN returns what was typed, unless it looks like a card number, which
// must not be shown again.
func unlessPAN(typed string) string {
	if card.HoldsPAN(typed) {
		return ""
	}
	return strings.ToValidUTF8(typed, "")
}

// security is the field for the security code. It never has a value.
func security(w words.Words, wrong map[string]bool) view.Input {
	return view.Input{
		Name:         "cvv",
		Label:        w.Say(words.SecurityCode),
		Hint:         w.Say(words.SecurityHint),
		Autocomplete: "cc-csc",
		Mode:         "numeric",
		Format:       "security",
		Longest:      4,
		Required:     true,
		Wrong:        script(w, map[string]string{"wrong": wrongSecurity}),
		Error:        mistake(w, wrong, wrongSecurity),
	}
}

// showSaved asks only for the security code of the saved card.
func (p *Pay) showSaved(v purchase) {
	page, saved, wrong := p.typing(v), v.view.Saved, v.wrong()
	switch {
	case wrong[notTaken]:
		page.Notice = page.Say(words.CardNotTaken)
	case wrong[wrongSaved]:
		page.Notice = page.Say(words.SavedChanged)
	}
	shown := view.SavedCard{
		ID: saved.ID, Attempt: v.view.AttemptID.String(), Name: cardName(saved.Brand, saved.Last4),
		Security: security(page.Words, wrong),
		Expiry:   fmt.Sprintf("%02d/%02d", saved.Card.Expiry.Month(), saved.Card.Expiry.Year()%100),
	}
	if saved.Holder != nil {
		shown.Holder = *saved.Holder
	}
	shown.Security.Focus, shown.Security.Last = true, true
	site.Show(v.w, v.r, http.StatusOK, view.EnterSecurity(page, shown))
}

// cardName names a card by what may be shown of it: its scheme and its last
// digits.
func cardName(brand, last4 string) string {
	names := map[string]string{
		"visa": "Visa", "mastercard": "Mastercard", "mir": "Mir", "amex": "American Express", "jcb": "JCB",
		"unionpay": "UnionPay", "maestro": "Maestro", "uzcard": "UzCard", "humo": "Humo", "troy": "Troy",
	}
	return strings.TrimSpace(names[brand] + " •••• " + last4)
}

// showCode shows the form for the bank's code, which is always empty, and how
// to get another code.
func (p *Pay) showCode(v purchase) {
	page, wrong := p.typing(v), v.wrong()
	entry := view.CodeEntry{
		Attempt: attempt(v.view),
		Text:    words.CodeEarly,
		Code: view.Input{
			Name: "otp", Label: page.Say(words.CodeLabel), Autocomplete: "one-time-code", Mode: "numeric", Longest: 8,
			Format: "code", Required: true, Focus: true, Last: true,
			Wrong: script(page.Words, map[string]string{"wrong": wrongCode}),
		},
	}
	if v.view.Phase == checkout.AwaitingCode {
		entry.Text = words.CodeText
	}
	if wrong[wrongEarly] {
		page.Notice = page.Say(words.TooEarly)
	}
	switch last := v.view.LastError; {
	case wrong[wrongCode]:
		entry.Code.Error = page.Say(words.WrongCode)
	case last != nil && *last == codeRejected:
		entry.Code.Error = page.Say(words.CodeRejected) + " " + page.Say(words.CodesLeft, v.view.CodesLeft())
	case last != nil:
		entry.Code.Error = page.Say(words.CodeLost)
	}
	if v.payment.Method == payment.MethodQuasiEcom {
		resends(page.Words, v, &entry)
	}
	page.Mistakes = entry.Code.Error != ""
	site.Show(v.w, v.r, http.StatusOK, view.EnterCode(page, entry))
}

// codeRejected is the error after a wrong code, and the reason of a payment
// that failed by wrong codes.
const codeRejected = "code_rejected"

// resends says how many more codes the payer can request, and when.
func resends(w words.Words, v purchase, e *view.CodeEntry) {
	left := v.view.ResendsLeft()
	if left == 0 {
		e.Resends = w.Say(words.ResendNone)
		return
	}
	e.Resends, e.MayResend = w.Say(words.ResendsByPayer, left), true
	if next := v.view.NextAllowedAt(); next != nil && v.now.Before(*next) {
		e.Sent = e.Code.Error == ""
		e.NextSeconds = int(math.Ceil(next.Sub(v.now).Seconds()))
		e.Next = w.Say(words.ResendNext, fmt.Sprintf("0:%02d", e.NextSeconds))
	}
}

// cardOutcome shows how a card payment has ended. It says that nothing was
// charged only if the bank has said so.
func cardOutcome(w words.Words, v purchase) view.Outcome {
	end := outcome(w, v.visit)
	switch v.payment.Status {
	case payment.Completed:
		end.Text = w.Say(words.CardPaidText)
	case payment.Appeal:
		end.Text = w.Say(words.CardAppealText)
	default:
		end.Text = w.Say(words.CardOverText)
		if why, known := reasons[reason(v.payment)]; known {
			end.Text = w.Say(why)
		}
	}
	if !v.view.Checking {
		return end
	}
	end.Mood, end.Text = "busy", w.Say(words.CheckingExpired)
	if v.payment.Status == payment.Cancelled {
		end.Text = w.Say(words.CheckingCancelled)
	} else if !v.payment.Expired() {
		end.Title, end.Text = w.Say(words.CheckingTitle), w.Say(words.ProcessingText)
	}
	return end
}

// reasons explain to the payer why their card was not charged and what to do.
var reasons = map[string]words.Key{
	acquirer.CardDeclined: words.DeclinedText, acquirer.InsufficientFunds: words.NoFundsText,
	acquirer.CardExpired: words.CardExpiredText, acquirer.LimitExceeded: words.LimitText,
	codeRejected: words.CodesWrongText,
}

func reason(p payment.Payment) string {
	if p.Status != payment.Failed || p.StatusReason == nil {
		return ""
	}
	return *p.StatusReason
}

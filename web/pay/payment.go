package pay

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/requisite"
	"gateway.example/web/pay/view"
	"gateway.example/web/words"
)

// sbp is the method whose logo is shown to payers.
const sbp = "sbp"

// fields shows where to send the money. The payment must have a requisite. The
// holder's name can be copied only if banks ask for it, and a note explains
// why it is a person's name and not the shop's.
func fields(w words.Words, p payment.Payment, shop string) []view.Field {
	kind, value := requisite.Of(*p.RequisiteType), *p.RequisiteValue
	lines := []view.Field{{ID: "value", Label: w.Say(words.Key(kind.Label)), Value: kind.Readable(value), Copy: value}}
	if p.Method == sbp {
		lines[0].Mark = sbp
	}
	if p.RequisiteBank != nil {
		lines = append(lines, view.Field{ID: "bank", Label: w.Say(words.Bank), Value: *p.RequisiteBank, Mark: "bank"})
	}
	if p.RequisiteHolder != nil {
		holder := view.Field{
			ID: "holder", Label: w.Say(words.Recipient), Value: *p.RequisiteHolder, Note: w.Say(words.WhyPerson, shop),
		}
		if kind.Holder == requisite.HolderTyped {
			holder.Copy = *p.RequisiteHolder
		}
		lines = append(lines, holder)
	}
	return lines
}

// steps explain what to do in the bank's app.
func steps(w words.Words, p payment.Payment, amount string) []string {
	kind := requisite.Of(*p.RequisiteType)
	keys := []string{kind.Open, kind.Enter}
	if p.RequisiteBank == nil && kind.EnterNumber != "" {
		keys[1] = kind.EnterNumber
	}
	said := make([]string, 0, len(keys)+2)
	for _, key := range keys {
		said = append(said, w.Say(words.Key(key)))
	}
	if kind.Holder == requisite.HolderShown && p.RequisiteHolder != nil {
		said = append(said, w.Say(words.CheckName))
	}
	return append(said, w.Say(words.SendAmount, amount))
}

// countries are the countries of currencies: their time zone, used by pages
// without script only, because a script shows the payer's own time, and the
// decimal mark in their banks' forms.
var countries = map[string]struct{ zone, mark string }{
	"RUB": {"Europe/Moscow", ","}, "AZN": {"Asia/Baku", ","}, "TRY": {"Europe/Istanbul", ","},
	"KZT": {"Asia/Almaty", ","}, "UZS": {"Asia/Tashkent", ","}, "MNT": {"Asia/Ulaanbaatar", "."},
}

// typedAmount is the amount as one types it into a bank's form: without
// grouping or currency, and with two decimals unless it is whole.
func typedAmount(p payment.Payment) string {
	whole, fraction, _ := strings.Cut(money.Fiat(p.Expected()), ".")
	if fraction == "00" {
		return whole
	}
	return whole + cmp.Or(countries[p.Currency].mark, ".") + fraction
}

// details is everything to enter in the bank's app, as lines of text.
func details(w words.Words, p payment.Payment, lines []view.Field) string {
	text := []string{w.Say(words.AmountLabel) + ": " + typedAmount(p) + " " + p.Currency}
	for _, line := range lines {
		text = append(text, line.Label+": "+cmp.Or(line.Copy, line.Value))
	}
	return strings.Join(text, "\n")
}

// sameClock is up to how long before a deadline its time of day alone is
// clear. The script uses the same value.
const sameClock = 12 * time.Hour

// deadline writes the expiry as a time of day with its zone, and with the date
// if it may be on the next day.
func deadline(p payment.Payment, now time.Time) string {
	if p.ExpiresAt.Sub(now) > sameClock {
		return local(p, p.ExpiresAt, "02.01.2006 15:04")
	}
	return local(p, p.ExpiresAt, "15:04")
}

// local formats a time in the country of the payment's currency, with the
// zone.
func local(p payment.Payment, at time.Time, layout string) string {
	zone, err := time.LoadLocation(countries[p.Currency].zone)
	if err != nil {
		zone = time.UTC
	}
	at = at.In(zone)
	_, offset := at.Zone()
	sign := ""
	if offset != 0 {
		sign = fmt.Sprintf("%+d", offset/int(time.Hour/time.Second))
	}
	return fmt.Sprintf("%s (UTC%s)", at.Format(layout), sign)
}

// receipt are the fields of a paid payment's receipt besides the amount. It
// shows no more of the requisite than the payer's own bank does.
func receipt(w words.Words, p payment.Payment, card string) []view.Field {
	lines := append(askedFor(w, p), view.Field{
		ID: "paid-at", Label: w.Say(words.PaidAt), Value: local(p, p.StatusAt, "02.01.2006 15:04"),
		Time: p.StatusAt.Format(time.RFC3339),
	})
	switch {
	case card != "":
		lines = append(lines, view.Field{ID: "paid-with", Label: w.Say(words.PaidWith), Value: card})
	case p.RequisiteValue != nil:
		to := requisite.Mask(*p.RequisiteValue)
		if p.RequisiteBank != nil {
			to += ", " + *p.RequisiteBank
		}
		lines = append(lines, view.Field{ID: "paid-to", Label: w.Say(words.PaidTo), Value: to})
	}
	return append(lines, view.Field{ID: "reference", Label: w.Say(words.Reference), Value: p.UUID.String()})
}

// otherCame reports whether another amount came than was asked for, and was
// accepted or waits for a decision. Then the pages show that amount.
func otherCame(p payment.Payment) bool {
	return p.Case() || p.Status == payment.Completed && p.ReceivedAmount.Valid && !p.ReceivedAmount.Decimal.Equal(p.Amount)
}

// askedFor shows the requested amount if another one came.
func askedFor(w words.Words, p payment.Payment) []view.Field {
	if !otherCame(p) {
		return nil
	}
	return []view.Field{{ID: "asked", Label: w.Say(words.AskedFor), Value: w.Amount(p.Amount, p.Currency)}}
}

// decisionBy shows until when another amount will be decided on. After the
// shop's appeal there is no fixed time.
func decisionBy(w words.Words, v visit) []view.Field {
	if v.asked {
		return nil
	}
	at := v.payment.ExpiresAt
	return []view.Field{{
		ID: "decision", Label: w.Say(words.DecisionBy), Value: local(v.payment, at, "02.01.2006 15:04"), Time: at.Format(time.RFC3339),
	}}
}

// question shows what the shop needs to have a transfer checked.
func question(w words.Words, p payment.Payment) []view.Field {
	reference := p.UUID.String()
	return []view.Field{
		{ID: "number", Label: w.Say(words.Order), Value: p.OrderID, Copy: p.OrderID},
		{ID: "reference", Label: w.Say(words.Reference), Value: reference, Copy: reference},
	}
}

// outcome shows the state of a payment that no longer waits for the payer.
func outcome(w words.Words, v visit) view.Outcome {
	p := v.payment
	end := ending(w, p)
	end.Return = shop(p)
	if v.asked {
		end.Notice = w.Say(words.AppealAsked)
	}
	end.Leads = end.Return != "" && v.look.ReturnAutomatic && p.Status == payment.Completed
	switch {
	case p.Status == payment.Completed:
		end.Receipt, end.Facts = true, askedFor(w, p)
	case p.Case():
		end.Facts = append(askedFor(w, p), decisionBy(w, v)...)
	case p.CardCheckout():
		end.Late = false // nothing was sent that could arrive late
	case v.asked:
		end.Next = []string{w.Say(words.LateStepCheck), w.Say(words.LateStepResult)}
		end.Facts = question(w, p)
	case end.Late:
		end.Next = []string{w.Say(words.LateStepShop), w.Say(words.LateStepCheck), w.Say(words.LateStepResult)}
		end.Facts = question(w, p)
	}
	return end
}

// shop is the address to which the payer returns. Its query says which payment
// it was and proves nothing.
func shop(p payment.Payment) templ.SafeURL {
	if p.ReturnURL == nil {
		return ""
	}
	to, err := url.Parse(*p.ReturnURL)
	if err != nil || to.Scheme != "https" && to.Scheme != "http" { // it was checked at the creation
		return ""
	}
	query := to.Query()
	query.Set("paymentUuid", p.UUID.String())
	query.Set("status", string(p.Status))
	to.RawQuery = query.Encode()
	return templ.SafeURL(to.String())
}

// ending shows how a payment ended. A payer who said that they paid is not
// told to pay again.
func ending(w words.Words, p payment.Payment) view.Outcome {
	claimed := p.ClaimedAt != nil
	end := view.Outcome{
		Mood: "bad", Title: w.Say(words.FailedTitle), Text: w.Say(words.FailedText), Late: true, Claimed: claimed,
	}
	switch {
	case p.Status == payment.Completed:
		return view.Outcome{Mood: "good", Title: w.Say(words.PaidTitle), Text: w.Say(words.PaidText)}
	case p.Case():
		return view.Outcome{Mood: "busy", Title: w.Say(words.OtherTitle), Text: w.Say(words.OtherText)}
	case p.Status == payment.Appeal:
		return view.Outcome{Mood: "busy", Title: w.Say(words.AppealTitle), Text: w.Say(words.AppealText)}
	case p.Status == payment.Cancelled:
		end.Mood, end.Title, end.Text = "off", w.Say(words.CancelledTitle), w.Say(words.CancelledText)
	case p.Returned(): // nothing is looked for any more
		return view.Outcome{Mood: "off", Title: w.Say(words.FailedTitle), Text: w.Say(words.ReturnedText)}
	case p.Status == payment.Failed && !p.Expired():
	case claimed: // the sweep that fails a pending one is a moment away
		end.Mood, end.Title, end.Text = "busy", w.Say(words.LookingTitle), w.Say(words.LookingText)
		return end
	default:
		end.Mood, end.Title, end.Text = "late", w.Say(words.ExpiredTitle), w.Say(words.ExpiredText)
	}
	if claimed {
		end.Text = w.Say(words.ClaimedText)
	}
	return end
}

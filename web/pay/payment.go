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

// sbp is the method whose payers are shown the mark of its scheme.
const sbp = "sbp"

// fields are where the payer sends the money. The caller must have checked that
// the payment has a requisite. The holder's name can be copied only where banks
// ask for it to be typed, and a note says why it is a person's and not the
// shop's.
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

// steps tell in plain words what to do in the bank's app.
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

// countries are where the payers of a currency live: their zone, which matters
// to pages without script only, since with it the payer's own clock is shown,
// and what their banks' forms take between whole and fraction.
var countries = map[string]struct{ zone, mark string }{
	"RUB": {"Europe/Moscow", ","}, "AZN": {"Asia/Baku", ","}, "TRY": {"Europe/Istanbul", ","},
	"KZT": {"Asia/Almaty", ","}, "UZS": {"Asia/Tashkent", ","}, "MNT": {"Asia/Ulaanbaatar", "."},
}

// typedAmount is the amount as it is typed into a bank's form: without groups
// or sign, and with both decimals where there are any.
func typedAmount(p payment.Payment) string {
	whole, fraction, _ := strings.Cut(money.Fiat(p.Expected()), ".")
	if fraction == "00" {
		return whole
	}
	return whole + cmp.Or(countries[p.Currency].mark, ".") + fraction
}

// details is all that has to be entered in the bank's app, as a text: a line
// each.
func details(w words.Words, p payment.Payment, lines []view.Field) string {
	text := []string{w.Say(words.AmountLabel) + ": " + typedAmount(p) + " " + p.Currency}
	for _, line := range lines {
		text = append(text, line.Label+": "+cmp.Or(line.Copy, line.Value))
	}
	return strings.Join(text, "\n")
}

// sameClock is how long a time of day alone says when a deadline is. The script
// has the same.
const sameClock = 12 * time.Hour

// deadline is a payment's expiry as a time of day that says where it is that
// time, with the day where that could be the next one.
func deadline(p payment.Payment, now time.Time) string {
	if p.ExpiresAt.Sub(now) > sameClock {
		return local(p, p.ExpiresAt, "02.01.2006 15:04")
	}
	return local(p, p.ExpiresAt, "15:04")
}

// local is a time in the country of the payment's payers. It names the zone.
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

// receipt is what a paid payment's receipt says besides the amount. Of where
// the money went it shows as much as the payer's own bank does.
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

// otherCame reports whether a payment was completed by another amount than was
// asked for, or waits for a decision about one. Its pages then show that one.
func otherCame(p payment.Payment) bool {
	return p.Case() || p.Status == payment.Completed && p.ReceivedAmount.Valid && !p.ReceivedAmount.Decimal.Equal(p.Amount)
}

// askedFor says what was asked for, where another amount came.
func askedFor(w words.Words, p payment.Payment) []view.Field {
	if !otherCame(p) {
		return nil
	}
	return []view.Field{{ID: "asked", Label: w.Say(words.AskedFor), Value: w.Amount(p.Amount, p.Currency)}}
}

// decisionBy says until when somebody decides about another amount. Where the
// shop has asked for a check, that takes as long as it takes.
func decisionBy(w words.Words, v visit) []view.Field {
	if v.asked {
		return nil
	}
	at := v.payment.ExpiresAt
	return []view.Field{{
		ID: "decision", Label: w.Say(words.DecisionBy), Value: local(v.payment, at, "02.01.2006 15:04"), Time: at.Format(time.RFC3339),
	}}
}

// question is what the shop needs to have a transfer checked.
func question(w words.Words, p payment.Payment) []view.Field {
	reference := p.UUID.String()
	return []view.Field{
		{ID: "number", Label: w.Say(words.Order), Value: p.OrderID, Copy: p.OrderID},
		{ID: "reference", Label: w.Say(words.Reference), Value: reference, Copy: reference},
	}
}

// outcome tells how a payment stands that waits no longer.
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

// shop is where the payer goes back to. What stands in its query tells the shop
// which payment this was, and proves nothing.
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

// ending is how a payment has ended. Whoever has said that they have paid is
// not told to pay again.
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

package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/nyaruka/phonenumbers"

	"gateway/internal/payment"
	"gateway/web/view"
	"gateway/web/words"
)

// fields are the lines of a payment's requisite.
func fields(w words.Words, p payment.Payment) []view.Field {
	value := *p.RequisiteValue
	lines := []view.Field{{ID: "value", Label: w.Say(label(p)), Value: readableValue(p), Copy: value}}
	if p.RequisiteBank != nil {
		lines = append(lines, view.Field{ID: "bank", Label: w.Say(words.Bank), Value: *p.RequisiteBank})
	}
	if p.RequisiteHolder != nil {
		holder := view.Field{ID: "holder", Label: w.Say(words.Recipient), Value: *p.RequisiteHolder}
		if *p.RequisiteType == "iban" { // the only one whose form asks for the name
			holder.Copy = *p.RequisiteHolder
		}
		lines = append(lines, holder)
	}
	return lines
}

func label(p payment.Payment) words.Key {
	switch *p.RequisiteType {
	case "sbp", "phone":
		return words.PhoneNumber
	case "iban":
		return words.IBAN
	default:
		return words.CardNumber
	}
}

// readableValue groups a requisite the way people read it out.
func readableValue(p payment.Payment) string {
	value := *p.RequisiteValue
	switch *p.RequisiteType {
	case "sbp", "phone":
		number, err := phonenumbers.Parse(value, "")
		if err != nil {
			return value
		}
		return phonenumbers.Format(number, phonenumbers.INTERNATIONAL)
	default:
		return fours(value)
	}
}

// fours puts a space after every fourth character.
func fours(s string) string {
	var out strings.Builder
	for i, c := range []rune(s) {
		if i > 0 && i%4 == 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(c)
	}
	return out.String()
}

// steps tell in plain words what to do in the bank's app.
func steps(w words.Words, p payment.Payment, amount string) []string {
	keys := []words.Key{words.OpenCard, words.EnterCard}
	switch *p.RequisiteType {
	case "sbp":
		keys = []words.Key{words.OpenSBP, words.EnterPhone}
		if p.RequisiteBank == nil {
			keys[1] = words.EnterTopUp // which speaks of the number alone
		}
	case "phone":
		keys = []words.Key{words.OpenTopUp, words.EnterTopUp}
	case "iban":
		keys = []words.Key{words.OpenIBAN, words.EnterIBAN}
	}
	// A top-up shows no recipient, and of an account the name was typed in.
	if asks := *p.RequisiteType != "phone" && *p.RequisiteType != "iban"; asks && p.RequisiteHolder != nil {
		keys = append(keys, words.CheckName)
	}
	said := make([]string, 0, len(keys)+1)
	for _, key := range keys {
		said = append(said, w.Say(key))
	}
	return append(said, w.Say(words.SendAmount, amount))
}

// zones are where the payers of a currency live. They matter to pages without script only: with it, the payer's own
// clock is shown.
var zones = map[string]string{
	"RUB": "Europe/Moscow", "AZN": "Asia/Baku", "TRY": "Europe/Istanbul",
	"KZT": "Asia/Almaty", "UZS": "Asia/Tashkent", "MNT": "Asia/Ulaanbaatar",
}

// deadline is a payment's expiry as a time of day that says where it is that time.
func deadline(p payment.Payment) string {
	zone, err := time.LoadLocation(zones[p.Currency])
	if err != nil {
		zone = time.UTC
	}
	local := p.ExpiresAt.In(zone)
	_, offset := local.Zone()
	sign := ""
	if offset != 0 {
		sign = fmt.Sprintf("%+d", offset/int(time.Hour/time.Second))
	}
	return fmt.Sprintf("%s (UTC%s)", local.Format("15:04"), sign)
}

// outcome tells how a payment stands that waits no longer.
func outcome(w words.Words, p payment.Payment) view.Outcome {
	late := view.Outcome{Mood: "late", Title: w.Say(words.ExpiredTitle), Text: w.Say(words.ExpiredText), Late: true}
	switch payment.Status(p.Status) {
	case payment.Completed:
		return view.Outcome{Mood: "good", Title: w.Say(words.PaidTitle), Text: w.Say(words.PaidText)}
	case payment.Cancelled:
		return view.Outcome{Mood: "off", Title: w.Say(words.CancelledTitle), Text: w.Say(words.CancelledText), Late: true}
	case payment.Appeal:
		return view.Outcome{Mood: "busy", Title: w.Say(words.AppealTitle), Text: w.Say(words.AppealText)}
	case payment.Pending: // the sweep that fails it is a moment away
		return late
	case payment.Failed:
		if p.Expired() {
			return late
		}
	}
	return view.Outcome{Mood: "bad", Title: w.Say(words.FailedTitle), Text: w.Say(words.FailedText), Late: true}
}

package web

import (
	"fmt"
	"time"

	"gateway.example/internal/payment"
	"gateway.example/internal/requisite"
	"gateway.example/web/view"
	"gateway.example/web/words"
)

// fields are the lines of a payment's requisite.
func fields(w words.Words, p payment.Payment) []view.Field {
	kind, value := requisite.Of(*p.RequisiteType), *p.RequisiteValue
	lines := []view.Field{{ID: "value", Label: w.Say(words.Key(kind.Label)), Value: kind.Readable(value), Copy: value}}
	if p.RequisiteBank != nil {
		lines = append(lines, view.Field{ID: "bank", Label: w.Say(words.Bank), Value: *p.RequisiteBank})
	}
	if p.RequisiteHolder != nil {
		holder := view.Field{ID: "holder", Label: w.Say(words.Recipient), Value: *p.RequisiteHolder}
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

// zones are where the payers of a currency live. They matter to pages without script only: with it,
// the payer's own clock is shown.
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
	switch p.Status {
	case payment.Completed:
		return view.Outcome{Mood: "good", Title: w.Say(words.PaidTitle), Text: w.Say(words.PaidText)}
	case payment.Cancelled:
		return view.Outcome{
			Mood:  "off",
			Title: w.Say(words.CancelledTitle),
			Text:  w.Say(words.CancelledText),
			Late:  true,
		}
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

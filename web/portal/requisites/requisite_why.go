package requisites

import (
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/routing"
	"gateway.example/web/portal/say"
)

// requisiteCard is a requisite as the list shows it.
func (v *visit) requisiteCard(s standing) RequisiteCard {
	own := s.own
	card := RequisiteCard{
		ID: own.ID, Value: own.Value, Currency: own.Currency, Method: own.Method, Enabled: own.Enabled,
		Locked: !own.EnabledByOperator, Why: v.whys(s), Uses: v.uses(own), LastUsedAt: own.Use.LastUsedAt,
		Hours: v.hours(own), Bank: optional.Value(own.Bank), Holder: optional.Value(own.Holder),
		Amounts: v.Say(sayAmountsFrom, v.Number(own.Effective.MinAmount.Decimal),
			v.Amount(own.Effective.MaxAmount.Decimal, own.Currency)),
	}
	switch {
	case s.why.Gets():
		card.State, card.Tone = sayGetsPayments, "good"
	case !own.Enabled || !own.EnabledByOperator:
		card.State, card.Tone = saySwitchedOff, "off"
	default:
		card.State, card.Tone = sayGetsNone, "bad"
	}
	return card
}

// uses show how much of its limits a requisite has used.
func (v *visit) uses(own directory.OwnRequisite) []Use {
	fiat := func(d decimal.Decimal) string { return v.Amount(d, own.Currency) }
	whole := func(d decimal.Decimal) string { return d.String() }
	limit := own.Effective
	uses := []Use{
		v.use(sayUsedToday, decimal.NewFromInt32(own.Use.Count), wholeLimit(limit.DailyCount), whole),
		v.use(saySumToday, own.Use.Sum, limit.DailySum, fiat),
	}
	if own.Value == "" { // a desk for card payments may have any number of open payments
		return uses
	}
	return append(uses, v.use(sayOpenNow, decimal.NewFromInt32(own.Use.OpenPayments), wholeLimit(limit.OpenPayments), whole))
}

func wholeLimit(n *int32) decimal.NullDecimal {
	if n == nil {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(decimal.NewFromInt32(*n))
}

func (v *visit) use(
	label say.Phrase, used decimal.Decimal, limit decimal.NullDecimal, write func(decimal.Decimal) string,
) Use {
	if !limit.Valid {
		return Use{Label: label, Used: write(used), Text: write(used) + ", " + v.Say(say.Unlimited)}
	}
	return Use{
		Label: label, Value: used.String(), Max: limit.Decimal.String(), Full: !used.LessThan(limit.Decimal),
		Text: v.Say(sayUsedOf, write(used), write(limit.Decimal)),
	}
}

// hours are the trader's and the operators' hours, as far as they are set.
func (v *visit) hours(own directory.OwnRequisite) string {
	zone := own.Own.TimeZone
	if zone == "" {
		zone = own.Set.TimeZone
	}
	set := v.hoursOf(own.Set, own.Set.TimeZone)
	switch {
	case own.Own.WorkFrom == "":
		return set
	case own.Set.WorkFrom == "":
		return v.hoursOf(own.Own, zone)
	}
	return v.hoursOf(own.Own, zone) + "; " + v.Say(sayOperatorsToo, set)
}

func (v *visit) hoursOf(l directory.RequisiteLimits, zone string) string {
	if l.WorkFrom == "" {
		return v.Say(sayAllDay)
	}
	return v.Say(sayHoursIn, l.WorkFrom, l.WorkUntil, zone)
}

// whys are all the reasons why a requisite gets no payments.
func (v *visit) whys(s standing) []string {
	var list []string
	for _, d := range s.why.Drops {
		list = append(list, v.why(s, d))
	}
	e := s.why
	if e.NoRate {
		list = append(list, v.Say(sayWhyNoRate, e.Currency))
	}
	if e.OutsidePlatform {
		list = append(list, v.Say(sayWhyOutside, v.Amount(e.Amount, e.Currency)))
	}
	if !e.Taken {
		list = append(list, v.Say(sayWhyNotTaken))
	}
	return list
}

// why explains a rule that keeps payments away, with its numbers and when it
// ends.
func (v *visit) why(s standing, d routing.Drop) string {
	amount := v.Amount(s.why.Amount, s.own.Currency)
	fiat := func(n decimal.NullDecimal) string { return v.Amount(n.Decimal, s.own.Currency) }
	switch d.Rule {
	case routing.TraderOff:
		return v.Say(sayWhyTraderOff)
	case routing.TraderBreak:
		return v.Say(sayWhyBreak)
	case routing.RequisiteOff:
		return v.Say(sayWhyOperatorOff)
	case routing.OwnOff:
		return v.Say(sayWhyOwnOff)
	case routing.AmountLimits:
		if d.Used.Decimal.LessThan(d.Limit.Decimal) {
			return v.Say(sayWhyTooSmall, fiat(d.Used), fiat(d.Limit))
		}
		return v.Say(sayWhyTooLarge, fiat(d.Used), fiat(d.Limit))
	case routing.WorkingHours:
		return v.whyHours(s.own, d)
	case routing.DailyCount:
		return v.Say(sayWhyCount, d.Used.Decimal, d.Limit.Decimal) + v.until(sayWhyDayEnds, d, s.own.Set.TimeZone)
	case routing.DailySum:
		return v.Say(sayWhySum, fiat(d.Used), fiat(d.Limit), amount) + v.until(sayWhyDayEnds, d, s.own.Set.TimeZone)
	case routing.OpenLimit:
		return v.Say(sayWhyOpen, d.Used.Decimal, d.Limit.Decimal)
	case routing.SlotTaken:
		return v.Say(sayWhySlot, amount) + v.until(sayWhySlotUntil, d, v.Shell.Zone.String())
	case routing.TraderShort:
		if !v.Who.May(caller.TraderMoney) {
			return v.Say(sayWhyShortHidden, amount)
		}
		return v.Say(sayWhyShort, v.USDT(d.Used.Decimal), v.USDT(d.Limit.Decimal), amount)
	case routing.Free:
	}
	return ""
}

// whyHours says when the hours begin, in the zone in which the trader set them.
func (v *visit) whyHours(own directory.OwnRequisite, d routing.Drop) string {
	zone := own.Set.TimeZone
	if own.Own.WorkFrom != "" && own.Own.TimeZone != "" {
		zone = own.Own.TimeZone
	}
	if d.FreeAt == nil {
		return v.Say(sayWhyNoHours)
	}
	return v.Say(sayWhyHours, v.at(*d.FreeAt, zone), zone)
}

// until says when a rule ends, if that is known.
func (v *visit) until(phrase say.Phrase, d routing.Drop, zone string) string {
	if d.FreeAt == nil {
		return ""
	}
	return " " + v.Say(phrase, v.at(*d.FreeAt, zone), zone)
}

// at is a time in a zone, with the day if it is more than 24 hours away.
func (v *visit) at(t time.Time, zone string) string {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	if t.Sub(v.Shell.Now) <= 24*time.Hour {
		return t.In(location).Format("15:04")
	}
	there := v.Shell
	there.Zone = location
	return there.When(t)
}

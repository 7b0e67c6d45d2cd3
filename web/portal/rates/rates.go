package rates

import (
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/rate"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What a USDT costs, and from where that is known.
var rateRoutes = []route{
	{Pattern: "GET " + portal.RatesPath, Needs: caller.OperatorRead, Handle: (*visit).rates},
	{Pattern: "GET " + portal.FeedsPath + "/new", Needs: caller.OperatorRates, Handle: (*visit).newFeed},
	{Pattern: "POST " + portal.FeedsPath + "/new", Needs: caller.OperatorRates, Handle: (*visit).addFeed},
	{Pattern: "GET " + portal.FeedsPath + "/{id}", Needs: caller.OperatorRates, Handle: portal.After((*visit).feedAsked, (*visit).feed)},
	{Pattern: "POST " + portal.FeedsPath + "/{id}", Needs: caller.OperatorRates, Handle: portal.After((*visit).feedAsked, (*visit).setFeed)},
}

// rates shows operators the rates by source, the feeds and their last day, and
// the payments that wait for a rate. What may be set is shown also to an
// operator who has to give the second factor first. A quote that the address
// asks for is part of the page, and so are its mistakes.
func (v *visit) rates() error {
	known, feeds, err := v.Rates.List(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	bands, err := v.Rates.Bands(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	observed, err := v.Rates.Day(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	waiting, more, err := v.Sums.Waiting(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	may := v.Who.Need(caller.OperatorRates)
	shown := Rates{
		May: may == nil || fault.As(may).Code == fault.ErrFactorNeeded.Code, Pairs: v.pairsSheet(known, bands),
		Feeds: v.feedsSheet(feeds), Charts: v.rateCharts(observed, known, bands), Waiting: v.waitingSheet(waiting),
	}
	if more {
		shown.More = v.Say(sayMoreWait, rate.WaitingMost)
	}
	status, err := v.quote(&shown)
	if err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.RatesTitle), RatesPage, shown)
}

// waitingSheet lists payments that wait for a rate, the oldest first. It is not
// paged; the page says if there are more.
func (v *visit) waitingSheet(list []rate.Waiting) view.Sheet {
	sheet := view.Sheet{
		Label:   v.Say(sayWaitingTitle),
		Columns: v.Columns(false, say.Number, say.MethodLabel, say.Amount, sayRateSince),
	}
	for _, w := range list {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: v.Say(say.ShortPayment, w.PaymentID), Href: view.Link(v.PaymentPath(w.PaymentID))},
			{Text: v.MethodName(w.Method)},
			{Text: v.Amount(w.Amount, w.Currency)},
			{At: &w.Since},
		})
	}
	return sheet
}

// pairsSheet lists the price of a USDT in each currency by each source, the one
// in use first.
func (v *visit) pairsSheet(known []rate.Known, bands []rate.Band) view.Sheet {
	sheet := view.Sheet{
		Label:   v.Say(sayPairsTitle),
		Columns: v.Columns(false, say.Pair, sayRateLabel, saySource, sayRateSince, say.Status, sayBandLabel, say.AnchorLabel),
	}
	sheet.Columns[1].Right = true
	for _, b := range bands {
		rows := 0
		for _, k := range known {
			if k.Currency == b.Currency {
				sheet.Rows = append(sheet.Rows, v.pairRow(k, b, rows == 0))
				rows++
			}
		}
		if rows == 0 {
			sheet.Rows = append(sheet.Rows, []view.Cell{
				{Text: "USDT/" + b.Currency, Href: v.setRateOf(b.Currency)}, {}, {}, {},
				{Text: v.Say(say.NoRateKnown), Tone: "off"}, {}, {},
			})
		}
	}
	return sheet
}

// pairRow is the rate of a currency by one source. Only the first source, which
// is the one in use, has the link to set a rate and the range within which one
// operator may set it alone.
func (v *visit) pairRow(k rate.Known, b rate.Band, first bool) []view.Cell {
	state := view.Cell{Text: v.Say(sayFreshRate), Tone: "good"}
	if !k.Fresh {
		state = view.Cell{Text: v.Say(sayStaleRate), Tone: "bad"}
	} else if !k.InUse {
		state.Tone = "off"
	}
	if k.StaleAt != nil && k.Fresh {
		state.Note = v.Say(sayFreshUntil, v.When(*k.StaleAt))
	}
	pair := view.Cell{Text: "USDT/" + k.Currency, Note: v.Say(sayNotInUse)}
	band, anchor := "", ""
	if first {
		pair.Href, pair.Note = v.setRateOf(k.Currency), v.Say(sayInUse)
		band = "±" + v.Shell.Plain(b.Percent) + "\u00a0%"
		if b.Anchor.IsPositive() {
			anchor = v.Shell.Rate(b.Anchor)
		}
	}
	return []view.Cell{
		pair, {Text: v.Shell.Rate(k.FiatPerUSDT)}, {Text: v.SourceName(k.Source)}, {At: &k.ObservedAt}, state,
		{Text: band}, {Text: anchor},
	}
}

// setRateOf links to where a rate is set by hand; "" for users who may not.
func (v *visit) setRateOf(currency string) view.Link {
	if may := v.Who.Need(caller.OperatorRates); may != nil && fault.As(may).Code != fault.ErrFactorNeeded.Code {
		return ""
	}
	return view.Query(portal.SetRatePath, "currency", currency)
}

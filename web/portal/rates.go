package portal

import (
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/rate"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	ratesPath = "/operator/rates"
	feedsPath = ratesPath + "/feeds"
)

// rateEntries are the pages of rates and routing in an operator's navigation.
var rateEntries = []entry{
	{needs: caller.OperatorRead, href: ratesPath, label: say.RatesTitle, group: say.RateGroup},
	{needs: caller.OperatorRead, href: routingPath, label: say.RoutingTitle, group: say.RateGroup},
}

// What a USDT costs, and from where that is known.
var rateRoutes = append([]route{
	{pattern: "GET " + ratesPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).rates},
	{pattern: "GET " + feedsPath + "/new", kinds: operators, needs: caller.OperatorRates, handle: (*visit).newFeed},
	{pattern: "POST " + feedsPath + "/new", kinds: operators, needs: caller.OperatorRates, handle: (*visit).addFeed},
	{pattern: "GET " + feedsPath + "/{id}", kinds: operators, needs: caller.OperatorRates, handle: (*visit).feed},
	{pattern: "POST " + feedsPath + "/{id}", kinds: operators, needs: caller.OperatorRates, handle: (*visit).setFeed},
}, deedRoutes(rateDeed)...)

func (v *visit) rates() error {
	known, feeds, err := v.Rates.List(v.ctx(), v.who)
	if err != nil {
		return err
	}
	bands, err := v.Rates.Bands(v.ctx(), v.who)
	if err != nil {
		return err
	}
	observed, err := v.Rates.Day(v.ctx(), v.who)
	if err != nil {
		return err
	}
	waiting, more, err := v.Payments.Waiting(v.ctx(), v.who)
	if err != nil {
		return err
	}
	may := v.who.Need(caller.OperatorRates)
	shown := view.Rates{
		May: may == nil || fault.As(may).Code == fault.ErrFactorNeeded.Code, Pairs: v.pairsSheet(known, bands),
		Feeds: v.feedsSheet(feeds), Charts: v.rateCharts(observed), Waiting: v.waitingSheet(waiting),
	}
	if more {
		shown.More = v.shell.Say(say.MoreWait, payment.WaitingMost)
	}
	status, err := v.quote(&shown)
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.RatesTitle)
	v.show(status, func(s view.Shell) site.Page { return view.RatesPage(s, shown) })
	return nil
}

func (v *visit) waitingSheet(list []payment.Waiting) view.Sheet {
	sheet := view.Sheet{
		Label:   v.shell.Say(say.WaitingTitle),
		Columns: v.columns(false, say.Number, say.MethodLabel, say.Amount, say.RateSince),
	}
	for _, w := range list {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: v.shell.Say(say.ShortPayment, w.PaymentID), Href: view.Link(v.paymentPath(w.PaymentID))},
			{Text: v.methodName(w.Method)},
			{Text: v.shell.Amount(w.Amount, w.Currency)},
			{At: &w.Since},
		})
	}
	return sheet
}

// pairsSheet lists what a USDT costs in each currency by each source, the one in use first.
func (v *visit) pairsSheet(known []rate.Known, bands []rate.Band) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.PairsTitle),
		Columns: v.columns(
			false,
			say.Pair,
			say.RateLabel,
			say.Source,
			say.RateSince,
			say.Status,
			say.BandLabel,
			say.AnchorLabel,
		),
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
				{Text: v.shell.Say(say.NoRateKnown), Tone: "off"}, {}, {},
			})
		}
	}
	return sheet
}

func (v *visit) pairRow(k rate.Known, b rate.Band, first bool) []view.Cell {
	state := view.Cell{Text: v.shell.Say(say.FreshRate), Tone: "good"}
	if !k.Fresh {
		state = view.Cell{Text: v.shell.Say(say.StaleRate), Tone: "bad"}
	} else if !k.InUse {
		state.Tone = "off"
	}
	if k.StaleAt != nil && k.Fresh {
		state.Note = v.shell.Say(say.FreshUntil, v.shell.When(*k.StaleAt))
	}
	pair := view.Cell{Text: "USDT/" + k.Currency, Note: v.shell.Say(say.NotInUse)}
	band, anchor := "", ""
	if first {
		pair.Href, pair.Note = v.setRateOf(k.Currency), v.shell.Say(say.InUse)
		band = "±" + money.Plain(b.Percent) + "\u00a0%"
		if b.Anchor.IsPositive() {
			anchor = money.Rate(b.Anchor)
		}
	}
	return []view.Cell{
		pair, {Text: money.Rate(k.FiatPerUSDT)}, {Text: v.sourceName(k.Source)}, {At: &k.ObservedAt}, state,
		{Text: band}, {Text: anchor},
	}
}

// sourceName says where a rate came from.
func (v *visit) sourceName(source string) string {
	if id, feed := strings.CutPrefix(source, "feed:"); feed {
		return v.shell.Say(say.FeedNumber, id)
	}
	if source == rate.SourceOperator {
		return v.shell.Say(say.ByHand)
	}
	return source
}

func currencyChoice(value, wrong string) view.Choice {
	c := view.Choice{Name: "currency", Label: say.Currency, Value: value, Wrong: wrong}
	for _, currency := range catalogue.Currencies {
		c.Options = append(c.Options, view.Option{Value: currency, Text: currency})
	}
	return c
}

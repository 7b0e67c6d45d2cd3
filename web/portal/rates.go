package portal

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/submission"
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

var rateDeed = deed{
	path: ratesPath + "/set", action: proposal.SetRate, name: say.SetRateTitle, text: say.SetRateText,
	needs: caller.OperatorRates, back: ratesPath, fields: rateFields, read: readRate, facts: rateFacts,
}

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

// quote answers what a payment would be worth now, where that is asked, and asks it anew.
func (v *visit) quote(shown *view.Rates) (int, error) {
	typed := v.r.URL.Query()
	var wrong map[string]string
	if typed.Has("amount") {
		answer, err := v.Payments.QuoteRate(v.ctx(), v.who, payment.RateQuestion{
			Currency: typed.Get("currency"), Amount: plainAmount(typed.Get("amount")),
			Markup: plainAmount(typed.Get("markup")), TraderShare: plainAmount(typed.Get("traderShare")),
		})
		if wrong = v.wrong(err); wrong == nil && err != nil {
			return 0, err
		}
		if wrong == nil {
			shown.Quote = v.rateSteps(answer, typed.Get("currency"))
		}
	}
	fields := []view.Field{
		amountField(say.Amount, typed, wrong), percentField("markup", say.MarkupAsked, typed, wrong),
		percentField("traderShare", say.ShareAsked, typed, wrong),
	}
	for i := range fields {
		fields[i].Quiet = true
	}
	shown.Ask = view.MoneyForm{
		Choices: []view.Choice{currencyChoice(typed.Get("currency"), wrong["currency"])}, Fields: fields,
	}
	v.shell.Mistakes = wrong != nil
	if wrong != nil {
		return http.StatusUnprocessableEntity, nil
	}
	return http.StatusOK, nil
}

func percentField(name string, label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	f := amountField(label, typed, nil)
	f.Name, f.Value, f.Wrong, f.Max = name, typed.Get(name), wrong[name], 8
	return f
}

// rateSteps shows a sum in the reader's words: what each line is, the numbers it came of, and its value.
func (v *visit) rateSteps(answer payment.RateAnswer, currency string) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.StepsTitle), Columns: v.columns(false, say.StepOf, say.StepHow, say.StepValue),
	}
	sheet.Columns[2].Right = true
	for _, step := range answer.Steps {
		_, numbers, _ := strings.Cut(step.Formula, " = ")
		unit := "\u00a0USDT"
		switch step.Name {
		case "baseRate":
			unit = "\u00a0" + currency
			numbers = v.shell.Say(say.RateFrom, v.sourceName(answer.RateSource))
			if answer.RateObservedAt != nil {
				numbers += ", " + v.shell.When(*answer.RateObservedAt)
			}
			if answer.RateUnavailable {
				numbers += ". " + v.shell.Say(say.RateWasStale)
			}
		case "markupPercent":
			unit, numbers = "\u00a0%", v.shell.Say(say.MarkupFrom(answer.MarkupSource))
		case "hold":
			if numbers == "" {
				numbers = v.shell.Say(say.HeldEarlier)
			}
		}
		label, note := say.RateStep(step.Name)
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: v.shell.Say(label), Note: v.shell.Say(note)}, {Text: numbers}, {Text: step.Value + unit},
		})
	}
	return sheet
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

// setRateOf leads to where a rate is set by hand; nowhere for who may not.
func (v *visit) setRateOf(currency string) view.Link {
	if may := v.who.Need(caller.OperatorRates); may != nil && fault.As(may).Code != fault.ErrFactorNeeded.Code {
		return ""
	}
	return view.Query(rateDeed.path, "currency", currency)
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

func (v *visit) feedsSheet(feeds []rate.FeedState) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.FeedsTitle), Empty: view.Empty{Title: say.NoFeeds},
		Columns: v.columns(false, say.FeedOne, say.FeedAddress, say.FeedOn, say.LastGood, say.LastWrong, say.FailedRow),
	}
	sheet.Columns[5].Right = true
	for _, f := range feeds {
		name := view.Cell{Text: v.shell.Say(say.FeedNumber, strconv.FormatInt(f.ID, 10)), Note: "USDT/" + f.Currency}
		if v.setRateOf(f.Currency) != "" {
			name.Href = view.Link(feedPath(f.ID))
		}
		state := view.Cell{Text: v.shell.Say(say.FeedIsOff), Tone: "off"}
		if f.Enabled {
			state = view.Cell{Text: v.shell.Say(say.FeedIsOn), Tone: "good"}
			if f.Failures > 0 {
				state.Tone = "bad"
			}
		}
		good, wrong := view.Cell{Text: v.shell.Say(say.Never)}, view.Cell{Text: v.shell.Say(say.Never)}
		if f.GoodAt != nil {
			good = view.Cell{At: f.GoodAt}
		}
		if f.FailedAt != nil {
			wrong = view.Cell{At: f.FailedAt, Note: f.LastError}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			name, {Text: hostOf(f.URL)}, state, good, wrong, {Text: strconv.Itoa(int(f.Failures))},
		})
	}
	return sheet
}

// hostOf is the host of an address, whose query may have a key.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// rateCharts draw what feeds brought in a day, a chart for each currency.
func (v *visit) rateCharts(observed []rate.Observation) []view.RateChart {
	var charts []view.RateChart
	for len(observed) > 0 {
		end := slices.IndexFunc(observed, func(o rate.Observation) bool { return o.Currency != observed[0].Currency })
		if end < 0 {
			end = len(observed)
		}
		charts = append(charts, v.rateChart(observed[:end]))
		observed = observed[end:]
	}
	return charts
}

func (v *visit) rateChart(observed []rate.Observation) view.RateChart {
	lowest, most := observed[0].FiatPerUSDT, observed[0].FiatPerUSDT
	for _, o := range observed {
		lowest, most = decimal.Min(lowest, o.FiatPerUSDT), decimal.Max(most, o.FiatPerUSDT)
	}
	chart := view.RateChart{
		Title: v.shell.Say(say.DayOf, "USDT/"+observed[0].Currency), Label: v.shell.Say(say.FromTo),
		Lowest: money.Rate(lowest), Most: money.Rate(most),
		Sheet: view.Sheet{
			Label:   v.shell.Say(say.DayOf, "USDT/"+observed[0].Currency),
			Columns: v.columns(true, say.FeedOne, say.Hour, say.FirstValue, say.Lowest, say.Highest, say.LastValue),
		},
	}
	classes := []string{"first", "second", "third"}
	for len(observed) > 0 {
		end := slices.IndexFunc(observed, func(o rate.Observation) bool { return o.FeedID != observed[0].FeedID })
		if end < 0 {
			end = len(observed)
		}
		chart.Lines = append(chart.Lines, view.RateLine{
			Class: classes[len(chart.Lines)%len(classes)], Points: v.ratePoints(observed[:end], lowest, most),
		})
		chart.Sheet.Rows = append(chart.Sheet.Rows, v.rateHours(observed[:end])...)
		observed = observed[end:]
	}
	return chart
}

// minutesOfDay is the width of a chart, whose height is 100.
const minutesOfDay = 24 * 60

func (v *visit) ratePoints(observed []rate.Observation, lowest, most decimal.Decimal) string {
	since := v.shell.Now.Add(-24 * time.Hour)
	span := most.Sub(lowest).InexactFloat64()
	var points []string
	for _, o := range observed {
		y := 50.0
		if span > 0 {
			y = 96 - 92*o.FiatPerUSDT.Sub(lowest).InexactFloat64()/span
		}
		points = append(points, fmt.Sprintf("%.0f,%.1f", o.Minute.Sub(since).Minutes(), y))
	}
	if len(points) == 1 { // a line has two ends
		points = append(points, fmt.Sprintf("%d,%s", minutesOfDay, strings.SplitN(points[0], ",", 2)[1]))
	}
	return strings.Join(points, " ")
}

// rateHours are the hours of a feed's day, the newest first.
func (v *visit) rateHours(observed []rate.Observation) [][]view.Cell {
	var rows [][]view.Cell
	for len(observed) > 0 {
		hour := observed[0].Minute.Truncate(time.Hour)
		end := slices.IndexFunc(
			observed,
			func(o rate.Observation) bool { return !o.Minute.Truncate(time.Hour).Equal(hour) },
		)
		if end < 0 {
			end = len(observed)
		}
		low, high := observed[0].FiatPerUSDT, observed[0].FiatPerUSDT
		for _, o := range observed[:end] {
			low, high = decimal.Min(low, o.FiatPerUSDT), decimal.Max(high, o.FiatPerUSDT)
		}
		rows = append(rows, []view.Cell{
			{Text: v.shell.Say(say.FeedNumber, strconv.FormatInt(observed[0].FeedID, 10))}, {At: &hour},
			{Text: money.Rate(observed[0].FiatPerUSDT)}, {Text: money.Rate(low)}, {Text: money.Rate(high)},
			{Text: money.Rate(observed[end-1].FiatPerUSDT)},
		})
		observed = observed[end:]
	}
	slices.Reverse(rows)
	return rows
}

func currencyChoice(value, wrong string) view.Choice {
	c := view.Choice{Name: "currency", Label: say.Currency, Value: value, Wrong: wrong}
	for _, currency := range catalogue.Currencies {
		c.Options = append(c.Options, view.Option{Value: currency, Text: currency})
	}
	return c
}

func rateFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	valid := numberField("validMinutes", say.ValidMinutes, typed, wrong)
	valid.Optional, valid.Hint = true, v.shell.Say(say.ValidHint)
	valid.Wrong = cmp.Or(valid.Wrong, wrong["validSeconds"])
	return []view.Choice{currencyChoice(typed.Get("currency"), wrong["currency"])}, []view.Field{
		{
			Name:  "fiatPerUsdt",
			Label: say.FiatPerUSDT,
			Value: typed.Get("fiatPerUsdt"),
			Wrong: wrong["fiatPerUsdt"],
			Max:   24,
			More:  map[string]any{"inputmode": "decimal", "autocomplete": "off"},
		},
		valid,
	}
}

func readRate(form url.Values, f fault.Fields) proposal.Payload {
	p := proposal.Payload{Currency: form.Get("currency"), FiatPerUSDT: plainAmount(form.Get("fiatPerUsdt"))}
	f.Check(slices.Contains(catalogue.Currencies, p.Currency), "currency", "is not a currency that is known here")
	value := fault.Read(f, "fiatPerUsdt", p.FiatPerUSDT, money.ParseUSDT)
	f.Check(value.IsPositive() || f.Wrong("fiatPerUsdt"), "fiatPerUsdt", "must be more than 0")
	if text := strings.TrimSpace(form.Get("validMinutes")); text != "" {
		minutes, err := strconv.ParseInt(text, 10, 32)
		f.Check(err == nil && minutes > 0, "validMinutes", "must be a number")
		seconds := minutes * 60
		p.ValidSeconds = &seconds
	}
	return p
}

// rateFacts restate a rate: what it was, what it will be, and how far that is.
func rateFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	bands, err := v.Rates.Bands(v.ctx(), v.who)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(bands, func(b rate.Band) bool { return b.Currency == p.Currency })
	band := bands[at]
	value, err := money.ParseUSDT(p.FiatPerUSDT)
	if err != nil {
		return nil, err
	}
	was := v.shell.Say(say.NoRateKnown)
	if band.Now.IsPositive() {
		was = money.Rate(band.Now)
	}
	facts := []view.Fact{
		{Label: say.Pair, Value: "USDT/" + p.Currency},
		{Label: say.OldRate, Value: was},
		{Label: say.NewRate, Value: money.Rate(value)},
		{Label: say.Distance, Value: v.shell.Say(say.DistanceText, distance(band, value), money.Plain(band.Percent))},
	}
	if band.Anchor.IsPositive() {
		facts = append(facts, view.Fact{Label: say.AnchorLabel, Value: money.Rate(band.Anchor)})
	}
	valid := v.shell.Say(say.ValidForGood)
	if p.ValidSeconds != nil {
		valid = v.shell.Say(say.MinutesOf, *p.ValidSeconds/60)
	}
	return append(facts, view.Fact{Label: say.ValidFor, Value: valid}), nil
}

// distance is how far a rate is from the one in use, with its sign.
func distance(b rate.Band, value decimal.Decimal) string {
	if !b.Now.IsPositive() {
		return "0"
	}
	away := value.Sub(b.Now).Mul(decimal.NewFromInt(100)).DivRound(b.Now, 2)
	text := strings.Replace(away.StringFixed(2), "-", "−", 1)
	if away.IsPositive() {
		text = "+" + text
	}
	return text
}

func feedPath(id int64) string { return feedsPath + "/" + strconv.FormatInt(id, 10) }

func (v *visit) newFeed() error {
	return v.feedForm(http.StatusOK, 0, url.Values{
		"enabled": {"on"}, "priority": {"1"}, "pollSeconds": {"60"}, "timeoutMs": {"5000"}, "bandPercent": {"5"},
		"dayBandPercent": {"10"}, "freshSeconds": {"300"}, "token": {submission.NewToken()},
	}, nil)
}

// feedAsked is the feed that the address names.
func (v *visit) feedAsked() (rate.FeedState, error) {
	id, err := v.numbered()
	if err != nil {
		return rate.FeedState{}, err
	}
	_, feeds, err := v.Rates.List(v.ctx(), v.who)
	if err != nil {
		return rate.FeedState{}, err
	}
	at := slices.IndexFunc(feeds, func(f rate.FeedState) bool { return f.ID == id })
	if at < 0 {
		return rate.FeedState{}, fault.ErrNotFound
	}
	return feeds[at], nil
}

func (v *visit) feed() error {
	f, err := v.feedAsked()
	if err != nil {
		return err
	}
	on := "off"
	if f.Enabled {
		on = "on"
	}
	number := func(n int32) []string { return []string{strconv.Itoa(int(n))} }
	return v.feedForm(http.StatusOK, f.ID, url.Values{
		"currency": {
			f.Currency,
		},
		"enabled":        {on},
		"priority":       number(f.Priority),
		"url":            {f.URL},
		"pointer":        {f.Pointer},
		"pollSeconds":    number(f.PollSeconds),
		"timeoutMs":      number(f.TimeoutMS),
		"bandPercent":    {f.BandPercent},
		"dayBandPercent": {f.DayBandPercent},
		"freshSeconds":   number(f.FreshSeconds),
		"token":          {submission.NewToken()},
	}, nil)
}

func (v *visit) feedForm(status int, id int64, typed url.Values, wrong map[string]string) error {
	field := func(name string, label say.Phrase, hint say.Phrase) view.Field {
		f := view.Field{
			Name: name, Label: label, Value: typed.Get(name), Wrong: wrong["feed."+name], Max: 2048,
			More: map[string]any{"autocomplete": "off", "spellcheck": "false"},
		}
		if !hint.Empty() {
			f.Hint = v.shell.Say(hint)
		}
		return f
	}
	none := say.Phrase{}
	shown := view.MoneyForm{
		Action: feedsPath + "/new", Text: v.shell.Say(say.FeedText), Submit: v.shell.Say(say.KeepFeed), Back: ratesPath,
		Hidden: [][2]string{{"token", typed.Get("token")}},
		Choices: []view.Choice{
			currencyChoice(typed.Get("currency"), wrong["feed.currency"]),
			{Name: "enabled", Label: say.FeedOn, Value: typed.Get("enabled"), Options: []view.Option{
				{Value: "on", Text: v.shell.Say(say.FeedIsOn)}, {Value: "off", Text: v.shell.Say(say.FeedIsOff)},
			}},
		},
		Fields: []view.Field{
			field("url", say.FeedAddress, none), field("pointer", say.FeedPointer, none),
			field("priority", say.PriorityOf, say.PriorityTip), field("pollSeconds", say.PollEvery, none),
			field("timeoutMs", say.TimeoutOf, none), field("bandPercent", say.BandPercent, say.BandTip),
			field("dayBandPercent", say.DayBand, say.DayBandTip), field("freshSeconds", say.FreshFor, none),
		},
	}
	for i, heading := range map[int]say.Phrase{0: say.FeedPart, 2: say.PollPart, 5: say.BeliefPart} {
		shown.Fields[i].Heading = heading
	}
	v.shell.Title = v.shell.Say(say.AddFeed)
	if id != 0 {
		shown.Action = feedPath(id)
		v.shell.Title = v.shell.Say(say.FeedTitle, id)
		shown.Choices = shown.Choices[1:] // another currency takes another feed
	}
	v.show(status, func(s view.Shell) site.Page { return view.MoneyFormPage(s, shown) })
	return nil
}

func (v *visit) addFeed() error { return v.keepFeed(rate.Feed{}) }

func (v *visit) setFeed() error {
	f, err := v.feedAsked()
	if err != nil {
		return err
	}
	return v.keepFeed(f.Feed)
}

// keepFeed makes or changes a feed, once.
func (v *visit) keepFeed(feed rate.Feed) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	if feed.ID == 0 {
		feed.Currency = form.Get("currency")
	}
	number := func(name string) int32 { // what is none is out of every range
		n, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 32)
		if err != nil {
			return -1
		}
		return int32(n)
	}
	feed.Enabled, feed.URL, feed.Pointer = form.Get(
		"enabled",
	) == "on", strings.TrimSpace(
		form.Get("url"),
	), form.Get(
		"pointer",
	)
	feed.Priority, feed.PollSeconds = number("priority"), number("pollSeconds")
	feed.TimeoutMS, feed.FreshSeconds = number("timeoutMs"), number("freshSeconds")
	feed.BandPercent, feed.DayBandPercent = plainAmount(
		form.Get("bandPercent"),
	), plainAmount(
		form.Get("dayBandPercent"),
	)
	err = v.once(form, func() (submission.Outcome, error) {
		_, err := v.Rates.SetFeed(v.ctx(), v.who, feed)
		return submission.Outcome{LedTo: ratesPath, Said: "feed-set"}, err
	})
	if wrong := v.wrong(err); wrong != nil {
		return v.feedForm(http.StatusUnprocessableEntity, feed.ID, form, wrong)
	}
	return err
}

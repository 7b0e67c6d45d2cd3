package rates

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// feedsSheet lists the feeds with their last good and their last wrong answer.
// Only the host of an address is shown. The link to a feed is for users who may
// set rates.
func (v *visit) feedsSheet(feeds []rate.FeedState) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(sayFeedsTitle), Empty: view.Empty{Title: sayNoFeeds},
		Columns: v.Columns(false, sayFeedOne, say.FeedAddress, say.FeedOn, sayLastGood, sayLastWrong, sayFailedRow),
	}
	sheet.Columns[5].Right = true
	for _, f := range feeds {
		name := view.Cell{Text: v.Say(say.FeedNumber, strconv.FormatInt(f.ID, 10)), Note: "USDT/" + f.Currency}
		if v.setRateOf(f.Currency) != "" {
			name.Href = view.Link(portal.Numbered(portal.FeedsPath, f.ID))
		}
		state := view.Cell{Text: v.Say(sayFeedIsOff), Tone: "off"}
		if f.Enabled {
			state = view.Cell{Text: v.Say(sayFeedIsOn), Tone: "good"}
			if f.Failures > 0 {
				state.Tone = "bad"
			}
		}
		good, wrong := view.Cell{Text: v.Say(say.Never)}, view.Cell{Text: v.Say(say.Never)}
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

// hostOf is the host of an address. The rest is not shown, because its query
// may have a key.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func (v *visit) newFeed() error {
	return v.feedForm(http.StatusOK, 0, url.Values{
		"enabled": {"on"}, "priority": {"1"}, "pollSeconds": {"60"}, "timeoutMs": {"5000"}, "bandPercent": {"5"},
		"dayBandPercent": {"10"}, "freshSeconds": {"300"}, "token": {submission.NewToken()},
	}, nil)
}

// feedAsked is the feed in the address.
func (v *visit) feedAsked() (rate.FeedState, error) {
	id, err := v.Numbered()
	if err != nil {
		return rate.FeedState{}, err
	}
	_, feeds, err := v.Rates.List(v.Ctx(), v.Who)
	if err != nil {
		return rate.FeedState{}, err
	}
	at := slices.IndexFunc(feeds, func(f rate.FeedState) bool { return f.ID == id })
	if at < 0 {
		return rate.FeedState{}, fault.ErrNotFound
	}
	return feeds[at], nil
}

func (v *visit) feed(f rate.FeedState) error {
	values := feedValues(f.Feed)
	values.Set("seen", portal.Seen(values))
	values.Set("token", submission.NewToken())
	return v.feedForm(http.StatusOK, f.ID, values, nil)
}

// feedValues are a feed as values of its form.
func feedValues(f rate.Feed) url.Values {
	on := "off"
	if f.Enabled {
		on = "on"
	}
	number := func(n int32) []string { return []string{strconv.Itoa(int(n))} }
	return url.Values{
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
	}
}

// feedForm asks for a new feed if the id is 0, or changes one, whose currency
// stays. It has the token and the seen values that were typed into it, so that
// a mistake does not hide a change that somebody else has made.
func (v *visit) feedForm(status int, id int64, typed url.Values, wrong map[string]string) error {
	field := func(name string, label say.Phrase, hint say.Phrase) view.Field {
		f := view.Field{
			Name: name, Label: label, Value: typed.Get(name), Wrong: wrong["feed."+name], Max: 2048,
			More: map[string]any{"autocomplete": "off", "spellcheck": "false"},
		}
		if !hint.Empty() {
			f.Hint = v.Say(hint)
		}
		return f
	}
	none := say.Phrase{}
	shown := view.MoneyForm{
		Action: portal.FeedsPath + "/new",
		Text:   v.Say(sayFeedText),
		Submit: v.Say(sayKeepFeed),
		Back:   portal.RatesPath,
		Hidden: [][2]string{{"token", typed.Get("token")}, {"seen", typed.Get("seen")}},
		Choices: []view.Choice{
			portal.CurrencyChoice(typed.Get("currency"), wrong["feed.currency"]),
			{Name: "enabled", Label: say.FeedOn, Value: typed.Get("enabled"), Options: []view.Option{
				{Value: "on", Text: v.Say(sayFeedIsOn)}, {Value: "off", Text: v.Say(sayFeedIsOff)},
			}},
		},
		Fields: []view.Field{
			field("url", say.FeedAddress, none), field("pointer", say.FeedPointer, none),
			field("priority", say.PriorityOf, sayPriorityTip), field("pollSeconds", say.PollEvery, none),
			field("timeoutMs", say.TimeoutOf, none), field("bandPercent", say.BandPercent, sayBandTip),
			field("dayBandPercent", say.DayBand, sayDayBandTip), field("freshSeconds", say.FreshFor, none),
		},
	}
	for i, heading := range map[int]say.Phrase{0: sayFeedPart, 2: sayPollPart, 5: sayBeliefPart} {
		shown.Fields[i].Heading = heading
	}
	v.Shell.Title = v.Say(sayAddFeed)
	if id != 0 {
		shown.Action = portal.Numbered(portal.FeedsPath, id)
		v.Shell.Title = v.Say(sayFeedTitle, id)
		shown.Choices = shown.Choices[1:] // a feed cannot change its currency
	}
	return portal.Show(v.Visit, status, view.MoneyFormPage, shown)
}

func (v *visit) addFeed() error { return v.keepFeed(rate.Feed{}) }

func (v *visit) setFeed(f rate.FeedState) error {
	return v.keepFeed(f.Feed)
}

// keepFeed makes or changes a feed, once, and overwrites nothing that its form
// has not shown.
func (v *visit) keepFeed(feed rate.Feed) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	was := feedValues(feed)
	if feed.ID == 0 {
		feed.Currency = form.Get("currency")
	}
	number := func(name string) int32 { // what is no number is outside of every range
		n, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 32)
		if err != nil {
			return -1
		}
		return int32(n)
	}
	feed.Enabled, feed.URL, feed.Pointer = form.Get("enabled") == "on", strings.TrimSpace(form.Get("url")), form.Get("pointer")
	feed.Priority, feed.PollSeconds = number("priority"), number("pollSeconds")
	feed.TimeoutMS, feed.FreshSeconds = number("timeoutMs"), number("freshSeconds")
	feed.BandPercent, feed.DayBandPercent = money.Typed(form.Get("bandPercent")), money.Typed(form.Get("dayBandPercent"))
	keep := func() (submission.Outcome, error) {
		_, err := v.Rates.SetFeed(v.Ctx(), v.Who, feed)
		return submission.Outcome{LedTo: portal.RatesPath, Said: "feed-set"}, err
	}
	if feed.ID == 0 {
		err = v.Once(form, keep)
	} else {
		err = v.OnceAsSeen(form, was, portal.Numbered(portal.FeedsPath, feed.ID), keep)
	}
	if wrong := v.Wrong(err); wrong != nil {
		return v.feedForm(http.StatusUnprocessableEntity, feed.ID, form, wrong)
	}
	return err
}

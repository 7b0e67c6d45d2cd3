package settings

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/figures"
	"gateway.example/internal/ledger"
	"gateway.example/internal/session"
	"gateway.example/internal/setting"
	"gateway.example/web/chart"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryTraderRoutes = slices.Concat(
	[]route{looks(portal.TradersPath, (*visit).traderList)},
	makes(portal.TradersPath, caller.OperatorDirectory, (*visit).newTrader),
	settings(portal.TradersPath+"/{id}", caller.OperatorDirectory, (*visit).trader),
	switches(portal.TradersPath, (*visit).traderSwitch),
	settings(portal.TradersPath+"/{id}/payouts/{currency}/{method}", caller.OperatorDirectory, (*visit).traderPayout),
	settings(portal.TradersPath+"/{id}/processor", caller.OperatorDirectory, (*visit).processor),
	changes(
		portal.TradersPath+"/{id}/processor/remove",
		caller.OperatorDirectory, (*visit).removeProcessorPage, keeps((*visit).processorRemoved),
	),
)

// traderList lists traders, and how each one's newest payments went. The latter
// is read for the shown traders only, and left out if the database is too busy.
func (v *visit) traderList() error {
	list, cursor, err := v.Settings.Traders(v.Ctx(), v.Who, v.searched())
	d := Directory{
		Title: say.Traders, Path: portal.TradersPath, Hint: sayFindByName, NewLabel: sayNewTrader,
		New: v.Makes(portal.TradersPath+"/new", caller.OperatorDirectory),
		Columns: v.Columns(false,
			say.NameLabel, say.Number, sayPaidShare, sayConfirmsIn, sayUsable, say.SharePercent, say.RatePercent, say.Status),
	}
	var ids []int64
	for _, t := range list {
		ids = append(ids, t.ID)
	}
	if len(ids) == 0 {
		return v.showList(d, cursor, err)
	}
	health, err := portal.IfSoon(v.Figures.Traders(v.Ctx(), v.Who, ids, v.Shell.Zone))
	for _, t := range list {
		cells := append([]view.Cell{{Text: t.Name}, number(portal.IDText(t.ID))}, v.healthCells(health[t.ID])...)
		d.row(portal.Numbered(portal.TradersPath, t.ID), append(cells,
			number(t.SharePercent.String()), number(percentText(t.RatePercent)), v.Shell.BadgeCell(traderBadge(t)))...)
	}
	d.Text = sayHealthText
	return v.showList(d, cursor, err)
}

// healthCells show how well a trader works.
func (v *visit) healthCells(h figures.TraderHealth) []view.Cell {
	paid, confirms := number(none), number(none)
	if success := h.Success(); success != nil {
		paid.By = new(success.InexactFloat64())
		paid.Text = v.Shell.Percent(*success) + "\u00a0%"
		paid.Drawn = chart.Spark{Title: v.Say(sayPaidByDay), Values: h.Days}
	}
	if h.Completed > 0 {
		confirms.Text, confirms.By = v.Lasting(h.Median), new(h.Median.Seconds())
	}
	return []view.Cell{
		paid, confirms,
		{Text: v.Say(sayUsableOf, h.Usable, h.Requisites), By: new(float64(h.Usable)), Class: "num"},
	}
}

func traderBadge(t directory.Trader) view.Badge {
	if t.Enabled && t.OnBreak {
		return view.Badge{Text: sayOnBreakNow, Tone: "late"}
	}
	return view.OnBadge(t.Enabled)
}

func (v *visit) newTrader() subject {
	s := v.newOne(portal.TradersPath, say.Traders, sayNewTrader, caller.OperatorDirectory,
		inputsOf(setting.Trader.Only("name", "sharePercent", "ratePercent")...)...)
	s.keep = func(ctx context.Context, form typed) (string, error) {
		var n directory.NewTrader
		form.fill(setting.Trader, &n)
		c, err := v.Settings.CreateTrader(ctx, v.Who, n)
		return portal.Numbered(portal.TradersPath, c.Now.ID), err
	}
	return s
}

// traderForm has the settings on the page of a trader. A trader is suspended on
// a page of its own.
var traderForm = setting.Trader.Without("enabled")

// trader is the page of a trader, with balance and open payments. The lists of
// what belongs to the trader are read only to show the page, and not when its
// form is sent.
func (v *visit) trader() (subject, error) {
	t, err := portal.Named(v.Visit, v.Settings.Trader)
	if err != nil {
		return subject{}, err
	}
	s := oneOf(portal.TradersPath, setting.Trader, t.ID, t.Name, t.Version)
	s.inputs, s.values = inputsOf(traderForm.Settings...), valuesOf(setting.Trader, t)
	s.page.State = traderBadge(t)
	s.page.Crumbs = []Crumb{{Text: v.Say(say.Traders), Href: portal.TradersPath}}
	has, err := v.balanceFacts(ledger.Trader, t.ID)
	if err != nil {
		return s, err
	}
	open, err := v.openFact(directory.Whose{TraderID: t.ID}, portal.AsksTrader, portal.IDText(t.ID))
	s.page.Facts = append([]view.Fact{numberFact(t.ID), {Label: sayMadeOn, At: &t.CreatedAt}, open}, has...)
	s.page.Links = []SubjectStep{
		{Label: sayWhyPayments, Href: view.Link(portal.StandingPath(t.ID))},
		{Label: say.StatementTitle, Href: portal.StatementOf(ledger.Available(ledger.Trader, t.ID))},
	}
	s.page.Links = append(s.page.Links, v.switchStep(s.path, t.Enabled)...)
	if v.May(caller.OperatorMoney) {
		s.page.Links = append(s.page.Links, SubjectStep{
			Label: say.FundTitle, Href: view.Query(portal.MoneyPath+"/fund", "traderId", portal.IDText(t.ID)),
		})
	}
	s.more = func(s *subject) error { return v.traderLists(s, t) }
	s.keep = func(ctx context.Context, form typed) (string, error) {
		u := directory.TraderUpdate{ID: t.ID, Seen: form.Get("version")}
		form.fill(traderForm, &u)
		_, err := v.Settings.UpdateTrader(ctx, v.Who, u)
		return s.path, err
	}
	return s, err
}

// traderLists adds the lists of what belongs to a trader, and the steps to
// their first payment.
func (v *visit) traderLists(s *subject, t directory.Trader) error {
	for _, list := range []func() (Directory, error){
		func() (Directory, error) { return v.requisitesOf(t) },
		func() (Directory, error) { return v.traderPayouts(t) },
		func() (Directory, error) { return v.processors(t) },
		func() (Directory, error) { return v.boxesOf(directory.Search{TraderID: t.ID}, portal.AsksTrader) },
		func() (Directory, error) { return v.usersOf(session.UserSearch{TraderID: t.ID}, portal.AsksTrader) },
	} {
		d, err := list()
		if err != nil {
			return err
		}
		s.page.Lists = append(s.page.Lists, d)
	}
	var err error
	s.page.First, err = v.traderSteps(t)
	return err
}

// traderPayouts lists the methods by which a trader may pay out, with their
// settings.
func (v *visit) traderPayouts(t directory.Trader) (Directory, error) {
	set, err := v.Settings.TraderPayouts(v.Ctx(), v.Who, t.ID)
	d := Directory{
		Title: sayPayoutMethods, Columns: v.Columns(false, say.MethodLabel, say.Currency, say.Status), None: sayNobodyYet,
	}
	for _, currency := range catalogue.Currencies {
		for _, method := range catalogue.Payouts(currency) {
			badge := notSetYet
			for _, one := range set {
				if one.Currency == currency && one.Method == method.Name {
					badge = view.OnBadge(one.Enabled)
				}
			}
			d.row(portal.Numbered(portal.TradersPath, t.ID)+"/payouts/"+currency+"/"+method.Name,
				view.Cell{Text: v.MethodName(method.Name)}, view.Cell{Text: currency}, v.Shell.BadgeCell(badge))
		}
	}
	return d, err
}

// ofTrader begins the page of something that belongs to a trader and has no
// settings yet.
func (v *visit) ofTrader(t directory.Trader, path string) subject {
	trader := view.Link(portal.Numbered(portal.TradersPath, t.ID))
	s := subject{
		path: string(trader) + path, needs: caller.OperatorDirectory, version: directory.NotThere,
	}
	s.page.Crumbs = []Crumb{
		{Text: v.Say(say.Traders), Href: portal.TradersPath}, {Text: t.Name, Href: trader},
	}
	s.page.State, s.page.Form.Back = notSetYet, trader
	return s
}

// traderPayout is the page of a method by which a trader may pay out. The form
// of one that was never set has it on, which holds only once it is saved. A
// method that the currency does not have is not found.
func (v *visit) traderPayout() (subject, error) {
	t, err := portal.Named(v.Visit, v.Settings.Trader)
	if err != nil {
		return subject{}, err
	}
	m := directory.TraderPayoutMethod{
		TraderID: t.ID, Currency: v.R.PathValue("currency"), Method: v.R.PathValue("method"),
	}
	if _, known := catalogue.Find(catalogue.Payouts(m.Currency), m.Method); !known {
		return subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.TraderPayouts(v.Ctx(), v.Who, t.ID)
	s := v.ofTrader(t, "/payouts/"+m.Currency+"/"+m.Method)
	s.title = v.Say(sayMethodOf, v.MethodName(m.Method), m.Currency)
	s.log = [2]string{"trader_payout_method", portal.IDText(t.ID) + "/" + m.Currency + "/" + m.Method}
	s.inputs, s.values = inputsOf(setting.Trader.Find("enabled")), url.Values{"enabled": {"1"}}
	for _, one := range set {
		if one.Currency == m.Currency && one.Method == m.Method {
			s.version, s.page.State = one.Version, view.OnBadge(one.Enabled)
			s.values = url.Values{"enabled": {onOff(one.Enabled)}}
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		m.Enabled, m.Seen = *form.tick("enabled"), form.Get("version")
		_, err := v.Settings.SetTraderPayoutMethod(ctx, v.Who, m)
		return s.path, err
	}
	return s, err
}

// processors lists a trader's processors, present and former.
func (v *visit) processors(t directory.Trader) (Directory, error) {
	list, err := v.Acquirers.List(v.Ctx(), v.Who, t.ID)
	d := Directory{
		Title: sayProcessors, NewLabel: saySetProcessor, None: sayNobodyYet,
		New: v.Makes(view.Link(portal.Numbered(portal.TradersPath, t.ID)+"/processor"), caller.OperatorDirectory),
		Columns: v.Columns(false,
			say.ProcessorURL, sayApproved, sayDeclined, sayAttemptsFailed, sayTook, sayOpenAttempts, say.Status),
	}
	if err != nil || len(list) == 0 {
		return d, err
	}
	health, err := portal.IfSoon(v.Figures.Processors(v.Ctx(), v.Who, t.ID))
	for _, p := range list {
		h, known := health[p.ID]
		approved, took := "–", "–"
		if success := h.Success(); success != nil {
			approved = v.Say(sayApprovedOf, v.Shell.Percent(*success), h.Approved)
		}
		if known && h.Median >= 0 {
			took = v.Say(sayTookOf, v.seconds(h.Median), v.seconds(h.P95))
		}
		badge := view.Badge{Text: sayProcessorOld, Tone: "off"}
		if p.Present {
			badge = view.Badge{Text: sayProcessorNow, Tone: "good"}
		}
		d.row(portal.Numbered(portal.TradersPath, t.ID)+"/processor", view.Cell{Text: p.URL, Note: p.KeyID},
			number(approved), number(portal.IDText(h.Declined)), number(portal.IDText(h.Failed)), number(took),
			number(portal.IDText(p.Open)), v.Shell.BadgeCell(badge))
	}
	d.Text = sayProcessorsText
	return d, err
}

// seconds writes a time in seconds with one decimal.
func (v *visit) seconds(d time.Duration) string {
	return v.Shell.Percent(decimal.New(d.Milliseconds(), -3))
}

func (v *visit) processor() (subject, error) {
	_, s, err := v.processorAsked()
	return s, err
}

// processorAsked is the trader in the address and the page of their processor
// of cards. The secret is never shown, and has to be typed at every change. A
// former processor is shown as none.
func (v *visit) processorAsked() (directory.Trader, subject, error) {
	t, err := portal.Named(v.Visit, v.Settings.Trader)
	if err != nil {
		return t, subject{}, err
	}
	list, err := v.Acquirers.List(v.Ctx(), v.Who, t.ID)
	s := v.ofTrader(t, "/processor")
	s.title, s.log = v.Say(sayProcessor), [2]string{"trader_acquirer", portal.IDText(t.ID)}
	s.inputs = []input{
		{name: "url", label: say.ProcessorURL, max: 2048, needed: true},
		{name: "keyId", label: say.KeyID, needed: true},
		{name: "secret", label: say.ProcessorSecret, kind: asSecret, needed: true},
	}
	s.page.Form.Text, s.page.Form.Save = sayProcessorText, saySetProcessor
	if len(list) > 0 && list[0].Present {
		s.version, s.page.State = list[0].Version, view.Badge{Text: sayProcessorNow, Tone: "good"}
		s.values = url.Values{"url": {list[0].URL}, "keyId": {list[0].KeyID}}
		s.page.Facts = []view.Fact{{Label: sayOpenAttempts, Value: portal.IDText(list[0].Open), Class: "num"}}
		if v.May(s.needs) {
			s.page.Links = []SubjectStep{
				{Label: sayRemoveProcessor, Href: view.Link(s.path + "/remove"), Danger: true},
			}
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		_, _, err := v.Acquirers.Set(ctx, v.Who, acquirer.Setting{
			TraderID: t.ID, URL: form.plain("url"), KeyID: form.plain("keyId"), Secret: form.Get("secret"),
			Seen: form.Get("version"),
		})
		return string(s.page.Form.Back), err
	}
	return t, s, err
}

// removeProcessorPage asks before a trader's processor is removed, naming its
// address. Cards that were sent to it go on.
func (v *visit) removeProcessorPage() error {
	t, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.Question(view.Question{
		Title: sayRemoveProcessor1, Texts: []string{v.Say(sayRemoveProcText)}, Action: s.path + "/remove",
		Yes: v.Say(sayRemoveProcYes), Danger: true, Back: view.Link(s.path),
		Facts: []view.Fact{
			{Label: sayTraderLabel, Value: t.Name}, {Label: say.ProcessorURL, Value: s.values.Get("url")},
		},
	})
}

// processorRemoved is the page that removes the processor.
func (v *visit) processorRemoved() (subject, error) {
	t, s, err := v.processorAsked()
	s.said = "processor-off"
	s.keep = func(ctx context.Context, _ typed) (string, error) {
		_, err := v.Acquirers.Remove(ctx, v.Who, t.ID)
		return string(s.page.Form.Back), err
	}
	return s, err
}

package settings

import (
	"context"
	"net/http"
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
	changes(portal.TradersPath+"/new", caller.OperatorDirectory, (*visit).traderNew, (*visit).makeTrader),
	settings(portal.TradersPath+"/{id}", caller.OperatorDirectory, (*visit).traderPage, (*visit).changeTrader),
	switches(portal.TradersPath, (*visit).traderSwitch),
	settings(
		portal.TradersPath+"/{id}/payouts/{currency}/{method}",
		caller.OperatorDirectory, (*visit).traderPayout, (*visit).setTraderPayout,
	),
	settings(portal.TradersPath+"/{id}/processor", caller.OperatorDirectory, (*visit).processor, (*visit).setProcessor),
	changes(
		portal.TradersPath+"/{id}/processor/remove",
		caller.OperatorDirectory, (*visit).removeProcessorPage, (*visit).removeProcessor,
	),
)

func (v *visit) traderList() error {
	list, cursor, err := v.Settings.Traders(v.Ctx(), v.Who, v.searched())
	d := Directory{
		Title: say.Traders, Path: portal.TradersPath, Hint: sayFindByName, NewLabel: sayNewTrader,
		New: v.Makes(portal.TradersPath+"/new", caller.OperatorDirectory),
		Columns: []say.Phrase{
			say.NameLabel, say.Number, sayPaidShare, sayConfirmsIn, sayUsable, say.SharePercent, say.RatePercent, say.Status,
		},
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
		cells := []SubjectCell{{Text: t.Name}, {Text: portal.IDText(t.ID), Class: "num"}}
		cells = append(cells, v.healthCells(health[t.ID])...)
		d.Rows = append(d.Rows, DirectoryRow{
			Href: view.Link(portal.Numbered(portal.TradersPath, t.ID)),
			Cells: append(cells, SubjectCell{Text: t.SharePercent.String(), Class: "num"},
				SubjectCell{Text: percentText(t.RatePercent), Class: "num"}, SubjectCell{Badge: traderBadge(t)}),
		})
	}
	d.Text = sayHealthText
	return v.showList(d, cursor, err)
}

// healthCells show how a trader works.
func (v *visit) healthCells(h figures.TraderHealth) []SubjectCell {
	paid, confirms := SubjectCell{Text: none, Class: "num"}, SubjectCell{Text: none, Class: "num"}
	if success := h.Success(); success != nil {
		paid.By = new(success.InexactFloat64())
		paid.Text = v.Shell.Percent(*success) + "\u00a0%"
		paid.Drawn = chart.Spark{Title: v.Shell.Say(sayPaidByDay), Values: h.Days}
	}
	if h.Completed > 0 {
		confirms.Text, confirms.By = v.Lasting(h.Median), new(h.Median.Seconds())
	}
	return []SubjectCell{
		paid, confirms,
		{Text: v.Shell.Say(sayUsableOf, h.Usable, h.Requisites), By: new(float64(h.Usable)), Class: "num"},
	}
}

func traderBadge(t directory.Trader) view.Badge {
	if t.Enabled && t.OnBreak {
		return view.Badge{Text: sayOnBreakNow, Tone: "late"}
	}
	return OnBadge(t.Enabled)
}

func (v *visit) newTrader() subject {
	s := subject{
		title: v.Shell.Say(sayNewTrader), path: portal.TradersPath + "/new", needs: caller.OperatorDirectory,
		inputs: inputsOf(setting.Trader.Only("name", "sharePercent", "ratePercent")...),
	}
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.Traders), Href: portal.TradersPath}}
	s.page.Form.Save, s.page.Form.Back = sayMake, portal.TradersPath
	return s
}

func (v *visit) traderNew() error { return v.showSubject(http.StatusOK, v.newTrader(), nil) }

func (v *visit) makeTrader() error {
	return v.keepSubject(v.newTrader(), "setting-made", func(ctx context.Context, form typed) (string, error) {
		var n directory.NewTrader
		form.fill(setting.Trader, &n)
		c, err := v.Settings.CreateTrader(ctx, v.Who, n)
		return portal.Numbered(portal.TradersPath, c.Now.ID), err
	})
}

// traderAsked is the trader that the address names.
func (v *visit) traderAsked() (directory.Trader, error) {
	id, err := v.named()
	if err != nil {
		return directory.Trader{}, err
	}
	return v.Settings.Trader(v.Ctx(), v.Who, id)
}

// traderForm is what the page of a trader changes: they are suspended on a page of its own.
var traderForm = setting.Trader.Without("enabled")

func (v *visit) traderSubject(t directory.Trader) (subject, error) {
	s := subject{
		title: t.Name, path: portal.Numbered(portal.TradersPath, t.ID), needs: caller.OperatorDirectory, version: t.Version,
		log:    [2]string{"trader", portal.IDText(t.ID)},
		inputs: inputsOf(traderForm.Settings...), values: valuesOf(setting.Trader, t),
	}
	s.page.State = traderBadge(t)
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.Traders), Href: portal.TradersPath}}
	has, err := v.balanceFacts(ledger.Trader, t.ID)
	if err != nil {
		return s, err
	}
	open, err := v.openFact(directory.Whose{TraderID: t.ID}, portal.AsksTrader, portal.IDText(t.ID))
	s.page.Facts = append([]SubjectFact{
		{Label: say.Number, Value: portal.IDText(t.ID), Class: "num"}, {Label: sayMadeOn, At: &t.CreatedAt}, open,
	}, has...)
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
	return s, err
}

func (v *visit) traderPage() error {
	t, err := v.traderAsked()
	if err != nil {
		return err
	}
	s, err := v.traderSubject(t)
	if err != nil {
		return err
	}
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
	if s.page.First, err = v.traderSteps(t); err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) changeTrader() error {
	t, err := v.traderAsked()
	if err != nil {
		return err
	}
	s, err := v.traderSubject(t)
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		u := directory.TraderUpdate{ID: t.ID, Seen: form.Get("version")}
		form.fill(traderForm, &u)
		_, err := v.Settings.UpdateTrader(ctx, v.Who, u)
		return s.path, err
	})
}

// traderPayouts are the methods that a trader may pay out by, with how each is set.
func (v *visit) traderPayouts(t directory.Trader) (Directory, error) {
	set, err := v.Settings.TraderPayouts(v.Ctx(), v.Who, t.ID)
	d := Directory{
		Title: sayPayoutMethods, Columns: []say.Phrase{say.MethodLabel, say.Currency, say.Status}, None: sayNobodyYet,
	}
	for _, currency := range catalogue.Currencies {
		for _, method := range catalogue.Payouts(currency) {
			badge := view.Badge{Text: sayNotSetYet, Tone: "off"}
			for _, one := range set {
				if one.Currency == currency && one.Method == method.Name {
					badge = OnBadge(one.Enabled)
				}
			}
			d.Rows = append(d.Rows, DirectoryRow{
				Href:  view.Link(portal.Numbered(portal.TradersPath, t.ID) + "/payouts/" + currency + "/" + method.Name),
				Cells: []SubjectCell{{Text: v.MethodName(method.Name)}, {Text: currency}, {Badge: badge}},
			})
		}
	}
	return d, err
}

// ofTrader begins a page of something that belongs to a trader.
func (v *visit) ofTrader(t directory.Trader, path string) subject {
	s := subject{path: portal.Numbered(portal.TradersPath, t.ID) + path, needs: caller.OperatorDirectory}
	s.page.Crumbs = []Crumb{
		{Text: v.Shell.Say(say.Traders), Href: portal.TradersPath},
		{Text: t.Name, Href: view.Link(portal.Numbered(portal.TradersPath, t.ID))},
	}
	s.page.Form.Back = view.Link(portal.Numbered(portal.TradersPath, t.ID))
	return s
}

func (v *visit) traderPayoutAsked() (directory.TraderPayoutMethod, subject, error) {
	t, err := v.traderAsked()
	if err != nil {
		return directory.TraderPayoutMethod{}, subject{}, err
	}
	m := directory.TraderPayoutMethod{
		TraderID: t.ID, Currency: v.R.PathValue("currency"), Method: v.R.PathValue("method"),
	}
	if _, known := catalogue.Find(catalogue.Payouts(m.Currency), m.Method); !known {
		return m, subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.TraderPayouts(v.Ctx(), v.Who, t.ID)
	s := v.ofTrader(t, "/payouts/"+m.Currency+"/"+m.Method)
	s.title = v.Shell.Say(sayMethodOf, v.MethodName(m.Method), m.Currency)
	s.log = [2]string{"trader_payout_method", portal.IDText(t.ID) + "/" + m.Currency + "/" + m.Method}
	s.inputs, s.version = inputsOf(setting.Trader.Find("enabled")), directory.NotThere
	s.values = filled(map[string]string{"enabled": "1"})
	s.page.State = view.Badge{Text: sayNotSetYet, Tone: "off"}
	for _, one := range set {
		if one.Currency == m.Currency && one.Method == m.Method {
			s.version, s.page.State = one.Version, OnBadge(one.Enabled)
			s.values = filled(map[string]string{"enabled": onOff(one.Enabled)})
		}
	}
	return m, s, err
}

func (v *visit) traderPayout() error {
	_, s, err := v.traderPayoutAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setTraderPayout() error {
	m, s, err := v.traderPayoutAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		m.Enabled, m.Seen = *form.tick("enabled"), form.Get("version")
		_, err := v.Settings.SetTraderPayoutMethod(ctx, v.Who, m)
		return s.path, err
	})
}

// processors are a trader's, present and former.
func (v *visit) processors(t directory.Trader) (Directory, error) {
	list, err := v.Acquirers.List(v.Ctx(), v.Who, t.ID)
	d := Directory{
		Title: sayProcessors, NewLabel: saySetProcessor, None: sayNobodyYet,
		New: v.Makes(view.Link(portal.Numbered(portal.TradersPath, t.ID)+"/processor"), caller.OperatorDirectory),
		Columns: []say.Phrase{
			say.ProcessorURL, sayApproved, sayDeclined, sayAttemptsFailed, sayTook, sayOpenAttempts, say.Status,
		},
	}
	if err != nil || len(list) == 0 {
		return d, err
	}
	health, err := portal.IfSoon(v.Figures.Processors(v.Ctx(), v.Who, t.ID))
	for _, p := range list {
		h, known := health[p.ID]
		approved, took := "–", "–"
		if success := h.Success(); success != nil {
			approved = v.Shell.Say(sayApprovedOf, v.Shell.Percent(*success), h.Approved)
		}
		if known && h.Median >= 0 {
			took = v.Shell.Say(sayTookOf, v.seconds(h.Median), v.seconds(h.P95))
		}
		badge := view.Badge{Text: sayProcessorOld, Tone: "off"}
		if p.Present {
			badge = view.Badge{Text: sayProcessorNow, Tone: "good"}
		}
		d.Rows = append(d.Rows, DirectoryRow{
			Href: view.Link(portal.Numbered(portal.TradersPath, t.ID) + "/processor"),
			Cells: []SubjectCell{
				{Text: p.URL, Note: p.KeyID},
				{Text: approved, Class: "num"},
				{Text: portal.IDText(h.Declined), Class: "num"},
				{Text: portal.IDText(h.Failed), Class: "num"},
				{Text: took, Class: "num"},
				{Text: portal.IDText(p.Open), Class: "num"},
				{Badge: badge},
			},
		})
	}
	d.Text = sayProcessorsText
	return d, err
}

// seconds writes a time in seconds with one decimal.
func (v *visit) seconds(d time.Duration) string {
	return v.Shell.Percent(decimal.New(d.Milliseconds(), -3))
}

func (v *visit) processorAsked() (directory.Trader, subject, error) {
	t, err := v.traderAsked()
	if err != nil {
		return t, subject{}, err
	}
	list, err := v.Acquirers.List(v.Ctx(), v.Who, t.ID)
	s := v.ofTrader(t, "/processor")
	s.title, s.log, s.version = v.Shell.Say(sayProcessor), [2]string{
		"trader_acquirer",
		portal.IDText(t.ID),
	}, directory.NotThere
	s.inputs = []input{
		{name: "url", label: say.ProcessorURL, max: 2048, needed: true},
		{name: "keyId", label: say.KeyID, needed: true},
		{name: "secret", label: say.ProcessorSecret, kind: asSecret, needed: true},
	}
	s.page.Form.Text, s.page.Form.Save = sayProcessorText, saySetProcessor
	s.page.State = view.Badge{Text: sayNotSetYet, Tone: "off"}
	if len(list) > 0 && list[0].Present {
		s.version, s.page.State = list[0].Version, view.Badge{Text: sayProcessorNow, Tone: "good"}
		s.values = filled(map[string]string{"url": list[0].URL, "keyId": list[0].KeyID})
		s.page.Facts = []SubjectFact{{Label: sayOpenAttempts, Value: portal.IDText(list[0].Open), Class: "num"}}
		if v.May(s.needs) {
			s.page.Links = []SubjectStep{
				{Label: sayRemoveProcessor, Href: view.Link(s.path + "/remove"), Danger: true},
			}
		}
	}
	return t, s, err
}

func (v *visit) processor() error {
	_, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setProcessor() error {
	t, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		_, _, err := v.Acquirers.Set(ctx, v.Who, acquirer.Setting{
			TraderID: t.ID, URL: form.plain("url"), KeyID: form.plain("keyId"), Secret: form.Get("secret"),
			Seen: form.Get("version"),
		})
		return portal.Numbered(portal.TradersPath, t.ID), err
	})
}

func (v *visit) removeProcessorPage() error {
	t, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.Question(view.Question{
		Title: sayRemoveProcessor1, Texts: []string{v.Shell.Say(sayRemoveProcText)}, Action: s.path + "/remove",
		Yes: v.Shell.Say(sayRemoveProcYes), Danger: true, Back: view.Link(s.path),
		Facts: []view.Fact{
			{Label: sayTraderLabel, Value: t.Name}, {Label: say.ProcessorURL, Value: s.values.Get("url")},
		},
	})
}

func (v *visit) removeProcessor() error {
	t, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "processor-off", func(ctx context.Context, _ typed) (string, error) {
		_, err := v.Acquirers.Remove(ctx, v.Who, t.ID)
		return portal.Numbered(portal.TradersPath, t.ID), err
	})
}

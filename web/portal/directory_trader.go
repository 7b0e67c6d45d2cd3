package portal

import (
	"context"
	"net/http"
	"slices"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const tradersPath = "/operator/traders"

var directoryTraderRoutes = slices.Concat(
	[]route{looks(tradersPath, (*visit).traderList)},
	changes(tradersPath+"/new", caller.OperatorDirectory, (*visit).traderNew, (*visit).makeTrader),
	settings(tradersPath+"/{id}", caller.OperatorDirectory, (*visit).traderPage, (*visit).changeTrader),
	settings(
		tradersPath+"/{id}/payouts/{currency}/{method}",
		caller.OperatorDirectory, (*visit).traderPayout, (*visit).setTraderPayout,
	),
	[]route{},
	settings(tradersPath+"/{id}/processor", caller.OperatorDirectory, (*visit).processor, (*visit).setProcessor),
	changes(
		tradersPath+"/{id}/processor/remove",
		caller.OperatorDirectory, (*visit).removeProcessorPage, (*visit).removeProcessor,
	),
)

func (v *visit) traderList() error {
	list, cursor, err := v.Settings.Traders(v.ctx(), v.who, v.searched())
	d := view.Directory{
		Title: say.Traders, Path: tradersPath, Hint: say.FindByName, NewLabel: say.NewTrader,
		New:     v.makes(tradersPath+"/new", caller.OperatorDirectory),
		Columns: []say.Phrase{say.NameLabel, say.Number, say.SharePercent, say.RatePercent, say.Status},
	}
	for _, t := range list {
		d.Rows = append(
			d.Rows,
			view.DirectoryRow{Href: view.Link(numbered(tradersPath, t.ID)), Cells: []view.SubjectCell{
				{Text: t.Name}, {Text: idText(t.ID), Class: "num"}, {Text: t.SharePercent.String(), Class: "num"},
				{Text: percentText(t.RatePercent), Class: "num"}, {Badge: traderBadge(t)},
			}},
		)
	}
	return v.showList(d, cursor, err)
}

func traderBadge(t directory.Trader) view.Badge {
	if t.Enabled && t.OnBreak {
		return view.Badge{Text: say.OnBreakNow, Tone: "late"}
	}
	return view.OnBadge(t.Enabled)
}

var shareInput = input{name: "sharePercent", label: say.SharePercent, kind: asNumber, max: 12, needed: true}

func (v *visit) newTrader() subject {
	s := subject{
		title: v.shell.Say(say.NewTrader), path: tradersPath + "/new", needs: caller.OperatorDirectory,
		inputs: []input{nameInput, shareInput, rateInput},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Traders), Href: tradersPath}}
	s.page.Form.Save, s.page.Form.Back = say.Make, tradersPath
	return s
}

func (v *visit) traderNew() error { return v.showSubject(http.StatusOK, v.newTrader(), nil) }

func (v *visit) makeTrader() error {
	return v.keepSubject(v.newTrader(), "setting-made", func(ctx context.Context, form typed) (string, error) {
		c, err := v.Settings.CreateTrader(ctx, v.who, directory.NewTrader{
			Name: form.plain(
				"name",
			),
			SharePercent: *form.number("sharePercent"),
			RatePercent:  *form.number("ratePercent"),
		})
		return tradersPath + "/" + c.SubjectKey, err
	})
}

// traderAsked is the trader that the address names.
func (v *visit) traderAsked() (directory.Trader, error) {
	id, err := v.named()
	if err != nil {
		return directory.Trader{}, err
	}
	return v.Settings.Trader(v.ctx(), v.who, id)
}

func (v *visit) traderSubject(t directory.Trader) (subject, error) {
	s := subject{
		title: t.Name, path: numbered(tradersPath, t.ID), needs: caller.OperatorDirectory, version: t.Version,
		log: [2]string{"trader", idText(t.ID)},
		inputs: []input{
			nameInput, switchInput, shareInput, rateInput,
			{name: "maxOpenPayins", label: say.MaxOpenPayins, kind: asWhole, max: 10, needed: true},
		},
		values: filled(map[string]string{
			"name": t.Name, "enabled": onOff(t.Enabled), "sharePercent": t.SharePercent.String(),
			"ratePercent": percentText(t.RatePercent), "maxOpenPayins": counted(&t.MaxOpenPayins),
		}),
	}
	s.page.State = traderBadge(t)
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Traders), Href: tradersPath}}
	has, err := v.balanceFacts(ledger.Trader, t.ID)
	if err != nil {
		return s, err
	}
	open, err := v.openFact(directory.Whose{TraderID: t.ID}, asksTrader, idText(t.ID))
	s.page.Facts = append([]view.SubjectFact{
		{Label: say.Number, Value: idText(t.ID), Class: "num"}, {Label: say.MadeOn, At: &t.CreatedAt}, open,
	}, has...)
	s.page.Links = []view.SubjectStep{
		{Label: say.StatementTitle, Href: statementOf(ledger.Available(ledger.Trader, t.ID))},
	}
	if v.may(caller.OperatorMoney) {
		s.page.Links = append(s.page.Links, view.SubjectStep{
			Label: say.FundTitle, Href: view.Query(moneyPath+"/fund", "traderId", idText(t.ID)),
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
	for _, list := range []func() (view.Directory, error){
		func() (view.Directory, error) { return v.requisitesOf(t) },
		func() (view.Directory, error) { return v.traderPayouts(t) },
		func() (view.Directory, error) { return v.processors(t) },
		func() (view.Directory, error) { return v.boxesOf(directory.Search{TraderID: t.ID}, asksTrader) },
		func() (view.Directory, error) { return v.usersOf(session.UserSearch{TraderID: t.ID}, asksTrader) },
	} {
		d, err := list()
		if err != nil {
			return err
		}
		s.page.Lists = append(s.page.Lists, d)
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
		_, err := v.Settings.UpdateTrader(ctx, v.who, directory.TraderUpdate{
			ID: t.ID, Name: form.text("name"), Enabled: form.tick("enabled"), RatePercent: form.number("ratePercent"),
			SharePercent: form.number("sharePercent"), MaxOpenPayins: form.whole("maxOpenPayins"),
			Seen: form.Get("version"),
		})
		return s.path, err
	})
}

// traderPayouts are the methods that a trader may pay out by, with how each is set.
func (v *visit) traderPayouts(t directory.Trader) (view.Directory, error) {
	set, err := v.Settings.TraderPayouts(v.ctx(), v.who, t.ID)
	d := view.Directory{
		Title: say.PayoutMethods, Columns: []say.Phrase{say.MethodLabel, say.Currency, say.Status}, None: say.NobodyYet,
	}
	for _, currency := range catalogue.Currencies {
		for _, method := range catalogue.Payouts(currency) {
			badge := view.Badge{Text: say.NotSetYet, Tone: "off"}
			for _, one := range set {
				if one.Currency == currency && one.Method == method.Name {
					badge = view.OnBadge(one.Enabled)
				}
			}
			d.Rows = append(d.Rows, view.DirectoryRow{
				Href:  view.Link(numbered(tradersPath, t.ID) + "/payouts/" + currency + "/" + method.Name),
				Cells: []view.SubjectCell{{Text: v.methodName(method.Name)}, {Text: currency}, {Badge: badge}},
			})
		}
	}
	return d, err
}

// ofTrader begins a page of something that belongs to a trader.
func (v *visit) ofTrader(t directory.Trader, path string) subject {
	s := subject{path: numbered(tradersPath, t.ID) + path, needs: caller.OperatorDirectory}
	s.page.Crumbs = []view.Crumb{
		{Text: v.shell.Say(say.Traders), Href: tradersPath},
		{Text: t.Name, Href: view.Link(numbered(tradersPath, t.ID))},
	}
	s.page.Form.Back = view.Link(numbered(tradersPath, t.ID))
	return s
}

func (v *visit) traderPayoutAsked() (directory.TraderPayoutMethod, subject, error) {
	t, err := v.traderAsked()
	if err != nil {
		return directory.TraderPayoutMethod{}, subject{}, err
	}
	m := directory.TraderPayoutMethod{
		TraderID: t.ID, Currency: v.r.PathValue("currency"), Method: v.r.PathValue("method"),
	}
	if _, known := catalogue.Find(catalogue.Payouts(m.Currency), m.Method); !known {
		return m, subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.TraderPayouts(v.ctx(), v.who, t.ID)
	s := v.ofTrader(t, "/payouts/"+m.Currency+"/"+m.Method)
	s.title = v.shell.Say(say.MethodOf, v.methodName(m.Method), m.Currency)
	s.log = [2]string{"trader_payout_method", idText(t.ID) + "/" + m.Currency + "/" + m.Method}
	s.inputs, s.version = []input{switchInput}, directory.NotThere
	s.values = filled(map[string]string{"enabled": "1"})
	s.page.State = view.Badge{Text: say.NotSetYet, Tone: "off"}
	for _, one := range set {
		if one.Currency == m.Currency && one.Method == m.Method {
			s.version, s.page.State = one.Version, view.OnBadge(one.Enabled)
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
		_, err := v.Settings.SetTraderPayoutMethod(ctx, v.who, m)
		return s.path, err
	})
}

// processors are a trader's, present and former.
func (v *visit) processors(t directory.Trader) (view.Directory, error) {
	list, err := v.Acquirers.List(v.ctx(), v.who, t.ID)
	d := view.Directory{
		Title: say.Processors, NewLabel: say.SetProcessor, None: say.NobodyYet,
		New:     v.makes(view.Link(numbered(tradersPath, t.ID)+"/processor"), caller.OperatorDirectory),
		Columns: []say.Phrase{say.ProcessorURL, say.KeyID, say.OpenAttempts, say.Status},
	}
	for _, p := range list {
		badge := view.Badge{Text: say.ProcessorOld, Tone: "off"}
		if p.Present {
			badge = view.Badge{Text: say.ProcessorNow, Tone: "good"}
		}
		d.Rows = append(d.Rows, view.DirectoryRow{
			Href: view.Link(numbered(tradersPath, t.ID) + "/processor"),
			Cells: []view.SubjectCell{
				{Text: p.URL}, {Text: p.KeyID, Class: "mono"}, {Text: idText(p.Open), Class: "num"}, {Badge: badge},
			},
		})
	}
	return d, err
}

func (v *visit) processorAsked() (directory.Trader, subject, error) {
	t, err := v.traderAsked()
	if err != nil {
		return t, subject{}, err
	}
	list, err := v.Acquirers.List(v.ctx(), v.who, t.ID)
	s := v.ofTrader(t, "/processor")
	s.title, s.log, s.version = v.shell.Say(
		say.Processor,
	), [2]string{
		"trader_acquirer",
		idText(t.ID),
	}, directory.NotThere
	s.inputs = []input{
		{name: "url", label: say.ProcessorURL, max: 2048, needed: true},
		{name: "keyId", label: say.KeyID, needed: true},
		{name: "secret", label: say.ProcessorSecret, kind: asSecret, needed: true},
	}
	s.page.Form.Text, s.page.Form.Save = say.ProcessorText, say.SetProcessor
	s.page.State = view.Badge{Text: say.NotSetYet, Tone: "off"}
	if len(list) > 0 && list[0].Present {
		s.version, s.page.State = list[0].Version, view.Badge{Text: say.ProcessorNow, Tone: "good"}
		s.values = filled(map[string]string{"url": list[0].URL, "keyId": list[0].KeyID})
		s.page.Facts = []view.SubjectFact{{Label: say.OpenAttempts, Value: idText(list[0].Open), Class: "num"}}
		if v.may(s.needs) {
			s.page.Links = []view.SubjectStep{
				{Label: say.RemoveProcessor, Href: view.Link(s.path + "/remove"), Danger: true},
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
		_, _, err := v.Acquirers.Set(ctx, v.who, acquirer.Setting{
			TraderID: t.ID, URL: form.plain("url"), KeyID: form.plain("keyId"), Secret: form.Get("secret"),
			Seen: form.Get("version"),
		})
		return numbered(tradersPath, t.ID), err
	})
}

func (v *visit) removeProcessorPage() error {
	t, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.question(view.Question{
		Title: say.RemoveProcessor1, Texts: []string{v.shell.Say(say.RemoveProcText)}, Action: s.path + "/remove",
		Yes: v.shell.Say(say.RemoveProcYes), Danger: true, Back: view.Link(s.path),
		Facts: []view.Fact{
			{Label: say.TraderLabel, Value: t.Name}, {Label: say.ProcessorURL, Value: s.values.Get("url")},
		},
	})
}

func (v *visit) removeProcessor() error {
	t, s, err := v.processorAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "processor-off", func(ctx context.Context, _ typed) (string, error) {
		_, err := v.Acquirers.Remove(ctx, v.who, t.ID)
		return numbered(tradersPath, t.ID), err
	})
}

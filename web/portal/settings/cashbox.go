package settings

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryCashboxRoutes = slices.Concat(
	[]route{looks(portal.CashboxesPath, (*visit).boxList)},
	changes(portal.CashboxesPath+"/new", caller.OperatorDirectory, (*visit).boxNew, (*visit).makeBox),
	settings(portal.CashboxesPath+"/{id}", caller.OperatorDirectory, (*visit).boxPage, (*visit).changeBox),
	switches(portal.CashboxesPath, (*visit).boxSwitch),
	changes(portal.CashboxesPath+"/{id}/logo", caller.OperatorDirectory, (*visit).askLogo, (*visit).removeLogo),
	settings(portal.CashboxesPath+"/{id}/methods/{method}", caller.OperatorDirectory, (*visit).boxMethod, (*visit).setBoxMethod),
	settings(portal.CashboxesPath+"/{id}/payouts/{method}", caller.OperatorDirectory, (*visit).boxPayout, (*visit).setBoxPayout),
)

func (v *visit) boxList() error {
	list, cursor, err := v.Settings.Cashboxes(v.Ctx(), v.Who, v.searched())
	d := v.boxTable(list)
	d.Title, d.Path, d.Hint = say.Cashboxes, portal.CashboxesPath, sayFindByName
	d.Owner, d.OwnerLabel, d.OwnerText = portal.MerchantsPath, say.Merchants, sayBoxOfMerchant
	return v.showList(d, cursor, err, portal.AsksMerchant, portal.AsksTrader, portal.AsksCurrency)
}

func (v *visit) boxTable(list []directory.Cashbox) Directory {
	d := Directory{
		Title:    say.Cashboxes,
		NewLabel: sayNewCashbox,
		None:     sayNobodyYet,
		New: v.Makes(
			view.Query(portal.CashboxesPath+"/new", portal.AsksMerchant, v.R.URL.Query().Get(portal.AsksMerchant)),
			caller.OperatorDirectory,
		),
		Columns: []say.Phrase{say.NameLabel, say.Number, sayMerchantLabel, say.Currency, say.Status},
	}
	for _, c := range list {
		d.Rows = append(
			d.Rows,
			DirectoryRow{Href: view.Link(portal.Numbered(portal.CashboxesPath, c.ID)), Cells: []SubjectCell{
				{Text: c.Name}, {Text: portal.IDText(c.ID), Class: "num"}, {Text: c.MerchantName}, {Text: c.Currency},
				{Badge: OnBadge(c.CollectEnabled)},
			}},
		)
	}
	return d
}

// listedWithin is how many of a list are shown on another page.
const listedWithin = 10

// boxesOf are the first cashboxes of somebody.
func (v *visit) boxesOf(search directory.Search, by string) (Directory, error) {
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Settings.Cashboxes(v.Ctx(), v.Who, search)
	d := v.boxTable(list)
	id := v.R.PathValue("id")
	if by == portal.AsksMerchant {
		d.New = v.Makes(view.Query(portal.CashboxesPath+"/new", by, id), caller.OperatorDirectory)
	} else {
		d.New = ""
	}
	if more != nil {
		d.All = view.Query(portal.CashboxesPath, by, id)
	}
	return d, err
}

func (v *visit) newBox() subject {
	own := inputsOf(setting.Cashbox.Only("name", "traderCashboxId")...)
	s := subject{
		title: v.Shell.Say(sayNewCashbox), path: portal.CashboxesPath + "/new", needs: caller.OperatorDirectory,
		inputs: []input{
			{name: "merchantId", label: say.PortalMerchant, kind: asPick, pick: portal.PickMerchant, needed: true}, own[0],
			{name: "currency", label: say.Currency, options: chosen(catalogue.Currencies...)}, own[1],
		},
		values: url.Values{"merchantId": {v.R.URL.Query().Get(portal.AsksMerchant)}},
	}
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.Cashboxes), Href: portal.CashboxesPath}}
	s.page.Form.Save, s.page.Form.Back = sayMake, portal.CashboxesPath
	return s
}

func (v *visit) boxNew() error { return v.showSubject(http.StatusOK, v.newBox(), nil) }

// makeBox makes a cashbox, once, and shows its secret in the answer.
func (v *visit) makeBox() error {
	secret, path := "", ""
	err := v.keepSecret(v.newBox(), "secret-before", func(ctx context.Context, form typed) (string, bool, error) {
		c, made, err := v.Settings.CreateCashbox(ctx, v.Who, directory.NewCashbox{
			MerchantID: form.id("merchantId"), Name: form.plain("name"), Currency: form.plain("currency"),
			TraderID: form.id("traderCashboxId"),
		})
		secret, path = made, portal.Numbered(portal.CashboxesPath, c.Now.ID)
		return path, err == nil, err
	})
	if err != nil || secret == "" {
		return err
	}
	return v.Reveal(sayCashboxMade, view.Shown{
		Text: v.Shell.Say(sayCashboxMadeText), Label: sayWebhookSecret, Secret: secret, Next: view.Link(path),
	})
}

// boxAsked is the cashbox that the address names.
func (v *visit) boxAsked() (directory.Cashbox, error) {
	id, err := v.named()
	if err != nil {
		return directory.Cashbox{}, err
	}
	return v.Settings.Cashbox(v.Ctx(), v.Who, id)
}

// boxForm is what the page of a cashbox changes: it is suspended on a page of its own.
var boxForm = setting.Cashbox.Without("collectEnabled")

func (v *visit) boxSubject(c directory.Cashbox) (subject, error) {
	values := valuesOf(setting.Cashbox, c)
	if c.TraderID != nil {
		values.Set("traderCashboxId", portal.IDText(*c.TraderID))
	}
	s := subject{
		title: c.Name, path: portal.Numbered(portal.CashboxesPath, c.ID), needs: caller.OperatorDirectory, version: c.Version,
		log: [2]string{"cashbox", portal.IDText(c.ID)}, inputs: inputsOf(boxForm.Settings...), values: values,
	}
	s.page.State = OnBadge(c.CollectEnabled)
	s.page.Crumbs = []Crumb{
		{Text: v.Shell.Say(say.Merchants), Href: portal.MerchantsPath},
		{Text: c.MerchantName, Href: view.Link(portal.Numbered(portal.MerchantsPath, c.MerchantID))},
	}
	has, err := v.balanceFacts(ledger.Cashbox, c.ID)
	if err != nil {
		return s, err
	}
	open, err := v.openFact(directory.Whose{MerchantID: c.MerchantID, CashboxID: c.ID}, portal.AsksCashbox, portal.IDText(c.ID))
	s.page.Facts = append([]SubjectFact{
		{Label: say.Number, Value: portal.IDText(c.ID), Class: "num"},
		{
			Label: sayMerchantLabel,
			Value: c.MerchantName,
			Href:  view.Link(portal.Numbered(portal.MerchantsPath, c.MerchantID)),
		},
		{Label: say.Currency, Value: c.Currency},
		{Label: sayMadeOn, At: &c.CreatedAt},
		open,
	}, has...)
	s.page.Facts = append(s.page.Facts,
		SubjectFact{Label: sayInsuredUSDT, Value: v.Shell.Sum(c.InsuranceUSDT), Class: "num"})
	s.page.Links = append([]SubjectStep{
		{Label: say.StatementTitle, Href: portal.StatementOf(ledger.Available(ledger.Cashbox, c.ID))},
	}, v.switchStep(s.path, c.CollectEnabled)...)
	if c.LogoHash != nil && v.May(caller.OperatorDirectory) {
		s.page.Links = append(s.page.Links, SubjectStep{Label: sayRemoveLogo, Href: view.Link(s.path + "/logo")})
	}
	return s, err
}

// balanceFacts are what a trader or a cashbox has.
func (v *visit) balanceFacts(owner ledger.Owner, id int64) ([]SubjectFact, error) {
	has, err := v.Settings.Balance(v.Ctx(), v.Who, owner, id)
	return []SubjectFact{
		{Label: sayHasAvailable, Value: v.Shell.Sum(has.Available), Class: "num"},
		{Label: sayHasReserved, Value: v.Shell.Sum(has.Reserved), Class: "num"},
	}, err
}

func (v *visit) boxPage() error {
	c, err := v.boxAsked()
	if err != nil {
		return err
	}
	s, err := v.boxSubject(c)
	if err != nil {
		return err
	}
	if s.page.Lists, err = v.boxMethods(c); err != nil {
		return err
	}
	if s.page.First, err = v.merchantSteps(c.MerchantID); err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

// boxMethods are the methods that a cashbox may have, with how each is set.
func (v *visit) boxMethods(c directory.Cashbox) ([]Directory, error) {
	set, err := v.Settings.Methods(v.Ctx(), v.Who, c.ID)
	if err != nil {
		return nil, err
	}
	payouts, err := v.Settings.PayoutMethods(v.Ctx(), v.Who, c.ID)
	if err != nil {
		return nil, err
	}
	columns := []say.Phrase{say.MethodLabel, say.MarginPercent, say.Status}
	list := []Directory{{Title: sayPaymentMethods, Columns: columns, None: sayNobodyYet}}
	for _, method := range catalogue.Payments(c.Currency) {
		cells := []SubjectCell{
			{Text: v.MethodName(method.Name)},
			{},
			{Badge: view.Badge{Text: sayNotSetYet, Tone: "off"}},
		}
		for _, one := range set {
			if one.Name == method.Name {
				cells[1] = SubjectCell{Text: percentText(one.MarginPercent), Class: "num"}
				cells[2] = SubjectCell{Badge: OnBadge(one.Enabled)}
			}
		}
		list[0].Rows = append(list[0].Rows, DirectoryRow{
			Href: view.Link(portal.Numbered(portal.CashboxesPath, c.ID) + "/methods/" + method.Name), Cells: cells,
		})
	}
	list = append(list, Directory{Title: sayPayoutMethods, Columns: columns, None: sayNobodyYet})
	for _, method := range catalogue.Payouts(c.Currency) {
		cells := []SubjectCell{
			{Text: v.MethodName(method.Name)},
			{},
			{Badge: view.Badge{Text: sayNotSetYet, Tone: "off"}},
		}
		for _, one := range payouts {
			if one.Name == method.Name {
				cells[1] = SubjectCell{Text: one.MarkupPercent.String(), Class: "num"}
				cells[2] = SubjectCell{Badge: OnBadge(one.Enabled)}
			}
		}
		list[1].Rows = append(list[1].Rows, DirectoryRow{
			Href: view.Link(portal.Numbered(portal.CashboxesPath, c.ID) + "/payouts/" + method.Name), Cells: cells,
		})
	}
	return list, nil
}

func (v *visit) changeBox() error {
	c, err := v.boxAsked()
	if err != nil {
		return err
	}
	s, err := v.boxSubject(c)
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		u := directory.CashboxUpdate{ID: c.ID, TraderID: new(form.id("traderCashboxId")), Seen: form.Get("version")}
		form.fill(boxForm, &u)
		_, err := v.Settings.UpdateCashbox(ctx, v.Who, u)
		return s.path, err
	})
}

// amountText is an amount as forms have it; none is "".
func amountText(amount decimal.NullDecimal) string {
	if !amount.Valid {
		return ""
	}
	return money.Fiat(amount.Decimal)
}

// ofBox begins a page of something that belongs to a cashbox.
func (v *visit) ofBox(c directory.Cashbox, kind, method, subjectName string) subject {
	s := subject{
		title: v.MethodName(method), path: portal.Numbered(portal.CashboxesPath, c.ID) + "/" + kind + "/" + method,
		needs: caller.OperatorDirectory, log: [2]string{subjectName, portal.IDText(c.ID) + "/" + method},
	}
	s.page.Crumbs = []Crumb{
		{Text: c.MerchantName, Href: view.Link(portal.Numbered(portal.MerchantsPath, c.MerchantID))},
		{Text: c.Name, Href: view.Link(portal.Numbered(portal.CashboxesPath, c.ID))},
	}
	s.page.State = view.Badge{Text: sayNotSetYet, Tone: "off"}
	s.page.Form.Back = view.Link(portal.Numbered(portal.CashboxesPath, c.ID))
	return s
}

func (v *visit) boxMethodAsked() (directory.Cashbox, subject, error) {
	c, err := v.boxAsked()
	if err != nil {
		return c, subject{}, err
	}
	method, known := catalogue.Find(catalogue.Payments(c.Currency), v.R.PathValue("method"))
	if !known {
		return c, subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.Methods(v.Ctx(), v.Who, c.ID)
	if err != nil {
		return c, subject{}, err
	}
	s := v.ofBox(c, "methods", method.Name, "cashbox_method")
	s.inputs = inputsOf(setting.Method.Settings...)
	seconds := int32(method.Validity.Seconds())
	s.version = directory.NotThere
	s.values = filled(map[string]string{
		"enabled": "1", "validitySeconds": portal.Counted(&seconds), "claimSeconds": "900", "cards": "3",
		"amountPolicy": "exact", "differenceTo": "trader", "lateSeconds": "86400",
	})
	for _, m := range set {
		if m.Name != method.Name {
			continue
		}
		s.page.State, s.version = OnBadge(m.Enabled), m.Version
		s.values = valuesOf(setting.Method, m)
	}
	return c, s, nil
}

func (v *visit) boxMethod() error {
	_, s, err := v.boxMethodAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setBoxMethod() error {
	c, s, err := v.boxMethodAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		m := directory.CashboxMethod{CashboxID: c.ID, Name: v.R.PathValue("method"), Seen: form.Get("version")}
		form.fill(setting.Method, &m)
		_, err := v.Settings.SetMethod(ctx, v.Who, m)
		return s.path, err
	})
}

func (v *visit) boxPayoutAsked() (directory.Cashbox, subject, error) {
	c, err := v.boxAsked()
	if err != nil {
		return c, subject{}, err
	}
	method, known := catalogue.Find(catalogue.Payouts(c.Currency), v.R.PathValue("method"))
	if !known {
		return c, subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.PayoutMethods(v.Ctx(), v.Who, c.ID)
	if err != nil {
		return c, subject{}, err
	}
	s := v.ofBox(c, "payouts", method.Name, "cashbox_payout_method")
	s.inputs = inputsOf(setting.PayoutMethod.Settings...)
	seconds := int32(catalogue.PayoutValidity.Seconds())
	s.version, s.values = directory.NotThere, filled(
		map[string]string{"enabled": "1", "validitySeconds": portal.Counted(&seconds)},
	)
	for _, m := range set {
		if m.Name == method.Name {
			s.page.State, s.version = OnBadge(m.Enabled), m.Version
			s.values = valuesOf(setting.PayoutMethod, m)
		}
	}
	return c, s, nil
}

func (v *visit) boxPayout() error {
	_, s, err := v.boxPayoutAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setBoxPayout() error {
	c, s, err := v.boxPayoutAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		m := directory.CashboxPayoutMethod{CashboxID: c.ID, Name: v.R.PathValue("method"), Seen: form.Get("version")}
		form.fill(setting.PayoutMethod, &m)
		_, err := v.Settings.SetPayoutMethod(ctx, v.Who, m)
		return s.path, err
	})
}

// chosen are options that are called what they are.
func chosen(values ...string) []view.Option {
	options := make([]view.Option, 0, len(values))
	for _, value := range values {
		options = append(options, view.Option{Value: value, Text: value})
	}
	return options
}
